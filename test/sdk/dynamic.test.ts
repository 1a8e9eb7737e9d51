import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { status } from "@grpc/grpc-js";
import { afterAll, describe, expect, it, test, vi } from "vitest";
import { providerText } from "../../sdk/dynamic";
import { useEmulator } from "../helpers/emulator";
import { run } from "../helpers/engine";
import { initFailureOf, useHost, type Values } from "../helpers/host";

const repository = resolve(__dirname, "../..");
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));

describe("the provider's text in the state", () => {
	it.each([
		["number", 'exports.handler = () => require("pulumi-telephony/provider").number;'],
		["sipTrunk", 'exports.handler = () => require("pulumi-telephony/provider").sipTrunk;'],
		["webhook", 'exports.handler = () => require("pulumi-telephony/provider").webhook;'],
		["activation", 'exports.handler = () => require("pulumi-telephony/provider").activation;'],
		["numberPool", 'exports.handler = () => require("pulumi-telephony/provider").numberPool;'],
	] as const)("of %s never changes, as states hold it for ever, and is short", (name, text) => {
		expect(providerText(name)).toBe(text);
		expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100);
	});

	it.each(["number", "sipTrunk", "webhook", "activation", "numberPool"] as const)(
		"of %s gives the host a whole handler",
		(name) => {
			const requireFromString = sdk("require-from-string") as (code: string) => { handler(): object };
			const handler = requireFromString(providerText(name)).handler();
			const methods = ["configure", "check", "diff", "create", "read", "update", "delete"];
			expect(handler).toMatchObject(Object.fromEntries(methods.map((method) => [method, expect.any(Function)])));
		},
	);
});

test("a run that needs no phone numbers and no YAML doesn't load them", async () => {
	const load = `require("./dist/provider"); const files = Object.keys(require.cache).join();
		console.log(["zod", "libphonenumber-js", "yaml"].filter((name) => files.includes(\`/node_modules/\${name}/\`)).join());`;
	const { stdout } = await run("node", ["-e", load], repository, process.env);
	expect(stdout.trim()).toBe("zod");
});

describe("a Node older than the floor", () => {
	const folder = mkdtempSync(join(tmpdir(), "telephony-old-"));
	afterAll(() => rmSync(folder, { recursive: true, force: true }));
	const disguise = join(folder, "disguise.cjs");
	writeFileSync(disguise, 'Object.defineProperty(process.versions, "node", { value: "20.11.0" });\n');
	const sentence =
		/^pulumi-telephony needs Node\.js 22\.19 or newer, and this is 20\.11\.0 \([^()\n]+\): install a newer Node\.js and run the command again\. \[telephony:node-version\]$/;

	it.each([
		"dist/sdk/index.js",
		"dist/provider/index.js",
		"dist/provider/api/client.js",
		"dist/emulator/index.js",
		"bin/telephony",
	])("gets one sentence from %s, before anything else is loaded", async (file) => {
		const path = JSON.stringify(join(repository, file));
		const attempt = `try { require(${path}) } catch (error) { console.log(error.stack) }
			console.error(Object.keys(require.cache).filter((file) => file.includes("node_modules")).length);`;
		const { stdout, output } = await run("node", ["--require", disguise, "-e", attempt], repository, process.env);
		expect(stdout.trim()).toMatch(sentence);
		expect(output.trim().split("\n").at(-1)).toBe("0");
	});

	it("gets it from the command too, and exit code 1", async () => {
		const bin = join(repository, "bin/telephony");
		const { code, output } = await run("node", ["--require", disguise, bin, "--help"], repository, process.env);
		expect(code).toBe(1);
		expect(output.match(/needs Node\.js/g)).toHaveLength(1);
		expect(output).not.toMatch(/^\s+at /m);
	});
});

