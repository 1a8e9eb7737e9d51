/**
 * No form of a secret in what a run prints, logs and traces at its most talkative, or in the state: both fronts, failures
 * and errors that nobody caught included. At -v=9 the engine and the Node.js SDK log each value that they hand on, secrets
 * too. Those lines are left out: no provider can change them. For the same reason traces are without payloads.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { agentThatFails } from "../helpers/agent";
import { useEmulator } from "../helpers/emulator";
import { createProject, succeeds } from "../helpers/engine";
import { useFaultProxy } from "../helpers/fault-proxy";

// Each runs the CLI eight times, with megabytes of log.
vi.setConfig({ testTimeout: 300_000 });

const apiKey = 'canary-"key\\of-the-account';
const emulator = useEmulator({ kyc: "immediate", apiKey });
const proxy = useFaultProxy(emulator);
const passwords = ['canary-first"Pass\\word', "canary-second'Pass/word?"] as const;

const formsOf = (secret: string): string[] => {
	const json = JSON.stringify(secret).slice(1, -1);
	const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -1);
	return [secret, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(secret), base64];
};

test.each([
	["the classes", "pulumi-telephony"],
	["the plugin", "pulumi-telephony/plugin"],
])("with %s, no secret leaks", async (_, door) => {
	const program = (password: string, more = "") => `
		const front = require("${door}");
		const auth = { mode: "digest", username: "office", password: pulumi.secret(${JSON.stringify(password)}) };
		new front.SipTrunk("trunk", { auth, capacity: 1 });
		const hook = new front.Webhook("hook", { url: "https://a.example.com/", events: ["*"] });
		Object.assign(exports, { secret: hook.secret });
		${more}`;
	const stack = await createProject({
		program: program(passwords[0]),
		service: proxy,
		plugin: true,
		env: { TELEPHONY_API_KEY: undefined, TELEPHONY_LOG: "debug", PULUMI_TRACING_NO_PAYLOADS: "true" },
	});
	await stack.pulumi("config", "set", "--secret", "telephony:apiKey", apiKey);
	const traces = join(stack.folder, "traces");
	mkdirSync(traces);
	const talkative = () => [
		...["-v=9", "--logtostderr"],
		...[
			`--tracing=file:${join(traces, `${randomUUID()}.trace`)}`,
			`--otel-traces=file://${join(traces, `${randomUUID()}.json`)}`,
		],
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
	// The service repeats what it refuses.
	proxy.plan = (__, method) => (method === "PATCH" ? { kind: "echoed", status: 400 } : undefined);
	stack.write(program(passwords[1]));
	stack.env.NODE_OPTIONS = `--require=${agentThatFails()}`;
	const failed = await run("up", "--diff");
	stack.env.NODE_OPTIONS = undefined;
	expect(failed.code, failed.output.slice(-2_000)).not.toBe(0);
	expect(failed.output).toContain("The agent failed at");
	proxy.plan = () => undefined;
	stack.write(
		program(passwords[1], `new front.Number("n", { country: "NL", type: "mobile", secret: "canary-misplaced" });`),
	);
	await run("preview", "--diff");
	stack.write(program(passwords[1]));
	const { trunks, webhooks } = emulator.control.state();
	emulator.control.patchWebhook(webhooks[0]?.id ?? "", { rotate_secret: true });
	await run("refresh", "--diff");
	await succeeds(run("up", "--diff"));
	const later = emulator.control.state();
	await succeeds(run("destroy"));

	const secrets = [
		apiKey,
		...passwords,
		...[...trunks, ...later.trunks].flatMap(({ auth }) => (auth.mode === "digest" ? [auth.password] : [])),
		...[...webhooks, ...later.webhooks].map(({ secret }) => secret),
	];
	const traced = readdirSync(traces).map((file) => readFileSync(join(traces, file), "latin1"));
	expect(traced.filter((text) => text.includes("/pulumirpc.ResourceProvider/Create")).length).toBeGreaterThanOrEqual(1);
	const found = [...new Set(secrets)].flatMap((secret) =>
		formsOf(secret).flatMap((form) =>
			[...printed, ...states, ...traced].flatMap((text) => {
				const at = text.indexOf(form);
				return at === -1 ? [] : [text.slice(text.lastIndexOf("\n", at) + 1, at + 120)];
			}),
		),
	);
	expect(found).toEqual([]);
	expect(printed.join("").length).toBeGreaterThan(100_000);
});
