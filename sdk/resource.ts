/** The base class of resources, for the dynamic provider and the plugin. */
import { fileURLToPath } from "node:url";
import * as pulumi from "@pulumi/pulumi";

/**
 * A resource without the SDK's stack traces: the SDK captures four for each property, which takes longer than the rest
 * of a preview. Only people who look for leaked promises (`PULUMI_DEBUG_PROMISE_LEAKS`) see them.
 */
export class UntracedResource extends pulumi.CustomResource {
	constructor(...args: ConstructorParameters<typeof pulumi.CustomResource>) {
		const { stackTraceLimit, prepareStackTrace } = Error;
		const restore = () => Object.assign(Error, { stackTraceLimit, prepareStackTrace });
		try {
			if (!process.env.PULUMI_DEBUG_PROMISE_LEAKS) Error.stackTraceLimit = 0;
			Error.prepareStackTrace = (error, frames) => {
				const text: unknown = (prepareStackTrace ?? printed)(error, ofProgram(frames));
				return typeof text === "string" ? text.replaceAll(unnamedFrame, namedFrame) : text;
			};
			super(...args);
		} catch (error) {
			// The error is thrown from here, so its stack shows the place in the program.
			restore();
			if (error instanceof Error) Error.captureStackTrace(error);
			throw error;
		} finally {
			restore();
		}
	}
}

const between: ReadonlySet<string | null> = new Set([UntracedResource.name, "TelephonyResource"]);

const isOfSdk = (frame: NodeJS.CallSite): boolean =>
	/^(node:|$)|[\\/]@pulumi[\\/]pulumi[\\/]/.test(frame.getFileName() ?? "");

/**
 * The frames that the state stores with each resource. The SDK finds the program's line by counting the first ones, so
 * our own classes are left out. So are the frames below the program, which are the same for all.
 */
function ofProgram(frames: readonly NodeJS.CallSite[]): NodeJS.CallSite[] {
	const counted = frames.filter((frame) => !between.has(frame.getFunctionName()));
	const first = counted.findIndex((frame) => !isOfSdk(frame));
	return counted.filter((frame, index) => index < first || !isOfSdk(frame));
}

/** The place of a frame, as a path or the URL of an ES module. The SDK finds only paths in parentheses. */
const unnamedFrame = /^( *at )(?:(.*) \(|(?:async )?)((?:file:|[\\/]|[A-Za-z]:[\\/])[^()]*?):(\d+:\d+)\)?$/gm;

const namedFrame = (_: string, at: string, name: string | undefined, file: string, place: string): string =>
	`${at}${name ?? "<anonymous>"} (${file.startsWith("file:") ? fileURLToPath(file) : file}:${place})`;

/** As Node.js does without a hook. */
const printed = (error: Error, frames: readonly NodeJS.CallSite[]): string =>
	[String(error), ...frames].join("\n    at ");
