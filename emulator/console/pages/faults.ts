import { html } from "hono/html";
import { operations } from "../../../provider/api/contract";
import { faultKinds } from "../../faults/fault-rules";
import type { FaultReport } from "../../faults/faults";
import { button, form, type Html, input, panel, same, select, table } from "../html";
import type { Section } from "./page";

const newRule = (): Html =>
	form(
		"faults",
		html`${select("Operation", "operation", { value: "*", options: [["*", "any"], ...Object.keys(operations).map((name): [string, string] => [name, name])], hint: "Which requests it is for." })}
${select("Kind", "kind", { value: "status", options: same(faultKinds), hint: "What the client gets instead of its answer." })}
${select("Phase", "phase", {
	value: "",
	options: [
		["", "usual"],
		["before", "before the commit"],
		["after", "after the commit"],
		["mid", "mid answer"],
	],
	hint: "Before the change is made, after it, or with half of the answer sent.",
})}
${select("When", "when", {
	value: "next",
	options: [
		["next", "the next one"],
		["every", "every one"],
		["nth", "the nth one"],
		["probability", "by chance"],
	],
	hint: "Counted from the moment at which the fault is set.",
})}
${input("n, or chance from 0 to 1", "count", "", { placeholder: "3 or 0.1", hint: "Goes with “the nth one” and “by chance”." })}
${input("Seed of the chance", "seed", "", { hint: "The same seed, the same requests." })}
${input("HTTP status", "status", "", { type: "number", placeholder: "503", hint: "Of the kinds status and html." })}
${input("Error code", "error", "", { placeholder: "rate_limited", hint: "In the error object; empty is one that suits the status." })}
${input("Retry-After", "retryAfter", "", { placeholder: "2, or a date", hint: "When the client may come again; empty is not said." })}
${input("Delay in ms", "ms", "", { type: "number", placeholder: "1000", hint: "Of the kind delay, in real time." })}
<div class="actions">${button("Set the fault", { look: "main" })}</div>`,
		"grid",
	);

const whenOf = ({ nth, every, probability, seed }: FaultReport): string => {
	if (every) return "every one";
	if (probability !== undefined) return `${probability} by chance, seed ${seed ?? 0}`;
	return `number ${[nth ?? 1].flat().join(", ")}`;
};

/** The rest of a rule: not when and where. */
const restOf = ({
	id,
	operation,
	kind,
	phase,
	nth,
	every,
	probability,
	seed,
	matched,
	fired,
	held,
	...rest
}: FaultReport): string =>
	Object.entries(rest)
		.map(([name, value]) => `${name} ${value}`)
		.join(", ");

export const faults: Section = {
	title: "Faults",
	count: (service) => service.faults.list().length,

	list: ({ service }) => ({
		title: "Faults",
		about: "What is to go wrong under /v1. At most one rule is for a request: the first one set.",
		body: html`${table<FaultReport>({
			caption: "Faults",
			columns: [
				{ title: "Fault", cell: ({ id }) => html`<code>${id}</code>` },
				{ title: "Operation", cell: ({ operation }) => (operation === "*" ? "any" : operation) },
				{
					title: "Kind",
					cell: (rule) => html`${rule.kind.replaceAll("_", " ")}, ${rule.phase}<small>${restOf(rule)}</small>`,
				},
				{ title: "When", cell: whenOf },
				{ title: "Matched", cell: ({ matched }) => matched, right: true },
				{ title: "Fired", cell: ({ fired }) => fired, right: true },
				{ title: "Held", cell: ({ held }) => held, right: true },
				{
					title: "Do",
					cell: ({ id, held }) =>
						html`<div class="row">${held > 0 ? form(`faults/${id}/release`, button("Let go", { of: id })) : ""}${form(`faults/${id}/clear`, button("Remove", { of: id }))}</div>`,
				},
			],
			rows: service.faults.list(),
			idOf: ({ id }) => id,
			empty: "Nothing is set to go wrong.",
		})}<div class="columns"><div>${panel("Set a fault", newRule())}</div><div>${panel("All of them", form("faults/clear", button("Remove all faults")), "What they keep waiting goes on.")}</div></div>`,
	}),
};
