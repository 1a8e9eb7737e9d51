/** Objects of an account that no given stack holds: owner, price, age, and fixes. */
import type { Money } from "../provider/api/contract";
import { formatMoneys, Sum } from "../provider/api/money";
import { nameOf, statusOf } from "../provider/api/record";
import { type Identity, ownerName } from "../provider/ownership/claim";
import { isLeft, parseReference } from "../provider/ownership/reference";
import { type Account, labelOf, nounOf, type Owned } from "./account";
import { type Holding, holders } from "./held";
import { named, type StacksReport } from "./stacks";

/** By the object's `reference`. */
export type Whose =
	/** Its stack has left it: any stack may adopt it. */
	| "left"
	/** It is empty: nobody has claimed it. */
	| "nobody's"
	/** It names a resource of a given stack, which holds another object. */
	| "left behind"
	/** It names a declaration that no given stack has. */
	| "another declaration's"
	/** The service doesn't show it, or the object can't be read. */
	| "unknown";

/** An object in `--json`. */
export interface Orphan {
	readonly type: Owned["type"];
	readonly id: string;
	readonly e164?: string;
	/** The label of a number, the name of a trunk or a profile, the host of a webhook, the numbers of a port order. */
	readonly label?: string;
	readonly country?: string;
	readonly status?: string;
	/** RFC 3339. */
	readonly createdAt?: string;
	readonly ageDays?: number;
	/** Absent where it costs nothing, or the service doesn't say. */
	readonly monthly?: Money;
	readonly whose: Whose;
	/** Of a resource in a given stack: `main in stack prod`. */
	readonly of?: string;
	readonly ways: readonly string[];
}

/** The JSON of `--json`. */
export interface OrphansReport extends StacksReport {
	/** Objects of the account; port orders that have ended don't count. */
	readonly total: number;
	readonly orphaned: number;
	/** The price of all orphans, by currency. */
	readonly monthly: readonly Money[];
	readonly orphans: readonly Orphan[];
}

const dayMs = 86_400_000;

export async function orphansOf(
	{ objects, unreadable, now, again }: Account,
	held: readonly Holding[],
): Promise<Pick<OrphansReport, "total" | "orphaned" | "monthly" | "orphans">> {
	const holderOf = holders(held);
	const inUse = new Set(objects.map(({ type, record }) => (type === "Number" ? record.kyc?.profile_id : undefined)));
	// Whoever has the numbers needs their profile, and may name it by its id alone.
	const isFree = (owned: Owned): boolean =>
		holderOf(owned) === undefined && !(owned.type === "KycProfile" && inUse.has(owned.record.id));
	const owners = new Map(held.flatMap((holding) => (holding.token === undefined ? [] : [[holding.token, holding]])));
	const free = await again(objects.filter(isFree));
	const notRead = unreadable
		.filter((each) => holderOf(each) === undefined)
		.map(
			({ type, id = "without id" }): Orphan => ({
				type,
				id,
				whose: "unknown",
				ways: ways({ type, record: { id } } as Owned, "unknown"),
			}),
		);
	const orphans = [...free.map((each) => orphanOf(each, owners, now)), ...notRead].sort(byCost);
	const monthly = new Sum();
	for (const orphan of orphans) if (orphan.monthly !== undefined) monthly.add(orphan.monthly);
	return {
		total: objects.length + unreadable.length,
		orphaned: orphans.length,
		monthly: monthly.amounts(),
		orphans,
	};
}

function orphanOf(owned: Owned, owners: ReadonlyMap<Identity["token"], Holding>, now: number): Orphan {
	const { type, record } = owned;
	const { id, reference, created_at: createdAt } = record;
	const age = Math.floor((now - Date.parse(createdAt ?? "")) / dayMs);
	const owner = owners.get(parseReference(reference)?.token ?? "");
	const whose = whoseOf(reference, owner);
	return {
		type,
		id,
		...shown(owned),
		...(createdAt ? { createdAt } : {}),
		...(Number.isFinite(age) ? { ageDays: Math.max(0, age) } : {}),
		whose,
		...(owner !== undefined
			? { of: `${owner.name} in stack ${owner.stack}, which holds ${owner.id}` }
			: reference
				? { of: ownerName(reference) }
				: {}),
		ways: ways(owned, whose),
	};
}

