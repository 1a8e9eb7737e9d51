import { z } from "zod";
import { startBilling } from "../areas/billing/billing";
import { type InboundCall, receiveCall } from "../areas/calls/calls";
import { type Decision, decideKyc, isKycPolicy, kycPolicyHint } from "../areas/kyc/kyc";
import { decideKycProfile } from "../areas/kyc/profiles";
import { type InboundMessage, receiveMessage } from "../areas/messages/messages";
import { decidePortOrder, type PortDecision, portDecisions } from "../areas/port-orders/port-orders";
import { resendDelivery } from "../areas/webhooks/deliveries";
import type { FaultRequest } from "../faults/fault-rules";
import type { FaultReport } from "../faults/faults";
import { validate } from "../request/validate";
import type { ScriptReport, ScriptRule } from "../service/script";
import { accountIdOf, findRow, resetService, type Service, timeOf } from "../service/service";
import { changeSettings, type Profile, type Settings, type SettingsPatch } from "../service/settings";
import type { JournalRow } from "../store/journal";
import type { LedgerRow } from "../store/ledger";
import type {
	CallRow,
	DeliveryRow,
	KycProfileRow,
	KycReason,
	MessageRow,
	NumberRow,
	PortOrderRow,
	Rows,
} from "../store/store";
import { SwitchableClock } from "../time/clock";
import { type ClockPatch, type ClockState, patchClock } from "./clock";
import { createEdits } from "./edits";
import { Reasons, rulesOf } from "./kinds";
import { type RequestsFilter, type RequestsPage, requestsPage } from "./requests";
import { restoreSnapshot, type Snapshot, takeSnapshot } from "./snapshot";
import { type Trigger, trigger } from "./trigger";

export const KycPolicy = z.strictObject({ policy: z.string().refine(isKycPolicy, `must be ${kycPolicyHint}`) });

export const KycDecision = z.strictObject({
	decision: z.enum(["approve", "reject", "expire"]),
	reasons: Reasons.optional(),
});

export const PortOrderDecision = z.strictObject({
	decision: z.enum(portDecisions),
	reasons: Reasons.optional(),
});

/** Every row of each kind, also released numbers and deliveries to bare URLs. */
type AllRows = { readonly [Name in keyof Rows]: Rows[Name][] };

/** The whole state, with passwords and webhook secrets but without the API key. */
export interface State extends AllRows {
	readonly profile: Profile;
	/** As GET /account shows it. */
	readonly account: { readonly id: string };
	readonly now: string;
	readonly kyc: { readonly policy: string };
	readonly settings: Settings;
}

