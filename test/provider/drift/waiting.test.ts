/** What still waits for KYC: no difference for a refresh, an update for the next `up`, and a problem once it is refused. */
import { expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import {
	aNumber,
	aPool,
	checked,
	create,
	declaration,
	initErrorOf,
	openProvider,
	type Provider,
} from "../../helpers/provider";

const emulator = useEmulator({ kyc: "manual" });
const open = () => openProvider(emulator);
const german = { country: "DE", type: "geographic", area: "30" };
const first = () => emulator.control.state().numbers[0]?.id ?? "";

const waiting = {
	number: async () => aNumber({ ...german, label: "main", activationTimeoutSeconds: 5 }),
	numberPool: async () => aPool({ ...german, count: 2, label: "{index}", activationTimeoutSeconds: 5 }),
	activation: async () => {
		const { id } = await create(open().number, aNumber({ ...german, waitForActive: false }));
		return declaration("Activation", "fleet", { numberIds: [id], timeoutSeconds: 5 });
	},
} as const;
type Name = keyof typeof waiting;
const names = Object.keys(waiting) as Name[];

async function left(name: Name) {
	const declared = await waiting[name]();
	const inputs = await checked(open()[name], declared);
	const { id, properties } = await initErrorOf(open()[name].create(inputs));
	return { declared, inputs, id, properties };
}

/** As the engine refreshes: a read, and the comparison right after it. */
async function refreshed(run: Provider, name: Name, id: string, outs: Values, inputs: Values) {
	const { props = {}, awaited } = await run[name].read(id, outs);
	return { props, awaited, changes: (await run[name].diff(id, props, inputs)).changes };
}

test.each(names)("a %s that waits: no refresh shows it, each up goes on with it", async (name) => {
	const { declared, inputs, id, properties } = await left(name);
	const run = open();
	const { props, awaited, changes } = await refreshed(run, name, id, properties, inputs);
	expect({ changes, kind: awaited?.kind }).toEqual({ changes: false, kind: "waiting" });
	// One read is compared once: what comes after that is the program's.
	expect((await run[name].diff(id, props, inputs)).changes).toBe(true);
	// What was written, what was read, and what was read a moment ago in the same run.
	for (const outs of [properties, props]) {
		for (const next of [run, open()]) {
			const news = await checked(next[name], declared, inputs);
			expect((await next[name].diff(id, outs, news)).changes).toBe(true);
			expect((await next[name].diff(id, outs, news)).changes).toBe(true);
		}
	}
	expect(await refreshed(run, name, id, props, inputs)).toMatchObject({ changes: false });

	for (const number of emulator.control.state().numbers) emulator.control.decide(number.id, "approve");
	const done = await refreshed(open(), name, id, props, inputs);
	expect({ changes: done.changes, awaited: done.awaited }).toEqual({ changes: false, awaited: undefined });
	const { outs } = await open()[name].update(id, props, inputs);
	expect((await open()[name].diff(id, outs, inputs)).changes).toBe(false);
});

test.each(names)("a %s that waits for a number whose KYC is refused differs, also for a refresh", async (name) => {
	const { inputs, id, properties } = await left(name);
	emulator.control.decide(first(), "reject", [{ code: "blurred", message: "Send a sharper copy." }]);
	const { changes, awaited } = await refreshed(open(), name, id, properties, inputs);
	expect({ changes, awaited }).toEqual({ changes: true, awaited: undefined });
});

test.each(["number", "numberPool"] as const)("what differs beside the wait of a %s shows", async (name) => {
	const { inputs, id, properties } = await left(name);
	emulator.control.patchNumber(first(), { label: "by hand" });
	const { changes, awaited } = await refreshed(open(), name, id, properties, inputs);
	expect({ changes, kind: awaited?.kind }).toEqual({ changes: true, kind: "waiting" });
});

test("nothing waits for a number that is only looked up", async () => {
	const { id } = await create(open().number, aNumber({ ...german, waitForActive: false }));
	expect((await open().number.read(id, {})).awaited).toBeUndefined();
});

test("a refused KYC stays in an activation's outputs only while it is refused", async () => {
	const { inputs, id, properties } = await left("activation");
	emulator.control.decide(first(), "reject", [{ code: "blurred", message: "Send a sharper copy." }]);
	const { props } = await refreshed(open(), "activation", id, properties, inputs);
	expect(props.refused).toEqual({ [first()]: "KYC rejected: Send a sharper copy. (blurred)" });
	emulator.control.decide(first(), "approve");
	expect((await refreshed(open(), "activation", id, props, inputs)).props.refused).toBeUndefined();
});
