/** Faults by which an object would be taken for another's, or another's for ours. */
import type { Mutant } from "./mutant.mts";

export const owning: readonly Mutant[] = [
	{
		name: "any text in a reference is ours",
		search: 'if (reference === undefined) return "foreign";',
		replace: 'if (reference === undefined) return "ours";',
		hunt: "lives",
	},
	{
		name: "unclaimed is released",
		search: 'if (state === "ours" || state === "unknown") return true;',
		replace: 'if (state === "ours" || state === "unknown" || state === "vacant") return true;',
		hunt: "lives",
	},
	{
		name: "another attempt's is released",
		search: 'if (state === "ours" || state === "unknown") return true;',
		replace: 'if (state === "ours" || state === "unknown" || state === "superseded") return true;',
		hunt: "lives",
	},
	{
		name: "somebody else's is released",
		search: 'if (state === "ours" || state === "unknown") return true;',
		replace: 'if (state === "ours" || state === "unknown" || state === "foreign") return true;',
		hunt: "lives",
	},
	{
		name: "claim not checked by update",
		search: "refuseClaimed(memory, { claim, record: start, entry: olds, what: subjectOf(definition, start) });",
		replace: "",
		hunt: "lives",
	},
	{
		name: "leases without an answer forgotten",
		search: "leases: Array.isArray(leases) ? leases.filter(",
		replace: "leases: Array.isArray(leases) ? [].filter(",
		hunt: "lives",
	},
	{
		name: "read takes the lease that it finds",
		search: "...claimOutputs(props, ownershipRead(identityFor(source, props, service), record, props)),",
		replace:
			'...claimOutputs(props, ownershipRead(identityFor(source, props, service), record, props)), lease: record.reference?.split(".").at(-1) ?? "",',
		hunt: "lives",
	},
	{
		name: "what is kept is not said",
		search: 'if (state === "foreign") {\n		session.progress.warn(',
		replace: 'if (state === "foreign") {\n		((...told: unknown[]) => told)(',
		hunt: "lives",
	},
	{
		name: "new name not written into the reference",
		search: "planned !== undefined && token !== undefined && token !== planned.token;",
		replace: "false;",
		hunt: "lives",
	},
	{
		name: "state known by its URL as it is spelled",
		search: ": canonicalPlace(url);",
		replace: ": url;",
		hunt: "lives",
	},
	{
		name: "list's old name believed",
		search: "return isOlder(record, listed) ? listed : undefined;",
		replace: "return listed;",
		hunt: "lives",
	},
];
