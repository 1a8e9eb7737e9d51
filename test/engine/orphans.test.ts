/** `telephony orphans` and `telephony release` with the state and the configuration of a stack. */
import { expect, test } from "vitest";
import { telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, run, succeeds } from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });

test("a stack's own numbers are none; one bought by hand is, by the key of the stack's configuration", async () => {
	const stack = await createProject({
		service: emulator,
		program: 'new telephony.Number("main", { country: "NL", type: "mobile" });',
	});
	for (const [key, value] of [
		["baseUrl", emulator.url],
		["apiKey", emulator.apiKey],
	] as const)
		await stack.pulumi("config", "set", `telephony:${key}`, value, ...(key === "apiKey" ? ["--secret"] : []));
	stack.env.TELEPHONY_API_KEY = undefined;
	stack.env.TELEPHONY_BASE_URL = undefined;
	await succeeds(stack.up());
	const orphans = (name = "dev") => run("node", [telephony, "orphans", "--stack", name], stack.folder, stack.env);
	const none = await orphans();
	expect(none.stdout, none.output).toContain("orphans: 0 of 1 object; stack dev");
	expect(none.code, none.output).toBe(0);
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	const one = await orphans();
	expect(one.stdout, one.output).toContain(body.id);
	expect(one.code, one.output).toBe(7);
	const unknown = await orphans("prod");
	expect(unknown.output).toContain("there is no stack prod");
	expect(unknown.code, unknown.output).toBe(6);
});

test("a destroyed stack's left numbers are listed, and released once; another project's stay", async () => {
	const program = 'new telephony.Number("main", { country: "NL", type: "mobile" });';
	const [stack, other] = [
		await createProject({ service: emulator, program, onDelete: "retain" }),
		await createProject({ service: emulator, program, onDelete: "retain", name: "other" }),
	];
	for (const each of [stack, other]) {
		await succeeds(each.up());
		await succeeds(each.destroy());
	}
	const telephonyIn = (...args: string[]) =>
		run("node", [telephony, ...args, "--stack", "dev"], stack.folder, stack.env);
	const listed = await telephonyIn("orphans");
	expect(listed.code, listed.output).toBe(7);
	expect(listed.stdout).toContain("telephony release num_");
	const [ours, theirs] = emulator.live().map(({ id }) => id);
	const refused = await telephonyIn("release", theirs ?? "", "--yes");
	expect(refused.code, refused.output).toBe(1);
	expect(refused.output).toContain("[telephony:claimed]");
	const released = await telephonyIn("release", "--left", "--yes");
	expect(released.code, released.output).toBe(0);
	expect(emulator.released()).toEqual([ours]);
	const again = await telephonyIn("release", "--left", "--yes");
	expect(again.code, again.output).toBe(0);
	expect(again.stdout).toContain("no left numbers");
});
