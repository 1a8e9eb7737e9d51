/** `telephony service check`: ten requests show which names a service uses, and what you must declare. */
import type { Description } from "../../provider/api/description/description";
import type { Config } from "../../provider/session/config";
import { addressIn } from "../engine/config";
import { tableText } from "../report/terminal";
import { asUsageError } from "../report/usage";
import { Checkup } from "./checkup";
import { descriptionOf, type Finding, fileOf, lineOf, type Verdict } from "./finding";
import { findingsOf } from "./findings";
import { readAll } from "./reading";

/** The JSON of `--json`. */
export interface ServiceReport {
	readonly account: string | undefined;
	readonly at: string;
	readonly rows: readonly Finding[];
	/** With it, every finding holds, except for those that a person has to decide. */
	readonly description: Description;
}

/** @param buy buys a number after the reads; absent: nothing is bought @throws UsageError */
export async function checkService(config: Config, buy?: (checkup: Checkup) => Promise<void>): Promise<ServiceReport> {
	const checkup = await Checkup.open(config);
	try {
		await readAll(checkup);
		await buy?.(checkup);
		const rows = findingsOf(checkup).map((finding) => withoutSecrets(finding, checkup));
		const description = descriptionOf(rows, checkup.given);
		return { account: addressIn(config.baseUrl), at: new Date().toISOString(), rows, description };
	} catch (error) {
		throw asUsageError(error);
	} finally {
		await checkup.close();
	}
}

/** A service may repeat a secret anywhere. */
const withoutSecrets = (finding: Finding, checkup: Checkup): Finding => ({
	...finding,
	what: checkup.mask(finding.what),
	seen: checkup.mask(finding.seen),
	hint: finding.hint && checkup.mask(finding.hint),
});

export const isSettled = ({ rows }: ServiceReport): boolean =>
	rows.every(({ verdict }) => verdict === "holds" || verdict === "unseen");

const results: Record<Verdict, string> = {
	holds: "holds",
	state: "to declare",
	decide: "to decide",
	unseen: "not seen",
};

const columns = [
	{ title: "result" },
	{ title: "subject", width: 30 },
	{ title: "assumed", width: 24 },
	{ title: "seen", width: 36 },
	{ title: "to declare", width: 60 },
];

export function reportText({ account, rows, description }: ServiceReport, hasBought: boolean): string {
	const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
	const head = `${account}: ${count("holds")} hold, ${count("state")} to declare, ${count("decide")} to decide, ${count("unseen")} not seen.`;
	const more = hasBought ? "" : "Nothing was bought or changed; --buy NL/mobile checks the rest.\n";
	const action = ({ state, verdict, hint = "" }: Finding) =>
		state === undefined ? (verdict === "decide" ? hint : "") : lineOf(state);
	const table = tableText({
		columns,
		rows: rows.map((row) => [results[row.verdict], row.what, row.assumed, row.seen, action(row)]),
	});
	const file = rows.every(({ state }) => state === undefined)
		? ""
		: `\nThe service description (telephony:service; --output FILE writes it):\n\n${fileOf(description, rows)}`;
	return `${head}\n${more}\n${table}\n${file}`;
}
