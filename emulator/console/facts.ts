/** Stored values of a row as names and values, without secrets. */
import { html } from "hono/html";
import { harmless, hidden } from "../request/harmless";
import type { Service } from "../service/service";
import { labelOf } from "./forms";
import { code, facts, type Html, text, time } from "./html";

/** The section with a page for each object, by prefix of the id. */
const sections: Readonly<Record<string, string>> = {
	num: "numbers",
	trk: "trunks",
	whk: "webhooks",
	dlv: "deliveries",
	kyc: "kyc",
	port: "port_orders",
};

/** A link to an object's page with its name; the bare id if there is no such object. */
export const link = ({ store }: Service, id: string | null | undefined): Html => {
	const section = sections[id?.split("_", 1)[0] ?? ""];
	const row = id && section && Object.values(store).flatMap((rows) => (rows.get(id) as object | undefined) ?? [])[0];
	if (!row) return code(id);
	const { number, name, url, event } = row as Readonly<Record<string, string | undefined>>;
	return html`<a href="/_console/${section}/${id}">${number ?? name ?? event ?? url ?? id}</a>`;
};

const isTime = (value: string): boolean =>
	/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));
const isId = (value: string): boolean => /^[a-z]+_[a-z2-7]{12}$/.test(value);

/** Parts separated by commas. */
const joined = (parts: readonly Html[]): Html =>
	parts.length === 0 ? text(null) : html`${parts.map((part, index) => html`${index === 0 ? "" : ", "}${part}`)}`;

const valueHtml = (service: Service, value: unknown): Html => {
	if (typeof value === "boolean") return html`${value ? "yes" : "no"}`;
	if (typeof value === "string" && isTime(value)) return time(value);
	if (typeof value === "string" && isId(value)) return link(service, value);
	if (typeof value !== "object" || value === null) return text(value === null ? null : String(value));
	if (Array.isArray(value)) {
		if (value.some((item) => typeof item === "object"))
			return html`${value.map((item) => html`<p>${valueHtml(service, item)}</p>`)}`;
		return joined(value.map((item) => valueHtml(service, item)));
	}
	const { amount, currency } = value as Readonly<Record<string, unknown>>;
	if (typeof amount === "string") return html`${amount} ${currency}`;
	const parts = Object.entries(value).filter(([, part]) => part !== null && part !== hidden);
	return joined(parts.map(([name, part]) => html`${name}=${valueHtml(service, part)}`));
};

interface Shown {
	readonly omit: readonly string[];
	/** Replaces single values and adds others. */
	readonly special: Readonly<Record<string, Html | string>>;
}

/** Returns all stored values except secrets. */
export const storedFacts = (service: Service, row: object, { omit, special }: Shown): Html => {
	const values = Object.entries(harmless(row) as object).filter(
		([name, value]) => value !== hidden && name !== "id" && !omit.includes(name),
	);
	const cells = Object.fromEntries(values.map(([name, value]) => [name, valueHtml(service, value)]));
	const labelled = Object.entries({ ...cells, ...special }).map(([name, value]) => [labelOf(name), value]);
	return facts(Object.fromEntries(labelled));
};
