/** Faults by which a read would tell what isn't so. */
import type { Mutant } from "./mutant.mts";

export const reading: readonly Mutant[] = [
	{
		name: "absence from a list proves that a number is gone",
		search: "(this.#list.problem(id) ?? unread(id, error))",
		replace: "(this.#list.problem(id) ?? removed(id))",
		hunt: "lives",
	},
	{
		name: "gateway's 404 means gone",
		search: 'if (!isOwn(failure)) return "Unavailable";',
		replace: 'if (!isOwn(failure)) return namesOne ? "NotFound" : "Unavailable";',
		hunt: "lives",
	},
	{
		name: "gateway's 404 means not offered",
		search:
			'errorCode !== undefined && !/^http_\\d+$/.test(errorCode);\n\n/** The service\'s own word that it has no such operation. */\nconst isNoSuchOperation = ({ errorCode }: Failure): boolean =>\n	errorCode === "operation_not_offered" ||',
		replace:
			'errorCode !== undefined;\n\nconst isNoSuchOperation = ({ errorCode }: Failure): boolean =>\n	errorCode === "operation_not_offered" || errorCode === "http_404" ||',
		hunt: "lives",
	},
	{
		name: "what is young and not shown is gone",
		search: "record === undefined ? isYoung(session, service, known.createdAt) :",
		replace: "record === undefined ? false :",
		hunt: "lives",
	},
	{
		name: "answers older than the last write believed",
		search: "compareTimes(one, other) < 0;",
		replace: "compareTimes(one, other) < Number.NEGATIVE_INFINITY;",
		hunt: "lives",
	},
	{
		name: "a doubted answer is believed by a refresh",
		search: "if (record !== undefined && !doubts(record)) return record;",
		replace: "if (record !== undefined) return record;",
		hunt: "lives",
	},
];
