import { z } from "zod";
import { startBilling } from "../areas/billing/billing";
import { type InboundCall, receiveCall } from "../areas/calls/calls";
import { type Decision, decideKyc, isKycPolicy, kycPolicyHint, scheduleKyc } from "../areas/kyc/kyc";
import { decideKycProfile, deleteKycProfile, findKycProfile } from "../areas/kyc/profiles";
import { applyProfilePatch } from "../areas/kyc/routes";
import { type InboundMessage, receiveMessage } from "../areas/messages/messages";
import { findNumber, releaseNumber } from "../areas/numbers/routes";
import {
	decidePortOrder,
	findPortOrder,
	movePortOrder,
	type PortDecision,
	portDecisions,
} from "../areas/port-orders/port-orders";
import { checkNumbers } from "../areas/port-orders/routes";
import { applyTrunkPatch, editTrunk, findTrunk } from "../areas/trunks/routes";
import { findDelivery, resendDelivery } from "../areas/webhooks/deliveries";
import { numberChanged } from "../areas/webhooks/events";
import { findWebhook } from "../areas/webhooks/routes";
import type { FaultRequest } from "../faults/fault-rules";
import type { FaultReport } from "../faults/faults";
import { invalid } from "../request/errors";
import { validateUrls } from "../request/plain-urls";
import { validate } from "../request/validate";
import type { ScriptReport, ScriptRule } from "../service/script";
import { edit, resetService, type Service, timeOf, turnClock } from "../service/service";
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

/** Every row of each kind: released numbers too, and deliveries to addresses that belong to no webhook. */
type Rows = { readonly [Name in keyof Store]: Store[Name] extends Collection<infer Row> ? Row[] : never };

/** The whole state. It includes passwords and webhook secrets, which tests need, but not the API key. */
export interface State extends Rows {
	readonly profile: Profile;
	readonly now: string;
	readonly kyc: { readonly policy: string };
	readonly settings: Settings;
}

/** What can be done to the service outside the API: over HTTP under `/_emulator`, in process with these functions. */
export interface Control {
	state(): State;
	/** The whole state except requests and faults, for `restore`, also in another emulator. */
	snapshot(): Snapshot;
	/** Replaces the state with a snapshot. Numbers handed out here before are not handed out again. */
	restore(snapshot: Snapshot): void;
	/** Back to an empty account with the initial settings. Ids and numbers handed out before are not used again. */
	reset(): void;
	/** The latest calls under `/v1` (`keepRequests`), including refused ones; with a filter, the matching ones. */
	requests(filter?: RequestsFilter): JournalRow[];
	/** One page of them, and how many earlier ones are no longer kept. */
	requestsPage(filter: RequestsFilter): RequestsPage;
	/** Forgets the requests so far, and nothing else. */
	clearRequests(): void;
	/** Purchases, releases and refused releases; restored and ported numbers. */
	ledger(): LedgerRow[];
	/** `manual`, `immediate`, `reject` or a duration: applies to numbers bought from now on. */
	kyc(policy: string): void;
	decide(id: string, decision: Decision, reasons?: readonly KycReason[]): NumberRow;
	/** Decides on a KYC profile and on all numbers that name it. */
	decideProfile(id: string, decision: Decision, reasons?: readonly KycReason[]): KycProfileRow;
	/** Moves a port order on in place of the carriers; `reject` is an exception, with these reasons. */
	decidePortOrder(id: string, decision: PortDecision, reasons?: readonly KycReason[]): PortOrderRow;
	/** `{status: "released"}` releases; any other edit is stored as given. */
	patchNumber(id: string, patch: EditNumber): NumberRow;
	patchTrunk(id: string, patch: EditTrunk): TrunkRow;
	patchWebhook(id: string, patch: EditWebhook): WebhookRow;
	patchKycProfile(id: string, patch: EditKycProfile): KycProfileRow;
	patchPortOrder(id: string, patch: EditPortOrder): PortOrderRow;
	/** Releases it at once, protected or not. */
	deleteNumber(id: string): void;
	/** Deletes it at once, in use or not. */
	deleteTrunk(id: string): void;
	deleteWebhook(id: string): void;
	/** Deletes it at once, whether numbers name it or not. */
	deleteKycProfile(id: string): void;
	/** Changes the given settings; without a patch, only reads them. */
	settings(patch?: SettingsPatch): Settings;
	/** Freezes the time, advances it or lets it run; without a patch, only reads it. */
	clock(patch?: ClockPatch): ClockState;
	/** A call from outside to a number of the account. */
	receiveCall(call: InboundCall): CallRow;
	/** An SMS from outside to a number of the account. */
	receiveMessage(message: InboundMessage): MessageRow;
	/**
	 * Sends an event as if it had happened: the example of the description, with your own values in it, to every webhook
	 * that takes it. Nothing else changes.
	 */
	trigger(event: Trigger): { deliveries: DeliveryRow[] };
	/** Delivers an event again, with the same `webhook-id`. */
	resend(deliveryId: string): DeliveryRow;
	/** Resolves once all deliveries due by the clock, and their followers, are made: nobody has to sleep. */
	settled(): Promise<void>;
	/** The fate of single calls and SMS, decided beforehand. */
	readonly script: {
		list(): ScriptReport[];
		add(rule: ScriptRule): ScriptReport;
		/** Removes one rule, or all. */
		clear(id?: string): void;
	};
	/** What goes wrong under `/v1`. */
	readonly faults: {
		list(): FaultReport[];
		set(rule: FaultRequest): FaultReport;
		/** Lets the requests go on that a rule holds now. */
		release(id: string): FaultReport;
		/** Removes one rule, or all. The requests that they hold go on. */
		clear(id?: string): void;
	};
}

