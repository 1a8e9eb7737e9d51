/** Exchanges with the service, and what they show by a description. */
import { isErrorObject } from "../../provider/api/confirmation";
import { type Feature, itemOf, type Operation, type OperationName, operations } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { ServiceDescription } from "../../provider/api/description/service-description";
import { isTelephonyError, type TelephonyError } from "../../provider/api/errors";
import { at, isObject, type Json } from "../../provider/api/json";
import { readResponse, requestIdIn } from "../../provider/api/response";
import type { RawResponse } from "../../provider/api/wire";
import { listOf } from "./shape";

/** A request and its raw response. */
export interface Exchange {
	readonly name: OperationName;
	/** The id in its path. */
	readonly id?: string | undefined;
	/** The body in our names. */
	readonly body?: unknown;
	/** The request as sent: `GET /numbers`. */
	readonly doing: string;
	/** Differs from the description: another name of the cursor, another method or path. */
	readonly instead?: string | undefined;
	readonly response: RawResponse;
	/** The body in the service's words; undefined if it isn't JSON. */
	readonly json: unknown;
}

export const isOk = ({ response: { status } }: Pick<Exchange, "response">): boolean => status >= 200 && status < 300;

export const isBusyStatus = (status: number | undefined): boolean => status === 429 || status === 503;

/** True for a refusal that depends on the service's load, and shows nothing about the request. */
export const isBusy = ({ response }: Exchange): boolean => isBusyStatus(response.status);

/** A strict service refuses a field that it doesn't know, too. */
export const isMalformedStatus = (status: number | undefined): boolean => status === 400 || status === 422;
export const isMalformed = ({ response }: Exchange): boolean => isMalformedStatus(response.status);

/** True for a status after which the request may have been carried out. A redirect may lead to what it has made. */
export const isUnclear = (status: number): boolean => status >= 500 || (status >= 300 && status < 400);

/** `GET /numbers: HTTP 404`. */
export const resultOf = ({ doing, response: { status } }: Exchange): string => `${doing}: HTTP ${status}`;

/** HTTP statuses for an operation that the service doesn't have. */
export const absentStatuses: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** Error codes for an operation that the service doesn't have. */
export const absentCodes: ReadonlySet<string> = new Set(["operation_not_offered", "method_not_allowed"]);

/** Returns the place that the description states for this operation's response. */
export function placeOfResponse({ operations: stated }: Description, name: OperationName): string | false | undefined {
	const described = stated?.[name];
	return isObject(described) ? (described.response as string | false | undefined) : undefined;
}

/** Features that the configuration declares in addition to the description. */
export type Declared = ReadonlyMap<Feature, boolean>;

export const dialectOf = (description: Description): ServiceDescription =>
	new ServiceDescription(description, "the findings");

/** Reads exchanges by a description. */
export class Reader {
	readonly description: Description;
	readonly dialect: ServiceDescription;
	readonly #declared: Declared;

	constructor(description: Description, declared: Declared) {
		this.description = description;
		this.dialect = dialectOf(description);
		this.#declared = declared;
	}

	/** Returns what the configuration or the description declares about a feature. */
	offers = (feature: Feature): boolean | undefined => this.#declared.get(feature) ?? this.dialect.features.get(feature);

	/** True unless the configuration or the description rules out the operation, its feature or the extra one. */
	allows = (name: OperationName, extra?: Feature): boolean => {
		const { feature }: Operation = operations[name];
		const isOffered = (needed: Feature | undefined) => needed === undefined || this.offers(needed) !== false;
		return this.dialect.target(name) !== undefined && isOffered(feature) && isOffered(extra);
	};

	/** Returns the records in a response, in our names: the items of a list, or the one record. */
	records = (exchange: Exchange): readonly Json[] => {
		const { json } = this.dialect.responseIn(exchange.name, exchange.json);
		return (isList(exchange.name) ? listOf(at(json, "data")) : [json]).filter(isObject);
	};

	/** True if the service carried the request out. An error object behind a 2xx is a refusal. */
	isAccepted = (exchange: Exchange): boolean =>
		isOk(exchange) && !isErrorObject(exchange.name, exchange.json, this.dialect);

	errorCodeOf = ({ json }: Exchange): string | undefined => {
		const code = at(json, this.description.errors?.code ?? "error");
		return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
	};

	/** `HTTP 422: the name is taken`. */
	refusalText = ({ response: { status }, json }: Exchange): string => {
		const message = at(json, this.description.errors?.message ?? "message");
		return `HTTP ${status}${typeof message === "string" ? `: ${message}` : ""}`;
	};

	/** True if the service itself says that it doesn't have the operation. A 404 may also mean that it is elsewhere. */
	lacksOperation = (exchange: Exchange): boolean =>
		absentCodes.has(this.errorCodeOf(exchange) ?? "") || [405, 501].includes(exchange.response.status);
}

export const isList = (name: OperationName): boolean => {
	const { response }: Operation = operations[name];
	return response !== undefined && itemOf(response) !== undefined;
};

/** Returns the id of a record; undefined if the record has none that names it. */
export const idOf = ({ id }: Json): string | undefined =>
	(typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : undefined;

/** Returns what the client reads from this response. @throws TelephonyError */
export function readAsClient(
	{ name, id, doing, response }: Exchange,
	dialect: ServiceDescription,
	mask: (text: string) => string = (text) => text,
	leaveOut?: (fields: readonly string[]) => void,
): ReturnType<typeof readResponse> {
	const operation: Operation = operations[name];
	const requestId = requestIdIn(response, mask);
	const reading = { name, operation, id, doing, query: {}, description: dialect, requestId };
	const observer = leaveOut && { leaveOut: (_: readonly string[], fields: readonly string[]) => leaveOut(fields) };
	return readResponse({ ...reading, ...observer, keep: () => {}, redact: mask }, response);
}

/** Returns the client's error for this response; undefined if the client can read it. @param leaveOut gets fields of another type */
export function findProblem(
	exchange: Exchange,
	dialect: ServiceDescription,
	mask?: (text: string) => string,
	leaveOut?: (fields: readonly string[]) => void,
): TelephonyError | undefined {
	try {
		readAsClient(exchange, dialect, mask, leaveOut);
		return undefined;
	} catch (error) {
		if (isTelephonyError(error)) return error;
		throw error;
	}
}
