import "../node-version";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { dialectOf } from "../provider/api/dialect/dialect";
import { isKycPolicy, kycPolicyHint } from "./areas/kyc/kyc";
import { createAccess } from "./control/access";
import { type Control, createControl } from "./control/control";
import { keepIn, type Started, startsOf } from "./control/snapshot";
import { refuseUnread } from "./http/respond";
import { createApp } from "./server";
import { type HostPattern, hostHint, parsePattern } from "./service/hosts";
import type { Deliver } from "./service/post";
import { createService, type Service, stopTimers } from "./service/service";
import type { Profile } from "./service/settings";
import { Folder } from "./store/folder";
import { mostRowsKept } from "./store/journal";
import { cryptoRandom, type Random, seededRandom } from "./store/random";
import { type Clock, type ClockMode, parseTime, SwitchableClock, timeHint, VirtualClock } from "./time/clock";

export type { Decision } from "./areas/kyc/kyc";
export type { PortDecision } from "./areas/port-orders/port-orders";
export type { ClockPatch, ClockState } from "./control/clock";
export type { Control, State } from "./control/control";
export type { EditKycProfile, EditNumber, EditPortOrder, EditTrunk, EditWebhook } from "./control/edits";
export type { RequestsFilter, RequestsPage } from "./control/requests";
export type { Snapshot } from "./control/snapshot";
export type { FaultRequest, FaultRule } from "./faults/fault-rules";
export type { FaultReport } from "./faults/faults";
export { ServiceError } from "./request/errors";
export type { Deliver } from "./service/post";
export type { ScriptReport, ScriptRule } from "./service/script";
export type { Profile, Settings, SettingsPatch } from "./service/settings";
export { DataError } from "./store/folder";
export type { JournalRow } from "./store/journal";
export type { LedgerRow } from "./store/ledger";
export type {
	Attempt,
	CallRow,
	DeliveryRow,
	InvoiceRow,
	Kyc,
	KycDocumentRow,
	KycProfileRow,
	KycReason,
	MessageRow,
	NumberRow,
	PortOrderRow,
	RecordingRow,
	Route,
	TrunkAuth,
	TrunkRow,
	WebhookRow,
} from "./store/store";
export { type Clock, type ClockMode, VirtualClock } from "./time/clock";

export interface EmulatorOptions {
	/** What `/v1` names otherwise: a description as docs/guides/your-service.md shows it. @default nothing */
	readonly service?: unknown;
	/** @default 0, any free port */
	readonly port?: number;
	/** Where `/v1` listens. The control API always answers this machine only. @default "127.0.0.1" */
	readonly host?: string;
	/** @default "emulator-key" */
	readonly apiKey?: string;
	/** `seed` offers only what the service's public description shows: list numbers and buy. @default "full" */
	readonly profile?: Profile;
	/** `manual`, `immediate`, `reject`, or a duration such as `10m` after which KYC clears. @default "manual" */
	readonly kyc?: string;
	/** `virtual` stands still until it is advanced. A `Clock` of your own goes as you like. @default "real" */
	readonly clock?: ClockMode | Clock;
	/**
	 * The time at which the clock stands still, RFC 3339: `clock` is then `virtual`. A reset goes back to it. A folder
	 * that has been opened before keeps its own time, unless this option has changed. @default now
	 */
	readonly startAt?: string;
	/** `any` also delivers webhooks to public https addresses; `loopback` logs those as refused. @default "loopback" */
	readonly deliver?: Deliver;
	/** How many of the latest requests `control.requests()` shows, at most 1,000,000. @default 100,000 */
	readonly keepRequests?: number;
	/** Gets a line without secrets for each request under `/v1` and each attempt to deliver. */
	readonly log?: (line: string) => void;
	/**
	 * Receivers that may be private, over plain http too, for webhooks, inbound SMS and calls: such as `app:3000` or
	 * `*.internal`. Never the emulator's own port. @default none
	 */
	readonly deliverTo?: readonly string[];
	/**
	 * Opens the control API to other hosts that send it as `Authorization: Bearer …`, and the console to those that
	 * sign in with it. Printable ASCII without spaces. @default this machine only, without a token
	 */
	readonly controlToken?: string;
	/** Other names than those of loopback by which control API and console may be asked. @default none */
	readonly allowedHosts?: readonly string[];
	/** Makes ids, passwords and secrets the same each time. @default random ones */
	readonly seed?: string | number;
	/**
	 * A folder that keeps the state for the next start, created if missing. An answer over HTTP then waits for the disk.
	 * @default in memory only
	 */
	readonly data?: string;
	/** Lets the process end while the emulator runs: for tests, which may fail before they close it. @default false */
	readonly unref?: boolean;
}

export interface Emulator {
	/** Base URL of the service, with `/v1`. */
	readonly url: string;
	readonly apiKey: string;
	readonly control: Control;
	/** The folder that keeps the state, if any. */
	readonly data: { readonly path: string } | undefined;
	/** Also ends open connections, and waits until everything is on disk. Calling it again changes nothing. */
	close(): Promise<void>;
}

const openClock = (clock: ClockMode | Clock, startAt: number | undefined): Clock => {
	if (typeof clock === "object") return clock;
	return clock === "real" ? new SwitchableClock() : new VirtualClock(startAt);
};

