/** Objects of an account that no given stack holds, with claim, price, age and steps. */
import { idsUsedBy, kinds, type Money, usedKinds } from "../../provider/api/contract";
import { statusOf } from "../../provider/api/record";
import { ownerName, parseUrn } from "../../provider/ownership/claim";
import { isRetained, parseReference, shortStackName, stackNameOf } from "../../provider/ownership/reference";
import { type Account, labelOf, nounOf, type Owned, reread } from "../account/account";
import { type Holding, holdingFinder, type Unfinished, waitForRun } from "../account/holdings";
import type { Held, StacksReport } from "../account/stacks";
import { sumOf } from "../report/model";

/** The claim that the object's `reference` shows. */
export type Claim =
	/** Its stack has retained it: any stack may adopt it. */
	| "retained"
	/** The reference is empty: nothing has claimed it. */
	| "unclaimed"
	/** The reference names a resource of a given stack, which holds another object. */
	| "superseded"
	/** The reference names a given stack, whose run hasn't ended or was killed: it may be making the object. */
	| "unfinished run"
	/** The reference names a declaration that no given stack has. */
	| "another declaration"
	/** The service doesn't show the reference, or the object can't be read. */
	| "unknown";

/** An object in `--json`. */
export interface Orphan {
	readonly type: Owned["type"];
	readonly id: string;
	readonly e164?: string | undefined;
	/** Label of a number, name of a trunk or a profile, host of a webhook, numbers of a port order. */
	readonly label?: string | undefined;
	readonly country?: string | undefined;
	readonly status?: string | undefined;
	/** RFC 3339. */
	readonly createdAt?: string | undefined;
	readonly ageDays?: number | undefined;
	/** Absent if it costs nothing or the price is unknown. */
	readonly monthly?: Money | undefined;
	readonly claim: Claim;
	/** The claiming resource or stack, such as `main in stack prod`. */
	readonly owner?: string | undefined;
	/** Possible next actions, as sentences. */
	readonly steps: readonly string[];
}

/** The JSON of `--json`. */
export interface OrphansReport extends StacksReport {
	/** Number of objects on the account; port orders that have ended don't count. */
	readonly total: number;
	readonly orphaned: number;
	/** Price of all orphans, by currency. */
	readonly monthly: readonly Money[];
	readonly orphans: readonly Orphan[];
}

const dayMs = 86_400_000;

export async function orphansOf(
	account: Account,
	{ holdings, unfinished }: Pick<Held, "holdings" | "unfinished">,
): Promise<Pick<OrphansReport, "total" | "orphaned" | "monthly" | "orphans">> {
	const { objects, unreadable, serviceTime } = account;
	const holdingOf = holdingFinder(holdings);
	const used = usedObjects(objects);
	// A number needs its trunk and its profile, which a program may name by their ids alone.
	const isFree = (owned: Owned): boolean =>
		holdingOf(owned) === undefined && !used.has(`${nounOf(owned.type)} ${owned.record.id}`);
	const findClaimant = claimantFinder(objects, holdings);
	const free = await reread(account, objects.filter(isFree));
	const unread = unreadable
		.filter((object) => holdingOf(object) === undefined)
		.map(({ type, id = "without id" }): Orphan => {
			const steps = stepsFor({ type, record: { id } } as Owned, "unknown", { isReadable: false });
			return { type, id, claim: "unknown", steps };
		});
	const orphans = [
		...free.map((owned) => {
			const { reference } = owned.record;
			const run = unfinished.find(({ urn }) => isClaimOf(urn, reference));
			return orphanOf(owned, { claimant: findClaimant(reference), run }, serviceTime);
		}),
		...unread,
	].sort(byCost);
	return {
		total: objects.length + unreadable.length,
		orphaned: orphans.length,
		monthly: sumOf(orphans.map(({ monthly }) => monthly)).amounts(),
		orphans,
	};
}

/** Returns the nouns and ids of the objects that numbers use. */
const usedObjects = (objects: readonly Owned[]): ReadonlySet<string> =>
	new Set(
		objects
			.filter(({ type }) => type === "Number")
			.flatMap(({ record }) =>
				usedKinds.flatMap((kind) => idsUsedBy(record, kind).map((id) => `${kinds[kind].noun} ${id}`)),
			),
	);

/**
 * Returns a function that finds the resource which a reference names. Two backends may have stacks of one name, whose
 * references differ in their owner.
 */
function claimantFinder(
	objects: readonly Owned[],
	holdings: readonly Holding[],
): (reference: string | null | undefined) => Holding | undefined {
	const holdingOf = holdingFinder(holdings);
	const owners = new Map<Holding, string>();
	for (const owned of objects) {
		const holding = holdingOf(owned);
		const reference = parseReference(owned.record.reference);
		if (holding !== undefined && reference !== undefined) owners.set(holding, reference.owner);
	}
	const byToken = new Map<string, Holding>();
	for (const holding of holdings) if (holding.token !== undefined) byToken.set(holding.token, holding);
	return (text) => {
		const reference = parseReference(text);
		const claimant = byToken.get(reference?.token ?? "");
		const owner = claimant === undefined ? undefined : owners.get(claimant);
		return owner === undefined || owner === reference?.owner ? claimant : undefined;
	};
}

