import type { ChildProcessByStdio, SpawnOptions } from "node:child_process";
import { createDecipheriv } from "node:crypto";
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
import type { Readable } from "node:stream";
import spawn from "cross-spawn";
import { expect, onTestFinished } from "vitest";
import { withProgram } from "./programs";
import { dataKey, vaultSettings } from "./vault.mts";

const repository = resolve(__dirname, "../..");

export interface Run {
	/** A shell's exit code: 128 + n for a signal. */
	readonly code: number;
	/** Both streams, in order. */
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
	readonly secrets_providers?: { readonly type: string };
}

export const classes = "pulumi-telephony";
export const plugin = "pulumi-telephony/plugin";
export const fronts = [classes, plugin] as const;
export type Front = (typeof fronts)[number];

export interface ProjectOptions {
	/** CommonJS, with `telephony` and `pulumi` in scope. */
	readonly program?: string;
	/** Default: the dynamic provider. */
	readonly front?: Front;
	/** Default: no address and no key. */
	readonly service?: { readonly url: string; readonly apiKey: string };
	/** Further variables; undefined removes one. */
	readonly env?: Record<string, string | undefined>;
	readonly name?: string;
	/** `telephony:onDelete` of the stack; null to leave it out. Default: release. */
	readonly onDelete?: "release" | "retain" | null;
	/** True if the program may use the plugin. Default: true for programs of the plugin. */
	readonly plugin?: boolean;
	/** URL of the backend. Default: a new folder. */
	readonly backend?: string;
	/** Another project with the same stack. Default: a new stack. */
	readonly joins?: Project;
	/** True to start a process for each run of the program, as users do. Default: one process runs many programs. */
	readonly hasOwnProcess?: true;
	/** Folder of an existing project. Default: a new folder that uses this checkout. */
	readonly folder?: string;
}

export interface Project {
	readonly folder: string;
	/** Variables of the next run. */
	readonly env: Record<string, string | undefined>;
	/** Replaces the program. */
	write(program: string): void;
	/** Runs `pulumi` with these arguments. */
	pulumi(...args: string[]): Promise<Run>;
	up(...args: string[]): Promise<Run>;
	preview(...args: string[]): Promise<Run>;
	/** `refresh --preview-only --expect-no-changes`: exit 0 clean, 7 drift. */
	drift(...args: string[]): Promise<Run>;
	refresh(...args: string[]): Promise<Run>;
	destroy(...args: string[]): Promise<Run>;
	/** Telephony resources of the state. */
	resources(): Promise<ResourceState[]>;
	/** Ids of telephony resources in the state, by name. */
	ids(): Promise<Record<string, string>>;
	/** Outputs of the stack, with decrypted secrets. */
	outputs(): Promise<Record<string, unknown>>;
	/** Outputs of the stack, with encrypted secrets. */
	stackOutputs(): Promise<Record<string, unknown>>;
	/** The state as JSON, with encrypted secrets. */
	state(): Promise<string>;
	deployment(): Promise<Deployment>;
}

const head = (front: Front) => `"use strict";
const pulumi = require("@pulumi/pulumi");
const telephony = require("${front}");
`;

const pluginHere = `plugins:\n  providers:\n    - { name: telephony, path: ${JSON.stringify(join(repository, "bin"))} }\n`;

/** Marks an encoded value of a state, such as a secret. */
const encoded = "4dabf18193072939515e22adb298388d";

/** Decrypts secrets for JSON.parse as the engine does, without its process. */
function decrypted(_: string, value: unknown): unknown {
	const { [encoded]: mark, ciphertext } = { ...(value as Record<string, string> | null) };
	if (mark === undefined || ciphertext === undefined) return value;
	const [, nonce = "", sealed = ""] = ciphertext.split(":");
	const data = Buffer.from(sealed, "base64");
	const cipher = createDecipheriv("aes-256-gcm", dataKey, Buffer.from(nonce, "base64"), { authTagLength: 16 });
	cipher.setAuthTag(data.subarray(-16));
	return JSON.parse(cipher.update(data.subarray(0, -16), undefined, "utf8") + cipher.final("utf8"));
}

const passphrase = "test";
const configured = ({ onDelete = "release" }: ProjectOptions) =>
	onDelete === null ? "" : `config:\n  telephony:onDelete: ${onDelete}\n`;

/** False if the CLI makes the stack: at a given backend, or with a passphrase that the test is about. */
const hasOwnBackend = ({ backend, env }: ProjectOptions): boolean =>
	backend === undefined && (env?.PULUMI_CONFIG_PASSPHRASE ?? passphrase) === passphrase;

/** Installs this checkout's package with links. The engine walks all that is installed, so there is nothing else. */
function linkPackages(folder: string): void {
	const modules = join(folder, "node_modules");
	mkdirSync(join(modules, "pulumi-telephony"), { recursive: true });
	for (const path of [".bin", "@pulumi", ...["package.json", "bin", "dist"].map((name) => `pulumi-telephony/${name}`)])
		symlinkSync(join(repository, "node_modules", path), join(modules, path));
}

