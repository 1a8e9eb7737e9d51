/** A stack of the real CLI. A kill is a SIGKILL of all the processes of a run. */
import { type ChildProcess, spawn } from "node:child_process";
import {
	appendFileSync,
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { repository } from "../helpers/host-process.mts";
import { descendants, gone, kill } from "../helpers/process-tree.mts";
import type { Values } from "../helpers/protocol.mts";
import type { Emulator } from "./account.mts";
import { emptyState, type State } from "./engine.mts";
import { RunError } from "./errors.mts";
import { kindOfType, typeOf } from "./kinds/index.mts";
import { argsOf, type Program } from "./program.mts";
import { type Outcome, type Refreshed, type Stack, type StackRun, setKill } from "./stack.mts";

const unattended = ["--yes", "--skip-preview"];
const longestEndMs = 5_000;

interface Exported {
	readonly urn: string;
	readonly type: string;
	readonly id?: string;
	readonly inputs?: Values;
	readonly outputs?: Values;
	readonly initErrors?: string[];
	readonly delete?: boolean;
}

/** Marks a secret in an exported state. */
const secretMark = "4dabf18193072939515e22adb298388d";
const plain = (_: string, value: unknown): unknown =>
	typeof value === "object" && value !== null && secretMark in value && "plaintext" in value
		? JSON.parse(String(value.plaintext))
		: value;

const sourceOf = (program: Program, aliases: ReadonlyMap<string, readonly string[]>): string =>
	[
		'const telephony = require("pulumi-telephony");',
		"const made = {};",
		...program.map((declared) => {
			const { kind, name } = declared;
			const key = JSON.stringify(name);
			const args = JSON.stringify(argsOf(declared, (name) => `@${name}`)).replaceAll(/"@(\w+)"/g, 'made["$1"].id');
			const options = JSON.stringify({ aliases: (aliases.get(name) ?? []).map((alias) => ({ name: alias })) });
			return `made[${key}] = new telephony.${typeOf(kind)}(${key}, ${args}, ${options});`;
		}),
	].join("\n");

function isJson(file: string): boolean {
	try {
		JSON.parse(readFileSync(file, "utf8"));
		return true;
	} catch {
		return false;
	}
}

export async function openCli(emulator: Emulator, say: (line: string) => void): Promise<Stack> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-sim-"));
	mkdirSync(join(folder, "backend"));
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	const runtime = "runtime:\n  name: nodejs\n  options:\n    typescript: false\n";
	writeFileSync(join(folder, "Pulumi.yaml"), `name: campaign\n${runtime}`);
	writeFileSync(join(folder, "package.json"), '{ "main": "index.js" }\n');
	writeFileSync(join(folder, "index.js"), "");
	const stack = new CliStack(emulator, folder, say);
	await stack.pulumi("stack", "init", "dev", "--no-select");
	appendFileSync(join(folder, "Pulumi.dev.yaml"), "config:\n  telephony:onDelete: release\n");
	return stack;
}

class CliStack implements Stack {
	readonly #emulator: Emulator;
	readonly #folder: string;
	readonly #say: (line: string) => void;
	/** Names that a resource had before, by its name now. */
	readonly #aliases = new Map<string, string[]>();
	/** The exported state, until a command may change it. */
	#saved: Promise<Exported[]> | undefined;

	constructor(emulator: Emulator, folder: string, say: (line: string) => void) {
		[this.#emulator, this.#folder, this.#say] = [emulator, folder, say];
	}

	/** Starts the CLI in a process group of its own. */
	#start(args: readonly string[], { service = this.#emulator, env }: StackRun = {}) {
		if (args[0] !== "preview" && !args.includes("--preview-only")) this.#saved = undefined;
		const child: ChildProcess = spawn("pulumi", [...args, "--non-interactive"], {
			cwd: this.#folder,
			env: {
				...process.env,
				PATH: [join(homedir(), ".pulumi/versions/3.259.0/bin"), process.env.PATH].join(delimiter),
				PULUMI_BACKEND_URL: `file://${join(this.#folder, "backend")}`,
				PULUMI_CONFIG_PASSPHRASE: "test",
				PULUMI_STACK: "dev",
				PULUMI_SKIP_UPDATE_CHECK: "true",
				PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
				TELEPHONY_API_KEY: service.apiKey,
				TELEPHONY_BASE_URL: service.url,
				...env,
			},
			stdio: ["ignore", "pipe", "pipe"],
			detached: true,
		});
		let output = "";
		for (const stream of [child.stdout, child.stderr])
			stream?.on("data", (text) => {
				output += text;
			});
		// Not `close`: an orphan may hold the other end of the pipes.
		const ended = new Promise<{ code: number; output: string }>((resolve, reject) => {
			child.once("error", reject);
			child.once("exit", (code) => setTimeout(() => resolve({ code: code ?? 137, output }), 20));
		});
		return { pid: child.pid ?? 0, ended };
	}

	/** Runs a command that must succeed, and returns its output. */
	async pulumi(...args: string[]): Promise<string> {
		const { code, output } = await this.#start(args).ended;
		if (code !== 0) throw new Error(`pulumi ${args.join(" ")}: ${output}`);
		return output;
	}

