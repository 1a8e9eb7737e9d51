/** Decisions about a failed request: whether to repeat it, and after which pause. */
import { expect, test } from "vitest";
import { type Failure, TelephonyError } from "../../../provider/api/errors";
import { defaultRetry, type FailedTry, retryAfterMs, retryDelay } from "../../../provider/api/retry";

const start = Date.UTC(2026, 0, 1);
interface Try extends Partial<Omit<FailedTry, "failed">> {
	readonly attempt?: number;
	readonly isRepeatable?: boolean;
	readonly status?: number | undefined;
	readonly errorCode?: string;
}
const delay = (failure: Try, random = 0.5, policy = defaultRetry) => {
	const { attempt = 1, isRepeatable = true, sent = true, retryAfter, ...details } = failure;
	const failed = new TelephonyError("Unavailable", "No.", details as Failure);
	return retryDelay(
		{ failed, sent, retryAfter },
		{ attempt, isRepeatable },
		policy,
		{ now: () => start },
		() => random,
	);
};

const ofGateways = [507, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 561, 599];
const transient = [408, 429, 500, 502, 503, 504, ...ofGateways, undefined].map((status) => ({ status }));
const gateway = [404, 405, 410, 501].map((status) => ({ status, errorCode: `http_${status}` }));
const passing = ["idempotency_in_progress", "resource_busy"].map((errorCode) => ({ status: 409, errorCode }));
const lasting = [400, 401, 402, 403, 404, 405, 409, 410, 412, 413, 422, 501].map((status) => ({ status }));
const repeated = (more: Try) =>
	[...transient, ...gateway, ...passing, ...lasting].filter((failure) => delay({ ...failure, ...more }) !== undefined);

test("repeats a request after a failure that passes, up to five tries", () => {
	expect(repeated({})).toEqual([...transient, ...gateway, ...passing]);
	expect([repeated({ attempt: 4 }).length, repeated({ attempt: 5 }).length]).toEqual([repeated({}).length, 0]);
});

test("repeats an unrepeatable request only if it was refused or never sent", () => {
	expect(repeated({ isRepeatable: false })).toEqual([{ status: 429 }]);
	expect(delay({ isRepeatable: false, sent: false })).toBeGreaterThan(0);
});

test("repeats any request after a 429, and after the pause that it requests", () => {
	const limited = (retryAfter?: string) =>
		delay({ status: 429, isRepeatable: false, ...(retryAfter && { retryAfter }) }, 0.5);
	expect([limited("7"), limited("121"), limited("soon"), limited()]).toEqual([7_125, undefined, 125, 125]);
	expect(delay({ status: 429, isRepeatable: false, attempt: 5 })).toBeUndefined();
	expect(delay({ status: 503, isRepeatable: false, retryAfter: "7" })).toBeUndefined();
});

test("doubles its pauses up to a ceiling, after any Retry-After", () => {
	const policy = { ...defaultRetry, tries: 100 };
	const longest = [1, 2, 3, 4, 5, 6, 7, 99].map((attempt) => delay({ attempt }, 1, policy));
	expect(longest).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
	expect(delay({ attempt: 7 }, 0, policy)).toBe(0);
	const after = (retryAfter: string) => delay({ status: 503, retryAfter }, 0);
	expect([after("7"), after("120"), after("121")]).toEqual([7_000, 120_000, undefined]);
});

const day = 86_400_000;
const dateIn = (seconds: number) => new Date(start + seconds * 1000).toUTCString();
const waits = {
	...{ "7": 7_000, "5.5": 6_000, " 0.1 ": 1_000, "2.0": 2_000, [dateIn(9)]: 9_000, [dateIn(-9)]: 0 },
	...{ "Fri, 31 Dec 9999 23:59:59 GMT": day, "99999999999999999999": day, ["9".repeat(400)]: day },
	...{ "": 0, soon: 0, "soon GMT": 0, "-5": 0, "7s": 7_000, "5, 10": 10_000, NaN: 0, Infinity: 0 },
};
test.each([...Object.entries(waits), [undefined, 0] as const])("reads Retry-After %j as %d ms", (header, ms) => {
	expect(retryAfterMs(header, start)).toBe(ms);
});
