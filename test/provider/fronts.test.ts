/** The processes of the dynamic provider and the plugin do what the handlers do, field by field. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createEmulator, type Emulator } from "../../emulator";
import { signature, unknownValue } from "../../provider/properties/table";
import { openRun, type Run, textFor, ways } from "../helpers/fronts";
import { type Engine, type HostProcess, openEngine, startHost } from "../helpers/host-process.mts";
import { allKinds, digest } from "../helpers/kinds";
import { asSecret, InitFailed, type Values } from "../helpers/protocol.mts";
import { aNumber, aTrunk, aWebhook } from "../helpers/provider";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let engine: Engine;
beforeAll(async () => {
	engine = await openEngine(() => {});
});
afterAll(() => engine.kill());

describe("in each way to run the provider", () => {
	const result = async (work: Promise<unknown>): Promise<unknown> => {
		try {
			return (await work) ?? "done";
		} catch (error) {
			if (!(error instanceof InitFailed)) return { refused: (error as Error).message };
			return { saved: error.id, code: error.code, reasons: error.reasons, props: error.props };
		}
	};
	/** Names what differs from run to run by the order in which it came. */
	const comparable = (seen: unknown): unknown => {
		const names = new Map<string, string>();
		const named = (text: string) => {
			names.set(text, names.get(text) ?? `name ${names.size}`);
			return names.get(text) ?? "";
		};
		const text = JSON.stringify(seen, (key, value: unknown) => (/^(leases?|secretHint)$/.test(key) ? key : value))
			.replaceAll(/\b(num|trk|whk|req)_[A-Za-z0-9]+|\+\d{8,15}|whsec_[A-Za-z0-9+/=]+|[\w-]+\.sip\.[\w.-]+/g, named)
			.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
			.replaceAll(/pulumi-nodejs:dynamic\/telephony:|telephony:index:/g, "");
		return JSON.parse(text, (key, value: unknown) => (key === "password" && !/-horse-/.test(`${value}`) ? key : value));
	};

	type Edit = (emulator: Emulator, id: string) => unknown;
	const life = async (run: Run, emulator: Emulator, [before, after, edit]: readonly [object, object, Edit]) => {
		const seen: unknown[] = [];
		const checked = async (news: object, olds?: Values) => {
			const { inputs, failures } = await run.check(textFor(news as Values), olds);
			seen.push(inputs, failures);
			return inputs;
		};
		const inputs = await checked(before);
		const made = (await result(run.create(inputs))) as { id?: string; saved?: string; props?: Values };
		const { id = made.saved, props } = made;
		if (id === undefined || props === undefined) return [...seen, made];
		const news = await checked(after, inputs);
		const [same, changed] = [await run.diff(id, props, inputs), await run.diff(id, props, news)];
		seen.push(made, await run.read(id, props, inputs), same.changes, changed.changes, changed.replaces);
		const done = (await result(run.update(id, props, news))) as Values & { saved?: string; props?: Values };
		const updated = done.saved === undefined ? done : (done.props ?? {});
		edit(emulator, id);
		const drifted = await run.read(id, updated, news);
		seen.push(done, drifted, (await run.diff(id, drifted.props, news)).changes);
		return [...seen, await result(run.delete(id, updated)), await result(run.delete(id, updated))];
	};
	const german = (more: object = {}) => aNumber({ country: "DE", activationTimeoutSeconds: 1, ...more });

	test.each<readonly [string, object, object, Edit]>([
		[
			"a number",
			aNumber({ label: "a", metadata: { team: "x" }, routing: { type: "forward", to: "+49 30 901820" } }),
			aNumber({ label: "b", smsWebhookUrl: "https://a.example.com/" }),
			({ control }, id) => control.patchNumber(id, { reference: "order 4711" }),
		],
		[
			"a trunk with a generated password",
			aTrunk({ auth: digest, targets: [{ host: "PBX.example.com" }] }),
			aTrunk({ auth: digest, capacity: 11, passwordRotation: 1 }),
			({ control }, id) => control.patchTrunk(id, { capacity: 99 }),
		],
		[
			"a trunk with a password of the program",
			aTrunk({ auth: { ...digest, password: "correct-horse-1" } }),
			aTrunk({ auth: { ...digest, password: "another-horse-1" } }),
			({ control }, id) => control.patchTrunk(id, { name: "by hand" }),
		],
		[
			"a webhook",
			aWebhook(),
			aWebhook({ description: "b", secretRotation: 1 }),
			({ control }, id) => control.patchWebhook(id, { description: "by hand", rotate_secret: true }),
		],
		["a pending number", german(), german({ label: "a" }), ({ control }, id) => control.decide(id, "approve")],
		["a replaced number", aNumber(), aNumber({ generation: 1 }), ({ control }, id) => control.deleteNumber(id)],
		["a number that is sold out", aNumber({ country: "FR" }), aNumber(), () => {}],
	])("returns the same for %s", async (_, ...story) => {
		const seen: unknown[] = [];
		for (const way of ways) {
			const emulator = await createEmulator({ kyc: "manual" });
			emulator.control.settings({ exhausted: ["FR"] });
			const run = await openRun(way, emulator, engine);
			seen.push(comparable(await life(run, emulator, story)));
			await run.close();
			await emulator.close();
		}
		const [expected, dynamic, plugin] = seen;
		expect(dynamic).toEqual(expected);
		expect(plugin).toEqual(expected);
	});
});

describe("for any declaration", () => {
	let emulator: Emulator;
	const hosts = {} as Record<"dynamic" | "plugin", HostProcess>;
	beforeAll(async () => {
		emulator = await createEmulator({ kyc: "immediate" });
		const env = { TELEPHONY_API_KEY: "canary-key-4711", TELEPHONY_BASE_URL: emulator.url };
		for (const front of ["dynamic", "plugin"] as const) {
			hosts[front] = await startHost(engine, env, front);
			await hosts[front].configure({});
		}
	});
	afterAll(async () => {
		for (const host of Object.values(hosts)) await host.kill();
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
		const keys = Object.keys(value).filter((key) => key !== "__provider" && key !== "resourceUrn");
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
		const isOurs = (key: string) => /^(__provider|resourceUrn)$/.test(key);
		return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, isOurs(key) ? item : sealed(item)]));
	};

	test.each(allKinds)(
		"both processes return the same for a $noun, and none shows the key",
		async ({ args, declare }) => {
			const wishes = fc.tuple(args, fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }), fc.option(odd));
			await fc.assert(
				fc.asyncProperty(wishes, wishes, async ([one, path, by], [other]) => {
					const whole = textFor(declare(one) as Values);
					const news = (by === null ? whole : bent(whole, path, by)) as Values;
					const [dynamic, plugin] = [await hosts.dynamic.check(news), await hosts.plugin.check(news)];
					const opened = await hosts.plugin.check(sealed(news) as Values);
					expect([plugin.failures, opened.failures]).toEqual([dynamic.failures, dynamic.failures]);
					// Refused inputs may differ: to the plugin, an empty list in the place of an object is one.
					if (dynamic.failures.length > 0) return;
					expect({ plugin, opened }).toEqual({ plugin: dynamic, opened: dynamic });
					const olds = (await hosts.dynamic.check(textFor(declare(other) as Values))).inputs;
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
		},
	);
});
