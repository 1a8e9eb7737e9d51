/** A stack for one test. Its state, its settings and its secrets are in a temporary folder. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ConfigMap, PulumiCommand, PulumiFn, Stack } from "@pulumi/pulumi/automation";
import type { DriftReport as Report } from "../../cli/drift/report";
import { environmentOf, type Service } from "./environment";

/** The JSON of `telephony drift --json`. */
export type DriftReport = Report;

interface CommonOptions {
	/** More configuration for the program: `{ "office:country": { value: "NL" } }`. The account's address and key are there. */
	readonly config?: ConfigMap;
	/** More variables for the program and its providers. */
	readonly env?: Readonly<Record<string, string>>;
}

/** A program in a folder with a `Pulumi.yaml`, in any language; or a function in this process. */
export type StackOptions = CommonOptions &
	(
		| { /** The folder. */ readonly workDir: string; readonly program?: never }
		| { /** Its outputs are what it returns. */ readonly program: PulumiFn; readonly workDir?: never }
	);

/** A telephony resource of a stack. */
export interface StackResource {
	/** Such as `SipTrunk`. */
	readonly type: string;
	/** As the program calls it. */
	readonly name: string;
	readonly id: string;
}

/** A stack of a test's own. Each command rejects with the engine's output if it fails. */
export interface TestStack extends AsyncDisposable {
	/** Pulumi's own object, for every other command and option. */
	readonly automation: Stack;
	/** `pulumi up`. @returns the program's outputs, secrets in clear */
	up(): Promise<Record<string, unknown>>;
	/** `pulumi preview`. @returns how many resources would be created, updated, the same, … */
	preview(): Promise<Readonly<Record<string, number>>>;
	/** `pulumi refresh`: updates the state from the account. */
	refresh(): Promise<void>;
	/** `pulumi up --refresh`: puts back what others have changed. @returns as {@link up} */
	repair(): Promise<Record<string, unknown>>;
	/** `telephony drift`: what others have changed. Changes nothing. @throws Error if it can't be found out */
	drift(): Promise<DriftReport>;
	/** The telephony resources of the state; a pool is one. */
	resources(): Promise<readonly StackResource[]>;
	/** `pulumi destroy`. */
	destroy(): Promise<void>;
	/** Removes its folder and its state; the account keeps what it has. Again, it does nothing. */
	close(): Promise<void>;
}

/** Loaded only where a stack is used. By require: jest refuses `import()` without a flag. */
const automation = () => require("@pulumi/pulumi/automation") as typeof import("@pulumi/pulumi/automation");

/** Every stack has its own, and nothing in it outlives the test. */
const passphrase = "test";

export async function openStack(service: Service, options: StackOptions): Promise<TestStack> {
	const temporary = mkdtempSync(join(tmpdir(), "telephony-stack-"));
	const remove = () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
	try {
		return await openIn(temporary, service, options);
	} catch (error) {
		remove();
		throw error;
	}
}

async function openIn(temporary: string, service: Service, { config, env, ...source }: StackOptions) {
	// Beside the settings of real stacks, and of other tests.
	const name = `test-${randomBytes(4).toString("hex")}`;
	const [state, program] = [join(temporary, "state"), join(temporary, "program")];
	for (const folder of [state, program]) mkdirSync(folder);
	const workDir = resolve(source.workDir ?? program);
	const envVars = {
		...environmentOf(service),
		PULUMI_BACKEND_URL: pathToFileURL(state).href,
		PULUMI_CONFIG_PASSPHRASE: passphrase,
		PULUMI_CONFIG_PASSPHRASE_FILE: "",
		PULUMI_SKIP_UPDATE_CHECK: "true",
		...env,
	};
	const pulumiCommand = await engine(workDir);
	const { LocalWorkspace } = automation();
	// The resources of a program in this process are made by another process, which starts in the program's folder.
	if (source.program !== undefined) linkPackages(program);
	const given = { envVars, pulumiCommand, workDir };
	const stack =
		source.program === undefined
			? await LocalWorkspace.createStack({ stackName: name, workDir }, given)
			: await LocalWorkspace.createStack(
					{ stackName: name, projectName: "telephony-test", program: source.program },
					given,
				);
	const close = async () => {
		rmSync(join(workDir, `Pulumi.${name}.yaml`), { force: true });
		rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
	};
	try {
		if (config !== undefined) await stack.setAllConfig(config);
	} catch (error) {
		await close();
		throw error;
	}
	return commandsOf(stack, {
		resources: async () => resourcesIn(state, name),
		drift: () => driftOf(workDir, name, { ...process.env, ...envVars }, temporary),
		close,
	});
}

