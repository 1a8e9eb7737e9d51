/** Removals and `destroy` of numbers under each default, and numbers that the stack left. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, succeeds } from "../helpers/engine";
import { tell } from "../helpers/story";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });

const number = (name: string, args: object = {}) =>
	`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "mobile", ...args })});\n`;

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
