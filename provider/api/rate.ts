/**
 * Finds the rate that a service accepts. There is no limit until the service refuses a request or states its limit. From
 * then on the rate drops with each refusal, and grows steadily towards and past the refused rate.
 */
import type { Clock } from "./clock";

/** Part of the refused rate that remains. */
const backoff = 0.8;
/** Growth, requests a second per second: a fixed part, so that several processes end up equal, and one of the refused rate. */
const growth = { fixed: 0.3, share: 0.03 } as const;
/** A refusal sooner than this after the last one, ms, shows that the rate was far too high. */
const soonMs = 1_500;
const lowest = 1;

export class Rate {
	readonly #clock: Pick<Clock, "now">;
	/** The rate at the last refusal; undefined while there is no limit. */
	#peak: number | undefined;
	#refusedAt = Number.NEGATIVE_INFINITY;
	/** Accepted requests since the last refusal. */
	#accepted = 0;
	#firstAt: number | undefined;
	/** The rate that the service states as its limit. */
	#stated = Number.POSITIVE_INFINITY;
	#nextAt = Number.NEGATIVE_INFINITY;

	constructor(clock: Pick<Clock, "now">) {
		this.#clock = clock;
	}

	/** Requests a second; undefined while no limit is known. */
	get perSecond(): number | undefined {
		if (this.#peak === undefined) return undefined;
		const seconds = (this.#clock.now() - this.#refusedAt) / 1000;
		const rate = this.#peak * backoff + (growth.fixed + growth.share * this.#peak) * seconds;
		return Math.min(this.#stated, Math.max(lowest, rate));
	}

	/** Milliseconds until the next request may be sent. 0 counts it as sent. */
	take(): number {
		const currentTime = this.#clock.now();
		this.#firstAt ??= currentTime;
		const rate = this.perSecond;
		if (rate === undefined) return 0;
		const waitMs = this.#nextAt - currentTime;
		// A timer may be early by a fraction of a millisecond.
		if (waitMs >= 1) return Math.ceil(waitMs);
		// After a late timer, one request may catch up.
		this.#nextAt = Math.max(currentTime - 1000 / rate, this.#nextAt) + 1000 / rate;
		return 0;
	}

	/** Notes an accepted request. `headers` may have those of draft-ietf-httpapi-ratelimit-headers. */
	accept(headers: Readonly<Record<string, string | undefined>>, underWay: number): void {
		this.#accepted += 1;
		const stated = statedRate(headers["ratelimit-policy"]);
		if (stated === undefined) return;
		this.#stated = stated;
		const remaining = /;\s*r=(\d+)/.exec(headers.ratelimit ?? "")?.[1];
		// No request needs to wait while enough are left for those under way.
		if (this.#peak === undefined && remaining !== undefined && Number(remaining) <= underWay) this.#begin(stated);
	}

	/** Slows down after a refused request (HTTP 429) that was sent at `sentAt`. */
	slowDown(sentAt: number): void {
		// It was sent before the last slow-down.
		if (sentAt <= this.#refusedAt) return;
		const currentTime = this.#clock.now();
		const since = Math.max(this.#refusedAt, this.#firstAt ?? currentTime);
		const seen = this.#accepted / Math.max(1, (currentTime - since) / 1000);
		const rate = this.perSecond;
		const isFarTooHigh = currentTime - this.#refusedAt < soonMs;
		this.#begin(rate === undefined ? seen : isFarTooHigh ? Math.min(rate, Math.max(seen, rate / 2)) : rate);
	}

	#begin(peak: number): void {
		this.#peak = Math.max(lowest, peak);
		this.#refusedAt = this.#clock.now();
		this.#accepted = 0;
	}
}

/** Quotas for longer windows than this, s, such as a day, are not rate limits. */
const longestWindow = 60;

/** `"account";q=100;w=60`: 100 requests in 60 seconds. The strictest of several. */
function statedRate(policy: string | undefined): number | undefined {
	const rates = [...(policy ?? "").matchAll(/;\s*q=(\d+);\s*w=(\d+)/g)]
		.map(([, q, w]) => [Number(q), Number(w)] as const)
		.filter(([q, w]) => q > 0 && w > 0 && w <= longestWindow)
		.map(([q, w]) => q / w);
	return rates.length === 0 ? undefined : Math.min(...rates);
}
