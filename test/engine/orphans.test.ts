/** `telephony orphans` with the state and the configuration of a stack. */
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
	expect(unknown.code, unknown.output).toBe(1);
});
