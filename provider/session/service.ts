/** Where a service's own words come from: a file, or the stack's configuration. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ServiceDescription } from "../api/description/service-description";
import { configError } from "../api/errors";
import { textIn } from "../api/json";

/** Stands for `{id}` while a text is parsed. */
const held = "\uE000";

/** The last one: each resource's check asks for it. */
let lastParsed: { readonly key: string; readonly dialect: ServiceDescription } | undefined;

/**
 * @param text the path of a file in YAML or JSON, or the description itself, as structured configuration holds it
 * @param where how the user has given it, for messages
 * @throws TelephonyError of kind Config
 */
export function dialectIn(text: string, where: string, cwd: string): ServiceDescription {
	const isInline = text.trimStart().startsWith("{");
	const source = isInline ? text : readText(resolve(cwd, text), where);
	const key = `${where}\n${source}`;
	if (lastParsed?.key !== key)
		lastParsed = { key, dialect: new ServiceDescription(parsed(source, where), isInline ? where : text) };
	return lastParsed.dialect;
}

function readText(path: string, where: string): string {
	try {
		return textIn(readFileSync(path));
	} catch (error) {
		const why = (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : (error as Error).message;
		throw configError(
			`${where} names ${path}, which can't be read: ${why}. Give the path of a service description in YAML or JSON.`,
		);
	}
}

function parsed(source: string, where: string): unknown {
	// Only who has one waits for its parser.
	const { parse } = require("yaml") as typeof import("yaml");
	try {
		// Bare inside braces, `{id}` would begin a map of its own.
		const restored = (_: unknown, value: unknown) =>
			typeof value === "string" ? value.replaceAll(held, "{id}") : value;
		return parse(source.replaceAll("{id}", held), restored);
	} catch (error) {
		throw configError(`${where} is neither YAML nor JSON: ${(error as Error).message.replace(/:?\n[\s\S]*/, "")}.`);
	}
}
