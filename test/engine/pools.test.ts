/** A pool by the plugin: growth, shrinking, drift, sold-out inventory, and numbers that leave and come back. */
import { expect, test, vi } from "vitest";
import { pathsIn, reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, plugin, stepsIn, succeeds } from "../helpers/engine";
import type { Pooled } from "../helpers/pools";
import { replacing } from "../helpers/story";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });

const pool = (args: string, more = "") => `
	const pool = new telephony.NumberPool("support", { country: "NL", type: "mobile", label: "support-{index}", ${args} });
	exports.numbers = pool.numbers;
	${more}
`;

test("buys, repairs, grows and shrinks a pool number by number", async () => {
	const stack = await createProject({ service: emulator, program: pool("count: 3"), front: plugin });
	const members = async () => (await stack.outputs()).numbers as Pooled[];
	const bought = () => emulator.purchases().length;
	// The provider tries another number if one is sold out.
	const nth = [3, 4, 5, 6, 7, 8, 9];
	emulator.control.faults.set({ operation: "buyNumber", nth, phase: "before", status: 409, error: "no_inventory" });
	expect(await fails(stack.up())).toContain("The pool has 2 of 3 numbers.");
	expect(bought()).toBe(2);
	emulator.control.faults.clear();
	expect(stepsIn(await succeeds(stack.up()))).toEqual({ support: "update" });
	const labelled = (index: number) => emulator.live().find(({ label }) => label === `support-${index}`);
	expect(await members()).toEqual(
		[0, 1, 2].map((index) => ({
			...{ name: `support[${index}]`, id: labelled(index)?.id, phoneNumber: labelled(index)?.number, status: "active" },
		})),
	);

	const { id: edited = "" } = labelled(1) ?? {};
	emulator.control.patchNumber(edited, { label: "mine" });
	expect(await fails(stack.drift("--diff"))).toContain("mine");
	const { code, output, report } = await reported(stack);
	expect(code, output).toBe(7);
	expect(report).toMatchObject({ total: 3, drifted: 1, resources: [{ id: edited, kind: "changed" }] });
	expect(pathsIn(report)).toEqual({ "support[1]": ["label"] });

	stack.write(pool("count: 4"));
	await succeeds(stack.up("--refresh"));
	expect(emulator.labels()).toEqual([0, 1, 2, 3].map((index) => `support-${index}`));
	stack.write(pool('count: 3, releaseFirst: ["support[0]"]'));
	await succeeds(stack.up());
	expect(emulator.labels()).toEqual([1, 2, 3].map((index) => `support-${index}`));
	const before = await members();

	const vip = `new telephony.Number("vip", { country: "NL", type: "mobile", label: "VIP", adopt: "${edited}" }, { dependsOn: pool });`;
	stack.write(pool('count: 2, exclude: ["support[1]"]', vip));
	await succeeds(stack.up());
	expect({ vip: (await stack.ids()).vip, label: emulator.row(edited)?.label }).toEqual({ vip: edited, label: "VIP" });
	// One run lets the number go, and the next one adopts it.
	stack.write(pool('count: 2, exclude: ["support[1]"]'));
	await succeeds(stack.up());
	stack.write(pool(`count: 3, adopt: ["${edited}"]`));
	await succeeds(stack.up());
	expect((await members()).map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort());
	await expectQuiet(stack);

	await succeeds(stack.up(...(await replacing("support")(stack))));
	expect({ bought: bought(), released: emulator.released().length }).toEqual({ bought: 4, released: 1 });
	// An adopted number stays on the account.
	await succeeds(stack.destroy("--refresh"));
	expect(emulator.live().map(({ id }) => id)).toEqual([edited]);
});
