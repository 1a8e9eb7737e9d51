/** `telephony orphans` and `telephony release` with the state and the configuration of a stack. */
import { expect, test } from "vitest";
import { telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, run, succeeds } from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });
const program = 'new telephony.Number("main", { country: "NL", type: "mobile" });';

test("lists what no stack holds, and releases what its own stack left", async () => {
	const options = {
		program,
		onDelete: "retain",
		env: { TELEPHONY_API_KEY: undefined, TELEPHONY_BASE_URL: undefined },
	} as const;
	const [stack, otherStack] = [await createProject(options), await createProject({ ...options, name: "other" })];
	// The commands take the key and the address from the stack's configuration.
	for (const { pulumi } of [stack, otherStack]) {
		await succeeds(pulumi("config", "set", "telephony:baseUrl", emulator.url));
		await succeeds(pulumi("config", "set", "--secret", "telephony:apiKey", emulator.apiKey));
	}
	const command = (...args: string[]) => run("node", [telephony, ...args], stack.folder, stack.env);
	await succeeds(stack.up());
	expect((await succeeds(command("orphans", "--stack", "dev"))).stdout).toContain("orphans: 0 of 1 object; stack dev");
	const { id } = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
	const unclaimed = await command("orphans", "--stack", "dev");
	expect(unclaimed.stdout, unclaimed.output).toContain(id);
	expect(unclaimed.code, unclaimed.output).toBe(7);
	const unknown = await command("orphans", "--stack", "prod");
	expect(unknown.output).toContain("there is no stack prod");
	expect(unknown.code, unknown.output).toBe(6);

	await succeeds(otherStack.up());
	const [{ main: ours }, { main: theirs = "" }] = [await stack.ids(), await otherStack.ids()];
	for (const { destroy } of [stack, otherStack]) await succeeds(destroy());
	expect((await command("orphans", "--stack", "dev")).stdout).toContain("telephony release num_");
	const refused = await command("release", theirs, "--yes", "--stack", "dev");
	expect(refused.code, refused.output).toBe(1);
	expect(refused.output).toContain("[telephony:claimed]");
	await succeeds(command("release", "--left", "--yes", "--stack", "dev"));
	expect(emulator.released()).toEqual([ours]);
	const repeated = await succeeds(command("release", "--left", "--yes", "--stack", "dev"));
	expect(repeated.stdout).toContain("no left numbers");
});
