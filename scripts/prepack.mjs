#!/usr/bin/env node
/**
 * What `npm pack` ships: the JavaScript that the package's doors lead to, without comments, and their declarations, with
 * comments, indented by tabs. Everything else in dist/ would only make each installation larger.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const { exports, bin } = JSON.parse(readFileSync("package.json", "utf8"));
const node = (...args) => execFileSync(process.execPath, args, { stdio: "inherit" });
const tsc = (project, ...options) =>
	node("node_modules/typescript/bin/tsc", "-p", project, "--incremental", "false", ...options);

rmSync("dist", { recursive: true, force: true });
// The JavaScript of all else is in the bundles.
tsc("tsconfig.sdk.json", "--removeComments", "--declaration", "false");
for (const project of ["tsconfig.json", "tsconfig.sdk.json"]) tsc(project, "--emitDeclarationOnly");
node("scripts/bundle.mjs");

const reached = new Set();
const visitAll = (from, ending, imports) => {
	for (const [, path] of readFileSync(from, "utf8").matchAll(imports))
		visit(join(dirname(from), path), ending, imports);
};
function visit(named, ending, imports) {
	const names = [named, `${named}${ending}`, join(named, `index${ending}`)];
	const file = names.find((name) => name.endsWith(ending) && existsSync(name));
	if (file === undefined || reached.has(file)) return;
	reached.add(file);
	visitAll(file, ending, imports);
}
const [required, imported] = [/require\("(\.[^"]*)"\)/g, /(?:from |import\(|import )"(\.[^"]*)"/g];
for (const door of Object.values(exports).filter(({ types }) => types !== undefined)) {
	visit(join(door.types), ".d.ts", imported);
	visit(join(door.default), ".js", required);
}
for (const file of Object.values(bin)) visitAll(file, ".js", required);
for (const file of globSync("dist/**/*.{js,d.ts}")) if (!reached.has(file)) rmSync(file);

// Sources are indented by tabs, so spaces at the start of a line are tsc's own.
for (const file of globSync("dist/**/*.d.ts")) {
	const text = readFileSync(file, "utf8");
	writeFileSync(
		file,
		text.replace(/^( {4})+/gm, (indent) => "\t".repeat(indent.length / 4)),
	);
}
