/** Gives a declaration its object, which is adopted, resumed or made: rule 1 of docs/guarantees.md, for every kind. */
import type { CreateOptions, ServiceResponse } from "../api/client";
import { isAbsent, isNotFound, isTelephonyError, TelephonyError } from "../api/errors";
import { pickBy } from "../api/json";
import { lagMs, pauses, until } from "../api/until";
import { type Identity, isSameState, purchaseKey, type Referenced } from "../ownership/claim";
import type { Memory } from "../ownership/memory";
import { ownership } from "../ownership/ownership";
import { formatReference, isCutFrom, leaseOf, parseReference } from "../ownership/reference";
import { displayed } from "../properties/display";
import { isShown } from "../properties/form";
import { openOutputs } from "../properties/open";
import { changedProperties, createBody, fixedBody, urnOf, type Values } from "../properties/table";
import { unless } from "../reads/shared";
import type { Service } from "../session/session";
import { ageOf, isAfter, isKeyed, liveBefore, settled } from "../session/staleness";
import { type CreateAction, type CreateRules, decideCreate, undeclaredLike } from "./decide";
import type { Acquired, CreateTarget, Definition, Made, MakeRequest, Run } from "./definition";
import { recordOf } from "./described";
import { assertNoneNew } from "./doubts";
import { createRefusal, warnOfResume } from "./messages";
import { identityFor, savedObject } from "./resource";
import * as secrets from "./secret";
import { resumedOutputs } from "./write";

export async function acquire<R extends Referenced>(run: Run<R>, inputs: Values): Promise<Acquired<R>> {
	const { session, definition } = run;
	const { target, action } = await decideAcquisition(run, inputs);
	const { claim } = target;
	switch (action.do) {
		case "adopt":
			return {
				claim,
				start: action.record,
				olds: adoptedOutputs(claim, action.record),
				secret: adoptedSecret(definition, inputs),
			};
		case "resume":
			warnOfResume(session, { ...action, urn: urnOf(inputs) }, definition);
			return resumed(claim, action.record);
		case "make":
			return make(run, target);
	}
}

interface Decision<R extends Referenced> {
	readonly target: CreateTarget<R>;
	readonly candidates: readonly R[];
	readonly action: Exclude<CreateAction<R>, { do: "read" | "refuse" }>;
}

/**
 * Gathers the facts of a create, and decides it. The memory notes an adopted or resumed object, so that no other create of
 * this run takes it. `readListed` reads an object that the list shows; `telephony plan` believes the list.
 * @throws TelephonyError if the create is refused
 */
export async function decideAcquisition<R extends Referenced>(
	run: Run<R>,
	inputs: Values,
	readListed = (id: string): Promise<R> => run.operations.reads.readCurrent(id),
): Promise<Decision<R>> {
	const { service, memory, operations, definition } = run;
	const rules = rulesOf(definition, inputs);
	// One list serves all resources of the run. It also shows what the service offers.
	const listed = (await liveBefore(service, operations.reads)).filter((record) => !rules.isOver(record));
	const claim = identityFor(definition.source, inputs, service);
	const live = await withReferences(run, claim, listed, rules);
	const target = { claim, inputs, live };
	definition.assertCreatable?.(run, target);
	await service.account.assertOwn(claim, live);
	service.references.noteList(claim, {
		noun: definition.noun,
		live,
		nameOf: (record) => definition.nameOf(record as R),
		declares: (token) => memory.declares(token),
	});
	service.references.assertKept(claim);
	const hasReferences = isReferencedKind(run, live);
	const facts = {
		claim,
		live,
		memory,
		rules,
		adopt: typeof inputs.adopt === "string" ? inputs.adopt : undefined,
		isReferenced: hasReferences,
		isTraceable: isKeyed(service) && hasReferences,
		renamed: isReplacedAlike(run, claim, inputs) ? undeclaredLike(claim, live, memory) : [],
		reads: new Map<string, R | undefined>(),
	};
	for (;;) {
		const latest =
			facts.reads.size === 0
				? live
				: live.flatMap((record) => (facts.reads.has(record.id) ? (facts.reads.get(record.id) ?? []) : record));
		const candidates = definition.candidates?.(run, { ...target, live: latest }) ?? [];
		const action = decideCreate({ ...facts, candidates });
		if (action.do === "refuse") throw createRefusal(action.refusal, claim, definition);
		if (action.do !== "read") {
			noteAcquired(run, action, target);
			return { target, candidates, action };
		}
		// A list that no longer shows an object proves nothing.
		const read = action.isPartial ? (id: string) => operations.reads.readCurrent(id) : readListed;
		const record = action.isListed
			? await unless(isNotFound, readOwn(run, action.id, read))
			: await unless(isAbsent, operations.get(action.id));
		facts.reads.set(action.id, record);
	}
}

