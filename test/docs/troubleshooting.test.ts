import { describe, expect, it } from "vitest";
import { codeOf, messageCodes } from "../../provider/api/message-codes";
import { files, read } from "../helpers/repository";
import { sentencesOfCode } from "../helpers/sentences";

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
const sources = files.filter((file) => /^(provider|cli|sdk)\/.*\.ts$|^node-version\.ts$/.test(file) && file !== list);

describe("docs/troubleshooting.md", () => {
	it("has an entry for each code, with the list's first line", () => {
		const documented = entries.map(({ code, meaning }) => [code, meaning]);
		expect(documented.sort()).toEqual(Object.entries(messageCodes).sort());
	});

	it.each(entries)("shows a current message under $code, and what to do", ({ code, example, rest }) => {
		expect(codeOf(example)).toBe(code);
		expect(example).toMatch(/^> .* \[telephony:[a-z-]+\]$/);
		const message = example.replace(/^> /, "").replace(/ \[telephony:[a-z-]+\]$/, "");
		const isCut = message.endsWith(" …");
		expect(
			(isCut ? starts : templates).some((template) => template.test(message.replace(/ …$/, "").replace(/[.:;,]$/, ""))),
			message,
		).toBe(true);
		expect(rest.length).toBeGreaterThan(30);
	});
});

/** An expression for the end of a message that has this text; `{name}` is a value. */
function templateOf(text: string, before: string): RegExp {
	const parts = text.split(/\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
	return new RegExp(`(^|${before} )${parts.join(".*")}\\.?$`);
}
const hasWords = (text: string) => text.replaceAll(/\{[^}]*\}/g, "").length >= 10;

const texts = sentencesOfCode().map(({ text }) => text.replace(/ \[telephony:[a-z-]+\]$/, ""));
const templates = texts.filter(hasWords).map((text) => templateOf(text, "[.:;]"));
/** Matches messages that the page cuts, which it does at a punctuation mark. */
const starts = texts
	.flatMap((text) => [...text.matchAll(/[.:;,](?: |$)|$/g)].map(({ index }) => text.slice(0, index)))
	.filter(hasWords)
	.map((text) => templateOf(text, ""));

describe("the list", () => {
	it("has only codes of messages", () => {
		const code = sources.map(read).join("\n");
		const isUsed = (each: string) => code.includes(`"${each}"`) || code.includes(`[telephony:${each}]`);
		expect(Object.keys(messageCodes).filter((each) => !isUsed(each))).toEqual([]);
	});
});
