/** Faults by which a number would be lost, or left behind. */
import type { Mutant } from "./mutant.mts";

export const releasing: readonly Mutant[] = [
	{
		name: "unasked replacement releases",
		search: "	if (isAsked) return;",
		replace: "	if (isAsked || !isAsked) return;",
		hunt: "lives",
	},
	{
		name: "rename releases",
		search: "	if (bought === undefined) return;",
		replace: "	if (bought === undefined || bought) return;",
		hunt: "lives",
	},
	{
		name: "young number forgotten by delete",
		search: "await refuseYoung(session, service, { id, props }, error);\n		return;",
		replace: "return;",
		hunt: "lives",
	},
	{
		name: "onDelete: retain releases",
		search: 'if (props.onDelete === "retain") {',
		replace: 'if (props.onDelete === "keep") {',
		hunt: "lives",
	},
	{
		name: "replacement releases what this run took over",
		search: 'if (typeof taker === "string") {',
		replace: 'if (typeof taker === "number") {',
		hunt: "lives",
	},
	{
		name: "delete forgets what it could not release",
		search: "if (!isGone(error)) throw notReleased(error, what);",
		replace: "",
		hunt: "lives",
	},
	{
		name: "number not saved where its configuration fails",
		search: "throw new InitError(\n				id,\n				{ ...outs()",
		replace: "throw error;\n			throw new InitError(\n				id,\n				{ ...outs()",
		hunt: "lives",
	},
];
