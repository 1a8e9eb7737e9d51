import { dirname, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { files, read, repository } from "./helpers/repository";

interface Import {
	readonly from: string;
	/** A file of ours, or a package's name as written. */
	readonly to: string;
	/** Gone at run time. */
	readonly typeOnly: boolean;
	/** Loaded when it is needed, by `import()`. */
	readonly lazy?: true;
}

/** Every way that one file can name another: import, export … from, import(), require, import type. */
function importsOf(file: string, text: string): Import[] {
	const found: Import[] = [];
	const add = (specifier: ts.Node | undefined, typeOnly: boolean, lazy = false) => {
		if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
		found.push({ from: file, to: target(file, specifier.text), typeOnly, ...(lazy && { lazy }) });
	};
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node)) {
			const bindings = node.importClause?.namedBindings;
			const onlyTypes =
				bindings !== undefined &&
				ts.isNamedImports(bindings) &&
				node.importClause?.name === undefined &&
				bindings.elements.length > 0 &&
				bindings.elements.every(({ isTypeOnly }) => isTypeOnly);
			add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword || onlyTypes);
		} else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
		else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
		else if (ts.isCallExpression(node)) {
			const { expression } = node;
			// `sdk` is what progress.ts calls the SDK's own require.
			const loads =
				expression.kind === ts.SyntaxKind.ImportKeyword ||
				expression.getText() === "require" ||
				expression.getText() === "require.resolve" ||
				expression.getText() === "sdk";
			if (loads) add(node.arguments[0], false, expression.kind === ts.SyntaxKind.ImportKeyword);
		}
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
	return found;
}

function target(from: string, specifier: string): string {
	if (!specifier.startsWith(".")) return specifier;
	const path = relative(repository, resolve(repository, dirname(from), specifier));
	const candidates = [path, `${path}.ts`, `${path}/index.ts`, path.replace(/\.js$/, ".ts")];
	return candidates.find((candidate) => files.includes(candidate)) ?? `${path} (missing)`;
}

/** In each of these trees a room imports from itself and from those before it, types included. The last is the door. */
const rooms = {
	provider: [
		"api",
		"properties",
		"ownership",
		"reads",
		"session",
		"drift",
		"lifecycle",
		"documents",
		"resources",
		"functions",
		"plugin",
		"index.ts",
	],
	emulator: [
		"request",
		"time",
		"store",
		"faults",
		"service",
		"http",
		"areas",
		"control",
		"console",
		"server.ts",
		"index.ts",
	],
} as const;

/** Of what each tree may import, beside itself and node-version.ts; what isn't here (scripts, tests) may import what it likes. */
const allowed = {
	provider: [],
	sdk: [],
	emulator: [],
	cli: ["provider", "emulator"],
	testing: ["provider", "emulator"],
	examples: [],
	policy: [],
	"node-version.ts": [],
} as const;
type Tree = keyof typeof allowed;

const treeOf = (file: string): Tree | undefined => {
	const [first = ""] = file.split("/");
	return first in allowed ? (first as Tree) : undefined;
};

/** `properties`, and where in the order it stands; -1 for what stands in no room. */
function roomOf(file: string): { readonly name: string; readonly floor: number } | undefined {
	const [tree = "", name = ""] = file.split("/");
	if (tree !== "provider" && tree !== "emulator") return undefined;
	return { name, floor: (rooms[tree] as readonly string[]).indexOf(name) };
}

/** What is wrong with an import, or undefined. */
function objection(one: Import): string | undefined {
	const [tree, other] = [treeOf(one.from), treeOf(one.to)];
	if (tree === undefined) return undefined;
	if (roomOf(one.from)?.floor === -1) return "stands in no room";
	if (one.to.endsWith("(missing)")) return "there is no such file";
	if (other === undefined) return objectionToPackage(one, tree);
	if (tree === "examples" && dirname(one.from) === dirname(one.to)) return undefined;
	if (tree === "examples") return "examples import the package by name";
	if (tree === other) return objectionToRoom(one);
	if (other === "node-version.ts" || (allowed[tree] as readonly Tree[]).includes(other)) return undefined;
	const opened = doors.find(({ from, to }) => from === tree && to(one.to));
	return opened === undefined ? `${tree} may not import ${other}` : opened.objection?.(one);
}

