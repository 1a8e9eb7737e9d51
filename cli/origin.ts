/** The origin of a report: account and service by the current configuration of the stack, and the time. */
import { z } from "zod";
import type { ConfigSource } from "../provider/session/config";
import { outputOf, type Place } from "./engine";
import { parsed } from "./json";

export interface Origin {
	/** The service's address; absent if neither environment nor configuration gives it. */
	readonly account?: string;
	/** `telephony:owner`. */
	readonly owner?: string;
	/** RFC 3339, UTC. */
	readonly at: string;
}

/** Passed to the provider of a refresh, which would otherwise get the configuration of the last `up`. */
const passedOn = {
	"telephony:apiKey": "TELEPHONY_API_KEY",
	"telephony:baseUrl": "TELEPHONY_BASE_URL",
	"telephony:allowHttp": "TELEPHONY_ALLOW_HTTP",
	"telephony:features": "TELEPHONY_FEATURES",
	"telephony:service": "TELEPHONY_SERVICE",
} as const;

const Configuration = z.record(z.string(), z.object({ value: z.string().optional() }));

/** Never print it: it holds the key. Empty if it can't be read; the refresh that follows reports why. */
async function stackConfig(
	place: Place,
): Promise<{ values: Readonly<Record<string, string | undefined>>; stderr: string }> {
	const { text, stderr } = await outputOf(["config", "--json", "--show-secrets"], place);
	const found = Configuration.safeParse(parsed(text)).data ?? {};
	return { values: Object.fromEntries(Object.entries(found).map(([key, { value }]) => [key, value])), stderr };
}

interface Present {
	readonly settings: Readonly<Record<string, string>>;
	readonly origin: Origin;
	/** Never print it: it holds the key. */
	readonly config: ConfigSource;
	/** Says why the configuration can't be read. */
	readonly stderr: string;
}

/**
 * The environment for a refresh, and what it reads from. Variables that are already set win. The owner is not passed
 * on: a new one is an edit of the program, and not drift until an `up` has written it.
 */
export async function present(place: Place, env: NodeJS.ProcessEnv): Promise<Present> {
	const { values: config, stderr } = await stackConfig(place);
	const settings = Object.fromEntries(
		Object.entries(passedOn).flatMap(([key, name]) => {
			const value = config[key];
			return env[name] || !value ? [] : [[name, value]];
		}),
	);
	const address = addressIn(env.TELEPHONY_BASE_URL || settings.TELEPHONY_BASE_URL);
	const owner = config["telephony:owner"];
	const origin = {
		...(address === undefined ? {} : { account: address }),
		...(owner ? { owner } : {}),
		at: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
	};
	return { settings, origin, config: (key) => config[key], stderr };
}

/** An address without the parts that may be secret. */
export function addressIn(text = ""): string | undefined {
	if (!URL.canParse(text)) return undefined;
	const { origin, pathname } = new URL(text);
	return `${origin}${pathname}`;
}