/** True if the engine has passed a state of the resource, with the same criteria, and hasn't shown its object. */
function isReplacedAlike<R extends Referenced>(
	{ service, memory, definition }: Run<R>,
	{ token }: Identity,
	inputs: Values,
): boolean {
	const { __resourceUrn, organization } = inputs;
	const saved = memory.held.get(urnOf(inputs));
	if (saved === undefined || memory.declaredLike(token)?.hasState !== true) return false;
	if (memory.idOf(token) !== undefined) return false;
	return identityFor(definition.source, { ...saved, __resourceUrn, organization }, service).token === token;
}

/**
 * Adds the references that only single reads show: a list is never enough to know that nothing is this declaration's. Unless
 * the service is known to keep references, the first read without one ends the search.
 */
async function withReferences<R extends Referenced>(
	{ service, memory, operations }: Run<R>,
	{ token }: Identity,
	live: readonly R[],
	rules: CreateRules<R>,
): Promise<readonly R[]> {
	const isKnown = service.client.knows("reference");
	if (isKnown && !service.client.offers("reference")) return live;
	const whole = [...live];
	for (const [at, record] of live.entries()) {
		const isSettled = record.reference !== undefined || memory.isOthers(token, record.id);
		if (isSettled || rules.contradiction(record) !== undefined) continue;
		const reference = await referenceOf(memory, record.id, () => operations.get(record.id));
		if (reference === undefined && !isKnown) return whole;
		whole[at] = { ...record, reference };
	}
	return whole;
}

/** Reads an object alone, once in a run. Returns undefined if it shows no reference either, or isn't found. */
async function referenceOf(
	memory: Memory,
	id: string,
	read: () => Promise<Referenced>,
): Promise<string | null | undefined> {
	if (!memory.references.has(id)) {
		const record = await unless(isAbsent, read());
		memory.references.set(id, record?.reference);
	}
	return memory.references.get(id);
}

/** Notes the holder of an existing object. @throws TelephonyError if a value that check has deferred would be new */
function noteAcquired<R extends Referenced>(
	{ session, memory, definition }: Run<R>,
	action: Decision<R>["action"],
	{ claim, inputs: news }: CreateTarget<R>,
): void {
	if (action.do === "make") return;
	const { noun, nameOf, properties, source } = definition;
	const live = definition.live(action.record);
	// The members of a pool have its values, which its check has judged.
	if (action.do === "adopt" && source.kind !== "member")
		assertNoneNew(properties, `The ${noun} ${nameOf(action.record)}`, {
			live,
			olds: {},
			news,
			accepted: session.accepted(),
		});
	memory.acquire(claim.token, action.record.id);
}

/** Reads a listed object. Another object with an id of the state, on an accepted account, counts as not found. */
function readOwn<R extends Referenced>(run: Run<R>, id: string, readListed: (id: string) => Promise<R>): Promise<R> {
	const { service, memory } = run;
	const saved = memory.older.get(id);
	const read = () => readListed(id);
	return saved === undefined ? read() : service.account.judge(savedObject(run, id, saved), read);
}

export const rulesOf = <R extends Referenced>(definition: Definition<R>, inputs: Values): CreateRules<R> => ({
	...(definition.isNamed && { isNamed: definition.isNamed }),
	...(definition.isPartlyListed && { isPartlyListed: definition.isPartlyListed }),
	isOver: (record) => definition.ended?.(record) !== undefined || definition.isPast?.(record, inputs) === true,
	contradiction: (record) =>
		definition.contradiction
			? definition.contradiction(record, inputs)
			: fixedContradiction(definition, record, inputs),
});

/** Returns why the object can't become what the program declares, in words that follow its name. */
function fixedContradiction<R extends Referenced>({ properties, live }: Definition<R>, record: R, inputs: Values) {
	const fixed = pickBy(properties, (property) => property.fixed);
	const values = live(record);
	const key = changedProperties(fixed, values, inputs).find((name) => isShown(values[name]));
	return (
		key && `has the ${key} ${displayed(values[key])}, which can't be changed. Declare that value, or use another one.`
	);
}

/** True if the service keeps references: as declared, or as the account's objects show. */
export const isReferenced = (
	{ client }: { readonly client: Pick<Service["client"], "knows" | "offers"> },
	live: readonly Referenced[],
): boolean =>
	client.knows("reference") ? client.offers("reference") : live.some(({ reference }) => reference !== undefined);

