/** The report of `service check` for people. */
import type { Column, Report } from "../report/model";
import { type Finding, fileOf, lineOf, type Verdict } from "./finding";
import { isNeeded, type Needs, needsText } from "./needs";
import type { ServiceReport } from "./report";

const results: Record<Verdict, string> = {
	holds: "holds",
	state: "to declare",
	decide: "to decide",
	untested: "not tested",
	unseen: "not seen",
};

const columns: readonly Column[] = [
	{ title: "result" },
	{ title: "subject", width: 30 },
	{ title: "assumed", width: 24 },
	{ title: "seen", width: 36 },
	{ title: "to do", width: 60 },
];

export const countOf = ({ rows }: ServiceReport, verdict: Verdict): number =>
	rows.filter((row) => row.verdict === verdict).length;

/** @param needs of the stack's program; undefined if everything counts */
export function serviceView(report: ServiceReport, needs: Needs | undefined): Report {
	const { rows, description } = report;
	const scope = needs && `The stack needs ${needsText(needs)}. Results in parentheses are about the rest.`;
	const proposed = {
		title: "The service description (telephony:service; --output FILE writes it)",
		text: fileOf(description, rows),
	};
	return {
		headline: headlineOf(report),
		summary: scope,
		origin: report,
		tables: [{ columns, rows: rows.map((row) => rowOf(row, needs)) }],
		notes: [],
		file: rows.some(({ state }) => state !== undefined) ? proposed : undefined,
	};
}

/** `service check: 40 hold, 2 to declare, 1 to decide, 3 not tested, 0 not seen`. */
function headlineOf(report: ServiceReport): string {
	const verdicts: readonly Verdict[] = ["state", "decide", "untested", "unseen"];
	const rest = verdicts.map((verdict) => `${countOf(report, verdict)} ${results[verdict]}`);
	return `service check: ${countOf(report, "holds")} hold, ${rest.join(", ")}`;
}

function rowOf(finding: Finding, needs: Needs | undefined): string[] {
	const { what, assumed, seen, verdict, subject } = finding;
	const result = isNeeded(subject, needs) ? results[verdict] : `(${results[verdict]})`;
	return [result, what, assumed, seen, taskOf(finding)];
}

/** The hint of a line is a comment in the file. */
function taskOf({ state, verdict, hint = "" }: Finding): string {
	if (state !== undefined) return lineOf(state);
	return verdict === "decide" || verdict === "untested" ? hint : "";
}
