import { html } from "hono/html";
import type { Service } from "../../service/service";
import type { LedgerRow } from "../../store/ledger";
import { code, type Html, state, table, time } from "../html";
import { listing, pager, search } from "../listing";
import type { Section } from "./page";

const tones = { purchase: "good", restore: "good", port: "good", release: "off", refusal: "wait" } as const;

const what = { title: "What", cell: (row: LedgerRow) => state(row.kind, tones[row.kind]) };
const when = { title: "At", cell: ({ at }: LedgerRow) => time(at), right: true };

const columns = (service: Service) => [
	what,
	{
		title: "Number",
		cell: ({ number_id }: LedgerRow) =>
			html`<a href="/_console/numbers/${number_id}">${service.store.numbers.get(number_id)?.number ?? number_id}</a>`,
	},
	{ title: "Idempotency-Key", cell: ({ key }: LedgerRow) => code(key) },
	{ title: "Request", cell: ({ request_id }: LedgerRow) => code(request_id) },
	when,
];

const idOf = ({ kind, request_id, number_id }: LedgerRow) => `${kind}-${request_id}-${number_id}`;

/** The ledger entries of one number. */
export const ledgerOf = (service: Service, numberId: string): Html =>
	table({
		caption: "Ledger of this number",
		columns: [
			what,
			{
				title: "Request",
				cell: ({ request_id, key }: LedgerRow) =>
					html`${code(request_id)}${key === null ? "" : html`<small class="wrap">under ${code(key)}</small>`}`,
			},
			when,
		],
		rows: [...service.ledger].filter(({ number_id }) => number_id === numberId),
		idOf,
		empty: "Nothing.",
	});

export const ledger: Section = {
	title: "Ledger",
	count: (service) => service.ledger.size,

	list: ({ service, query }) => {
		const found = listing(service.ledger, query, (row) => Object.values(row).join(" "));
		return {
			title: "Ledger",
			about: "Each purchase, release, refused release, restored and ported number: what a bill would be made from.",
			body: html`<div class="bar">${search("ledger", query, "Search ids, keys, kinds")}${pager(found, "ledger", query)}</div>${table({ caption: "Ledger", columns: columns(service), rows: found.rows, idOf, empty: "Nothing has been bought." })}`,
		};
	},
};
