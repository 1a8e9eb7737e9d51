import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultRetry, type FailedTry, retryAfterMs, retryDelay } from "../../../provider/api/retry";

const now = Date.UTC(2026, 0, 1);
const delay = (attempt: Partial<FailedTry>, random = 0.5) =>
	retryDelay({ attempt: 1, repeatable: true, sent: true, ...attempt }, defaultRetry, { now: () => now }, () => random);

describe("a request is sent again", () => {
	test.each([408, 429, 500, 502, 503, 504])("after HTTP %d", (status) => expect(delay({ status })).toBeGreaterThan(0));
	test.each([400, 401, 402, 403, 404, 405, 409, 410, 412, 413, 422, 501])("never after HTTP %d", (status) => {
		expect(delay({ status })).toBeUndefined();
	});
	test.each([404, 405, 410, 501])("after HTTP %d by a gateway", (status) => {
		expect(delay({ status, errorCode: `http_${status}` })).toBeGreaterThan(0);
	});
	test("without an answer", () => expect(delay({})).toBeGreaterThan(0));
	test.each(["idempotency_in_progress", "resource_busy"])("after the passing conflict %s", (errorCode) => {
		expect(delay({ status: 409, errorCode })).toBeGreaterThan(0);
	});
	test("at most so often that there are five in all", () => {
		expect(delay({ attempt: 4 })).toBeGreaterThan(0);
		expect(delay({ attempt: 5 })).toBeUndefined();
	});
});

describe("a request that can't be repeated is sent again only when it was certainly not carried out", () => {
	test("when it never left", () => expect(delay({ repeatable: false, sent: false })).toBeGreaterThan(0));
	test.each([408, 429, 500, 502, 503, 504, undefined])(
		"a request that can't be repeated is not sent again after %s",
		(status) => {
			expect(delay({ repeatable: false, ...(status === undefined ? {} : { status }) })).toBeUndefined();
		},
	);
	test("a request that can't be repeated is not sent again after a conflict with its own first try", () => {
		expect(delay({ repeatable: false, status: 409, errorCode: "idempotency_in_progress" })).toBeUndefined();
	});
});

test("pauses double up to a ceiling, anywhere below it, so that clients spread", () => {
	const policy = { ...defaultRetry, tries: 100 };
	const at = (attempt: number, random: number) =>
		retryDelay({ attempt, repeatable: true, sent: true }, policy, { now: () => now }, () => random);
	expect([1, 2, 3, 4, 5, 6, 7, 99].map((attempt) => at(attempt, 1))).toEqual([
		250, 500, 1000, 2000, 4000, 8000, 8000, 8000,
	]);
	expect(at(7, 0)).toBe(0);
});

test("Retry-After is never undercut, and one that is too long ends the retries", () => {
	const header = fc.oneof(
		fc.integer({ min: 0, max: 500 }).map((seconds) => [String(seconds), seconds * 1000] as const),
		fc
			.integer({ min: -500, max: 500 })
			.map((s) => [new Date(now + s * 1000).toUTCString(), Math.max(0, s * 1000)] as const),
	);
	fc.assert(
		fc.property(header, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), ([retryAfter, ms], random) => {
			expect(retryAfterMs(retryAfter, now)).toBe(ms);
			const pause = delay({ status: 503, retryAfter }, random);
			if (ms > defaultRetry.longestWaitMs) expect(pause).toBeUndefined();
			else expect(pause).toBeGreaterThanOrEqual(ms);
		}),
	);
});

test.each([
	["5.5", 6_000],
	[" 0.1 ", 1_000],
	["2.0", 2_000],
	["+3", 3_000],
	["7s", 7_000],
	["30 seconds", 30_000],
	["5,10", 10_000],
	[String(now / 1000 + 90), 90_000],
	["99999999999999999999", 86_400_000],
	["9".repeat(400), 86_400_000],
	["Fri, 31 Dec 9999 23:59:59 GMT", 86_400_000],
])("Retry-After %s asks for %d ms", (header, ms) => {
	expect(retryAfterMs(header, now)).toBe(ms);
});

test.each([
	undefined,
	"",
	"soon",
	"-5",
	"-0.5",
	"-5, -1",
	"NaN",
	"Infinity",
	"1000000000",
	"Thu, 01 Jan 1970 00:00:00 GMT",
])("Retry-After %j asks for nothing", (header) => {
	expect(retryAfterMs(header, now)).toBe(0);
});
