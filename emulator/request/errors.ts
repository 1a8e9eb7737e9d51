import { type ErrorCode, errorCodes } from "../../provider/api/contract";

/** A refusal by the service. The response is the contract's error object. */
export class ServiceError extends Error {
	constructor(
		readonly error: ErrorCode,
		message: string,
		readonly details?: unknown,
		readonly headers: Readonly<Record<string, string>> = {},
	) {
		super(message);
		this.name = "ServiceError";
	}

	get status(): number {
		return errorCodes[this.error];
	}
}

export interface FieldProblem {
	readonly field: string;
	readonly message: string;
}

/** The most problems, and letters of a name, in one response: a body can have any number of them. */
const most = { problems: 100, letters: 200 };

export const invalid = (problems: readonly FieldProblem[], error: ErrorCode = "validation_failed"): ServiceError => {
	const named = problems.slice(0, most.problems).map(({ field, message }) => ({
		field: field.length > most.letters ? `${field.slice(0, most.letters)}…` : field,
		message,
	}));
	const texts = named.map(({ field, message }) => `${field}: ${message}`);
	const rest = problems.length > named.length ? [`and ${problems.length - named.length} more`] : [];
	return new ServiceError(error, `The request is invalid: ${[...texts, ...rest].join("; ")}.`, named);
};

export const notFound = (what: string, id: string): ServiceError =>
	new ServiceError("not_found", `There is no ${what} ${JSON.stringify(id.slice(0, 64))} on this account.`);

/** @throws ServiceError `not_found` for undefined */
export const found = <Row>(row: Row | undefined, what: string, id: string): Row => {
	if (row === undefined) throw notFound(what, id);
	return row;
};
