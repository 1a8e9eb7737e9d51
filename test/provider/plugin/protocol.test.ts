/** The plugin's process, driven by the engine's protocol: what the dynamic provider doesn't have, and what it refuses. */
import { describe, expect, test } from "vitest";
import { opened } from "../../../provider/plugin/values";
import { unknownValue } from "../../../provider/properties/table";
import { stackVariables } from "../../../provider/session/config";
import { useEmulator } from "../../helpers/emulator";
import { useHost, type Values } from "../../helpers/host";
import { asSecret } from "../../helpers/protocol.mts";
import { aNumber, aTrunk, aWebhook } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const { start, share } = useHost("plugin");
const settings = () => ({ apiKey: emulator.apiKey, baseUrl: emulator.url });
const mark = "4dabf18193072939515e22adb298388d";
const asset = { [mark]: "c44067f5952c0a294b673a41bacd8c17", text: "x" } as Values;

const open = async (more: Values = {}) => {
	const host = await share();
	await host.configure({ ...settings(), ...more });
	return host;
};
type Host = Awaited<ReturnType<typeof open>>;
const checked = async (host: Host, news: Values, olds: Values = {}) => {
	const { inputs, failures } = await host.check(news, olds);
	expect(failures).toEqual([]);
	return inputs;
};
const made = async (host: Host, news: Values) => {
	const inputs = await checked(host, news);
	return { inputs, ...(await host.create(inputs)) };
};
const number = (more: Values = {}, name?: string) => aNumber(more, name) as Values;
const unchanged = { changes: false, replaces: false };

describe("a provider's own properties", () => {
	test("are checked, with the key as a secret and each mistake by its name", async () => {
		const { plugin } = await share();
		const { inputs, failures } = await plugin.checkConfig(settings());
		expect([inputs, failures]).toEqual([{ baseUrl: emulator.url, apiKey: asSecret(emulator.apiKey) }, []]);
		const inContainer = { apiKey: "k", baseUrl: "http://emulator:4010/v1" };
		const mistakes: [Values, ...names: string[]][] = [
			[{ baseUrl: emulator.url }, "API key"],
			[{ apiKey: "k", baseUrl: "ftp://x" }, "baseUrl"],
			[{ ...settings(), apikey: "k" }, "apiKey"],
			[{ ...inContainer, allowHttp: "emulator" }],
			[{ ...inContainer, allowHttp: "*" }, "allowHttp"],
			[inContainer, "allowHttp"],
			[{ ...settings(), features: "patchNumbr" }, "patchNumbr"],
			[{ ...settings(), account: "+3120123456O" }, "telephony:account"],
			[{ ...settings(), account: " " }, "telephony:account"],
			[{ ...settings(), acount: "acc_1" }, "account"],
			[{ ...settings(), account: unknownValue }],
			[{ ...settings(), service: { records: { number: { idd: "x" } } } as Values }, "records.number.idd"],
			// Known only during up.
			[{ apiKey: "k", baseUrl: unknownValue }],
		];
		for (const [news, ...names] of mistakes)
			expect((await plugin.checkConfig(news)).failures).toEqual(names.map((name) => expect.stringContaining(name)));
	});

	test("change in place, before the provider is configured", async () => {
		const { plugin } = await start();
		const news = { apiKey: "another", baseUrl: "https://b.example.com/v1" };
		expect(await plugin.diffConfig(settings(), news)).toEqual({ changes: true, replaces: false });
		expect(await plugin.diffConfig(settings(), settings())).toEqual(unchanged);
	});

	test("win over the environment in an explicit provider only", async () => {
		const wrong = { TELEPHONY_API_KEY: "of-somebody-else", TELEPHONY_BASE_URL: emulator.url };
		const [explicit, standard] = [await start(wrong), await start(wrong)];
		await explicit.configure({ apiKey: emulator.apiKey }, "eu");
		await made(explicit, number());
		await standard.configure({ apiKey: emulator.apiKey });
		await expect(made(standard, number({}, "other"))).rejects.toThrow("[telephony:rejected-key]");
		expect(emulator.purchases()).toHaveLength(1);
	});

	test("win over the stack's configuration in the variables of a command", async () => {
		const ofStack = { TELEPHONY_FEATURES: "-reference", ...stackVariables.named(["TELEPHONY_FEATURES"]) };
		const [explicit, standard] = [await start(ofStack), await start(ofStack)];
		await explicit.configure(settings(), "eu");
		await standard.configure(settings());
		for (const [host, name] of [
			[explicit, "own"],
			[standard, "default"],
		] as const)
			await made(host, number({}, name));
		expect(emulator.live().map(({ reference }) => Boolean(reference))).toEqual([true, false]);
	});

	test.each<
		[string, provider: string, account: string | undefined, variables: Record<string, string>, isRefused: boolean]
	>([
		["the stack's, for the default provider", "default", "acc_other", {}, true],
		["its own, for a program's provider", "eu", "acc_other", {}, true],
		["the stack's, for a program's provider", "eu", undefined, { PULUMI_CONFIG: '{"account":"acc_other"}' }, true],
		["its own over the stack's", "eu", "right", { PULUMI_CONFIG: '{"account":"acc_other"}' }, false],
		["none over the stack's", "eu", "none", { PULUMI_CONFIG: '{"account":"acc_other"}' }, false],
		["the environment's", "default", "right", { TELEPHONY_ACCOUNT: "acc_other" }, true],
		["its own over the environment's", "eu", "right", { TELEPHONY_ACCOUNT: "acc_other" }, false],
		["the environment's for one without its own", "eu", undefined, { TELEPHONY_ACCOUNT: "acc_other" }, true],
	])("pin %s", async (_, provider, given, variables, isRefused) => {
		const host = await start(variables);
		const account = given === "right" ? emulator.control.state().account.id : given;
		await host.configure({ ...settings(), ...(account && { account }) }, provider);
		const making = made(host, number());
		if (isRefused) await expect(making).rejects.toThrow("[telephony:wrong-account]");
		else await making;
		expect(emulator.purchases()).toHaveLength(isRefused ? 0 : 1);
	});

	test("refuse a resource of a provider of another account", async () => {
		const { configure, plugin } = await share();
		await configure(settings(), "eu");
		const from = (olds: Values) => plugin.diffConfig({ ...settings(), ...olds }, settings(), "eu");
		expect(await from({})).toEqual(unchanged);
		for (const olds of [{ baseUrl: "https://us.example.com/v1" }, { apiKey: "us-key" }])
			await expect(from(olds)).rejects.toThrow("[telephony:wrong-account]");
	});
});

