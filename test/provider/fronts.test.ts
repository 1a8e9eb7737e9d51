/** The processes of the dynamic provider and the plugin return the same for any declaration. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createEmulator, type Emulator } from "../../emulator";
import { signature, unknownValue } from "../../provider/properties/table";
import { type Engine, type HostProcess, openEngine, startHost } from "../helpers/host-process.mts";
import { allKinds } from "../helpers/kinds";
import { asSecret, type Values } from "../helpers/protocol.mts";
import { nameIn } from "../helpers/runs";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** Adds the text that the engine's host runs, as the SDK does. */
const textFor = (news: Values): Values =>
	({ ...news, __provider: `exports.handler = () => require("pulumi-telephony/provider").${nameIn(news)};` }) as Values;

let engine: Engine;
let emulator: Emulator;
const hosts = {} as Record<"dynamic" | "plugin", HostProcess>;
beforeAll(async () => {
	[engine, emulator] = await Promise.all([openEngine(() => {}), createEmulator({ kyc: "immediate" })]);
	const env = { TELEPHONY_API_KEY: "canary-key-4711", TELEPHONY_BASE_URL: emulator.url };
	for (const front of ["dynamic", "plugin"] as const) {
		hosts[front] = await startHost(engine, env, front);
		await hosts[front].configure({});
	}
});
afterAll(async () => {
	for (const host of Object.values(hosts)) await host.kill();
	engine.kill();
	await emulator.close();
});

const marked = (kind: string) => ({ [signature]: kind, text: "x", uri: "https://a.example.com/" });
const odd = fc.oneof(
	fc.constantFrom<unknown>(
		unknownValue,
		marked("c44067f5952c0a294b673a41bacd8c17"),
		marked("0def7320c3a5731c473e5ecbe6d01bc7"),
		marked("5cf8f73096256a8f31e491e813e4eb8e"),
	),
	fc.jsonValue({ maxDepth: 3 }),
	fc.string({ unit: "binary" }),
	fc.double({ noNaN: true, noDefaultInfinity: true }),
);
/** Puts another value somewhere into it. */
const bent = (value: unknown, [first, ...rest]: readonly number[], by: unknown): unknown => {
	if (first === undefined || typeof value !== "object" || value === null) return by;
	const keys = Object.keys(value).filter((key) => key !== "__provider" && key !== "__resourceUrn");
	const key = keys[first % Math.max(1, keys.length)];
	if (key === undefined) return by;
	const inner = bent((value as Values)[key as keyof Values], rest, by);
	return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner };
};
/** Each text a secret, as an engine that marks them would send it. */
const sealed = (value: unknown): unknown => {
	if (typeof value === "string" && value !== unknownValue) return asSecret(value);
	if (Array.isArray(value)) return value.map(sealed);
	if (typeof value !== "object" || value === null || signature in value) return value;
	const isOurs = (key: string) => /^(__provider|__resourceUrn)$/.test(key);
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, isOurs(key) ? item : sealed(item)]));
};

test.each(allKinds)("both processes return the same for a $noun, and none shows the key", async ({ args, declare }) => {
	const wishes = fc.tuple(args, fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }), fc.option(odd));
	await fc.assert(
		fc.asyncProperty(wishes, wishes, async ([args, path, by], [oldArgs]) => {
			const whole = textFor(declare(args) as Values);
			const news = (by === null ? whole : bent(whole, path, by)) as Values;
			const [dynamic, plugin] = [await hosts.dynamic.check(news), await hosts.plugin.check(news)];
			const opened = await hosts.plugin.check(sealed(news) as Values);
			expect([plugin.failures, opened.failures]).toEqual([dynamic.failures, dynamic.failures]);
			// Refused inputs may differ: to the plugin, an empty list in the place of an object is one.
			if (dynamic.failures.length > 0) return;
			expect({ plugin, opened }).toEqual({ plugin: dynamic, opened: dynamic });
			const olds = (await hosts.dynamic.check(textFor(declare(oldArgs) as Values))).inputs;
			const { changes, replaces } = await hosts.dynamic.diff("id_1", olds, dynamic.inputs);
			expect(await hosts.plugin.diff("id_1", olds, dynamic.inputs)).toMatchObject({ changes, replaces });
			expect(await hosts.plugin.previews.create(plugin.inputs)).toMatchObject(plugin.inputs);
			expect(await hosts.plugin.previews.update("id_1", olds, plugin.inputs)).toMatchObject(plugin.inputs);
		}),
		{ numRuns: 40 },
	);
	expect(hosts.plugin.errors() + hosts.dynamic.errors()).not.toContain("canary-key-4711");
	// A preview reads prices, and what markets need of a profile.
	const isOfPreview = ({ path }: { path: string }) => /^\/v1\/(available_numbers|kyc\/requirements)\?/.test(path);
	expect(emulator.control.requests().filter((request) => !isOfPreview(request))).toEqual([]);
});
