/** The trial of trunks and webhooks, which cost nothing: each is created, read, changed, and deleted at the end. */
import { randomBytes } from "node:crypto";
import { type Json, pickBy } from "../../provider/api/json";
import { UsageError } from "../report/usage";
import { type Change, change, changeFinding, keptFinding, longReference } from "./changing";
import type { Checkup } from "./checkup";
import { type Exchange, isBusy, isOk, isUnclear, refusalOf, resultOf } from "./exchange";
import { about, type Finding } from "./finding";
import { idOf, type Kind, kinds } from "./kinds";
import { aboutProbe } from "./probes";
import { type Print, type Trial, textOf, toError, withRemoval } from "./trial";

interface ObjectTrial {
	readonly kind: Kind;
	readonly create: "createTrunk" | "createWebhook";
	readonly change: "changeTrunk" | "changeWebhook";
	/** @param mark is in no other object */
	readonly body: (mark: string) => Json;
	readonly changed: (mark: string) => Json;
}

const auth = { mode: "ip_acl", allowed_cidrs: ["192.0.2.1/32"] } as const;

const trials: readonly ObjectTrial[] = [
	{
		kind: kinds.trunk,
		create: "createTrunk",
		change: "changeTrunk",
		body: (name) => ({ name, auth, capacity: 1, reference: longReference }),
		changed: () => ({ capacity: 2 }),
	},
	{
		kind: kinds.webhook,
		create: "createWebhook",
		change: "changeWebhook",
		// The public description has only webhooks of SMS.
		body: (mark) => ({
			url: `https://example.com/${mark}`,
			enabled: true,
			events: ["message.received"],
			reference: longReference,
		}),
		changed: (mark) => ({ url: `https://example.com/${mark}/changed` }),
	},
];

/** @throws UsageError, which names what couldn't be deleted */
export const writeAndDelete = (checkup: Checkup, print: Print): Promise<void> =>
	withRemoval(checkup, print, tryObjects);

export async function tryObjects(trial: Trial): Promise<void> {
	for (const objects of trials) if (!trial.isInterrupted()) await tryObject(trial, objects);
}

async function tryObject(trial: Trial, { kind, create, body, changed, ...probes }: ObjectTrial): Promise<void> {
	const { checkup, isInterrupted } = trial;
	// The list finds the object if the response to its creation is lost.
	const isListed = checkup.exchanges.some((exchange) => exchange.name === kind.list && isOk(exchange));
	if (!isListed || ![create, kind.list, kind.remove].every((name) => checkup.allows(name))) return;
	const mark = `telephony-check-${randomBytes(4).toString("hex")}`;
	const sent = pickBy(body(mark), (_, field) => !checkup.service.lacks(kind.noun, field));
	const created = await createObject(trial, kind, create, { mark, body: sent });
	if (created === undefined) return;
	const { exchange, id } = created;
	const isChanged = id !== undefined && !isInterrupted() && checkup.allows(kind.change);
	const made = isChanged ? await change(checkup, kind, id, changed(mark), probes.change) : undefined;
	checkup.add(...createdFindings(checkup, { kind, create }, exchange, made));
	if (made !== undefined) checkup.add(changeFinding(checkup, kind, probes.change, made, changed(mark)));
}

// ---- Findings ---------------------------------------------------------------------------------------------------------

function createdFindings(
	checkup: Checkup,
	{ kind: { noun }, create }: Pick<ObjectTrial, "kind" | "create">,
	created: Exchange,
	changed: Change | undefined,
): Finding[] {
	const finding = aboutProbe(create, "as sent");
	if (!checkup.isAccepted(created)) {
		const hint = `describe ${noun}s: operations.${create}, records.${noun}. Set fields that it refuses to false, such as reference`;
		return [finding.decide(refusalOf(created), hint)];
	}
	const findings = [finding.holds(created.doing)];
	const [record] = checkup.records(created);
	if (noun === "webhook" && !checkup.service.lacks(noun, "secret") && record !== undefined)
		findings.push(secretFinding(record));
	if (!checkup.service.lacks(noun, "reference")) {
		const kept = record !== undefined && "reference" in record ? record : changed?.record;
		findings.push(keptFinding(about(`${noun}: reference`, "kept"), noun, undefined, kept));
	}
	return findings;
}

function secretFinding(record: Json): Finding {
	const finding = about("webhook: secret", "shown once");
	if (record.secret !== undefined && record.secret !== null) return finding.holds();
	const hint = "or set records.webhook.secret to its place; without it, deliveries aren't signed";
	return finding.state("not shown", { records: { webhook: { secret: false } } }, hint);
}

// ---- Creation ---------------------------------------------------------------------------------------------------------

interface Creation {
	readonly mark: string;
	readonly body: Json;
}

/**
 * Creates the object and notes it.
 * @returns undefined if the service refused it for its rate
 * @throws UsageError, which names it, if it may exist and isn't found
 */
async function createObject(
	{ checkup, made, print }: Trial,
	kind: Kind,
	create: ObjectTrial["create"],
	{ mark, body }: Creation,
): Promise<{ readonly exchange: Exchange; readonly id: string | undefined } | undefined> {
	const sent = await checkup.ask(create, { body }, create).catch(toError);
	const id = await findCreated(checkup, kind, mark, sent);
	if (id !== undefined) {
		const name = `the ${kind.noun} ${mark} (${id})`;
		made.push({ kind, id, name });
		print(`created ${name}`);
	}
	if (sent instanceof Error) throw sent;
	return isBusy(sent) ? undefined : { exchange: sent, id };
}

/** Pauses before reads of a list that may show an object late, ms. */
const listPauses = [0, 1_000, 3_000] as const;

/** Returns the id of the object: by the response, or by its mark in the list. @throws UsageError */
async function findCreated(
	checkup: Checkup,
	kind: Kind,
	mark: string,
	sent: Exchange | Error,
): Promise<string | undefined> {
	const isLost = sent instanceof Error;
	if (!isLost) {
		if (!checkup.isAccepted(sent) && !isUnclear(sent)) return undefined;
		const id = isOk(sent) ? idOf(checkup.records(sent)[0] ?? {}) : undefined;
		if (id !== undefined) return id;
	}
	const found = await findMarked(checkup, kind, mark);
	const id = idOf(found ?? {});
	if (id !== undefined) return id;
	if (found === null && !isLost && !isOk(sent)) return undefined;
	const reason = isLost ? textOf(sent) : `${resultOf(sent)} without an id`;
	throw new UsageError(
		"unconfirmed-write",
		`NOT DELETED: the ${kind.noun} ${mark} may have been created (${reason}), and the list doesn't show it. Delete it in the service's dashboard.`,
	);
}

/** Returns the object with the mark; null if a complete list doesn't show it, undefined if the list is incomplete. */
async function findMarked(checkup: Checkup, kind: Kind, mark: string): Promise<Json | null | undefined> {
	let found: Json | null | undefined;
	for (const ms of listPauses) {
		await checkup.clock.sleep(ms);
		const all = await checkup.findAll(kind);
		found = all && (all.find((record) => JSON.stringify(record).includes(mark)) ?? null);
		if (found) break;
	}
	return found;
}
