/** `telephony service check`: shows which names a service uses, what you must declare, and what it hasn't tested. */
import type { Clock } from "../../provider/api/clock";
import type { Description } from "../../provider/api/description/description";
import type { Config } from "../../provider/session/config";
import { addressIn } from "../engine/config";
import { tableText } from "../report/terminal";
import { asUsageError } from "../report/usage";
import { Checkup } from "./checkup";
import { descriptionOf, type Finding, fileOf, lineOf, type Verdict } from "./finding";
import { isNeeded, type Needs, needsText } from "./needs";
import { readAll } from "./reading";

/** The JSON of `--json`. */
export interface ServiceReport {
	readonly account: string | undefined;
	readonly at: string;
	readonly rows: readonly Finding[];
	/** With it, every finding holds, except for those that a person has to decide. */
	readonly description: Description;
}

/** @param trial changes the account after the reads; absent: the check only reads @throws UsageError */
export async function checkService(
	config: Config,
	trial?: (checkup: Checkup) => Promise<void>,
	clock?: Clock,
): Promise<ServiceReport> {
	const checkup = await Checkup.open(config, clock);
	try {
		await readAll(checkup);
		await trial?.(checkup);
		const rows = checkup.rows().map((finding) => withoutSecrets(finding, checkup));
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

/** True if everything that the program needs holds. */
export const isSettled = ({ rows }: Pick<ServiceReport, "rows">, needs?: Needs): boolean =>
	rows.every(({ verdict, subject }) => verdict === "holds" || verdict === "unseen" || !isNeeded(subject, needs));

const results: Record<Verdict, string> = {
	holds: "holds",
	state: "to declare",
	decide: "to decide",
	untested: "not tested",
	unseen: "not seen",
};

const columns = [
	{ title: "result" },
	{ title: "subject", width: 30 },
	{ title: "assumed", width: 24 },
	{ title: "seen", width: 36 },
	{ title: "to do", width: 60 },
];

export function reportText({ account, rows, description }: ServiceReport, needs: Needs | undefined): string {
	const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
	const head = `${account}: ${count("holds")} hold, ${count("state")} to declare, ${count("decide")} to decide, ${count("untested")} not tested, ${count("unseen")} not seen.`;
	const scope =
		needs === undefined ? "" : `The stack needs ${needsText(needs)}. Results in parentheses are about the rest.\n`;
	const action = ({ state, verdict, hint = "" }: Finding) =>
		state === undefined ? (verdict === "decide" || verdict === "untested" ? hint : "") : lineOf(state);
	const result = ({ verdict, subject }: Finding) =>
		isNeeded(subject, needs) ? results[verdict] : `(${results[verdict]})`;
	const table = tableText({
		columns,
		rows: rows.map((row) => [result(row), row.what, row.assumed, row.seen, action(row)]),
	});
	const file = rows.every(({ state }) => state === undefined)
		? ""
		: `\nThe service description (telephony:service; --output FILE writes it):\n\n${fileOf(description, rows)}`;
	return `${head}\n${scope}\n${table}\n${file}`;
}