test("sends no write for a preview", async () => {
	const host = await open();
	const { id, inputs, props } = await made(host, number());
	const writes = emulator.writes();
	await host.previews.create(await checked(host, number({}, "second")));
	await host.previews.update(id, props, await checked(host, number({ label: "Desk" }), inputs));
	expect(emulator.writes()).toEqual(writes);
});

test("returns a path and a kind for each difference that isn't ignored", async () => {
	const host = await open();
	const routing = { type: "sip_uri", uri: "sip:a@pbx.example.com" };
	const metadata = { team: "x", "cost centre": "1", gone: "1" };
	const { inputs, id, props } = await made(host, number({ label: "a", metadata, routing }));
	const { label: _, ...news } = {
		...{ ...inputs, smsWebhookUrl: "https://a.example.com/", generation: 1 },
		routing: { ...routing, uri: "sip:b@pbx.example.com", ringTimeoutSeconds: 20 },
		metadata: { team: "y", "cost centre": "2" },
	} as Values;
	const detail = {
		...{ label: "DELETE", smsWebhookUrl: "ADD", "routing.uri": "UPDATE", "routing.ringTimeoutSeconds": "ADD" },
		...{ "metadata.team": "UPDATE", 'metadata["cost centre"]': "UPDATE", "metadata.gone": "DELETE" },
		generation: "UPDATE_REPLACE",
	};
	expect(await host.diff(id, props, news)).toEqual({ changes: true, replaces: true, detail });
	expect(await host.diff(id, props, inputs)).toEqual({ ...unchanged, detail: {} });
	const live = { ...props, label: "by hand", metadata: { ...metadata, team: "by hand" } };
	const beside = (...ignored: string[]) => host.plugin.diffBeside(live, inputs, ignored);
	expect(await beside("label", "metadata.team")).toMatchObject({ changes: false, detail: {} });
	expect(await beside("label")).toMatchObject({ changes: true, detail: { "metadata.team": "UPDATE" } });
});

test("shows no unknown difference before the check of each operation", async () => {
	const host = await open();
	const { inputs, id, props } = await made(host, number({ label: "a" }));
	const unknown = { ...inputs, label: unknownValue };
	const detail = async () => (await host.diff(id, props, unknown)).detail;
	expect(await detail()).toEqual({ label: "UPDATE" });
	await host.configure(settings());
	expect(await detail()).toEqual({});
});

test.each([{ auth: { mode: "digest", username: "office", password: "another-password-1" } }, { passwordRotation: 2 }])(
	"previews an unknown secret for %j",
	async (change) => {
		const host = await open();
		const auth = { mode: "digest", username: "office", password: "correct-horse-1" };
		const { inputs, id, props } = await made(host, aTrunk({ auth }) as Values);
		const before = emulator.writes().length;
		const { password, sipDomain } = props;
		const same = await host.previews.update(id, props, { ...inputs, capacity: 11 });
		expect(same).toMatchObject({ password, sipDomain, updatedAt: unknownValue });
		const changed = await host.previews.update(id, props, { ...inputs, ...change } as Values);
		expect(changed).toMatchObject({ password: unknownValue, passwordUpdatedAt: unknownValue, sipDomain });
		expect(emulator.writes()).toHaveLength(before);
	},
);

test.each<[path: string, Values]>([
	["metadata", number({ metadata: asset, routing: { type: "forward", to: asset } })],
	["events[0]", aWebhook({ events: [asSecret(asset)] }) as Values],
])("names the path of an asset: %s", async (path, news) => {
	const { failures } = await (await open()).check(news);
	expect(failures).toContainEqual(expect.stringContaining(`${path}: `));
	expect(failures.join()).not.toContain(mark.slice(0, 5));
	expect(emulator.requests()).toEqual([]);
});

test.each([
	["num_none", number()],
	["+4930000000", number()],
	["trk_none", aTrunk() as Values],
	["whk_none", aWebhook() as Values],
])("fails to import an unknown id, and names it: %s", async (id, declared) => {
	const refused = String(await (await open()).plugin.import(id, declared).catch((error: Error) => error.message));
	expect(refused).toContain(id);
	expect(refused).toContain("[telephony:not-found]");
	// The state has nothing yet that a refresh could remove.
	expect(refused).not.toContain("refresh");
});

test("opens secrets at any depth, and unifies unknown values", () => {
	const output = { [mark]: "d0e6a833031e9bbcd3f4e8bde6ca49a4" };
	const sent = { a: asSecret({ b: [asSecret("x")] }), d: [output], e: { ...output, value: 1 } };
	const unknownList = "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2";
	expect(opened({ ...sent, c: unknownList })).toEqual({ a: { b: ["x"] }, c: unknownValue, d: [unknownValue], e: 1 });
});
