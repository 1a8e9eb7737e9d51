/** How objects that cost nothing begin and end: each is made once or adopted, and deleted unless it has to stay. */
import type { Answer, CreateOptions } from "../api/client";
import { isGone, TelephonyError } from "../api/errors";
import { createClaimed, type Identity, type Referenced } from "../ownership/claim";
import { bondsOf, ownership } from "../ownership/ownership";
import { formatReference, freshLease, parseReference } from "../ownership/reference";
import { shown } from "../properties/display";
import { allDeclared, changedProperties, createBody, fixedBody, type Values } from "../properties/table";
import type { Service } from "../session/session";
import { isKeyed, liveBefore, settled } from "../session/staleness";
import { adopted } from "./adopt";
import { type Claimed, clearReference, isHeldByAnother, mayRemove } from "./claimed";
import type { Acquired, Definition, Run } from "./definition";
import { gone, identityFor } from "./resource";
import { secretOf, stale, unknownSecret } from "./secret";

interface Configured<R extends Referenced> {
	create(service: Service, body: Values, options: CreateOptions): Promise<Answer<R>>;
	remove(run: Run<R>, id: string, entry: Values): Promise<void>;
	/** What a delete says of one that leaves nothing to remove: it is only given up, as an adopted one is. */
	over?(record: R): string | undefined;
	/** One that will end by itself: it isn't taken over, as there would be none soon. */
	isEnding?(record: R): boolean;
	/** The property by which people tell objects apart. Like all others, it needn't be unique at the service. */
	readonly displayKey: string;
}

/** The beginning and the end of such an object, for its definition. */
export const configured = <R extends Referenced>(
	definition: Configured<R>,
): Pick<Definition<R>, "verbs" | "acquire" | "release"> => ({
	verbs: { make: "create", made: "created", end: "delete", ended: "deleted" },
	acquire: (run, inputs) => acquire(run, definition, inputs),
	release: (run, id, props) => release(run, definition, id, props),
});

// ---- The beginning --------------------------------------------------------------------------------------------------

async function acquire<R extends Referenced>(
	run: Run<R>,
	configured: Configured<R>,
	inputs: Values,
): Promise<Acquired<R>> {
	const { session, service, memory, operations, definition } = run;
	const { noun, properties, secret, nameOf } = definition;
	const isOver = (record: R) => definition.ended?.(record) !== undefined || configured.isEnding?.(record) === true;
	service.presence.noteCreate();
	const live = (await liveBefore(service, operations.reads)).filter((record) => !isOver(record));
	const claim = identityFor(definition.source, inputs, service);
	const account = await service.presence.refuseStrange(claim, live);
	if (inputs.adopt !== undefined) return adopt(run, { claim, live, account }, inputs);
	const wanted = { ...fixedBody(properties, inputs), ...createBody(properties, inputs) };
	const { record, lease, answer } = await createClaimed<R>(claim, {
		live,
		noun,
		describe: nameOf,
		isHeldByAnother: (id) => isHeldByAnother(session, memory, claim, id),
		create: (reference, idempotencyKey) =>
			configured.create(service, service.client.offers("reference") ? { ...wanted, reference } : wanted, {
				idempotencyKey,
			}),
		get: async ({ id, created_at }) => {
			// A service may lag behind what it has just made.
			const made = await settled(session, service, { createdAt: created_at }, () => operations.get(id));
			// What a key has made before, and has ended since, is as good as gone.
			if (isOver(made)) throw gone(`The ${noun} ${nameOf(made)}`);
			return made;
		},
		...(configured.isEnding && { claimed: (found) => claimedNow(run, claim, found, isOver) }),
	});
	const problem = contradiction(definition, record, inputs);
	if (problem !== undefined)
		throw new TelephonyError("Invalid", `An earlier run made ${nameOf(record)}, which ${problem} Nothing was changed.`);
	memory.acquire(claim.token, record.id);
	if (answer !== undefined) {
		memory.made.add(record.id);
		warnOfOrphans(run, configured, inputs, live);
	}
	const visible = answer && (secret?.declared?.(inputs)?.value ?? secret?.shown(answer));
	return {
		claim,
		start: record,
		// Clears what an earlier run may have declared and this one doesn't.
		olds: answer === undefined ? allDeclared(properties) : { token: claim.token, lease },
		found: answer === undefined ? parseReference(record.reference)?.lease : undefined,
		// A creation sends no word, so a run that is killed here must not add another than its entry has.
		bonds: lease === "" && record.reference ? bondsOf(record, {}) : { account, beside: "" },
		secret: secretOf(visible),
		account,
	};
}

/** A read that lags shows an object as it was before it ended. The answer to a write doesn't. */
async function claimedNow<R extends Referenced>(
	{ operations: { get, patch } }: Run<R>,
	claim: Identity,
	found: R,
	isOver: (record: R) => boolean,
): Promise<R | undefined> {
	const reference = () => formatReference(claim, freshLease(), bondsOf(found, {}));
	try {
		const record = claim.kept ? await patch(found.id, () => ({ reference: reference() })) : await get(found.id);
		return isOver(record) ? undefined : record;
	} catch (error) {
		if (isGone(error)) return undefined;
		throw error;
	}
}

