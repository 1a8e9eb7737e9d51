/** Settings that nothing reads, because their names are misspelled or `--path` is missing. */
import { findJson, isObject } from "../api/json";
import { closestName, fold } from "../api/names";
import { type ConfigSource, type Setting, settingVariables } from "./config";
import { limitNames } from "./limits";

const settings = Object.keys(settingVariables) as Setting[];
const namespace = "telephony:";

/** Settings whose values are objects, so that `--path` sets their parts. */
const structured: ReadonlySet<string> = new Set<Setting>(["limits", "service"]);

/** Returns a sentence for each unknown key in `telephony:`, with the commands that correct it. */
export function settingProblems(stack: ConfigSource): string[] {
	const unknown = (stack.keys ?? []).flatMap((key) => {
		const name = key.startsWith(namespace) ? key.slice(namespace.length) : undefined;
		return name === undefined || (settings as string[]).includes(name) ? [] : [name];
	});
	return unknown.flatMap((name) => {
		const path = meantPath(name, stack.project === "telephony");
		// A project of this name has its own keys there.
		if (path === undefined && stack.project === "telephony") return [];
		return [settingProblem(name, path, stack(namespace + name))];
	});
}

function settingProblem(name: string, path: string | undefined, value: string | undefined): string {
	const what = `${namespace}${name} isn't a setting, so it has no effect.`;
	const removal = `\`pulumi config rm ${quoted(namespace + name)}\``;
	if (path === undefined) return `${what} Run ${removal}; the settings are ${settings.join(", ")}.`;
	const commands = Object.entries(valuesAt(path, value)).map(([at, part]) => `\`${commandFor(at, part)}\``);
	const why = /[.[]/.test(name) ? " Without `--path`, Pulumi reads the dot as part of the name." : "";
	return `${what}${why} Run ${[removal, ...commands].join(" and ")}.`;
}

/** Returns the values by their paths: the parts of an object are set one by one. */
function valuesAt(path: string, value: string | undefined): Record<string, unknown> {
	if (path !== "limits") return { [path]: value };
	const limits = findJson(value ?? "");
	const parts = isObject(limits) && Object.keys(limits).length > 0 ? Object.entries(limits) : [["maxPurchases", value]];
	return Object.fromEntries(
		parts.map(([limit, part]) => [`limits.${findName(String(limit), limitNames) ?? limit}`, part]),
	);
}

function commandFor(path: string, value: unknown): string {
	const flag = path === "apiKey" ? "--secret " : path.includes(".") ? "--path " : "";
	return `pulumi config set ${flag}${quoted(namespace + path)} ${displayed(path, value)}`;
}

/** Only limits and `onDelete` are shown: any other value may be a secret. */
function displayed(path: string, value: unknown): string {
	const text = String(value ?? "");
	const isPlain =
		path === "onDelete" ? /^re(lease|tain)$/.test(text) : /^(\d[\d.,]*[A-Za-z]{0,3}|true|false)$/.test(text);
	return isPlain && (path === "onDelete" || path.startsWith("limits.")) ? text : "…";
}

const quoted = (key: string): string => (/^[\w:.-]+$/.test(key) ? key : `'${key.replaceAll("'", "")}'`);

/** Returns the path of the setting that a name probably means. */
function meantPath(name: string, isStrict: boolean): string | undefined {
	const [first = "", ...rest] = name.split(/[.[\]"']+/).filter((part) => part !== "");
	const setting = findName(first, settings, isStrict);
	if (setting === undefined) {
		const limit = findName(rest.at(-1) ?? first, limitNames, isStrict);
		return limit && `limits.${limit}`;
	}
	const [part] = rest;
	if (part === undefined || !structured.has(setting)) return setting;
	return setting === "limits"
		? `limits.${findName(part, limitNames) ?? part}`
		: `${setting}${name.slice(name.indexOf(first) + first.length)}`;
}

/** @param isStrict true if a part of a name isn't enough */
function findName<N extends string>(given: string, names: readonly N[], isStrict = false): N | undefined {
	const folded = fold(given);
	const hasPart = (name: string) => folded.length >= 3 && fold(name).includes(folded);
	return (
		names.find((name) => fold(name) === folded) ??
		(closestName(given, names) as N | undefined) ??
		(isStrict ? undefined : names.find(hasPart))
	);
}

// ---- Variables --------------------------------------------------------------------------------------------------------

const prefix = "TELEPHONY_";

/** Variables that the provider, the CLI and the emulator read. */
const variables = [
	...Object.values(settingVariables).flatMap((name) => name ?? []),
	...[
		"ACCEPT_EMPTY_ACCOUNT",
		"ACCEPT_UNKNOWN_NUMBERS",
		"LOG",
		"CONTROL_TOKEN",
		"DELIVER_TO",
		"ALLOWED_HOSTS",
		"STACK_VARIABLES",
	].map((name) => prefix + name),
];

/** Variables with one value that has an effect. */
const onlyValues: Readonly<Record<string, string>> = { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes", TELEPHONY_LOG: "debug" };
const isOff = (value: string): boolean => /^(|0|no|off|false)$/i.test(value);

/**
 * Returns a warning for each variable that is probably a misspelled one, or has a value without effect. Variables of other
 * programs have none.
 */
export function variableWarnings(env: NodeJS.ProcessEnv): string[] {
	const valueless = Object.entries(onlyValues).flatMap(([name, value]) => {
		const given = env[name] ?? "";
		if (given === value || isOff(given)) return [];
		return [`This value of ${name} has no effect: set ${name}=${value}, or remove it.`];
	});
	return [...valueless, ...misspelled(env)];
}

function misspelled(env: NodeJS.ProcessEnv): string[] {
	return Object.keys(env).flatMap((name) => {
		if (!env[name] || !/^telephony[_-]/i.test(name) || variables.includes(name)) return [];
		const rest = name.slice(prefix.length).toUpperCase();
		const variable = findName(
			rest,
			variables.map((name) => name.slice(prefix.length)),
		);
		if (variable !== undefined) return [`${name} has no effect: the variable is ${prefix}${variable}.`];
		const path = meantPath(camelCase(rest), true);
		if (path === undefined) return [];
		return [`${name} has no effect, because this setting has no variable: run \`${commandFor(path, env[name])}\`.`];
	});
}

const camelCase = (name: string): string =>
	name.toLowerCase().replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
