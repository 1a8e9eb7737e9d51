/** Limits the length of every message that the provider or a command renders in a test. */
import { afterEach, beforeEach, expect, vi } from "vitest";
import * as codes from "../provider/api/message-codes";

/** Characters in a line, which may quote the service or name several objects. message-lengths.test.ts has the rest. */
const longest = 700;

const { coded } = codes;
const tooLong: string[] = [];

beforeEach(() => {
	vi.spyOn(codes, "coded").mockImplementation((text, code) => {
		const message = coded(text, code);
		tooLong.push(...message.split("\n").filter((line) => line.length > longest));
		return message;
	});
});

afterEach(() => {
	expect(tooLong.splice(0), "lines of messages that are too long").toEqual([]);
});
