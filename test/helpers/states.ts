/** Runs a command over the states of several stacks, which are files. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, onTestFinished } from "vitest";
import type { Values } from "../../provider/properties/table";
import { type Reported, reportOf, telephony } from "./drift-cli";
import { type Run, run } from "./engine";

interface Entry {
	readonly type?: string;
	readonly name?: string;
	readonly id: string;
	readonly inputs?: Values;
	readonly outs?: Values;
	readonly external?: boolean;
}

interface Options {
	readonly args?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	/** Default: the service's address. */
	readonly url?: string;
}

export function useStates<Report>(command: string, service: { readonly url: string; readonly apiKey: string }) {
	let folder: string;
	const envOf = ({ env = {}, url = service.url }: Options) => ({
		...process.env,
		TELEPHONY_API_KEY: service.apiKey,
		TELEPHONY_BASE_URL: url,
		...env,
	});
	const argsOf = (stacks: readonly string[], { args = [] }: Options) => [
		command,
		"--cwd",
		folder,
		...args,
		"--stack",
		...stacks,
	];
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), `telephony-${command}-`));
		onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	});
	return {
		get folder() {
			return folder;
		},
		/** Writes a state with these resources, and returns its file. */
		state(entries: readonly Entry[], file = "dev.json"): string {
			const resources = entries.map(
				({ type = "telephony:index:Number", name = "main", id, inputs = {}, outs = {}, external = false }) => ({
					urn: `urn:pulumi:dev::shop::${type}::${name}`,
					type,
					id,
					external,
					inputs,
					outputs: outs,
				}),
			);
			writeFileSync(join(folder, file), JSON.stringify({ version: 3, deployment: { resources } }));
			return join(folder, file);
		},
		run: (stacks: readonly string[], options: Options): Promise<Run> =>
			run("node", [telephony, ...argsOf(stacks, options)], folder, envOf(options)),
		/** Runs the command, and reads the files that it writes. */
		report: (stacks: readonly string[], options: Options = {}): Promise<Reported<Report>> =>
			reportOf(argsOf(stacks, options), folder, envOf(options)),
	};
}
