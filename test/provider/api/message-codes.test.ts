import fc from "fast-check";
import { expect, test } from "vitest";
import { errorFromAnswer, TelephonyError } from "../../../provider/api/errors";
import { coded, codeOf, type MessageCode, messageCodes } from "../../../provider/api/message-codes";

const anyCode = fc.constantFrom(...(Object.keys(messageCodes) as MessageCode[]));
const countIn = (text: string) => text.match(/\[telephony:/g)?.length ?? 0;
const failed = (errorCode: string, status: number, message = "No.") =>
	errorFromAnswer("POST /numbers", { operation: "buyNumber", status, errorCode, message, hasAnswered: true });

test("ends a message with one code, whatever it quotes", () => {
	const quoted = fc.array(fc.tuple(fc.stringMatching(/^[^[\]]*$/), anyCode), { maxLength: 4 });
	fc.assert(
		fc.property(quoted, anyCode, (parts, code) => {
			const text = parts.reduce((message, [words, inner]) => coded(`${words} ${message}`, inner), "It failed.");
			const message = coded(text, code);
			expect([countIn(message), codeOf(message)]).toEqual([1, code]);
			expect(message.endsWith(` [telephony:${code}]`)).toBe(true);
		}),
	);
});

test("finds the code in the engine's output, and no code that isn't ours", () => {
	expect(codeOf(`Preview failed: ${coded("It failed.", "claimed")}\n`)).toBe("claimed");
	for (const text of ["", " [telephony:constructor]", " [other:claimed]"]) expect(codeOf(text)).toBeUndefined();
});

test.each([
	["no_inventory", 409, "no-inventory"],
	["something_new", 409, "conflict"],
	["constructor", 409, "conflict"],
	["unauthorized", 401, "rejected-key"],
])("maps the service's %s (HTTP %d) to %s", (errorCode, status, expected) => {
	const error = failed(errorCode, status, "No. [telephony:not-found]");
	expect([error.messageCode, codeOf(error.message), countIn(error.message)]).toEqual([expected, expected, 1]);
});

test("keeps the text of an error apart from its next step and code", () => {
	const { message, text } = failed("no_inventory", 409);
	expect(message.startsWith(`${text} `)).toBe(true);
	expect(text).toContain("no_inventory");
	expect(text).not.toContain("[telephony:");
});

test("keeps the code of a cause of the same kind", () => {
	const cause = failed("trunk_in_use", 409);
	const same = new TelephonyError("Conflict", `${cause.message} They are num_1.`, { cause });
	const other = new TelephonyError("OutcomeUnknown", `${cause.message} Perhaps.`, { cause });
	const codes = [same, other].map(({ message }) => [codeOf(message), countIn(message)]);
	expect(codes).toEqual([
		["in-use", 1],
		["unconfirmed-write", 1],
	]);
});
