/** Taking over a number that is on the account already, instead of buying one. */
import type { NumberRecord } from "../api/contract";
import { isGone, TelephonyError } from "../api/errors";
import { canonicalE164 } from "./canonical";
import { parseReference, sameWho } from "./claim";
import { type CheckFailure, failure, unknownValue, type Values } from "./properties";
import type { Purchase } from "./purchase";
import { isOver, nameOf, statusOf } from "./record";

/** One spelling for what names the same number. */
export const canonicalAdopt = (text: string): string => canonicalE164(text) ?? text.trim();

/**
 * `adopt` is read by create only. What the program drops later stays in the state, as does the default that came with
 * it; another value would need another number. `olds` are the inputs of the last write, `inputs` are completed in place.
 */
export function settleAdopt(olds: Values, inputs: Values, criteria: readonly string[]): CheckFailure[] {
	const exists = olds.country !== undefined;
	const changed = [...criteria, "generation"].filter(
		(key) => inputs[key] !== unknownValue && (olds[key] ?? 0) !== (inputs[key] ?? 0),
	);
	const stays = exists && inputs.adopt === undefined && olds.adopt !== undefined && changed.length === 0;
	if (stays) inputs.adopt = olds.adopt;
	if (typeof inputs.adopt !== "string") return [];
	inputs.onDelete ??= "retain";
	if (!exists || stays || inputs.adopt === unknownValue) return [];
	if (typeof olds.adopt !== "string" || canonicalAdopt(olds.adopt) !== canonicalAdopt(inputs.adopt)) {
		return [
			failure(
				"adopt: it is read only when a resource is created, and this one has a number already: put the old value back or remove it; for another number declare another resource",
			),
		];
	}
	return changed.map((property) =>
		failure(
			`${property}: a change asks for another number, but \`adopt\` names the present one: remove \`adopt\` as well`,
		),
	);
}

/** @throws TelephonyError Invalid, Claimed: nothing was bought. */
export async function adopted(
	purchase: Purchase,
	wanted: string,
	live: readonly NumberRecord[],
): Promise<NumberRecord> {
	const record = await find(purchase, wanted, live);
	const problem = contradiction(purchase, record);
	if (problem !== undefined) throw new TelephonyError("Invalid", `adopt: ${nameOf(record)} ${problem} ${nothing}`);
	refuseClaimed(purchase, record, live);
	// At once, for what adopts it at the same time.
	purchase.session.memory.own(purchase.claim.token, record.id);
	return record;
}

const nothing = "Nothing was bought or changed.";

async function find({ service }: Purchase, wanted: string, live: readonly NumberRecord[]): Promise<NumberRecord> {
	const e164 = canonicalE164(wanted);
	const listed = live.find(
		({ id, number }) =>
			id === wanted.trim() || (e164 !== undefined && number != null && canonicalE164(number) === e164),
	);
	if (listed !== undefined) return listed;
	const hint =
		e164 !== undefined && live.length > 0 && live.every(({ number }) => number == null)
			? "This service's list shows no phone numbers: name the number's id."
			: "Name a number that the account has, by its id or in E.164, or remove `adopt` to buy one.";
	const unknown = new TelephonyError(
		"Invalid",
		`adopt: there is no number ${wanted} on the account; it is unknown, or has been released. ${hint} ${nothing}`,
	);
	if (e164 !== undefined) throw unknown;
	try {
		return await service.client.numbers.get(wanted.trim());
	} catch (error) {
		throw isGone(error) ? unknown : error;
	}
}

/** What the program asks for and the number isn't; what the service doesn't show can't contradict. */
function contradiction({ criteria }: Purchase, record: NumberRecord): string | undefined {
	if (isOver(record)) return `can't be taken over: its status is ${statusOf(record)}.`;
	const wrong = (["country", "type", "area"] as const).filter(
		(key) => criteria[key] !== undefined && record[key] !== undefined && record[key] !== criteria[key],
	);
	if (wrong.length === 0) return undefined;
	const is = wrong.map((key) => `its ${key} is ${JSON.stringify(record[key])}, not ${JSON.stringify(criteria[key])}`);
	return `is not what the program declares: ${is.join(", ")}. Declare the number as it is, or adopt another.`;
}

function refuseClaimed({ session, claim, urn }: Purchase, record: NumberRecord, live: readonly NumberRecord[]): void {
	const refuse = (why: string): never => {
		throw new TelephonyError("Claimed", `adopt: ${nameOf(record)} ${why} ${nothing}`);
	};
	const other = live.find((each) => {
		const reference = parseReference(each.reference);
		return each.id !== record.id && reference?.token === claim.token && sameWho(claim, reference);
	});
	if (other !== undefined) {
		refuse(
			`can't be taken over, as an earlier run bought ${nameOf(other)} for this resource: adopt that one, or release it in the service's dashboard first.`,
		);
	}
	const holder = session.memory.holderOf(record.id);
	// One that the program no longer declares lets it go: its delete finds it taken.
	if (holder !== undefined && holder !== claim.token && session.declared.has(holder))
		refuse("is another resource's of this program.");
	const reference = parseReference(record.reference);
	if (record.reference && (reference === undefined || !sameWho(claim, reference))) {
		refuse(
			'is claimed by another stack or program (its `reference`). To hand it over, set `onDelete: "retain"` there, run `pulumi up`, and remove it; if nobody manages it any more, clear its reference in the service\'s dashboard.',
		);
	}
	if (reference !== undefined && reference.token !== claim.token) {
		if (session.declared.has(reference.token)) refuse("is another resource's of this program.");
		session.progress.warn(
			urn,
			`Took ${nameOf(record)} over from another resource of ours. If a stack still holds that one, remove it there with \`pulumi state delete\`.`,
		);
	}
}
