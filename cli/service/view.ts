/** The report of `service check` for people. */
import type { Column, Report } from "../report/model";
import { type Finding, fileOf, lineOf, type Verdict } from "./finding";
import type { ServiceReport } from "./report";

const results: Record<Verdict, string> = {
	holds: "holds",
	state: "to declare",
	decide: "to decide",
	untested: "not tested",
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

export function serviceView(report: ServiceReport): Report {
	const { rows, description } = report;
	const proposed = {
		title: "The service description (telephony:service; --output FILE writes it)",
		text: fileOf(description, rows),
	};
	return {
		headline: headlineOf(report),
		origin: report,
		tables: [{ columns, rows: rows.map(rowOf) }],
		notes: [],
		file: rows.some(({ state }) => state !== undefined) ? proposed : undefined,
	};
}

/** `service check: 40 hold, 2 to declare, 1 to decide, 3 not tested`. */
function headlineOf(report: ServiceReport): string {
	const verdicts: readonly Verdict[] = ["state", "decide", "untested"];
	const rest = verdicts.map((verdict) => `${countOf(report, verdict)} ${results[verdict]}`);
	return `service check: ${countOf(report, "holds")} hold, ${rest.join(", ")}`;
}

const rowOf = (finding: Finding): string[] => [
	results[finding.verdict],
	finding.what,
	finding.assumed,
	finding.seen,
	taskOf(finding),
];

/** The hint of a line is a comment in the file. */
function taskOf({ state, verdict, hint = "" }: Finding): string {
	if (state !== undefined) return lineOf(state);
	return verdict === "decide" || verdict === "untested" ? hint : "";
}