/** What isn't in a tree: a package, ours by name, or a file of no tree. */
function objectionToPackage({ from, to }: Import, tree: Tree): string | undefined {
	if (/^@pulumi\//.test(to)) {
		const room = roomOf(from)?.name;
		const may =
			["sdk", "cli", "examples", "policy", "testing"].includes(tree) ||
			room === "plugin" ||
			from === "provider/session/progress.ts";
		return may ? undefined : `${room ?? tree} knows no Pulumi; only plugin/ and session/progress.ts do`;
	}
	if (to === "pulumi-telephony" || to.startsWith("pulumi-telephony/"))
		return tree === "examples" ? undefined : "only examples import the package by name";
	return files.includes(to) || to.startsWith("..") ? `${to} belongs to no tree` : undefined;
}

function objectionToRoom({ from, to }: Import): string | undefined {
	const [room, other] = [roomOf(from), roomOf(to)];
	if (room === undefined || other === undefined || other.floor <= room.floor) return undefined;
	return `${room.name} may not import ${other.name}`;
}

interface Door {
	readonly from: Tree;
	readonly to: (file: string) => boolean;
	readonly objection?: (one: Import) => string | undefined;
}

/** Files that another tree may import beside what is allowed, and how. */
const doors: readonly Door[] = [
	{
		from: "sdk",
		to: (file) => file === "provider/index.ts",
		objection: ({ typeOnly }) =>
			typeOnly ? undefined : "sdk takes types only from provider, which it reaches by name at run time",
	},
	{
		from: "sdk",
		to: (file) => file === "provider/functions/program.ts",
		objection: ({ lazy }) => (lazy ? undefined : "sdk loads functions when one is called"),
	},
	{
		from: "testing",
		to: (file) => file === "cli/report.ts",
		objection: ({ typeOnly }) => (typeOnly ? undefined : "testing runs the command, of which it takes types only"),
	},
	// The contract, and service descriptions.
	{
		from: "emulator",
		to: (file) => /^provider\/api\/(contract\.ts|json\.ts|description\/.*)$/.test(file),
	},
];

/** As Pulumi's generator writes it, so no rule of ours on style holds there. */
const isGenerated = (file: string) => file.startsWith("sdk/nodejs/");

const sources = files.filter((file) => treeOf(file) !== undefined && /\.[cm]?ts$/.test(file) && !isGenerated(file));
const imports = sources.flatMap((file) => importsOf(file, read(file)));

/** Files that reach themselves, as a path; types count. */
function cycle(arrows: readonly Import[]): string[] | undefined {
	const next = new Map<string, string[]>();
	for (const { from, to } of arrows) next.set(from, [...(next.get(from) ?? []), to]);
	const done = new Set<string>();
	const walk = (file: string, path: readonly string[]): string[] | undefined => {
		if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
		if (done.has(file)) return undefined;
		for (const other of next.get(file) ?? []) {
			const found = walk(other, [...path, file]);
			if (found !== undefined) return found;
		}
		done.add(file);
		return undefined;
	};
	for (const file of next.keys()) {
		const found = walk(file, []);
		if (found !== undefined) return found;
	}
	return undefined;
}

