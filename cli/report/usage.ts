import { isTelephonyError } from "../../provider/api/errors";
import { coded, type MessageCode } from "../../provider/api/message-codes";

/** Exit codes like Pulumi's. `found`: drift or orphans; `over`: a limit is exceeded. */
export const exitCodes = { clean: 0, error: 1, usage: 2, keyRejected: 3, over: 5, noStack: 6, found: 7 } as const;

/** An error that the user can fix. It is printed without a stack trace. */
export class UsageError extends Error {
	readonly exitCode: number;

	constructor(
		code: MessageCode,
		message: string,
		exitCode: number = code === "usage" ? exitCodes.usage : exitCodes.error,
	) {
		super(coded(message, code));
		this.exitCode = exitCode;
	}
}

/** Converts an error of the client; returns any other unchanged. */
export function asUsageError(error: unknown): unknown {
	if (!isTelephonyError(error)) return error;
	const exitCode = error.kind === "Unauthorized" ? exitCodes.keyRejected : exitCodes.error;
	return new UsageError(error.messageCode, error.message, exitCode);
}

/** Ended by a signal: the user knows, so nothing is printed. */
export class Interrupted extends Error {
	readonly exitCode: number;

	constructor(exitCode: number) {
		super("interrupted");
		this.exitCode = exitCode;
	}
}
