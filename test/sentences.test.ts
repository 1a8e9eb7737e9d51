/** Rules for every sentence that users read. `{name}` stands for a value. */
import { expect, test } from "vitest";
import { messageCodes } from "../provider/api/message-codes";
import { textsOfCode } from "../scripts/prose/code.mts";
import { files, read } from "./helpers/repository";

/** Files of `pulumi`, `telephony` and the emulator's API. The console is HTML, so it is tested in a browser. */
const roots = /^(provider\/|cli\/|sdk\/[\w-]+\.ts|emulator\/(?!console\/))/;
const texts = files
	.filter((file) => roots.test(file))
	.flatMap((file) => textsOfCode(file, read(file)).map((text) => ({ ...text, file })));
const messages = texts.filter(({ kind }) => kind === "message");
const all = [...texts.filter(({ kind }) => kind === "string"), ...messages];
const breaking = (sentences: typeof all, breaks: (text: string) => boolean) =>
	sentences.filter(({ text }) => breaks(text)).map(({ file, text }) => `${file}: ${text}`);

test("the scan finds the sentences of code, errors and warnings", () => {
	expect(all.length).toBeGreaterThan(1_000);
	expect(messages.length).toBeGreaterThan(60);
});

test("an error or a warning ends with a full stop, a value, or its code", () => {
	expect(breaking(messages, (text) => !/([.?…]|\.\)|\}|\[telephony:[a-z-]+\])$/.test(text))).toEqual([]);
});

test("a message code is a listed one, and ends its sentence", () => {
	const isWrong = (text: string) =>
		[...text.matchAll(/\[telephony:([a-z-]+)\]/g)].some(
			({ 0: printed, 1: code = "" }) => !Object.hasOwn(messageCodes, code) || !text.endsWith(printed),
		);
	expect(breaking(all, isWrong)).toEqual([]);
});

test("no value of a secret stands in a sentence", () => {
	const isSecret = (text: string) => /\{(apiKey|password|pin|secret|credentials|authorization)\}/i.test(text);
	// There, `secret` is the name of the output.
	const others = all.filter(({ text }) => !text.includes("The result doesn't include the {secret}."));
	expect(breaking(others, isSecret)).toEqual([]);
});

test("no sentence names a file of this repository that users lack", () => {
	const isOurs = (text: string) =>
		/(^|[\s"'`(])((provider|emulator|cli|sdk|scripts|test|dist)\/[\w-]+|[\w./-]+\.m?ts\b)|\/(work|home|tmp)\//.test(
			text,
		);
	expect(breaking(all, isOurs)).toEqual([]);
});
