/** The service's address and our identity there, from the stack's configuration. The environment takes precedence. */
import { checkedBaseUrl } from "../api/address";
import { type Feature, features } from "../api/contract";
import { TelephonyError } from "../api/errors";
import { type Environment, statePlaces } from "./place";

export interface Config {
	readonly apiKey: string;
	readonly baseUrl: string;
	/** `telephony:allowHttp`: hosts that may be asked over plain http besides loopback. */
	readonly allowHttp: readonly string[];
	/** `telephony:owner`: one name for several places that run the same stack. */
	readonly owner: string | undefined;
	/** `telephony:features`: what the stack states about what the service offers. */
	readonly features: ReadonlyMap<Feature, boolean>;
	/** `telephony:release`: ids or E.164 of numbers that may go. */
	readonly release: readonly string[];
	/** Where the state is kept; empty if that can't be found out. See {@link statePlaces}. */
	readonly places: readonly string[];
	/** True in a CI job, which may run on a different machine each time. */
	readonly ci: boolean;
}

/** A value of the stack's configuration by its full key, such as `telephony:apiKey`. */
export type ConfigSource = (key: string) => string | undefined;

/** @throws TelephonyError of kind Config, saying which variable to set */
export function readConfig(stack: ConfigSource, env: Environment, cwd: string): Config {
	// The environment takes precedence, so that a rotated key reaches refresh and destroy, which read the configuration
	// from the state.
	const apiKey = env.TELEPHONY_API_KEY || stack("telephony:apiKey");
	const baseUrl = env.TELEPHONY_BASE_URL || stack("telephony:baseUrl");
	if (!apiKey) {
		throw new TelephonyError(
			"Config",
			"There is no API key: set one with `export TELEPHONY_API_KEY=…` or `pulumi config set --secret telephony:apiKey …` (the emulator's is emulator-key).",
		);
	}
	if (!baseUrl) {
		throw new TelephonyError(
			"Config",
			"There is no service address: set it with `export TELEPHONY_BASE_URL=…` or `pulumi config set telephony:baseUrl …` (the emulator's is http://127.0.0.1:4010/v1).",
		);
	}
	const allowHttp = wordsIn(env.TELEPHONY_ALLOW_HTTP || stack("telephony:allowHttp") || "");
	return {
		apiKey,
		baseUrl: checkedBaseUrl(baseUrl, allowHttp),
		allowHttp,
		owner: stack("telephony:owner") || undefined,
		features: statedFeatures(env.TELEPHONY_FEATURES || stack("telephony:features") || ""),
		release: wordsIn(stack("telephony:release") ?? ""),
		places: statePlaces(env, cwd),
		ci: Boolean(env.CI) && env.CI !== "false",
	};
}

/** What commas or whitespace separate, or a list in JSON (`pulumi config set --path`). */
const wordsIn = (text: string): readonly string[] => text.split(/[\s,"[\]]+/).filter((each) => each !== "");

/** Names. A `-` in front means "not offered"; the last mention counts. */
export function statedFeatures(text: string): ReadonlyMap<Feature, boolean> {
	const stated = new Map<Feature, boolean>();
	const unknown: string[] = [];
	for (const word of wordsIn(text)) {
		const name = word.replace(/^-/, "");
		const feature = features.find((each) => each === name);
		if (feature === undefined) unknown.push(JSON.stringify(name));
		else stated.set(feature, !word.startsWith("-"));
	}
	if (unknown.length === 0) return stated;
	throw new TelephonyError(
		"Config",
		`telephony:features (or TELEPHONY_FEATURES) names ${unknown.join(", ")}, which is not a feature. The features are ${features.join(", ")}; a "-" in front of one says that the service does not offer it.`,
	);
}
