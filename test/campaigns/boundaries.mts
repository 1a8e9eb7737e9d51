/** The life of a program in phases, and where each can be cut: what kill-provider chooses from. */
import type { FaultRequest } from "./account.mts";
import type { Kind } from "./kinds.mts";
import { changeAll, firstProgram, newGenerations, numbersOf, type Program, removeSome } from "./program.mts";
import type { Random } from "./random.mts";

type Operation = FaultRequest["operation"];
type Call = "create" | "update" | "delete";

/** One part of a program's life: what it declares, how it is run, and where that can be cut. */
export interface Phase {
	readonly name: string;
	readonly program: Program;
	readonly replace?: readonly string[];
	readonly destroys?: true;
	readonly operations: readonly Operation[];
	readonly calls: readonly Call[];
}

const buying: Operation[] = ["buyNumber", "buyNumber", "patchNumber", "createTrunk", "createWebhook"];
const changing: Operation[] = ["patchNumber", "patchTrunk", "patchWebhook", "rotatePassword", "rotateSecret"];
const removing: Operation[] = ["releaseNumber", "releaseNumber", "deleteTrunk", "deleteWebhook"];
const withoutBody = new Set<Operation>(["releaseNumber", "deleteTrunk", "deleteWebhook"]);

export function* life(random: Random): Generator<Phase> {
	const size = { numbers: random.int(1, 5), trunks: random.int(0, 2), webhooks: random.int(0, 1) };
	let program = firstProgram(size, random);
	yield { name: "first up", program, operations: buying, calls: ["create"] };
	const later = ["change", "replace", "generation", "remove"].filter(() => random.chance(0.55));
	for (const name of later) {
		if (name === "change") {
			program = changeAll(program, random);
			yield { name, program, operations: changing, calls: ["update"] };
		} else if (name === "replace") {
			const replace = random.some(program.map((each) => each.name));
			yield {
				name,
				program,
				replace,
				operations: ["patchNumber", "patchTrunk", "patchWebhook"],
				calls: ["create", "delete"],
			};
		} else if (name === "generation" && numbersOf(program).length > 0) {
			program = newGenerations(program, random);
			yield { name, program, operations: ["buyNumber", "patchNumber", "releaseNumber"], calls: ["create", "delete"] };
		} else if (name === "remove") {
			program = removeSome(program, random);
			yield { name, program, operations: [...removing, "patchNumber"], calls: ["delete", "update"] };
		}
	}
	if (random.chance(0.6))
		yield { name: "destroy", program: [], destroys: true, operations: removing, calls: ["delete"] };
}

/** Where a process is killed, as rules for the emulator or as a count of answers. */
export interface Boundary {
	readonly rules: FaultRequest[];
	readonly answer?: { readonly call: Call; readonly nth: number };
	readonly name: string;
	/** What is on its way to the service arrives when the process is long gone. */
	readonly late: boolean;
}

const kindOf = (operation: string): Kind =>
	/Number/.test(operation) ? "number" : /Trunk|Password/.test(operation) ? "sipTrunk" : "webhook";

export function chooseBoundary(random: Random, phase: Phase, kinds: readonly Kind[], tellsLate: boolean): Boundary {
	// The first ones more often, as a run that goes on after a kill has less left to do.
	const within = (count: number) => random.int(1, random.int(1, Math.max(1, count)));
	const nth = (operation: Operation) => within(kinds.filter((kind) => kind === kindOf(operation)).length);
	const where = random.pick(["lost", "committed", "committed", "after", "after", "mid", "answer"] as const);
	if (where === "answer") {
		return {
			rules: [],
			answer: { call: random.pick(phase.calls), nth: within(kinds.length) },
			name: "after the answer",
			late: false,
		};
	}
	const operations = random
		.some(
			[...new Set(phase.operations)].filter((each) => kinds.includes(kindOf(each))),
			0.6,
		)
		.filter((each) => where !== "mid" || !withoutBody.has(each));
	// Without a key nobody can tell that a purchase of the dead is still on its way.
	const late = tellsLate && where === "committed" && !phase.destroys && random.chance(0.5);
	const rule = { kind: "hold", phase: where === "lost" || where === "committed" ? "before" : where } as const;
	const rules = operations
		// A late release of what is wanted again by then can't be told from one that is wanted.
		.filter((each) => !late || !withoutBody.has(each))
		.map(
			(operation): FaultRequest => ({
				...rule,
				operation,
				nth: nth(operation),
				...(where === "committed" ? { whenGone: "commit" } : {}),
			}),
		);
	const names = {
		lost: "before, lost",
		committed: late ? "before, committed late" : "before, committed",
		after: "after",
		mid: "mid",
	};
	return { rules, name: names[where], late };
}
