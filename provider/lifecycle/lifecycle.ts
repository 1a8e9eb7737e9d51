/** The one lifecycle of numbers, trunks, webhooks, KYC profiles and port orders. Their definitions have the differences. */
import { isNotFound, isTelephonyError, TelephonyError } from "../api/errors";
import { pickBy } from "../api/json";
import { warnIfUrgent } from "../drift/condition";
import type { Identity, Referenced } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { claimOutputs, isToBeClaimed, losses, lossText, type Ownership, ownership } from "../ownership/ownership";
import { openIn } from "../properties/open";
import { spellingOutputs, spellingsIn } from "../properties/spelling";
import {
	changedProperties,
	declaredInputs,
	declaredOutputs,
	defaultsOf,
	refusedChanges,
	urnOf,
	type Values,
} from "../properties/table";
import type { Session } from "../session/session";
import { applied, isPartial, settled, settledRead } from "../session/staleness";
import { acquire } from "./acquire";
import { keepAdopt } from "./adopt";
import { isWhole } from "./confirm";
import { decideUpdate } from "./decide";
import type { Context, Definition, Loss, Run, WriteTarget } from "./definition";
import { type Described, recordOf as recordNameOf, secretAt, unofferedSecrets } from "./described";
import { assertNoneNew } from "./doubts";
import { end } from "./end";
import { importedInputs, refuseImport, refuseUnknown } from "./import";
import { type Claimed, updateRefusal, warnOfClaim, warnOfMove, warnOfSpellings } from "./messages";
import { resolveOnDelete } from "./on-delete";
import {
	checkResource,
	type DiffResult,
	type Handler,
	handler,
	InitError,
	identityFor,
	type Lifecycle,
	messageOf,
	notFound,
	plannedIdentity,
	type ReadResult,
	savedObject,
} from "./resource";
import {
	hiddenWarning,
	isLost,
	isRotated,
	markerOutput,
	replacedWarning,
	SecretWrite,
	secretBefore,
	secretObserved,
} from "./secret";
import { Write } from "./write";

export function lifecycleOf<R extends Referenced>(session: Session, definition: Definition<R>): Lifecycle {
	const context = { session, memory: session.memory[definition.noun], definition };
	return {
		properties: definition.properties,
		check: (olds, news) => check(context, olds, news),
		diff: (id, olds, news) => diff(context, id, olds, news),
		create: async (inputs) => create(await runOf(context), inputs),
		read: async (id, props, isRefresh) => read(await runOf(context), id, props, isRefresh),
		import: async (id, props) => importExisting(await runOf(context), id, props).catch(refuseUnknown),
		update: async (id, olds, news) => update(await runOf(context), id, olds, news),
		delete: async (id, props) => end(await runOf(context), id, props),
		waitsIf: definition.waitsIf,
		condition: definition.condition,
		remind: (id, outs) => {
			if (outs.token !== undefined) warnOfStatus(context, recordOf(id, outs), outs, true);
		},
		...(definition.foresee && { foresee: (inputs) => definition.foresee?.(session, inputs) ?? Promise.resolve() }),
	};
}

export const handlerOf = <R extends Referenced>(session: Session, definition: Definition<R>): Handler =>
	handler(session, lifecycleOf(session, definition), session.memory[definition.noun]);

/** The definition of a run has the secret as the service offers it. */
async function runOf<R extends Referenced>(context: Context<R>): Promise<Run<R>> {
	const { session } = context;
	const service = await session.service();
	const secret = secretAt(context.definition.secret, await describedBy(session, context.definition));
	const { secret: _, ...rest } = context.definition;
	const definition = secret === undefined ? rest : { ...rest, secret };
	return { ...context, definition, service, operations: definition.operations(service, session) };
}

const describedBy = async <R extends Referenced>(
	{ config }: Session,
	{ noun }: Pick<Definition<R>, "noun">,
): Promise<Described> => ({ kind: noun, service: (await config()).service });

const subjectOf = <R extends Referenced>({ noun, nameOf, ...definition }: Definition<R>, record: R): string =>
	definition.subjectOf?.(record) ?? `The ${noun} ${nameOf(record)}`;

// ---- Check and diff -------------------------------------------------------------------------------------------------

