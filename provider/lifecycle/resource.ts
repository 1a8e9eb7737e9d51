/** What all resources share: the shape of a handler, results, partial failures, ownership. */
import type { Dialect } from "../api/dialect/dialect";
import { isTelephonyError, nextStep, TelephonyError } from "../api/errors";
import { type Standing, stateOf, states } from "../drift/states";
import { type Claimant, type Identity, identityFrom } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { goneBecause } from "../ownership/ownership";
import { snake } from "../properties/form";
import { openIn } from "../properties/open";
import {
	type CheckFailure,
	checkProperties,
	failure,
	isInternal,
	type Properties,
	unknownValue,
	type Values,
} from "../properties/table";
import { kinds } from "../session/kinds";
import type { Service, Session } from "../session/session";

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
	/** Empty when the object is gone. */
	id?: string;
	props?: Values;
	inputs?: Values;
}

/** The lifecycle of one resource type, in the form of Pulumi's dynamic providers; both fronts call this. */
export interface Handler {
	configure(request: { config: { get(key: string): string | undefined } }): Promise<void>;
	check(olds: Values, news: Values): Promise<CheckResult>;
	diff(id: string, olds: Values, news: Values): Promise<DiffResult>;
	create(inputs: Values): Promise<{ id: string; outs: Values }>;
	read(id: string, props: Values): Promise<ReadResult>;
	/** Says in a preview what a create would cost. Never fails. Absent where nothing is bought. */
	foresee?(inputs: Values): Promise<void>;
	/** An object that no entry holds yet, for `pulumi import`. Absent where there is nothing to import. */
	import?(id: string, props: Values): Promise<ReadResult>;
	update(id: string, olds: Values, news: Values): Promise<{ outs: Values }>;
	delete(id: string, props: Values): Promise<void>;
}

/** What a resource type defines of it. */
export interface Lifecycle extends Omit<Handler, "configure" | "read">, Standing {
	/** The properties that a program may declare. */
	readonly properties: Properties;
	/** `isRefresh` is false for the program's own read, with `.get`. */
	read(id: string, props: Values, isRefresh: boolean): Promise<ReadResult>;
	/** Warns of what waits for a person, by the last outputs. */
	remind?(id: string, outs: Values): void;
}

/** An object that exists but isn't as wanted: the engine saves it, shows the reasons, and updates it next time. */
export class InitError extends Error {
	readonly id: string;
	readonly reasons: string[];
	readonly properties: Values;

	constructor(id: string, properties: Values, cause: unknown) {
		super(messageOf(cause), { cause });
		this.name = "InitError";
		this.id = id;
		this.reasons = [this.message];
		// The host adds `__provider` to results but not to errors; without it the saved entry could never be changed.
		this.properties = plain(properties) as Values;
	}
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Plain JSON without undefined, which the host can't send. */
export function plain(value: unknown): unknown {
	if (Array.isArray(value)) return value.filter((item) => item !== undefined).map(plain);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([, item]) => item !== undefined)
			.map(([key, item]) => [key, plain(item)]),
	);
}

/** Adds what every lifecycle needs: configuration, plain results, errors without stacks (the host prints those). */
export function handler(session: Session, lifecycle: Lifecycle, memory?: Pick<Memory, "clear" | "note">): Handler {
	/** URNs of resources that this run has read and not checked since. Only a refresh compares those. */
	const unchecked = new Set<unknown>();
	const { import: importing } = lifecycle;
	/** Work on a resource of the state. */
	const entered = <T>(id: string, outs: Values, values: readonly Values[], work: () => Promise<T>) =>
		withErrorRedaction(session, values, async () => {
			// An object that the program only looks up isn't this state's, and a number still being ported isn't an object.
			const object = objectOf(id, outs);
			if ((outs.token !== undefined || outs.members !== undefined) && object !== "") memory?.note(object, outs);
			return work();
		});
	return {
		configure: configuring(session, memory),
		check: (olds, news) => {
			unchecked.delete(news.resourceUrn);
			return withErrorRedaction(session, [olds, news], () => lifecycle.check(olds, news));
		},
		diff: (id, olds, news) =>
			entered(id, olds, [olds, news], () =>
				diffWithWaits(lifecycle, id, { olds, news, isRefresh: unchecked.delete(olds.resourceUrn) }),
			),
		create: (inputs) => withErrorRedaction(session, [inputs], () => lifecycle.create(inputs)),
		read: (id, props) => {
			unchecked.add(props.resourceUrn);
			return entered(id, props, [props], () => lifecycle.read(id, props, hasOutputs(props, lifecycle.properties)));
		},
		...(lifecycle.foresee && { foresee: lifecycle.foresee }),
		...(importing && {
			import: (id: string, props: Values) => withErrorRedaction(session, [props], () => importing(id, props)),
		}),
		update: (id, olds, news) => entered(id, olds, [olds, news], () => lifecycle.update(id, olds, news)),
		delete: (id, props) => entered(id, props, [props], () => lifecycle.delete(id, props)),
	};
}

/** The program's own read comes with its inputs at most. A refresh has outputs too; services may lack any of them. */
const hasOutputs = (props: Values, properties: Properties): boolean =>
	Object.entries(props).some(([key, value]) => value != null && !isInternal(key) && !Object.hasOwn(properties, key));

/** The object's id, where the resource has another: `foundId`, which is "" while there is no object yet. */
export const objectOf = (id: string, { token, foundId }: Values): string =>
	token !== undefined && typeof foundId === "string" ? foundId : id;

function configuring(session: Session, memory: Pick<Memory, "clear"> | undefined): Handler["configure"] {
	let isConfigured = false;
	return async ({ config }) => {
		const stack = (key: string) => config.get(key);
		if (!isConfigured) session.configure(stack);
		// Another operation in the same process may declare other things and find other objects and owners.
		else {
			memory?.clear();
			session.reconfigure(stack);
		}
		isConfigured = true;
	};
}

