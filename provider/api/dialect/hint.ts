/** What an answer shows in the place of what we look for, and the line of a service description that would say so. */
import type { z } from "zod";
import { type Operation, type OperationName, operations } from "../contract";
import { at, isObject, type Json, pathEnding, pathIn, pathsIn } from "./json";
import { fold, manners, otherNames } from "./names";
import { fieldsOf, recordOf } from "./records";
import { seenAs } from "./values";

export const stated = (line: string, when = "If the service has it under another name"): string =>
	`${when}, add this line to the service description (\`telephony:service\`): \`${line}\`.`;

const isName = (text: string) => /^[\w.-]{1,40}$/.test(text);

/** Names only: a value may be a secret. */
function shownIn(value: unknown): string {
	if (Array.isArray(value)) return "The response is a list";
	if (!isObject(value)) return "The response is not an object";
	const names = Object.keys(value).filter(isName);
	return names.length === 0 ? "The response has no fields" : `The response has ${names.slice(0, 12).join(", ")}`;
}

/** Where the service may have a field that isn't at our own place. */
export function otherPlace(record: string, field: string, seen: Json): string | undefined {
	const own = fold(field.split(".").at(-1) ?? field);
	return pathEnding(seen, [own, ...otherNames(record, field)], (value) => value !== null && !isObject(value));
}

function lineFor(record: string, field: string, seen: Json, issue?: z.core.$ZodIssue): string | undefined {
	const known = fieldsOf(record);
	const ours = at(seen, field);
	const place = (how: string) => `records: { ${record}: { ${field}: ${how} } }`;
	if (ours !== undefined && ours !== null) {
		const isWord = issue?.code === "invalid_value" && typeof ours === "string" && isName(ours);
		const as = seenAs(field, known.get(field) ?? "text", ours);
		return isWord ? place(`{ words: { …: ${ours} } }`) : as && place(`{ as: ${as} }`);
	}
	const found = otherPlace(record, field, seen);
	if (found === undefined) return place("its name there");
	// All of the record is one level deeper.
	const outer = found.includes(".") ? found.slice(0, found.lastIndexOf(".")) : undefined;
	const isWrapped = outer !== undefined && pathsIn(at(seen, outer), 1).filter((name) => known.has(name)).length > 1;
	return isWrapped ? `envelopes: { ${record}: { answer: ${outer} } }` : place(found);
}

/** What was bought must not be lost with an answer that can't be read. */
function boughtIn(seen: Json): string | undefined {
	const isShort = (value: unknown) => typeof value === "number" || (typeof value === "string" && value.length <= 80);
	const named = ["number", "id"].flatMap((field) => {
		// What is inside an object of such a name may be a secret.
		const place = pathEnding(seen, [fold(field), ...otherNames("number", field)], isShort);
		return place === undefined ? [] : [`${place} ${at(seen, place)}`];
	});
	return named.length === 0 ? undefined : `It has ${[...new Set(named)].join(", ")}.`;
}

/**
 * For an answer that can't be read at `path`; undefined if nothing in it could be meant.
 * @param seen the answer, or the item of a list, that has it not
 */
export function unreadHint(
	name: OperationName,
	path: readonly string[],
	seen: unknown,
	issue?: z.core.$ZodIssue,
): string | undefined {
	const record = recordOf(name);
	const field = path.filter((part) => !/^\d+$/.test(part)).join(".");
	if (record === undefined || !isObject(seen)) return undefined;
	if (field === "data" && !fieldsOf(record).has(field)) {
		const items = pathIn(seen, manners("items"), Array.isArray);
		return `${shownIn(seen)}. ${stated(`lists: { items: ${items ?? "its name there"} }`)}`;
	}
	const line = fieldsOf(record).has(field) ? lineFor(record, field, seen, issue) : undefined;
	return line && [`${shownIn(seen)}.`, name === "buyNumber" && boughtIn(seen), stated(line)].filter(Boolean).join(" ");
}

/** For an answer that isn't an error object as ours are. */
export function errorHint(said: unknown): string | undefined {
	const code = pathIn(said, manners("code"), (value) => typeof value === "string" || typeof value === "number");
	if (code === undefined) return undefined;
	const others = (["message", "requestId"] as const).flatMap((key) => {
		const path = pathIn(said, manners(key), (value) => typeof value === "string");
		return path === undefined ? [] : [`${key}: ${path}`];
	});
	return `${shownIn(said)}. ${stated(`errors: { ${[`code: ${code}`, ...others].join(", ")} }`)}`;
}

/** For an operation that the service doesn't have as we ask for it. @param allow the methods that it has there */
export function operationHint(name: OperationName, allow: string | undefined): string {
	const { method, path }: Operation = operations[name];
	const methods = allow?.toUpperCase().split(/[\s,]+/) ?? [];
	const other = method === "PATCH" && ["PUT", "POST"].find((each) => methods.includes(each));
	const request = other ? `"${other} ${path}"` : "its method and path";
	return stated(`operations: { ${name}: ${request} }`, "If the service has it elsewhere");
}

/** For a code that may say that there is no such object. */
export const codeHint = (code: string): string =>
	stated(`errors: { codes: { not_found: ${code} } }`, `If ${code} means that the object doesn't exist`);
