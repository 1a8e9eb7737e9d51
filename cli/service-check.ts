/** `telephony service check`: ten requests show which names a service uses, and what to state about it. */
import type { Command } from "commander";
import type { BuyNumber } from "../provider/api/contract";
import type { Description } from "../provider/api/description/description";
import { type Config, readConfig } from "../provider/session/config";
import { columns, wrapped } from "./columns";
import { confirm } from "./confirm";
import { writeText } from "./files";
import { assertOptions } from "./options";
import { addressIn } from "./origin";
import { printable } from "./report";
import { assertReleasable, buying, criteriaIn, priceOf } from "./service-buying";
import { Checkup } from "./service-checkup";
import { fileOf, lineOf } from "./service-description";
import { findings } from "./service-findings";
import { readings } from "./service-reading";
import { proposal, type Row, type Verdict } from "./service-rows";
import { asUsageError, exitCodes } from "./usage";

interface Options {
	readonly buy?: string;
	readonly yes: boolean;
	readonly output?: string;
	readonly json?: boolean;
}

/** The JSON of `--json`. */
export interface ServiceReport {
	readonly account: string | undefined;
	readonly at: string;
	readonly rows: readonly Row[];
	/** With it, every row holds, except for the ones that a person has to decide. */
	readonly description: Description;
}

/** @param buy buys a number after the reads; absent: nothing is bought */
export async function checkService(config: Config, buy?: (checkup: Checkup) => Promise<void>): Promise<ServiceReport> {
	const checkup = new Checkup(config);
	try {
		await readings(checkup);
		await buy?.(checkup);
		const rows = findings(checkup.seen, checkup.given, checkup.stated).map((row) => maskedRow(row, checkup));
		const description = proposal(rows, checkup.given);
		return { account: addressIn(config.baseUrl), at: new Date().toISOString(), rows, description };
	} catch (error) {
		throw asUsageError(error);
	} finally {
		await checkup.close();
	}
}

/** A service may repeat a secret anywhere. */
const maskedRow = (row: Row, checkup: Checkup): Row => ({
	...row,
	what: checkup.mask(row.what),
	seen: checkup.mask(row.seen),
	hint: row.hint && checkup.mask(row.hint),
});

async function run({ buy, yes, output, json }: Options): Promise<void> {
	assertOptions({ cwd: ".", ...(output !== undefined && { output: [output] }) });
	const criteria = buy === undefined ? undefined : criteriaIn(buy);
	const say = (text: string) => void process.stderr.write(`telephony: ${printable(text)}\n`);
	const purchase = criteria && ((checkup: Checkup) => offer(checkup, criteria, yes, say));
	const report = await checkService(settings(), purchase);
	if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
	process[json ? "stderr" : "stdout"].write(textOf(report, buy !== undefined));
	if (output !== undefined) writeText(output, fileOf(report.description, remarksOf(report.rows)));
	process.exitCode = isSettled(report) ? exitCodes.clean : exitCodes.found;
}

function settings(): Config {
	try {
		return readConfig(() => undefined, process.env, process.cwd());
	} catch (error) {
		throw asUsageError(error);
	}
}

export const isSettled = ({ rows }: ServiceReport): boolean =>
	rows.every(({ verdict }) => verdict === "holds" || verdict === "unseen");

async function offer(checkup: Checkup, criteria: BuyNumber, yes: boolean, say: (text: string) => void): Promise<void> {
	const price = await priceOf(checkup, criteria);
	const what = `${criteria.country}/${criteria.type}${criteria.area === undefined ? "" : `/${criteria.area}`}`;
	say(
		`this buys a number (${what}) and releases it again. It costs ${price ?? "money; the service doesn't say how much"}. If the service doesn't honour idempotency keys, it buys two.`,
	);
	assertReleasable(checkup);
	if (!yes) await confirm("To buy it", what, "nothing was bought");
	await buying(checkup, criteria, say);
}

const remarksOf = (rows: readonly Row[]): readonly string[] =>
	rows.flatMap(({ what, seen, hint, verdict }) => {
		if (hint === undefined) return [];
		return [`${verdict === "decide" ? "To decide" : "To look at"}: ${what} (seen: ${seen}): ${hint}.`];
	});

const marks: Record<Verdict, string> = { holds: "holds", state: "to state", decide: "to decide", unseen: "not seen" };

/** A table, and the description with a comment for each row that a person has to look at. */
function textOf({ account, rows, description }: ServiceReport, hasBought: boolean): string {
	const cells = rows.map(({ what, assumed, seen, verdict, state, hint }) => [
		[marks[verdict]],
		wrapped(printable(what), 30),
		wrapped(printable(assumed), 24),
		wrapped(printable(seen), 36),
		wrapped(printable(state === undefined ? (verdict === "decide" ? (hint ?? "") : "") : lineOf(state)), 60),
	]);
	const table = columns([["result", "what", "assumed", "seen", "what to state"].map((each) => [each]), ...cells]);
	const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
	const head = `${account}: ${count("holds")} hold, ${count("state")} to state, ${count("decide")} to decide, ${count("unseen")} not seen.`;
	const more = hasBought ? "" : "Nothing was bought or changed; --buy NL/mobile shows the rest.\n";
	const lines = rows.every(({ state }) => state === undefined)
		? ""
		: `\nThe description that says so (telephony:service; --output FILE writes it):\n\n${fileOf(description, remarksOf(rows))}`;
	return `${head}\n${more}\n${table}\n${lines}`;
}

export const addServiceCheck = (service: Command): void => {
	service
		.command("check")
		.description("Find out which names the service uses, and what to state about it; only reads, unless --buy.")
		.option("--buy <kind>", "buy a number such as NL/mobile or NL/geographic/20, change it, and release it again")
		.option("--yes", "don't ask before the purchase", false)
		.option("--output <file>", "write the description, merged with the one given")
		.option("--json", "print the report as JSON; the text goes to standard error")
		.addHelpText(
			"after",
			"\nThe service is that of TELEPHONY_BASE_URL and TELEPHONY_API_KEY.\nExit codes: 0 all holds, 7 something must be stated, 2 usage, 3 key rejected, 1 anything else.",
		)
		.action(run);
};
