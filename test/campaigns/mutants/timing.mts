/** Faults in whose turn it is, how long a wait takes, what is shared and what is shown: the shorter campaigns find them. */
import type { Mutant } from "./mutant.mts";

export const timing: readonly Mutant[] = [
	{
		name: "a write forgotten by reads",
		search: "		this.#list.wrote(id, record);",
		replace: "",
		hunt: "schedules",
	},
	{
		name: "an older answer over what was written",
		search: "if (this.#written.get(record.id) !== last) return;",
		replace: "",
		hunt: "schedules",
	},
	{
		name: "one request more than may be",
		search: "this.#underWay < this.#options.concurrency",
		replace: "this.#underWay <= this.#options.concurrency",
		hunt: "schedules",
	},
	{
		name: "a turn that is not passed on",
		search: "			this.#underWay -= 1;\n			this.#go();",
		replace: "			this.#underWay -= 1;",
		hunt: "schedules",
	},
	{
		name: "declarations without their stack",
		search: 'const r = hash(22, organization ?? "", urn.project, urn.stack, urn.parents,',
		replace: 'const r = hash(22, organization ?? "", urn.project, "", urn.parents,',
		hunt: "stacks",
	},
	{
		name: "the first look late",
		search: "const firstPauseMs = 2_000;",
		replace: "const firstPauseMs = 20_000;",
		hunt: "kyc",
	},
	{
		name: "each number that waits is read alone",
		search: "const singleReads = 2;",
		replace: "const singleReads = 1_000;",
		hunt: "kyc",
	},
	{
		name: "a Retry-After in seconds halved",
		search: "return Number.parseInt(header, 10) * 1000;",
		replace: "return Number.parseInt(header, 10) * 500;",
		hunt: "faults",
	},
	{
		name: "secrets in a URL's form not masked",
		search: "const url = encodeURIComponent(Buffer.from(secret).toString());",
		replace: "const url = secret;",
		hunt: "canaries",
	},
	{
		name: "another default",
		search: 'saved, and the next `up` goes on waiting.",\n		default: 600,',
		replace: 'saved, and the next `up` goes on waiting.",\n		default: 900,',
		hunt: "upgrade",
	},
	{
		name: "pages of one",
		search: "query: { ...call.query, limit: 100 }",
		replace: "query: { ...call.query, limit: 1 }",
		hunt: "soak",
	},
	{
		name: "Cancel ignored",
		search: "		endOnCancel(session);",
		replace: "",
		hunt: "signals",
	},
];
