import { spawn } from "node:child_process";
import {
	appendFileSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { expect, onTestFinished } from "vitest";

const repository = resolve(__dirname, "../..");

export interface Run {
	/** Exit code as a shell gives it: 128 + n for a signal. */
	readonly code: number;
	/** Both streams, in the order they came. */
	readonly output: string;
	readonly stdout: string;
}

export interface ResourceState {
	readonly urn: string;
	readonly type: string;
	readonly id?: string;
	readonly inputs?: Record<string, unknown>;
	readonly outputs?: Record<string, unknown>;
	readonly initErrors?: string[];
}

export interface Deployment {
	readonly resources?: ResourceState[];
	readonly pending_operations?: unknown[];
}

export const classes = "pulumi-telephony";
export const plugin = "pulumi-telephony/plugin";
export const fronts = [classes, plugin] as const;
export type Front = (typeof fronts)[number];

export interface ProjectOptions {
	/** CommonJS. `telephony`, which is the front, and `pulumi` are in scope. */
	readonly program?: string;
	/** Default: the classes. */
	readonly front?: Front;
	/** The emulator's, or none to go without. */
	readonly service?: { readonly url: string; readonly apiKey: string };
	/** Environment beyond what an unattended run needs; undefined removes. */
	readonly env?: Record<string, string | undefined>;
	readonly name?: string;
	/** `telephony:onDelete` of the stack; null to leave it out. Default: release. */
	readonly onDelete?: "release" | "retain" | null;
	/** Whether the program may use this checkout's plugin; default: whether it is the front. */
	readonly plugin?: boolean;
	/** The URL of the backend; default: a folder of its own. */
	readonly backend?: string;
	/** The stack of another project, of which this is one more copy; default: a new one. */
	readonly joins?: Project;
	/** A project that is there already, run as it is under a stack of its own; default: a new folder that uses this checkout. */
	readonly folder?: string;
}

export interface Project {
	readonly folder: string;
	/** Of the next run; may be changed. */
	readonly env: Record<string, string | undefined>;
	/** The next run uses this program. */
	write(program: string): void;
	/** `pulumi` with these arguments, to its end. */
	pulumi(...args: string[]): Promise<Run>;
	up(...args: string[]): Promise<Run>;
	preview(...args: string[]): Promise<Run>;
	/** `refresh --preview-only --expect-no-changes`: exit 0 clean, 7 drift. */
	drift(...args: string[]): Promise<Run>;
	refresh(...args: string[]): Promise<Run>;
	destroy(...args: string[]): Promise<Run>;
	/** The telephony resources of the state. */
	resources(): Promise<ResourceState[]>;
	/** The ids of the telephony resources in the state, by the names that the program gives them. */
	ids(): Promise<Record<string, string>>;
	/** The stack's outputs, secrets in plain text. */
	outputs(): Promise<Record<string, unknown>>;
	/** The same as the state holds them, secrets encrypted. */
	stackOutputs(): Promise<Record<string, unknown>>;
	/** The state as text, secrets encrypted: the file of a backend in a folder, or what `stack export` prints. */
	state(): Promise<string>;
	deployment(): Promise<Deployment>;
}

const head = (front: Front) => `"use strict";
const pulumi = require("@pulumi/pulumi");
const telephony = require("${front}");
`;

const pluginHere = `plugins:\n  providers:\n    - { name: telephony, path: ${JSON.stringify(join(repository, "bin"))} }\n`;

/** How a state marks what isn't stored as it is, such as a secret. */
const encoded = "4dabf18193072939515e22adb298388d";

const passphrase = "test";
/** What `stack init` writes for it. */
const salt = "encryptionsalt: v1:eyWXhpnQGN4=:v1:ECnExdbvfZDfL6O0:ra70puKXDzvCOCwm+CUroIjwAGbzgg==\n";
const configured = ({ onDelete = "release" }: ProjectOptions) =>
	onDelete === null ? "" : `config:\n  telephony:onDelete: ${onDelete}\n`;

const isOfTest = ({ backend, env }: ProjectOptions): boolean =>
	backend === undefined && (env?.PULUMI_CONFIG_PASSPHRASE ?? passphrase) === passphrase;

/** A Pulumi project of its own in a temporary folder, with a file backend and stack `dev`; gone after the test. */
export async function createProject(options: ProjectOptions): Promise<Project> {
	const temporary = mkdtempSync(join(tmpdir(), "telephony-test-"));
	onTestFinished(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }));
	const folder = options.folder ?? join(temporary, "program");
	const backend = join(temporary, "backend");
	mkdirSync(backend);
	const { front = classes, plugin: isPluginUsed = front === plugin } = options;
	if (options.folder === undefined) {
		mkdirSync(folder);
		symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
		writeFileSync(
			join(folder, "Pulumi.yaml"),
			`name: ${options.name ?? "telephony-test"}\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n${isPluginUsed ? pluginHere : ""}`,
		);
		writeFileSync(join(folder, "package.json"), '{ "main": "index.js" }\n');
	}
	const write = (program: string) => writeFileSync(join(folder, "index.js"), head(front) + program);
	if (options.folder === undefined) write(options.program ?? "");
	// Beside whoever else works in that folder.
	const stack = options.folder === undefined ? "dev" : basename(temporary);
	onTestFinished(() => rmSync(join(folder, `Pulumi.${stack}.yaml`), { force: true }));

	const env: Record<string, string | undefined> = {
		...process.env,
		PULUMI_BACKEND_URL: options.backend ?? `file://${backend}`,
		PULUMI_CONFIG_PASSPHRASE: passphrase,
		PULUMI_STACK: stack,
		PULUMI_SKIP_UPDATE_CHECK: "true",
		PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
		TELEPHONY_API_KEY: options.service?.apiKey,
		TELEPHONY_BASE_URL: options.service?.url,
		...options.env,
	};
	const pulumi = (...args: string[]) => run("pulumi", [...args, "--non-interactive"], folder, env);
	const unattended = ["--yes", "--skip-preview"];
	const stacks = join(backend, ".pulumi", "stacks");
	const settings = join(folder, `Pulumi.${stack}.yaml`);
	if (options.joins !== undefined) cpSync(join(options.joins.folder, `Pulumi.${stack}.yaml`), settings);
	else if (isOfTest(options)) {
		// What `stack init` leaves, without its half second.
		const [, name = ""] = /^name: (.*)$/m.exec(readFileSync(join(folder, "Pulumi.yaml"), "utf8")) ?? [];
		const checkpoint = { stack: `organization/${name}/${stack}` };
		mkdirSync(join(stacks, name), { recursive: true });
		writeFileSync(join(stacks, name, `${stack}.json`), JSON.stringify({ version: 3, checkpoint }));
		writeFileSync(join(backend, ".pulumi/meta.yaml"), "version: 1\n");
		writeFileSync(settings, salt + configured(options));
	} else {
		const init = await pulumi("stack", "init", stack, "--no-select");
		if (init.code !== 0) throw new Error(init.output);
		appendFileSync(settings, configured(options));
	}

	// What `stack export` prints, without a process of its own for each look.
	const state = async () =>
		options.backend === undefined
			? readFileSync(join(stacks, readdirSync(stacks)[0] ?? "", `${env.PULUMI_STACK}.json`), "utf8")
			: (await pulumi("stack", "export")).stdout;
	const deployment = async () => {
		const saved = JSON.parse(await state()) as { checkpoint?: { latest?: Deployment }; deployment?: Deployment };
		return saved.deployment ?? saved.checkpoint?.latest ?? {};
	};
	const entries = async () => (await deployment()).resources ?? [];
	const resources = async () => (await entries()).filter(({ type }) => type.includes("telephony:"));
	const stackOutputs = async () => (await entries()).find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {};
	return {
		folder,
		env,
		write,
		pulumi,
		state,
		deployment,
		up: (...args) => pulumi("up", ...unattended, ...args),
		preview: (...args) => pulumi("preview", ...args),
		drift: (...args) => pulumi("refresh", "--preview-only", "--expect-no-changes", ...args),
		refresh: (...args) => pulumi("refresh", ...unattended, ...args),
		destroy: (...args) => pulumi("destroy", ...unattended, ...args),
		resources,
		stackOutputs,
		ids: async () =>
			Object.fromEntries((await resources()).map(({ urn, id }) => [urn.split("::").at(-1) ?? "", id ?? ""])),
		outputs: async () => {
			const stored = await stackOutputs();
			if (!JSON.stringify(stored).includes(encoded)) return stored;
			return JSON.parse((await pulumi("stack", "output", "--json", "--show-secrets")).stdout);
		},
	};
}