/** @throws TelephonyError Invalid, Claimed; in both cases nothing was created or changed. */
async function adopt<R extends Referenced>(
	{ session, memory, operations, definition }: Run<R>,
	{ claim, live, account }: { claim: Acquired<R>["claim"]; live: readonly R[]; account: string },
	inputs: Values,
): Promise<Acquired<R>> {
	const { noun, verbs, nameOf, secret } = definition;
	const start = await adopted<R>({
		...{ session, memory, claim, live, noun, verbs, nameOf },
		urn: String(inputs.resourceUrn ?? ""),
		wanted: String(inputs.adopt),
		get: (id) => operations.get(id),
		contradiction: (record) => contradiction(definition, record, inputs),
		hint: `Name a ${noun} that the account has, by its id, or remove \`adopt\` to create one.`,
		handOver:
			"To hand it over, remove it there with `pulumi state delete`, then clear its reference in the service's dashboard.",
	});
	const isRotated = secret !== undefined && inputs[secret.rotation] !== undefined;
	return { claim, start, olds: {}, bonds: { account, beside: "" }, secret: isRotated ? stale : unknownSecret };
}

/** Why it can't become what the program declares, in words that follow its name. */
function contradiction<R extends Referenced>({ properties, live }: Definition<R>, record: R, inputs: Values) {
	const fixed = Object.fromEntries(Object.entries(properties).filter(([, property]) => property.fixed));
	const values = live(record);
	const key = changedProperties(fixed, values, inputs).find((each) => values[each] != null);
	return key && `has the ${key} ${shown(values[key])}, and that can't be changed: declare it, or use another one.`;
}

/** Without keys and references, a service can't tell what an interrupted run has left behind. */
function warnOfOrphans<R extends Referenced>(
	{ session, service, memory, definition }: Run<R>,
	{ displayKey }: Configured<R>,
	inputs: Values,
	before: readonly R[],
): void {
	if (service.client.offers("reference") || isKeyed(service)) return;
	const { noun, properties, live, nameOf } = definition;
	const telling = Object.fromEntries(Object.entries(properties).filter(([key]) => key === displayKey));
	const alike = before.filter(
		(other) => memory.holderOf(other.id) === undefined && changedProperties(telling, live(other), inputs).length === 0,
	);
	if (alike.length === 0) return;
	session.progress.warn(
		String(inputs.resourceUrn ?? ""),
		"duplicate",
		`The account had a ${noun} like this one already: ${alike.map(nameOf).join(", ")}. An interrupted run may have left it behind: the service keeps nothing that would show it. If nobody needs it, delete it in the service's dashboard.`,
	);
}

// ---- The end --------------------------------------------------------------------------------------------------------

async function release<R extends Referenced>(
	run: Run<R>,
	configured: Configured<R>,
	id: string,
	props: Values,
): Promise<void> {
	const { session, service, operations, definition } = run;
	try {
		const look = () => settled(session, service, props, () => operations.reads.now(id));
		const record = await service.presence.judge(id, String(props.account ?? ""), look);
		const claim = identityFor(definition.source, props, service);
		const going = { claim, record, entry: props, what: `${definition.noun} ${definition.nameOf(record)}` };
		const staying = props.adopt === undefined ? configured.over?.(record) : adoptedStays(going);
		if (!isToBeRemoved(run, going, staying !== undefined)) return;
		if (staying !== undefined) return await letGo(run, going, staying);
		await configured.remove(run, id, props);
	} catch (error) {
		if (!isGone(error)) throw error;
	}
	operations.reads.wrote(id);
}

/** Whether delete removes it. The old object of a replacement stays if this run has taken it over. */
function isToBeRemoved<R extends Referenced>({ session, memory }: Run<R>, going: Claimed, stays: boolean): boolean {
	const { claim, record, entry, what } = going;
	// A service without references can't show that it was taken over: there, a replacement is a different object.
	const current = claim.kept ? undefined : memory.idOf(String(entry.token));
	if (current !== undefined && current !== record.id) return true;
	const isDeclared = [memory.holderOf(record.id), String(entry.token)].some(
		(token) => token !== undefined && memory.declares(token),
	);
	// What stays on the account does so whoever has claimed it.
	if (!isDeclared && stays) return true;
	if (!isDeclared) return mayRemove(session, going);
	session.progress.warn(
		String(entry.resourceUrn ?? ""),
		"kept",
		`Kept ${what}: this program still declares it. It is taken over, not removed.`,
	);
	return false;
}

/** An adopted object existed before this program. */
const adoptedStays = ({ what }: Claimed): string =>
	`Kept ${what} on the account, because \`adopt\` took it over. If nobody needs it any more, delete it in the service's dashboard.`;

/** What `destroy` does with an object that stays. */
async function letGo<R extends Referenced>(
	{ session, memory, operations }: Run<R>,
	{ claim, record, entry }: Claimed,
	staying: string,
): Promise<void> {
	const { reads, patch } = operations;
	if (record.reference && ownership(claim, record, entry) === "ours")
		await clearReference(reads, record.id, () => patch(record.id, () => ({ reference: null })));
	reads.wrote(record.id);
	memory.forget(record.id);
	session.progress.warn(String(entry.resourceUrn ?? ""), "kept", staying);
}

// ---- In the drift report --------------------------------------------------------------------------------------------

interface Lost {
	readonly consequence: string;
	readonly way: string;
}

/** How to put back a lost object: no new one can be created while `adopt` names it. */
export const lostUnlessAdopted =
	(lost: Lost) =>
	({ adopt }: Values): Lost =>
		adopt === undefined
			? lost
			: {
					consequence: `${lost.consequence}, once you remove \`adopt\`, which names the lost one`,
					way: `remove \`adopt\` from the program, then ${lost.way}`,
				};
