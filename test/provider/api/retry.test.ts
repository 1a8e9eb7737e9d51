/** Decisions about a failed request: whether to repeat it, and after which pause. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultRetry, type FailedTry, nextTokenIn, retryAfterMs, retryDelay } from "../../../provider/api/retry";

const now = Date.UTC(2026, 0, 1);
const delay = (failure: Partial<FailedTry>, random = 0.5, policy = defaultRetry) =>
	retryDelay({ attempt: 1, repeatable: true, sent: true, ...failure }, policy, { now: () => now }, () => random);

const transient = [408, 429, 500, 502, 503, 504, undefined].map((status) => ({ status }));
const gateway = [404, 405, 410, 501].map((status) => ({ status, errorCode: `http_${status}` }));
const passing = ["idempotency_in_progress", "resource_busy"].map((errorCode) => ({ status: 409, errorCode }));
const lasting = [400, 401, 402, 403, 404, 405, 409, 410, 412, 413, 422, 501].map((status) => ({ status }));
const repeated = (more: Partial<FailedTry>) =>
	[...transient, ...gateway, ...passing, ...lasting].filter((failure) => delay({ ...failure, ...more }) !== undefined);

test("repeats a request after a failure that passes, and after no other", () => {
	expect(repeated({})).toEqual([...transient, ...gateway, ...passing]);
	expect(repeated({ attempt: 4 })).toHaveLength(transient.length + gateway.length + passing.length);
	expect(repeated({ attempt: 5 })).toEqual([]);
});

test("repeats a request that isn't repeatable only if it was never sent", () => {
	expect(repeated({ repeatable: false })).toEqual([]);
	expect(delay({ repeatable: false, sent: false })).toBeGreaterThan(0);
});

test("doubles its pauses up to a ceiling, and spreads them below it", () => {
	const policy = { ...defaultRetry, tries: 100 };
	const longest = [1, 2, 3, 4, 5, 6, 7, 99].map((attempt) => delay({ attempt }, 1, policy));
	expect(longest).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
	expect(delay({ attempt: 7 }, 0, policy)).toBe(0);
});

test("never undercuts Retry-After, and gives up if it is too long", () => {
	const seconds = fc.integer({ min: -500, max: 500 });
	fc.assert(
		fc.property(seconds, fc.boolean(), fc.double({ min: 0, max: 0.99, noNaN: true }), (s, isDate, random) => {
			const ms = Math.max(0, s * 1000);
			const retryAfter = isDate ? new Date(now + s * 1000).toUTCString() : String(s);
			expect(retryAfterMs(retryAfter, now)).toBe(ms);
			const pause = delay({ status: 503, retryAfter }, random);
			if (ms > defaultRetry.longestWaitMs) expect(pause).toBeUndefined();
			else expect(pause).toBeGreaterThanOrEqual(ms);
		}),
	);
});

const day = 86_400_000;
const waits = {
	...{ "5.5": 6_000, " 0.1 ": 1_000, "2.0": 2_000, "+3": 3_000, "7s": 7_000, "30 seconds": 30_000, "5,10": 10_000 },
	...{ [String(now / 1000 + 90)]: 90_000, "99999999999999999999": day, ["9".repeat(400)]: day },
	...{ "Fri, 31 Dec 9999 23:59:59 GMT": day, "": 0, soon: 0, "-5": 0, "-0.5": 0, "-5, -1": 0, NaN: 0, Infinity: 0 },
	"1000000000": 0,
};
test.each<[header: string | undefined, ms: number]>([...Object.entries(waits), [undefined, 0]])(
	"reads Retry-After %j as %d ms",
	(header, ms) => {
		expect(retryAfterMs(header, now)).toBe(ms);
	},
);

test("reads the seconds to the next token from a RateLimit header", () => {
	expect(nextTokenIn('"account";r=0;t=7')).toBe("7");
	expect([nextTokenIn('"account";r=0'), nextTokenIn(undefined)]).toEqual([undefined, undefined]);
});