/** True if the service keeps references of this kind. Its description may deny them for some kinds. */
const isReferencedKind = <R extends Referenced>({ service, definition }: Run<R>, live: readonly R[]): boolean =>
	isReferenced(service, live) && service.config.service?.lacks(recordOf(definition.noun), "reference") !== true;

function adoptedSecret<R extends Referenced>({ secret }: Definition<R>, inputs: Values): secrets.SecretState {
	return secret !== undefined && inputs[secret.rotation] !== undefined ? secrets.lost : secrets.unknown;
}

/** An earlier run of this declaration may have written an object with its claim, so nothing about it is known. */
const adoptedOutputs = (claim: Identity, record: Referenced): Values =>
	ownership(claim, record) === "superseded" ? {} : unclaimedOutputs(record);

/** The outputs of an object without a claim of this state. It may have a reference, which the first write replaces. */
const unclaimedOutputs = ({ reference }: Referenced): Values =>
	reference ? { lease: "", ...openOutputs({ given: reference }) } : {};

/** An earlier run may have declared other properties, so everything is written. */
function resumed<R extends Referenced>(claim: Identity, start: R): Acquired<R> {
	return { claim, start, olds: resumedOutputs(parseReference(start.reference)?.lease), secret: secrets.lost };
}

// ---- Making one --------------------------------------------------------------------------------------------------------

/** Responses in a row that may repeat earlier ones without a mark. After these, each is probably a purchase of its own. */
const mostUnmarked = 3;

const endlessPurchase = (count: number): TelephonyError =>
	new TelephonyError(
		"OutcomeUnknown",
		`${count} purchases in a row brought numbers that ended at once, that other resources have, or that the service doesn't show. Nothing else was bought for this resource. Check the account's numbers, and whether the time in the service's responses is right.`,
		{ operation: "buyNumber", messageCode: "purchase-unknown" },
	);

type KeyOutcome<R extends Referenced> = Exclude<Made<R>, { is: "TryNextKey" }>;

/** Requests the object under one idempotency key after another, until one leads to an object of this declaration. */
async function requestUnderKeys<R extends Referenced>(run: Run<R>, target: CreateTarget<R>): Promise<KeyOutcome<R>> {
	let unmarked = 0;
	for (let counter = 0; ; counter++) {
		const key = purchaseKey(target.claim, counter);
		const made = await run.definition.make(run, { ...target, key });
		if (made.is !== "TryNextKey") return made;
		unmarked += made.isUnmarked ? 1 : 0;
		if (unmarked > mostUnmarked) throw endlessPurchase(unmarked);
	}
}

async function make<R extends Referenced>(run: Run<R>, target: CreateTarget<R>): Promise<Acquired<R>> {
	const { memory, definition } = run;
	const { claim, inputs } = target;
	const made = await requestUnderKeys(run, target);
	const { record } = made;
	memory.acquire(claim.token, record.id);
	if (made.is === "Resumed") {
		const contradiction = rulesOf(definition, inputs).contradiction(record);
		if (contradiction === undefined) return resumed(claim, record);
		throw createRefusal({ why: "resume-contradicts", record, contradiction }, claim, definition);
	}
	memory.made.add(record.id);
	const { secret } = definition;
	const value = secret?.declared?.(inputs)?.value ?? (secret && secrets.shownSecret(secret, made.response));
	// A service may give a new number a reference of its own.
	const olds = { token: claim.token, lease: made.lease, ...(made.lease === "" && unclaimedOutputs(record)) };
	return { claim, start: record, olds, isMade: true, secret: secrets.secretOf(value) };
}

type Create<R> = (service: Service, body: Values, options: CreateOptions) => Promise<ServiceResponse<R>>;

/**
 * Creates an object that costs nothing, such as a trunk, under one key. The request carries the reference. Its lease
 * follows from the key, so that a repeated request is the same request.
 */
export async function createUnderKey<R extends Referenced>(
	run: Run<R>,
	{ claim, inputs, key }: MakeRequest<R>,
	create: Create<R>,
): Promise<Made<R>> {
	const { service, definition } = run;
	const { properties } = definition;
	service.references.assertKept(claim);
	const lease = leaseOf(key);
	const wanted = { ...fixedBody(properties, inputs), ...createBody(properties, inputs) };
	const body = service.client.offers("reference") ? { ...wanted, reference: formatReference(claim, lease) } : wanted;
	const since = service.client.now();
	try {
		const { data: response, replayed } = await create(service, body, { idempotencyKey: key });
		// A service may not mark its replays. The time of creation then shows them, or a read.
		const isNew = !replayed && (isAfter(response.created_at, since) || !mayReplay(service));
		if (isNew) return { is: "Made", record: await completeRecord(run, response, wanted), lease, response };
		return await ofReplay(run, { claim, inputs, lease, response, isMarked: replayed });
	} catch (error) {
		if (isSpent(error)) return { is: "TryNextKey" };
		const explained = service.references.explained(error, body);
		service.references.noteError(explained);
		throw explained;
	}
}

