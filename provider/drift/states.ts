/** The table of states: the effect of each command on an object that isn't as wanted. docs/drift.md prints it. */
import type { Values } from "../properties/table";
import type { Condition } from "./condition";

interface Row {
	readonly preview: "no change" | "update";
	/** The operation that `pulumi refresh` shows. */
	readonly refresh: "no change" | "update" | "delete, and a warning";
	readonly up: string;
	/** The kind in a drift report. */
	readonly drift: "clean" | "waiting" | "problem" | "deleted";
}

export const states = {
	active: { preview: "no change", refresh: "no change", up: "nothing", drift: "clean" },
	waiting: { preview: "no change", refresh: "no change", up: "nothing", drift: "waiting" },
	"waiting, due": { preview: "update", refresh: "no change", up: "continues", drift: "waiting" },
	problem: { preview: "no change", refresh: "no change", up: "warns", drift: "problem" },
	"problem, due": {
		preview: "update",
		refresh: "update",
		up: "tries again, or fails with the reasons",
		drift: "problem",
	},
	ended: {
		preview: "no change",
		refresh: "delete, and a warning",
		up: "with `--refresh`, buys or creates another object",
		drift: "deleted",
	},
} as const satisfies Readonly<Record<string, Row>>;

export type State = keyof typeof states;

/** How a kind of object shows that it isn't as wanted. */
export interface Standing {
	/** The property that makes `pulumi up` wait for the object. Absent if `up` never waits. */
	readonly waitsIf?: string | undefined;
	readonly condition?: ((outputs: Values) => Condition | undefined) | undefined;
}

/** The state of an object that exists. `declared` are the inputs, which say whether the program waits. */
export function stateOf({ waitsIf, condition }: Standing, outputs: Values, declared: Values): State {
	const found = condition?.(outputs);
	if (found === undefined) return "active";
	const isWaitedFor = waitsIf !== undefined && declared[waitsIf] === true;
	return (found.isDue ?? isWaitedFor) ? `${found.kind}, due` : found.kind;
}
