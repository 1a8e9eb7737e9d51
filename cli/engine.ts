/** Runs the engine's previews, which write nothing to the state, and hands over their events as they come. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { z } from "zod";
import { parsed } from "./json";
import { UsageError } from "./usage";

/** A resource as the state or a read has it; the engine masks secrets. */
export interface ResourceState {
	readonly id?: string;
	/** Replaced, but not deleted yet. */
	readonly delete?: boolean;
	/** Only read, never written: a program's `.get`. */
	readonly external?: boolean;
	readonly retainOnDelete?: boolean;
	readonly urn?: string;
	readonly parent?: string;
	readonly inputs?: Readonly<Record<string, unknown>>;
	readonly outputs?: Readonly<Record<string, unknown>>;
}

interface Step {
	readonly op: string;
	readonly urn: string;
	readonly type: string;
	readonly old?: ResourceState | null;
	readonly new?: ResourceState | null;
	/** The properties that make it a replacement. */
	readonly keys?: readonly string[];
	/** The provider's URN and id. */
	readonly provider?: string;
}

/** The engine's events that matter here. */
export interface EngineEvent {
	/** Before a step. */
	readonly resourcePreEvent?: { readonly metadata: Step };
	readonly resOutputsEvent?: { readonly metadata: Step };
	readonly resOpFailedEvent?: { readonly metadata: Step };
	readonly diagnosticEvent?: { readonly urn?: string; readonly message: string; readonly severity: string };
	readonly summaryEvent?: { readonly result?: string };
}

export interface EngineRun {
	readonly events: readonly EngineEvent[];
	/** As in a shell. */
	readonly code: number;
	readonly stderr: string;
}

/** Ended by a signal: the user knows, so nothing is printed. */
export class Interrupted extends Error {
	readonly exitCode: number;

	constructor(exitCode: number) {
		super("interrupted");
		this.exitCode = exitCode;
	}
}

/** A read that hangs would keep the engine running until its deadline. */
const patienceMs = 3_000;
const signals = { SIGINT: 130, SIGTERM: 143 } as const;

/** Only our resources are read, even if the stack holds others. */
const telephonyOnly = ["**dynamic/telephony:*::**", "**telephony:index:*::**"];

/** The name of a resource, by its URN. */
export const nameIn = (urn: string): string => urn.split("::").slice(3).join("::");

/** A project's folder and one of its stacks; without one, the selected stack. */
export interface Place {
	readonly cwd: string;
	readonly stack?: string | undefined;
}

const named = (stack: string | undefined): string[] => (stack === undefined ? [] : ["--stack", stack]);

const Deployment = z.object({
	deployment: z.object({
		resources: z.array(
			z.object({
				urn: z.string(),
				ignoreChanges: z.array(z.string()).optional(),
				sourcePosition: z.string().optional(),
			}),
		),
	}),
});

type See = (event: EngineEvent) => void;

/** `settings` are added to the environment. */
export function refreshPreview(place: Place, settings: Readonly<Record<string, string>>, see: See): Promise<EngineRun> {
	const targets = telephonyOnly.flatMap((pattern) => ["--target", pattern]);
	return eventsOf(["refresh", "--preview-only", "--run-program=false", ...targets], place, settings, see);
}

/** What the engine's own preview takes. */
export interface PreviewOptions {
	readonly targets: readonly string[];
	readonly refresh: boolean;
	/** A file for `pulumi up --plan`. */
	readonly savePlan: string | undefined;
}

/** The next `up`, of all resources. */
export function preview(place: Place, { targets, refresh, savePlan }: PreviewOptions, see: See): Promise<EngineRun> {
	const args = [
		...targets.flatMap((urn) => ["--target", urn]),
		...(refresh ? ["--refresh"] : []),
		...(savePlan === undefined ? [] : ["--save-plan", savePlan]),
	];
	return eventsOf(["preview", ...args], place, {}, see);
}

async function eventsOf(
	args: readonly string[],
	{ cwd, stack }: Place,
	settings: Readonly<Record<string, string>>,
	see: See,
): Promise<EngineRun> {
	const events: EngineEvent[] = [];
	const line = (text: string) => {
		const event = eventIn(text);
		if (event === undefined) return;
		events.push(event);
		see(event);
	};
	const common = ["--json", "--non-interactive", "--color", "never", ...named(stack)];
	const { code, stderr } = await run([...args, ...common], cwd, line, settings);
	return { events, code, stderr };
}

