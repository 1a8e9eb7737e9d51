import { z } from "zod";
import { fits, pageFrom, pageOf } from "../../http/pages";
import { found, invalid } from "../../request/errors";
import { handlersOf } from "../../request/handlers";
import type { Service } from "../../service/service";
import type { InvoiceRow } from "../../store/store";
import { invoiceRecord, monthOf, usageOf, usedUntil } from "./billing";
import { invoicePage } from "./invoice-page";

export const findInvoice = ({ store }: Service, id: string): InvoiceRow => found(store.invoices.get(id), "invoice", id);

export const billingHandlers = (service: Service) =>
	handlersOf({
		getUsage: ({ query }) => {
			const now = usedUntil(service);
			const asked = query.to === undefined ? now : Date.parse(query.to);
			const from = query.from === undefined ? monthOf(Math.min(now, asked)) : Date.parse(query.from);
			if (from > asked) throw invalid([{ field: "to", message: "must not be before from" }]);
			// The future has no usage.
			const to = Math.min(asked, now);
			return pageFrom(service, "usage", query, {
				place: z.int().min(0),
				itemsAfter: (last = -1) =>
					[...usageOf(service, from, to, query.group_by ?? "category").entries()].slice(last + 1),
			});
		},

		listInvoices: ({ query }) =>
			pageOf(service, "invoices", query, {
				rows: service.store.invoices,
				keep: (row) => fits(row, query),
				answer: (row) => invoiceRecord(service, row),
			}),

		getInvoice: ({ id }) => invoiceRecord(service, findInvoice(service, id)),

		getInvoiceDocument: ({ id }) => invoicePage(findInvoice(service, id)),
	});
