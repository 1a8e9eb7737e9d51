/** Usage and invoices. */
import { html } from "hono/html";
import type { z } from "zod";
import { type Money, type UsageRecord, usageGroups } from "../../../provider/api/contract";
import { monthOf, usageOf } from "../../areas/billing/billing";
import type { Service } from "../../service/service";
import type { InvoiceRow } from "../../store/store";
import { link } from "../facts";
import { type Column, type Html, same, select, table, time } from "../html";
import { kindSection, type Section } from "../section";

const sum = ({ amount, currency }: Money): string => `${amount} ${currency}`;

const lineTable = ({ lines }: InvoiceRow): Html =>
	table<InvoiceRow["lines"][number]>({
		caption: "Lines of this invoice",
		columns: [
			{ title: "Item", cell: ({ category, description }) => html`<b>${category}</b><small>${description}</small>` },
			{ title: "Quantity", cell: ({ quantity, unit }) => `${quantity} ${unit}`, right: true },
			{ title: "Cost", cell: ({ cost }) => sum(cost), right: true },
		],
		rows: lines,
		idOf: ({ category, description }) => `${category}-${description}`.replace(/\W+/g, "-"),
		empty: "No usage.",
	});

export const invoices = kindSection(
	"invoices",
	{
		about: () => "One for each month (UTC) with usage, paid after 14 days.",
		columns: () => [
			"status",
			{ title: "Total", cell: ({ total }) => sum(total), right: true },
			{ title: "From", cell: ({ period_start }) => time(period_start), right: true },
			{ title: "Due", cell: ({ due_at }) => time(due_at), right: true },
		],
		empty: "No invoices yet. Advance the clock to the next month.",
	},
	{ omit: ["lines"], below: lineTable },
);

type Usage = z.input<typeof UsageRecord>;

/** The page shows at most this many rows. */
const mostRows = 200;

const months = (currentTime: number): [string, string][] =>
	Array.from({ length: 12 }, (_, ago) => {
		const month = new Date(monthOf(currentTime, -ago)).toISOString().slice(0, 7);
		return [month, ago === 0 ? `${month}, so far` : month];
	});

const usageColumns = (service: Service, isByNumber: boolean): readonly Column<Usage>[] => [
	{ title: "Item", cell: ({ category }) => html`<b>${category}</b>` },
	...(isByNumber ? [{ title: "Number", cell: ({ number_id }: Usage) => link(service, number_id) }] : []),
	{ title: "Quantity", cell: ({ quantity, unit }) => `${quantity} ${unit}${quantity === 1 ? "" : "s"}`, right: true },
	{ title: "Cost", cell: ({ cost }) => sum(cost), right: true },
	{ title: "From", cell: ({ period_start }) => time(period_start), right: true },
	{ title: "To", cell: ({ period_end }) => time(period_end), right: true },
];

export const usage: Section = {
	title: "Usage",
	list: ({ service, query }) => {
		const currentTime = service.clock.now();
		const options = months(currentTime);
		const month = options.find(([value]) => value === query.get("month"))?.[0] ?? options[0]?.[0] ?? "";
		const group = usageGroups.find((name) => name === query.get("group_by")) ?? "category";
		const from = Date.parse(`${month}-01T00:00:00Z`);
		const rows = usageOf(service, from, Math.min(monthOf(from, 1), currentTime), group);
		return {
			title: "Usage",
			about: "Exact costs. An invoice rounds each line to the cent.",
			body: html`<div class="bar"><form method="get" action="/_console/usage" role="search" class="search">${select("Month", "month", { value: month, options })}${select("By", "group_by", { value: group, options: same(usageGroups) })}<button type="submit" class="plain">Show</button></form></div>
${table<Usage>({
	caption: "Usage",
	columns: usageColumns(service, group === "number"),
	rows: rows.slice(0, mostRows),
	idOf: ({ category, number_id, period_start }) => `${category}-${number_id ?? ""}-${period_start}`,
	empty: "No usage in this month.",
})}${rows.length > mostRows ? html`<p class="note">The first ${mostRows} of ${rows.length}. <code>GET /v1/usage</code> returns all.</p>` : ""}`,
		};
	},
};
