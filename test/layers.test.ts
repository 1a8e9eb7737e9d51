/** Imports go one way, types included, and the sources print nothing and name no machine. */
import { dirname, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { files, read, repository } from "./helpers/repository";

interface Import {
	readonly from: string;
	/** A file of ours, or a package's name as written. */
	readonly to: string;
	readonly isType: boolean;
	/** True for `import()`. */
	readonly isLazy: boolean;
}

/** Returns every file and package that a source names: import, export … from, import(), require, import types. */
const importsOf = (from: string, text: string): Import[] =>
	ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => {
		const before = text.slice(0, pos);
		const start = Math.max(before.lastIndexOf("import"), before.lastIndexOf("export"));
		return {
			from,
			to: targetOf(from, fileName),
			isType: /^(import|export) type\b/.test(before.slice(start)) || before.slice(0, start).endsWith("typeof "),
			isLazy: /import\(.?$/.test(before.slice(start)),
		};
	});

function targetOf(from: string, specifier: string): string {
	if (!specifier.startsWith(".")) return specifier;
	const path = relative(repository, resolve(repository, dirname(from), specifier));
	const candidates = [path, `${path}.ts`, `${path}/index.ts`, path.replace(/\.js$/, ".ts")];
	return candidates.find((candidate) => files.includes(candidate)) ?? `${path} (missing)`;
}

/** In each of these trees a folder imports from itself and from earlier ones. Folders of one list don't import each other. */
const layers: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
	provider: [
		...["api", "properties", "ownership", "reads", "session", "drift", "lifecycle", "documents", "resources"],
		...["functions", "plugin", "index.ts"],
	],
	emulator: [
		...["request", "time", "store", "faults", "service", "http", "areas", "control", "console"],
		...["server.ts", "index.ts"],
	],
};

/** Files of other trees that a tree may import. */
const allowed: Readonly<Record<string, (to: string, how: Import) => boolean>> = {
	provider: () => false,
	sdk: (to, { isType, isLazy }) =>
		(to === "provider/index.ts" && isType) || (to === "provider/functions/program.ts" && isLazy),
	// The contract, and descriptions of services with other names.
	emulator: (to) => /^provider\/api\/(contract\.ts|json\.ts|(dialect|description)\/.*)$/.test(to),
	cli: (to) => /^(provider|emulator)\//.test(to),
	testing: (to, { isType }) => /^(provider|emulator)\//.test(to) || (/^cli\/(drift\/)?report\b/.test(to) && isType),
	examples: () => false,
	policy: () => false,
};
const treeOf = (file: string): string =>
	file.startsWith("sdk/nodejs-testing/") ? "testing" : (file.split("/")[0] ?? "");

const usesPulumi = /^(sdk|cli|examples|policy|provider\/plugin)\/|^provider\/session\/progress\.ts$/;

const folderOf = (file: string): string => file.split("/")[1] ?? "";
const levelOf = (file: string): number =>
	layers[treeOf(file)]?.findIndex((level) => [level].flat().includes(folderOf(file))) ?? 0;
const isLater = (from: string, to: string): boolean =>
	layers[treeOf(from)] !== undefined && folderOf(from) !== folderOf(to) && levelOf(to) >= levelOf(from);

/** Returns what is wrong with an import. */
function findObjection(how: Import): string | undefined {
	const { from, to } = how;
	const tree = treeOf(from);
	if (layers[tree] !== undefined && levelOf(from) === -1) return "is in no layer";
	if (to.endsWith("(missing)")) return "has no such file";
	if (to === "provider/node-version.ts") return undefined;
	if (!/^\.\.|\.[cm]?ts$/.test(to)) return findObjectionToPackage(how);
	if (tree === "examples") return dirname(from) === dirname(to) ? undefined : "imports the package by name only";
	if (treeOf(to) === tree) return isLater(from, to) ? "may not import a later layer" : undefined;
	return allowed[tree]?.(to, how) ? undefined : "may not import this file of another tree";
}

function findObjectionToPackage({ from, to }: Import): string | undefined {
	if (to.startsWith("@pulumi/")) return usesPulumi.test(from) ? undefined : "may not import Pulumi";
	const isOurs = /^pulumi-telephony\b/.test(to);
	return isOurs && treeOf(from) !== "examples" ? "may not import the package by name" : undefined;
}