interface Sides {
	readonly olds: Values;
	readonly news: Values;
	/** True if the live values are compared with the inputs of the state, and not with the program. */
	readonly isRefresh: boolean;
}

/** Compares, and adds the update that a pending write or the object's state makes due. */
async function diffWithWaits(lifecycle: Lifecycle, id: string, { isRefresh, olds, news }: Sides): Promise<DiffResult> {
	const result = await lifecycle.diff(id, olds, news);
	const { isDirty } = openIn(olds);
	// After a failed update the state has the inputs from before it. The program's own edit would look like drift.
	const isDifferent = isRefresh ? result.changes && !isDirty : result.changes || isDirty;
	const { preview, refresh } = states[stateOf(lifecycle, olds, news)];
	const changes = isDifferent || (isRefresh ? refresh : preview) === "update";
	// Without an update, only this comparison can remind of what waits for a person.
	if (!changes && !isRefresh) lifecycle.remind?.(id, olds);
	return { ...result, changes };
}

/** Runs the work of one call of the engine. No error of it shows a secret, or a stack. */
async function withErrorRedaction<T>(session: Session, values: readonly Values[], work: () => Promise<T>): Promise<T> {
	session.secrets.note(values);
	const reporting = reportWaits(session, values);
	try {
		return plain(await work()) as T;
	} catch (error) {
		if (error instanceof Error) redactError(error, (text) => session.secrets.mask(text));
		throw error;
	} finally {
		clearInterval(reporting);
	}
}

/** Says in the resource's status column what its requests may be waiting for. */
function reportWaits(session: Session, values: readonly Values[]): NodeJS.Timeout {
	const urn = String(values.find(({ resourceUrn }) => typeof resourceUrn === "string")?.resourceUrn ?? "");
	const report = () => {
		const wait = session.waitingFor();
		if (wait !== undefined) session.progress.status(urn, wait);
	};
	return setInterval(report, 5_000).unref();
}

/** The last step before the console and the state: masks secrets in every message, wherever it comes from. */
export function redactError(error: Error, mask: (text: string) => string): void {
	error.message = mask(error.message);
	error.stack = error.message;
	if (error instanceof InitError) error.reasons.splice(0, error.reasons.length, ...error.reasons.map(mask));
}

/** Validates properties and configuration, and remembers that this run declares the resource. */
export async function checkResource(
	session: Session,
	{ memory, source, properties }: { memory: Memory; source: Claimant; properties: Properties },
	olds: Values,
	news: Values,
): Promise<CheckResult> {
	const { inputs, failures } = checkProperties(properties, news);
	const missing = await configFailures(session);
	if (missing.length > 0) return { inputs, failures: [...failures, ...missing] };
	const claim = await plannedIdentity(session, source, inputs);
	if (claim !== undefined) memory.declare({ token: claim.token, inputs, hasEntry: Object.keys(olds).length > 0 });
	const { service } = await session.config();
	const unoffered = service === undefined ? [] : unofferedProperties(service, source, properties, news);
	return { inputs, failures: [...failures, ...unoffered] };
}

/** What the program declares, and the service has no field for. */
function unofferedProperties(
	service: Dialect,
	{ kind }: Claimant,
	properties: Properties,
	news: Values,
): CheckFailure[] {
	// Pools and their members are made of numbers.
	const record = kind in kinds ? kind.toLowerCase().replaceAll(" ", "_") : "number";
	return Object.entries(properties)
		.flatMap(([key, { wire }]) => (wire === undefined ? [] : [...pathsIn(news[key], key, wire)]))
		.filter(([, wire]) => service.lacks(record, wire))
		.map(([key, wire]) =>
			failure(
				`${key}: the service doesn't have this property: its service description says \`${record}: ${wire}: false\`. Remove it`,
			),
		);
}

/** What a declared value fills, by our path and the service's. */
function* pathsIn(value: unknown, key: string, wire: string): Generator<readonly [key: string, wire: string]> {
	if (value === undefined) return;
	yield [key, wire];
	if (typeof value !== "object" || value === null || Array.isArray(value)) return;
	for (const [name, inner] of Object.entries(value)) yield* pathsIn(inner, `${key}.${name}`, `${wire}.${snake(name)}`);
}

/** Without a key or an address, no resource can be managed. */
export async function configFailures(session: Session): Promise<CheckFailure[]> {
	try {
		await session.config();
		return [];
	} catch (error) {
		if (!isTelephonyError(error, "Config")) throw error;
		return [failure(error.message)];
	}
}

/** What an identity depends on besides the resource. */
export interface KnownService extends Pick<Service, "config"> {
	readonly client: Pick<Service["client"], "offers">;
}

export function identityFor(source: Claimant, values: Values, { client, config }: KnownService): Identity {
	// What is bought is claimed after its purchase, by a PATCH.
	const kept = client.offers("reference") && (source.criteria === undefined || client.offers("patchNumber"));
	return identityFrom(source, values, config, kept);
}

/** The claim without asking the service, for check and diff; undefined while values that it depends on aren't known. */
export async function plannedIdentity(
	session: Session,
	source: Claimant,
	values: Values,
): Promise<Identity | undefined> {
	const isUnknown = source.criteria?.(values).includes(unknownValue);
	return typeof values.resourceUrn !== "string" || isUnknown
		? undefined
		: identityFrom(source, values, await session.config());
}

export const gone = (what: string): TelephonyError =>
	new TelephonyError("NotFound", `${what} ${goneBecause("it was removed")}.`, { nextStep: nextStep("NotFound") });
