/** What the resources of both fronts are. */
import * as pulumi from "@pulumi/pulumi";

/**
 * A resource that is made without the SDK's stack traces: it captures four for each property, which takes longer than the
 * rest of a preview. Only people who look for leaked promises (`PULUMI_DEBUG_PROMISE_LEAKS`) see them.
 */
export class UntracedResource extends pulumi.CustomResource {
	constructor(...args: ConstructorParameters<typeof pulumi.CustomResource>) {
		const { stackTraceLimit } = Error;
		try {
			if (!process.env.PULUMI_DEBUG_PROMISE_LEAKS) Error.stackTraceLimit = 0;
			super(...args);
		} catch (error) {
			// The error is thrown from here, so its stack shows the place in the program.
			Error.stackTraceLimit = stackTraceLimit;
			if (error instanceof Error) Error.captureStackTrace(error);
			throw error;
		} finally {
			Error.stackTraceLimit = stackTraceLimit;
		}
	}
}
