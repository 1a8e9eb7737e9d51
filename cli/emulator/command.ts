/** `telephony emulator`. */
import { type Command, Option } from "commander";
import type { Emulator, EmulatorOptions } from "../../emulator";
import { isKycPolicy, kycPolicyHint } from "../../emulator/areas/kyc/kyc";
import { hostHint, parsePattern } from "../../emulator/service/hosts";
import { mostRowsKept, rowsKept } from "../../emulator/store/journal";
import { parseTime, timeHint } from "../../emulator/time/clock";
import { dialectIn } from "../../provider/session/service";
import { asUsageError, UsageError } from "../report/usage";
import { addTrigger } from "./trigger";

const defaultKey = "emulator-key";

type Options = Omit<EmulatorOptions, "log" | "service"> & {
	readonly port: number;
	readonly host: string;
	readonly data: string;
	readonly memory?: boolean;
	readonly log?: boolean;
	/** An option of all commands: see `cli/index.ts`. */
	readonly service?: string;
};

/** Returns a parser that accepts only valid texts. @param rule such as `--port must be a number` */
const checked =
	(isValid: (text: string) => boolean, rule: string) =>
	(text: string): string => {
		if (isValid(text)) return text;
		throw new UsageError("usage", `${rule}, but is ${JSON.stringify(text)}.`);
	};

