/** Faults by which what is live would not be what is declared. */
import type { Mutant } from "./mutant.mts";

export const writing: readonly Mutant[] = [
	{
		name: "owed property forgotten",
		search: "(key) =>\n					live[key] != null &&",
		replace: '(key) =>\n					key === "" &&',
		hunt: "lives",
	},
	{
		name: "lease not renewed",
		search: "			lease = freshLease();\n			return",
		replace: '			lease = this.#lease || "same";\n			return',
		hunt: "lives",
	},
	{
		name: "lease of a try without an answer not kept",
		search: '			if (lease !== "") this.#unanswered.unshift(lease);\n			lease',
		replace: "			lease",
		hunt: "lives",
	},
	{
		name: "lease of a write that failed not kept",
		search: '			if (lease !== "") this.#unanswered.unshift(lease);\n			// Nothing',
		replace: "			// Nothing",
		hunt: "lives",
	},
	{
		name: "removed property not cleared",
		search: "(property.cleared ?? null)",
		replace: "undefined",
		hunt: "lives",
	},
	{
		name: "what is owed is forgotten by a refresh",
		search: "printOf(properties, key, live[key]) === print,",
		replace: 'printOf(properties, key, live[key]) === print && key === "",',
		hunt: "lives",
	},
	{
		name: "what another run has set is left",
		search: "const unknown = isOther ? Object.keys(this.#writing.properties) : ",
		replace: "const unknown = isOther ? [] : ",
		hunt: "lives",
	},
	{
		name: "no wait for KYC",
		search: "if (inputs.waitForActive === false) return;",
		replace: "return;",
		hunt: "lives",
	},
	{
		name: "refused KYC counts as active",
		search: "if (refused !== undefined) {\n		const next",
		replace: "if (false) {\n		const next",
		hunt: "lives",
	},
	{
		name: "webhook's secret rotated by each update",
		search: 'return this.#secret.exists(record) && this.#now.state !== "known" && !this.#isLeft(record);',
		replace: "return this.#secret.exists(record) && !this.#isLeft(record);",
		hunt: "lives",
	},
	{
		name: "secret that nobody knows stays",
		search: 'if (value === "") return stale;',
		replace: "",
		hunt: "lives",
	},
	{
		name: "trunk made twice where reads lag",
		search: "settled(session, service, { createdAt: created_at }, () => operations.get(id))",
		replace: "(created_at, operations.get(id))",
		hunt: "lives",
	},
];
