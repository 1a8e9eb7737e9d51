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
		search: 'if (verdict !== "release") throw refusal(verdict, refused);',
		replace: "void refused;",
		hunt: "reasons",
	},
	{
		name: "young number forgotten by delete",
		search: "await refuseYoung(session, service, { id, props }, error);\n		return undefined;",
		replace: "return undefined;",
		hunt: "lives",
	},
	{
		name: "onDelete: retain releases",
		search: 'if (props.onDelete === "retain") return',
		replace: 'if (props.onDelete === "keep") return',
		hunt: "lives",
	},
	{
		name: "replacement releases what this run took over",
		search: 'if (typeof taker !== "string") return false;',
		replace: 'if (typeof taker === "string" || taker === undefined) return false;',
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
		search: "throw new InitError(id, saved",
		replace: "throw error;\n\t\tthrow new InitError(id, saved",
		hunt: "lives",
	},
];
