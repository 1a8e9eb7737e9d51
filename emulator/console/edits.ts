/** The edit forms of numbers, trunks and webhooks: their inputs, and the edits that they send. */
import { html } from "hono/html";
import { eventNames, numberStatuses, routeTypes } from "../../provider/api/contract";
import { EditNumber, EditTrunk, EditWebhook } from "../control/edits";
import type { Service } from "../service/service";
import type { NumberRow, Route, TrunkRow, WebhookRow } from "../store/store";
import { changesOf, type Fields, fieldOf, listOf, type Shape, valuesOf } from "./forms";
import { area, type Html, input, same, select } from "./html";

interface Edited {
	readonly shape: Shape;
	/** By name of the property; null is an input without a hint. */
	readonly hints: Readonly<Record<string, string | null>>;
	readonly list?: Readonly<Record<string, readonly string[]>>;
}

const number: Edited = {
	shape: EditNumber.shape,
	hints: {
		label: "At most 64 characters.",
		sms_webhook_url: "Receives each SMS to the number. Empty: none.",
		status: "Any text, so that you can test unknown states.",
		release_protection: "The API refuses to release the number.",
	},
	list: { status: numberStatuses },
};
const trunk: Edited = {
	shape: EditTrunk.shape,
	hints: { name: null, capacity: null, cps: null, label: null, status: null, enabled: null },
	list: { status: ["provisioning", "active", "disabled", "failed"] },
};
const webhook: Edited = {
	shape: EditWebhook.shape,
	hints: {
		url: null,
		events: `Separated by commas: ${eventNames.join(", ")}, or *.`,
		description: null,
		enabled: null,
	},
};

const inputs = ({ shape, hints, list }: Edited, row: object): Html =>
	html`${Object.entries(hints).map(([name, hint]) => {
		const value = (row as Readonly<Record<string, unknown>>)[name];
		return shape[name] && fieldOf(name, shape[name], value, { hint: hint ?? "", list: list?.[name] });
	})}`;

const edit = ({ shape }: Edited, row: object, fields: Fields, more: object): object =>
	changesOf({ ...valuesOf(shape, fields), ...more }, row);

const targets = ["trunk_id", "uri", "to", "url", "agent_id"] as const;

/** The value that says where a route leads, for every type of route. */
export const targetOf = (route: Route): string => {
	const values = route as Readonly<Record<string, unknown>>;
	return String(targets.map((name) => values[name]).find((value) => value !== undefined) ?? "");
};

/** The property with the target of a route; `to` for types that the API doesn't know. */
const targetName = (type: string): string =>
	({ trunk: "trunk_id", sip_uri: "uri", webhook: "url", agent: "agent_id" })[type] ?? "to";

/** The longest list of trunks to choose from. */
const mostTrunks = 500;

/** Trunks by name, with the one in use. */
const trunkOptions = ({ store }: Service, chosen: string): [string, string][] => {
	const trunks = [...store.trunks].slice(-mostTrunks).map(({ id, name }): [string, string] => [id, name]);
	trunks.sort(([, one], [, other]) => one.localeCompare(other));
	if (chosen === "" || trunks.some(([id]) => id === chosen)) return trunks;
	return [[chosen, store.trunks.get(chosen)?.name ?? `${chosen} (deleted)`], ...trunks];
};

export const numberInputs = (service: Service, row: NumberRow): Html => {
	const type = row.routing?.type ?? "";
	const target = row.routing ? targetOf(row.routing) : "";
	const trunkId = type === "trunk" ? target : "";
	const known = type === "" || routeTypes.some((each) => each === type);
	const types: [string, string][] = [["", "none"], ...same(known ? routeTypes : [type, ...routeTypes])];
	return html`${select("Routing", "route_type", { value: type, options: types, hint: "Destination of calls to the number." })}
${select("Trunk", "route_trunk", { value: trunkId, options: trunkOptions(service, trunkId), when: "for-trunk" })}
${input("Target", "route_target", type === "trunk" ? "" : target, { wide: true, when: "for-target", hint: "SIP URI, phone number, URL or agent." })}
${inputs(number, row)}`;
};

const routeEdit = ({ routing }: NumberRow, { route_type: type, route_target, route_trunk }: Fields): object => {
	if (type === undefined) return {};
	if (type === "") return { routing: null };
	const target = type === "trunk" ? (route_trunk ?? route_target) : route_target;
	if (routing?.type === type && targetOf(routing) === target) return {};
	// If only the target changes, timeout and failover stay.
	return { routing: { ...(routing?.type === type ? routing : { type }), [targetName(type)]: target } };
};

export const numberEdit = (row: NumberRow, fields: Fields): object => {
	const { route_type, route_target, route_trunk, ...rest } = fields;
	return edit(number, row, rest, routeEdit(row, fields));
};

export const trunkInputs = (row: TrunkRow): Html =>
	html`${inputs(trunk, row)}${
		row.auth.mode === "ip_acl"
			? area("Allowed CIDRs", "allowed_cidrs", row.auth.allowed_cidrs.join("\n"), "One per line.")
			: html`${input("Username", "username", row.auth.username)}${input("New password", "password", "", { type: "password", hint: "Empty: unchanged." })}`
	}`;

const authEdit = ({ auth }: TrunkRow, { allowed_cidrs, username, password }: Fields): object => {
	if (auth.mode === "ip_acl")
		return allowed_cidrs === undefined ? {} : { auth: { ...auth, allowed_cidrs: listOf(allowed_cidrs) } };
	if (!password && (username === undefined || username === auth.username)) return {};
	return { auth: { mode: auth.mode, username, ...(password ? { password } : {}) } };
};

export const trunkEdit = (row: TrunkRow, fields: Fields): object => {
	const { allowed_cidrs, username, password, ...rest } = fields;
	return edit(trunk, row, rest, authEdit(row, fields));
};

export const webhookInputs = (row: WebhookRow): Html => inputs(webhook, row);

export const webhookEdit = (row: WebhookRow, fields: Fields): object => edit(webhook, row, fields, {});
