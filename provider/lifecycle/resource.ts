/** The shape of a handler, and what all handlers share: configuration, results, errors, identities. */
import { configError, isTelephonyError, nextStep, TelephonyError, withSavedConfiguration } from "../api/errors";
import { defined, isObject, mapValues, pickBy } from "../api/json";
import { type Standing, stateOf, states } from "../drift/states";
import { type Claimant, type Identity, identityFrom, stateIdentity } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { openIn } from "../properties/open";
import {
	type CheckFailure,
	checkProperties,
	failure,
	isInternal,
	type Properties,
	unknownValue,
	urnOf,
	type Values,
} from "../properties/table";
import type { SavedObject } from "../reads/account-check";
import type { ConfigSource } from "../session/config";
import type { Service, Session } from "../session/session";
import { settingProblems } from "../session/setting-names";
import { isAdopting } from "./adopt";
import { offeredProperties, unofferedChanges, unofferedKind, unofferedValues } from "./described";
import { warnOfDoubts } from "./doubts";
import { informOfPin } from "./pin-hint";

export type { Claimant };

export interface CheckResult {
	inputs: Values;
	failures: CheckFailure[];
}

export interface DiffResult {
	changes: boolean;
	/** Properties whose change needs a new object. */
	replaces: string[];
	deleteBeforeReplace: false;
}

export interface ReadResult {
	/** Empty if the object is deleted. */
	id?: string;
	props?: Values;
	inputs?: Values;
}

interface GivenConfig {
	get(key: string): string | undefined;
	/** Private in the SDK's host, which has no other list of the keys. */
	readonly rawConfig?: Readonly<Record<string, unknown>>;
	readonly projectName?: string;
}

/** The lifecycle of one resource type, in the form of Pulumi's dynamic providers. The plugin calls it too. */
export interface Handler {
	configure(request: { config: GivenConfig }): Promise<void>;
	check(olds: Values, news: Values): Promise<CheckResult>;
	diff(id: string, olds: Values, news: Values): Promise<DiffResult>;
	create(inputs: Values): Promise<{ id: string; outs: Values }>;
	read(id: string, props: Values): Promise<ReadResult>;
	/** Shows the price of a create in a preview. Never fails. Absent where nothing is bought. */
	foresee?(inputs: Values): Promise<void>;
	/** Reads an object for `pulumi import`. Absent where there is nothing to import. */
	import?(id: string, props: Values): Promise<ReadResult>;
	update(id: string, olds: Values, news: Values): Promise<{ outs: Values }>;
	delete(id: string, props: Values): Promise<void>;
}

/** The part of a handler that a resource type defines. */
export interface Lifecycle extends Omit<Handler, "configure" | "diff" | "read">, Standing {
	readonly properties: Properties;
	/** `isRefresh` is true if the live values are compared with the state, and not with a program. */
	diff(id: string, olds: Values, news: Values, isRefresh?: boolean): Promise<DiffResult>;
	/** `isRefresh` is false for the program's own read, with `.get`. */
	read(id: string, props: Values, isRefresh: boolean): Promise<ReadResult>;
	/** Warns of steps that wait for a person, by the saved outputs. */
	remind?(id: string, outs: Values): void;
}

/** The error for an object that exists but isn't as declared. The engine saves it, and updates it next time. */
export class InitError extends Error {
	readonly id: string;
	readonly reasons: string[];
	readonly properties: Values;

