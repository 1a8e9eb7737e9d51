/** The plugin's process, driven by the engine's protocol: what only this front can do, and what it refuses. */
import { describe, expect, test } from "vitest";
import { unknownValue } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { initFailureOf, useHost, type Values } from "../../helpers/host";
import { asSecret } from "../../helpers/protocol.mts";
import { aNumber, aTrunk, aWebhook } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const { start, share } = useHost("plugin");
const settings = () => ({ apiKey: emulator.apiKey, baseUrl: emulator.url });
const writes = () => emulator.control.requests().filter(({ method }) => method !== "GET");
const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "x" } as Values;

const open = async (more: Values = {}) => {
	const host = await share();
	await host.configure({ ...settings(), ...more });
	return host;
};

const checked = async (host: Awaited<ReturnType<typeof open>>, news: Values, olds: Values = {}) => {
	const { inputs, failures } = await host.check(news, olds);
	expect(failures).toEqual([]);
	return inputs;
};
const made = async (host: Awaited<ReturnType<typeof open>>, news: Values) => {
	const inputs = await checked(host, news);
	return { inputs, ...(await host.create(inputs)) };
};
const number = (more: Values = {}, name?: string) => aNumber(more, name) as Values;

describe("a provider's own properties", () => {
	test("are checked: the key is marked as a secret, what is missing or misspelled is named", async () => {
		const host = await share();
		const { inputs, failures } = await host.plugin.checkConfig(settings());
		expect(inputs).toEqual({ baseUrl: emulator.url, apiKey: asSecret(emulator.apiKey) });
		expect(failures).toEqual([]);
		const wrong = async (news: Values) => (await host.plugin.checkConfig(news)).failures;
		expect(await wrong({ baseUrl: emulator.url })).toEqual([expect.stringContaining("There is no API key")]);
		expect(await wrong({ apiKey: "k", baseUrl: "ftp://x" })).toHaveLength(1);
		expect(await wrong({ ...settings(), apikey: "k" })).toEqual([
			"apikey: there is no such property. Did you mean apiKey?",
		]);
		const inContainer = { ...settings(), baseUrl: "http://emulator:4010/v1" };
		expect(await wrong({ ...inContainer, allowHttp: "emulator" })).toEqual([]);
		expect(await wrong({ ...inContainer, allowHttp: "*" })).toEqual([expect.stringContaining("telephony:allowHttp")]);
		expect(await wrong(inContainer)).toEqual([expect.stringContaining("telephony:allowHttp")]);
		expect(await wrong({ ...settings(), features: "patchNumbr" })).toEqual([expect.stringContaining("patchNumbr")]);
		// Not known before up.
		expect(await wrong({ apiKey: "k", baseUrl: unknownValue })).toEqual([]);
	});

	test("change in place: another key or address never replaces a provider", async () => {
		// Not configured yet.
		const host = await start();
		const news = { ...settings(), apiKey: "another", baseUrl: "https://b.example.com/v1" };
		expect(await host.plugin.diffConfig(settings(), news)).toEqual({ changes: true, replaces: false });
		expect(await host.plugin.diffConfig(settings(), settings())).toEqual({ changes: false, replaces: false });
	});

	test("win over the environment where a program gives them, and only there", async () => {
		const wrong = { TELEPHONY_API_KEY: "of-somebody-else", TELEPHONY_BASE_URL: emulator.url };
		const own = await start(wrong);
		await own.configure({ apiKey: emulator.apiKey }, "eu");
		await made(own, number());
		const standard = await start(wrong);
		await standard.configure({ apiKey: emulator.apiKey });
		const inputs = await checked(standard, number({}, "other"));
		await expect(standard.create(inputs)).rejects.toThrow("[telephony:rejected-key]");
		expect(emulator.control.ledger()).toHaveLength(1);
	});

	test("refuse what belongs to a provider of another account", async () => {
		const host = await share();
		await host.configure(settings(), "eu");
		const from = (olds: Values) => host.plugin.diffConfig({ ...settings(), ...olds }, settings(), "eu");
		expect(await from({})).toEqual({ changes: false, replaces: false });
		await expect(from({ baseUrl: "https://us.example.com/v1" })).rejects.toThrow("[telephony:wrong-account]");
		await expect(from({ apiKey: "us-key" })).rejects.toThrow(/"eu", which has another apiKey.*Nothing was changed/);
	});
});

describe("a difference", () => {
	test("has a path and a kind for each value", async () => {
		const host = await open();
		const routing = { type: "sip_uri", uri: "sip:a@pbx.example.com" };
		const before = number({ label: "a", metadata: { team: "x", "cost centre": "1", gone: "1" }, routing });
		const { inputs, id, props } = await made(host, before);
		const now = { ...routing, uri: "sip:b@pbx.example.com", ringTimeoutSeconds: 20 };
		const news = { ...inputs, smsWebhookUrl: "https://a.example.com/", routing: now, generation: 1 };
		const metadata = { team: "y", "cost centre": "2" };
		const { label: _, ...rest } = { ...news, metadata } as Values;
		expect(await host.diff(id, props, rest)).toEqual({
			changes: true,
			replaces: true,
			detail: {
				label: "DELETE",
				smsWebhookUrl: "ADD",
				"routing.uri": "UPDATE",
				"routing.ringTimeoutSeconds": "ADD",
				"metadata.team": "UPDATE",
				'metadata["cost centre"]': "UPDATE",
				"metadata.gone": "DELETE",
				generation: "UPDATE_REPLACE",
			},
		});
		expect(await host.diff(id, props, inputs)).toEqual({ changes: false, replaces: false, detail: {} });
	});

	test("that a program ignores is none, in a refresh too", async () => {
		const host = await open();
		const { inputs, props } = await made(host, number({ label: "a", metadata: { team: "x" } }));
		const live = { ...props, label: "by hand", metadata: { team: "by hand" } };
		const ignored = ["label", "metadata.team"];
		expect(await host.plugin.diffBeside(live, inputs, ignored)).toMatchObject({ changes: false, detail: {} });
		expect(await host.plugin.diffBeside(live, inputs, ["label"])).toMatchObject({
			changes: true,
			detail: { "metadata.team": "UPDATE" },
		});
	});
});

