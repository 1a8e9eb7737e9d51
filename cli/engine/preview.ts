/** Runs previews of the engine, which write nothing to the state. */
import { findJson } from "../../provider/api/json";
import { codeOf, type MessageCode } from "../../provider/api/message-codes";
import { stackVariables } from "../../provider/session/config";
import { printable } from "../report/model";
import { exitCodes, UsageError } from "../report/usage";
import type { EngineEvent } from "./events";
import { type Finished, type Place, runPulumi } from "./process";
import { engineError } from "./refusals";

interface Preview {
	readonly args: readonly string[];
	/** Variables with the stack's configuration. */
	readonly settings?: Readonly<Record<string, string>>;
	/** Such as `reading the resources`. */
	readonly progress: string;
	/** The noun for errors, such as `drift`. */
	readonly subject: string;
	/** Code and meaning of a failed preview. */
	readonly unknownCode: MessageCode;
	readonly reason: string;
}

/** Returns the events of a preview that succeeded. @throws UsageError */
export async function previewEvents(place: Place, preview: Preview): Promise<readonly EngineEvent[]> {
	const ofStack = place.stack === undefined ? "" : ` of stack ${place.stack}`;
	const progress = startProgress(preview.progress + ofStack);
	const events: EngineEvent[] = [];
	const onLine = (line: string) => {
		const event = findJson(line);
		if (typeof event !== "object" || event === null || !("sequence" in event)) return;
		events.push(event as EngineEvent);
		progress.count(event as EngineEvent);
	};
	const args = [...preview.args, "--json", "--color", "never"];
	try {
		const { settings = {} } = preview;
		const variables = { ...settings, ...stackVariables.named(Object.keys(settings)) };
		const done = await runPulumi(args, place, { onLine, variables });
		const hasSucceeded = events.some(({ summaryEvent }) => summaryEvent?.result === "succeeded");
		if (done.code !== 0 || !hasSucceeded)
			throw previewError(events, { ...done, preview, subject: `the ${preview.subject}${ofStack}` });
	} finally {
		progress.end();
	}
	return events;
}

interface Failure extends Finished {
	readonly preview: Preview;
	readonly subject: string;
}

/** After a failed preview the rest is unknown, so there is no report. */
function previewError(events: readonly EngineEvent[], failed: Failure): UsageError {
	const { preview, subject } = failed;
	const errors = events.flatMap(({ diagnosticEvent }) =>
		diagnosticEvent?.severity === "error" ? [diagnosticEvent] : [],
	);
	const ofResources = errors.filter(({ urn }) => urn);
	const withCode = (wanted: MessageCode) => ofResources.find(({ message }) => codeOf(message) === wanted);
	const rejected = withCode("rejected-key");
	const first = rejected ?? withCode("limit") ?? ofResources[0];
	if (first === undefined) {
		const meaning = { unknownCode: preview.unknownCode, lastError: errors.at(-1)?.message };
		return engineError(failed, `${subject} is not known`, meaning);
	}
	const more = ofResources.length > 1 ? ` (and ${ofResources.length - 1} more)` : "";
	const message = `${printable(first.message.replace(/^Preview failed: /, ""))}${more}`;
	if (rejected !== undefined)
		return new UsageError("rejected-key", `the service rejects the API key: ${message}`, exitCodes.keyRejected);
	const messageCode = codeOf(first.message) ?? preview.unknownCode;
	if (messageCode === "limit") return new UsageError("limit", message, exitCodes.over);
	return new UsageError(messageCode, `${subject} is not known, as ${preview.reason}: ${message}`);
}

/** Prints the progress to standard error: at the start, and every ten seconds. */
function startProgress(text: string): { count(event: EngineEvent): void; end(): void } {
	const started = Date.now();
	let resources = 0;
	const print = (line: string) => void process.stderr.write(`${line}\n`);
	const timer = setInterval(() => {
		const seconds = Math.round((Date.now() - started) / 1000);
		print(`${text}: ${resources} resources, ${seconds} s`);
	}, 10_000);
	print(`${text} …`);
	return {
		count: ({ resOutputsEvent }) => {
			if (resOutputsEvent?.metadata.type.includes("telephony:")) resources += 1;
		},
		end: () => clearInterval(timer),
	};
}
