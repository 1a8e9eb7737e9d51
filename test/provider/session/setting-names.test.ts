/** Settings that nothing would read: both providers refuse them in a preview. */
import { describe, expect, test } from "vitest";
import { settingProblems, variableWarnings } from "../../../provider/session/setting-names";
import { providerText } from "../../../sdk/dynamic";
import { useEmulator } from "../../helpers/emulator";
import { useHost, type Values } from "../../helpers/host";
import { kinds } from "../../helpers/kinds";
import { aNumber, openProvider } from "../../helpers/provider";

const problemsOf = (config: Readonly<Record<string, string>>, project = "shop") =>
	settingProblems(Object.assign((key: string) => config[key], { keys: Object.keys(config), project }));

const set = (rest: string) => `\`pulumi config set ${rest}\``;
const pathed = (rest: string) => set(`--path telephony:limits.${rest}`);

const mistakes: readonly (readonly [name: string, value: string, command: string])[] = [
	["limits.maxPurchases", "1", pathed("maxPurchases 1")],
	["limits.maxPurchase", "1", pathed("maxPurchases 1")],
	["limit.maxMonthly", "10EUR", pathed("maxMonthly 10EUR")],
	['limits["maxReleases"]', "0", pathed("maxReleases 0")],
	["limits.", "3", set("--path telephony:limits. 3").replace("limits. 3", "limits.maxPurchases 3")],
	["limit", '{"maxPurchase":2}', pathed("maxPurchases 2")],
	["Limits", "1", pathed("maxPurchases 1")],
	["maxPurchases", "1", pathed("maxPurchases 1")],
	["max-purchases", "1", pathed("maxPurchases 1")],
	["purchases", "1", pathed("maxPurchases 1")],
	["onDelte", "retain", set("telephony:onDelete retain")],
	["on_delete", "somewhere", set("telephony:onDelete …")],
	["apikey", "geheim", set("--secret telephony:apiKey …")],
	["api_key", "geheim", set("--secret telephony:apiKey …")],
	["url", "https://user:geheim@x", set("telephony:baseUrl …")],
	["service.paths", "geheim", set("--path telephony:service.paths …")],
];

test.each(mistakes)("names the command that sets telephony:%s as meant", (name, value, command) => {
	const [problem, ...others] = problemsOf({ [`telephony:${name}`]: value });
	expect(others).toEqual([]);
	expect(problem).toContain("`pulumi config rm ");
	expect(problem).toContain(command);
	expect(problem).not.toContain("geheim");
});

test("lists the settings for an unfamiliar name, unless the project owns it", () => {
	expect(problemsOf({ "telephony:colour": "1" })).toEqual([expect.stringContaining("apiKey, baseUrl")]);
	expect(problemsOf({ "telephony:colour": "1", "shop:limits.maxPurchases": "1" }, "telephony")).toEqual([]);
	expect(problemsOf({ "telephony:limits.maxPurchases": "1" }, "telephony")).toHaveLength(1);
});

