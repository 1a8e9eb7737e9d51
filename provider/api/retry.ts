/** Decides when to repeat a failed request, and whether the service may have carried it out. Pure. */
import type { Clock } from "./clock";
import { isOwn, nextStep, TelephonyError } from "./errors";
import { defined } from "./json";

export interface RetryPolicy {
	/** First delay, ms; doubled each time. */
	readonly baseMs: number;
	/** Longest delay without Retry-After, ms. */
	readonly capMs: number;
	/** Requests in total, with the first one. */
	readonly tries: number;
	/** A longer Retry-After ends the retries, ms: it is never undercut. */
	readonly longestWaitMs: number;
}

export const defaultRetry: RetryPolicy = { baseMs: 250, capMs: 8_000, tries: 5, longestWaitMs: 120_000 };

/** A try of a request that brought no usable response. */
export interface FailedTry {
	readonly failed: TelephonyError;
	/** False if the request certainly never reached the service. */
	readonly sent: boolean;
	readonly retryAfter?: string | undefined;
}

const transient = new Set(["Unavailable", "RateLimited", "Conflict"]);

/** Gateways have their own statuses above 500, such as 520 to 530 and 507. 501 isn't a failure that passes. */
const isRetried = (status: number): boolean => status === 408 || status === 429 || (status >= 500 && status !== 501);
// Conflicts that resolve by themselves, and a gateway that doesn't find the service.
const retriedCodes = new Set([
	"idempotency_in_progress",
	"resource_busy",
	"http_404",
	"http_405",
	"http_410",
	"http_501",
]);

/**
 * Returns the milliseconds to wait before the next try; undefined to give up. `attempt` is 1 for the first request.
 * `isRepeatable` is true if sending the request twice has the effect of sending it once.
 */
export function retryDelay(
	{ failed, sent, retryAfter }: FailedTry,
	{ attempt, isRepeatable }: { readonly attempt: number; readonly isRepeatable: boolean },
	policy: RetryPolicy,
	clock: Pick<Clock, "now">,
	random: () => number,
): number | undefined {
	const { kind, status, errorCode = "" } = failed;
	if (!transient.has(kind) || attempt >= policy.tries) return undefined;
	if (status !== undefined && !isRetried(status) && !retriedCodes.has(errorCode)) return undefined;
	// A 429 is a refusal, so that any request may follow.
	if (sent && !isRepeatable && status !== 429) return undefined;
	const requestedMs = retryAfterMs(retryAfter, clock.now());
	if (requestedMs > policy.longestWaitMs) return undefined;
	return requestedMs + random() * Math.min(policy.capMs, policy.baseMs * 2 ** (attempt - 1));
}

const longestRetryAfterMs = 24 * 3_600_000;

/**
 * Returns the milliseconds to wait by Retry-After, in seconds or as an HTTP date (RFC 9110 §10.2.3). Some services send
 * fractions, a unit, or the header twice. 0 for a header that is absent, past or unreadable.
 */
export function retryAfterMs(header: string | undefined, currentTime: number): number {
	const parts = [...(header ?? "").matchAll(/(?:^|,)\s*(\d+(?:\.\d+)?)\s*s?\s*(?=,|$)/gi)];
	const seconds = Math.max(...parts.map(([, digits]) => Number(digits)));
	const dateMs = header?.endsWith("GMT") ? Date.parse(header) - currentTime : 0;
	const ms = parts.length === 0 ? dateMs : Math.ceil(seconds) * 1000;
	return Math.min(Math.max(0, ms || 0), longestRetryAfterMs);
}

/** Returns true if the service may have carried the request out. @param before the result for the tries before */
export function mayBeCarriedOut(before: boolean, failed: TelephonyError, sent: boolean): boolean {
	const { kind, status, errorCode } = failed;
	// The service is still working on an earlier try.
	if (errorCode === "idempotency_in_progress") return true;
	// The service did not carry out this try, which says nothing about earlier ones.
	if (!sent || status === 401 || status === 429) return before;
	const isRefused = isOwn(failed) && status !== undefined && status !== 408 && status < 500;
	return !isRefused && kind !== "Config" && kind !== "ContractMismatch";
}

export const outcomeUnknown = (failed: TelephonyError): TelephonyError => {
	const { operation, status, errorCode, requestId } = failed;
	return new TelephonyError("OutcomeUnknown", `${failed.text} The service may have carried out the request.`, {
		...defined({ operation, status, errorCode, requestId }),
		nextStep: nextStep("OutcomeUnknown"),
		cause: failed,
	});
};
