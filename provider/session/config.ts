/** The service's address and our identity there, from the stack's configuration. The environment takes precedence. */
import { checkedBaseUrl } from "../api/address";
import type { Feature } from "../api/contract";
import type { ServiceDescription } from "../api/description/service-description";
import { configError } from "../api/errors";
import { findJson, isObject } from "../api/json";
import { featuresIn, wordsIn } from "../api/offer";
import { type AccountPin, accountPinIn } from "../reads/account-pin";
import { type Limits, limitsIn } from "./limits";
import { statePlace } from "./place";
import { dialectIn } from "./service";

export interface Config {
	readonly apiKey: string;
	readonly baseUrl: string;
	/** `telephony:allowHttp`: hosts that may be asked over plain http besides loopback. */
	readonly allowHttp: readonly string[];
	/** `telephony:account`: the account that the key must belong to. */
	readonly account: AccountPin | undefined;
	/** `telephony:owner`: one name for several places that run the same stack. */
	readonly owner: string | undefined;
	/** `telephony:features`: what the stack states about what the service offers. */
	readonly features: ReadonlyMap<Feature, boolean>;
	/** `telephony:service`: what the service names otherwise. */
	readonly service: ServiceDescription | undefined;
	/** `telephony:onDelete`: what happens to numbers that don't say it themselves. Default `retain`. */
	readonly onDelete: "release" | "retain";
	/** `telephony:limits`: how much one run may buy and release. */
	readonly limits?: Limits | undefined;
	/** Where the state is kept; undefined if unknown. See {@link statePlace}. */
	readonly place: string | undefined;
	/** True in a CI job, which may run on a different machine each time. */
	readonly ci: boolean;
}

/** The environment variable of each setting, if it has one. */
export const settingVariables = {
	apiKey: "TELEPHONY_API_KEY",
	baseUrl: "TELEPHONY_BASE_URL",
	account: "TELEPHONY_ACCOUNT",
	allowHttp: "TELEPHONY_ALLOW_HTTP",
	features: "TELEPHONY_FEATURES",
	service: "TELEPHONY_SERVICE",
	owner: undefined,
	onDelete: undefined,
	limits: undefined,
} as const;
export type Setting = keyof typeof settingVariables;

/** Names the variables that a command has copied from a stack's configuration. */
export const stackVariables = {
	named: (names: readonly string[]) => ({ TELEPHONY_STACK_VARIABLES: names.join(",") }),
	in: ({ TELEPHONY_STACK_VARIABLES = "" }: NodeJS.ProcessEnv): string[] => TELEPHONY_STACK_VARIABLES.split(","),
};

/** Returns a value of the stack's configuration by its full key, such as `telephony:apiKey`. */
export interface ConfigSource {
	(key: string): string | undefined;
	/** All full keys; absent if they are unknown. */
	readonly keys?: readonly string[];
	/** Name of the project, whose own keys have it as their namespace. */
	readonly project?: string | undefined;
}

/** @throws TelephonyError of kind Config, saying which variable to set */
export function readConfig(stack: ConfigSource, env: NodeJS.ProcessEnv, cwd: string): Config {
	// The environment takes precedence, so that a rotated key reaches refresh and destroy, which read the configuration
	// from the state.
	const textOf = (name: Setting) => {
		const variable = settingVariables[name];
		return (variable && env[variable]) || configured(name, stack) || undefined;
	};
	const [apiKey, baseUrl] = [textOf("apiKey"), textOf("baseUrl")];
	if (!apiKey) {
		throw configError(
			"There is no API key: set one with `export TELEPHONY_API_KEY=…` or `pulumi config set --secret telephony:apiKey …` (the emulator's is emulator-key).",
		);
	}
	if (!baseUrl) {
		throw configError(
			"There is no service address: set it with `export TELEPHONY_BASE_URL=…` or `pulumi config set telephony:baseUrl …` (the emulator's is http://127.0.0.1:4010/v1).",
		);
	}
	const service = textOf("service");
	const allowHttp = wordsIn(textOf("allowHttp") ?? "");
	return {
		apiKey,
		baseUrl: checkedBaseUrl(baseUrl, allowHttp),
		allowHttp,
		account: env.TELEPHONY_ACCOUNT
			? accountPinIn(env.TELEPHONY_ACCOUNT, "telephony:account (or TELEPHONY_ACCOUNT)")
			: accountPinIn(stackAccount(stack, env), "telephony:account"),
		owner: textOf("owner"),
		features: featuresIn(textOf("features") ?? "", "telephony:features (or TELEPHONY_FEATURES)"),
		service: service
			? dialectIn(service, env.TELEPHONY_SERVICE ? "TELEPHONY_SERVICE" : "telephony:service", cwd)
			: undefined,
		onDelete: onDeleteIn(textOf("onDelete")),
		limits: limitsIn(textOf("limits") ?? stackLimits(env)),
		place: statePlace(env, cwd),
		ci: Boolean(env.CI) && env.CI !== "false",
	};
}

/** Settings that would have no effect if they were empty, such as limits that an unset variable of a script left empty. */
const neverEmpty: ReadonlySet<Setting> = new Set<Setting>(["limits", "owner"]);

function configured(name: Setting, stack: ConfigSource): string | undefined {
	const text = stack(`telephony:${name}`);
	if (text === undefined || text.trim() !== "" || !neverEmpty.has(name)) return text;
	throw configError(
		`telephony:${name} is empty, so it has no effect. Nothing was changed. Set a value, or run \`pulumi config rm telephony:${name}\`. In a provider of the program, leave \`${name}\` out.`,
	);
}

function onDeleteIn(text: string | undefined): "release" | "retain" {
	if (!text) return "retain";
	if (text === "release" || text === "retain") return text;
	throw configError(
		`telephony:onDelete must be release or retain, not ${JSON.stringify(text)}. Nothing was changed. Run \`pulumi config set telephony:onDelete retain\`, or release if the stack's numbers may be released.`,
	);
}

/** A plugin gets the stack's configuration of its package in a variable, also where the program makes the provider. */
export function passedSettings({ PULUMI_CONFIG: text = "" }: NodeJS.ProcessEnv): Readonly<Record<string, unknown>> {
	const passed = findJson(text);
	return isObject(passed) ? passed : {};
}

/** An empty text is a mistake: it would pin nothing. A program's provider without a pin of its own has the stack's. */
export function stackAccount(stack: ConfigSource, env: NodeJS.ProcessEnv): string | undefined {
	const { account } = passedSettings(env);
	return stack("telephony:account") ?? (account === undefined ? undefined : String(account));
}

/** Returns a warning if the environment names another account than the stack. */
export function accountWarning(stack: ConfigSource, env: NodeJS.ProcessEnv): string | undefined {
	const [used, unused] = [env.TELEPHONY_ACCOUNT, stackAccount(stack, env)];
	if (!used || !unused || used.trim() === unused.trim()) return undefined;
	return `TELEPHONY_ACCOUNT (${used}) is used instead of telephony:account (${unused}). Remove one of them.`;
}

function stackLimits(env: NodeJS.ProcessEnv): string | undefined {
	const { limits } = passedSettings(env);
	return typeof limits === "string" ? limits : undefined;
}