const patternsOf = (option: string, hosts: readonly string[] = []): HostPattern[] =>
	hosts.map((text) => {
		const pattern = parsePattern(text);
		if (pattern === undefined) throw new RangeError(`${option} ${hostHint}, and is ${JSON.stringify(text)}.`);
		return pattern;
	});

const serverOf = (app: ReturnType<typeof createApp>, service: Service): Server => {
	const errorHandler = (error: unknown) => refuseUnread(service, error);
	// A program that embeds the emulator keeps Node's own Request and Response.
	const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler }));
	// Longer than clients keep idle connections, so that none is closed while a request is on its way.
	server.keepAliveTimeout = 75_000;
	return server;
};

const listen = (server: Server, port: number, host: string): Promise<AddressInfo> =>
	new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, host, () => {
			server.off("error", reject);
			resolve(server.address() as AddressInfo);
		});
	});

const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/**
 * Starts a whole service on this machine: no account, no cost, nothing shared with other emulators.
 *
 * Fails with `DataError` if the folder is in use or damaged: the message says what to do.
 *
 * @example
 * const emulator = await createEmulator({ kyc: "immediate" });
 * // … talk to emulator.url with emulator.apiKey, inspect it with emulator.control …
 * await emulator.close();
 */
export const createEmulator = async (options: EmulatorOptions = {}): Promise<Emulator> => {
	const { kyc = "manual", data, keepRequests = 1 } = options;
	if (!Number.isInteger(keepRequests) || keepRequests < 1 || keepRequests > mostRowsKept)
		throw new RangeError(`keepRequests must be a whole number from 1 to ${mostRowsKept}, and is ${keepRequests}.`);
	if (!isKycPolicy(kyc)) throw new RangeError(`kyc must be ${kycPolicyHint}, and is ${JSON.stringify(kyc)}.`);
	const { startAt, clock = "virtual" } = options;
	if (startAt !== undefined && parseTime(startAt) === undefined)
		throw new RangeError(`startAt ${timeHint}, and is ${JSON.stringify(startAt)}.`);
	if (startAt !== undefined && clock !== "virtual")
		throw new RangeError("startAt is for a virtual clock: leave clock out.");
	if (options.controlToken !== undefined && !/^[\x21-\x7e]+$/.test(options.controlToken))
		throw new RangeError("controlToken must be printable ASCII without spaces, because it is sent in a header.");
	patternsOf("deliverTo", options.deliverTo);
	patternsOf("allowedHosts", options.allowedHosts);
	if (data === undefined) return open(options);
	const folder = Folder.open(data);
	return open(options, folder).catch(async (error: unknown) => {
		await folder.close();
		throw error;
	});
};

/** A different one for each start on the same folder, so that ids don't repeat. */
const randomOf = (seed: string | number | undefined, starts: number): Random => {
	if (seed === undefined) return cryptoRandom;
	return seededRandom(starts === 0 ? String(seed) : `${seed}:${starts}`);
};

const open = async (options: EmulatorOptions, folder?: Folder): Promise<Emulator> => {
	const { port = 0, host = "127.0.0.1", apiKey = "emulator-key", profile = "full", kyc = "manual", startAt } = options;
	const { clock = startAt === undefined ? "real" : "virtual" } = options;
	const time = startAt === undefined ? undefined : parseTime(startAt);
	const dialect = dialectOf(options.service, "the option `service`");
	const entries = folder?.entries() ?? [];
	const service = createService({
		clock: openClock(clock, time),
		ownsClock: typeof clock !== "object",
		random: randomOf(options.seed, startsOf(entries)),
		apiKey,
		profile,
		kycPolicy: kyc,
		log: options.log,
		keepRequests: options.keepRequests,
		isPaged: dialect?.isPaged ?? true,
		reach: { deliver: options.deliver ?? "loopback", deliverTo: patternsOf("deliverTo", options.deliverTo) },
	});
	const started: Started = { profile, kyc, clock: typeof clock === "object" ? "own" : clock, startAt: time ?? null };
	// First, because a reset goes back to the options given, not to what the folder says.
	const control = createControl(service, time);
	const allowedHosts = patternsOf("allowedHosts", options.allowedHosts);
	const access = createAccess({ controlToken: options.controlToken, allowedHosts });
	if (folder) await keepIn(folder, entries, service, started);
	const end = async () => {
		await stopTimers(service);
		await service.post.close();
		await folder?.close();
	};
	const server = serverOf(createApp(service, control, access, dialect), service);
	if (options.unref) server.unref().on("connection", (socket) => void socket.unref());
	const { port: bound } = await listen(server, port, host).catch(async (error: unknown) => {
		await end();
		throw error;
	});
	service.post.refusePort(bound);

	let closed: Promise<void> | undefined;
	const close = async () => {
		service.faults.reset();
		await new Promise((resolve) => {
			server.close(resolve);
			server.closeAllConnections();
		});
		await end();
	};

	return {
		url: `http://${urlHost(host)}:${bound}/v1`,
		apiKey,
		control,
		data: folder && { path: folder.path },
		// Only once: by then the folder may belong to another emulator.
		close: () => (closed ??= close()),
	};
};
