/** Faults by which a number would be lost, or left behind. */
import type { Mutant } from "./mutant.mts";

export const releasing: readonly Mutant[] = [
	{
		name: "unasked replacement releases",
		search: 'return successor.isAsked ? "release" : "unasked";',
		replace: 'return "release";',
		hunt: "reasons with replacements",
	},
	{
		name: "rename releases",
		search: "throw refusal(verdict, refusedOf(going, others));",
		replace: "break;",
		hunt: "reasons",
	},
	{
		name: "young number forgotten by delete",
		search: "await assertNotJustBought(session, service, { id, props }, error);\n		return undefined;",
		replace: "return undefined;",
		hunt: "lives",
	},
	{
		name: "onDelete: retain releases",
		search: 'isRetained: props.onDelete === "retain",',
		replace: 'isRetained: props.onDelete === "keep",',
		hunt: "lives",
	},
	{
		name: "replacement releases what this run took over",
		search: 'if (facts.declared === "it") return "kept";',
		replace: "",
		hunt: "lives",
	},
	{
		name: "delete forgets what it could not release",
		search: "if (!isGone(error)) throw notReleased(error, going.what);",
		replace: "",
		hunt: "lives",
	},
	{
		name: "number not saved where its configuration fails",
		search: "throw new InitError(start.id, saved",
		replace: "throw error;\n\t\tthrow new InitError(start.id, saved",
		hunt: "lives",
	},
];
