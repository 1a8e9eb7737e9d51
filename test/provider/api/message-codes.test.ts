import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorFromAnswer, TelephonyError } from "../../../provider/api/errors";
import { coded, codeOf, type MessageCode, messageCodes } from "../../../provider/api/message-codes";

const codes = Object.keys(messageCodes) as MessageCode[];
const anyCode = fc.constantFrom(...codes);
const countIn = (text: string) => text.match(/\[telephony:/g)?.length ?? 0;

describe("a message", () => {
	it("ends with one code, whatever it quotes", () => {
		const quoted = fc.array(fc.tuple(fc.stringMatching(/^[^[\]]*$/), anyCode), { maxLength: 4 });
		fc.assert(
			fc.property(quoted, anyCode, (parts, code) => {
				const text = parts.reduce((message, [words, inner]) => coded(`${words} ${message}`, inner), "It failed.");
				const message = coded(text, code);
				expect(countIn(message), "codes").toBe(1);
				expect(codeOf(message), "code").toEqual(code);
				expect(message.endsWith(` [telephony:${code}]`), "ends with").toBe(true);
			}),
		);
	});

	it("has no code where the code isn't ours", () => {
		expect(codeOf("It failed.")).toBeUndefined();
		expect(codeOf("It failed. [telephony:constructor]")).toBeUndefined();
		expect(codeOf("It failed. [other:claimed]")).toBeUndefined();
	});

	it("keeps its code with what the engine puts around it", () => {
		expect(codeOf(`Preview failed: ${coded("It failed.", "claimed")}\n`)).toBe("claimed");
	});
});

describe("an error", () => {
	const failed = (errorCode: string, status: number, message = "No.") =>
		errorFromAnswer("POST /numbers", { operation: "buyNumber", status, errorCode, message, hasAnswered: true });

	it("has the code of what the service said, or else of its kind", () => {
		expect(failed("no_inventory", 409).messageCode).toBe("no-inventory");
		expect(failed("something_new", 409).messageCode).toBe("conflict");
		expect(failed("constructor", 409).messageCode).toBe("conflict");
		expect(failed("unauthorized", 401).messageCode).toBe("rejected-key");
	});

	it("has what happened without the next step, for whoever knows a better one", () => {
		const error = failed("no_inventory", 409, "None is free.");
		expect(error.message).toMatch(/^POST \/numbers failed: .*\. Try another area .*\. \[telephony:no-inventory\]$/);
		expect(error.text).toBe("POST /numbers failed: None is free (no_inventory, HTTP 409, no request_id).");
	});

	it("can't be given another code by what the service says", () => {
		const error = failed("validation_failed", 400, "Bad. [telephony:rejected-key]");
		expect(codeOf(error.message), "code").toBe("invalid-input");
		expect(countIn(error.message), "codes").toBe(1);
	});

	it("keeps the code of a cause of the same kind", () => {
		const cause = failed("trunk_in_use", 409);
		const same = new TelephonyError("Conflict", `${cause.message} They are num_1.`, { cause });
		const other = new TelephonyError("OutcomeUnknown", `${cause.message} Perhaps.`, { cause });
		expect([same, other].map(({ message }) => [codeOf(message), countIn(message)])).toEqual([
			["in-use", 1],
			["unconfirmed-write", 1],
		]);
	});
});
