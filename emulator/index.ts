import "../node-version";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type Clock, type ClockMode, SwitchableClock, VirtualClock } from "./clock";
import { type Control, createControl } from "./control";
import { isKycPolicy, kycPolicyHint } from "./kyc";
import type { Deliver } from "./post";
import { cryptoRandom, seededRandom } from "./random";
import { createApp } from "./server";
import { createService, stopTimers } from "./service";
import type { Profile } from "./settings";

export { type Clock, type ClockMode, VirtualClock } from "./clock";
export type { ClockPatch, ClockState, Control, EditNumber, EditTrunk, EditWebhook, State } from "./control";
export { ServiceError } from "./errors";
export type { FaultRequest, FaultRule } from "./fault-rules";
export type { FaultReport } from "./faults";
export type { JournalRow } from "./journal";
export type { Decision } from "./kyc";
export type { LedgerRow } from "./ledger";
export type { Deliver } from "./post";
export type { Profile, Settings, SettingsPatch } from "./settings";
export type {
	Attempt,
	DeliveryRow,
	Kyc,
	KycDocumentRow,
	KycProfileRow,
	KycReason,
	NumberRow,
	Route,
	TrunkAuth,
	TrunkRow,
	WebhookRow,
} from "./store";

export interface EmulatorOptions {
	/** @default 0, any free port */
	readonly port?: number;
	/** Where `/v1` listens; the control plane answers this machine only, whatever this says. @default "127.0.0.1" */
	readonly host?: string;
	/** @default "emulator-key" */
	readonly apiKey?: string;
	/** `seed` offers nothing but what the service's public description shows: list numbers and buy. @default "full" */
	readonly profile?: Profile;
	/** `manual`, `immediate`, `reject`, or a duration such as `10m` after which KYC clears. @default "manual" */
	readonly kyc?: string;
	/** `virtual` stands still until it is advanced; so does a clock of one's own, as its owner likes. @default "real" */
	readonly clock?: ClockMode | Clock;
	/** `any` delivers webhooks to every public https address too, and logs no more as refused. @default "loopback" */
	readonly deliver?: Deliver;
	/** Makes ids, passwords and secrets the same each time. @default random ones */
	readonly seed?: string | number;
}

export interface Emulator {
	/** Base URL of the service, with `/v1`. */
	readonly url: string;
	readonly apiKey: string;
	readonly control: Control;
	/** Ends open connections too. */
	close(): Promise<void>;
}

const openClock = (clock: ClockMode | Clock = "real"): Clock => {
	if (typeof clock === "object") return clock;
	return clock === "real" ? new SwitchableClock() : new VirtualClock();
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
 * @example
 * const emulator = await createEmulator({ kyc: "immediate" });
 * // … talk to emulator.url with emulator.apiKey, look behind it with emulator.control …
 * await emulator.close();
 */
export const createEmulator = async (options: EmulatorOptions = {}): Promise<Emulator> => {
	const { port = 0, host = "127.0.0.1", apiKey = "emulator-key", profile = "full", kyc = "manual" } = options;
	if (!isKycPolicy(kyc)) throw new RangeError(`kyc must be ${kycPolicyHint}, and is ${JSON.stringify(kyc)}.`);
	const service = createService({
		clock: openClock(options.clock),
		random: options.seed === undefined ? cryptoRandom : seededRandom(String(options.seed)),
		apiKey,
		profile,
		kycPolicy: kyc,
		deliver: options.deliver,
	});
	const control = createControl(service);
	// Whoever embeds the emulator keeps Node's own Request and Response.
	const server = createAdaptorServer({
		fetch: createApp(service, control).fetch,
		overrideGlobalObjects: false,
	}) as Server;
	// Longer than clients keep idle connections: none is closed under a request on its way.
	server.keepAliveTimeout = 75_000;
	const { port: bound } = await listen(server, port, host);

	return {
		url: `http://${urlHost(host)}:${bound}/v1`,
		apiKey,
		control,
		close: async () => {
			service.faults.reset();
			await new Promise((resolve) => {
				server.close(resolve);
				server.closeAllConnections();
			});
			await stopTimers(service);
			await service.post.close();
		},
	};
};
