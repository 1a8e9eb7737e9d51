/** A service description as `telephony service check` writes it: fragments put together, and their lines. */
import { stringify } from "yaml";
import type { Description } from "../provider/api/dialect/description";
import { isObject, type Json } from "../provider/api/dialect/json";

/** Words and codes of theirs that stand for one of ours: all of them count. */
const lists: ReadonlySet<string> = new Set(["words", "codes"]);

/** What `over` says counts, beside what `under` says. */
export const mergedDescription = (under: Description, over: Description): Description =>
	merged(under as Json, over as Json) as Description;

function merged(under: Json, over: Json, parent = ""): Json {
	const all: Record<string, unknown> = { ...under };
	for (const [key, value] of Object.entries(over)) {
		const before = all[key];
		if (key === "features" && parent === "") all[key] = joined(String(before ?? ""), String(value));
		else if (lists.has(parent) && before !== undefined) all[key] = [...new Set([before, value].flat())];
		// A field may be written as its place alone.
		else if (typeof before === "string" && isObject(value)) all[key] = { at: before, ...value };
		else if (isObject(before) && typeof value === "string") all[key] = { ...before, at: value };
		else all[key] = isObject(before) && isObject(value) ? merged(before, value, key) : value;
	}
	return all;
}

/** Of two mentions of a feature, the later one counts. */
function joined(before: string, after: string): string {
	const plain = (word: string) => word.replace(/^-/, "");
	const added = after.split(/\s+/).filter(Boolean);
	const kept = before
		.split(/[\s,]+/)
		.filter((word) => word !== "" && !added.some((each) => plain(each) === plain(word)));
	return [...kept, ...added].join(" ");
}

/** A fragment as one line of the guide: `lists: { items: results }`. */
export const lineOf = (fragment: Description): string =>
	stringify(fragment, { collectionStyle: "flow", lineWidth: 0 })
		.trim()
		.replace(/^\{ ?(.*?) ?\}$/s, "$1");

/** The file: what a person has to decide or to look at stands above it. */
export function fileOf(description: Description, remarks: readonly string[]): string {
	const comments = remarks.map((remark) => `# ${remark.replaceAll("\n", " ")}\n`).join("");
	return `# What this service names otherwise: see docs/guides/your-service.md.\n${comments}${stringify(description, { lineWidth: 0 })}`;
}
