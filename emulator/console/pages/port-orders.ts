import { html } from "hono/html";
import { decidablePorts, type PortDecision } from "../../areas/port-orders/port-orders";
import type { PortOrderRow } from "../../store/store";
import { decide } from "../decide";
import { nameOf } from "../facts";
import { type Html, panel, time } from "../html";
import { kindSection } from "../section";
import { documentsOf } from "./documents";

const labels: readonly (readonly [Exclude<PortDecision, "reject">, string])[] = [
	["advance", "Next step"],
	["complete", "Complete"],
	["cancel", "Cancel"],
];

const reject = {
	codes: ["subscriber_mismatch", "account_number_mismatch", "pin_invalid", "number_not_active"],
	message: "The carrier has another subscriber for this number.",
};

const decisions = (row: PortOrderRow): Html => {
	const can = (decision: PortDecision) => decidablePorts[decision].includes(row.status);
	if (!labels.some(([decision]) => can(decision))) return html`<p class="empty">This order has ended.</p>`;
	return decide({ path: `port_orders/${row.id}`, of: nameOf(row), labels, reject, can });
};

const exceptions = (row: PortOrderRow): Html | "" =>
	row.exceptions.length === 0
		? ""
		: panel(
				"Exceptions",
				html`<ul>${row.exceptions.map(({ code, message }) => html`<li><b>${code}</b> ${message}</li>`)}</ul>`,
			);

export const portOrders = kindSection(
	"portOrders",
	{
		about: () => "Numbers that move here from another carrier, as the clock advances.",
		columns: () => ["status", { title: "From", cell: ({ carrier }) => carrier.name }, "scheduled_at", "created_at"],
		searched: ["numbers", "id", "status", "reference"],
		empty: html`No port orders yet. Create one with <code>POST /v1/port_orders</code>.`,
	},
	{
		omit: ["exceptions", "document_ids"],
		facts: ({ next_at }) => ({ next_step: time(next_at) }),
		leftColumn: (row, service) => html`${exceptions(row)}${documentsOf(service, row.document_ids)}`,
		rightColumn: (row) => panel("Decide", decisions(row), "In place of the carriers, at once."),
	},
);