/**
 * The operations of the control API as functions, which check their input. `routes.ts` offers them over HTTP.
 * @param startAt time to which a reset returns, in milliseconds since 1970. Without it, a reset keeps the time of a virtual
 * clock, and a real clock has the machine's time again.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one short function for each operation
export const createControl = (service: Service, startAt?: number) => {
	const { store, clock, faults, script } = service;
	const initialPolicy = service.kycPolicy;
	const modeOf = () => (clock instanceof SwitchableClock ? clock.mode : "virtual");
	const initialMode = modeOf();
	service.takeStep = (name, row) => rulesOf(name).step?.(service, row as never);

	startBilling(service);

	return {
		state: (): State =>
			structuredClone({
				profile: service.profile,
				account: { id: accountIdOf(service) },
				now: timeOf(service),
				kyc: { policy: service.kycPolicy },
				settings: service.settings,
				...(Object.fromEntries(Object.entries(store).map(([name, rows]) => [name, [...rows]])) as unknown as AllRows),
			}),
		/** The whole account without requests and faults, for `restore`, also in another emulator. */
		snapshot: () => takeSnapshot(service),
		/** Replaces the account. Phone numbers that this emulator has sold are not sold again. */
		restore: (snapshot: Snapshot): void => restoreSnapshot(service, snapshot),
		/** Returns to an empty account with the initial settings. Ids and phone numbers are not used again. */
		reset: (): void => {
			resetService(service, initialPolicy);
			if (clock instanceof SwitchableClock) {
				if (service.ownsClock) clock.set(initialMode, startAt ?? clock.now());
				else clock.switchTo(initialMode);
			}
			startBilling(service);
		},
		/** The latest requests under `/v1`, including refused ones. */
		requests: (filter: RequestsFilter = {}): JournalRow[] => requestsPage(service, filter).data,
		requestsPage: (filter: RequestsFilter): RequestsPage => requestsPage(service, filter),
		/** Forgets the requests so far, and nothing else. */
		clearRequests: (): void => service.journal.clear(),
		/** Purchases, releases, refused releases, restored and ported numbers. */
		ledger: (): LedgerRow[] => service.ledger.rows(),
		/** Sets the policy for new numbers: `manual`, `immediate`, `reject` or a duration. */
		kyc: (policy: string): void => {
			service.save({ kycPolicy: validate(KycPolicy, { policy }).policy });
		},
		decide: (id: string, decision: Decision, reasons?: readonly KycReason[]): NumberRow => {
			validate(KycDecision, { decision, reasons });
			return structuredClone(decideKyc(service, id, decision, reasons));
		},
		/** Decides on a KYC profile and on all numbers that use it. */
		decideProfile: (id: string, decision: Decision, reasons?: readonly KycReason[]): KycProfileRow => {
			validate(KycDecision, { decision, reasons });
			return structuredClone(decideKycProfile(service, id, decision, reasons));
		},
		/** Decides in place of the carriers; `reject` is an exception with these reasons. */
		decidePortOrder: (id: string, decision: PortDecision, reasons?: readonly KycReason[]): PortOrderRow => {
			validate(PortOrderDecision, { decision, reasons });
			return structuredClone(decidePortOrder(service, id, decision, reasons));
		},
		/** Edits and removes objects outside the API, even if they are protected or in use. */
		...createEdits(service),
		/** Changes the given settings, and returns all. */
		settings: (patch: SettingsPatch = {}): Settings => {
			service.save({ settings: changeSettings(service.settings, patch) });
			return structuredClone(service.settings);
		},
		/** Freezes the clock, advances it or lets it run, and returns it. */
		clock: (patch: ClockPatch = {}): ClockState => {
			patchClock(service, patch);
			return { mode: modeOf(), now: timeOf(service) };
		},
		/** Starts a call from outside to a number of the account. */
		receiveCall: (call: InboundCall): CallRow => structuredClone(receiveCall(service, call)),
		/** Receives an SMS from outside at a number of the account. */
		receiveMessage: (message: InboundMessage): MessageRow => structuredClone(receiveMessage(service, message)),
		/** Sends an event with example data to every webhook that subscribes to it. Nothing else changes. */
		trigger: (event: Trigger): { deliveries: DeliveryRow[] } => structuredClone(trigger(service, event)),
		/** Delivers an event again, with the same `webhook-id`. */
		resend: (deliveryId: string): DeliveryRow =>
			structuredClone(resendDelivery(service, findRow(service, "deliveries", deliveryId))),
		/** Resolves once all due deliveries, and those that follow from them, are sent. */
		settled: (): Promise<void> => service.courier.settled(),
		/** Results of single calls and SMS, decided beforehand. `clear` removes one rule, or all. */
		script: {
			list: (): ScriptReport[] => script.list(),
			add: (rule: ScriptRule): ScriptReport => script.add(rule),
			clear: (id?: string): void => script.clear(id),
		},
		/** Faults of requests and deliveries. `clear` removes one rule, or all, and the requests that it holds continue. */
		faults: {
			list: (): FaultReport[] => faults.list(),
			set: (rule: FaultRequest): FaultReport => faults.set(rule),
			/** Lets the requests continue that a rule holds now. */
			release: (id: string): FaultReport => faults.release(id),
			clear: (id?: string): void => faults.clear(id),
		},
	};
};
export type Control = ReturnType<typeof createControl>;