	constructor(id: string, properties: Values, cause: unknown) {
		super(messageOf(cause), { cause });
		this.name = "InitError";
		this.id = id;
		this.reasons = [this.message];
		// The host adds `__provider` only to results. Without it, the resource could never be changed.
		this.properties = plain(properties) as Values;
	}
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns plain JSON without undefined, which the host can't send. */
export function plain(value: unknown): unknown {
	if (Array.isArray(value)) return value.filter((item) => item !== undefined).map(plain);
	return isObject(value) ? mapValues(defined(value), plain) : value;
}

/** Adds configuration, plain results and masked errors to a lifecycle. */
export function handler(
	session: Session,
	lifecycle: Lifecycle,
	memory?: Pick<Memory, "clear" | "note" | "unfinished">,
): Handler {
	/**
	 * URNs of resources that this run has read and not checked since. No request shows whose comparison it is: a refresh sends
	 * `diff` with the values that `read` returned and the saved inputs, and an `up --refresh` then sends the same values with
	 * the program's inputs. But it checks these first, and a refresh checks nothing. Two resources of a state share a URN while
	 * one is replaced.
	 */
	const unchecked = new Set<unknown>();
	/** URNs of resources that this run has read, which has warned of their conditions. */
	const read = new Set<unknown>();
	const { import: importing } = lifecycle;
	/** Work on a resource of the state. */
	const withState = <T>(id: string, outs: Values, values: readonly Values[], work: () => Promise<T>) =>
		withErrorRedaction(session, values, async () => {
			// An object that the program only looks up isn't this state's, and a number still being ported isn't an object.
			const object = objectOf(id, outs);
			if ((outs.token !== undefined || outs.members !== undefined) && object !== "") memory?.note(object, outs);
			return work();
		});
	/** A resource whose create or update fails isn't ready to replace another object. */
	const finishing = async <T>(values: Values, work: () => Promise<T>): Promise<T> => {
		memory?.unfinished.add(urnOf(values));
		const result = await work();
		memory?.unfinished.delete(urnOf(values));
		return result;
	};
	return {
		configure: configuring(session, () => {
			memory?.clear();
			unchecked.clear();
			read.clear();
		}),
		check: (olds, news) => {
			unchecked.delete(news.__resourceUrn);
			return withErrorRedaction(session, [olds, news], () => lifecycle.check(olds, news));
		},
		diff: (id, olds, news) =>
			withState(id, olds, [olds, news], async () => {
				const isRefresh = unchecked.has(olds.__resourceUrn);
				const result = await diffWithWaits(lifecycle, id, olds, news, isRefresh);
				// Without an update or a read, only this comparison can remind of steps that wait for a person.
				if (!result.changes && !read.has(olds.__resourceUrn)) lifecycle.remind?.(id, olds);
				return result;
			}),
		create: (inputs) =>
			withErrorRedaction(session, [inputs], async () => {
				const created = await finishing(inputs, () => lifecycle.create(inputs));
				await informOfPin(session, created.outs);
				return created;
			}),
		read: (id, props) => {
			unchecked.add(props.__resourceUrn);
			const isRefresh = hasOutputs(props, lifecycle.properties);
			const work = async () => {
				const result = await lifecycle.read(id, props, isRefresh);
				read.add(props.__resourceUrn);
				return result;
			};
			return withState(id, props, [props], isRefresh ? () => withSaved(work) : work);
		},
		...(lifecycle.foresee && { foresee: lifecycle.foresee }),
		...(importing && {
			import: (id: string, props: Values) => withErrorRedaction(session, [props], () => importing(id, props)),
		}),
		update: (id, olds, news) =>
			withState(id, olds, [olds, news], () => finishing(news, () => lifecycle.update(id, olds, news))),
		delete: (id, props) => withState(id, props, [props], () => withSaved(() => lifecycle.delete(id, props))),
	};
}

async function withSaved<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw withSavedConfiguration(error);
	}
}

/**
 * True for a refresh, which brings the saved outputs; services may lack any of them. The program's own read, with `.get`,
 * brings its inputs as both `properties` and `inputs`, and the SDK's host for dynamic providers passes only one of the two.
 */
const hasOutputs = (props: Values, properties: Properties): boolean =>
	Object.entries(props).some(([key, value]) => value != null && !isInternal(key) && !Object.hasOwn(properties, key));

/** The object's id, where the resource has another: `foundId`, which is "" while there is no object yet. */
export const objectOf = (id: string, { token, foundId }: Values): string =>
	token !== undefined && typeof foundId === "string" ? foundId : id;

function configuring(session: Session, clear: () => void): Handler["configure"] {
	let isConfigured = false;
	return async ({ config }) => {
		const stack = configSource(config);
		if (!isConfigured) session.configure(stack);
		// The next operation in the same process may have other declarations, objects and owners.
		else {
			clear();
			session.reconfigure(stack);
		}
		isConfigured = true;
	};
}

const configSource = (config: GivenConfig): ConfigSource =>
	Object.assign((key: string) => config.get(key), {
		keys: Object.keys(config.rawConfig ?? {}),
		project: config.projectName,
	});

/** Compares, and adds the update that a pending write or the object's state makes due. */
async function diffWithWaits(
	lifecycle: Lifecycle,
	id: string,
	olds: Values,
	news: Values,
	isRefresh: boolean,
): Promise<DiffResult> {
	const result = await lifecycle.diff(id, olds, news, isRefresh);
	const { isDirty } = openIn(olds);
	// After a failed update the state has the inputs from before it. The program's own edit would look like drift.
	const isDifferent = isRefresh ? result.changes && !isDirty : result.changes || isDirty;
	const { preview, refresh } = states[stateOf(lifecycle, olds, news)];
	const changes = isDifferent || (isRefresh ? refresh : preview) === "update";
	return { ...result, changes };
}

/** Runs the work of one call of the engine. Its errors show neither a secret nor a stack trace. */
async function withErrorRedaction<T>(session: Session, values: readonly Values[], work: () => Promise<T>): Promise<T> {
	session.secrets.note(values);
	const stopReports = reportWaits(session, values);
	try {
		return plain(await session.track(work)) as T;
	} catch (error) {
		if (error instanceof Error) redactError(error, (text) => session.secrets.mask(text));
		throw error;
	} finally {
		stopReports();
	}
}

