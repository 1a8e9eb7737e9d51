#!/usr/bin/env node
/**
 * What `npm pack` ships: the JavaScript that the package's doors lead to, without comments, and their declarations, with
 * comments, indented by tabs. Everything else in dist/ would only make each installation larger.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const { exports, bin } = JSON.parse(readFileSync("package.json", "utf8"));
const node = (...args) => execFileSync(process.execPath, args, { stdio: "inherit" });
const tsc = (...options) => {
	for (const project of ["tsconfig.json", "tsconfig.sdk.json"])
		node("node_modules/typescript/bin/tsc", "-p", project, ...options);
};

rmSync("dist", { recursive: true, force: true });
tsc("--removeComments");
tsc("--emitDeclarationOnly", "--incremental", "false");
node("scripts/bundle.mjs");

const reached = new Set();
const isFile = (file) => existsSync(file) && statSync(file).isFile();
const visit = (named, ending, imports) => {
	const file = [named, `${named}${ending}`, join(named, `index${ending}`)].find(isFile);
	if (file === undefined || reached.has(file)) return;
	reached.add(file);
	for (const [, path] of readFileSync(file, "utf8").matchAll(imports))
		visit(join(dirname(file), path), ending, imports);
};
const doors = Object.values(exports).filter((door) => door.types !== undefined);
for (const { types } of doors) visit(join(types), ".d.ts", /(?:from |import\(|import )"(\.[^"]*)"/g);
for (const file of [...doors.map((door) => door.default), ...Object.values(bin)])
	visit(join(file), ".js", /require\("(\.[^"]*)"\)/g);
for (const file of globSync("dist/**/*.{js,d.ts}")) if (!reached.has(file)) rmSync(file);

// Sources are indented by tabs, so spaces at the start of a line are tsc's own.
for (const file of globSync("dist/**/*.d.ts")) {
	const text = readFileSync(file, "utf8");
	writeFileSync(
		file,
		text.replace(/^( {4})+/gm, (indent) => "\t".repeat(indent.length / 4)),
	);
}