describe("the dynamic host, driven by the protocol", () => {
	const emulator = useEmulator();
	const { log, start } = useHost();

	/** Lines to the engine are sent and not waited for. */
	const heard = (text: string) => vi.waitFor(() => expect(log.join("\n")).toContain(text));

	/** A run of its own, with the emulator's address and key in its configuration. */
	const startConfigured = async () => {
		const host = await start();
		await host.configure({ "telephony:apiKey": emulator.apiKey, "telephony:baseUrl": emulator.url });
		return host;
	};

	const types = { number: "Number", sipTrunk: "SipTrunk", webhook: "Webhook" } as const;
	type Kind = keyof typeof types;

	/** What the SDK registers beside the program's own inputs. */
	const declared = (kind: Kind, inputs: Values, name = "one"): Values => ({
		...inputs,
		__provider: providerText(kind),
		__resourceUrn: `urn:pulumi:dev::protocol::pulumi-nodejs:dynamic/telephony:${types[kind]}::${name}`,
	});

	const life: Record<Kind, { inputs: Values; changed: Values; live(): number }> = {
		number: {
			inputs: { country: "NL", type: "geographic", area: "20", label: "one" },
			changed: { country: "NL", type: "geographic", area: "20", label: "two" },
			live: () => emulator.live().length,
		},
		sipTrunk: {
			inputs: { auth: { mode: "digest", username: "desk-1" }, capacity: 2 },
			changed: { auth: { mode: "digest", username: "desk-1" }, capacity: 3 },
			live: () => emulator.control.state().trunks.length,
		},
		webhook: {
			inputs: { url: "https://hooks.example.com/a", events: ["message.received"] },
			changed: { url: "https://hooks.example.com/b", events: ["message.received"] },
			live: () => emulator.control.state().webhooks.length,
		},
	};
	const kinds = Object.keys(life) as Kind[];

	it("gives its configuration to every first call, however many come at once", async () => {
		const host = await startConfigured();
		// The host calls the handler's `configure` for the first call of a type and lets others overtake it.
		const calls = kinds.flatMap((kind) =>
			Array.from({ length: 8 }, (_, index) => ({ kind, news: declared(kind, life[kind].inputs, `r${index}`) })),
		);
		const answers = await Promise.all(
			calls.flatMap(({ kind, news }) => [
				host.check(news).then(({ failures }) => failures),
				host.diff("x", { ...news, token: "t" }, news).then(({ changes }) => [changes]),
				host.read(`${kind}_none`, { ...news, token: "t" }).catch((error: Error) => [error.message]),
			]),
		);
		// No check misses the key, and every read got through to the service, which knows no such object.
		const unknown = [expect.stringContaining("[telephony:wrong-account]")];
		expect(answers).toEqual(calls.flatMap(() => [[], [true], unknown]));
		expect(emulator.control.requests().filter(({ status }) => status === 401)).toEqual([]);
	});

	it("says what to do when there is no key, in check", async () => {
		const host = await start();
		await host.configure({});
		const { failures } = await host.check(declared("webhook", life.webhook.inputs));
		expect(failures).toEqual([expect.stringContaining("There is no API key")]);
	});

	it.each(kinds)("takes a %s from check to delete", async (kind) => {
		const { inputs, changed, live } = life[kind];
		const host = await startConfigured();

		const checked = await host.check(declared(kind, inputs));
		expect(checked.failures).toEqual([]);
		expect(checked.inputs.__provider).toBe(providerText(kind));
		const created = await host.create(checked.inputs);
		expect(live()).toBe(1);
		expect(created.props.__provider).toBe(providerText(kind));
		expect((await host.diff(created.id, created.props, checked.inputs)).changes).toBe(false);

		const read = await host.read(created.id, created.props);
		expect(read.id).toBe(created.id);
		expect(read.props).toEqual(created.props);
		expect((await host.diff(created.id, read.props, read.inputs)).changes).toBe(false);

		const again = await host.check(declared(kind, changed), checked.inputs);
		expect(again.failures).toEqual([]);
		expect((await host.diff(created.id, read.props, again.inputs)).changes).toBe(true);
		const updated = await host.update(created.id, read.props, again.inputs);
		expect(updated).toMatchObject(changed);
		expect(live()).toBe(1);

		// Within the run that declares it, a delete is part of a replacement, and takes nothing away.
		await host.delete(created.id, updated);
		expect(live()).toBe(1);
		await heard("this program still declares it");

		const destroy = await startConfigured();
		await destroy.delete(created.id, updated);
		expect(live()).toBe(0);
		expect((await destroy.read(created.id, updated)).id).toBe("");
		await destroy.delete(created.id, updated);
	});

	it("hands over a number that is bought but not active with id, reasons and properties", async () => {
		const host = await startConfigured();
		const news = declared("number", { country: "DE", type: "geographic", area: "30", activationTimeout: 1 }, "berlin");
		const { inputs } = await host.check(news);
		const failure = await initFailureOf(host.create(inputs));
		expect(failure.code).toBe(status.UNKNOWN);
		expect(failure.message).toContain("is bought and saved, but not active yet");
		const [bought] = emulator.control.state().numbers;
		expect(failure.id).toBe(bought?.id);
		expect(failure.reasons).toEqual([failure.message]);
		const { props } = failure;
		expect(props).toMatchObject({ country: "DE", status: "pending", number: bought?.number });
		expect(props.__provider).toBe(providerText("number"));
		await heard("KYC action required");

		// With that the next run goes on: it sees an update, which ends once the service has decided.
		emulator.control.decide(String(bought?.id), "approve");
		expect((await host.diff(String(bought?.id), props, inputs)).changes).toBe(true);
		expect(await host.update(String(bought?.id), props, inputs)).toMatchObject({ status: "active" });
		expect(emulator.control.ledger()).toHaveLength(1);
	});
});
