import { coded, type MessageCode } from "../provider/api/message-codes";

/** `found`: drift, or orphans. */
export const exitCodes = { clean: 0, error: 1, keyRejected: 3, found: 7 } as const;

/** An error that the user can fix: printed as one sentence, without a stack trace. */
export class UsageError extends Error {
	readonly exitCode: number;

	constructor(code: MessageCode, message: string, exitCode: number = exitCodes.error) {
		super(coded(message, code));
		this.exitCode = exitCode;
	}
}
