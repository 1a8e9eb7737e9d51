/** What histories are made of. */
import fc from "fast-check";
import type { FaultRequest } from "./account.mts";
import { argsOf, at, type Command, command } from "./commands.mts";
import type { Kind, Operation } from "./kinds.mts";
import { type Declared, nextGeneration } from "./program.mts";
import type { Crash } from "./stack.mts";
import type { Weather } from "./weather.mts";
import type { Model, World } from "./world.mts";

export const under = (faults: readonly FaultRequest[], readLagMs = 0, listLagMs = 0): Weather => ({
	faults,
	readLagMs,
	listLagMs,
});

export const always = Array.from({ length: 30 }, (_, nth) => nth + 1);

/** How a write may go wrong, for all tries of it. */
export const failing = (operation: Operation): fc.Arbitrary<readonly FaultRequest[]> =>
	fc.constantFrom<readonly FaultRequest[]>(
		[{ operation, nth: always, kind: "status", phase: "before", error: "forbidden" }],
		[{ operation, nth: always, kind: "status", phase: "after", error: "internal_error" }],
		[{ operation, nth: always, kind: "reset", phase: "after" }],
		[{ operation, nth: 1, kind: "status", phase: "before", error: "validation_failed" }],
		[{ operation, nth: 1, kind: "status", phase: "after", error: "bad_request" }],
		[
			// Carried out, the answer lost; the next try is refused.
			{ operation, nth: 1, kind: "html", phase: "after", status: 502 },
			{ operation, nth: 2, kind: "status", phase: "before", error: "forbidden" },
		],
	);

export const cutAfter = (operation: Operation): Crash => ({ operations: [operation], nth: 1, phase: "after" });

export const findIn = ({ program }: Model, name: string): Declared | undefined =>
	program.find((each) => each.name === name);

export const change = (model: Model, name: string, changed: (each: Declared) => Declared): void => {
	model.program = model.program.map((each) => (each.name === name ? changed(each) : each));
};

export const label = (model: Model, name: string, text: string | undefined): void =>
	change(model, name, (each) => {
		const { label: _, ...args } = each.args;
		return { ...each, args: text === undefined ? args : { ...args, label: text } };
	});

/** Asks for another number in its place. */
export function replaceOne(model: Model, world: World, name: string): void {
	world.changed();
	change(model, name, (each) => ({ ...each, args: nextGeneration(each.args) }));
}

/** A new one of the kind, or one that there is. */
export function one(
	model: Model,
	what: Kind,
	which: number,
	{ text = "a", country = "NL" }: { text?: string; country?: string } = {},
): string {
	const present = model.program.filter(({ kind }) => kind === what);
	if (model.program.length >= 7 && present.length > 0) return at(present, which).name;
	const name = `${what}${model.count++}`;
	model.program = [...model.program, { kind: what, name, args: argsOf(what, country, text, 1) }];
	return name;
}

export const story = (text: string, told: (model: Model, world: World) => Promise<void>): Command =>
	command(text, () => true, told);