	async #run(args: readonly string[], options: StackRun = {}): Promise<Outcome> {
		const killing = setKill(this.#emulator.control, options.kill, "hold");
		const { pid, ended } = this.#start(args, options);
		await killing.watch(ended, () => killAll(pid));
		const { code, output } = await ended;
		const killedAt = killing.at();
		killing.clear();
		this.#say(`  pulumi ${args.join(" ")}: ${code}\n${output}`);
		const printed = { printed: output, log: output };
		if (killedAt === undefined) return { ...printed, killedAt, errors: code === 0 ? [] : [new RunError("", output)] };
		this.#mend();
		await this.pulumi("cancel", "--yes");
		await this.pulumi("refresh", "--clear-pending-creates", ...unattended);
		return { ...printed, killedAt, errors: [] };
	}

	/** Replaces a state file that the killed engine wrote half. */
	#mend(): void {
		const file = join(this.#folder, "backend/.pulumi/stacks/campaign/dev.json");
		for (const path of [`${file}.attrs`, `${file}.bak.attrs`]) if (existsSync(path) && !isJson(path)) rmSync(path);
		if (!isJson(file)) copyFileSync(`${file}.bak`, file);
	}

	#exported(): Promise<Exported[]> {
		this.#saved ??= this.#export();
		return this.#saved;
	}

	async #export(): Promise<Exported[]> {
		const { deployment } = JSON.parse(await this.pulumi("stack", "export", "--show-secrets"), plain) as {
			deployment: { resources?: Exported[] };
		};
		return (deployment.resources ?? []).filter(({ type }) => type.includes("telephony:"));
	}

	async #urns(): Promise<ReadonlyMap<string, string>> {
		return new Map((await this.#exported()).map(({ urn }) => [urn.split("::").at(-1) ?? "", urn]));
	}

	/** Under the names that the program has now. */
	async state(): Promise<State> {
		const state = emptyState();
		const currentNames = new Map(
			[...this.#aliases].flatMap(([name, old]) => old.map((alias) => [alias, name] as const)),
		);
		for (const {
			urn,
			type,
			id = "",
			inputs = {},
			outputs = {},
			initErrors = [],
			delete: isReplaced,
		} of await this.#exported()) {
			const kind = kindOfType(type.split("telephony:")[1] ?? "");
			if (kind === undefined) continue;
			const last = urn.split("::").at(-1) ?? "";
			const name = currentNames.get(last) ?? last;
			const resource = { kind, name, id, inputs, outputs, hasFailed: initErrors.length > 0 };
			if (isReplaced) state.replaced.add(resource);
			else state.resources.set(name, resource);
		}
		return state;
	}

	#write(program: Program): void {
		writeFileSync(join(this.#folder, "index.js"), sourceOf(program, this.#aliases));
	}

	async up(program: Program, options: StackRun): Promise<Outcome> {
		for (const name of [...this.#aliases.keys()])
			if (program.every((declared) => declared.name !== name)) this.#aliases.delete(name);
		this.#write(program);
		const urns = await this.#urns();
		const targets = (options.replace ?? []).flatMap((name) => {
			const urn = [name, ...(this.#aliases.get(name) ?? [])].map((alias) => urns.get(alias)).find((alias) => alias);
			return urn === undefined ? [] : ["--replace", urn];
		});
		return this.#run(["up", ...unattended, "--parallel", String(options.parallel ?? 4), ...targets], options);
	}

	refresh = (options: StackRun): Promise<Refreshed> => this.#refreshed(unattended, options);

	drift = (): Promise<Refreshed> => this.#refreshed(["--preview-only"]);

	/** The engine prints the URNs of changed resources only. */
	async #refreshed(args: readonly string[], options?: StackRun): Promise<Refreshed> {
		const outcome = await this.#run(["refresh", ...args, "--diff"], options);
		const named = outcome.printed.matchAll(/urn:pulumi:\S*telephony\S*::([^\]\s:]+)/g);
		return { ...outcome, changed: new Map([...named].map(([, name = ""]) => [name, []])) };
	}

	destroy = (options: StackRun): Promise<Outcome> => this.#run(["destroy", ...unattended, "--parallel", "1"], options);

	async preview(program: Program): Promise<readonly string[]> {
		this.#write(program);
		return (await this.#run(["preview", "--expect-no-changes"])).errors.map(String);
	}

	async forget(name: string): Promise<void> {
		const urn = (await this.#urns()).get(name);
		if (urn !== undefined) await this.pulumi("state", "delete", urn, "--force", "--yes");
	}

	async rename(from: string, to: string): Promise<void> {
		this.#aliases.set(to, [...(this.#aliases.get(from) ?? []), from]);
		this.#aliases.delete(from);
	}

	async close(): Promise<void> {
		rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
	}
}

async function killAll(root: number): Promise<void> {
	const all = [root, ...descendants(root).map(({ pid }) => pid)];
	for (const pid of all) kill(pid);
	for (const pid of all) await gone(pid, longestEndMs);
	// The emulator notices a moment later, and drops what it holds for the dead.
	await sleep(30);
}
