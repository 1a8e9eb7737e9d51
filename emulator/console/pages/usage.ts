import { html } from "hono/html";
import type { z } from "zod";
import { type UsageRecord, usageGroups } from "../../../provider/api/contract";
import { monthOf, usageOf } from "../../areas/billing/billing";
import type { Service } from "../../service/service";
import { type Html, select, table, time } from "../html";
import type { Section } from "./page";

type Usage = z.input<typeof UsageRecord>;

/** As the wire has them; of a hundred thousand numbers, nobody reads all. */
const mostRows = 200;

const months = (now: number): [string, string][] =>
	Array.from({ length: 12 }, (_, ago) => {
		const month = new Date(monthOf(now, -ago)).toISOString().slice(0, 7);
		return [month, ago === 0 ? `${month}, so far` : month];
	});

const numberOf = (service: Service, { number_id }: Usage): Html =>
	html`<a href="/_console/numbers/${number_id}">${service.store.numbers.get(number_id ?? "")?.number ?? number_id}</a>`;

export const usage: Section = {
	title: "Usage",

	list: ({ service, query }) => {
		const now = service.clock.now();
		const options = months(now);
		const month = options.find(([value]) => value === query.get("month"))?.[0] ?? options[0]?.[0] ?? "";
		const group = usageGroups.find((each) => each === query.get("group_by")) ?? "category";
		const from = Date.parse(`${month}-01T00:00:00Z`);
		const rows = usageOf(service, from, Math.min(monthOf(from, 1), now), group);
		const choose = (label: string, name: string, value: string, choices: readonly (readonly [string, string])[]) =>
			select(label, name, { value, options: choices });
		return {
			title: "Usage",
			about: "What was used and what it costs, exactly. An invoice rounds its lines to the cent.",
			body: html`<div class="bar"><form method="get" action="/_console/usage" role="search" class="search">${choose("Month", "month", month, options)}${choose(
				"By",
				"group_by",
				group,
				usageGroups.map((each) => [each, each]),
			)}<button type="submit" class="plain">Show</button></form></div>
${table<Usage>({
	caption: "Usage",
	columns: [
		{ title: "What", cell: ({ category }) => html`<b>${category}</b>` },
		...(group === "number" ? [{ title: "Number", cell: (row: Usage) => numberOf(service, row) }] : []),
		{ title: "Quantity", cell: ({ quantity, unit }) => `${quantity} ${unit}${quantity === 1 ? "" : "s"}`, right: true },
		{ title: "Cost", cell: ({ cost }) => `${cost.amount} ${cost.currency}`, right: true },
		{ title: "From", cell: ({ period_start }) => time(period_start), right: true },
		{ title: "To", cell: ({ period_end }) => time(period_end), right: true },
	],
	rows: rows.slice(0, mostRows),
	idOf: ({ category, number_id, period_start }) => `${category}-${number_id ?? ""}-${period_start}`,
	empty: "Nothing was used in this month.",
})}${rows.length > mostRows ? html`<p class="note">The first ${mostRows} of ${rows.length}: <code>GET /v1/usage</code> has all.</p>` : ""}`,
		};
	},
};
