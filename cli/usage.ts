/** An error that the user can fix: printed as one sentence, without a stack trace. */
export class UsageError extends Error {
	readonly exitCode: number;

	constructor(message: string, exitCode = 1) {
		super(message);
		this.exitCode = exitCode;
	}
}
