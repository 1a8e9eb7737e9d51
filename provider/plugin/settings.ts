/** The properties of a provider: the key, the address, and the description of the service. */
import { configError, isTelephonyError, TelephonyError } from "../api/errors";
import { unknownProperty, unknownValue, type Values } from "../properties/table";
import {
	type ConfigSource,
	passedSettings,
	readConfig,
	type Setting,
	stackVariables,
	settingVariables as variables,
} from "../session/config";
import { settingProblems } from "../session/setting-names";

const settingNames = Object.keys(variables) as Setting[];

export const textOf = (value: unknown): string | undefined => {
	if (value === undefined || value === null || value === unknownValue) return undefined;
	return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** True for the engine's default provider, which has the stack's configuration. */
const isDefault = (urn: string): boolean => /^default(_|$)/.test(urn.split("::").at(-1) ?? "");

/**
 * Variables that a program's provider overrules. The environment wins over the stack's configuration, but not over the
 * arguments of a provider in the program: two providers may have two accounts. Such a provider doesn't use the stack's
 * configuration, not even if `telephony drift` passes it in variables.
 */
export function overruled(urn: string, settings: Values, env: NodeJS.ProcessEnv): string[] {
	if (urn === "" || isDefault(urn)) return [];
	const ofArguments = settingNames.flatMap((name) =>
		textOf(settings[name]) === undefined ? [] : (variables[name] ?? []),
	);
	return [...ofArguments, ...stackVariables.in(env)];
}

function environmentOf(urn: string, settings: Values, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const dropped = overruled(urn, settings, env);
	return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.includes(name)));
}

/** Inputs that the engine and the SDKs add. */
const ofEngine = new Set(["version", "pluginDownloadURL", "pluginChecksums", "parameterization", "name"]);

/** The mistakes in a configuration, one line each. */
export function configProblems(urn: string, inputs: Values, env: NodeJS.ProcessEnv): string[] {
	const unknown = isDefault(urn) ? unknownSettings(sourceOf(urn, inputs)) : unknownArguments(urn, inputs, env);
	// Unknown values are checked once they are known.
	if (settingNames.some((name) => inputs[name] === unknownValue)) return unknown;
	try {
		readConfig(settingOf(inputs), environmentOf(urn, inputs, env), process.cwd());
		return unknown;
	} catch (error) {
		if (isTelephonyError(error, "Config")) return [...unknown, error.message];
		throw error;
	}
}

/** Settings of the stack that the default provider gets, or that the engine passes to a program's provider. */
function sourceOf(urn: string, settings: Values): ConfigSource {
	const names = Object.keys(settings).filter((name) => !ofEngine.has(name) && !name.startsWith("__"));
	const keys = names.map((name) => `telephony:${name}`);
	return Object.assign(settingOf(settings), { keys, project: urn.split("::")[1] });
}

const unknownSettings = (stack: ConfigSource): string[] =>
	settingProblems(stack).map((problem) => configError(problem).message);

/** A program's provider uses the stack's limits, so a mistake in the stack's configuration matters to it too. */
function unknownArguments(urn: string, inputs: Values, env: NodeJS.ProcessEnv): string[] {
	const unknown = Object.keys(inputs).filter(
		(name) => !(name in variables) && !ofEngine.has(name) && !name.startsWith("__"),
	);
	return [
		...unknown.map((name) => `${name}: ${unknownProperty(name, settingNames)}`),
		...unknownSettings(sourceOf(urn, passedSettings(env))),
	];
}

/** A setting by the name that it has in a stack's configuration. */
export const settingOf = (settings: Values) => (key: string) => textOf(settings[key.replace(/^telephony:/, "")]);

export const differs = (olds: Values, news: Values): boolean =>
	settingNames.some((name) => textOf(olds[name]) !== textOf(news[name]));

/**
 * Refuses resources of a provider that may have another account: this account doesn't have them, so they would count as
 * deleted. With a new version of the plugin, a stack gets a new default provider, perhaps with a rotated key.
 */
export function refuseOtherAccount(urn: string, olds: Values, news: Values, env: NodeJS.ProcessEnv): void {
	const variablesInUse = environmentOf(urn, news, env);
	const before = (name: Setting) => textOf(olds[name] ?? olds[`telephony:${name}`]);
	const moved = (["baseUrl", "apiKey"] as const).filter((name) => {
		const old = before(name);
		const value = textOf(news[name]);
		const variable = env[variables[name]] || undefined;
		// An argument that the old provider lacked came from the environment.
		const isSame = old === value || (old ?? variable) === (variablesInUse[variables[name]] || value);
		return !isSame && !(name === "apiKey" && isDefault(urn));
	});
	if (moved.length === 0) return;
	throw new TelephonyError(
		"Config",
		`A resource can't move to the provider ${JSON.stringify(urn.split("::").at(-1))}, which has another ${moved.join(" and ")}. Nothing was changed. Use the old provider again. If both have one account, first set the new values on the old provider and run \`pulumi up\`.`,
		{ messageCode: "wrong-account" },
	);
}