describe("a preview", () => {
	test("shows what is declared and what stays, and writes nothing", async () => {
		const host = await open();
		const created = await host.previews.create(await checked(host, number({ label: unknownValue })));
		expect(created).toMatchObject({
			country: "NL",
			label: unknownValue,
			phoneNumber: unknownValue,
			status: unknownValue,
		});
		expect(writes()).toEqual([]);
	});

	test.each([
		["another password of yours", { auth: { mode: "digest", username: "office", password: "another-password-1" } }],
		["a rotation", { passwordRotation: 2 }],
	])("doesn't know the secret that comes of %s", async (_, change) => {
		const host = await open();
		const auth = { mode: "digest", username: "office", password: "correct-horse-1" };
		const { inputs, id, props } = await made(host, aTrunk({ auth }) as Values);
		const before = writes().length;
		const same = await host.previews.update(id, props, { ...inputs, capacity: 11 });
		expect(same).toMatchObject({ password: props.password, sipDomain: props.sipDomain, updatedAt: unknownValue });
		const other = await host.previews.update(id, props, { ...inputs, ...change } as Values);
		expect(other).toMatchObject({
			password: unknownValue,
			passwordUpdatedAt: unknownValue,
			sipDomain: props.sipDomain,
		});
		expect(writes()).toHaveLength(before);
	});
});

describe("what can't be", () => {
	test.each<[string, Values, string]>([
		[
			"an asset for an object",
			number({ metadata: asset, routing: { type: "forward", to: asset } }),
			"metadata: must be a plain value, not an asset, an archive or a resource",
		],
		[
			"a secret asset in a list",
			aWebhook({ events: [asSecret(asset)] }) as Values,
			"events[0]: must be a plain value, not an asset, an archive or a resource",
		],
	])("is refused at its path: %s", async (_, news, failure) => {
		const host = await open();
		const { failures } = await host.check(news);
		expect(failures).toContainEqual(expect.stringContaining(failure));
		expect(failures.join()).not.toContain("4dabf");
		expect(emulator.control.requests()).toEqual([]);
	});

	test("is said of a provider without a key, at each resource", async () => {
		const host = await share();
		await host.configure({});
		expect((await host.check(number())).failures).toEqual([expect.stringContaining("There is no API key")]);
	});

	test("is said of an id that doesn't exist, on import", async () => {
		const host = await open();
		for (const [id, declared] of [
			["num_none", number()],
			["+4930000000", number()],
			["trk_none", aTrunk() as Values],
			["whk_none", aWebhook() as Values],
		] as const) {
			const refused = String(await host.plugin.import(id, declared).catch((error: Error) => error.message));
			expect(refused).toContain(id);
			expect(refused).toMatch(/Nothing was imported\. Use the id of an existing object.*\[telephony:not-found\]/s);
			// The state has nothing yet that it could remove.
			expect(refused).not.toContain("refresh");
		}
	});
});

describe("a pending number", () => {
	const german = (more: Values = {}) => number({ country: "DE", ...more }, "berlin");

	test("is saved once customTimeouts has passed, and the state keeps what the program says", async () => {
		emulator.control.kyc("manual");
		const host = await open();
		const inputs = await checked(host, german({ activationTimeoutSeconds: 500 }));
		const late = await initFailureOf(host.plugin.createWithin(1, inputs));
		expect(late.reasons).toEqual([expect.stringMatching(/not active yet after 1 s.*\[telephony:kyc-pending\]/)]);
		expect(late.props).toMatchObject({ activationTimeoutSeconds: 500, status: "pending" });
		expect(late.refreshesBeforeUpdate).toBe(true);
	});

	test("stays unfinished in a refresh, which says what it waits for; once it is active, nothing is left", async () => {
		emulator.control.kyc("manual");
		const host = await open();
		const inputs = await checked(host, german());
		const { id, props } = await initFailureOf(host.plugin.createWithin(1, inputs));
		const read = await initFailureOf(host.read(id, props, inputs));
		expect(read.id).toBe(id);
		expect(read.reasons).toEqual([expect.stringContaining('status is "pending" instead of "active": ')]);
		expect(read.props).toMatchObject({ status: "pending", token: props.token });
		emulator.control.decide(id, "approve");
		expect(await (await open()).read(id, props, inputs)).toMatchObject({ id, props: { status: "active" } });
	});

	test("that nobody waits for is read like any other", async () => {
		emulator.control.kyc("manual");
		const host = await open();
		const { inputs, id, props } = await made(host, german({ waitForActive: false }));
		expect(await host.read(id, props, inputs)).toMatchObject({ id, props: { status: "pending" } });
	});
});
