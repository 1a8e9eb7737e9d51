import { coded, type MessageCode } from "../provider/api/message-codes";

/** An error that the user can fix: printed as one sentence, without a stack trace. */
export class UsageError extends Error {
	readonly exitCode: number;

	constructor(code: MessageCode, message: string, exitCode = 1) {
		super(coded(message, code));
		this.exitCode = exitCode;
	}
}
