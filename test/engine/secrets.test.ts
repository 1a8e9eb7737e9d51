/**
 * No form of a secret in what a run prints, logs and traces at its most talkative, or in the state: by both providers, with
 * failures and uncaught errors. At -v=9 the engine and the Node.js SDK log each value that they pass on, secrets too. Those
 * lines are left out: no provider can change them. For the same reason traces are without payloads.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { agentThatFails } from "../helpers/agent";
import { useEmulator } from "../helpers/emulator";
import { createProject, flat, fronts, succeeds } from "../helpers/engine";
import { useFaultProxy } from "../helpers/fault-proxy";
import { variations } from "../short.mts";

// The first runs the CLI eight times, with megabytes of log.
vi.setConfig({ testTimeout: 600_000 });

const apiKey = 'canary-"key\\of-the-account';
const emulator = useEmulator({ kyc: "immediate", apiKey });
const proxy = useFaultProxy(emulator);
const passwords = ['canary-first"Paß\\word', "canary-second'€/word?"] as const;

const formsOf = (secret: string): string[] => {
	const json = JSON.stringify(secret).slice(1, -1);
	const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -1);
	return [secret, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(secret), base64];
};

test.each(variations(fronts))("%s leaks no secret", async (front) => {
	const program = (password: string, more = "") => `
		const auth = { mode: "digest", username: "office", password: ${JSON.stringify(password)} };
		const trunk = new telephony.SipTrunk("trunk", { auth, capacity: 1 });
		new telephony.SipTrunk("late", { auth: trunk.sipDomain.apply(() => auth), capacity: 1 });
		const hook = new telephony.Webhook("hook", { url: "https://a.example.com/", events: ["*"] });
		Object.assign(exports, { secret: hook.secret, auth: trunk.auth });
		${more}`;
	const env = { TELEPHONY_API_KEY: undefined, TELEPHONY_LOG: "debug", PULUMI_TRACING_NO_PAYLOADS: "true" };
	const stack = await createProject({ program: program(passwords[0]), service: proxy, front, env });
	await stack.pulumi("config", "set", "--secret", "telephony:apiKey", apiKey);
	const traces = join(stack.folder, "traces");
	mkdirSync(traces);
	const talkative = () => [
		...["-v=9", "--logtostderr", `--tracing=file:${join(traces, `${randomUUID()}.trace`)}`],
		`--otel-traces=file://${join(traces, `${randomUUID()}.json`)}`,
	];
	const printed: string[] = [];
	const states: string[] = [];
	const run = async (command: "up" | "preview" | "refresh" | "destroy", ...args: string[]) => {
		const done = await stack[command](...args, ...talkative());
		printed.push(done.output.replaceAll(/^.*(?:"(?:Unm|M)arshaling property|RegisterResource RPC finished).*$/gm, ""));
		states.push(await stack.state());
		return done;
	};
	const made = await run("up", "--diff");
	expect(made.code, made.output.slice(-2_000)).toBe(0);
	for (const name of ["trunk", "late"]) {
		const trunk = (await stack.resources()).find(({ urn }) => urn.endsWith(`::${name}`));
		for (const side of [trunk?.inputs, trunk?.outputs]) expect(JSON.stringify(side?.auth)).toContain("ciphertext");
	}
	// The service repeats what it refuses.
	proxy.plan = (__, method) => (method === "PATCH" ? { kind: "echoed", status: 400 } : undefined);
	stack.write(program(passwords[1]));
	stack.env.NODE_OPTIONS = `--require=${agentThatFails()}`;
	const failed = await run("up", "--diff");
	stack.env.NODE_OPTIONS = undefined;
	expect(failed.code, failed.output.slice(-2_000)).not.toBe(0);
	expect(failed.output).toContain("The agent failed at");
	proxy.plan = () => undefined;
	const misplaced = `new telephony.Number("n", { country: "NL", type: "mobile", secret: "canary-misplaced" });`;
	stack.write(program(passwords[1], misplaced));
	await run("preview", "--diff");
	stack.write(program(passwords[1]));
	const { trunks, webhooks } = emulator.control.state();
	emulator.control.patchWebhook(webhooks[0]?.id ?? "", { rotate_secret: true });
	await run("refresh", "--diff");
	await succeeds(run("up", "--diff"));
	const later = emulator.control.state();
	await succeeds(run("destroy"));

	const secrets = [
		...[apiKey, ...passwords],
		...[...trunks, ...later.trunks].flatMap(({ auth }) => (auth.mode === "digest" ? [auth.password] : [])),
		...[...webhooks, ...later.webhooks].map(({ secret }) => secret),
	];
	const traced = readdirSync(traces).map((file) => readFileSync(join(traces, file), "latin1"));
	expect(traced.filter((text) => text.includes("/pulumirpc.ResourceProvider/Create")).length).toBeGreaterThanOrEqual(1);
	const leaks = [...new Set(secrets)].flatMap(formsOf).flatMap((form) =>
		[...printed, ...states, ...traced].flatMap((text) => {
			const at = text.indexOf(form);
			return at === -1 ? [] : [text.slice(text.lastIndexOf("\n", at) + 1, at + 120)];
		}),
	);
	expect(leaks).toEqual([]);
	expect(printed.join("").length).toBeGreaterThan(100_000);
});

test("warns once of a key that the configuration stores in plain text", async () => {
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
