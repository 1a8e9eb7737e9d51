/** A provider's own properties: the key, the address, and what is known of the service. */
import { isTelephonyError, TelephonyError } from "../api/errors";
import { unknownProperty, unknownValue, type Values } from "../properties/table";
import { readConfig } from "../session/config";
import type { Environment } from "../session/place";

const variables = {
	apiKey: "TELEPHONY_API_KEY",
	baseUrl: "TELEPHONY_BASE_URL",
	allowHttp: "TELEPHONY_ALLOW_HTTP",
	features: "TELEPHONY_FEATURES",
	service: "TELEPHONY_SERVICE",
	owner: undefined,
	onDelete: undefined,
	limits: undefined,
} as const;
type Setting = keyof typeof variables;
const settingNames = Object.keys(variables) as Setting[];

export const textOf = (value: unknown): string | undefined => {
	if (value === undefined || value === null || value === unknownValue) return undefined;
	return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** Whether the engine made it, of the stack's configuration. */
const isDefault = (urn: string): boolean => /^default(_|$)/.test(urn.split("::").at(-1) ?? "");

/**
 * The variables that don't count. The environment wins over the stack's configuration, but not over what a program gives
 * to a provider of its own: two of them may be two accounts.
 */
export const overruled = (urn: string, settings: Values): string[] =>
	urn === "" || isDefault(urn)
		? []
		: settingNames.flatMap((name) => (textOf(settings[name]) === undefined ? [] : (variables[name] ?? [])));

function environmentOf(urn: string, settings: Values, env: Environment): Environment {
	const dropped = overruled(urn, settings);
	return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.includes(name)));
}

/** What the engine and the SDKs add. */
const ofEngine = new Set(["version", "pluginDownloadURL", "pluginChecksums", "parameterization", "name"]);

/** Why it can't work, one line each. */
export function configProblems(urn: string, inputs: Values, env: Environment): string[] {
	const unknown = Object.keys(inputs)
		.filter((name) => !(name in variables) && !ofEngine.has(name) && !name.startsWith("__"))
		.map((name) => `${name}: ${unknownProperty(name, settingNames)}`);
	// What isn't known yet is checked once it is.
	if (settingNames.some((name) => inputs[name] === unknownValue)) return unknown;
	try {
		readConfig(settingOf(inputs), environmentOf(urn, inputs, env), process.cwd());
		return unknown;
	} catch (error) {
		if (isTelephonyError(error, "Config")) return [...unknown, error.message];
		throw error;
	}
}

/** A setting by the name that it has in a stack's configuration. */
export const settingOf = (settings: Values) => (key: string) => textOf(settings[key.replace(/^telephony:/, "")]);

export const differs = (olds: Values, news: Values): boolean =>
	settingNames.some((name) => textOf(olds[name]) !== textOf(news[name]));

/**
 * Refuses to take resources from a provider that is, or may be, another account's: they aren't on this one, and would
 * be taken for lost. A stack that goes on with another version of the plugin gets another default provider, and may
 * have another key by then.
 */
export function refuseOtherAccount(urn: string, olds: Values, news: Values, env: Environment): void {
	const own = environmentOf(urn, news, env);
	const before = (name: Setting) => textOf(olds[name] ?? olds[`telephony:${name}`]);
	const moved = (["baseUrl", "apiKey"] as const).filter((name) => {
		const [old, now] = [before(name), textOf(news[name])];
		const variable = env[variables[name]] || undefined;
		// What the old provider wasn't given, it had from the environment.
		const isSame = old === now || (old ?? variable) === (own[variables[name]] || now);
		return !isSame && !(name === "apiKey" && isDefault(urn));
	});
	if (moved.length === 0) return;
	throw new TelephonyError(
		"Config",
		`A resource can't move to the provider ${JSON.stringify(urn.split("::").at(-1))}, which has another ${moved.join(" and ")}, so perhaps another account. Nothing was changed. Use the old provider again. If both are one account, first set the new values on the old provider, run \`pulumi up\`, then switch providers.`,
		{ messageCode: "wrong-account" },
	);
}
