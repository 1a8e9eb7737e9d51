/** Faults by which a number would be bought twice, or somebody else's taken. */
import type { Mutant } from "./mutant.mts";

export const buying: readonly Mutant[] = [
	{
		name: "key not hashed with the criteria",
		search: "hash(43, token, stateOf(who), counter)",
		replace: "hash(43, declarationOf({ token }), stateOf(who), counter)",
		hunt: "lives",
	},
	{
		name: "key new each time",
		search: "token, stateOf(who), counter)",
		replace: "token, stateOf(who), counter, freshLease())",
		hunt: "lives",
	},
	{
		name: "young replay goes to the next key",
		search: "if (isOld && isGone(error)) return { record: undefined };",
		replace: "return { record: undefined };",
		hunt: "lives",
	},
	{
		name: "replay of what is gone taken",
		search: "(await isReleased(service, id))) return { record: undefined };",
		replace: "(await isReleased(service, id))) return { record: { id, created_at } as NumberRecord };",
		hunt: "lives",
	},
	{
		name: "replay of somebody else's number taken",
		search: 'case "another attempt\'s":\n			return record;',
		replace: 'case "another attempt\'s":\n		case "somebody else\'s":\n			return record;',
		hunt: "lives",
	},
	{
		name: "replay taken for a purchase",
		search: 'if (replayed || isListed(record.id)) return { is: "repeated", record };',
		replace: 'return { is: "sold", record, isOlder: false };',
		hunt: "lives",
	},
	{
		name: "old name refused, as its number has a new one",
		search: "if (reference !== undefined && sameWho(claim, reference)) return undefined;",
		replace: "",
		hunt: "lives",
	},
	{
		name: "refusal under a key is final",
		search: 'if (error.replayed) return { is: "spent" };',
		replace: "",
		hunt: "lives",
	},
	{
		name: "claim not looked for by create",
		search: 'isReferenced(purchase, live) ? findOurs(claim, live, "number", nameOf) : await seenHere(purchase)',
		replace: "await seenHere(purchase)",
		hunt: "lives",
	},
	{
		name: "trunk's key without its place",
		search: 'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, urn.name, by ?? "");',
		replace: 'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents, kind, by ?? "");',
		hunt: "lives",
	},
	{
		name: "POST repeated without a key",
		search: 'if (operation.method !== "POST") return true;',
		replace: "return true;",
		hunt: "lives without keys",
	},
	{
		name: "no second look without keys",
		search: "before = await secondLook(purchase, live);",
		replace: "before = [...live];",
		hunt: "lives without keys",
	},
];
