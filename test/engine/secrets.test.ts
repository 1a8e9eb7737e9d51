/** No secret is printed by any command, or kept in plain text. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, flat, succeeds } from "../helpers/engine";
import { useFaultProxy } from "../helpers/fault-proxy";

const apiKey = "key-that-nobody-may-see";

describe("secrets", () => {
	const emulator = useEmulator({ apiKey });
	const declared = "declared-password-1";

	test("stay out of what every command prints, and encrypted in the state", async () => {
		const program = (capacity: number) => `
			const generated = new telephony.SipTrunk("generated", { auth: { mode: "digest", username: "office" }, capacity: ${capacity} });
			new telephony.SipTrunk("declared", { auth: { mode: "digest", username: "office", password: "${declared}" }, capacity: ${capacity} });
			new telephony.SipTrunk("late", { auth: generated.sipDomain.apply(() => ({ mode: "digest", username: "office", password: "${declared}" })), capacity: 1 });
			const hook = new telephony.Webhook("hook", { url: "https://a.example.com/", events: ["*"], description: "${capacity}" });
			Object.assign(exports, { password: generated.password, secret: hook.secret, auth: generated.auth });
		`;
		const stack = await createProject({
			program: program(1),
			service: emulator,
			env: { TELEPHONY_API_KEY: undefined, TELEPHONY_LOG: "debug" },
		});
		await stack.pulumi("config", "set", "--secret", "telephony:apiKey", apiKey);
		const printed = [(await stack.preview("--diff")).output, (await stack.up("--diff")).output];
		const ids = await stack.ids();
		expect(Object.keys(ids), printed.join()).toHaveLength(4);

		stack.write(program(2));
		printed.push((await stack.preview("--diff", "--show-reads", "--show-sames")).output);
		emulator.control.patchTrunk(ids.declared ?? "", {
			capacity: 9,
			auth: { mode: "digest", username: "office", password: "somebody-elses-1" },
		});
		emulator.control.patchWebhook(ids.hook ?? "", { description: "edited", rotate_secret: true });
		printed.push((await stack.drift("--diff")).output);
		const refresh = await succeeds(stack.refresh("--diff"));
		printed.push(refresh.output);
		const between = await stack.state();
		const up = await succeeds(stack.up("--diff"));
		printed.push(up.output);

		const { trunks, webhooks } = emulator.control.state();
		const passwords = trunks.map(({ auth }) => (auth.mode === "digest" ? auth.password : ""));
		expect(passwords.filter((password) => password === declared)).toHaveLength(2);
		const secrets = [apiKey, ...passwords, ...webhooks.map(({ secret }) => secret)];
		for (const secret of secrets) {
			for (const output of printed) expect(output).not.toContain(secret);
			for (const state of [between, await stack.state()]) expect(state).not.toContain(secret);
		}
		const trunk = (await stack.resources()).find(({ urn }) => urn.endsWith("::declared"));
		for (const side of [trunk?.inputs, trunk?.outputs]) {
			expect(JSON.stringify(side?.auth), "auth is kept, encrypted").toContain("ciphertext");
		}
	});

	test("are not printed by a check that refuses them, wherever a program put them", async () => {
		const stack = await createProject({ program: "", service: emulator });
		const trunk = (auth: object, more = "") =>
			`new telephony.SipTrunk("t", { capacity: 1, auth: ${JSON.stringify(auth)}, ${more} });`;
		const misplaced = [
			trunk({ mode: "digest", username: "office", password: "hunter2" }),
			trunk({ mode: "digst", username: "office", password: "hunter2-hunter2" }),
			trunk({ mode: "ip_acl", allowedCidrs: ["203.0.113.7"], password: "hunter2-hunter2" }),
			trunk({ mode: "digest", username: "office" }, `password: pulumi.secret("hunter2-hunter2")`),
			`new telephony.Webhook("w", { url: pulumi.secret("https://me:hunter2@a.example.com/"), events: ["*"] });`,
			`new telephony.Number("n", { country: "SE", type: "mobile", smsWebhookUrl: pulumi.secret("http://a.example.com/?token=hunter2") });`,
		];
		for (const program of misplaced) {
			stack.write(program);
			const preview = await stack.preview();
			expect.soft(preview.code, preview.output).not.toBe(0);
			expect.soft(preview.output).toContain("problem");
			expect.soft(preview.output.replaceAll(program, ""), program).not.toContain("hunter2");
		}
		expect(emulator.control.requests()).toEqual([]);
	});

	test("that are stored in plain text in the configuration are warned about, once", async () => {
		const stack = await createProject({
			program: `for (const name of ["a", "b"]) new telephony.Number(name, { country: "US", type: "mobile" });`,
			service: emulator,
			env: { TELEPHONY_API_KEY: undefined },
		});
		await stack.pulumi("config", "set", "telephony:apiKey", apiKey);
		const up = await succeeds(stack.up());
		const diagnostics = flat(up.output.split("Diagnostics:")[1] ?? "");
		expect(diagnostics.match(/telephony:apiKey is set without --secret/g)).toHaveLength(1);
		expect(up.output).not.toContain(apiKey);
		await stack.pulumi("config", "set", "--secret", "telephony:apiKey", apiKey);
		expect((await stack.preview()).output).not.toContain("without --secret");
	});
});

describe("a service that repeats what it refuses", () => {
	const emulator = useEmulator();
	const proxy = useFaultProxy(emulator);

	test("brings no form of a password onto the console or into the state", async () => {
		const first = 'erstes"Paßwort\\1';
		const second = "zweites €/\"Wort\\'";
		const program = (password: string) =>
			`new telephony.SipTrunk("t", { auth: { mode: "digest", username: "office", password: ${JSON.stringify(password)} }, capacity: 1 });`;
		const stack = await createProject({ program: program(first), service: proxy });
		await succeeds(stack.up());
		proxy.plan = (_, method) => (method === "PATCH" ? { kind: "echoed", status: 400 } : undefined);
		stack.write(program(second));
		const refused = await stack.up("--diff");
		expect(refused.code, refused.output).not.toBe(0);
		expect(flat(refused)).toContain("validation_failed");
		const [trunk] = await stack.resources();
		expect(trunk?.initErrors?.join()).toContain("[secret]");
		const file = readFileSync(join(stack.folder, "../backend/.pulumi/stacks/telephony-test/dev.json"), "utf8");
		const forms = [first, second].flatMap((secret) => {
			const json = JSON.stringify(secret).slice(1, -1);
			return [
				secret,
				json,
				JSON.stringify(json).slice(1, -1),
				encodeURIComponent(secret),
				Buffer.from(secret).toString("base64").slice(0, -4),
			];
		});
		for (const form of forms)
			for (const text of [refused.output, await stack.state(), file]) expect(text).not.toContain(form);
		expect(file).toContain("[secret]");
	});
});
