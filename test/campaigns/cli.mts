/** A project of its own for the real CLI, and the processes that a run of it consists of. */
import { type ChildProcess, spawn } from "node:child_process";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { told } from "../helpers/dialect.mts";
import { emptyState, type State } from "./engine.mts";
import { repository, type Values } from "./host.mts";
import { kindOfType, kinds } from "./kinds.mts";
import type { Program } from "./program.mts";

export interface Run {
	readonly code: number;
	readonly output: string;
}

/** A command under way, in a process group of its own. */
export interface Running {
	readonly pid: number;
	readonly ended: Promise<Run>;
	/** True once it has ended. */
	readonly over: boolean;
}

/** The names that a resource had before, by the one it has now. */
export type Aliases = ReadonlyMap<string, readonly string[]>;

export interface Project {
	readonly folder: string;
	/** Of the commands from now on. */
	readonly env: NodeJS.ProcessEnv;
	write(program: Program, aliases?: Aliases): void;
	start(...args: string[]): Running;
	/** `telephony drift`. */
	drift(...args: string[]): Running;
	state(): Promise<State>;
	/** Of the resources in the state, by name. */
	urns(): Promise<ReadonlyMap<string, string>>;
	/** The engine killed while it writes its state file leaves a torn one, and beside it the one before: true if that was put back. */
	mend(): boolean;
	remove(): void;
}

const source = (program: Program, aliases: Aliases): string =>
	[
		'const telephony = require("pulumi-telephony");',
		"const made = {};",
		...program.map(({ kind, name, args, trunk }) => {
			const routing =
				trunk === undefined ? "" : `, routing: { type: "trunk", trunkId: made[${JSON.stringify(trunk)}].id }`;
			const key = JSON.stringify(name);
			const options = JSON.stringify({ aliases: (aliases.get(name) ?? []).map((alias) => ({ name: alias })) });
			return `made[${key}] = new telephony.${kinds[kind].type}(${key}, { ...${JSON.stringify(args)}${routing} }, ${options});`;
		}),
	].join("\n");

interface Exported {
	readonly urn: string;
	readonly type: string;
	readonly id?: string;
	readonly inputs?: Values;
	readonly outputs?: Values;
	readonly initErrors?: string[];
	readonly delete?: boolean;
}

/** Marks what an exported state holds in its place. */
const secretMark = "4dabf18193072939515e22adb298388d";

const shown = (_: string, value: unknown): unknown =>
	typeof value === "object" && value !== null && secretMark in value && "plaintext" in value
		? JSON.parse(String(value.plaintext))
		: value;

function isJson(file: string): boolean {
	try {
		JSON.parse(readFileSync(file, "utf8"));
		return true;
	} catch {
		return false;
	}
}

export async function createProject(service: { readonly url: string; readonly apiKey: string }): Promise<Project> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-kill-"));
	const backend = join(folder, "backend");
	mkdirSync(backend);
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	const runtime = "runtime:\n  name: nodejs\n  options:\n    typescript: false\n";
	writeFileSync(join(folder, "Pulumi.yaml"), `name: campaign\n${runtime}`);
	writeFileSync(join(folder, "package.json"), '{ "main": "index.js" }\n');
	const env: NodeJS.ProcessEnv = {
		...process.env,
		PATH: [join(homedir(), ".pulumi/versions/3.259.0/bin"), process.env.PATH].join(delimiter),
		PULUMI_BACKEND_URL: `file://${backend}`,
		PULUMI_CONFIG_PASSPHRASE: "test",
		PULUMI_STACK: "dev",
		PULUMI_SKIP_UPDATE_CHECK: "true",
		PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
		TELEPHONY_API_KEY: service.apiKey,
		TELEPHONY_BASE_URL: service.url,
		...told,
	};
	const launch = (command: string, args: readonly string[]): Running => {
		const child: ChildProcess = spawn(command, args, {
			cwd: folder,
			env,
			stdio: ["ignore", "pipe", "pipe"],
			detached: true,
		});
		let [output, over] = ["", false];
		child.stdout?.on("data", (text) => {
			output += text;
		});
		child.stderr?.on("data", (text) => {
			output += text;
		});
		// Not `close`: an orphan may hold the other end of the pipes.
		const ended = new Promise<Run>((resolve, reject) => {
			child.once("error", reject);
			child.once("exit", (code) => {
				over = true;
				setTimeout(() => resolve({ code: code ?? 137, output }), 20);
			});
		});
		return {
			pid: child.pid ?? 0,
			ended,
			get over() {
				return over;
			},
		};
	};
	const start = (...args: string[]) => launch("pulumi", [...args, "--non-interactive"]);
	const init = await start("stack", "init", "dev", "--no-select").ended;
	if (init.code !== 0) throw new Error(init.output);
	const configured = await start("config", "set", "telephony:onDelete", "release").ended;
	if (configured.code !== 0) throw new Error(configured.output);
	const exported = async (): Promise<Exported[]> => {
		const { output } = await start("stack", "export", "--show-secrets").ended;
		const { deployment } = JSON.parse(output, shown) as { deployment: { resources?: Exported[] } };
		return (deployment.resources ?? []).filter(({ type }) => type.includes("telephony:"));
	};
	return {
		folder,
		env,
		write: (program, aliases = new Map()) => writeFileSync(join(folder, "index.js"), source(program, aliases)),
		start,
		drift: (...args) => launch("node", [join(repository, "bin/telephony"), "drift", ...args]),
		async state() {
			const state = emptyState();
			for (const { urn, type, id = "", inputs = {}, outputs = {}, initErrors, delete: condemned } of await exported()) {
				const kind = kindOfType(type.split("telephony:")[1] ?? "");
				if (kind === undefined) continue;
				const name = urn.split("::").at(-1) ?? "";
				const entry = { kind, name, id, inputs, outputs, failed: (initErrors ?? []).length > 0 };
				if (condemned) state.condemned.add(entry);
				else state.entries.set(name, entry);
			}
			return state;
		},
		urns: async () => new Map((await exported()).map(({ urn }) => [urn.split("::").at(-1) ?? "", urn])),
		mend() {
			const file = join(backend, ".pulumi/stacks/campaign/dev.json");
			const attributes = [`${file}.attrs`, `${file}.bak.attrs`].filter((each) => existsSync(each) && !isJson(each));
			// The file's attributes are written apart, and may be missing.
			for (const each of attributes) rmSync(each);
			if (isJson(file)) return attributes.length > 0;
			copyFileSync(`${file}.bak`, file);
			return true;
		},
		remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
	};
}

export interface Process {
	readonly pid: number;
	readonly command: string;
}

/** All that a process has started, and what they have started; from /proc. */
export function descendants(root: number): Process[] {
	const children = new Map<number, number[]>();
	for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
		try {
			const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, "utf8"))?.[1]);
			children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
		} catch {
			// Gone meanwhile.
		}
	}
	const found: Process[] = [];
	const walk = (pid: number) => {
		for (const child of children.get(pid) ?? []) {
			found.push({ pid: child, command: commandOf(child) });
			walk(child);
		}
	};
	walk(root);
	return found;
}

function commandOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
	} catch {
		return "";
	}
}

export function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// Gone already.
	}
}

/** True for a zombie too: it does nothing any more. */
const isGone = (pid: number): boolean => {
	if (!existsSync(`/proc/${pid}`)) return true;
	try {
		return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return true;
	}
};

/** True if the process has ended within that time. */
export async function gone(pid: number, ms: number): Promise<boolean> {
	for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) if (isGone(pid)) return true;
	return isGone(pid);
}
