/** The trial of trunks and webhooks, which cost nothing: each is created, read, changed, and deleted at the end. */
import { randomBytes } from "node:crypto";
import type { OperationName } from "../../provider/api/contract";
import { isObject, type Json } from "../../provider/api/json";
import { UsageError } from "../report/usage";
import { isMalformed } from "./changing";
import type { Checkup } from "./checkup";
import { type Exchange, isOk } from "./exchange";
import { type Kind, kinds } from "./kinds";
import { findAll } from "./removal";
import { longReference } from "./samples";
import type { Change, Step } from "./steps";
import { type Print, type Trial, textOf, toError, withRemoval } from "./trial";

interface ObjectTrial {
	readonly kind: Kind;
	/** The step of the list. */
	readonly list: Step;
	readonly create: OperationName & Step;
	readonly change: Change;
	/** Bodies to try in turn, if the service refuses the one before as malformed. @param mark a text that no other object has */
	readonly bodies: (mark: string) => readonly Json[];
	readonly changed: (mark: string) => Json;
}

const addresses = { mode: "ip_acl", allowed_cidrs: ["192.0.2.1/32"] } as const;
const digest = (mark: string) => ({ mode: "digest", username: mark.slice(-20), password: `Pw-${mark}` });
const reference = longReference;

const trials = {
	trunk: {
		kind: kinds.trunk,
		list: "trunks",
		create: "createTrunk",
		change: "changeTrunk",
		bodies: (name) => [
			{ name, auth: addresses, capacity: 1, reference },
			{ name, auth: addresses, capacity: 1 },
			{ name, auth: digest(name), capacity: 1, reference },
			{ name, auth: digest(name), capacity: 1 },
		],
		changed: () => ({ capacity: 2 }),
	},
	webhook: {
		kind: kinds.webhook,
		list: "webhooks",
		create: "createWebhook",
		change: "changeWebhook",
		bodies: (mark) =>
			[{ reference }, {}].flatMap((more) =>
				[["*"], ["number.activated"]].map((events) => ({
					url: `https://example.com/${mark}`,
					events,
					enabled: true,
					...more,
				})),
			),
		changed: (mark) => ({ url: `https://example.com/${mark}/changed` }),
	},
} as const satisfies Record<string, ObjectTrial>;

/** @throws UsageError, which names what couldn't be deleted */
export const writeAndDelete = (checkup: Checkup, print: Print): Promise<void> =>
	withRemoval(checkup, print, tryObjects);

export async function tryObjects(trial: Trial): Promise<void> {
	for (const each of [trials.trunk, trials.webhook]) if (!trial.isInterrupted()) await tryObject(trial, each);
}

async function tryObject(trial: Trial, { kind, list, create, change, bodies, changed }: ObjectTrial) {
	const { checkup, isInterrupted } = trial;
	const { dialect, allows, last } = checkup.known;
	// The list finds the object if the response to its creation is lost.
	const listed = last(list);
	const isListed = listed !== undefined && isOk(listed);
	if (!isListed || ![create, kind.list, kind.remove].every((name) => allows(name, kind.feature))) return;
	const mark = `telephony-check-${randomBytes(4).toString("hex")}`;
	const has = (field: string) => !dialect.lacks(kind.noun, field);
	const variants = bodies(mark).map((body) => Object.fromEntries(Object.entries(body).filter(([key]) => has(key))));
	const id = await createObject(trial, { kind, create, variants, mark });
	if (id === undefined || isInterrupted() || !checkup.known.allows(kind.change, kind.feature)) return;
	await checkup.change(change, id, changed(mark));
}

interface Creation {
	readonly kind: Kind;
	readonly create: OperationName & Step;
	readonly variants: readonly Json[];
	readonly mark: string;
}

/** Creates the object and notes it. @throws UsageError, which names it, if it may exist and isn't found */
async function createObject(trial: Trial, { kind, create, variants, mark }: Creation): Promise<string | undefined> {
	const { checkup, made, print, isInterrupted } = trial;
	for (const body of variants) {
		if (isInterrupted()) return undefined;
		const sent = await checkup.ask(create, create, { body }).catch(toError);
		const id = await findCreated(trial, { kind, mark }, sent);
		if (id !== undefined) {
			const name = `the ${kind.noun} ${mark} (${id})`;
			made.push({ kind, id, name });
			print(`created ${name}`);
		}
		if (sent instanceof Error) throw sent;
		if (!isMalformed(sent)) return id;
	}
	return undefined;
}

/** Pauses before reads of a list that may show an object late, ms. */
const listPauses = [0, 1_000, 3_000] as const;

/** Returns the id of the object: by the response, or by its mark in the list. @throws UsageError */
async function findCreated(
	{ checkup }: Trial,
	{ kind, mark }: Pick<Creation, "kind" | "mark">,
	sent: Exchange | Error,
): Promise<string | undefined> {
	const isLost = sent instanceof Error;
	if (!isLost) {
		if (!checkup.known.isAccepted(sent) && sent.answer.status < 500) return undefined;
		const { json } = checkup.known.dialect.responseIn(sent.name, sent.json);
		if (isOk(sent) && isObject(json) && json.id !== undefined && json.id !== null) return String(json.id);
	}
	let isComplete = false;
	for (const ms of listPauses) {
		await checkup.clock.sleep(ms);
		const all = await findAll(checkup, kind).catch(() => undefined);
		const found = all?.find((each) => JSON.stringify(each).includes(mark));
		if (found !== undefined) return String(found.id);
		isComplete = all !== undefined;
	}
	if (isComplete && !isLost && !isOk(sent)) return undefined;
	const reason = isLost ? textOf(sent) : `${sent.doing} returned HTTP ${sent.answer.status} without an id`;
	throw new UsageError(
		"unconfirmed-write",
		`NOT DELETED: the ${kind.noun} ${mark} may have been created (${reason}), and the list doesn't show it. Delete it in the service's dashboard.`,
	);
}
