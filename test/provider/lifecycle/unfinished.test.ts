/** A write that failed half-way: a refresh compares with what it left, and the next `up` with the program. */
import { describe, expect, test } from "vitest";
import type { FaultRequest } from "../../../emulator";
import type { Handler } from "../../../provider/lifecycle/resource";
import { openIn } from "../../../provider/properties/open";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import {
	aNumber,
	aTrunk,
	aWebhook,
	checked,
	create,
	declaration,
	initErrorOf,
	openProvider,
	type Provider,
} from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
type Name = "number" | "sipTrunk" | "webhook" | "activation";

/** As the engine refreshes: the inputs are those from before the write that failed. */
async function refreshed(run: Provider, name: Name, id: string, outs: Values, inputs: Values) {
	const { props = {} } = await run[name].read(id, outs);
	return { props, changes: (await run[name].diff(id, props, inputs)).changes };
}

async function halfWay(handler: Handler, id: string, outs: Values, news: Values, fault: FaultRequest): Promise<Values> {
	emulator.control.faults.set(fault);
	const { properties } = await initErrorOf(handler.update(id, outs, await checked(handler, news, outs)));
	emulator.control.faults.clear();
	return properties;
}

const cases: [string, Exclude<Name, "activation">, Values, Values, (id: string) => void, FaultRequest["operation"]][] =
	[
		["a number", "number", aNumber({ label: "a" }), aNumber({ label: "b" }), (id) => edit("Number", id), "patchNumber"],
		["a trunk", "sipTrunk", aTrunk({ label: "a" }), aTrunk({ label: "b" }), (id) => edit("Trunk", id), "patchTrunk"],
		[
			"a webhook",
			"webhook",
			aWebhook({ description: "a" }),
			aWebhook({ description: "b" }),
			(id) => emulator.control.patchWebhook(id, { events: ["*"] }),
			"patchWebhook",
		],
	];
const edit = (kind: "Number" | "Trunk", id: string) =>
	emulator.control[`patch${kind}`](id, { metadata: { somebody: "else" } });

describe.each(cases)("%s whose write failed", (_, name, before, after, somebody, operation) => {
	const given = (news: Values) => (name === "webhook" ? news : { ...news, metadata: { by: "us" } });

	test.each([
		["refused", { operation, kind: "status", status: 400, error: "bad_request" }],
		["lost on its way", { operation, kind: "reset", every: true }],
		["carried out, but not answered", { operation, kind: "reset", phase: "after", every: true }],
		["answered by a gateway", { operation, kind: "html", status: 502, phase: "after", every: true }],
	] satisfies [string, FaultRequest][])(
		"%s: a refresh shows what somebody else did, and nothing else",
		async (_, fault) => {
			const inputs = await checked(openProvider(emulator)[name], given(before));
			const { id, outs } = await create(openProvider(emulator)[name], given(before));
			const left = await halfWay(openProvider(emulator)[name], id, outs, given(after), fault);

			const run = openProvider(emulator);
			const clean = await refreshed(run, name, id, left, inputs);
			expect(clean.changes).toBe(false);
			expect(run.warnings).toEqual([]);
			expect(openIn(clean.props)).toMatchObject({ owed: {}, unseen: undefined, verdict: undefined });
			somebody(id);
			expect((await refreshed(openProvider(emulator), name, id, left, inputs)).changes).toBe(true);
		},
	);

	test("is written by the next up, whatever the program wants by then, with and without a refresh before", async () => {
		const lost: FaultRequest = { operation, kind: "reset", phase: "after", every: true };
		for (const [wanted, isRefreshed] of [
			[before, true],
			[after, true],
			[before, false],
		] as const) {
			emulator.control.reset();
			const { id, outs } = await create(openProvider(emulator)[name], given(before));
			const left = await halfWay(openProvider(emulator)[name], id, outs, given(after), lost);
			const run = openProvider(emulator);
			const olds = isRefreshed ? (await run[name].read(id, left)).props : left;
			// Not compared by the engine, as with its older way to refresh: the program's turn is the program's all the same.
			const news = await checked(run[name], given(wanted));
			const { changes } = await run[name].diff(id, olds ?? {}, news);
			// The engine updates what has errors of its initialisation.
			const done = changes || !isRefreshed ? (await run[name].update(id, olds ?? {}, news)).outs : olds;
			const key = name === "webhook" ? "description" : "label";
			const rows = Object.values(emulator.control.state()).flat() as Values[];
			expect(rows.find((row) => row?.id === id)?.[key]).toBe(wanted[key]);
			expect((await openProvider(emulator)[name].diff(id, done ?? {}, news)).changes).toBe(false);
		}
	});
});

test("an activation whose wait for other numbers timed out doesn't show its own edit backwards", async () => {
	const of = (...numberIds: string[]) => declaration("Activation", "fleet", { numberIds, timeout: 1 });
	emulator.control.kyc("manual");
	const { id: first } = await create(openProvider(emulator).number, aNumber({}, "first"));
	const waiting = aNumber({ country: "DE", waitForActive: false }, "second");
	const { id: second } = await create(openProvider(emulator).number, waiting);
	const { id, outs } = await create(openProvider(emulator).activation, of(first));
	const { activation } = openProvider(emulator);
	const { properties } = await initErrorOf(activation.update(id, outs, await checked(activation, of(first, second))));
	emulator.control.decide(second, "approve");
	const inputs = await checked(openProvider(emulator).activation, of(first));
	expect((await refreshed(openProvider(emulator), "activation", id, properties, inputs)).changes).toBe(false);
});