/** Returns a parser of whole numbers. */
const integer = (option: string, least: number, most: number, meaning = "") => {
	const parse = checked(
		(text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
		`${option} must be a whole number from ${least}${meaning} to ${most}`,
	);
	return (text: string) => Number(parse(text));
};

const parsePort = integer("--port", 0, 65_535, " (any free port)");
const parseKept = integer("--keep-requests", 1, mostRowsKept);
const parseKyc = checked(isKycPolicy, `--kyc must be ${kycPolicyHint}`);
const parseStart = checked((text) => parseTime(text) !== undefined, `--start-at ${timeHint}`);

/** Node listens on every address for an empty one, as of an unset variable. */
const parseHost = checked((text) => text.trim() !== "", "--host must be an address of this machine");

const parseFolder = (text: string): string => {
	if (text.trim() !== "") return text;
	throw new UsageError("usage", "--data is empty: name a folder, or leave it out.");
};

/** The message doesn't repeat the secret. */
const parseSecret = (option: string) => (text: string) => {
	if (/^[\x21-\x7e]+$/.test(text)) return text;
	throw new UsageError("usage", `${option} must be printable ASCII without spaces, because it is sent in a header.`);
};
const parseToken = parseSecret("--control-token");

const parseHosts =
	(option: string) =>
	(text: string): string[] => {
		const hosts = text.split(",").map((host) => host.trim());
		const invalid = hosts.find((host) => parsePattern(host) === undefined);
		if (invalid === undefined) return hosts;
		throw new UsageError("usage", `${option}: each ${hostHint}, but one is ${JSON.stringify(invalid)}.`);
	};

/** Adds the variables for a service container, which takes no arguments. An empty variable counts as not set. */
const fromEnvironment = (options: Options): Options => {
	const { TELEPHONY_CONTROL_TOKEN: token, TELEPHONY_ALLOWED_HOSTS: hosts, TELEPHONY_DELIVER_TO: to } = process.env;
	return {
		...(token ? { controlToken: parseToken(token) } : {}),
		...(hosts ? { allowedHosts: parseHosts("TELEPHONY_ALLOWED_HOSTS")(hosts) } : {}),
		...(to ? { deliverTo: parseHosts("TELEPHONY_DELIVER_TO")(to) } : {}),
		...options,
	};
};

const serviceOf = (file: string) => {
	try {
		return dialectIn(file, "--service", process.cwd());
	} catch (error) {
		throw asUsageError(error);
	}
};

const listenErrors: Readonly<Record<string, (address: { port: number; host: string }) => string>> = {
	EADDRINUSE: ({ port }) =>
		`port ${port} is in use: stop the other process, or choose another port with --port (0 = any).`,
	EACCES: ({ port }) => `this user may not listen on port ${port}: choose a port above 1023 with --port (0 = any).`,
	EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine: choose one with --host, such as 127.0.0.1.`,
	ENOTFOUND: ({ host }) => `${host} is not an address of this machine: choose one with --host, such as 127.0.0.1.`,
};

const start = async (options: EmulatorOptions & { port: number; host: string }): Promise<Emulator> => {
	// Loaded late, because no other command needs it.
	const { createEmulator, DataError } = await import("../../emulator/index.js");
	try {
		return await createEmulator(options);
	} catch (error) {
		if (error instanceof DataError) throw new UsageError("emulator", error.message);
		const message = listenErrors[String((error as NodeJS.ErrnoException).code)];
		if (message === undefined) throw error;
		throw new UsageError("emulator", message(options));
	}
};

const run = async (options: Options): Promise<void> => {
	const { data, memory, log, service: file, ...others } = fromEnvironment(options);
	const settings = {
		...others,
		...(file === undefined ? {} : { service: serviceOf(file) }),
		...(log ? { log: (line: string) => void process.stderr.write(`${line}\n`) } : {}),
	};
	if (settings.startAt !== undefined && settings.clock === "real")
		throw new UsageError("usage", "--start-at is for a virtual clock: leave out --clock real.");
	const emulator = await start(memory ? settings : { ...settings, data });
	const stop = () => {
		void emulator.close().then(() => process.exit(0));
	};
	process.once("SIGINT", stop);
	process.once("SIGTERM", stop);
	if (emulator.data) process.stderr.write(`state is kept in ${emulator.data.path}\n`);
	// Control API and console answer only to loopback names, even if the emulator listens on every address.
	const local = emulator.url.replace(/\/v1$/, "").replace(/\/\/(0\.0\.0\.0|\[::\]):/, "//127.0.0.1:");
	// A user's own key is a secret; the default is in every page of the docs.
	const key = emulator.apiKey === defaultKey ? `api key ${defaultKey}` : "api key as given";
	process.stdout.write(
		`listening on ${emulator.url} (${key}, control ${local}/_emulator, console ${local}/_console)\n`,
	);
};

const options: readonly Option[] = [
	new Option("--port <port>", "port of the emulator, 0 = any free port").default(4010).argParser(parsePort),
	new Option("--host <host>", "address of /v1; the control API answers other hosts only with --control-token")
		.default("127.0.0.1")
		.argParser(parseHost),
	new Option("--api-key <key>", "the key to accept").default(defaultKey).argParser(parseSecret("--api-key")),
	new Option("--data <dir>", "keep the state in this folder")
		.default(".telephony-emulator")
		.argParser(parseFolder)
		.conflicts("memory"),
	new Option("--memory", "keep the state in memory only"),
	new Option("--profile <profile>", "offer everything, or only the operations of the public description")
		.choices(["full", "seed"])
		.default("full"),
	new Option("--kyc <policy>", "manual, immediate, reject, or a duration such as 10m")
		.default("manual")
		.argParser(parseKyc),
	new Option("--clock <clock>", "a virtual clock stands still until you advance it")
		.choices(["real", "virtual"])
		.default("real"),
	new Option("--start-at <time>", "start of a virtual clock, such as 2027-01-01T00:00:00Z")
		.argParser(parseStart)
		.implies({ clock: "virtual" }),
	new Option("--deliver <where>", "receivers of webhooks: this machine only, or any public https address too")
		.choices(["loopback", "any"])
		.default("loopback"),
	new Option("--keep-requests <count>", "number of latest requests to keep").default(rowsKept).argParser(parseKept),
	new Option(
		"--deliver-to <hosts>",
		"more receivers of webhooks, over plain http too, such as app:3000,*.internal (or TELEPHONY_DELIVER_TO)",
	).argParser(parseHosts("--deliver-to")),
	new Option(
		"--control-token <token>",
		"open control API and console to other hosts that send this token (better in TELEPHONY_CONTROL_TOKEN)",
	).argParser(parseToken),
	new Option(
		"--allowed-hosts <hosts>",
		"more host names of the emulator, such as emulator,host.docker.internal (or TELEPHONY_ALLOWED_HOSTS)",
	).argParser(parseHosts("--allowed-hosts")),
	new Option("--log", "print a line for each request and each delivery"),
];

export const addEmulator = (program: Command): void => {
	// The subcommand has its own --data.
	const emulator = program
		.enablePositionalOptions()
		.command("emulator")
		.enablePositionalOptions()
		.description("Run the whole service on this machine: no account, no cost.")
		.action(run);
	for (const option of options) emulator.addOption(option);
	addTrigger(emulator);
};
