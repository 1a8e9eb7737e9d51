/** The trial of trunks and webhooks, which cost nothing: each is created, read, changed, and deleted at the end. */
import { randomBytes } from "node:crypto";
import { isObject, type Json, pickBy } from "../../provider/api/json";
import { UsageError } from "../report/usage";
import { type Attempt, isShown } from "./attempt";
import { changeFinding, longReference, longReferenceFinding } from "./changing";
import type { Checkup } from "./checkup";
import { type Exchange, isBusy, isMalformed, isOk, isUnclear } from "./exchange";
import { about, type Finding } from "./finding";
import { type Kind, kinds } from "./kinds";
import { aboutProbe } from "./probes";
import { findAll } from "./removal";
import { type Print, type Trial, textOf, toError, withRemoval } from "./trial";

interface ObjectTrial {
	readonly kind: typeof kinds.trunk | typeof kinds.webhook;
	readonly create: "createTrunk" | "createWebhook";
	readonly change: "changeTrunk" | "changeWebhook";
	/** Bodies to try in turn, with and without a reference, while the service refuses them. @param mark is in no other object */
	readonly bodies: (mark: string) => readonly Json[];
	readonly changed: (mark: string) => Json;
}

const addresses = { mode: "ip_acl", allowed_cidrs: ["192.0.2.1/32"] } as const;
const digest = (mark: string) => ({ mode: "digest", username: mark.slice(-20), password: `Pw-${mark}` });

const trials = {
	trunk: {
		kind: kinds.trunk,
		create: "createTrunk",
		change: "changeTrunk",
		bodies: (name) => [addresses, digest(name)].map((auth) => ({ name, auth, capacity: 1 })),
		changed: () => ({ capacity: 2 }),
	},
	webhook: {
		kind: kinds.webhook,
		create: "createWebhook",
		change: "changeWebhook",
		bodies: (mark) =>
			["*", "number.activated"].map((event) => ({
				url: `https://example.com/${mark}`,
				enabled: true,
				events: [event],
			})),
		changed: (mark) => ({ url: `https://example.com/${mark}/changed` }),
	},
} as const satisfies Record<string, ObjectTrial>;

/** @throws UsageError, which names what couldn't be deleted */
export const writeAndDelete = (checkup: Checkup, print: Print): Promise<void> =>
	withRemoval(checkup, print, tryObjects);

export async function tryObjects(trial: Trial): Promise<void> {
	for (const objects of [trials.trunk, trials.webhook]) if (!trial.isInterrupted()) await tryObject(trial, objects);
}

async function tryObject(trial: Trial, { kind, create, change, bodies, changed }: ObjectTrial): Promise<void> {
	const { checkup, isInterrupted } = trial;
	const { dialect, allows } = checkup.known;
	// The list finds the object if the response to its creation is lost.
	const isListed = checkup.exchanges.some((exchange) => exchange.name === kind.list && isOk(exchange));
	if (!isListed || ![create, kind.list, kind.remove].every((name) => allows(name))) return;
	const mark = `telephony-check-${randomBytes(4).toString("hex")}`;
	const has = (field: string) => !dialect.lacks(kind.noun, field);
	const variants = bodies(mark)
		.flatMap((body) => [{ ...body, reference: longReference }, body])
		.map((body) => pickBy(body, (_, key) => has(key)));
	const { id, first, last } = await createObject(trial, { kind, create, variants, mark });
	const isChanged = id !== undefined && !isInterrupted() && checkup.known.allows(kind.change);
	const attempt = isChanged ? await checkup.change(kind, id, changed(mark), change) : undefined;
	if (first === undefined || last === undefined) return;
	checkup.add(...createdFindings(checkup, { kind, create, first, last, attempt }));
	if (attempt !== undefined) checkup.add(changedFinding(checkup, kind, change, attempt));
}

// ---- Findings ---------------------------------------------------------------------------------------------------------

interface Created extends Pick<ObjectTrial, "kind" | "create"> {
	/** The first request had everything. */
	readonly first: Exchange;
	readonly last: Exchange;
	/** The change after it. */
	readonly attempt: Attempt | undefined;
}

