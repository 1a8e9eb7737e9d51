/** Finds values that a parser or a schema would drop silently or fail on. */
import type { FieldProblem } from "./errors";

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Deeper than any valid body, and less than a recursion can handle. */
export const deepest = 100;

export const isDeeper = (value: unknown, levels = deepest): boolean =>
	isObject(value) && (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));

/** Finds fields that a schema would drop. */
export const unkeepable = (value: unknown, field = ""): FieldProblem[] => {
	if (!isObject(value)) return [];
	return Object.entries(value).flatMap(([name, part]) => {
		const path = field === "" ? name : `${field}.${name}`;
		return name === "__proto__" ? [{ field: path, message: "unknown field" }] : unkeepable(part, path);
	});
};
