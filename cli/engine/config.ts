/** The configuration of a stack, as the engine has it now. */
import { z } from "zod";
import { findJson } from "../../provider/api/json";
import type { ConfigSource } from "../../provider/session/config";
import { settingProblems } from "../../provider/session/setting-names";
import type { Origin } from "../report/model";
import { UsageError } from "../report/usage";
import { type Finished, outputOf, type Place } from "./process";
import { findProject } from "./project";
import { engineError } from "./refusals";
import { assertNoFileName, isFile, partsOf } from "./state";

/** Passed to the provider of a refresh, which otherwise gets the configuration of the last `up`. */
const variables = {
	"telephony:apiKey": "TELEPHONY_API_KEY",
	"telephony:baseUrl": "TELEPHONY_BASE_URL",
	"telephony:account": "TELEPHONY_ACCOUNT",
	"telephony:allowHttp": "TELEPHONY_ALLOW_HTTP",
	"telephony:features": "TELEPHONY_FEATURES",
	"telephony:service": "TELEPHONY_SERVICE",
} as const;

const Configuration = z.record(z.string(), z.object({ value: z.string().optional() }));

export interface StackConfig {
	/** Variables that the environment doesn't set. */
	readonly settings: Readonly<Record<string, string>>;
	readonly origin: Origin;
	/** Never print it: it holds the key. */
	readonly config: ConfigSource;
	/** The engine's end if the configuration can't be read. */
	readonly failed?: Finished;
}

/**
 * Reads the configuration; it is empty if the engine can't read it, and the run that follows reports why. The owner isn't
 * a setting: to change the owner, the user edits the program, and `up` writes the new owner first.
 */
export async function stackConfig(place: Place, env: NodeJS.ProcessEnv): Promise<StackConfig> {
	const { text, ...done } = await outputOf(["config", "--json", "--show-secrets"], place);
	const values = Configuration.safeParse(findJson(text)).data ?? {};
	const config = Object.assign((key: string) => values[key]?.value, {
		keys: Object.keys(values),
		project: findProject(place.cwd),
	});
	assertSettings(config);
	const settings = Object.fromEntries(
		Object.entries(variables).flatMap(([key, name]) => {
			const value = config(key);
			return env[name] || !value ? [] : [[name, value]];
		}),
	);
	const origin = originOf({ ...env, ...settings }, config);
	return { settings, origin, config, ...(done.code !== 0 && { failed: done }) };
}

/**
 * Reads the configuration of a stack whose account a command uses. A state in a file, and a stack of another project, may
 * have another account than this folder's stacks, so only the environment counts.
 * @throws UsageError if the engine can't read it: then the stack's pin is unknown
 */
export async function accountConfig(cwd: string, stack: string, env: NodeJS.ProcessEnv): Promise<StackConfig> {
	if (!isOfFolder(stack, cwd)) return environmentConfig(env);
	assertNoFileName(stack);
	const read = await stackConfig({ cwd, stack }, env);
	if (read.failed === undefined) return read;
	throw engineError(read.failed, `the configuration of stack ${stack} can't be read, so nothing was changed`);
}

/** False for a state in a file, and for a stack of another project. */
export function isOfFolder(stack: string, cwd: string): boolean {
	const { project } = partsOf(stack);
	return !isFile(stack, cwd) && (project === undefined || project === findProject(cwd));
}

export function environmentConfig(env: NodeJS.ProcessEnv): StackConfig {
	const config = () => undefined;
	return { settings: {}, origin: originOf(env, config), config };
}

const originOf = ({ TELEPHONY_BASE_URL }: NodeJS.ProcessEnv, config: ConfigSource): Origin => ({
	account: addressIn(TELEPHONY_BASE_URL),
	owner: config("telephony:owner") || undefined,
	at: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
});

/** @throws UsageError for keys that nothing reads */
function assertSettings(config: ConfigSource): void {
	const problems = settingProblems(config);
	if (problems.length > 0) throw new UsageError("config", problems.join(" "));
}

/** Returns an address without the parts that may be secret, and without the last slash. */
export function addressIn(text = ""): string | undefined {
	if (!URL.canParse(text)) return undefined;
	const { origin, pathname } = new URL(text);
	return `${origin}${pathname.replace(/\/+$/, "")}`;
}
