import { type Command, Option } from "commander";
import type { Emulator, EmulatorOptions } from "../emulator";
import { isKycPolicy, kycPolicyHint } from "../emulator/areas/kyc/kyc";
import { hostHint, parsePattern } from "../emulator/service/hosts";
import { mostRowsKept, rowsKept } from "../emulator/store/journal";
import { parseTime, timeHint } from "../emulator/time/clock";
import { dialectIn } from "../provider/session/service";
import { addTrigger } from "./trigger";
import { asUsageError, UsageError } from "./usage";

const usualKey = "emulator-key";

interface Options {
	readonly port: number;
	readonly host: string;
	readonly apiKey: string;
	readonly data: string;
	readonly memory?: boolean;
	readonly log?: boolean;
	readonly keepRequests?: number;
	readonly profile: "full" | "seed";
	readonly kyc: string;
	readonly clock: "real" | "virtual";
	readonly startAt?: string;
	readonly deliver: "loopback" | "any";
	readonly deliverTo?: string[];
	readonly controlToken?: string;
	readonly allowedHosts?: string[];
	/** Of all commands: see index.ts. */
	readonly service?: string;
}

/** A parser of an option's value: the text itself, if it fits. */
const checked =
	(fits: (text: string) => boolean, refusal: (text: string) => string) =>
	(text: string): string => {
		if (fits(text)) return text;
		throw new UsageError("usage", refusal(text));
	};

const asNumber = (parse: (text: string) => string) => (text: string) => Number(parse(text));

const parsePort = asNumber(
	checked(
		(text) => /^\d+$/.test(text) && Number(text) <= 65_535,
		(text) => `--port must be a number from 0 (any free port) to 65535, but is ${JSON.stringify(text)}.`,
	),
);

const parseKept = asNumber(
	checked(
		(text) => /^[1-9]\d*$/.test(text) && Number(text) <= mostRowsKept,
		(text) => `--keep-requests must be a whole number from 1 to ${mostRowsKept}, but is ${JSON.stringify(text)}.`,
	),
);

const parseKyc = checked(isKycPolicy, (text) => `--kyc must be ${kycPolicyHint}, but is ${JSON.stringify(text)}.`);

const parseStart = checked(
	(text) => parseTime(text) !== undefined,
	(text) => `--start-at ${timeHint}, but is ${JSON.stringify(text)}.`,
);

const parseFolder = checked(
	(text) => text.trim() !== "",
	() => "--data is empty: name a folder, or leave it out.",
);

/** A key or a token never appears in a message. */
const parseSecret = (option: string) =>
	checked(
		(text) => /^[\x21-\x7e]+$/.test(text),
		() => `${option} must be printable ASCII without spaces, because it is sent in a header.`,
	);
const parseToken = parseSecret("--control-token");

const parseHosts =
	(option: string) =>
	(text: string): string[] => {
		const hosts = text.split(",").map((host) => host.trim());
		const wrong = hosts.find((host) => parsePattern(host) === undefined);
		if (wrong === undefined) return hosts;
		throw new UsageError("usage", `${option}: each ${hostHint}, but one is ${JSON.stringify(wrong)}.`);
	};

/** For a service container, which takes no arguments. An empty variable counts as not set. */
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

const start = async (options: EmulatorOptions & { port: number; host: string }): Promise<Emulator> => {
	// No other command needs it.
	const { createEmulator, DataError } = await import("../emulator/index.js");
	try {
		return await createEmulator(options);
	} catch (error) {
		if (error instanceof DataError) throw new UsageError("emulator", error.message);
		const { port, host } = options;
		switch ((error as NodeJS.ErrnoException).code) {
			case "EADDRINUSE":
				throw new UsageError(
					"emulator",
					`port ${port} is in use: stop what listens there, or choose another port with --port (0 = any).`,
				);
			case "EACCES":
				throw new UsageError(
					"emulator",
					`port ${port} is not open to this user: choose one above 1023 with --port (0 = any).`,
				);
			case "EADDRNOTAVAIL":
			case "ENOTFOUND":
				throw new UsageError(
					"emulator",
					`${host} is not an address of this machine: choose another with --host, such as 127.0.0.1.`,
				);
			default:
				throw error;
		}
	}
};