/** Reads a created object if the response shows too little of it. Without the read, the write that follows sends it all. */
async function completeRecord<R extends Referenced>(run: Run<R>, response: R, wanted: Values): Promise<R> {
	if (Object.keys(wanted).every((name) => (response as Values)[name] !== undefined)) return response;
	const read = () => run.operations.get(response.id);
	try {
		return await until(run.session, read, () => true, { for: pauses.written, passes: isAbsent });
	} catch (error) {
		// The object exists, and its id must be saved.
		if (isTelephonyError(error)) return response;
		throw error;
	}
}

/** False if the service is known not to honor keys, so that no response repeats an earlier one. */
const mayReplay = ({ client }: Service): boolean => !client.knows("idempotencyKey") || client.offers("idempotencyKey");

/** True for an object that the service must show by now. */
const isOld = <R extends Referenced>({ session, service }: Run<R>, { created_at }: R): boolean =>
	ageOf(session, service, created_at) >= lagMs;

interface Replay<R> {
	readonly claim: Identity;
	readonly inputs: Values;
	readonly lease: string;
	readonly response: R;
	/** False if the response may also be that of a new object, which must not be made twice. */
	readonly isMarked: boolean;
}

/** Decides about a response that repeats an earlier one, or may do so without a mark. */
async function ofReplay<R extends Referenced>(run: Run<R>, replay: Replay<R>): Promise<Made<R>> {
	const { claim, inputs, response, isMarked } = replay;
	const isPast = isMarked || isOld(run, response);
	const record = isMarked ? await readMarked(run, response) : await readUnmarked(run, response);
	const isAvailable =
		record !== undefined &&
		!rulesOf(run.definition, inputs).isOver(record) &&
		!run.memory.isOthers(claim.token, record.id);
	const made = isAvailable ? ownReplay(replay, record, isPast) : undefined;
	if (made !== undefined) return made;
	// An old object with a reference of the service's own may be new: its time may be wrong.
	const mayBeNew = !isPast || (isAvailable && parseReference(record.reference) === undefined);
	return { is: "TryNextKey", ...(!isMarked && mayBeNew && { isUnmarked: true }) };
}

/** Returns undefined for an object of another owner. */
function ownReplay<R extends Referenced>(
	{ claim, lease, response }: Replay<R>,
	record: R,
	isPast: boolean,
): Made<R> | undefined {
	if (record.reference === undefined) return { is: "Made", record, lease, response };
	const reference = parseReference(record.reference);
	// A read may lag behind a later write, so the object is claimed again.
	if (reference?.lease === lease) return { is: "Made", record, lease: isPast ? "" : lease, response };
	// This declaration has written it since, which the list doesn't show yet.
	const isOwn = reference?.token === claim.token && isSameState(claim, reference);
	if (isOwn || isCutFrom(record.reference, claim)) return { is: "Resumed", record };
	// A service may drop the reference of a create, or give a new object one of its own.
	const isVacant = !record.reference || (reference === undefined && !isPast);
	return isVacant ? { is: "Made", record, lease: "", response } : undefined;
}

/** Reads the object of an earlier request. A service may lag behind its own creation. @throws TelephonyError NotFound */
const readMarked = <R extends Referenced>(
	{ session, service, operations }: Run<R>,
	{ id, created_at }: R,
): Promise<R> => settled(session, service, { createdAt: created_at }, () => operations.get(id));

/**
 * Reads an object that may be new, whatever its time. Returns undefined if neither a single read nor the list shows it, and
 * the response if they fail. A service may have no single reads.
 */
async function readUnmarked<R extends Referenced>(
	{ session, operations }: Run<R>,
	response: R,
): Promise<R | undefined> {
	const { id } = response;
	const read = async () => (await unless(isNotFound, operations.get(id))) ?? (await operations.reads.latest()).get(id);
	try {
		return await until(session, read, (record) => record !== undefined, { for: pauses.sold });
	} catch (error) {
		// It may be new, and its id must be saved.
		if (isTelephonyError(error)) return response;
		throw error;
	}
}

/** True if the key's object is deleted, or the key was used for another request or a refused one. */
const isSpent = (error: unknown): boolean =>
	isTelephonyError(error) &&
	(isNotFound(error) || error.replayed === true || error.errorCode === "idempotency_key_reused");
