/** Whether to send a request again, and when. Pure: time and randomness come in. Retry lives here and nowhere else. */

export interface RetryPolicy {
	/** First delay, ms; doubled each time. */
	readonly baseMs: number;
	/** Longest delay of our own choice, ms; the service's Retry-After may ask for more. */
	readonly capMs: number;
	/** Requests in all, the first one included. */
	readonly tries: number;
	/** A Retry-After beyond this, ms, ends the retries: it is never undercut. */
	readonly longestWaitMs: number;
}

export const defaultRetry: RetryPolicy = { baseMs: 250, capMs: 8_000, tries: 5, longestWaitMs: 120_000 };

export interface FailedTry {
	/** 1 for the first request. */
	readonly attempt: number;
	/** True where sending the same request twice has the effect of sending it once. */
	readonly repeatable: boolean;
	/** Absent if no whole answer came. */
	readonly status?: number | undefined;
	readonly errorCode?: string | undefined;
	/** False where the request certainly never reached the service. */
	readonly sent: boolean;
	readonly retryAfter?: string | undefined;
}

const retriedStatuses = new Set([408, 429, 500, 502, 503, 504]);
// The only conflicts that resolve by themselves, and a gateway that doesn't find the service.
const retriedCodes = new Set([
	"idempotency_in_progress",
	"resource_busy",
	"http_404",
	"http_405",
	"http_410",
	"http_501",
]);

/** Milliseconds to wait before the next try, or undefined to give up. */
export function retryDelay(
	failure: FailedTry,
	policy: RetryPolicy,
	clock: { now(): number },
	random: () => number,
): number | undefined {
	if (failure.attempt >= policy.tries) return undefined;
	// Not even after a 429: some services have sent it for requests that they had carried out.
	if (!failure.repeatable && failure.sent) return undefined;
	const transient =
		failure.status === undefined ||
		retriedStatuses.has(failure.status) ||
		(failure.errorCode !== undefined && retriedCodes.has(failure.errorCode));
	if (!transient) return undefined;
	const asked = retryAfterMs(failure.retryAfter, clock.now());
	if (asked > policy.longestWaitMs) return undefined;
	const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** (failure.attempt - 1));
	return asked + random() * ceiling;
}

/** Seconds until the next request is allowed, by a RateLimit header (draft-ietf-httpapi-ratelimit-headers). */
export const nextTokenIn = (header: string | undefined): string | undefined => /;\s*t=(\d+)/.exec(header ?? "")?.[1];

/** The longest wait that is believed, ms. */
const longestRetryAfterMs = 24 * 3_600_000;
/** Larger numbers of seconds are times since 1970, s. */
const leastTime = 1e9;

/**
 * Returns the milliseconds to wait by Retry-After, in seconds or as an HTTP date (RFC 9110 §10.2.3). Some services send
 * fractions, units, times since 1970, or the header twice. 0 for a header that is absent, past or unreadable.
 */
export function retryAfterMs(header: string | undefined, now: number): number {
	if (header === undefined) return 0;
	const parts = header
		.split(",")
		.map((part) => /^\s*([+-]?(\d+\.?\d*|\.\d+))\s*(s|secs?|seconds?)?\s*$/i.exec(part)?.[1]);
	const seconds = parts.every((part) => part !== undefined) ? Math.ceil(Math.max(...parts.map(Number))) : undefined;
	const ms =
		seconds === undefined ? Date.parse(header) - now : seconds >= leastTime ? seconds * 1000 - now : seconds * 1000;
	return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), longestRetryAfterMs);
}