function commandsOf(
	stack: Stack,
	{ resources, drift, close }: Pick<TestStack, "resources" | "drift" | "close">,
): TestStack {
	const up = async (refresh: boolean) => {
		const { outputs } = await stack.up({ refresh });
		return Object.fromEntries(Object.entries(outputs).map(([key, { value }]) => [key, value as unknown]));
	};
	return {
		automation: stack,
		up: () => up(false),
		repair: () => up(true),
		preview: async () => (await stack.preview()).changeSummary,
		refresh: async () => void (await stack.refresh()),
		destroy: async () => void (await stack.destroy()),
		...{ resources, drift, close },
		[Symbol.asyncDispose]: close,
	};
}

const telephonyType = /^(?:pulumi-nodejs:dynamic\/telephony:|telephony:index:)(\w+)$/;

interface Saved {
	readonly checkpoint: {
		readonly latest?: { readonly resources?: readonly { urn: string; type: string; id?: string }[] };
	};
}

/** Read from the file: `pulumi stack export` takes a second. */
function resourcesIn(state: string, stack: string): StackResource[] {
	const [file] = readdirSync(state, { recursive: true, encoding: "utf8" }).filter(
		(path) => dirname(dirname(path)) === join(".pulumi", "stacks") && basename(path) === `${stack}.json`,
	);
	if (file === undefined) return [];
	const saved = JSON.parse(readFileSync(join(state, file), "utf8")) as Saved;
	return (saved.checkpoint.latest?.resources ?? []).flatMap(({ urn, type: token, id = "" }) => {
		const type = telephonyType.exec(token)?.[1];
		return type === undefined ? [] : [{ type, name: urn.split("::").slice(3).join("::"), id }];
	});
}

/** From the sources, and from what is made of them. */
const command = [join(__dirname, "../bin/telephony"), join(__dirname, "../../bin/telephony")].find(existsSync) ?? "";

function driftOf(cwd: string, stack: string, env: NodeJS.ProcessEnv, folder: string): Promise<DriftReport> {
	const file = join(folder, "drift.json");
	rmSync(file, { force: true });
	const args = [command, "drift", "--cwd", cwd, "--stack", stack, "--output", file];
	return new Promise((done, reject) => {
		execFile(process.execPath, args, { env }, (_, stdout, stderr) => {
			if (existsSync(file)) done(JSON.parse(readFileSync(file, "utf8")) as DriftReport);
			else reject(new Error(`telephony drift could not find out what has changed:\n${stderr}${stdout}`));
		});
	});
}

/** The folders from here up. */
const above = (folder: string): string[] =>
	dirname(folder) === folder ? [folder] : [folder, ...above(dirname(folder))];

const nearest = (from: string, path: string): string | undefined =>
	above(from)
		.map((folder) => join(folder, path))
		.find(existsSync);

function linkPackages(folder: string): void {
	const packages = nearest(process.cwd(), "node_modules/pulumi-telephony");
	if (packages !== undefined) symlinkSync(dirname(packages), join(folder, "node_modules"), "junction");
}

/** The `pulumi` on the PATH, or npm's: an editor that runs a test by itself has no `node_modules/.bin` on the PATH. */
async function engine(workDir: string): Promise<PulumiCommand> {
	const { PulumiCommand } = automation();
	const isOnPath = (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, executable)));
	const installed = [workDir, process.cwd()]
		.map((from) => nearest(from, `node_modules/.bin/${executable}`))
		.find(Boolean);
	if (!isOnPath && installed === undefined)
		throw new Error(
			"There is no Pulumi CLI for this test. Install it beside the program with `npm install --save-dev pulumi`, or for the machine (https://www.pulumi.com/docs/install/), and run the test again.",
		);
	if (!isOnPath && installed !== undefined) process.env.PATH = [dirname(installed), process.env.PATH].join(delimiter);
	return PulumiCommand.get();
}

const executable = process.platform === "win32" ? "pulumi.cmd" : "pulumi";
