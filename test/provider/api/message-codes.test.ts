import fc from "fast-check";
import { expect, test } from "vitest";
import { errorOfResponse, TelephonyError } from "../../../provider/api/errors";
import { coded, codeOf, type MessageCode, messageCodes } from "../../../provider/api/message-codes";

const anyCode = fc.constantFrom(...(Object.keys(messageCodes) as MessageCode[]));
const codesIn = (text: string) => [text.match(/\[telephony:/g)?.length ?? 0, codeOf(text)];
const failed = (errorCode: string, status: number, message = "No.") =>
	errorOfResponse("POST /numbers", { operation: "buyNumber", status, errorCode, message });

test("ends a message with one code, even if it quotes another", () => {
	const quoted = fc.array(fc.tuple(fc.stringMatching(/^[^[\]]*$/), anyCode), { maxLength: 4 });
	fc.assert(
		fc.property(quoted, anyCode, (parts, code) => {
			const text = parts.reduce((message, [words, inner]) => coded(`${words} ${message}`, inner), "It failed.");
			expect(codesIn(coded(text, code))).toEqual([1, code]);
			expect(coded(text, code).endsWith(` [telephony:${code}]`)).toBe(true);
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
	const { message, messageCode } = failed(errorCode, status, "No. [telephony:not-found]");
	expect([messageCode, ...codesIn(message)]).toEqual([expected, 1, expected]);
});

test("keeps its text apart, and the code of a cause of its kind", () => {
	const cause = failed("trunk_in_use", 409);
	expect(cause.message.startsWith(`${cause.text} `)).toBe(true);
	const codeAs = (kind: "Conflict" | "OutcomeUnknown") =>
		codesIn(new TelephonyError(kind, cause.message, { cause }).message);
	expect([codeAs("Conflict"), codeAs("OutcomeUnknown")]).toEqual([
		[1, "in-use"],
		[1, "unconfirmed-write"],
	]);
});