const runsProgram = ([command = "", ...args]: readonly string[]): boolean =>
	["up", "preview"].includes(command) || args.includes("--run-program");

/** Makes a Pulumi project in a temporary folder, with a file backend and stack `dev`. It is deleted after the test. */
export async function createProject(options: ProjectOptions): Promise<Project> {
	const temporary = mkdtempSync(join(tmpdir(), "telephony-test-"));
	onTestFinished(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }));
	const folder = options.folder ?? join(temporary, "program");
	const projectFile = join(folder, "Pulumi.yaml");
	const backend = join(temporary, "backend");
	mkdirSync(backend);
	const { front = classes, plugin: isPluginUsed = front === plugin } = options;
	if (options.folder === undefined) {
		mkdirSync(folder);
		linkPackages(folder);
		writeFileSync(
			projectFile,
			`name: ${options.name ?? "telephony-test"}\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n${isPluginUsed ? pluginHere : ""}`,
		);
		writeFileSync(join(folder, "package.json"), '{ "main": "index.js" }\n');
	}
	const write = (program: string) => writeFileSync(join(folder, "index.js"), head(front) + program);
	if (options.folder === undefined) write(options.program ?? "");
	// Other tests may use an existing folder at the same time.
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
	const start = (args: readonly string[]) => run("pulumi", [...args, "--non-interactive"], folder, env);
	/** False if the project is another one, such as one in YAML that a test wrote since, or if its process needs options. */
	const isShared = () =>
		!options.hasOwnProcess &&
		options.folder === undefined &&
		readFileSync(projectFile, "utf8").includes("name: nodejs") &&
		env.NODE_OPTIONS === process.env.NODE_OPTIONS;
	const pulumi = (...args: string[]) =>
		runsProgram(args) && isShared()
			? withProgram({ file: join(folder, "index.js"), env }, (rest) => start([...args, ...rest]))
			: start(args);
	const unattended = ["--yes", "--skip-preview"];
	const stacks = join(backend, ".pulumi", "stacks");
	const settings = join(folder, `Pulumi.${stack}.yaml`);
	if (options.joins !== undefined) cpSync(join(options.joins.folder, `Pulumi.${stack}.yaml`), settings);
	else if (hasOwnBackend(options)) {
		// Saves the half second of `stack init`.
		const [, name = ""] = /^name: (.*)$/m.exec(readFileSync(projectFile, "utf8")) ?? [];
		const checkpoint = { stack: `organization/${name}/${stack}` };
		mkdirSync(join(stacks, name), { recursive: true });
		writeFileSync(join(stacks, name, `${stack}.json`), JSON.stringify({ version: 3, checkpoint }));
		writeFileSync(join(backend, ".pulumi/meta.yaml"), "version: 1\n");
		writeFileSync(settings, vaultSettings + configured(options));
	} else {
		const init = await pulumi("stack", "init", stack, "--no-select");
		if (init.code !== 0) throw new Error(init.output);
		appendFileSync(settings, configured(options));
	}

	// Reading the file saves a process of `stack export`.
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
			const { type } = (await deployment()).secrets_providers ?? {};
			if (type === "cloud") return JSON.parse(JSON.stringify(await stackOutputs()), decrypted);
			return JSON.parse((await pulumi("stack", "output", "--json", "--show-secrets")).stdout);
		},
	};
}

const step = /^ *[-+~><]+ +\S*telephony[:/]\S+ (\S+) (create|update|replace|delete|read)d?\b.*$/;

/** Returns the engine's steps by resource name, without unchanged resources. */
export const stepsIn = ({ output }: Run): Record<string, string> =>
	Object.fromEntries(
		output.split("\n").flatMap((line) => {
			const [, name, operation] = step.exec(line) ?? [];
			return name === undefined || operation === undefined ? [] : [[name, operation]];
		}),
	);

/** Joins the engine's wrapped lines. */
export const flat = (printed: string | Pick<Run, "output">): string =>
	(typeof printed === "string" ? printed : printed.output).replaceAll(/\s+/g, " ");

/** Returns the run, which must succeed. */
export async function succeeds<R extends Run>(running: R | Promise<R>): Promise<R> {
	const run = await running;
	expect(run.code, run.output).toBe(0);
	return run;
}

/** Expects neither drift nor changes. */
export const expectQuiet = (stack: Project): Promise<Run> =>
	succeeds(stack.preview("--refresh", "--expect-no-changes"));

/** Returns the output of a run, which must fail, with this error code if one is given. */
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
		// On Windows, npm and its commands are scripts that only `cmd.exe` can run; this spawn finds it.
		const options: SpawnOptions = { cwd, env, stdio: ["ignore", "pipe", "pipe"] };
		const child = spawn(command, args, options) as ChildProcessByStdio<null, Readable, Readable>;
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