describe("imports go one way", () => {
	it("in every source file", () => {
		expect(sources.length).toBeGreaterThan(30);
		const wrong = imports.flatMap((each) => {
			const why = objection(each);
			return why === undefined ? [] : [`${each.from} → ${each.to}: ${why}`];
		});
		expect(wrong).toEqual([]);
	});

	it("without a cycle", () => {
		expect(cycle(imports)).toBeUndefined();
	});

	it.each([
		["provider/api/client.ts", 'import { x } from "../session/session";', "api may not import session"],
		["provider/api/client.ts", 'import type { x } from "../properties/form";', "api may not import properties"],
		["provider/session/session.ts", 'import { x } from "../resources";', "session may not import resources"],
		["provider/lifecycle/write.ts", 'import type { x } from "../resources";', "lifecycle may not import resources"],
		["provider/resources/webhook.ts", 'export * from "../index";', "resources may not import index.ts"],
		["provider/properties/form.ts", 'import * as pulumi from "@pulumi/pulumi";', "properties knows no Pulumi"],
		["provider/properties/form.ts", 'import { x } from "../../sdk";', "provider may not import sdk"],
		["provider/form.ts", 'import { x } from "./api/client";', "stands in no room"],
		["sdk/number.ts", 'const x = require("../provider");', "sdk takes types only"],
		["sdk/number.ts", 'import { type A, b } from "../provider";', "sdk takes types only"],
		["sdk/number.ts", 'import type { x } from "../provider/api/client";', "sdk may not import provider"],
		["sdk/functions.ts", 'import { x } from "../provider/functions/program";', "sdk loads functions when one"],
		["emulator/index.ts", 'export { x } from "../provider/api/client";', "emulator may not import provider"],
		["emulator/index.ts", 'const x = await import("../cli");', "emulator may not import cli"],
		["emulator/store/store.ts", 'import type { x } from "../service/service";', "store may not import service"],
		["cli/index.ts", 'import * as x from "../sdk";', "cli may not import sdk"],
		["testing/stack.ts", 'import { x } from "../cli/report";', "testing runs the command"],
		["testing/stack.ts", 'import * as x from "../sdk";', "testing may not import sdk"],
		["examples/number/index.ts", 'import * as x from "../../sdk";', "examples import the package by name"],
		["sdk/number.ts", 'import { x } from "pulumi-telephony/provider";', "only examples import the package by name"],
		["sdk/number.ts", 'import { x } from "../test/helpers/engine";', "belongs to no tree"],
		["sdk/number.ts", 'import { x } from "./nowhere";', "there is no such file"],
	])("and %s with `%s` would be found", (file, line, why) => {
		expect(importsOf(file, line).map(objection)).toEqual([expect.stringContaining(why)]);
	});

	it.each([
		["sdk/dynamic.ts", 'import type * as provider from "../provider";'],
		["sdk/dynamic.ts", 'import { type Handler } from "../provider";'],
		["sdk/functions.ts", 'const x = await import("../provider/functions/program.js");'],
		["emulator/http/pages.ts", 'import { operations } from "../../provider/api/contract";'],
		["provider/session/progress.ts", 'const x = require("@pulumi/pulumi/proto/engine_pb");'],
		["provider/api/client.ts", 'import "../../node-version";'],
		["examples/number/index.ts", 'import * as telephony from "pulumi-telephony";'],
		["examples/tested/typescript/index.test.ts", 'const x = await import("./index.ts");'],
	])("while %s with `%s` is fine", (file, line) => {
		expect(importsOf(file, line).map(objection)).toEqual([undefined]);
	});

	it("and a cycle would be found, also one of types", () => {
		const arrow = (from: string, to: string, typeOnly = false) => ({ from, to, typeOnly });
		expect(cycle([arrow("a", "b"), arrow("b", "c"), arrow("c", "b")])).toEqual(["b", "c", "b"]);
		expect(cycle([arrow("a", "b"), arrow("b", "a", true)])).toEqual(["a", "b", "a"]);
	});
});

describe("the tree", () => {
	it("prints nothing to a console outside cli and emulator", () => {
		const speakers = sources.filter((file) => /\bconsole\s*\./.test(withoutComments(read(file))));
		expect(speakers.filter((file) => !["cli", "emulator", "examples"].includes(treeOf(file) ?? ""))).toEqual([]);
	});

	it("names no machine and no registry that somebody happened to use", () => {
		const own = relative(repository, __filename);
		const wrong = files.flatMap((file) => {
			// This file names them to find them; an image is no text.
			if (file === own || /\.(png|gif|ico|woff2?)$/.test(file)) return [];
			return read(file)
				.split("\n")
				.flatMap((line, index) => (machine.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 120)}`] : []));
		});
		expect(wrong).toEqual([]);
		expect(Object.values(lockedPackages()).filter(({ resolved }) => /^[a-z]+:\/\//.test(resolved ?? ""))).toEqual([]);
	});
});

const machine =
	/\/work\/(main|shared)|(^|[\s"'`(=:])\/(work|root|Users|home)\/[\w.-]+|registry\.npmjs\.org|artifactory|\bnexus\b/;

const lockedPackages = () =>
	(JSON.parse(read("package-lock.json")) as { packages: Record<string, { resolved?: string }> }).packages;

/** What runs: an example in a comment may print. */
function withoutComments(text: string): string {
	return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}