async function check<R extends Referenced>({ session, memory, definition }: Context<R>, olds: Values, news: Values) {
	const { source, properties, prepare } = definition;
	const { inputs, failures } = await checkResource(
		session,
		{ memory, source, properties },
		olds,
		news,
		prepare?.(news),
	);
	const held = memory.heldInputs(urnOf(news), olds);
	const changed = definition.changedCriteria?.(held, inputs);
	// Puts back an `adopt` that the program has dropped, so the default of `onDelete` follows.
	const fixedFailures = [
		...keepAdopt(definition.noun, held, inputs, changed),
		...refusedChanges(properties, held, inputs),
	];
	const kindFailures =
		fixedFailures.length > 0
			? []
			: ((await definition.failures?.(held, inputs, { session, memory, definition })) ?? []);
	const isCharged = definition.noun === "number";
	await resolveOnDelete(session, inputs, { isAdopted: inputs.adopt != null, isCharged });
	const secretFailures =
		failures.length > 0 ? [] : unofferedSecrets(definition.secret, await describedBy(session, definition), inputs);
	const refused = [...failures, ...fixedFailures, ...kindFailures, ...secretFailures];
	if (refused.length > 0) return { inputs, failures: refused };
	return { inputs, failures: (await definition.refusedByRun?.(session, held, inputs)) ?? [] };
}

async function diff<R extends Referenced>(
	{ session, memory, definition }: Context<R>,
	id: string,
	olds: Values,
	news: Values,
): Promise<DiffResult> {
	const { source, properties } = definition;
	const secret = secretAt(definition.secret, await describedBy(session, definition));
	const changed = changedProperties(properties, olds, news);
	const replaces = definition.replaces?.(changed, olds, news, id) ?? [];
	if (changed.length > 0) definition.warnOfChange?.(session, changed, olds);
	const claim = await plannedIdentity(session, source, news);
	// A replacement is another declaration. Until it is created, the object belongs to the old one.
	const holder = replaces.length === 0 ? (claim?.token ?? olds.token) : olds.token;
	const isTaken = memory.isTaken(id, [claim?.token, olds.token]);
	if (typeof holder === "string" && holder !== "" && !isTaken) memory.setHolder(holder, id);
	const isDue = isTaken || isToBeClaimed(olds, claim) || (secret !== undefined && isLost(secret, olds));
	return { changes: changed.length > 0 || isDue, replaces, deleteBeforeReplace: false };
}

// ---- Create and update ----------------------------------------------------------------------------------------------

async function create<R extends Referenced>(run: Run<R>, inputs: Values) {
	const acquired = await acquire(run, inputs);
	return { id: acquired.start.id, outs: await writeTo(run, { ...acquired, news: inputs }) };
}

async function update<R extends Referenced>(run: Run<R>, id: string, olds: Values, news: Values) {
	const { session, definition } = run;
	const { secret } = definition;
	const read = () => run.operations.reads.readCurrent(id);
	const { target: claimed, record: start, isMove } = await decideWrite(run, { id, olds, news }, read);
	if (isMove) warnOfMove(session, claimed);
	const target: WriteTarget<R> = { claim: claimed.claim, start, olds, news };
	if (secret === undefined) return { outs: await writeTo(run, target) };
	const isPending = mayBeWritten(ownership(claimed.claim, start, olds), olds);
	const change = { secret: secretBefore(secret, start, olds, isPending), rotates: isRotated(secret, olds, news) };
	return { outs: await writeTo(run, { ...target, ...change }) };
}

interface DecidedWrite<R> {
	readonly record: R;
	readonly target: Claimed;
	/** See `UpdateAction`. */
	readonly isMove: boolean;
}

/** Gathers the facts of an update, and decides it. @throws TelephonyError if the update is refused */
export async function decideWrite<R extends Referenced>(
	run: Run<R>,
	{ id, olds, news }: { readonly id: string; readonly olds: Values; readonly news: Values },
	read: () => Promise<R>,
): Promise<DecidedWrite<R>> {
	const { session, service, memory, definition } = run;
	const record = await service.account.judge(savedObject(run, id, olds), () => settled(session, service, olds, read));
	// The responses so far show what the service keeps, on which a claim depends.
	const claim = identityFor(definition.source, news, service);
	refuseEnded(definition, record);
	const action = decideUpdate({ claim, record, outs: olds, memory });
	const target = { claim, record, outs: olds, what: subjectOf(definition, record) };
	if (action.do === "refuse") throw updateRefusal(action.why, target);
	if (definition.source.kind !== "member")
		assertNoneNew(definition.properties, target.what, {
			live: definition.live(record),
			olds,
			news,
			accepted: session.accepted(),
		});
	definition.refuseUpdate?.(run, record, olds, news);
	return { record, target, isMove: action.isMove };
}

