import { z } from "zod";
import type { usageGroups } from "../../../provider/api/contract";
import { pageFrom, readsOf } from "../../http/pages";
import { invalid } from "../../request/errors";
import { handlersOf } from "../../request/handlers";
import { findRow, type Service } from "../../service/service";
import { invoiceRecord, monthOf, usageOf } from "./billing";
import { invoicePage } from "./invoice-page";

type UsageGroup = (typeof usageGroups)[number];
type Usage = ReturnType<typeof usageOf>[number];

/** Names an item, so that usage which comes before it meanwhile shifts nothing. */
const keyOf = ({ category, number_id, period_start }: Usage, group: UsageGroup): string =>
	`${category} ${group === "day" ? period_start : (number_id ?? "")}`;

const itemsAfter = (usage: readonly Usage[], group: UsageGroup, last: string | undefined) => {
	const items = usage.map((item) => [keyOf(item, group), item] as const);
	return items.slice(last === undefined ? 0 : items.findIndex(([key]) => key === last) + 1);
};

export const billingHandlers = (service: Service) => {
	const invoices = readsOf(service, "invoices", invoiceRecord);
	return handlersOf({
		getUsage: ({ query }) => {
			const usageEnd = service.clock.now();
			const asked = query.to === undefined ? usageEnd : Date.parse(query.to);
			const from = query.from === undefined ? monthOf(Math.min(usageEnd, asked)) : Date.parse(query.from);
			if (from > asked) throw invalid([{ field: "to", message: "must not be before from" }]);
			// The future has no usage.
			const to = Math.min(asked, usageEnd);
			const group = query.group_by ?? "category";
			return pageFrom(service, "usage", query, {
				place: z.string(),
				itemsAfter: (last) => itemsAfter(usageOf(service, from, to, group), group, last),
			});
		},

		listInvoices: invoices.list,

		getInvoice: invoices.get,

		getInvoiceDocument: ({ id }) => invoicePage(findRow(service, "invoices", id)),
	});
};