/** Shows every five seconds, in the resource's status column, what its requests wait for. Returns how to stop it. */
function reportWaits(session: Session, values: readonly Values[]): () => void {
	const urn = values.map(urnOf).find((text) => text !== "") ?? "";
	let cancel = () => {};
	const reportLater = () => {
		cancel = session.clock.schedule(5_000, () => {
			const wait = session.waitingFor();
			if (wait !== undefined) session.progress.status(urn, wait);
			reportLater();
		});
	};
	reportLater();
	return () => cancel();
}

/** Masks secrets in an error: the last step before the console and the state. */
export function redactError(error: Error, mask: (text: string) => string): void {
	error.message = mask(error.message);
	error.stack = error.message;
	// The SDK's host prints `${error}: ${error.stack}`. Several calls may share an error.
	Object.defineProperty(error, "toString", { value: () => "telephony", configurable: true });
	if (error instanceof InitError) error.reasons.splice(0, error.reasons.length, ...error.reasons.map(mask));
}

/**
 * Validates properties and configuration, and notes that this run declares the resource. Warns of values that only the
 * service can judge. @param news as the program declares them @param completed with the inputs that follow from others
 */
export async function checkResource(
	session: Session,
	{ memory, source, properties }: { memory: Memory; source: Claimant; properties: Properties },
	olds: Values,
	news: Values,
	completed: Values = news,
): Promise<CheckResult> {
	const missing = await configFailures(session);
	const options = {
		held: memory.heldInputs(urnOf(news), olds),
		isAdopting: isAdopting(properties, olds, completed),
		accepted: session.accepted(),
	};
	if (missing.length > 0) {
		const { inputs, failures } = checkProperties(properties, completed, options);
		return { inputs, failures: [...failures, ...missing] };
	}
	const { service, features } = await session.config();
	const described = { kind: source.kind, service };
	const offered = offeredProperties(described, properties);
	const { inputs, failures, deferred, unknown } = checkProperties(
		offered,
		pickBy(completed, (_, key) => Object.hasOwn(offered, key) || !Object.hasOwn(properties, key)),
		options,
	);
	const claim = await plannedIdentity(session, source, inputs);
	if (claim !== undefined) memory.declare({ token: claim.token, inputs, hasState: Object.keys(olds).length > 0 });
	const declared = { ...news, ...pickBy(completed, (_, key) => Object.hasOwn(offered, key)) };
	const refused = [
		...failures,
		...unofferedKind(described, features, olds, inputs),
		...unofferedValues(described, properties, olds, declared),
		...unofferedChanges(described, features, offered, options.held, inputs),
	];
	if (refused.length === 0) warnOfDoubts({ session, memory }, urnOf(news), { deferred, unknown });
	return { inputs, failures: refused };
}

/** Returns failures for settings that are missing, wrong or unknown. Warns once of misspelled variables. */
export async function configFailures(session: Session): Promise<CheckFailure[]> {
	for (const warning of session.takeVariableWarnings()) session.progress.warn("", "config", warning);
	const unknown = settingProblems(await session.stack());
	if (unknown.length > 0) return [failure(configError(`${unknown.join(" ")} Nothing was changed.`).message)];
	try {
		await session.config();
		return [];
	} catch (error) {
		if (!isTelephonyError(error, "Config")) throw error;
		return [failure(error.message)];
	}
}

/** The part of the service that an identity depends on. */
export interface KnownService extends Pick<Service, "config"> {
	readonly client: Pick<Service["client"], "offers" | "sets">;
}

export function identityFor(source: Claimant, values: Values, { client, config }: KnownService): Identity {
	// A bought object is claimed after its purchase, by a PATCH.
	const kept = client.offers("reference") && (source.criteria === undefined || client.sets("number", "reference"));
	return identityFrom(source, values, config, kept);
}

/** Names an object of the state for the account check. */
export const savedObject = (
	{ service, definition }: { readonly service: Service; readonly definition: { readonly noun: string } },
	id: string,
	saved: Values,
): SavedObject => ({
	kind: definition.noun,
	id,
	claim: stateIdentity(saved, service.config, service.client.offers("reference")),
	saved,
});

/** Returns the claim without a request, for check and diff; undefined while its values are unknown. */
export async function plannedIdentity(
	session: Session,
	source: Claimant,
	values: Values,
): Promise<Identity | undefined> {
	const isUnknown = source.criteria?.(values).includes(unknownValue);
	return typeof values.__resourceUrn !== "string" || isUnknown
		? undefined
		: identityFrom(source, values, await session.config());
}

export const notFound = (what: string): TelephonyError =>
	new TelephonyError("NotFound", `${what} doesn't exist on the account.`, { nextStep: nextStep("NotFound") });
