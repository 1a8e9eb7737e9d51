import type { InboundCall } from "../areas/calls/calls";
import type { Decision } from "../areas/kyc/kyc";
import type { InboundMessage } from "../areas/messages/messages";
import { findNumber } from "../areas/numbers/routes";
import type { PortDecision } from "../areas/port-orders/port-orders";
import { findTrunk } from "../areas/trunks/routes";
import { findWebhook } from "../areas/webhooks/routes";
import type { ClockPatch } from "../control/clock";
import type { Control } from "../control/control";
import type { Service } from "../service/service";
import type { Ask } from "./ask";
import {
	type Fields,
	faultRule,
	featuresPatch,
	json,
	numberEdit,
	settingsPatch,
	trunkEdit,
	webhookEdit,
} from "./fields";
import { completeProfile, makeProfile } from "./profile";

export interface Action {
	/** Below `/_console`. */
	readonly path: string;
	/** The message shown when it is done. */
	readonly done: string;
	/** The next page, if it is not the one with the form. */
	readonly next?: string | ((result: unknown) => string);
	/** Calls the control API function that tests call, or the API itself. Both check their input. */
	readonly run: (id: string, fields: Fields) => unknown;
}

/** Two actions: an edit by the fields of its form, and any other edit as the control API's JSON. */
const edits = <Edit extends object>(
	path: string,
	done: string,
	patch: (id: string, edit: Edit) => unknown,
	editOf: (id: string, fields: Fields) => Edit,
): Action[] => [
	{ path, done, run: (id, fields) => patch(id, editOf(id, fields)) },
	{ path: `${path}/json`, done, run: (id, fields) => patch(id, json(fields) as Edit) },
];

const bought = (result: unknown): string => {
	const { id } = result as { readonly id?: string };
	return id === undefined ? "/numbers" : `/numbers/${id}`;
};

/** What waits for papers or for carriers: KYC profiles and port orders. */
const paperActions = (service: Service, control: Control, ask: Ask): Action[] => [
	{ path: "/kyc/profiles", done: "The profile is made.", run: (_, fields) => makeProfile(ask, fields) },
	{
		path: "/kyc/profiles/{id}/complete",
		done: "The profile is changed and submitted.",
		run: (id, fields) => completeProfile(service, ask, id, fields),
	},
	{
		path: "/kyc/profiles/{id}",
		done: "The profile is decided on.",
		run: (id, { decision, code, message = "" }) =>
			control.decideProfile(id, decision as Decision, code ? [{ code, message }] : undefined),
	},
	{
		path: "/kyc/profiles/{id}/json",
		done: "The profile is changed.",
		run: (id, fields) => control.patchKycProfile(id, json(fields)),
	},
	{
		path: "/kyc/profiles/{id}/delete",
		done: "The profile is deleted.",
		next: "/kyc",
		run: (id) => control.deleteKycProfile(id),
	},
	{
		path: "/port_orders/{id}",
		done: "The port order is moved on.",
		run: (id, { decision, code, message = "" }) =>
			control.decidePortOrder(id, decision as PortDecision, code ? [{ code, message }] : undefined),
	},
	{
		path: "/port_orders/{id}/json",
		done: "The port order is changed.",
		run: (id, fields) => control.patchPortOrder(id, json(fields)),
	},
];

export const consoleActions = (service: Service, control: Control, ask: Ask): readonly Action[] => [
	{
		path: "/buy",
		done: "The number is bought.",
		next: bought,
		run: (_, { country = "", type, area = "" }) =>
			ask("POST", "/numbers", {
				country: country.trim().toUpperCase(),
				type,
				...(area.trim() ? { area: area.trim() } : {}),
			}),
	},
	{
		path: "/clock",
		done: "The clock is turned.",
		run: (_, { mode, advance }) => {
			const patch = { ...(mode ? { mode } : {}), ...(advance === undefined ? {} : { advance: advance.trim() }) };
			return control.clock(patch as ClockPatch);
		},
	},
	{
		path: "/kyc",
		done: "The policy is set, for numbers bought from now on.",
		run: (_, { policy = "" }) => control.kyc(policy),
	},
	{
		path: "/numbers/{id}/kyc",
		done: "The KYC is decided.",
		run: (id, { decision, code, message = "" }) =>
			control.decide(id, decision as Decision, code ? [{ code, message }] : undefined),
	},
	...paperActions(service, control, ask),
	{ path: "/calls", done: "It rings.", run: (_, fields) => control.receiveCall(fields as unknown as InboundCall) },
	{
		path: "/messages",
		done: "The SMS is received.",
		run: (_, fields) => control.receiveMessage(fields as unknown as InboundMessage),
	},
	{ path: "/deliveries/{id}/resend", done: "It is on its way once more.", run: (id) => control.resend(id) },
	...edits("/numbers/{id}", "The number is changed.", control.patchNumber, (id, fields) =>
		numberEdit(findNumber(service, id), fields),
	),
	{ path: "/numbers/{id}/release", done: "The number is released.", run: (id) => control.deleteNumber(id) },
	...edits("/trunks/{id}", "The trunk is changed.", control.patchTrunk, (id, fields) =>
		trunkEdit(findTrunk(service, id), fields),
	),
	{ path: "/trunks/{id}/delete", done: "The trunk is deleted.", next: "/trunks", run: (id) => control.deleteTrunk(id) },
	...edits("/webhooks/{id}", "The webhook is changed.", control.patchWebhook, (id, fields) =>
		webhookEdit(findWebhook(service, id), fields),
	),
	{
		path: "/webhooks/{id}/rotate",
		done: "The secret is rotated.",
		run: (id) => control.patchWebhook(id, { rotate_secret: true }),
	},
	{
		path: "/webhooks/{id}/delete",
		done: "The webhook is deleted.",
		next: "/webhooks",
		run: (id) => control.deleteWebhook(id),
	},
	{ path: "/faults", done: "The fault is set.", run: (_, fields) => control.faults.set(faultRule(fields)) },
	{ path: "/faults/clear", done: "No fault is set any more.", run: () => control.faults.clear() },
	{ path: "/faults/{id}/clear", done: "The fault is removed.", run: (id) => control.faults.clear(id) },
	{
		path: "/faults/{id}/release",
		done: "What the fault kept waiting goes on.",
		run: (id) => control.faults.release(id),
	},
	{ path: "/settings", done: "The behaviour is saved.", run: (_, fields) => control.settings(settingsPatch(fields)) },
	{
		path: "/settings/features",
		done: "The offer is saved.",
		run: (_, fields) => control.settings(featuresPatch(fields)),
	},
	{ path: "/reset", done: "The emulator is as new.", run: () => control.reset() },
];