/** Brings an existing object to what is declared. If that fails, its id and its known outputs are saved. */
async function writeTo<R extends Referenced>(run: Run<R>, target: WriteTarget<R>): Promise<Values> {
	const { session, service, operations, definition } = run;
	const { properties, live, completed = (record: R) => record } = definition;
	const { start, news, olds } = target;
	const write = new Write<R>(target, {
		properties,
		live,
		waiter: session,
		patch: operations.patch,
		read: (id) => operations.reads.readCurrent(id),
		serviceTime: () => service.client.now(),
		nameOf: (record) => `the ${definition.noun} ${definition.nameOf(record)}`,
		isLocked: definition.isLocked?.(start) ?? false,
		explained: (error, body) => service.references.explained(error, body),
		canClaim: service.client.sets(recordNameOf(definition.noun), "reference"),
	});
	const secret = definition.secret && new SecretWrite(definition.secret, target);
	const outs = () => ({
		...write.outputs(definition.computed(completed(write.record, target), { ...news, ...write.kept })),
		...secret?.outputs(write.record),
	});
	try {
		if (definition.carryOut) await definition.carryOut(run, write, target);
		else await send(run, write, start.id, secret);
	} catch (error) {
		service.references.noteError(error);
		const saved = { ...outs(), __provider: news.__provider };
		throw new InitError(start.id, saved, definition.explained?.(error, target) ?? error);
	} finally {
		operations.reads.wrote(start.id, write.record);
	}
	if (target.claim.kept && write.record.reference) service.references.isProven = true;
	warnOfNewSpellings(run, write, olds, news);
	if (definition.secret !== undefined && secret?.isHidden) {
		const what = `${definition.noun} ${definition.nameOf(write.record)}`;
		session.progress.warn(urnOf(news), "secret-hidden", hiddenWarning(definition.secret, what, news));
	}
	const saved = outs();
	const { waitsIf } = definition;
	const isWaitedFor = waitsIf !== undefined && (news[waitsIf] ?? properties[waitsIf]?.default) === true;
	if (!isWaitedFor) warnOfStatus(run, write.record, saved);
	return saved;
}

/** Warns of an object that isn't as wanted. `isSaved`: the outputs are the state's, which this run hasn't read again. */
const warnOfStatus = <R extends Referenced>(
	{ session, definition }: Context<R>,
	record: R,
	outs: Values,
	isSaved = false,
): void =>
	warnIfUrgent(session, outs, subjectOf(definition, record), definition.condition?.(outs), { record, isSaved });

/** Warns of the service's spellings that the state doesn't have yet. */
function warnOfNewSpellings<R extends Referenced>(run: Run<R>, write: Write<R>, olds: Values, news: Values): void {
	const { session, definition } = run;
	const before = spellingsIn(olds);
	const spellings = pickBy(write.spellings(), (value, key) => value !== before[key]);
	if (Object.keys(spellings).length === 0) return;
	const live = pickBy(definition.live(write.record), (_, key) => key in spellings);
	const what = `the ${definition.noun} ${definition.nameOf(write.record)}`;
	const { properties } = definition;
	warnOfSpellings(session, { properties, what, urn: urnOf(news) }, news, live);
}

/** Sends the differences, and has a missing secret made. */
async function send<R extends Referenced>(
	{ session, service, operations, definition }: Run<R>,
	write: Write<R>,
	id: string,
	secret: SecretWrite<R> | undefined,
): Promise<void> {
	await write.send(secret?.body());
	secret?.noteResponse(write.record);
	const { rotate } = definition.secret ?? {};
	if (rotate === undefined || !secret?.isMissing(write.record)) return;
	const rotated = await write.request(() => rotate(service, id));
	secret.noteRotated(rotated);
	const read = () => operations.get(id);
	const record = isWhole(rotated, write.record) ? rotated : await read();
	write.record = await applied(session, service, record, read);
}

// ---- Read and import ------------------------------------------------------------------------------------------------

