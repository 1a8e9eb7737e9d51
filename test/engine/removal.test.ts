/** Removals and `destroy` of numbers and pools under each default, and numbers that the stack left. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, succeeds } from "../helpers/engine";
import { taint, tell } from "../helpers/story";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });

const number = (name: string, args: object = {}) =>
	`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "mobile", ...args })});\n`;
const pool = (name: string, count: number, more: object = {}) =>
	`new telephony.NumberPool("${name}", ${JSON.stringify({ country: "NL", type: "mobile", count, ...more })});\n`;

test("leaves numbers by default, and releases them if the state says so", async () => {
	const program =
		number("a") +
		number("own", { onDelete: "release" }) +
		number("guarded", { onDelete: "release", releaseProtection: true });
	const stack = await createProject({ service: emulator, onDelete: null, program });
	const setDefault = (value: string) => succeeds(stack.pulumi("config", "set", "telephony:onDelete", value));
	await succeeds(stack.up());
	const { a, own: released, guarded } = await stack.ids();
	await succeeds(stack.destroy());
	expect({ ids: await stack.ids(), released: emulator.released() }).toEqual({ ids: {}, released: [released] });
	expect([a, guarded].map((id) => emulator.row(id)?.reference)).toEqual(
		Array(2).fill(expect.stringMatching(/\.left~telephony-test\/dev$/)),
	);

	await setDefault("retain");
	stack.write(number("a"));
	await tell(stack, emulator, [{ name: "up after destroy", says: "taken-over", resumes: { a } }]);
	await succeeds(stack.destroy());
	await setDefault("release");
	await tell(stack, emulator, [{ name: "up with another default", resumes: { a } }]);
	// The saved state decides, not the configuration.
	await setDefault("retain");
	await succeeds(stack.destroy());
	expect(emulator.released()).toEqual([released, a]);
});

test("leaves or releases a pool's numbers as its state says", async () => {
	const stack = await createProject({ service: emulator });
	const retained = { onDelete: "retain" };
	await tell(stack, emulator, [
		{ name: "first up", program: pool("desk", 3, retained), buys: 3 },
		{ name: "shrink", program: pool("desk", 2, retained), says: "kept" },
		{ name: "grow", program: pool("desk", 3, retained), says: "taken-over" },
		{ name: "rename", program: pool("office", 3, retained), buys: 3, says: "kept" },
		{ name: "rename back", program: pool("desk", 3, retained), says: "taken-over" },
		{ name: "taint", first: taint("desk") },
		{ name: "the stack's default", program: pool("desk", 3) },
	]);
	const bought = emulator.purchases().map(({ number_id }) => number_id);
	stack.write(pool("desk", 2));
	await succeeds(stack.up());
	expect(emulator.released()).toHaveLength(1);
	await succeeds(stack.destroy());
	expect(emulator.released().sort()).toEqual(bought.slice(0, 3).sort());
	expect(emulator.live()).toHaveLength(3);
});