/** Pulumi's generator writes sdk/nodejs. */
const sources = files.filter(
	(file) => treeOf(file) in allowed && /\.[cm]?ts$/.test(file) && !file.startsWith("sdk/nodejs/"),
);
const imports = sources.flatMap((file) => importsOf(file, read(file)));

/** Returns a file that reaches itself, as a path. */
function findCycle(arrows: readonly Pick<Import, "from" | "to">[]): string[] | undefined {
	const next = new Map<string, string[]>();
	for (const { from, to } of arrows) next.set(from, [...(next.get(from) ?? []), to]);
	const done = new Set<string>();
	const walk = (file: string, path: readonly string[]): string[] | undefined => {
		if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
		if (done.has(file)) return undefined;
		for (const to of next.get(file) ?? []) {
			const cycle = walk(to, [...path, file]);
			if (cycle !== undefined) return cycle;
		}
		done.add(file);
		return undefined;
	};
	for (const file of next.keys()) {
		const cycle = walk(file, []);
		if (cycle !== undefined) return cycle;
	}
	return undefined;
}

describe("imports go one way", () => {
	it("in every source file", () => {
		expect(imports.length).toBeGreaterThan(300);
		const wrong = imports.flatMap((imported) => {
			const objection = findObjection(imported);
			return objection === undefined ? [] : [`${imported.from} ${objection}: ${imported.to}`];
		});
		expect(wrong).toEqual([]);
	});

	it("without a cycle", () => {
		expect(findCycle(imports)).toBeUndefined();
		expect(findCycle(["ab", "bc", "cb"].map(([from = "", to = ""]) => ({ from, to })))).toEqual(["b", "c", "b"]);
	});

	it.each([
		["provider/api/client.ts", 'import type { x } from "../session/session";', "later layer"],
		["provider/properties/form.ts", 'import * as pulumi from "@pulumi/pulumi";', "Pulumi"],
		["provider/form.ts", 'import { x } from "./api/client";', "no layer"],
		["sdk/number.ts", 'const x = require("../provider");', "another tree"],
		["sdk/nodejs-testing/stack.ts", 'import * as x from "..";', "another tree"],
		["examples/number/index.ts", 'import * as x from "../../sdk";', "by name only"],
		["sdk/number.ts", 'import { x } from "pulumi-telephony/provider";', "by name"],
		["sdk/number.ts", 'import { x } from "./nowhere";', "no such file"],
		["sdk/dynamic.ts", 'import type * as provider from "../provider";', undefined],
		["sdk/functions.ts", 'const x = await import("../provider/functions/program.js");', undefined],
		["emulator/http/pages.ts", 'import { operations } from "../../provider/api/contract";', undefined],
	])("judges %s with `%s`", (file, line, objection) => {
		const [found] = importsOf(file, line).map(findObjection);
		expect(found).toEqual(objection === undefined ? undefined : expect.stringContaining(objection));
	});
});

const machine =
	/\/work\/(main|shared)|(^|[\s"'`(=:])\/(work|root|Users|home)\/[\w.-]+|registry\.npmjs\.org|artifactory|\bnexus\b/;

describe("the sources", () => {
	it("print to a console only in cli, emulator and examples", () => {
		const code = (file: string) => read(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
		const silent = sources.filter((file) => !/^(cli|emulator|examples)\//.test(file));
		expect(silent.filter((file) => /\bconsole\s*\./.test(code(file)))).toEqual([]);
	});

	it("name no machine and no registry", () => {
		const texts = files.filter(
			(file) => file !== relative(repository, __filename) && !/\.(png|gif|ico|woff2?)$/.test(file),
		);
		const wrong = texts.flatMap((file) =>
			read(file)
				.split("\n")
				.flatMap((line, index) => (machine.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : [])),
		);
		expect(wrong).toEqual([]);
		const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { resolved?: string }> };
		expect(Object.values(packages).filter(({ resolved }) => /^[a-z]+:\/\//.test(resolved ?? ""))).toEqual([]);
	});
});
