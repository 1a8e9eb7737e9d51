/** What a preview tells beforehand: new secrets, what depends on an update, and an address that can't be one. */
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, flat, run, stepsIn, succeeds } from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });

test("a password or secret that somebody replaced: the preview says what the next up makes of it", async () => {
	const stack = await createProject({
		program: `
			const trunk = (name, auth) => new telephony.SipTrunk(name, { auth: { mode: "digest", username: name, ...auth }, capacity: 1 });
			const made = trunk("made", {});
			trunk("declared", { password: "declared-password-1" });
			const hook = new telephony.Webhook("hook", { url: "https://a.example.com/1", events: ["*"] });
			Object.assign(exports, { password: made.password, secret: hook.secret });
		`,
		service: emulator,
	});
	await succeeds(stack.up());
	expect((await stack.preview("--refresh")).output).not.toContain("warning");
	const [ids, before] = [await stack.ids(), await stack.outputs()];
	for (const name of ["made", "declared"])
		emulator.control.patchTrunk(ids[name] ?? "", {
			auth: { mode: "digest", username: name, password: "somebody-elses-1" },
		});
	emulator.control.patchWebhook(ids.hook ?? "", { rotate_secret: true });
	const stored = () => {
		const { trunks, webhooks } = emulator.control.state();
		return JSON.stringify({ trunks, webhooks });
	};
	const found = stored();

	for (const command of [stack.preview, stack.up]) {
		const { output } = await command("--refresh");
		for (const [name, secret, next] of [
			[
				`trunk made (${ids.made})`,
				"password",
				"generates another one, which you must give to everyone who uses it (output `password`).",
			],
			[`trunk declared (${ids.declared})`, "password", "restores the one that the program declares."],
			[
				`webhook a.example.com (${ids.hook})`,
				"secret",
				"generates another one, which you must give to everyone who uses it (output `secret`).",
			],
		])
			expect(flat(output)).toContain(
				`The ${secret} of the ${name} was replaced outside Pulumi, and the service doesn't show the new one. The next \`pulumi up\` ${next}`,
			);
		if (command === stack.preview) expect(stored()).toBe(found);
	}
	const after = await stack.outputs();
	expect(after.password).not.toBe(before.password);
	expect(after.secret).not.toBe(before.secret);
	expect((await stack.preview("--refresh")).output).not.toContain("warning");
});

test("what depends on the id of an updated resource shows no update; on another output, one that up doesn't need", async () => {
	const program = (version: number) => `
		const trunk = new telephony.SipTrunk("trunk", { auth: { mode: "digest", username: "office" }, capacity: ${version} });
		const number = new telephony.Number("number", { country: "NL", type: "mobile", label: "v${version}" });
		const args = { country: "NL", type: "mobile" };
		new telephony.Number("byId", { ...args, routing: { type: "trunk", trunkId: trunk.id }, label: number.id, metadata: { country: number.country } });
		new telephony.Number("byNumber", { ...args, label: number.phoneNumber });
		new telephony.Number("bySipDomain", { ...args, label: trunk.sipDomain });
	`;
	const stack = await createProject({ program: program(1), service: emulator });
	await succeeds(stack.up());
	stack.write(program(2));
	// docs/limits.md, "Previews".
	expect(stepsIn(await stack.preview())).toEqual({
		trunk: "update",
		number: "update",
		byNumber: "update",
		bySipDomain: "update",
	});
	expect(stepsIn(await stack.up())).toEqual({ trunk: "update", number: "update" });
});

test("an address that can't be one is one sentence in every command", async () => {
	const program = 'new telephony.Number("n", { country: "NL", type: "mobile" });';
	const stack = await createProject({ program, service: emulator });
	await succeeds(stack.up());
	const telephony = resolve(__dirname, "../../bin/telephony");
	const drift = () => run("node", [telephony, "drift", "--cwd", stack.folder], stack.folder, stack.env);
	const advice =
		"set telephony:baseUrl (or TELEPHONY_BASE_URL) to the address with its version at the end, such as https://api.example.com/v1.";

	const { host, origin } = new URL(emulator.url);
	const commands = { up: stack.up, refresh: stack.refresh, drift, destroy: stack.destroy };
	stack.env.TELEPHONY_BASE_URL = origin;
	for (const [name, command] of Object.entries(commands)) {
		const { code, output } = await command();
		expect.soft(code, name).not.toBe(0);
		expect
			.soft(flat(output), name)
			.toContain(`The service's address at ${host} doesn't end in a version such as /v1: ${advice}`);
		expect.soft(output, name).not.toMatch(/^\s+at /m);
	}
	expect(Object.keys(await stack.ids())).toEqual(["n"]);
	stack.env.TELEPHONY_BASE_URL = host;
	expect(flat(await stack.preview())).toContain(`The service's address is not a URL: ${advice}`);
});