async function read<R extends Referenced>(
	run: Run<R>,
	asked: string,
	props: Values,
	isRefresh: boolean,
): Promise<ReadResult> {
	const { service, definition } = run;
	const id = (await definition.idOf?.(service, asked)) ?? asked;
	// Every create, update and import saves a token. Without one this is a `.get`.
	const isManaged = props.token !== undefined;
	let result: ReadOutputs<R>;
	try {
		result = await readObject(run, id, props);
		if (!isManaged) refuseEnded(definition, result.record);
	} catch (error) {
		if (!isNotFound(error)) throw error;
		if (!isManaged) return lookupDeleted(run, id, props, isRefresh, error);
		await definition.assertNotJustBought?.(run, { id, props }, error);
		return deleted(run, id, props);
	}
	if (isManaged) {
		const ended = definition.ended?.(result.record);
		return ended === undefined ? found(run, id, result, props) : deleted(run, id, props, ended);
	}
	// The engine would report any change as drift, although the program declares none of it.
	if (isRefresh) return { id, props };
	// The engine keeps this id, but gives the program the one that it asked for.
	const foundId = id === asked && props.foundId === undefined ? {} : { foundId: id };
	return { id, props: { ...lookedUp(definition, result.record), ...foundId } };
}

/** A `.get` of a deleted object. A refresh only warns. @throws TelephonyError NotFound for the program's own read */
function lookupDeleted<R extends Referenced>(
	{ session, definition: { noun } }: Run<R>,
	id: string,
	props: Values,
	isRefresh: boolean,
	error: unknown,
): ReadResult {
	if (!isRefresh) {
		const text = isTelephonyError(error) ? error.text : messageOf(error);
		const nextStep = "`.get` needs the id of an existing object, or the E.164 of a number with its `+`.";
		throw new TelephonyError("NotFound", text, { nextStep, cause: error });
	}
	const name = typeof props.phoneNumber === "string" ? `${props.phoneNumber} (${id})` : id;
	session.progress.warn(
		urnOf(props),
		"not-found",
		`The ${noun} ${name}, which this program reads with \`.get\`, no longer exists, so the next \`pulumi up\` fails. Use another id, or remove the \`.get\`.`,
	);
	return { id, props };
}

interface ReadOutputs<R> {
	readonly record: R;
	readonly claim: Identity;
	readonly owner: Ownership;
	/** The outputs after this read. */
	readonly outs: Values;
}

/** Reads the object. If the list shows too little of it, it is read alone. */
async function readObject<R extends Referenced>(run: Run<R>, id: string, props: Values): Promise<ReadOutputs<R>> {
	const { session, service, memory, definition, operations } = run;
	let latest: ReadOutputs<R> | undefined;
	const outputs = (record: R): ReadOutputs<R> => {
		if (latest?.record === record) return latest;
		// The responses so far show what the service keeps, on which a claim depends.
		const claim = identityFor(definition.source, props, service);
		const owner = ownershipRead(claim, record, props, memory);
		latest = { record, claim, owner, outs: outputsOf(definition, record, props, owner) };
		return latest;
	};
	// A list is never enough to know that someone has changed the object or its reference: it may lag.
	const isChanged = (record: R) => {
		const { owner, outs } = outputs(record);
		const isLost = Boolean(props.lease) && owner !== "ours" && owner !== "unknown";
		return isLost || changedProperties(definition.properties, props, outs).length > 0;
	};
	const isLess = (record: R) =>
		// Nor that the object has ended: the list may show an earlier object with this id.
		definition.ended?.(record) !== undefined ||
		definition.saysTooLittle?.(record, props) ||
		isChanged(record) ||
		isPartial(definition.properties, props, outputs(record).outs, definition.live(record));
	const record = await settledRead<R>(session, service, {
		object: savedObject(run, id, props),
		reads: operations.reads,
		isPartial: isLess,
	});
	return outputs(record);
}

/** Returns the result of a read, and warns: the read may be part of a preview. */
function found<R extends Referenced>(
	run: Run<R>,
	id: string,
	{ record, claim, owner, outs }: ReadOutputs<R>,
	props: Values,
): ReadResult {
	const { session, memory, definition } = run;
	const { secret } = definition;
	memory.setHolder(String(props.token), id);
	warnOfClaim(session, { claim, record, outs: props, what: subjectOf(definition, record) }, owner);
	warnOfStatus(run, record, outs);
	// A write of this declaration may have added the secret.
	const isOwn = openIn(props).isDirty || secret?.exists(props) === false;
	if (secret !== undefined && isLost(secret, outs) && !isOwn && owner !== "foreign") {
		const what = `${definition.noun} ${definition.nameOf(record)}`;
		session.progress.warn(urnOf(props), "secret-replaced", replacedWarning(secret, what, outs));
	}
	const inputs = declaredInputs(definition.properties, outs);
	return { id, props: outs, inputs: memory.heldInputs(urnOf(props), inputs) };
}

