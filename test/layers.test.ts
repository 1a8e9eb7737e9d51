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
}

/** Every way that one file can name another: import, export … from, import(), require, import type. */
function importsOf(file: string, text: string): Import[] {
	const found: Import[] = [];
	const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
		if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
		found.push({ from: file, to: target(file, specifier.text), typeOnly });
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
			if (loads) add(node.arguments[0], false);
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

type Layer =
	| "api"
	| "shared"
	| "resources"
	| "provider"
	| "plugin"
	| "sdk"
	| "emulator"
	| "cli"
	| "examples"
	| "node-version";

/** The first that fits; files of no layer (scripts, tests) may import what they like. */
const layers: readonly (readonly [RegExp, Layer])[] = [
	[/^node-version\.ts$/, "node-version"],
	[/^provider\/api\//, "api"],
	[/^provider\/resources\//, "resources"],
	[/^provider\/plugin\//, "plugin"],
	[/^provider\/index\.ts$/, "provider"],
	// Configuration, session, reads, progress: what resources run on.
	[/^provider\/[^/]+\.ts$/, "shared"],
	[/^sdk\//, "sdk"],
	[/^emulator\//, "emulator"],
	[/^cli\//, "cli"],
	[/^examples\//, "examples"],
];
const layerOf = (file: string) => layers.find(([pattern]) => pattern.test(file))?.[1];

/** Of what each layer may import, beside itself and node-version.ts. */
const allowed: Readonly<Record<Layer, readonly Layer[]>> = {
	"node-version": [],
	api: [],
	shared: ["api"],
	resources: ["api", "shared"],
	provider: ["api", "shared", "resources"],
	plugin: ["api", "shared", "resources", "provider"],
	sdk: [],
	emulator: [],
	cli: ["api", "shared", "resources", "provider", "emulator"],
	examples: [],
};

/** What is wrong with an import, or undefined. */
function objection({ from, to, typeOnly }: Import): string | undefined {
	const layer = layerOf(from);
	const other = layerOf(to);
	if (layer === undefined) return undefined;
	if (to.endsWith("(missing)")) return "there is no such file";
	if (/^@pulumi\//.test(to)) {
		const may =
			layer === "sdk" ||
			layer === "plugin" ||
			layer === "cli" ||
			layer === "examples" ||
			from === "provider/progress.ts";
		return may ? undefined : `${layer} knows no Pulumi; only plugin/ and provider/progress.ts do`;
	}
	if (to === "pulumi-telephony" || to.startsWith("pulumi-telephony/"))
		return layer === "examples" ? undefined : "only examples import the package by name";
	if (other === undefined) {
		if (files.includes(to) || to.startsWith("..")) return `${to} belongs to no layer`;
		return undefined; // somebody else's package
	}
	if (layer === "examples") return "examples import the package by name";
	if (other === layer || other === "node-version" || allowed[layer].includes(other)) return undefined;
	if (layer === "sdk" && to === "provider/index.ts")
		return typeOnly ? undefined : "sdk takes types only from provider, which it reaches by name at run time";
	if (layer === "emulator" && to === "provider/api/contract.ts") return undefined;
	return `${layer} may not import ${other}`;
}

const sources = files.filter((file) => layerOf(file) !== undefined && /\.[cm]?ts$/.test(file));
const imports = sources.flatMap((file) => importsOf(file, read(file)));

/** Files that reach themselves, as a path; type-only imports are gone at run time. */
function cycle(arrows: readonly Import[]): string[] | undefined {
	const next = new Map<string, string[]>();
	for (const { from, to, typeOnly } of arrows) if (!typeOnly) next.set(from, [...(next.get(from) ?? []), to]);
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

	it("without a cycle at run time", () => {
		expect(cycle(imports)).toBeUndefined();
	});

	it.each([
		["provider/api/client.ts", 'import { x } from "../session";', "api may not import shared"],
		["provider/api/client.ts", 'import type { x } from "../resources/form";', "api may not import resources"],
		["provider/session.ts", 'import { x } from "./resources/form";', "shared may not import resources"],
		["provider/resources/form.ts", 'export * from "../index";', "resources may not import provider"],
		["provider/resources/form.ts", 'import * as pulumi from "@pulumi/pulumi";', "resources knows no Pulumi"],
		["provider/resources/form.ts", 'import { x } from "../../sdk";', "resources may not import sdk"],
		["sdk/number.ts", 'const x = require("../provider");', "sdk takes types only"],
		["sdk/number.ts", 'import { type A, b } from "../provider";', "sdk takes types only"],
		["sdk/number.ts", 'import type { x } from "../provider/api/client";', "sdk may not import api"],
		["emulator/index.ts", 'export { x } from "../provider/api/client";', "emulator may not import api"],
		["emulator/index.ts", 'const x = await import("../cli");', "emulator may not import cli"],
		["cli/index.ts", 'import * as x from "../sdk";', "cli may not import sdk"],
		["examples/number/index.ts", 'import * as x from "../../sdk";', "examples import the package by name"],
		["sdk/number.ts", 'import { x } from "pulumi-telephony/provider";', "only examples import the package by name"],
		["sdk/number.ts", 'import { x } from "../test/helpers/engine";', "belongs to no layer"],
		["sdk/number.ts", 'import { x } from "./nowhere";', "there is no such file"],
	])("and %s with `%s` would be found", (file, line, why) => {
		expect(importsOf(file, line).map(objection)).toEqual([expect.stringContaining(why)]);
	});

	it.each([
		["sdk/dynamic.ts", 'import type * as provider from "../provider";'],
		["sdk/dynamic.ts", 'import { type Handler } from "../provider";'],
		["emulator/index.ts", 'import { operations } from "../provider/api/contract";'],
		["provider/progress.ts", 'const x = require("@pulumi/pulumi/proto/engine_pb");'],
		["provider/api/client.ts", 'import "../../node-version";'],
		["examples/number/index.ts", 'import * as telephony from "pulumi-telephony";'],
	])("while %s with `%s` is fine", (file, line) => {
		expect(importsOf(file, line).map(objection)).toEqual([undefined]);
	});

	it("and a cycle would be found, but not one of types", () => {
		const arrow = (from: string, to: string, typeOnly = false) => ({ from, to, typeOnly });
		expect(cycle([arrow("a", "b"), arrow("b", "c"), arrow("c", "b")])).toEqual(["b", "c", "b"]);
		expect(cycle([arrow("a", "b"), arrow("b", "a", true)])).toBeUndefined();
	});
});

/** Longer than 300 lines, each for a reason. */
const long: Readonly<Record<string, string>> = {
	"scripts/engine.mts":
		"found, downloaded or built: the ways to one engine, in one file that runs before anything is installed",
};

describe("the tree", () => {
	it("has no long file without a reason", () => {
		const lines = (file: string) => read(file).trimEnd().split("\n").length;
		const code = files.filter((file) => /\.[cm]?[jt]s$/.test(file));
		const tooLong = code.filter((file) => lines(file) > 300 && long[file] === undefined);
		expect(tooLong.map((file) => `${file}: ${lines(file)} lines`)).toEqual([]);
		// A reason that is no longer needed goes.
		expect(Object.keys(long).filter((file) => !files.includes(file) || lines(file) <= 300)).toEqual([]);
	});

	it("prints nothing to a console outside cli and emulator", () => {
		const speakers = sources.filter((file) => /\bconsole\s*\./.test(withoutComments(read(file))));
		expect(speakers.filter((file) => !["cli", "emulator", "examples"].includes(layerOf(file) ?? ""))).toEqual([]);
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
