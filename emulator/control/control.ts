import { z } from "zod";
import { startBilling } from "../areas/billing/billing";
import { type InboundCall, receiveCall } from "../areas/calls/calls";
import { type Decision, decideKyc, isKycPolicy, kycPolicyHint, scheduleKyc } from "../areas/kyc/kyc";
import { decideKycProfile, deleteKycProfile } from "../areas/kyc/profiles";
import { applyProfilePatch } from "../areas/kyc/routes";
import { type InboundMessage, receiveMessage } from "../areas/messages/messages";
import { findNumber, releaseNumber } from "../areas/numbers/routes";
import { decidePortOrder, movePortOrder, type PortDecision, portDecisions } from "../areas/port-orders/port-orders";
import { checkNumbers } from "../areas/port-orders/routes";
import { applyTrunkPatch, editTrunk } from "../areas/trunks/routes";
import { resendDelivery } from "../areas/webhooks/deliveries";
import { numberChanged } from "../areas/webhooks/events";
import type { FaultRequest } from "../faults/fault-rules";
import type { FaultReport } from "../faults/faults";
import { invalid } from "../request/errors";
import { withNewWords } from "../request/new-words";
import { validateUrls } from "../request/plain-urls";
import { validate } from "../request/validate";
import { isLive } from "../service/limits";
import type { ScriptReport, ScriptRule } from "../service/script";
import { accountIdOf, edit, findRow, resetService, type Service, timeOf, turnClock } from "../service/service";
import { changeSettings, type Profile, type Settings, type SettingsPatch } from "../service/settings";
import type { JournalRow } from "../store/journal";
import type { LedgerRow } from "../store/ledger";
import { newId } from "../store/random";
import type {
	CallRow,
	Collection,
	DeliveryRow,
	KycProfileRow,
	KycReason,
	MessageRow,
	NumberRow,
	PortOrderRow,
	Store,
	TrunkRow,
	WebhookRow,
} from "../store/store";
import { SwitchableClock } from "../time/clock";
import { type ClockPatch, type ClockState, patchClock } from "./clock";
import {
	EditKycProfile,
	EditNumber,
	EditPortOrder,
	EditTrunk,
	EditWebhook,
	editNumber,
	editPortOrder,
	editWebhook,
	Reasons,
} from "./edits";
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
type Rows = { readonly [Name in keyof Store]: Store[Name] extends Collection<infer Row> ? Row[] : never };

/** The whole state, with passwords and webhook secrets but without the API key. */
export interface State extends Rows {
	readonly profile: Profile;
	/** As GET /account shows it. */
	readonly account: { readonly id: string };
	readonly now: string;
	readonly kyc: { readonly policy: string };
	readonly settings: Settings;
}

/**
 * The operations of the control API as functions, which check their input. `routes.ts` offers them over HTTP.
 * @param startAt time to which a reset returns, in milliseconds since 1970; without it, a reset keeps the time
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one short function for each operation
export const createControl = (service: Service, startAt?: number) => {
	const { store, clock, faults, script } = service;
	const initialPolicy = service.kycPolicy;
	const modeOf = () => (clock instanceof SwitchableClock ? clock.mode : "virtual");
	const initialMode = modeOf();
	const cause = () => ({ key: null, requestId: newId("req", service.random) });

	startBilling(service);

	const edited = <Body>(schema: z.ZodType, sent: unknown, accept: (value: unknown) => Body): Body =>
		service.settings.acceptNewWords ? withNewWords(schema, sent, accept) : accept(sent);
	return {
		state: (): State =>
			structuredClone({
				profile: service.profile,
				account: { id: accountIdOf(service) },
				now: timeOf(service),
				kyc: { policy: service.kycPolicy },
				settings: service.settings,
				...(Object.fromEntries(Object.entries(store).map(([name, rows]) => [name, [...rows]])) as unknown as Rows),
			}),
		/** The whole account without requests and faults, for `restore`, also in another emulator. */
		snapshot: () => takeSnapshot(service),
		/** Replaces the account. Phone numbers that this emulator has sold are not sold again. */
		restore: (snapshot: Snapshot): void => restoreSnapshot(service, snapshot),
		/** Returns to an empty account with the initial settings. Ids and phone numbers are not used again. */
		reset: (): void => {
			resetService(service, initialPolicy);
			if (startAt !== undefined && clock instanceof SwitchableClock) clock.set(initialMode, startAt);
			else turnClock(service, initialMode);
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
			service.kycPolicy = validate(KycPolicy, { policy }).policy;
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
		/** `{status: "released"}` releases; any other edit is stored as given. */
		patchNumber: (id: string, sent: EditNumber): NumberRow => {
			const patch = validateUrls(EditNumber, sent, service.post, true);
			const row = findNumber(service, id);
			const isRelease = patch.status === "released";
			if (isRelease && Object.keys(patch).length > 1)
				throw invalid([{ field: "status", message: "released can't be combined with other changes" }]);
			const change = () =>
				edit(service, store.numbers, row, (draft) => {
					editNumber(draft, patch, timeOf(service));
					const isTwice = store.numbers
						.with("number", draft.number)
						.some((numberRow) => numberRow.id !== id && isLive(numberRow));
					if (isLive(draft) && isTwice) throw invalid([{ field: "number", message: "is already on this account" }]);
				});
			const edited = isRelease ? releaseNumber(service, row, cause()) : numberChanged(service, row, change());
			service.inventory.block(edited.number);
			// The deadline may have changed.
			scheduleKyc(service, edited);
			return structuredClone(edited);
		},
		patchTrunk: (id: string, sent: EditTrunk): TrunkRow => {
			const patch = edited(EditTrunk, sent, (value) => validate(EditTrunk, value));
			const row = findRow(service, "trunks", id);
			return structuredClone(editTrunk(service, row, (draft) => applyTrunkPatch(service, draft, patch)));
		},
		patchWebhook: (id: string, sent: EditWebhook): WebhookRow => {
			const patch = edited(EditWebhook, sent, (value) => validateUrls(EditWebhook, value, service.post, true));
			const row = findRow(service, "webhooks", id);
			return structuredClone(edit(service, store.webhooks, row, (draft) => editWebhook(service, draft, patch)));
		},
		patchKycProfile: (id: string, sent: EditKycProfile): KycProfileRow => {
			const patch = validate(EditKycProfile, sent);
			const row = findRow(service, "kycProfiles", id);
			return structuredClone(edit(service, store.kycProfiles, row, (draft) => applyProfilePatch(draft, patch)));
		},
		patchPortOrder: (id: string, sent: EditPortOrder): PortOrderRow => {
			const patch = validate(EditPortOrder, sent);
			const row = findRow(service, "portOrders", id);
			if (patch.numbers !== undefined) checkNumbers(service, patch.numbers, row.country, row);
			return structuredClone(movePortOrder(service, row, (draft) => editPortOrder(draft, patch)));
		},
		/** Releases a number, protected or not. */
		deleteNumber: (id: string): void => void releaseNumber(service, findNumber(service, id), cause()),
		/** Deletes a trunk, in use or not. */
		deleteTrunk: (id: string): void => store.trunks.delete(findRow(service, "trunks", id).id),
		deleteWebhook: (id: string): void => store.webhooks.delete(findRow(service, "webhooks", id).id),
		/** Deletes a KYC profile, in use or not. */
		deleteKycProfile: (id: string): void => deleteKycProfile(service, findRow(service, "kycProfiles", id).id),
		/** Changes the given settings, and returns all. */
		settings: (patch: SettingsPatch = {}): Settings => {
			service.settings = changeSettings(service.settings, patch);
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
