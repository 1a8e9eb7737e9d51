/** The table of states: what a refresh and the next run show of an object that isn't active. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, aPool, checked, create, declaration, initErrorOf, openProvider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "manual" });
const open = () => openProvider(emulator);
const german = { country: "DE", type: "geographic", area: "30" };
const idle = () => create(open().number, aNumber({ ...german, waitForActive: false }));
const first = () => emulator.live()[0]?.id ?? "";

const waiting = {
	number: async () => aNumber({ ...german, label: "main", activationTimeoutSeconds: 5 }),
	numberPool: async () => aPool({ ...german, count: 2, label: "{index}", activationTimeoutSeconds: 5 }),
	activation: async () => declaration("Activation", "fleet", { numberIds: [(await idle()).id], timeoutSeconds: 5 }),
} as const;
type Name = keyof typeof waiting;

async function interrupt(name: Name) {
	const news = await waiting[name]();
	const inputs = await checked(open()[name], news);
	const { id, properties } = await initErrorOf(open()[name].create(inputs));
	/** A read, and the comparison right after it, as the engine refreshes. */
	const refresh = async (outs: Values, run = open()) => {
		const { props = {} } = await run[name].read(id, outs);
		return { props, changes: (await run[name].diff(id, props, inputs)).changes };
	};
	const differs = async (outs: Values, run = open()) =>
		(await run[name].diff(id, outs, await checked(run[name], news, inputs))).changes;
	const update = async (outs: Values) => (await open()[name].update(id, outs, inputs)).outs;
	return { id, properties, refresh, differs, update };
}
const blurred = { code: "blurred", message: "Send a copy." };
const reject = () => emulator.control.decide(first(), "reject", [blurred]);

describe.each(Object.keys(waiting) as Name[])("a pending %s", (name) => {
	test("is no change in a refresh, and an update in each preview", async () => {
		const { properties, refresh, differs, update } = await interrupt(name);
		const run = open();
		const { props, changes } = await refresh(properties, run);
		expect(changes).toBe(false);
		// Only the comparison right after a read is a refresh; the next ones are an up.
		for (const outs of [properties, props])
			for (const provider of [run, run, open()]) expect(await differs(outs, provider)).toBe(true);
		expect(await refresh(props, run)).toMatchObject({ changes: false });
		for (const { id } of emulator.live()) emulator.control.decide(id, "approve");
		expect(await refresh(props)).toMatchObject({ changes: false });
		expect(await differs(await update(props))).toBe(false);
	});

	test("is an update in a refresh after an edit or a rejection", async () => {
		const { properties, refresh } = await interrupt(name);
		emulator.edit("number", first(), { label: "by hand" });
		// An Activation declares no label. A pool that the last run didn't finish isn't compared.
		expect(await refresh(properties)).toMatchObject({ changes: name === "number" });
		reject();
		expect(await refresh(properties)).toMatchObject({ changes: true });
	});
});

test("stores a rejection in an Activation's outputs until it is lifted", async () => {
	const { properties, refresh } = await interrupt("activation");
	reject();
	const { props } = await refresh(properties);
	expect(props.refused).toEqual({ [first()]: { status: "rejected", reasons: [blurred] } });
	emulator.control.decide(first(), "approve");
	expect((await refresh(props)).props.refused).toBeUndefined();
});
