/** Whatever a program declares, both fronts' processes answer alike, and neither breaks. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createEmulator, type Emulator } from "../../emulator";
import { signature, unknownValue } from "../../provider/properties/table";
import { textFor } from "../helpers/fronts";
import { type Engine, type HostProcess, openEngine, startHost } from "../helpers/host-process.mts";
import { allKinds } from "../helpers/kinds";
import { asSecret, type Values } from "../helpers/protocol.mts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

describe("whatever a program declares", () => {
	let [engine, emulator]: [Engine?, Emulator?] = [];
	const hosts = {} as Record<"dynamic" | "plugin", HostProcess>;
	beforeAll(async () => {
		emulator = await createEmulator({ kyc: "immediate" });
		engine = await openEngine(() => {});
		const env = { TELEPHONY_API_KEY: "canary-key-4711", TELEPHONY_BASE_URL: emulator.url };
		for (const front of ["dynamic", "plugin"] as const) {
			hosts[front] = await startHost(engine, env, front);
			await hosts[front].configure({});
		}
	});
	afterAll(async () => {
		for (const host of Object.values(hosts)) await host.kill();
		engine?.kill();
		await emulator?.close();
	});

	const marked = (kind: string) => ({ [signature]: kind, text: "x", uri: "https://a.example.com/" });
	const odd = fc.oneof(
		fc.constant(unknownValue),
		fc.constant(marked("c44067f5952c0a294b673a41bacd8c17")),
		fc.constant(marked("0def7320c3a5731c473e5ecbe6d01bc7")),
		fc.constant(marked("5cf8f73096256a8f31e491e813e4eb8e")),
		fc.jsonValue({ maxDepth: 3 }),
		fc.string({ unit: "binary" }),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
	);
	/** Somewhere in it something else. */
	const bent = (value: unknown, path: readonly number[], by: unknown): unknown => {
		const [first, ...rest] = path;
		if (first === undefined || typeof value !== "object" || value === null) return by;
		const keys = Object.keys(value).filter((key) => key !== "__provider" && key !== "resourceUrn");
		const key = keys[first % Math.max(1, keys.length)];
		if (key === undefined) return by;
		const inner = bent((value as Values)[key as keyof Values], rest, by);
		return Array.isArray(value)
			? value.map((item, index) => (String(index) === key ? inner : item))
			: { ...value, [key]: inner };
	};
	/** Each text a secret, as an engine that marks them would send it. */
	const sealed = (value: unknown): unknown => {
		if (typeof value === "string" && value !== unknownValue) return asSecret(value);
		if (Array.isArray(value)) return value.map(sealed);
		if (typeof value !== "object" || value === null || signature in value) return value;
		return Object.fromEntries(
			Object.entries(value).map(([key, item]) => [key, /^(__provider|resourceUrn)$/.test(key) ? item : sealed(item)]),
		);
	};

	test.each(allKinds)(
		"of a $noun, both fronts answer alike, and secrets are opened and marked again",
		async ({ args, declare }) => {
			const wishes = fc.tuple(args, fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }), fc.option(odd));
			await fc.assert(
				fc.asyncProperty(wishes, wishes, async ([one, path, by], [other]) => {
					const whole = textFor(declare(one) as Values);
					const news = (by === null ? whole : bent(whole, path, by)) as Values;
					const [dynamic, plugin] = [await hosts.dynamic.check(news), await hosts.plugin.check(news)];
					const opened = await hosts.plugin.check(sealed(news) as Values);
					expect(plugin.failures, "plugin failures").toEqual(dynamic.failures);
					expect(opened.failures, "opened failures").toEqual(dynamic.failures);
					// What is refused may look otherwise: an empty list where an object belongs is one to the plugin.
					if (dynamic.failures.length > 0) return;
					expect({ plugin, opened }).toEqual({ plugin: dynamic, opened: dynamic });
					const olds = (await hosts.dynamic.check(textFor(declare(other) as Values))).inputs;
					const [before, after] = [
						await hosts.dynamic.diff("id_1", olds, dynamic.inputs),
						await hosts.plugin.diff("id_1", olds, dynamic.inputs),
					];
					expect(after).toMatchObject({ changes: before.changes, replaces: before.replaces });
					expect(await hosts.plugin.previews.create(plugin.inputs)).toMatchObject(plugin.inputs);
					expect(await hosts.plugin.previews.update("id_1", olds, plugin.inputs)).toMatchObject(plugin.inputs);
				}),
				{ numRuns: 40 },
			);
			expect(hosts.plugin.errors() + hosts.dynamic.errors()).not.toContain("canary-key-4711");
			// A preview asks what a purchase costs, and what markets ask of a profile.
			const isOfPreview = ({ path }: { path: string }) => /^\/v1\/(available_numbers|kyc\/requirements)\?/.test(path);
			const asked = emulator?.control.requests().filter((request) => !isOfPreview(request));
			expect(asked).toEqual([]);
		},
	);
});