/** What a state says of how the program declares a resource. */
export interface Declaration {
	/** The paths under `ignoreChanges`. */
	readonly ignored: readonly string[];
	/** The file and line of the last `up`, such as `src/index.ts:12`. */
	readonly position?: string;
}

/** By URN; empty if the engine doesn't show the state. */
export async function declarations({ cwd, stack }: Place): Promise<ReadonlyMap<string, Declaration>> {
	const { text } = await outputOf(["stack", "export"], { cwd, stack });
	const found = Deployment.safeParse(parsed(text));
	const resources = found.data?.deployment.resources ?? [];
	return new Map(
		resources.map(({ urn, ignoreChanges = [], sourcePosition }) => {
			const position = positionIn(sourcePosition);
			return [urn, { ignored: ignoreChanges, ...(position === undefined ? {} : { position }) }];
		}),
	);
}

/** `project:///src/index.ts#12,3` is `src/index.ts:12`. */
export function positionIn(source: string | undefined): string | undefined {
	const [, file, line] = /^project:\/{3}(.+)#(\d+)(?:,\d+)?$/.exec(source ?? "") ?? [];
	if (file === undefined) return undefined;
	try {
		return `${decodeURIComponent(file)}:${line}`;
	} catch {
		return `${file}:${line}`;
	}
}

/** The name of the selected stack; undefined if none is selected. */
export async function selectedStack(cwd: string): Promise<string | undefined> {
	const { text } = await outputOf(["stack", "--show-name"], { cwd });
	return text.split("\n")[0] || undefined;
}

function eventIn(line: string): EngineEvent | undefined {
	const event = parsed(line);
	return typeof event === "object" && event !== null && "sequence" in event ? (event as EngineEvent) : undefined;
}

/** What `pulumi` prints with these arguments, about a stack. @throws Interrupted */
export async function outputOf(
	args: readonly string[],
	{ cwd, stack }: Place,
): Promise<{ text: string; code: number; stderr: string }> {
	const lines: string[] = [];
	const end = await run([...args, "--non-interactive", ...named(stack)], cwd, (line) => lines.push(line));
	return { text: lines.join("\n"), ...end };
}

/** Runs `pulumi` with these arguments to its end. @throws Interrupted after a signal, once it has ended */
async function run(
	args: readonly string[],
	cwd: string,
	line: (text: string) => void,
	settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stderr: string }> {
	// Its own process group: a Ctrl-C reaches it once, through us.
	const grouped = process.platform !== "win32";
	const child = spawn("pulumi", args, {
		cwd,
		detached: grouped,
		stdio: ["ignore", "pipe", "pipe"],
		env: {
			...process.env,
			...settings,
			PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
			PULUMI_SKIP_UPDATE_CHECK: "true",
		},
	});
	let interrupted: number | undefined;
	const send = (signal: NodeJS.Signals) => {
		if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
		try {
			// `pulumi` may be a script that runs the engine: as in a terminal, all of them get the signal.
			process.kill(grouped ? -child.pid : child.pid, signal);
		} catch {
			// It has just ended.
		}
	};
	const pass = (signal: keyof typeof signals) => {
		// Nothing is being written that could break, so a second signal ends it at once.
		if (interrupted !== undefined) return send("SIGKILL");
		interrupted = signals[signal];
		send(signal);
		setTimeout(() => send("SIGKILL"), patienceMs).unref();
	};
	const names = Object.keys(signals) as (keyof typeof signals)[];
	for (const name of names) process.on(name, pass);
	let stderr = "";
	child.stderr.on("data", (text) => {
		stderr += text;
	});
	createInterface({ input: child.stdout }).on("line", line);
	try {
		const code = await new Promise<number>((resolve, reject) => {
			child.once("error", reject);
			child.once("close", (exit, signal) => resolve(exit ?? (signal === "SIGINT" ? 130 : 143)));
		});
		if (interrupted !== undefined) throw new Interrupted(interrupted);
		return { code, stderr };
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		throw new UsageError(
			"engine",
			"the engine is missing: there is no `pulumi` on the PATH (https://www.pulumi.com/docs/install/; in a checkout of this package, `npm run engine`).",
		);
	} finally {
		for (const name of names) process.off(name, pass);
	}
}
