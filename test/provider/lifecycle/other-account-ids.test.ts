/** Another account whose small ids are this state's: each way in which its objects may look like this stack's. */
import { expect, test } from "vitest";
import { InitError } from "../../../provider/lifecycle/resource";
import { formatReference } from "../../../provider/ownership/reference";
import type { Values } from "../../../provider/properties/table";
import { dynamic, identity } from "../../helpers/claim-source";
import { allGone, aNumber, create, openProvider, type Provider } from "../../helpers/provider";
import type { ResourceState } from "../../helpers/runs";
import { type Row, useCarrier } from "../../helpers/scripted-carrier";

const otherStack = formatReference(identity({}, dynamic.replace("dev", "prod")), "theirs");

interface Saved extends ResourceState {
	declare(args?: Values): Values;
}

const operations: readonly ((run: Provider, resource: Saved) => Promise<unknown>)[] = [
	({ number }, { id, outs }) => number.read(id, outs),
	({ number }, { id, outs, declare }) => number.update(id, outs, declare({ label: "x" })),
	({ number }, { id, outs }) => number.delete(id, outs),
];

/** Returns the codes of all that a run may do with the numbers of a state. */
async function tried(open: () => Provider, state: readonly Saved[]) {
	const outcomes: unknown[] = [];
	const run = async (work: Promise<unknown>) =>
		outcomes.push(await work.then((result) => (result as Values | undefined)?.id ?? "done", codeOf));
	for (const operation of operations) {
		const together = open();
		await Promise.all(state.map((saved) => run(operation(together, saved))));
		// `--parallel 1` and `--target`: the run knows one object.
		for (const saved of state) await run(operation(open(), saved));
	}
	return outcomes;
}

const codeOf = (error: unknown) => {
	const cause = error instanceof InitError ? error.cause : error;
	return (cause as { messageCode?: string }).messageCode ?? cause;
};

const right = useCarrier("", () => ({ keys: "marked" }));
const wrong = useCarrier("");
const numbers = ["a", "b"];

/** Buys the numbers of the stack, then fills the other account with numbers of the same ids. */
async function fill(ours: (index: number) => object, theirs: (index: number) => object): Promise<Saved[]> {
	right.make.sell = (serial) => ({ id: `n${serial}`, ...ours(serial - 1) });
	const run = openProvider(right);
	const state: Saved[] = [];
	for (const name of numbers) {
		const declare = (args: Values = {}) => aNumber(args, name);
		state.push({ declare, ...(await create(run.number, declare({ waitForActive: false }))) });
	}
	wrong.rows.push(
		...state.map(({ id }, index): Row => ({ id, country: "NL", type: "mobile", status: "pending", ...theirs(index) })),
	);
	return state;
}
const e164 = (index: number) => `+3161234567${index}`;

test.each<[string, (index: number) => object, (index: number) => object]>([
	["that lost every reference", () => ({ status: "pending", reference: null }), () => ({ reference: null })],
	["that another stack claims", () => ({ status: "pending", reference: null }), () => ({ reference: otherStack })],
	["that another tool claims", () => ({ status: "pending", reference: null }), () => ({ reference: "order 4711" })],
	["that show no E.164", (index) => ({ number: e164(index) }), () => ({})],
	[
		"that show no E.164 and no reference",
		(index) => ({ number: e164(index), reference: null }),
		() => ({ reference: null }),
	],
	["with other E.164s", (index) => ({ number: e164(index) }), (index) => ({ number: e164(index + 5) })],
	[
		"made at another time",
		() => ({ created_at: "2026-01-01T00:00:00Z" }),
		() => ({ created_at: "2026-01-02T00:00:00Z" }),
	],
])("%s are left alone", async (_, ours, theirs) => {
	const state = await fill(ours, theirs);
	const before = structuredClone(wrong.rows);
	const outcomes = await tried(() => openProvider(wrong), state);
	expect(new Set(outcomes)).toEqual(new Set(["wrong-account"]));
	const run = openProvider(wrong);
	for (const { id, outs, declare } of state) await run.number.diff(id, outs, declare());
	expect(await create(run.number, aNumber({}, "third")).catch(codeOf)).toBe("wrong-account");
	await tried(() => openProvider(wrong, allGone), state);
	// `--replace` creates a resource that the state holds, on an account that the user has accepted by mistake.
	const accepted = openProvider(wrong, allGone);
	for (const { id, outs, declare } of state) await accepted.number.diff(id, outs, declare());
	await create(accepted.number, aNumber({ label: "replaced" }, numbers[0])).catch(codeOf);
	expect(wrong.rows.slice(0, before.length)).toEqual(before);
	const rightful = openProvider(right);
	for (const { id, outs } of state) expect((await rightful.number.read(id, outs)).id).toBe(id);
});
