/** The drift report for people. */

import { fixText } from "../../provider/drift/condition";
import { shortType } from "../engine/events";
import { code, narrow } from "../report/markdown";
import { type Column, counted, type Report, type Section } from "../report/model";
import { changeTexts } from "./changes";
import { countOf, type DriftedResource, type DriftReport } from "./report";

const columns: readonly Column[] = [
	{ title: "severity" },
	{ title: "kind" },
	{ title: "resource" },
	{ title: "id", isTerminalOnly: true },
	{ title: "consequence", width: 36 },
	{ title: "declared → live" },
];

/** @param files that the command writes */
export function driftView(report: DriftReport, files: readonly string[]): Report {
	const { resources } = report;
	return {
		headline: headlineOf(report),
		origin: report,
		tables: [{ columns, rows: resources.map(rowOf) }],
		notes: [],
		details: resources.map(detailsOf),
		hints: resources.length === 0 ? [] : hintsOf(report, files),
	};
}

/** `drift: 2 of 14 resources (1 changed, 1 deleted), stack prod`. */
function headlineOf(report: DriftReport): string {
	const counts = (["changed", "deleted", "problem", "waiting"] as const).flatMap((kind) =>
		countOf(report, kind) > 0 ? [`${countOf(report, kind)} ${kind}`] : [],
	);
	const kinds = counts.length === 0 ? "" : ` (${counts.join(", ")})`;
	return `drift: ${report.drifted} of ${counted(report.total, "resource")}${kinds}, stack ${report.stack}`;
}

function rowOf(resource: DriftedResource) {
	const { severity, kind, type, name, id, e164, position, consequence, changes } = resource;
	const texts = changes.flatMap(changeTexts);
	return [
		severity,
		kind,
		{
			lines: [`${shortType(type)} ${name}`, ...(position === undefined ? [] : [`at ${position}`])],
			markdown: `${shortType(type)} ${code(narrow(name))}`,
		},
		e164 === undefined ? id : `${id} ${e164}`,
		consequence,
		{ lines: texts, markdown: texts.map((text) => code(narrow(text))).join("<br>") },
	];
}

function detailsOf(resource: DriftedResource): Section {
	const { name, type, id, e164, position, severity, kind, consequence, changes, fixes } = resource;
	const facts = [
		`id ${code(id)}`,
		...(e164 === undefined ? [] : [code(e164)]),
		...(position === undefined ? [] : [`at ${code(position)}`]),
		`${kind}, ${severity}`,
		code(type),
	];
	return {
		title: `${shortType(type)} ${code(name)}`,
		subtitle: facts.join(" · "),
		items: [...changes.flatMap(changeTexts).map(code), `Consequence: ${consequence}`, ...fixes.map(fixText)],
	};
}

const maxProblems = 5;

/** The next step. `pulumi up --refresh` helps only for changed and deleted objects. */
function hintsOf({ resources, drifted }: DriftReport, files: readonly string[]): string[] {
	const problems = resources.filter(({ kind }) => kind === "problem");
	const file = files.find((name) => /\.md$/i.test(name)) ?? files[0];
	const steps = `${file ?? "`--output drift.md`"} lists the steps for each resource.`;
	if (drifted === 0) return [`No drift, but some resources aren't ready. ${steps}`];
	const omitted = problems.length - maxProblems;
	return [
		...(problems.length < drifted
			? [`Restore it: \`pulumi up --refresh\`. Accept it: edit the program. ${steps}`]
			: []),
		...problems
			.slice(0, maxProblems)
			.map(
				({ name, type, consequence, fixes }) =>
					`${shortType(type)} ${name} ${consequence}. ${fixes.map((fix) => `${fixText(fix)}.`).join(" ")}`,
			),
		...(omitted > 0 ? [`${omitted} more resources need you. ${steps}`] : []),
	];
}
