import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Run, run } from "./engine";

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "pulumi-telephony");

const lastLine = ({ output }: Run) => output.trim().split("\n").at(-1) ?? "";

/**
 * Returns a Python with the packages, each as `name==version`. A machine keeps it for later runs.
 *
 * @param skip called with the reason if there is no Python, or if its packages can't be installed
 */
export const pythonWith = async (packages: readonly string[], skip: (why: string) => never): Promise<string> => {
	const version = await run("python3", ["--version"], ".", process.env).catch(() => undefined);
	if (version?.code !== 0) return skip("there is no python3 here: install it with its venv module");
	const print = createHash("sha256").update([version.output.trim(), ...packages].join("\n"));
	const folder = join(cache, `python-${print.digest("hex").slice(0, 16)}`);
	const interpreter = join(folder, "bin/python");
	if (existsSync(interpreter)) return interpreter;
	const made = `${folder}.${process.pid}`;
	try {
		mkdirSync(cache, { recursive: true });
		const venv = await run("python3", ["-m", "venv", made], cache, process.env);
		if (venv.code !== 0) return skip(`python3 has no venv module: ${lastLine(venv)}`);
		const pip = ["-m", "pip", "install", "-q", "--disable-pip-version-check", ...packages];
		const installed = await run(join(made, "bin/python"), pip, cache, process.env);
		if (installed.code !== 0) return skip(`Python's packages can't be had: ${lastLine(installed)}`);
		// Another test may have made the same one meanwhile.
		if (!existsSync(interpreter)) renameSync(made, folder);
		return interpreter;
	} finally {
		rmSync(made, { recursive: true, force: true });
	}
};
