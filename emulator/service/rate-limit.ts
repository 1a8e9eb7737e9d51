import { ServiceError } from "../request/errors";
import type { Clock } from "../time/clock";
import type { Settings } from "./settings";

interface Limited {
	readonly settings: Settings;
	readonly clock: Clock;
}

/** A token bucket that fills by the service's clock. */
export class RateLimit {
	/** Undefined while it is full. */
	#bucket: { tokens: number; readonly at: number } | undefined;

	/** Tokens left, with fractions. */
	tokensLeft({ settings, clock }: Limited): number {
		const { requestsPerSecond, requestBurst } = settings;
		if (this.#bucket === undefined || requestsPerSecond === null) return requestBurst;
		const since = (clock.now() - this.#bucket.at) / 1000;
		// A snapshot may have turned the clock back.
		if (since < 0) return requestBurst;
		return Math.min(this.#bucket.tokens + since * requestsPerSecond, requestBurst);
	}

	/** Takes a token for a request. @throws ServiceError `rate_limited` if there is none */
	take(service: Limited): void {
		const { requestsPerSecond, retryAfter } = service.settings;
		if (requestsPerSecond === null) {
			this.#bucket = undefined;
			return;
		}
		const tokens = this.tokensLeft(service);
		const currentTime = service.clock.now();
		if (tokens >= 1) {
			this.#bucket = { tokens: tokens - 1, at: currentTime };
			return;
		}
		const seconds = this.#secondsToNext(service);
		const date = new Date((Math.floor(currentTime / 1000) + seconds + 1) * 1000).toUTCString();
		const hint = { seconds: { "Retry-After": String(seconds) }, date: { "Retry-After": date }, none: {} }[retryAfter];
		throw new ServiceError(
			"rate_limited",
			`This account may send ${requestsPerSecond} request(s) per second: try again in ${seconds} s.`,
			undefined,
			hint,
		);
	}

	/** Headers of every response (draft-ietf-httpapi-ratelimit-headers). */
	headers(service: Limited): Record<string, string> {
		const { requestsPerSecond, requestBurst } = service.settings;
		if (requestsPerSecond === null) return {};
		const seconds = Math.ceil(requestBurst / requestsPerSecond);
		return {
			"RateLimit-Policy": `"account";q=${Math.floor(seconds * requestsPerSecond + 1e-9)};w=${seconds}`,
			RateLimit: `"account";r=${Math.floor(this.tokensLeft(service))};t=${this.#secondsToNext(service)}`,
		};
	}

	reset(): void {
		this.#bucket = undefined;
	}

	#secondsToNext(service: Limited): number {
		const missing = Math.max(1 - this.tokensLeft(service), 0);
		return Math.ceil(missing / (service.settings.requestsPerSecond ?? 1));
	}
}
