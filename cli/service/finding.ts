/** Findings about a service, and the service description that follows from them. */
import type { Description } from "../../provider/api/description/description";
import { checkedDescription } from "../../provider/api/description/mistakes";
import { isObject, type Json } from "../../provider/api/json";
import { yamlOf } from "../report/yaml";

/** `holds`: as assumed. `state`: needs a line of description. `decide`: a person decides. `untested`: the hint is the command that tests it. */
export type Verdict = "holds" | "state" | "decide" | "untested";

export interface Finding {
	readonly what: string;
	readonly assumed: string;
	readonly seen: string;
	readonly verdict: Verdict;
	/** The line of description. */
	readonly state?: Description;
	/** The decision of a person, or why to check the line. */
	readonly hint?: string | undefined;
}

/** Makes the findings about one assumption. */
export const about = (what: string, assumed: string) => {
	const of = { what, assumed };
	return {
		holds: (seen = assumed): Finding => ({ ...of, seen, verdict: "holds" }),
		untested: (seen: string, hint: string): Finding => ({ ...of, seen, verdict: "untested", hint }),
		state: (seen: string, state: Description, hint?: string): Finding => ({
			...of,
			seen,
			verdict: "state",
			state,
			hint,
		}),
		decide: (seen: string, hint: string): Finding => ({ ...of, seen, verdict: "decide", hint }),
	};
};

/** Returns the given description together with the lines of all findings. */
export const descriptionOf = (findings: readonly Finding[], given: Description = {}): Description =>
	findings.reduce((all, { state }) => (state === undefined ? all : mergedDescription(all, state)), given);

/** Turns findings that contradict the given description, or each other, into decisions. */
export function resolved(findings: readonly Finding[], given: Description): Finding[] {
	if (contradiction(descriptionOf(findings, given)) === undefined) return [...findings];
	let description = given;
	return findings.map((finding) => {
		const { state, ...rest } = finding;
		if (state === undefined) return finding;
		const merged = mergedDescription(description, state);
		const reason = contradiction(merged);
		if (reason !== undefined)
			return { ...rest, verdict: "decide", hint: `left out, because it contradicts the rest: ${lineOf(state)}` };
		description = merged;
		return finding;
	});
}

function contradiction(description: Description): string | undefined {
	try {
		checkedDescription(description, "the findings");
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}

// ---- Merging ------------------------------------------------------------------------------------------------------------

/** Several values or codes of the service may stand for one of ours: all of them count. */
const lists: ReadonlySet<string> = new Set(["values", "codes"]);

/** Returns both descriptions; where they differ, `over` counts. */
export const mergedDescription = (under: Description, over: Description): Description =>
	merged(under as Json, over as Json) as Description;

function merged(under: Json, over: Json, parent = ""): Json {
	const changed = Object.entries(over).map(([key, value]) => [key, mergedValue(parent, key, under[key], value)]);
	return { ...under, ...Object.fromEntries(changed) };
}

function mergedValue(parent: string, key: string, before: unknown, value: unknown): unknown {
	if (before === undefined) return value;
	if (key === "features" && parent === "") return mergedFeatures(String(before), String(value));
	if (lists.has(parent)) return [...new Set([before, value].flat())];
	// A field may be written as its place alone, and an operation as its request.
	const short = parent === "operations" ? "request" : "at";
	if (typeof before === "string" && isObject(value)) return { [short]: before, ...value };
	if (!isObject(before)) return value;
	if (isObject(value)) return merged(before, value, key);
	return typeof value === "string" ? { ...before, [short]: value } : value;
}

/** If both mention a feature, the later mention counts. */
function mergedFeatures(before: string, after: string): string {
	const plain = (word: string) => word.replace(/^-/, "");
	const added = after.split(/\s+/).filter(Boolean);
	const replaced = new Set(added.map(plain));
	const kept = before.split(/[\s,]+/).filter((word) => word !== "" && !replaced.has(plain(word)));
	return [...kept, ...added].join(" ");
}

// ---- Writing ------------------------------------------------------------------------------------------------------------

/** `lists: { items: results }`. */
export const lineOf = (fragment: Description): string =>
	yamlOf(fragment, { collectionStyle: "flow" })
		.trim()
		.replace(/^\{ ?(.*?) ?\}$/s, "$1");

/** Returns a sentence for each finding that a person should decide or check. */
export const remarksOf = (findings: readonly Finding[]): string[] =>
	findings
		.filter(({ hint, verdict }) => hint !== undefined && verdict !== "untested")
		.map(({ what, seen, hint, verdict }) => {
			const task = verdict === "decide" ? "To decide" : "To check";
			return `${task}: ${what} (seen: ${seen}): ${hint}.`;
		});

/** Returns the file of the description, with the remarks as comments. */
export function fileOf(description: Description, findings: readonly Finding[]): string {
	const comments = remarksOf(findings).map((remark) => `# ${remark.replaceAll("\n", " ")}\n`);
	return `# The names that this service uses: see docs/guides/your-service.md.\n${comments.join("")}${yamlOf(description)}`;
}
