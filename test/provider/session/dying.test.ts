/** A provider process that loses its engine, or is told to end, while a number waits for KYC. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { engineOfHost } from "../../../provider/session/progress";
import { providerText } from "../../../sdk/dynamic";
import { agentThatFails } from "../../helpers/agent";
import { useEmulator } from "../../helpers/emulator";
import { run } from "../../helpers/engine";
import { type Host, initFailureOf, useHost, type Values } from "../../helpers/host";
import { startRefusingProxy } from "../../helpers/refusing-proxy";
import { repository } from "../../helpers/repository";
import { variations } from "../../short.mts";

const emulator = useEmulator();
describe.each(variations(["dynamic", "plugin"]))("the %s front:", (front) => {
	const { start, killEngine, log } = useHost(front);

	const declared = (args: Values, name = "berlin"): Values => ({
		country: "DE",
		type: "geographic",
		area: "30",
		...args,
		__provider: providerText("number"),
		resourceUrn: `urn:pulumi:dev::dying::pulumi-nodejs:dynamic/telephony:Number::${name}`,
	});
	const purchases = () => emulator.kinds();

	async function startConfigured(env: Readonly<Record<string, string>> = {}): Promise<Host> {
		// The plugin is given what a program says, not the stack's configuration.
		const settings = { TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
		const host = await start({ TELEPHONY_LOG: "debug", ...settings, ...env });
		await host.configure({});
		return host;
	}

	/** A host whose create waits for KYC. */
	async function waiting(env: Readonly<Record<string, string>> = {}) {
		const host = await startConfigured(env);
		const { inputs } = await host.check(declared({}));
		const creation = host.create(inputs);
		// Nobody may be there to hear of its end.
		creation.catch(() => {});
		await vi.waitFor(() => expect(log.join("\n")).toContain("KYC action required"), 10_000);
		return { host, inputs, creation };
	}

	/** Only an engine that has answered once is soon missed. */
	const engineHeard = () => vi.waitFor(() => expect(log).not.toEqual([]), 10_000);

	const secondsUntil = async (work: Promise<unknown>) => {
		const started = Date.now();
		await work;
		return (Date.now() - started) / 1000;
	};

	test("an error that nobody caught is told without a secret, and what is under way goes on", async () => {
		const host = await startConfigured({ NODE_OPTIONS: `--require=${agentThatFails()}` });
		const { inputs } = await host.check(declared({ waitForActive: false }));
		const { id } = await host.create(inputs);
		expect(emulator.control.state().numbers.map((row) => row.id)).toEqual([id]);
		await vi.waitFor(() => expect(host.errors()).toContain("The agent failed at"), 10_000);
		expect(host.errors()).toContain("[key]");
		expect(host.errors()).not.toContain(emulator.apiKey);
	});

	test("stays in touch with its engine behind a proxy that refuses everything", async () => {
		const proxy = await startRefusingProxy();
		const { host, creation } = await waiting({ ...proxy.env, no_proxy: "localhost, 127.0.0.1" });
		host.child.kill("SIGTERM");
		await initFailureOf(creation);
		expect(proxy.requests).toEqual([]);
	});

	describe("a provider whose engine is gone", () => {
		test("stops waiting and exits within 5 seconds", async () => {
			const { host } = await waiting();
			await killEngine();
			expect(await secondsUntil(host.ended)).toBeLessThan(5);
			expect(await host.ended).toBe(1);
			expect(purchases()).toEqual(["purchase"]);
		});

		test("starts no further write: a purchase under way is not followed by anything", async () => {
			emulator.control.faults.set({ operation: "buyNumber", nth: 1, phase: "after", kind: "hold" });
			const host = await startConfigured();
			const { inputs } = await host.check(declared({}));
			host.create(inputs).catch(() => {});
			await vi.waitFor(() => expect(purchases()).toEqual(["purchase"]), 10_000);
			await engineHeard();
			await killEngine();
			expect(await secondsUntil(host.ended)).toBeLessThan(5);
			emulator.control.faults.clear();
			expect(emulator.control.requests().filter(({ method }) => method === "PATCH")).toEqual([]);
			// The next run takes it over.
			const next = await startConfigured();
			const { id } = await next.create((await next.check(declared({ waitForActive: false }))).inputs);
			expect(id).toBe(emulator.control.state().numbers[0]?.id);
			expect(purchases()).toEqual(["purchase"]);
		});

		test("exits also when it has nothing to do", async () => {
			const host = await startConfigured();
			await host.create((await host.check(declared({ waitForActive: false }))).inputs);
			await engineHeard();
			await killEngine();
			expect(await secondsUntil(host.ended)).toBeLessThan(5);
		});
	});

	describe("a wait that is told to end", () => {
		const tellings: [string, (host: Host) => unknown, RegExp][] = [
			["SIGTERM", ({ child }) => child.kill("SIGTERM"), /the run was interrupted/],
			["SIGINT", ({ child }) => child.kill("SIGINT"), /the run was interrupted/],
			["the engine's Cancel", (host) => host.cancel(), /the run was cancelled/],
		];

		test.each(tellings)("by %s is saved with its id, and the next run goes on", async (_, tell, reason) => {
			const { host, inputs, creation } = await waiting();
			const failure = initFailureOf(creation);
			const asked = emulator.control.requests().length;
			tell(host);
			const { id, message, props } = await failure;
			// At once: it doesn't sit out the two seconds before its next poll.
			expect(emulator.control.requests()).toHaveLength(asked);
			expect(id).toBe(emulator.control.state().numbers[0]?.id);
			expect(message).toMatch(reason);
			expect(message).toContain("Run `pulumi up` again to continue waiting.");

			emulator.control.decide(id, "approve");
			const next = await startConfigured();
			expect((await next.diff(id, props, inputs)).changes).toBe(true);
			expect(await next.update(id, props, inputs)).toMatchObject({ status: "active" });
			expect(purchases()).toEqual(["purchase"]);
		});

		test.each(tellings)(
			"by %s ends also while the service answers nothing, and says nothing of a failure",
			async (_, tell, reason) => {
				const { host, creation } = await waiting();
				const failure = initFailureOf(creation);
				emulator.control.faults.set({ operation: "*", every: true, kind: "hold" });
				await vi.waitFor(() => expect(emulator.control.faults.list()[0]).toMatchObject({ held: 1 }), 10_000);
				await tell(host);
				const { id, message } = await failure;
				expect(id).toEqual(emulator.control.state().numbers[0]?.id);
				expect(purchases()).toEqual(["purchase"]);
				expect(message).toMatch(reason);
				expect(message).not.toContain("broken off");
			},
		);

		test("by a signal is answered before the process ends, however many there are", async () => {
			const host = await startConfigured();
			const creations = Array.from({ length: 12 }, async (_, n) => {
				const { inputs } = await host.check(declared({}, `berlin${n}`));
				return initFailureOf(host.create(inputs));
			});
			await vi.waitFor(
				() => expect(log.join("\n").match(/KYC action required/g)?.length).toBeGreaterThanOrEqual(12),
				10_000,
			);
			host.child.kill("SIGTERM");
			const ids = (await Promise.all(creations)).map(({ id }) => id);
			expect(ids.sort()).toEqual(
				emulator.control
					.state()
					.numbers.map(({ id }) => id)
					.sort(),
			);
			expect(await host.ended).toBe(143);
		});

		test("by a signal ends the process too, at once when it has nothing to do", async () => {
			const { host, creation } = await waiting();
			host.child.kill("SIGTERM");
			await initFailureOf(creation);
			expect(await secondsUntil(host.ended)).toBeLessThan(5);
			expect(await host.ended).toBe(143);
			const idle = await startConfigured();
			await idle.check(declared({}, "other"));
			idle.child.kill("SIGINT");
			expect(await secondsUntil(idle.ended)).toBeLessThan(5);
			expect(await idle.ended).toBe(130);
		});

		test.each(tellings)("a read that hangs ends by %s, and nothing is taken for gone", async (_, tell, reason) => {
			const host = await startConfigured();
			const { inputs } = await host.check(declared({ waitForActive: false }));
			const { id, props } = await host.create(inputs);
			const next = await startConfigured();
			const { id: rule } = emulator.control.faults.set({ operation: "*", every: true, kind: "hold" });
			const reading = next.read(id, props);
			reading.catch(() => {});
			await vi.waitFor(() => expect(emulator.control.faults.list()[0]).toMatchObject({ id: rule, held: 1 }), 10_000);
			tell(next);
			await expect(reading).rejects.toThrow(reason);
			await expect(reading).rejects.toThrow(/^GET \/numbers\S* was aborted: /);
		});

		test("after Cancel nothing more is bought", async () => {
			const host = await startConfigured();
			const { inputs } = await host.check(declared({}));
			await host.cancel();
			await expect(host.create(inputs)).rejects.toThrow(/was not sent: the run was cancelled\. Run `pulumi up` again/);
			expect(purchases()).toEqual([]);
		});
	});
});

test("a script that only requires the door keeps its signals and its end, whatever its arguments are", async () => {
	const folder = mkdtempSync(join(tmpdir(), "telephony-test-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
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
	["/a/node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js", "127.0.0.1:42115"],
	["/a/.pnpm/@pulumi+pulumi@3.270.0/node_modules/@pulumi/pulumi/cmd/dynamic-provider", "127.0.0.1:42115"],
	["C:\\a\\node_modules\\@pulumi\\pulumi\\cmd\\dynamic-provider\\index.js", "127.0.0.1:42115"],
	["/a/node_modules/@pulumi/pulumi/cmd/run/index.js", undefined],
	["/a/dynamic-provider/index.js", undefined],
])("the process of %s has the engine %s", (program, address) => {
	expect(engineOfHost(["node", program, "--logtostderr", "127.0.0.1:42115"])).toBe(address);
});
