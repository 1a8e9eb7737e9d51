/** `telephony bill`: usage and invoices of the account, and what of them the numbers of which stack cost. */
import type { Command } from "commander";
import type { Client } from "../provider/api/client";
import { isTelephonyError } from "../provider/api/errors";
import { unreadableIn } from "../provider/api/response";
import type { Month } from "./bill-lines";
import { billOf } from "./bill-report";
import type { Billing, Listed } from "./bill-service";
import { billMarkdown, billText } from "./bill-text";
import { publish } from "./job";
import { withReport, withStacks } from "./options";
import { lookAt, type StacksOptions } from "./stacks";
import { UsageError } from "./usage";

interface Options extends StacksOptions {
	readonly month?: string;
}

const run = (options: Options): Promise<void> =>
	publish(options, async () => {
		assertMonth(options.month);
		const report = await lookAt(
			options,
			async (account, held, stacks) => {
				const month = monthAt(options.month, account.now);
				return billOf(account, held, stacks, month, await billingOf(account.client, month));
			},
			["Number"],
		);
		return {
			report,
			markdown: billMarkdown(report),
			text: billText(report),
			outputs: { result: "bill", numbers: report.total },
			isFound: false,
		};
	});

/** @throws UsageError */
function assertMonth(text: string | undefined): void {
	if (text === undefined || /^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return;
	throw new UsageError("usage", `--month "${text}" is invalid: it must be YYYY-MM, such as 2026-07.`);
}

/** @param now at the service, ms since 1970 @throws UsageError for a month to come */
function monthAt(text: string | undefined, now: number): Month {
	const name = text ?? new Date(now).toISOString().slice(0, 7);
	const from = Date.parse(`${name}-01T00:00:00Z`);
	const start = new Date(from);
	const to = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
	if (from > now) throw new UsageError("usage", `--month ${name} has not begun: name this month or an earlier one.`);
	return { name, from, to, isOver: to <= now };
}

async function billingOf(client: Client, { from, to, isOver }: Month): Promise<Billing> {
	if (!client.offers("billing")) return {};
	const { billing } = client;
	const time = (ms: number) => new Date(ms).toISOString();
	// Until now, unless asked otherwise.
	const period = isOver ? { from: time(from), to: time(to) } : { from: time(from) };
	const usage = await listed(billing.usagePages(period));
	const invoices = await listed(billing.invoicePages());
	return { ...(usage && { usage }), ...(invoices && { invoices }) };
}

/** Undefined if the service doesn't offer the list. */
async function listed<T extends object>(pages: AsyncIterable<readonly T[]>): Promise<Listed<T> | undefined> {
	const records: T[] = [];
	let unreadable = 0;
	try {
		for await (const page of pages) {
			records.push(...page);
			unreadable += unreadableIn(page).length;
		}
	} catch (error) {
		if (isTelephonyError(error, "NotOffered")) return undefined;
		throw error;
	}
	return { records, unreadable };
}

export const addBill = (program: Command): void => {
	withReport(withStacks(program.command("bill")))
		.description("Show what the account pays in a month: by stack, and by kind of usage; changes nothing.")
		.option("--month <month>", "such as 2026-07, in UTC (default: this month)")
		.addHelpText("after", "\nExit codes: 0 shown, 2 usage, 3 key rejected, 6 no such stack, 1 anything else.")
		.action(run);
};
