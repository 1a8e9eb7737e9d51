/** Events as the engine gives them for a preview-only refresh, and the report that comes of them. */

import { type DriftedResource, type DriftReport, driftReport, resourcesIn } from "../../cli/drift/report";
import type { EngineEvent } from "../../cli/engine/events";

type Values = Record<string, unknown>;
export const secret = {
	"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
	ciphertext: "[secret]",
};

interface Made {
	readonly type?: string;
	readonly inputs?: Values;
	readonly outputs?: Values;
	/** Values after a read; null if the object isn't found. */
	readonly live?: { readonly inputs?: Values; readonly outputs?: Values } | null;
	readonly op?: string;
	readonly delete?: boolean;
}

const urnOf = (type: string, name: string) => `urn:pulumi:prod::shop::pulumi-nodejs:dynamic/telephony:${type}::${name}`;

export function step(name: string, made: Made): EngineEvent {
	const { type = "Number", live = {} } = made;
	const [inputs, outputs] = [made.inputs ?? {}, made.outputs ?? {}];
	const old = {
		id: `id_${name}`,
		inputs,
		outputs: { ...inputs, ...outputs },
		...(made.delete ? { delete: true } : {}),
	};
	const read = live && {
		id: old.id,
		inputs: { ...inputs, ...live.inputs },
		outputs: { ...old.outputs, ...live.inputs, ...live.outputs },
	};
	const op = made.op ?? (live === null ? "delete" : Object.keys(live).length > 0 ? "update" : "same");
	return {
		resOutputsEvent: {
			metadata: { op, urn: urnOf(type, name), type: `pulumi-nodejs:dynamic/telephony:${type}`, old, new: read },
		},
	};
}

export const warning = (name: string, message: string): EngineEvent => ({
	diagnosticEvent: { urn: urnOf("Number", name), message, severity: "warning" },
});
export const origin = { account: "https://api.example.com/v1", at: "2026-11-22T06:00:00Z" };
export const reported = (...events: EngineEvent[]): DriftReport => driftReport(resourcesIn(events), "prod", origin);
export const only = (...events: EngineEvent[]): DriftedResource | undefined => reported(...events).resources[0];

export const active = { status: "active", phoneNumber: "+31201234567", lease: "l1" };
export const pending = { status: "pending", phoneNumber: "+4930123456", kyc: { status: "in_review", reasons: [] } };
