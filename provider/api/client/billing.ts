import type { Media } from "../answer";
import type { InvoiceRecord, UsageRecord } from "../contract";
import { Area, type CallOptions, items, type ListOptions } from "./area";

export class Billing extends Area {
	/** What was used and what it costs; by default this month (UTC) so far, per category. */
	usage(options: ListOptions<"getUsage"> = {}): AsyncGenerator<UsageRecord, void, undefined> {
		return items(this.usagePages(options));
	}

	usagePages({ signal, ...query }: ListOptions<"getUsage"> = {}): AsyncGenerator<readonly UsageRecord[]> {
		// One category may cost in several currencies, and be counted in several units.
		const keyOf = ({ category, period_start, number_id, unit, cost }: UsageRecord) =>
			JSON.stringify([category, period_start, number_id, unit, cost.currency]);
		return this.listing<UsageRecord>("getUsage", { query, signal, keyOf });
	}

	invoicePages({ signal, ...query }: ListOptions<"listInvoices"> = {}): AsyncGenerator<readonly InvoiceRecord[]> {
		return this.listing<InvoiceRecord>("listInvoices", { query, signal });
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
