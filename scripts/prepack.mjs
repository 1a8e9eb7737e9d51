#!/usr/bin/env node
/**
 * Prepares the files that `npm pack` ships: the JavaScript that the package's exports reach, and their declarations, indented
 * by tabs. Everything else in dist/ would only make each installation larger.
 */
import { execFileSync } from "node:child_process";
import {
	copyFileSync,
	existsSync,
	globSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";

const { exports, bin, homepage, repository } = JSON.parse(readFileSync("package.json", "utf8"));

// The package has no docs/, so the links of its README lead to the site and to the repository. `postpack` puts it back.
const original = "dist/.cache/README.md";
if (existsSync(original)) renameSync(original, "README.md");
if (process.argv[2] === "--restore") process.exit();

const source = repository.url.replace(/^git\+|\.git$/g, "");
function addressOf(link) {
	if (/^([a-z]+:|#)/i.test(link)) return link;
	const [, page, anchor = ""] = /^docs\/(.*)\.md(#.*)?$/.exec(link) ?? [];
	if (page !== undefined) return `${homepage}${page === "index" ? "" : `${page}/`}${anchor}`;
	return `${source}/${/\.(png|svg)$/.test(link) ? "raw" : "blob"}/main/${link}`;
}

const node = (...args) => execFileSync(process.execPath, args, { stdio: "inherit" });
node("node_modules/typescript/bin/tsc", "-b", "tsconfig.json", "sdk");
node("scripts/bundle.mjs");
// Without these files, the next build writes all of its outputs again.
for (const file of globSync("dist/.*tsbuildinfo")) rmSync(file);

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
	// TypeScript doesn't notice that someone deleted an output.
	for (const file of [door.types, door.default])
		if (!existsSync(file)) throw new Error(`${file} isn't built. Delete dist/, and pack again.`);
	visit(join(door.types), ".d.ts", imported);
	visit(join(door.default), ".js", required);
}
for (const file of Object.values(bin)) visitAll(file, ".js", required);
// The emulator reads it, so no `require` names it.
reached.add(join("dist", "bundle", "idiomorph.min.js"));
for (const file of globSync("dist/**/*.{js,d.ts}")) if (!reached.has(file)) rmSync(file);

// Users don't install zod, so the package has the types that our declarations take from there.
const typesOfZod = new Set();
function copyTypes(file) {
	if (typesOfZod.has(file)) return;
	typesOfZod.add(file);
	const text = readFileSync(join("node_modules/zod", file), "utf8");
	const copy = join("dist/zod", file);
	mkdirSync(dirname(copy), { recursive: true });
	writeFileSync(copy, text);
	for (const [, path] of text.matchAll(/"(\.[^"]*)\.cjs"/g)) copyTypes(join(dirname(file), `${path}.d.cts`));
}
copyTypes("index.d.cts");
copyFileSync("node_modules/zod/LICENSE", "dist/zod/LICENSE");
for (const file of globSync("dist/**/*.d.ts")) {
	const path = relative(dirname(file), "dist/zod/index.cjs").replaceAll("\\", "/");
	const text = readFileSync(file, "utf8");
	writeFileSync(file, text.replaceAll(/(?<=from |import\()"zod"/g, `"${path}"`));
}

// Sources are indented by tabs, so spaces at the start of a line are tsc's own.
for (const file of globSync("dist/**/*.d.ts")) {
	const text = readFileSync(file, "utf8");
	writeFileSync(
		file,
		text.replace(/^( {4})+/gm, (indent) => "\t".repeat(indent.length / 4)),
	);
}

mkdirSync(dirname(original), { recursive: true });
copyFileSync("README.md", original);
const readme = readFileSync(original, "utf8");
writeFileSync(
	"README.md",
	readme.replace(/(\]\(|src(?:set)?=")([^)\s"]+)/g, (_, before, link) => `${before}${addressOf(link)}`),
);
