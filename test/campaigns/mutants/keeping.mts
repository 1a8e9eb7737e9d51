/** Faults by which the emulator would forget what it has answered. */
import type { Mutant } from "./mutant.mts";

export const keeping: readonly Mutant[] = [
	{
		name: "emulator answers before its log is on disk",
		part: "emulator",
		search: "await service.committed().then(",
		replace: "await Promise.resolve().then(",
		hunt: "killed emulator",
	},
	{
		name: "emulator keeps no answers for keys",
		part: "emulator",
		search: "if (!isKept(reply)) return;",
		replace: "return;",
		hunt: "killed emulator",
	},
	{
		name: "emulator leaves out a torn change without a word",
		part: "emulator",
		search: "if (tail.length === 0) return undefined;",
		replace: "if (tail.length >= 0) return undefined;",
		hunt: "killed emulator",
	},
	{
		name: "emulator doesn't note what was deleted",
		part: "emulator",
		search: "if (this.#values.delete(key)) this.watcher?.wrote(key);",
		replace: "this.#values.delete(key);",
		hunt: "killed emulator",
	},
	{
		name: "emulator keeps no ledger",
		part: "emulator",
		search: "	ledger: ledger.table,\n",
		replace: "",
		hunt: "killed emulator",
	},
];