/** @param startAt where a reset puts the clock back to, in milliseconds since 1970; it goes on without it */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one short method for each function of the control API
export const createControl = (service: Service, startAt?: number): Control => {
	const { store, clock, faults, script } = service;
	const firstPolicy = service.kycPolicy;
	const modeOf = () => (clock instanceof SwitchableClock ? clock.mode : "virtual");
	const firstMode = modeOf();
	const cause = () => ({ key: null, requestId: newId("req", service.random) });

	startBilling(service);

	return {
		state: () =>
			structuredClone({
				profile: service.profile,
				now: timeOf(service),
				kyc: { policy: service.kycPolicy },
				settings: service.settings,
				...(Object.fromEntries(Object.entries(store).map(([name, rows]) => [name, [...rows]])) as unknown as Rows),
			}),
		snapshot: () => takeSnapshot(service),
		restore: (snapshot) => restoreSnapshot(service, snapshot),
		reset: () => {
			resetService(service, firstPolicy);
			if (startAt !== undefined && clock instanceof SwitchableClock) clock.set(firstMode, startAt);
			else turnClock(service, firstMode);
			startBilling(service);
		},
		requests: (filter = {}) => requestsPage(service, filter).data,
		requestsPage: (filter) => requestsPage(service, filter),
		clearRequests: () => service.journal.clear(),
		ledger: () => service.ledger.rows(),
		kyc: (policy) => {
			service.kycPolicy = validate(KycPolicy, { policy }).policy;
		},
		decide: (id, decision, reasons) => {
			validate(KycDecision, { decision, reasons });
			return structuredClone(decideKyc(service, id, decision, reasons));
		},
		decideProfile: (id, decision, reasons) => {
			validate(KycDecision, { decision, reasons });
			return structuredClone(decideKycProfile(service, id, decision, reasons));
		},
		decidePortOrder: (id, decision, reasons) => {
			validate(PortOrderDecision, { decision, reasons });
			return structuredClone(decidePortOrder(service, id, decision, reasons));
		},
		patchNumber: (id, sent) => {
			const patch = validateUrls(EditNumber, sent, service.post.names);
			const row = findNumber(service, id);
			const released = patch.status === "released";
			if (released && Object.keys(patch).length > 1)
				throw invalid([{ field: "status", message: "released can't be combined with other changes" }]);
			const change = () => edit(service, store.numbers, row, (draft) => editNumber(draft, patch, timeOf(service)));
			const edited = released ? releaseNumber(service, row, cause()) : numberChanged(service, row, change());
			service.inventory.block(edited.number);
			// The deadline may have changed.
			scheduleKyc(service, edited);
			return structuredClone(edited);
		},
		patchTrunk: (id, sent) => {
			const patch = validate(EditTrunk, sent);
			return structuredClone(
				editTrunk(service, findTrunk(service, id), (draft) => applyTrunkPatch(service, draft, patch)),
			);
		},
		patchWebhook: (id, sent) => {
			const patch = validateUrls(EditWebhook, sent, service.post.names);
			const row = findWebhook(service, id);
			return structuredClone(edit(service, store.webhooks, row, (draft) => editWebhook(service, draft, patch)));
		},
		patchKycProfile: (id, sent) => {
			const patch = validate(EditKycProfile, sent);
			const row = findKycProfile(service, id);
			return structuredClone(edit(service, store.kycProfiles, row, (draft) => applyProfilePatch(draft, patch)));
		},
		patchPortOrder: (id, sent) => {
			const patch = validate(EditPortOrder, sent);
			const row = findPortOrder(service, id);
			if (patch.numbers !== undefined) checkNumbers(service, patch.numbers, row.country, row);
			return structuredClone(movePortOrder(service, row, (draft) => editPortOrder(draft, patch)));
		},
		deleteNumber: (id) => {
			releaseNumber(service, findNumber(service, id), cause());
		},
		deleteTrunk: (id) => store.trunks.delete(findTrunk(service, id).id),
		deleteWebhook: (id) => store.webhooks.delete(findWebhook(service, id).id),
		deleteKycProfile: (id) => deleteKycProfile(service, findKycProfile(service, id).id),
		settings: (patch = {}) => {
			service.settings = changeSettings(service.settings, patch);
			return structuredClone(service.settings);
		},
		clock: (patch = {}) => {
			patchClock(service, patch);
			return { mode: modeOf(), now: timeOf(service) };
		},
		receiveCall: (call) => structuredClone(receiveCall(service, call)),
		receiveMessage: (message) => structuredClone(receiveMessage(service, message)),
		trigger: (event) => structuredClone(trigger(service, event)),
		resend: (id) => structuredClone(resendDelivery(service, findDelivery(service, id))),
		settled: () => service.courier.settled(),
		script: {
			list: () => script.list(),
			add: (rule) => script.add(rule),
			clear: (id) => script.clear(id),
		},
		faults: {
			list: () => faults.list(),
			set: (rule) => faults.set(rule),
			release: (id) => faults.release(id),
			clear: (id) => faults.clear(id),
		},
	};
};