function whoseOf(reference: string | null | undefined, owner: Holding | undefined): Whose {
	if (reference === undefined) return "unknown";
	if (reference === null || reference === "") return "nobody's";
	if (isLeft(reference)) return "left";
	return owner === undefined ? "another declaration's" : "left behind";
}

function shown(owned: Owned): Partial<Orphan> {
	const { type, record } = owned;
	const text = (key: "label" | "status" | "country", value: string | null | undefined) =>
		value ? { [key]: value } : {};
	const country = type === "SipTrunk" || type === "Webhook" ? undefined : record.country;
	const all = { ...text("label", labelOf(owned)), ...text("country", country) };
	if (type !== "Number") return { ...all, ...text("status", record.status) };
	const monthly = record.price?.monthly;
	return {
		...(record.number == null ? {} : { e164: record.number }),
		...all,
		status: statusOf(record),
		...(monthly ? { monthly: { amount: monthly.amount, currency: monthly.currency } } : {}),
	};
}

const ends: Partial<Record<Owned["type"], string>> = { Number: "release", PortOrder: "cancel" };

function ways({ type, record }: Owned, whose: Whose): string[] {
	const { id, reference } = record;
	const [noun, end] = [nounOf(type), ends[type] ?? "remove"];
	const take = [
		`adopt it: declare it as it is, with \`adopt: "${id}"\``,
		`import it: \`pulumi import telephony:index:${type} NAME ${id}\``,
	];
	const dashboard = `${end} it in the service's dashboard`;
	const release = type === "Number" ? releaseCommand(id, reference) : dashboard;
	switch (whose) {
		case "left":
			return [type === "Number" ? `release it: ${release}` : dashboard, ...take.slice(0, 1)];
		case "nobody's":
			return [...take, `${dashboard}, if nobody needs it`];
		case "left behind":
			return [
				`${type === "Number" ? `release it: ${release}` : dashboard}. The resource has another ${noun}; an interrupted run may have left this one behind`,
			];
		case "another declaration's":
			return [
				"name the stack that claims it with another --stack: it may be in use there",
				...(type === "Number" && parseReference(reference) !== undefined
					? [`if that stack no longer holds it: ${release}, in its project`]
					: []),
			];
		case "unknown":
			return [
				"find out whether another program or another stack needs it: the service doesn't show its reference, so its owner is unknown",
				...take,
			];
	}
}

/** The command that releases it for the stack that its reference names. */
function releaseCommand(id: string, reference: string | null | undefined): string {
	const { stackName: home = "" } = parseReference(reference) ?? {};
	return `\`telephony release ${id} --stack ${home.startsWith("#") || home === "" ? "NAME" : home.split("/").at(-1)}\``;
}

/** Left ones first, then the dearest, then the oldest. */
const byCost = (one: Orphan, other: Orphan): number =>
	Number(other.whose === "left") - Number(one.whose === "left") ||
	Number(other.monthly?.amount ?? 0) - Number(one.monthly?.amount ?? 0) ||
	(other.ageDays ?? 0) - (one.ageDays ?? 0) ||
	(`${one.type} ${one.id}` < `${other.type} ${other.id}` ? -1 : 1);

/** `+31201234567 (num_1)`, `office (trk_1)`. */
export const titleOf = ({ type, id, e164, label }: Orphan): string =>
	type === "Number" ? nameOf({ id, number: e164 ?? null }) : label === undefined ? id : `${label} (${id})`;

/** `orphans: 2 of 14 objects, 3.00 EUR a month; stacks dev, prod`. */
export function orphansHeadline({ orphaned, total, monthly, stacks }: OrphansReport): string {
	const price = monthly.length === 0 ? "" : `, ${formatMoneys(monthly)} a month`;
	return `orphans: ${orphaned} of ${total} ${total === 1 ? "object" : "objects"}${price}; ${named(stacks)}`;
}
