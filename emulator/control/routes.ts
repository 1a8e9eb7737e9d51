import type { InboundCall } from "../areas/calls/calls";
import type { InboundMessage } from "../areas/messages/messages";
import type { FaultRequest } from "../faults/fault-rules";
import { validate } from "../request/validate";
import type { ScriptRule } from "../service/script";
import type { SettingsPatch } from "../service/settings";
import type { ClockPatch } from "./clock";
import { type Control, KycDecision, KycPolicy } from "./control";
import type { EditNumber, EditTrunk, EditWebhook } from "./edits";
import type { RequestsFilter } from "./requests";
import type { Snapshot } from "./snapshot";
import type { Trigger } from "./trigger";

export interface ControlRoute {
	readonly method: "GET" | "POST" | "PATCH" | "DELETE";
	/** Below `/_emulator`. */
	readonly path: string;
	/** In bytes; undefined: the limit of every request. */
	readonly maxBody?: number;
	/** `sent` is the body, or the query of a GET. Undefined is answered as 204, also as a promise. */
	readonly handle: (id: string, sent: unknown) => unknown;
}

/** The same functions as in process; they validate their input. */
export const controlRoutes = (control: Control): readonly ControlRoute[] => [
	{ method: "GET", path: "/state", handle: () => control.state() },
	{ method: "GET", path: "/snapshot", handle: () => control.snapshot() },
	{
		method: "POST",
		path: "/restore",
		maxBody: 256 * 1024 * 1024,
		handle: (_, body) => control.restore(body as Snapshot),
	},
	{ method: "POST", path: "/reset", handle: () => control.reset() },
	{ method: "GET", path: "/requests", handle: (_, query) => control.requestsPage(query as RequestsFilter) },
	{ method: "DELETE", path: "/requests", handle: () => control.clearRequests() },
	{ method: "GET", path: "/ledger", handle: () => ({ data: control.ledger() }) },
	{ method: "GET", path: "/kyc", handle: () => control.state().kyc },
	{
		method: "POST",
		path: "/kyc",
		handle: (_, body) => {
			const { policy } = validate(KycPolicy, body);
			control.kyc(policy);
			return { policy };
		},
	},
	{
		method: "POST",
		path: "/numbers/{id}/kyc",
		handle: (id, body) => {
			const { decision, reasons } = validate(KycDecision, body);
			return control.decide(id, decision, reasons);
		},
	},
	{
		method: "POST",
		path: "/kyc/profiles/{id}",
		handle: (id, body) => {
			const { decision, reasons } = validate(KycDecision, body);
			return control.decideProfile(id, decision, reasons);
		},
	},
	{ method: "PATCH", path: "/numbers/{id}", handle: (id, body) => control.patchNumber(id, body as EditNumber) },
	{ method: "PATCH", path: "/trunks/{id}", handle: (id, body) => control.patchTrunk(id, body as EditTrunk) },
	{ method: "PATCH", path: "/webhooks/{id}", handle: (id, body) => control.patchWebhook(id, body as EditWebhook) },
	{ method: "DELETE", path: "/numbers/{id}", handle: (id) => control.deleteNumber(id) },
	{ method: "DELETE", path: "/trunks/{id}", handle: (id) => control.deleteTrunk(id) },
	{ method: "DELETE", path: "/webhooks/{id}", handle: (id) => control.deleteWebhook(id) },
	{ method: "GET", path: "/settings", handle: () => control.settings() },
	{ method: "PATCH", path: "/settings", handle: (_, body) => control.settings(body as SettingsPatch) },
	{ method: "GET", path: "/clock", handle: () => control.clock() },
	{ method: "POST", path: "/clock", handle: (_, body) => control.clock(body as ClockPatch) },
	{ method: "POST", path: "/calls", handle: (_, body) => control.receiveCall(body as InboundCall) },
	{ method: "POST", path: "/messages", handle: (_, body) => control.receiveMessage(body as InboundMessage) },
	{ method: "POST", path: "/trigger", handle: (_, body) => control.trigger(body as Trigger) },
	{ method: "POST", path: "/deliveries/{id}/resend", handle: (id) => control.resend(id) },
	{ method: "POST", path: "/settled", handle: () => control.settled() },
	{ method: "GET", path: "/script", handle: () => ({ data: control.script.list() }) },
	{ method: "POST", path: "/script", handle: (_, body) => control.script.add(body as ScriptRule) },
	{ method: "DELETE", path: "/script", handle: () => control.script.clear() },
	{ method: "DELETE", path: "/script/{id}", handle: (id) => control.script.clear(id) },
	{ method: "GET", path: "/faults", handle: () => ({ data: control.faults.list() }) },
	{ method: "POST", path: "/faults", handle: (_, body) => control.faults.set(body as FaultRequest) },
	{ method: "DELETE", path: "/faults", handle: () => control.faults.clear() },
	{ method: "DELETE", path: "/faults/{id}", handle: (id) => control.faults.clear(id) },
	{ method: "POST", path: "/faults/{id}/release", handle: (id) => control.faults.release(id) },
];