describe("both providers", () => {
	const emulator = useEmulator({ kyc: "immediate" });
	const [dynamic, plugin] = [useHost("dynamic"), useHost("plugin")];

	test("refuse each in a preview", async () => {
		const service = { apiKey: emulator.apiKey, baseUrl: emulator.url };
		const settings = { ...service, ...Object.fromEntries(mistakes.map(([name, value]) => [name, value])) };
		const host = await dynamic.start();
		await host.configure(Object.fromEntries(Object.entries(settings).map(([key, text]) => [`telephony:${key}`, text])));
		const { failures } = await host.check({ ...aNumber(), __provider: providerText("number") } as Values);
		const ofPlugin = await (await plugin.share()).plugin.checkConfig(settings);
		for (const refused of [failures.join(), ofPlugin.failures.join()]) {
			expect(refused).toMatch(/\[telephony:config\]$/);
			expect(refused).not.toContain("geheim");
			for (const [name, , command] of mistakes) {
				expect(refused).toContain(`telephony:${name} isn't a setting`);
				expect(refused).toContain(command);
			}
		}
		expect(emulator.requests()).toEqual([]);
	});

	test.each(["limits", "owner"])("refuse an empty telephony:%s in a preview", async (name) => {
		for (const value of ["", "  "]) {
			const settings = { apiKey: emulator.apiKey, baseUrl: emulator.url, [name]: value };
			const config = { [`telephony:${name}`]: value };
			const { failures } = await openProvider(emulator, { config }).number.check({}, aNumber());
			expect(failures.map(({ reason }) => reason).join()).toMatch(/pulumi config rm telephony:.*\[telephony:config\]$/);
			for (const provider of ["default", "eu"]) {
				const ofPlugin = await (await plugin.share()).plugin.checkConfig(settings, provider);
				expect(ofPlugin.failures).toEqual([expect.stringContaining(`telephony:${name} is empty`)]);
			}
		}
	});

	test("refuse a stack's mistake for a provider that the program makes", async () => {
		const host = await plugin.start({ PULUMI_CONFIG: JSON.stringify({ "limits.maxPurchases": "1" }) });
		const { failures } = await host.plugin.checkConfig({ apiKey: emulator.apiKey, baseUrl: emulator.url }, "eu");
		expect(failures).toEqual([expect.stringContaining(pathed("maxPurchases 1"))]);
	});
});

test.each([
	["maxPurchase", "2", "maxPurchases 2"],
	["max_releases", "0", "maxReleases 0"],
	["maxmonthly", "5EUR", "maxMonthly 5EUR"],
])("refuses the unknown limit %s with the command that corrects it", async (name, value, command) => {
	const limits = JSON.stringify({ [name]: value });
	const service = { url: "http://127.0.0.1:1/v1", apiKey: "k" };
	const { number } = openProvider(service, { config: { "telephony:limits": limits } });
	const { failures } = await number.check({}, aNumber());
	expect(failures.map(({ reason }) => reason).join()).toContain(pathed(command));
});

test("warns of misspelled variables, and of those that a setting lacks", () => {
	const warned = (name: string) => variableWarnings({ [name]: "geheim" }).join();
	for (const [name, meant] of [
		["TELEPHONY_API_KY", "TELEPHONY_API_KEY"],
		["TELEPHONY_KEY", "TELEPHONY_API_KEY"],
		["telephony_base_url", "TELEPHONY_BASE_URL"],
		["TELEPHONY_URL", "TELEPHONY_BASE_URL"],
		["TELEPHONY_ACCEPT_EMPTY_ACOUNT", "TELEPHONY_ACCEPT_EMPTY_ACCOUNT"],
		["TELEPHONY_MAX_PURCHASES", "pulumi config set --path telephony:limits.maxPurchases …"],
		["TELEPHONY_ON_DELETE", "pulumi config set telephony:onDelete …"],
	] as const) {
		expect(warned(name)).toContain(meant);
		expect(warned(name)).not.toContain("geheim");
	}
	for (const name of ["TELEPHONY_API_KEY", "TELEPHONY_CLI", "TELEPHONY_STAGE", "OTHER_API_KEY"])
		expect(warned(name)).toBe("");
});

test.each([
	["TELEPHONY_ACCEPT_EMPTY_ACCOUNT", "yes", ["true", "YES", "1"]],
	["TELEPHONY_LOG", "debug", ["Debug", "1", "verbose"]],
])("warns of a value of %s that nothing reads", (name, meant, values) => {
	for (const value of values)
		expect(variableWarnings({ [name]: value })).toEqual([expect.stringContaining(`${name}=${meant}`)]);
	for (const value of [meant, "", "0", "no", "false", "off"]) expect(variableWarnings({ [name]: value })).toEqual([]);
});

test("warns of a variable once in a run, whatever it declares", async () => {
	const service = { url: "http://127.0.0.1:1/v1", apiKey: "k" };
	const run = openProvider(service, { env: { TELEPHONY_FEATURE: "kyc" } });
	for (const { name, byHand } of kinds) await run[name].check({}, byHand);
	expect(run.warnings).toEqual([expect.stringMatching(/TELEPHONY_FEATURES.*\[telephony:config\]$/)]);
});
