/** Rules for all that people are told. What is said of a value stands as `{name}`. */
import { expect, test } from "vitest";
import { messageCodes } from "../provider/api/message-codes";
import { type Sentence, sentencesOfCode } from "./helpers/sentences";

const all = sentencesOfCode();
const messages = all.filter(({ isMessage }) => isMessage);
const breaking = (sentences: readonly Sentence[], breaks: (text: string) => boolean) =>
	sentences.filter(({ text }) => breaks(text)).map(({ file, text }) => `${file}: ${text}`);

test("the rules see the sentences: hundreds of them, and among them what errors and warnings say", () => {
	expect(all.length).toBeGreaterThan(1_000);
	expect(messages.length).toBeGreaterThan(60);
});

test("an error or a warning ends with a full stop, a value, or its code", () => {
	expect(breaking(messages, (text) => !/([.?…]|\.\)|\}|\[telephony:[a-z-]+\])$/.test(text))).toEqual([]);
});

test("a code that a sentence spells out is one of the list, and stands at its end", () => {
	const isWrong = (text: string) =>
		[...text.matchAll(/\[telephony:([a-z-]+)\]/g)].some(
			({ 0: printed, 1: code = "" }) => !Object.hasOwn(messageCodes, code) || !text.endsWith(printed),
		);
	expect(breaking(all, isWrong)).toEqual([]);
});

test("no value of a secret stands in a sentence", () => {
	const isSecret = (text: string) => /\{(apiKey|password|pin|secret|credentials|authorization)\}/i.test(text);
	// There, `secret` is the name of the output.
	const others = all.filter(({ text }) => !text.includes("It doesn't return the {secret}."));
	expect(breaking(others, isSecret)).toEqual([]);
});

test("no sentence names a file or a folder of this repository that users don't have", () => {
	const isOurs = (text: string) =>
		/(^|[\s"'`(])((provider|emulator|cli|sdk|scripts|test|dist)\/[\w-]+|[\w./-]+\.m?ts\b)|\/(work|home|tmp)\//.test(
			text,
		);
	expect(breaking(all, isOurs)).toEqual([]);
});

test("words are one space apart", () => {
	expect(breaking(all, (text) => /\S {2,}\S/.test(text))).toEqual([]);
});

test("a sentence of a message has 60 words at most", () => {
	const isLong = (text: string) => text.split(/(?<=[.?!:;]) /).some((part) => part.split(" ").length > 60);
	expect(breaking(messages, isLong)).toEqual([]);
});
