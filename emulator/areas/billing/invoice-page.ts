import { html } from "hono/html";
import type { Media } from "../../request/handlers";
import type { InvoiceRow } from "../../store/store";

const date = (time: string): string => time.slice(0, 10);

const style = html`<style>
	:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
	body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
	table { width: 100%; border-collapse: collapse; margin: 2rem 0; }
	th, td { padding: .4rem .5rem; text-align: left; border-bottom: 1px solid #8886; }
	.figure { text-align: right; font-variant-numeric: tabular-nums; }
	tfoot th, tfoot td { border: 0; border-top: 2px solid; font-weight: 600; }
</style>`;

/** Returns an invoice as one page to print. */
export const invoicePage = (row: InvoiceRow): Media => {
	const { number, lines, total } = row;
	const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Invoice ${number}</title>${style}</head>
<body>
<h1>Invoice ${number}</h1>
<p>${date(row.period_start)} to ${date(row.period_end)} (not included), UTC. Issued ${date(row.created_at)}, due ${date(row.due_at)}.
${row.paid_at === null ? html`Status: ${row.status}.` : html`Paid ${date(row.paid_at)}.`}</p>
<table>
<thead><tr><th scope="col">Used</th><th scope="col" class="figure">Quantity</th><th scope="col">Unit</th><th scope="col" class="figure">${total.currency}</th></tr></thead>
<tbody>${lines.map(
		({ description, quantity, unit, cost }) =>
			html`<tr><td>${description}</td><td class="figure">${quantity}</td><td>${unit}</td><td class="figure">${cost.amount}</td></tr>`,
	)}</tbody>
<tfoot><tr><th scope="row" colspan="3">Total</th><td class="figure">${total.amount}</td></tr></tfoot>
</table>
<p>Created by the telephony emulator. No payment is due.</p>
</body>
</html>
`;
	return { type: "text/html; charset=utf-8", bytes: Buffer.from(String(page)) };
};
