/** What the user can put right: printed as one sentence, without a stack. */
export class UsageError extends Error {
	readonly exitCode: number;

	constructor(message: string, exitCode = 1) {
		super(message);
		this.exitCode = exitCode;
	}
}
