#!/usr/bin/env node
/**
 * What `npm pack` ships: JavaScript without comments, and the declarations that the package's exports lead to, with
 * comments, indented by tabs. Everything else in dist/ would only make each installation larger.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
const tsc = (...options) => {
	for (const project of ["tsconfig.json", "tsconfig.sdk.json"])
		execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", project, ...options], {
			stdio: "inherit",
		});
};

rmSync("dist", { recursive: true, force: true });
tsc("--removeComments");
tsc("--emitDeclarationOnly", "--incremental", "false");

const reached = new Set();
const visit = (file) => {
	if (reached.has(file) || !existsSync(file)) return;
	reached.add(file);
	for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from |import\(|import )"(\.[^"]*)"/g)) {
		const target = join(dirname(file), path);
		visit(`${target}.d.ts`);
		visit(join(target, "index.d.ts"));
	}
};
for (const { types } of Object.values(exports)) if (types !== undefined) visit(join(types));
for (const file of globSync("dist/**/*.d.ts")) if (!reached.has(file)) rmSync(file);

// Sources are indented by tabs, so spaces at the start of a line are tsc's own, and in no text of several lines.
for (const file of globSync("{provider,sdk,emulator,cli,testing}/**/*.ts"))
	if (!file.startsWith(join("sdk", "nodejs")) && /^ {4}/m.test(readFileSync(file, "utf8")))
		throw new Error(`${file} has a line that begins with four spaces`);
for (const file of globSync("dist/**/*.{js,d.ts}")) {
	const tab = file.endsWith(".js") ? "" : "\t";
	const text = readFileSync(file, "utf8").replace(/^( {4})+/gm, (indent) => tab.repeat(indent.length / 4));
	writeFileSync(file, text);
}
