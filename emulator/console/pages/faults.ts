import { html } from "hono/html";
import { operations } from "../../../provider/api/contract";
import { faultKinds } from "../../faults/fault-rules";
import type { FaultReport } from "../../faults/faults";
import { button, form, type Html, input, panel, same, select, table } from "../html";
import type { Section } from "../section";

const newRule: Html = form(
	"faults",
	html`${select("Operation", "operation", { value: "*", options: [["*", "any"], ...Object.keys(operations).map((name): [string, string] => [name, name])], hint: "Requests that can fail." })}
${select("Kind", "kind", { value: "status", options: same(faultKinds), hint: "The fault that the client gets instead of the response." })}
${select("Phase", "phase", {
	value: "",
	options: [
		["", "default"],
		["before", "before the change"],
		["after", "after the change"],
		["mid", "mid response"],
	],
	hint: "Before or after the change is made, or with half of the response sent.",
})}
${select("When", "when", {
	value: "next",
	options: [
		["next", "next request"],
		["every", "every request"],
		["nth", "nth request"],
		["probability", "by chance"],
	],
	hint: "Counted from the moment when the fault is set.",
})}
${input("n, or probability", "count", "", { placeholder: "3 or 0.1", hint: "For “nth request” and “by chance”." })}
${input("Seed", "seed", "", { hint: "A seed always selects the same requests." })}
${input("HTTP status", "status", "", { type: "number", placeholder: "503", hint: "For the kinds status and html." })}
${input("Error code", "error", "", { placeholder: "rate_limited", hint: "Empty: a code that fits the status." })}
${input("Retry-After", "retryAfter", "", { placeholder: "2, or a date", hint: "Empty: no such header." })}
${input("Delay in ms", "ms", "", { type: "number", placeholder: "1000", hint: "For the kinds delay and delay delivery." })}
<div class="actions">${button("Set the fault", { variant: "main" })}</div>`,
	"grid",
);

const whenOf = ({ nth, every, probability, seed }: FaultReport): string => {
	if (every) return "every request";
	if (probability !== undefined) return `probability ${probability}, seed ${seed ?? 0}`;
	return `request ${[nth ?? 1].flat().join(", ")}`;
};

const columnsOfTheirOwn = "id operation kind phase nth every probability seed matched fired held".split(" ");

/** The properties of a rule that have no column. */
const detailsOf = (rule: FaultReport): string =>
	Object.entries(rule)
		.filter(([name]) => !columnsOfTheirOwn.includes(name))
		.map(([name, value]) => `${name} ${value}`)
		.join(", ");

const actions = ({ id, held }: FaultReport): Html =>
	html`<div class="row">${held > 0 ? form(`faults/${id}/release`, button("Release", { of: id })) : ""}${form(`faults/${id}/delete`, button("Remove", { of: id }))}</div>`;

const faultTable = (rows: readonly FaultReport[]): Html =>
	table<FaultReport>({
		caption: "Faults",
		columns: [
			{ title: "Fault", cell: ({ id }) => html`<code>${id}</code>` },
			{ title: "Operation", cell: ({ operation }) => (operation === "*" ? "any" : operation) },
			{
				title: "Kind",
				cell: (rule) => html`${rule.kind.replaceAll("_", " ")}, ${rule.phase}<small>${detailsOf(rule)}</small>`,
			},
			{ title: "When", cell: whenOf },
			{ title: "Matched", cell: ({ matched }) => matched, right: true },
			{ title: "Fired", cell: ({ fired }) => fired, right: true },
			{ title: "Held", cell: ({ held }) => held, right: true },
			{ title: "Action", cell: actions },
		],
		rows,
		idOf: ({ id }) => id,
		empty: "No faults are set.",
	});

export const faults: Section = {
	title: "Faults",
	count: (service) => service.faults.list().length,

	list: ({ service }) => ({
		title: "Faults",
		about: "Rules for requests and deliveries that fail. At most one applies to a request: the first that was set.",
		body: html`${faultTable(service.faults.list())}<div class="columns"><div>${panel("Set a fault", newRule)}</div><div>${panel("All faults", form("faults/delete", button("Remove all faults")), "Held requests continue.")}</div></div>`,
	}),
};
