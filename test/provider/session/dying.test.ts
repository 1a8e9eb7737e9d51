/** A provider process that loses its engine, or is asked to end, while a number waits for KYC. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { engineOfHost } from "../../../provider/session/progress";
import { providerText } from "../../../sdk/dynamic";
import { agentThatFails } from "../../helpers/agent";
import { useEmulator } from "../../helpers/emulator";
import { run } from "../../helpers/engine";
import { eventually } from "../../helpers/eventually";
import { createFolder } from "../../helpers/folders";
import { type Host, initFailureOf, useHost, type Values } from "../../helpers/host";
import { repository } from "../../helpers/repository";
import { variations } from "../../short.mts";

const emulator = useEmulator();
const { kinds, live } = emulator;
const declared = (args: Values = {}, name = "berlin"): Values => ({
	...{ country: "DE", type: "geographic", area: "30", ...args },
	__provider: providerText("number"),
	__resourceUrn: `urn:pulumi:dev::dying::pulumi-nodejs:dynamic/telephony:Number::${name}`,
});

describe.each(variations(["dynamic", "plugin"]))("a process of the %s provider", (front) => {
	const { start, killEngine, log } = useHost(front);

	async function open(env: Readonly<Record<string, string>> = {}) {
		const settings = { TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
		const host = await start({ TELEPHONY_LOG: "debug", ...settings, ...env });
		await host.configure({});
		const inputsOf = async (args: Values = {}, name?: string) => (await host.check(declared(args, name))).inputs;
		const create = async (args: Values = {}, name?: string) => host.create(await inputsOf(args, name));
		return { host, inputsOf, create };
	}
	/** Creates of numbers that wait for KYC. */
	async function waiting(count = 1) {
		const { host, create } = await open();
		const failures = Array.from({ length: count }, (_, n) => initFailureOf(create({}, `berlin${n}`)));
		for (const failure of failures) failure.catch(() => {});
		await eventually(() => expect(log.join().match(/KYC action required/g)?.length).toBeGreaterThanOrEqual(count));
		return { host, failures };
	}

	test("survives an error that nothing caught, and reports it without the key", async () => {
		const { host, create } = await open({ NODE_OPTIONS: `--require=${agentThatFails()}` });
		const { id } = await create({ waitForActive: false });
		expect(live().map((row) => row.id)).toEqual([id]);
		await eventually(() => expect(host.errors()).toContain("The agent failed at"));
		expect(host.errors()).toContain("[key]");
		expect(host.errors()).not.toContain(emulator.apiKey);
	});

	test("ends with its engine, waiting or idle", async () => {
		const [{ host }, idle] = [await waiting(), await open()];
		await idle.create({ waitForActive: false }, "idle");
		await killEngine();
		await Promise.all([host.ended, idle.host.ended]);
		expect(await host.ended).toBe(1);
	});

	test("ends with its engine although nothing reads its output", async () => {
		const { host, create } = await open({ NODE_OPTIONS: `--require=${agentThatFails()}` });
		host.child.stdout?.destroy();
		host.child.stderr?.destroy();
		await create({ waitForActive: false });
		await killEngine();
		await host.ended;
	});

	test("starts no write without its engine, and the next run resumes", async () => {
		emulator.control.faults.set({ operation: "buyNumber", nth: 1, phase: "after", kind: "hold" });
		const { host, create } = await open();
		create().catch(() => {});
		// The provider only notices the loss of an engine that it has connected to.
		await eventually(() => expect([kinds(), log.length > 0]).toEqual([["purchase"], true]));
		await killEngine();
		await host.ended;
		emulator.control.faults.clear();
		expect(emulator.writes()).toEqual(["POST /numbers"]);
		const { id } = await (await open()).create({ waitForActive: false });
		expect([id, kinds()]).toEqual([live()[0]?.id, ["purchase"]]);
	});

	const endings: [string, (host: Host) => unknown, reason: string, code?: number][] = [
		["SIGTERM", ({ child }) => child.kill("SIGTERM"), "the run was interrupted", 143],
		["SIGINT", ({ child }) => child.kill("SIGINT"), "the run was interrupted", 130],
		["Cancel", (host) => host.cancel(), "the run was cancelled"],
	];
	test.each(endings)("saves the numbers that wait at %s, and the next run continues", async (_, end, reason, code) => {
		const { host, failures } = await waiting(12);
		const sent = emulator.requests().length;
		await end(host);
		const saved = await Promise.all(failures);
		expect(emulator.requests()).toHaveLength(sent);
		expect(new Set(saved.map(({ id }) => id))).toEqual(new Set(live().map(({ id }) => id)));
		expect(saved.filter(({ message }) => !message.includes(reason))).toEqual([]);
		// A signal also ends the process, once it has responded to the engine.
		if (code !== undefined) expect(await host.ended).toBe(code);
		const [{ id = "", props = {} } = {}] = saved;
		emulator.control.decide(id, "approve");
		const { host: next, inputsOf } = await open();
		const inputs = await inputsOf({}, "berlin0");
		expect((await next.diff(id, props, inputs)).changes).toBe(true);
		expect(await next.update(id, props, inputs)).toMatchObject({ status: "active" });
		expect(kinds()).toEqual(Array(12).fill("purchase"));
	});

	test("buys nothing after Cancel, and ends at once by a signal", async () => {
		const { host, inputsOf } = await open();
		const inputs = await inputsOf();
		await host.cancel();
		await expect(host.create(inputs)).rejects.toThrow("[telephony:interrupted]");
		expect(kinds()).toEqual([]);
		host.child.kill("SIGINT");
		await host.ended;
		expect(await host.ended).toBe(130);
	});
});

test("leaves the signals and the end of a script that requires it alone", async () => {
	const folder = createFolder();
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	const script = join(folder, "index.js");
	const text = `
		const { number } = require("pulumi-telephony/provider");
		const listeners = () => ["SIGINT", "SIGTERM"].map((signal) => process.listenerCount(signal));
		number.configure({ config: { get: () => undefined } })
			.then(() => number.check({}, { country: "NL", type: "mobile" }))
			.then(() => new Promise((done) => setTimeout(done, 300)))
			.then(() => console.log(JSON.stringify(listeners())));
	`;
	writeFileSync(script, text);
	const { code, stdout, output } = await run(process.execPath, [script, "127.0.0.1:1"], folder, process.env);
	expect({ code, stdout }, output).toEqual({ code: 0, stdout: "[0,0]\n" });
});

test.each([
	["/a/node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js", true],
	["/a/.pnpm/@pulumi+pulumi@3.270.0/node_modules/@pulumi/pulumi/cmd/dynamic-provider", true],
	["C:\\a\\node_modules\\@pulumi\\pulumi\\cmd\\dynamic-provider\\index.js", true],
	["/a/node_modules/@pulumi/pulumi/cmd/run/index.js", false],
	["/a/dynamic-provider/index.js", false],
])("finds the engine in the arguments of %s: %s", (program, isFound) => {
	const address = engineOfHost(["node", program, "--logtostderr", "127.0.0.1:42115"]);
	expect(address).toBe(isFound ? "127.0.0.1:42115" : undefined);
});