/**
 * Returns the owner for a read. An imported object that no run has written yet may have no reference. The newer write of an
 * object may be that of its other resource: of one that replaces this one.
 */
function ownershipRead(claim: Identity, record: Referenced, outs: Values, memory: Pick<Memory, "statesOf">): Ownership {
	const owner = ownership(claim, record, outs);
	const isOurs = (state: Values) => ownership(claim, record, state) === "ours";
	if (owner === "superseded" && memory.statesOf(record.id).some(isOurs)) return "ours";
	return owner === "vacant" && outs.lease === undefined ? "unknown" : owner;
}

/** Returns the outputs after a read. Of the properties, `props` have only the declared ones. */
function outputsOf<R extends Referenced>(
	{ properties, live, computed, secret }: Definition<R>,
	record: R,
	props: Values,
	owner: Ownership,
): Values {
	const spellings = spellingsIn(props);
	return {
		...declaredOutputs(properties, props, live(record), spellings),
		...computed(record, props),
		...spellingOutputs(spellings),
		...claimOutputs(props, owner),
		__resourceUrn: props.__resourceUrn,
		organization: props.organization,
		...secretObserved(secret, record, props, mayBeWritten(owner, props)),
	};
}

/** True if the service may have carried out a write of this declaration that the state doesn't know. */
const mayBeWritten = (owner: Ownership, outs: Values): boolean => openIn(outs).isDirty || owner === "superseded";

/** Returns everything that the service shows of an object, as outputs. */
export const lookedUp = <R extends Referenced>(definition: Definition<R>, record: R): Values =>
	definition.lookedUp?.(record) ?? {
		...definition.live(record),
		...definition.computed(record, {}),
		...markerOutput(definition.secret, record),
	};

/** Warns that an object was deleted. No later message names it: the next `up` makes another one. */
function deleted<R extends Referenced>(
	{ session, definition }: Context<R>,
	id: string,
	props: Values,
	status?: string,
): ReadResult {
	const { noun, verbs, nameOf } = definition;
	const { code, word, wayBack }: Loss = definition.lossOf?.(status) ?? losses.removed;
	const next =
		props.adopt === undefined
			? definition.ifDeleted
			: `fails, because \`adopt\` names it: remove \`adopt\` to ${verbs.make} another one`;
	const back = wayBack === undefined ? "" : ` ${wayBack}`;
	session.progress.warn(
		urnOf(props),
		code,
		`The ${noun} ${nameOf(recordOf<R>(id, props))} ${lossText(word)}. While this program declares it, \`pulumi up\` ${next}.${back}`,
	);
	return {};
}

/** Returns an object as the saved outputs show it, for messages. */
const recordOf = <R>(id: string, outs: Values): R => ({ ...outs, id, number: outs.phoneNumber }) as unknown as R;

/** Imports without a lease: nothing is claimed until the program changes something. */
async function importExisting<R extends Referenced>(run: Run<R>, asked: string, props: Values): Promise<ReadResult> {
	const { session, service, operations, definition } = run;
	const { properties, secret } = definition;
	const id = (await definition.idOf?.(service, asked)) ?? asked;
	const record = await operations.get(id);
	refuseEnded(definition, record);
	const live = definition.live(record);
	const claim = identityFor(definition.source, { ...props, ...live }, service);
	refuseImport(session, { claim, record, outs: props, what: subjectOf(definition, record) });
	const computed = { ...definition.computed(record, {}), ...markerOutput(secret, record) };
	const inputs = importedInputs(properties, live, definition.imported?.(id) ?? { adopt: id });
	// The check of an adopted object resolves `onDelete` to the same.
	const onDelete = properties.onDelete && { onDelete: "retain" };
	return { id, inputs, props: { ...defaultsOf(properties), ...onDelete, ...inputs, ...computed, token: claim.token } };
}

function refuseEnded<R extends Referenced>({ noun, nameOf, ended }: Definition<R>, record: R): void {
	const status = ended?.(record);
	if (status !== undefined) throw notFound(`The ${noun} ${nameOf(record)} (${status})`);
}
