/** `telephony bill`: the cost of an account in a month, by stack and by kind of usage. */
import type { Command } from "commander";
import type { Client } from "../../provider/api/client";
import { unreadableIn } from "../../provider/api/response";
import { findPages } from "../account/account";
import { type StacksOptions, withStacksAndAccount } from "../account/stacks";
import { withReport, withStacks } from "../report/options";
import { publish } from "../report/publish";
import { exitCodes, UsageError } from "../report/usage";
import type { Month } from "./amounts";
import { billOf } from "./report";
import type { Billing, Listed } from "./usage";
import { billView } from "./view";

interface Options extends StacksOptions {
	readonly month?: string;
}

const run = (options: Options): Promise<void> =>
	publish(options, async () => {
		assertMonth(options.month);
		const report = await withStacksAndAccount(
			options,
			async (account, { holdings, stacks }) => {
				const month = monthAt(options.month, account.serviceTime);
				return billOf({ account, holdings, stacks, month, billing: await readBilling(account.client, month) });
			},
			["Number"],
		);
		return {
			json: report,
			report: billView(report),
			outputs: { result: "bill", numbers: report.total },
			exitCode: exitCodes.clean,
		};
	});

/** @throws UsageError */
function assertMonth(text: string | undefined): void {
	if (text === undefined || /^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return;
	throw new UsageError("usage", `--month "${text}" is invalid: it must be YYYY-MM, such as 2026-07.`);
}

/** @param currentTime at the service, ms since 1970 @throws UsageError for a future month */
function monthAt(text: string | undefined, currentTime: number): Month {
	const name = text ?? new Date(currentTime).toISOString().slice(0, 7);
	const from = Date.parse(`${name}-01T00:00:00Z`);
	const start = new Date(from);
	const to = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
	if (from > currentTime)
		throw new UsageError("usage", `--month ${name} has not begun: name this month or an earlier one.`);
	return { name, from, to, isOver: to <= currentTime };
}

async function readBilling(client: Client, { from, to, isOver }: Month): Promise<Billing> {
	if (!client.offers("billing")) return {};
	const { billing } = client;
	const time = (ms: number) => new Date(ms).toISOString();
	// Without an end, the service takes the present.
	const period = isOver ? { from: time(from), to: time(to) } : { from: time(from) };
	return { usage: await listed(billing.usagePages(period)), invoices: await listed(billing.invoicePages()) };
}

/** Returns undefined if the service doesn't offer the list. */
async function listed<T extends object>(list: AsyncIterable<readonly T[]>): Promise<Listed<T> | undefined> {
	const pages = await findPages(list);
	return pages && { records: pages.flat(), unreadable: pages.flatMap((page) => unreadableIn(page)).length };
}

export const addBill = (program: Command): void => {
	withReport(withStacks(program.command("bill")))
		.description("Show the account's cost for a month, by stack and by kind of usage. Changes nothing.")
		.option("--month <month>", "such as 2026-07, in UTC (default: this month)")
		.addHelpText("after", "\nExit codes: 0 shown, 2 usage, 3 key rejected, 6 no such stack, 1 any other error.")
		.action(run);
};