const run = async (options: Options): Promise<void> => {
	const { data, memory, log, service: file, ...others } = fromEnvironment(options);
	const rest = {
		...others,
		...(file === undefined ? {} : { service: serviceOf(file) }),
		...(log ? { log: (line: string) => void process.stderr.write(`${line}\n`) } : {}),
	};
	if (rest.startAt !== undefined && rest.clock === "real")
		throw new UsageError("usage", "--start-at is for a virtual clock: leave out --clock real.");
	const emulator = await start(memory ? rest : { ...rest, data });
	const stop = () => {
		void emulator.close().then(() => process.exit(0));
	};
	process.once("SIGINT", stop);
	process.once("SIGTERM", stop);
	// The process at the other end of the channel is gone. An emulator that was started by hand has no channel.
	process.once("disconnect", stop);
	if (emulator.data) process.stderr.write(`state is kept in ${emulator.data.path}\n`);
	// Even if the emulator listens on every address, control API and console answer only to loopback names.
	const here = emulator.url.replace(/\/v1$/, "").replace(/\/\/(0\.0\.0\.0|\[::\]):/, "//127.0.0.1:");
	// A key of your own is a secret; the usual one is in every page of the docs.
	const key = emulator.apiKey === usualKey ? `api key ${usualKey}` : "api key as given";
	process.stdout.write(`listening on ${emulator.url} (${key}, control ${here}/_emulator, console ${here}/_console)\n`);
};

const options: readonly Option[] = [
	new Option("--port <port>", "where to listen, 0 = any free port").default(4010).argParser(parsePort),
	new Option(
		"--host <host>",
		"where /v1 listens; the control API answers other hosts only with --control-token",
	).default("127.0.0.1"),
	new Option("--api-key <key>", "the key to accept").default(usualKey).argParser(parseSecret("--api-key")),
	new Option("--data <dir>", "keep the state in this folder")
		.default(".telephony-emulator")
		.argParser(parseFolder)
		.conflicts("memory"),
	new Option("--memory", "keep the state in memory only"),
	new Option("--profile <profile>", "offer everything, or only what the public description shows")
		.choices(["full", "seed"])
		.default("full"),
	new Option("--kyc <policy>", "manual, immediate, reject, or a duration such as 10m")
		.default("manual")
		.argParser(parseKyc),
	new Option("--clock <clock>", "which clock to use; virtual stands still until you advance it")
		.choices(["real", "virtual"])
		.default("real"),
	new Option("--start-at <time>", "where a virtual clock begins, such as 2027-01-01T00:00:00Z")
		.argParser(parseStart)
		.implies({ clock: "virtual" }),
	new Option("--deliver <where>", "where webhooks may go: this machine only, or any public https address too")
		.choices(["loopback", "any"])
		.default("loopback"),
	new Option("--keep-requests <count>", "how many of the latest requests to show")
		.default(rowsKept)
		.argParser(parseKept),
	new Option(
		"--deliver-to <hosts>",
		"receivers that webhooks may reach wherever they are, over plain http too, such as app:3000,*.internal (or TELEPHONY_DELIVER_TO)",
	).argParser(parseHosts("--deliver-to")),
	new Option(
		"--control-token <token>",
		"open control API and console to other hosts that send it (better in TELEPHONY_CONTROL_TOKEN)",
	).argParser(parseToken),
	new Option(
		"--allowed-hosts <hosts>",
		"other host names of the control API and the console, such as emulator,host.docker.internal (or TELEPHONY_ALLOWED_HOSTS)",
	).argParser(parseHosts("--allowed-hosts")),
	new Option("--log", "print a line for each request and each delivery"),
];

export const addEmulator = (program: Command): void => {
	// A subcommand has options of its own, such as another --data.
	const emulator = program
		.enablePositionalOptions()
		.command("emulator")
		.enablePositionalOptions()
		.description("Run the whole service on this machine: no account, no cost.")
		.action(run);
	for (const option of options) emulator.addOption(option);
	addTrigger(emulator);
};
