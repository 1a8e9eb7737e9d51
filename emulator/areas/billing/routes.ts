import { z } from "zod";
import { pageFrom, readsOf } from "../../http/pages";
import { invalid } from "../../request/errors";
import { handlersOf } from "../../request/handlers";
import { findRow, type Service } from "../../service/service";
import type { InvoiceRow } from "../../store/store";
import { invoiceRecord, monthOf, usageOf, usedUntil } from "./billing";
import { invoicePage } from "./invoice-page";

export const billingHandlers = (service: Service) => {
	const record = (row: InvoiceRow) => invoiceRecord(service, row);
	const invoices = readsOf(service, "invoices", "invoices", record);
	return handlersOf({
		getUsage: ({ query }) => {
			const usageEnd = usedUntil(service);
			const asked = query.to === undefined ? usageEnd : Date.parse(query.to);
			const from = query.from === undefined ? monthOf(Math.min(usageEnd, asked)) : Date.parse(query.from);
			if (from > asked) throw invalid([{ field: "to", message: "must not be before from" }]);
			// The future has no usage.
			const to = Math.min(asked, usageEnd);
			return pageFrom(service, "usage", query, {
				place: z.int().min(0),
				itemsAfter: (last = -1) =>
					[...usageOf(service, from, to, query.group_by ?? "category").entries()].slice(last + 1),
			});
		},

		listInvoices: invoices.list,

		getInvoice: invoices.get,

		getInvoiceDocument: ({ id }) => invoicePage(findRow(service, "invoices", id)),
	});
};
