import { describe, expect, it } from "vitest";
import { codeOf, messageCodes } from "../../provider/api/message-codes";
import { files, read } from "../helpers/repository";

interface Entry {
	readonly code: string;
	/** The first line, which the list gives. */
	readonly meaning: string;
	readonly example: string;
	/** Why, and what to do. */
	readonly rest: string;
}

const entries: readonly Entry[] = read("docs/troubleshooting.md")
	.split(/^### /m)
	.slice(1)
	.map((text) => {
		const [code = "", meaning = "", example = "", ...rest] = (text.split(/^## /m)[0] ?? "").trim().split("\n\n");
		return { code, meaning, example, rest: rest.join("\n\n") };
	});

const list = "provider/api/message-codes.ts";
const sources = files.filter((file) => /^(provider|cli|sdk)\/.*\.ts$/.test(file) && file !== list);

describe("docs/troubleshooting.md", () => {
	it("has an entry for each code, with the list's first line", () => {
		const documented = entries.map(({ code, meaning }) => [code, meaning]);
		expect(documented.sort()).toEqual(Object.entries(messageCodes).sort());
	});

	it.each(entries)("shows a message under $code, and what to do", ({ code, example, rest }) => {
		expect(codeOf(example)).toBe(code);
		expect(example).toMatch(/^> .* \[telephony:[a-z-]+\]$/);
		expect(rest.length).toBeGreaterThan(30);
	});
});

describe("the list", () => {
	it("has only codes of messages", () => {
		const code = sources.map(read).join("\n");
		const isUsed = (name: string) => code.includes(`"${name}"`) || code.includes(`[telephony:${name}]`);
		expect(Object.keys(messageCodes).filter((key) => !isUsed(key))).toEqual([]);
	});
});
