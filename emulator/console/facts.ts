/** Stored values of a row as names and values, without secrets. */
import { html } from "hono/html";
import { type KindName, kinds } from "../../provider/api/contract";
import { harmless, hidden } from "../request/harmless";
import type { Service } from "../service/service";
import type { Stored } from "../store/store";
import { labelOf } from "./forms";
import { code, facts, type Html, text, time } from "./html";

/** The path of a kind's section, such as `port_orders`. */
export const sectionPath = (name: KindName): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The text by which people know an object. */
export const nameOf = (row: Stored): string => {
	const { number, name, event, url, filename, numbers } = row as Stored & Readonly<Record<string, string | undefined>>;
	if (numbers !== undefined) return numbers.length === 1 ? String(numbers[0]) : `${numbers.length} numbers`;
	return number ?? name ?? event ?? url ?? filename ?? row.id;
};

/** A link to an object's page with its name; the bare id if there is no such object. */
export const link = ({ store }: Service, id: string | null | undefined): Html => {
	const name = (Object.keys(kinds) as KindName[]).find((kind) => id?.startsWith(`${kinds[kind].idPrefix}_`));
	const row = id && name && store[name].get(id);
	return row ? html`<a href="/_console/${sectionPath(name)}/${id}">${nameOf(row)}</a>` : code(id);
};

/** Links to the first of these numbers. */
export const numberLinks = (service: Service, ids: readonly string[]): Html =>
	ids.length === 0
		? text(null)
		: html`${ids.slice(0, 20).map((id) => html`${link(service, id)} `)}${ids.length > 20 ? `and ${ids.length - 20} more` : ""}`;

const isTime = (value: string): boolean =>
	/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));
const isId = (value: string): boolean => /^[a-z]+(_[a-z]+)*_[a-z2-7]{12}$/.test(value);

/** Parts separated by commas. */
const joined = (parts: readonly Html[]): Html =>
	parts.length === 0 ? text(null) : html`${parts.map((part, index) => html`${index === 0 ? "" : ", "}${part}`)}`;

export const valueHtml = (service: Service, value: unknown): Html => {
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
