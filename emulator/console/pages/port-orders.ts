import { html } from "hono/html";
import { decidablePorts, type PortDecision } from "../../areas/port-orders/port-orders";
import { EditPortOrder } from "../../control/edits";
import type { PortOrderRow } from "../../store/store";
import { decide } from "../decide";
import { type Html, named, panel, state, time } from "../html";
import { editPanel, tableSection } from "../section";
import { documentsOf } from "./kyc";

const tones: Readonly<Record<string, string>> = {
	completed: "good",
	exception: "bad",
	cancelled: "off",
	cancel_pending: "off",
};

const status = ({ status }: PortOrderRow): Html => state(status, tones[status] ?? "wait");

const nameOf = ({ numbers }: PortOrderRow): string =>
	numbers.length === 1 ? String(numbers[0]) : `${numbers.length} numbers`;

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
	const possible = labels.filter(([decision]) => can(decision));
	if (possible.length === 0) return html`<p class="empty">This order has ended.</p>`;
	return decide({
		path: `port_orders/${row.id}`,
		of: nameOf(row),
		decisions: possible,
		reject: can("reject") ? reject : undefined,
	});
};

const exceptions = (row: PortOrderRow): Html | "" =>
	row.exceptions.length === 0
		? ""
		: panel(
				"Exceptions",
				html`<ul>${row.exceptions.map(({ code, message }) => html`<li><b>${code}</b> ${message}</li>`)}</ul>`,
			);

export const portOrders = tableSection(
	"portOrders",
	{
		title: "Port orders",
		path: "port_orders",
		about: () => "Numbers that move here from another carrier, as the clock advances.",
		columns: () => [
			{ title: "Order", cell: (row) => named(`/_console/port_orders/${row.id}`, nameOf(row), row.id) },
			{ title: "State", cell: status },
			{ title: "From", cell: ({ carrier }) => carrier.name },
			{ title: "Scheduled", cell: ({ scheduled_at }) => time(scheduled_at), right: true },
			{ title: "Created", cell: ({ created_at }) => time(created_at), right: true },
		],
		searched: ["numbers", "id", "status", "reference"],
		empty: html`No port orders yet. Create one with <code>POST /v1/port_orders</code>.`,
	},
	{
		title: nameOf,
		status,
		omit: ["exceptions", "document_ids"],
		facts: ({ next_at }) => ({ next_step: time(next_at) }),
		leftColumn: (row, service) => html`${exceptions(row)}${documentsOf(service, row.document_ids)}`,
		rightColumn: (row) =>
			html`${panel("Decide", decisions(row), "In place of the carriers, at once.")}${editPanel(`port_orders/${row.id}`, EditPortOrder.shape, row)}`,
	},
);
