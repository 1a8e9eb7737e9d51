/** The service description that `telephony service check` writes, put together from fragments. */
import type { Description } from "../provider/api/description/description";
import { isObject, type Json } from "../provider/api/json";
import { yamlDocument } from "./yaml";

/** Several words or codes of the service may stand for one of ours: all of them count. */
const lists: ReadonlySet<string> = new Set(["words", "codes"]);

/** Both descriptions; where they differ, `over` counts. */
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
	// A field may be written as its place alone.
	if (typeof before === "string" && isObject(value)) return { at: before, ...value };
	if (!isObject(before)) return value;
	if (isObject(value)) return merged(before, value, key);
	return typeof value === "string" ? { ...before, at: value } : value;
}

/** If both mention a feature, the later mention counts. */
function mergedFeatures(before: string, after: string): string {
	const plain = (word: string) => word.replace(/^-/, "");
	const added = after.split(/\s+/).filter(Boolean);
	const others = before
		.split(/[\s,]+/)
		.filter((word) => word !== "" && !added.some((each) => plain(each) === plain(word)));
	return [...others, ...added].join(" ");
}

/** A fragment as one line of the guide: `lists: { items: results }`. */
export const lineOf = (fragment: Description): string =>
	yamlDocument(fragment)
		.toString({ collectionStyle: "flow", lineWidth: 0 })
		.trim()
		.replace(/^\{ ?(.*?) ?\}$/s, "$1");

/** The file, with a person's tasks as comments above. */
export function fileOf(description: Description, remarks: readonly string[]): string {
	const comments = remarks.map((remark) => `# ${remark.replaceAll("\n", " ")}\n`).join("");
	return `# The names that this service uses: see docs/guides/your-service.md.\n${comments}${yamlDocument(description).toString({ lineWidth: 0 })}`;
}
