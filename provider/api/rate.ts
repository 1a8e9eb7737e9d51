/**
 * Finds the rate that a service accepts. There is no limit until the service refuses a request or states its limit. From
 * then on each refusal halves the rate, which then grows steadily.
 */
import type { Clock } from "./clock";

/**
 * Growth after a refusal, requests a second per second: a fixed part, so that several processes end up equal, and a share
 * of the halved rate. In 50 s, three processes use 0.98 of a shared limit with these values, and a single one 0.93.
 */
const growth = { fixed: 0.5, share: 0.2 } as const;
const lowest = 1;

export class Rate {
	readonly #clock: Pick<Clock, "now">;
	/** The rate at `#startedAt`; undefined while there is no limit. */
	#start: number | undefined;
	/** When the rate was last set: by a refusal, or by the service's statement. */
	#startedAt = Number.NEGATIVE_INFINITY;
	/** Accepted requests before the first refusal. */
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
		if (this.#start === undefined) return undefined;
		const seconds = (this.#clock.now() - this.#startedAt) / 1000;
		return Math.min(this.#stated, this.#start + (growth.fixed + growth.share * this.#start) * seconds);
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
		if (this.#start === undefined && remaining !== undefined && Number(remaining) <= underWay) this.#begin(stated);
	}

	/** Slows down after a refused request (HTTP 429) that was sent at `sentAt`. */
	slowDown(sentAt: number): void {
		// It was sent before the last slow-down.
		if (sentAt <= this.#startedAt) return;
		const currentTime = this.#clock.now();
		const seconds = (currentTime - (this.#firstAt ?? currentTime)) / 1000;
		this.#begin((this.perSecond ?? this.#accepted / Math.max(1, seconds)) / 2);
	}

	#begin(rate: number): void {
		this.#start = Math.max(lowest, rate);
		this.#startedAt = this.#clock.now();
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
