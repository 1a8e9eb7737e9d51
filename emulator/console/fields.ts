import { z } from "zod";
import type { EditNumber, EditTrunk, EditWebhook } from "../control/edits";
import type { FaultRequest } from "../faults/fault-rules";
import { invalid } from "../request/errors";
import { Settings, type SettingsPatch } from "../service/settings";
import type { NumberRow, TrunkRow, WebhookRow } from "../store/store";
import { targetName, targetOf } from "./pages/route";

/** The fields of a form as sent. Of several with one name, the last counts, so that a ticked box beats its `false`. */
export type Fields = Readonly<Record<string, string>>;

/** An empty field counts as not given. */
const given = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

const orNull = (text: string | undefined): string | null | undefined => (text === "" ? null : text);

/** Text that isn't a number is passed on as it is, so that the control API refuses it. */
const number = (text: string | undefined): number | undefined => {
	if (text === undefined || text.trim() === "") return undefined;
	return Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text);
};

const list = (text: string | undefined): string[] | undefined => text?.split(/[\s,]+/).filter(Boolean);

const boolean = (text: string | undefined): boolean | undefined => (text === undefined ? undefined : text === "true");

export const json = ({ json: text = "" }: Fields): object => {
	try {
		return JSON.parse(text);
	} catch {
		throw invalid([{ field: "json", message: "is not valid JSON" }]);
	}
};

/** The values that differ from the row: a form sends all its fields, and an untouched one is not an edit. */
const changed = <Row extends object>(patch: { readonly [Key in keyof Row]?: unknown }, row: Row): object =>
	Object.fromEntries(
		Object.entries(patch).filter(
			([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(row[name as keyof Row]),
		),
	);

const routeOf = (row: NumberRow, { route_type: type, route_target, route_trunk }: Fields): object => {
	if (type === undefined) return {};
	const target = type === "trunk" ? (route_trunk ?? route_target) : route_target;
	const before = row.routing;
	if (type === "") return { routing: null };
	if (before?.type === type && targetOf(before) === target) return {};
	// If only the target changes, timeout and failover stay.
	const kept = before?.type === type ? before : { type };
	return { routing: { ...kept, [targetName(type) ?? "to"]: target } };
};

export const numberEdit = (row: NumberRow, fields: Fields): EditNumber => {
	const { label, sms_webhook_url, status, release_protection } = fields;
	const patch = {
		...routeOf(row, fields),
		label: orNull(label),
		sms_webhook_url: orNull(sms_webhook_url),
		status,
		release_protection: boolean(release_protection),
	};
	return changed<NumberRow>(patch, row) as EditNumber;
};

const authOf = ({ auth }: TrunkRow, { allowed_cidrs, username, password }: Fields): object => {
	if (auth.mode === "ip_acl") {
		const cidrs = list(allowed_cidrs);
		return cidrs === undefined ? {} : { auth: { ...auth, allowed_cidrs: cidrs } };
	}
	const fresh = given(password);
	if (fresh === undefined && (username === undefined || username === auth.username)) return {};
	return { auth: { mode: auth.mode, username, ...(fresh === undefined ? {} : { password: fresh }) } };
};

export const trunkEdit = (row: TrunkRow, fields: Fields): EditTrunk => {
	const { name, capacity, cps, label, status, enabled } = fields;
	const patch = {
		...authOf(row, fields),
		name,
		capacity: number(capacity),
		cps: cps === "" ? null : number(cps),
		label: orNull(label),
		status,
		enabled: boolean(enabled),
	};
	return changed<TrunkRow>(patch, row) as EditTrunk;
};

export const webhookEdit = (row: WebhookRow, fields: Fields): EditWebhook => {
	const { url, events, description, enabled } = fields;
	const patch = { url, events: list(events), description: orNull(description), enabled: boolean(enabled) };
	return changed<WebhookRow>(patch, row) as EditWebhook;
};

export const faultRule = (fields: Fields): FaultRequest => {
	const { operation, kind, phase, when, count, seed, status, error, retryAfter, ms } = fields;
	const rule = {
		operation,
		kind,
		phase: given(phase),
		...(when === "every" ? { every: true } : {}),
		...(when === "nth" ? { nth: number(count) ?? "" } : {}),
		...(when === "probability" ? { probability: number(count) ?? "" } : {}),
		seed: given(seed),
		status: number(status),
		error: given(error),
		retryAfter: number(retryAfter),
		ms: number(ms),
	};
	return JSON.parse(JSON.stringify(rule)) as FaultRequest;
};

/** A setting in the type that its schema wants; an empty limit is null. */
const setting = (schema: z.ZodType, text: string): unknown => {
	if (schema instanceof z.ZodBoolean) return text === "true";
	if (schema instanceof z.ZodNullable) return text.trim() === "" ? null : setting(schema.unwrap() as z.ZodType, text);
	if (schema instanceof z.ZodNumber) return number(text);
	if (schema instanceof z.ZodEnum) return text;
	if (schema instanceof z.ZodArray) return list(text);
	return json({ json: text });
};

export const settingsPatch = (fields: Fields): SettingsPatch => {
	const shape: Readonly<Record<string, z.ZodType>> = Settings.shape;
	return Object.fromEntries(
		Object.entries(fields).map(([name, text]) => [name, shape[name] ? setting(shape[name], text) : text]),
	);
};

export const featuresPatch = (fields: Fields): SettingsPatch => ({
	features: Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, text === "true"])),
});
