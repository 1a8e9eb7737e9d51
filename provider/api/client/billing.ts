import type { InvoiceRecord, UsageRecord } from "../contract";
import type { Media } from "../response";
import { Area, type CallOptions, idOf, items, type ListOptions, listing } from "./collection";

export class Billing extends Area {
	/** Usage and its cost; by default this month (UTC) so far, per category. */
	usage(options: ListOptions<"getUsage"> = {}): AsyncGenerator<UsageRecord, void, undefined> {
		return items(this.usagePages(options));
	}

	usagePages(options: ListOptions<"getUsage"> = {}): AsyncGenerator<readonly UsageRecord[], void, undefined> {
		// One category may cost in several currencies, and be counted in several units.
		const keyOf = ({ category, period_start, number_id, unit, cost }: UsageRecord) =>
			JSON.stringify([category, period_start, number_id, unit, cost.currency]);
		return listing((call) => this.transport.list("getUsage", call), options, keyOf);
	}

	invoicePages(options: ListOptions<"listInvoices"> = {}): AsyncGenerator<readonly InvoiceRecord[], void, undefined> {
		return listing((call) => this.transport.list("listInvoices", call), options, idOf);
	}

	invoices(options: ListOptions<"listInvoices"> = {}): AsyncGenerator<InvoiceRecord, void, undefined> {
		return items(this.invoicePages(options));
	}

	async invoice(id: string, { signal }: CallOptions = {}): Promise<InvoiceRecord> {
		return (await this.transport.send("getInvoice", { segment: id, signal })).data;
	}

	/** A document to print or keep: HTML or PDF, as its type says. */
	async invoiceDocument(id: string, { signal }: CallOptions = {}): Promise<Media> {
		return (await this.transport.send("getInvoiceDocument", { segment: id, signal })).data;
	}
}