const step = /^ *[-+~><]+ +\S*telephony[:/]\S+ (\S+) (create|update|replace|delete|read)d?\b.*$/;

/** What the engine says it does or would do, by the resources' names; resources that stay as they are don't appear. */
export const stepsIn = ({ output }: Run): Record<string, string> =>
	Object.fromEntries(
		output.split("\n").flatMap((line) => {
			const [, name, operation] = step.exec(line) ?? [];
			return name === undefined || operation === undefined ? [] : [[name, operation]];
		}),
	);

/** In one line, however the engine has wrapped it. */
export const flat = (printed: string | Pick<Run, "output">): string =>
	(typeof printed === "string" ? printed : printed.output).replaceAll(/\s+/g, " ");

/** The run, which must have succeeded. */
export async function succeeds<R extends Run>(running: R | Promise<R>): Promise<R> {
	const run = await running;
	expect(run.code, run.output).toBe(0);
	return run;
}

/** Nothing differs at the service, and the program leaves nothing to do: a drift and a preview in one command. */
export const expectQuiet = (stack: Project): Promise<Run> =>
	succeeds(stack.preview("--refresh", "--expect-no-changes"));

/** What a run printed, in one line; it must have failed, with this error if one is named. */
export async function fails(running: Run | Promise<Run>, error?: string): Promise<string> {
	const run = await running;
	expect(run.code, run.output).not.toBe(0);
	if (error !== undefined) expect(flat(run)).toContain(`[telephony:${error}]`);
	return flat(run);
}

/** Runs a command to its end. */
export function run(
	command: string,
	args: readonly string[],
	cwd: string,
	env: Record<string, string | undefined>,
): Promise<Run> {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
		let output = "";
		let stdout = "";
		child.stdout.on("data", (text) => {
			output += text;
			stdout += text;
		});
		child.stderr.on("data", (text) => {
			output += text;
		});
		child.on("error", reject);
		child.on("close", (code, signal) => resolve({ code: code ?? (signal === "SIGINT" ? 130 : 143), output, stdout }));
	});
}
