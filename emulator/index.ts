import "../provider/node-version";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { serviceDescriptionOf } from "../provider/api/description/service-description";
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
export type { Edit } from "./control/edits";
export type { EditKycProfile, EditNumber, EditPortOrder, EditTrunk, EditWebhook } from "./control/kinds";
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
	/** The service description: see docs/guides/your-service.md. @default none */
	readonly service?: unknown;
	/** @default 0, which takes any free port */
	readonly port?: number;
	/** Address on which `/v1` listens. The control API accepts other hosts only with `controlToken`. @default "127.0.0.1" */
	readonly host?: string;
	/** @default "emulator-key" */
	readonly apiKey?: string;
	/** `seed` offers only the two public operations: list numbers, buy numbers. @default "full" */
	readonly profile?: Profile;
	/** `manual`, `immediate`, `reject`, or a duration such as `10m` after which KYC is approved. @default "manual" */
	readonly kyc?: string;
	/** `virtual` stands still until you advance it. You can pass your own `Clock`. @default "real" */
	readonly clock?: ClockMode | Clock;
	/**
	 * Start of a virtual clock, RFC 3339. A reset returns to it. A folder that was used before keeps its own time.
	 * @default now
	 */
	readonly startAt?: string;
	/** `any` also delivers webhooks to public https addresses; `loopback` refuses them. @default "loopback" */
	readonly deliver?: Deliver;
	/** Number of latest requests to keep, at most 1,000,000. @default 100,000 */
	readonly keepRequests?: number;
	/** Takes a line without secrets for each request under `/v1` and each attempt to deliver. */
	readonly log?: (line: string) => void;
	/**
	 * Receivers of webhooks, inbound SMS and calls that may be private and use plain http, such as `app:3000` or
	 * `*.internal`. @default none
	 */
	readonly deliverTo?: readonly string[];
	/**
	 * Admits other hosts that send it as `Authorization: Bearer …` to the control API, or sign in with it to the console.
	 * Printable ASCII without spaces. @default none, so only this machine has access
	 */
	readonly controlToken?: string;
	/** More host names of the emulator, besides `localhost` and IP addresses. @default none */
	readonly allowedHosts?: readonly string[];
	/** Seed of ids, passwords and secrets. @default random */
	readonly seed?: string | number;
	/**
	 * A folder that keeps the state, created if missing. Each response waits for the disk. @default in memory only
	 */
	readonly data?: string;
	/** Lets the process end while the emulator runs. @default false */
	readonly unref?: boolean;
}

export interface Emulator {
	/** Base URL of the service, with `/v1`. */
	readonly url: string;
	readonly apiKey: string;
	readonly control: Control;
	/** The folder that keeps the state, if any. */
	readonly data: { readonly path: string } | undefined;
	/** Ends open connections and waits until all changes are on disk. Calling it again changes nothing. */
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
	// The embedding program keeps Node's Request and Response.
	const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler }));
	// Longer than clients keep idle connections, so that no request meets a closed one.
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
 * Starts an emulator. Emulators share nothing.
 *
 * Fails with `DataError` if the folder is in use or damaged.
 *
 * @example
 * const emulator = await createEmulator({ kyc: "immediate" });
 * // … use emulator.url with emulator.apiKey, and emulator.control …
 * await emulator.close();
 */
export const createEmulator = async (options: EmulatorOptions = {}): Promise<Emulator> => {
	const { kyc = "manual", data, keepRequests = 1 } = options;
	if (!Number.isInteger(keepRequests) || keepRequests < 1 || keepRequests > mostRowsKept)
		throw new RangeError(`keepRequests must be a whole number from 1 to ${mostRowsKept}, and is ${keepRequests}.`);
	// Node would listen on every address.
	if (options.host === "") throw new RangeError("host is empty: name an address of this machine, or leave it out.");
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

/** Returns another sequence for each start on the same folder, so that ids don't repeat. */
const randomOf = (seed: string | number | undefined, starts: number): Random => {
	if (seed === undefined) return cryptoRandom;
	return seededRandom(starts === 0 ? String(seed) : `${seed}:${starts}`);
};

const open = async (options: EmulatorOptions, folder?: Folder): Promise<Emulator> => {
	const { port = 0, host = "127.0.0.1", apiKey = "emulator-key", profile = "full", kyc = "manual", startAt } = options;
	const { clock = startAt === undefined ? "real" : "virtual" } = options;
	const time = startAt === undefined ? undefined : parseTime(startAt);
	const { service: described } = options;
	const dialect = described === undefined ? undefined : serviceDescriptionOf(described, "the option `service`");
	const lacking = dialect?.lacking ?? [];
	const entries = folder?.entries() ?? [];
	const service = createService({
		clock: openClock(clock, time),
		ownsClock: typeof clock !== "object",
		random: randomOf(options.seed, startsOf(entries)),
		apiKey,
		profile,
		kycPolicy: kyc,
		log: options.log ?? (() => {}),
		keepRequests: options.keepRequests,
		isPaged: dialect?.isPaged ?? true,
		lacking,
		reach: { deliver: options.deliver ?? "loopback", deliverTo: patternsOf("deliverTo", options.deliverTo) },
	});
	const started: Started = { profile, kyc, clock: typeof clock === "object" ? "own" : clock, lacking };
	// Before the folder is read, because a reset returns to the options.
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
		// Once: later, the folder may belong to another emulator.
		close: () => (closed ??= close()),
	};
};
