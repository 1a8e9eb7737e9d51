import { html } from "hono/html";
import type { Service } from "../../service/service";
import type { DeliveryRow, WebhookRow } from "../../store/store";
import { button, type Column, code, form, type Html, panel, same, state, table, text, time } from "../html";
import { kindSection, nameColumn, stateColumn } from "../section";

/** Enough to tell two secrets apart, as the API shows it. */
const secretOf = ({ secret, secret_version }: WebhookRow): Html =>
	html`${code(`…${secret.slice(-4)}`)}<small>version ${secret_version}</small>`;

const resend = ({ id, event }: DeliveryRow): Html =>
	form(`deliveries/${id}/resend`, button("Resend", { of: `${event} ${id}` }));

/** The result of the last attempt, and how many attempts there were. */
const lastAttempt = ({ attempts }: DeliveryRow): Html => {
	const last = attempts.at(-1);
	return last === undefined ? text(null) : html`${last.status ?? last.error}<small>attempt ${attempts.length}</small>`;
};

const deliveryColumns: readonly Column<DeliveryRow>[] = [
	{ title: "State", cell: ({ status }) => state(status) },
	{ title: "Last response", cell: lastAttempt },
	{ title: "To", cell: ({ url }) => html`<span class="wrap">${url}</span>` },
	{
		title: "At",
		cell: ({ attempts, created_at, next_at }) =>
			html`${time(attempts.at(-1)?.at ?? created_at)}${next_at ? html`<small>next ${time(next_at)}</small>` : ""}`,
		right: true,
	},
	{ title: "Action", cell: resend },
];

const latestDeliveries = ({ store }: Service, webhookId: string): Html => {
	const rows = store.deliveries.with("webhook_id", webhookId).slice(-10).reverse();
	const content = table<DeliveryRow>({
		caption: "Deliveries",
		columns: [nameColumn("deliveries"), ...deliveryColumns],
		rows,
		idOf: ({ id }) => id,
		empty: "None yet.",
	});
	return panel("Latest deliveries", content, html`<a href="/_console/deliveries">All deliveries</a>`);
};

export const webhooks = kindSection(
	"webhooks",
	{
		columns: () => [
			stateColumn(({ disabled_reason }) => disabled_reason && `by ${disabled_reason}`),
			"events",
			{ title: "Secret", cell: secretOf },
			"updated_at",
		],
		searched: ["url", "id", "description", "status", "events"],
	},
	{
		facts: (row) => ({ secret: secretOf(row) }),
		rightColumn: ({ id }) =>
			panel(
				"Rotate outside Pulumi",
				form(`webhooks/${id}/rotate`, button("Rotate the secret")),
				"The previous secret stays valid for a day.",
			),
		below: ({ id }, service) => latestDeliveries(service, id),
	},
);

const attemptTable = ({ attempts }: DeliveryRow): Html =>
	table({
		caption: "Attempts to deliver",
		columns: [
			{ title: "Response", cell: ({ status }) => status ?? "none" },
			{ title: "Error", cell: ({ error }) => text(error) },
			{ title: "At", cell: ({ at }) => time(at), right: true },
		],
		rows: attempts,
		idOf: ({ at }) => at,
		empty: "None yet.",
	});

export const deliveries = kindSection(
	"deliveries",
	{
		about: () => "Events sent to webhooks, with the responses.",
		columns: () => deliveryColumns,
		searched: ["event", "url", "id", "event_id", "status"],
		filter: {
			label: "State",
			name: "status",
			options: () => [["", "all"], ...same(["pending", "delivered", "failed", "refused"])],
			accepts: ({ status }, value) => value === "" || status === value,
		},
	},
	{
		status: ({ status, url }) => html`${state(status)} ${url}`,
		omit: ["payload", "attempts"],
		facts: ({ next_at }) => ({ next_attempt: time(next_at) }),
		leftColumn: (row) =>
			html`${panel("Attempts", attemptTable(row))}${panel("Resend", resend(row), "A new delivery with the same webhook-id.")}`,
		rightColumn: ({ payload }) => panel("Body", html`<pre>${JSON.stringify(JSON.parse(payload), null, 2)}</pre>`),
	},
);