function createdFindings(checkup: Checkup, { kind, create, first, last, attempt }: Created): Finding[] {
	const { isAccepted, dialect, offers, refusalText } = checkup.known;
	const { noun } = kind;
	const finding = aboutProbe(create, "as sent");
	if (!isAccepted(last))
		return [finding.decide(refusalText(first), `describe ${noun}s: operations.${create}, records.${noun}`)];
	const findings = [finding.holds(last.doing)];
	const { json } = dialect.responseIn(create, last.json);
	const record = isObject(json) ? json : undefined;
	const hasSecret = noun === "webhook" && !dialect.lacks(noun, "secret") && offers("webhooks") !== false;
	if (hasSecret && record !== undefined) findings.push(secretFinding(record));
	if (!dialect.lacks(noun, "reference")) {
		const isSent = isObject(last.body) && "reference" in last.body;
		const kept = record !== undefined && "reference" in record ? record : attempt?.record;
		findings.push(longReferenceFinding(noun, isSent ? undefined : refusalText(first), kept));
	}
	return findings;
}

function secretFinding(record: Json): Finding {
	const finding = about("webhook: secret", "shown once", { record: "webhook" });
	if (record.secret !== undefined && record.secret !== null) return finding.holds();
	const hint = "or set records.webhook.secret to its place; without it, deliveries aren't signed";
	return finding.state("not shown", { records: { webhook: { secret: false } } }, hint);
}

function changedFinding(checkup: Checkup, kind: Kind, probe: ObjectTrial["change"], attempt: Attempt): Finding {
	const { failed, record, body } = attempt;
	if (failed !== undefined || isShown(record, body)) return changeFinding(checkup, kind, probe, attempt);
	const seen = record === undefined ? "no response shows it" : "accepted, but not shown";
	const hint = `set operations.${kind.change} and the places of records.${kind.noun}`;
	return aboutProbe(probe, "PATCH").decide(seen, hint);
}

// ---- Creation ---------------------------------------------------------------------------------------------------------

interface Creation extends Pick<ObjectTrial, "kind" | "create"> {
	readonly variants: readonly Json[];
	readonly mark: string;
}

interface Sent {
	readonly id?: string | undefined;
	/** The first and the last request that the service didn't refuse for its rate. */
	readonly first?: Exchange | undefined;
	readonly last?: Exchange | undefined;
}

/** Creates the object and notes it. @throws UsageError, which names it, if it may exist and isn't found */
async function createObject(trial: Trial, { kind, create, variants, mark }: Creation): Promise<Sent> {
	const { checkup, made, print, isInterrupted } = trial;
	let first: Exchange | undefined;
	let last: Exchange | undefined;
	for (const body of variants) {
		if (isInterrupted()) break;
		const sent = await checkup.ask(create, { probe: create, body }).catch(toError);
		const id = await findCreated(trial, { kind, mark }, sent);
		if (id !== undefined) {
			const name = `the ${kind.noun} ${mark} (${id})`;
			made.push({ kind, id, name });
			print(`created ${name}`);
		}
		if (sent instanceof Error) throw sent;
		if (!isBusy(sent)) last = sent;
		first ??= last;
		if (!isMalformed(sent)) return { id, first, last };
	}
	return { first, last };
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
		if (!checkup.known.isAccepted(sent) && !isUnclear(sent.response.status)) return undefined;
		const { json } = checkup.known.dialect.responseIn(sent.name, sent.json);
		if (isOk(sent) && isObject(json) && json.id !== undefined && json.id !== null) return String(json.id);
	}
	let isComplete = false;
	for (const ms of listPauses) {
		await checkup.clock.sleep(ms);
		const all = await findAll(checkup, kind).catch(() => undefined);
		const found = all?.find((record) => JSON.stringify(record).includes(mark));
		if (found !== undefined) return String(found.id);
		isComplete = all !== undefined;
	}
	if (isComplete && !isLost && !isOk(sent)) return undefined;
	const reason = isLost ? textOf(sent) : `${sent.doing} returned HTTP ${sent.response.status} without an id`;
	throw new UsageError(
		"unconfirmed-write",
		`NOT DELETED: the ${kind.noun} ${mark} may have been created (${reason}), and the list doesn't show it. Delete it in the service's dashboard.`,
	);
}