/** True if the reference names the stack of the URN. */
const isClaimOf = (urn: string, reference: string | null | undefined): boolean =>
	parseReference(reference)?.stackName === shortStackName(stackNameOf(parseUrn(urn)));

interface Claimants {
	readonly claimant: Holding | undefined;
	readonly run: Unfinished | undefined;
}

function orphanOf(owned: Owned, { claimant, run }: Claimants, serviceTime: number): Orphan {
	const { type, record } = owned;
	const { id, reference, created_at: createdAt } = record;
	const age = Math.floor((serviceTime - Date.parse(createdAt ?? "")) / dayMs);
	const claim = claimOf(reference, { claimant, run });
	const owner = claimant
		? `${claimant.name} in stack ${claimant.stack}, which holds ${claimant.id}`
		: reference && ownerName(reference);
	return {
		type,
		id,
		...factsOf(owned),
		createdAt: createdAt || undefined,
		ageDays: Number.isFinite(age) ? Math.max(0, age) : undefined,
		claim,
		owner: owner || undefined,
		steps: stepsFor(owned, claim, { run }),
	};
}

function claimOf(reference: string | null | undefined, { claimant, run }: Claimants): Claim {
	if (reference === undefined) return "unknown";
	if (reference === null || reference === "") return "unclaimed";
	if (isRetained(reference)) return "retained";
	if (run !== undefined) return "unfinished run";
	return claimant === undefined ? "another declaration" : "superseded";
}

function factsOf(owned: Owned): Partial<Orphan> {
	const { type, record } = owned;
	const country = typeof record.country === "string" ? record.country : undefined;
	const status = type === "Number" ? statusOf(record) : record.status;
	const monthly = type === "Number" ? record.price?.monthly : undefined;
	return {
		e164: (type === "Number" ? record.number : undefined) ?? undefined,
		label: labelOf(owned) || undefined,
		country: country || undefined,
		status: status || undefined,
		monthly: monthly && { amount: monthly.amount, currency: monthly.currency },
	};
}

const removals: Partial<Record<Owned["type"], string>> = { Number: "release", PortOrder: "cancel" };

interface StepFacts {
	readonly isReadable?: boolean;
	readonly run?: Unfinished | undefined;
}

function stepsFor({ type, record }: Owned, claim: Claim, { isReadable = true, run }: StepFacts): string[] {
	const { id, reference } = record;
	const isNumber = type === "Number";
	const adopt = `adopt it: declare it as it is, with \`adopt: "${id}"\``;
	const take = [adopt, `import it: \`pulumi import telephony:index:${type} NAME ${id}\``];
	const dashboard = `${removals[type] ?? "remove"} it in the service's dashboard`;
	const release = isNumber ? `release it: ${releaseCommand(id, reference)}` : dashboard;
	switch (claim) {
		case "retained":
			return [release, adopt];
		case "unfinished run":
			return run === undefined ? [] : [waitForRun(run)];
		case "unclaimed":
			return [...take, `${dashboard}, if nobody needs it`];
		case "superseded":
			return [`${release}. The resource has another ${nounOf(type)}; an interrupted run may have made this one`];
		case "another declaration":
			return [
				"name the stack that claims it with another --stack: it may be in use there",
				...(isNumber && parseReference(reference) !== undefined
					? [`if that stack no longer holds it, run ${releaseCommand(id, reference)} in its project`]
					: []),
			];
		case "unknown":
			return [
				"find out if another program or another stack needs it: the service doesn't show its reference, so its owner is unknown",
				...take,
				...(isReadable && isNumber
					? [`if nobody needs it, ${dashboard}: \`telephony release\` can't find its stack`]
					: []),
			];
	}
}

/** Returns the command that releases it for the stack that its reference names. */
function releaseCommand(id: string, reference: string | null | undefined): string {
	const stack = parseReference(reference)?.stackName.split("/").at(-1) ?? "";
	// A reference may have any text, and a user may paste the command into a shell.
	return `\`telephony release ${id} --stack ${/^[\w.-]+$/.test(stack) ? stack : "NAME"}\``;
}

/** Retained ones first, then the most expensive, then the oldest. */
const byCost = (a: Orphan, b: Orphan): number =>
	Number(b.claim === "retained") - Number(a.claim === "retained") ||
	Number(b.monthly?.amount ?? 0) - Number(a.monthly?.amount ?? 0) ||
	(b.ageDays ?? 0) - (a.ageDays ?? 0) ||
	(`${a.type} ${a.id}` < `${b.type} ${b.id}` ? -1 : 1);
