/** A request of the check, and what its status shows. */
import type { OperationName } from "../../provider/api/contract";
import type { TelephonyError } from "../../provider/api/errors";
import type { RawResponse } from "../../provider/api/wire";

/** A request and its result. */
export interface Exchange {
	readonly name: OperationName;
	/** The id in its path. */
	readonly id: string | undefined;
	/** The request as sent: `GET /numbers`. */
	readonly doing: string;
	/** Absent for a request that only its properties' own operations carried out. */
	readonly response?: RawResponse | undefined;
	/** The body in the service's words; undefined if it isn't JSON. */
	readonly json?: unknown;
	/** The body in our names; undefined if the client can't read it, or if it shows no object. */
	readonly data?: unknown;
	/** The client's error, also about a response that it can't read. */
	readonly failed?: TelephonyError | undefined;
	/** True for a removal whose response proves it. */
	readonly isConfirmed: boolean;
}

export const statusOf = ({ response, failed }: Exchange): number => response?.status ?? failed?.status ?? 200;

export const isOk = (exchange: Exchange): boolean => statusOf(exchange) >= 200 && statusOf(exchange) < 300;

/** True for a refusal that depends on the service's load, and shows nothing about the request. */
export const isBusy = (exchange: Exchange): boolean => statusOf(exchange) === 429 || statusOf(exchange) === 503;

/** True for a status after which the request may have been carried out. A redirect may lead to what it has made. */
export const isUnclear = (exchange: Exchange): boolean => {
	const status = statusOf(exchange);
	return status === 408 || status >= 500 || (status >= 300 && status < 400);
};

/** `GET /numbers: HTTP 404`. */
export const resultOf = (exchange: Exchange): string => `${exchange.doing}: HTTP ${statusOf(exchange)}`;

/** Returns the client's words for a refusal. */
export const refusalOf = (exchange: Exchange): string =>
	exchange.failed?.text.replace(/, request_id [^,)]*/, "").replace(/ \(request_id .*$/s, "") ?? resultOf(exchange);

/** HTTP statuses for an operation that the service doesn't have. */
export const absentStatuses: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** Error codes for an operation that the service doesn't have. */
export const absentCodes: ReadonlySet<string> = new Set(["operation_not_offered", "method_not_allowed"]);
