/** Faults in the two rules: no release without a reason that is written down, nothing done at an account without proof. */
import type { Mutant } from "./mutant.mts";

export const reasoning: readonly Mutant[] = [
	{
		name: "marks not written",
		search: "bonds: await bondsOfPurchase(purchase, acquired.record, account)",
		replace: 'bonds: { account, beside: "" }',
		hunt: "reasons",
	},
	{
		name: "marks dropped by the next write",
		search: "beside: marksSaid(said, text(beside)),",
		replace: 'beside: "",',
		hunt: "reasons",
	},
	{
		name: "what is remembered is released",
		search: 'if (remembered.some(({ isAllowed, isLeaving }) => !isAllowed && !isLeaving)) return "remembered";',
		replace: "",
		hunt: "reasons",
	},
	{
		name: "marks never fit",
		search: "marks === everyMark ? isOlderLike : marksIn(marks).includes(markOf(number));",
		replace: "marks === all && isOlderLike;",
		hunt: "reasons",
	},
	{
		name: "what remembers always leaves",
		search: "isLeaving: memory.going.has(other.id),",
		replace: "isLeaving: true,",
		hunt: "reasons",
	},
	{
		name: "marks of the predecessor forgotten",
		search: "const beside = claim.kept ? marksOf(marks, own) : exactMarks(marks);",
		replace: "const beside = claim.kept ? marksOf(marks) : exactMarks(marks);",
		hunt: "reasons with replacements",
	},
	{
		name: "any number of the account is proof",
		search: "for (const account of provenBy(each, { older, made: this.#made })) this.#proven.add(account);",
		replace: 'for (const account of each.id === "" ? [] : older.values()) this.#proven.add(account);',
		hunt: "reasons",
	},
	{
		name: "bought on any account",
		search: "if (strange !== undefined) throw strangeAccount(strange[1]);",
		replace: "",
		hunt: "reasons",
	},
	{
		name: "forgotten on any account",
		search: "if (!this.#isProven(account)) throw wrongAccount(id, error);",
		replace: "",
		hunt: "reasons",
	},
];
