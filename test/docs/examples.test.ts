import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { resources } from "../../provider/resources";
import { files, read, repository } from "../helpers/repository";
import { registry } from "./pages";

const pages = files.filter((file) => /^([^/]+|docs\/.*|examples\/.*)\.md$/.test(file));

/** A program of the docs, with a file name for the compiler. */
interface Program {
	readonly name: string;
	readonly text: string;
}

const head = 'import * as telephony from "pulumi-telephony";\n';
const withHead = (text: string) => (text.includes('from "pulumi-telephony') ? text : head + text);

const fenced = pages.flatMap((page): Program[] =>
	[...read(page).matchAll(/^```(?:(ts|typescript)\b|js tab=)[^\n]*\n(.*?)^```$/gms)].map(
		([, typed, text = ""], index) => ({
			name: `${page}-${index + 1}.${typed === undefined ? "js" : "ts"}`,
			text: typed === undefined ? text : withHead(text),
		}),
	),
);

/** Every `@example` in the SDK's comments. */
const inComments = files
	.filter((file) => /^sdk\/(?!nodejs).*\.ts$/.test(file))
	.flatMap((file): Program[] =>
		[...read(file).matchAll(/\/\*\*.*?\*\//gs)].flatMap(([comment], index) => {
			const lines = comment.replace(/^\/\*\*|\s*\*\/$/g, "").replace(/^[ \t]*\* ?/gm, "");
			const [, example] = /@example\b(.*?)(?=^@|$(?![\s\S]))/ms.exec(lines) ?? [];
			return example === undefined ? [] : [{ name: `${file}-${index + 1}.ts`, text: withHead(example) }];
		}),
	);

const examples = files
	.filter((file) => /^examples\/(.+\/)?index\.ts$/.test(file))
	.map((file): Program => ({ name: file, text: read(file) }));

/** Returns the compiler's errors for programs in this checkout, in strict mode. */
function complaints(programs: readonly Program[]): string[] {
	const options: ts.CompilerOptions = {
		target: ts.ScriptTarget.ES2022,
		module: ts.ModuleKind.NodeNext,
		moduleResolution: ts.ModuleResolutionKind.NodeNext,
		strict: true,
		noEmit: true,
		skipLibCheck: true,
		types: ["node"],
		allowJs: true,
		checkJs: true,
	};
	const texts = new Map(programs.map(({ name, text }) => [join(repository, name), text]));
	const host = ts.createCompilerHost(options);
	const { fileExists, readFile, getSourceFile } = host;
	host.fileExists = (file) => texts.has(file) || fileExists(file);
	host.readFile = (file) => texts.get(file) ?? readFile(file);
	host.getSourceFile = (file, version, ...rest) => {
		const text = texts.get(file);
		return text === undefined ? getSourceFile(file, version, ...rest) : ts.createSourceFile(file, text, version, true);
	};
	return ts
		.getPreEmitDiagnostics(ts.createProgram([...texts.keys()], options, host))
		.map(({ file, start, messageText }) => {
			const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
			const name = file?.fileName.slice(repository.length + 1) ?? "";
			return `${name}:${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
		});
}

describe("the programs", () => {
	it("use each class in the README, in examples/ and in a comment of the SDK", () => {
		expect(fenced.map(({ name }) => name)).toContain("README.md-1.ts");
		const uses = (programs: readonly Program[], name: string) =>
			programs.some(({ text }) => text.includes(`new telephony.${name}(`));
		for (const name of Object.keys(resources))
			expect({ name, uses: [uses(examples, name), uses(inComments, name)] }).toEqual({ name, uses: [true, true] });
	});

	it("compile in every page, in examples/ and in the SDK's comments", () => {
		const wrong = 'new telephony.Number("x", { country: "NL", type: "geographic", colour: "red" });\n';
		const all = [...fenced, ...inComments, ...examples, { name: "wrong.ts", text: withHead(wrong) }];
		expect(complaints(all)).toEqual([expect.stringMatching(/^wrong\.ts:2: .*'colour' does not exist/)]);
	});

	// examples/reference has an example of each kind that examples/plugin leaves out.
	const short = examples.filter(({ name }) => !name.includes("reference"));

	it.each(short)("have at most 40 lines: $name", ({ text }) => {
		expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
	});
});

describe("README", () => {
	it("has at most 60 lines, and names the two commands", () => {
		const lines = read("README.md").trimEnd().split("\n");
		expect(lines.length).toBeLessThanOrEqual(60);
		expect(lines).toEqual(expect.arrayContaining(["npm run demo", "npm test"]));
	});
});

describe("the pages of Pulumi's registry", () => {
	it.each(registry)("have the registry's head and whole addresses: %s", (page) => {
		const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(read(page)) ?? [];
		const text = expect.stringMatching(/.{5}/);
		expect(parse(head)).toEqual({ title: text, meta_desc: text, layout: "package" });
		expect([...body.matchAll(/\]\((?!https:)/g)]).toEqual([]);
	});

	it("show a program in each language", () => {
		const languages = [...read("docs/_index.md").matchAll(/^\{\{% choosable language (\w+) %\}\}$/gm)];
		expect(languages.map(([, language]) => language)).toEqual(["typescript", "javascript", "python", "go", "yaml"]);
	});
});

/** Returns GitHub's anchor of a heading. */
const anchor = (heading: string) =>
	heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N} _-]/gu, "")
		.replaceAll(" ", "-");

const withoutCode = (text: string) => text.replace(/^```.*?^```$/gms, "").replace(/`[^`\n]*`/g, "");

describe("links", () => {
	it.each(pages)("lead to files and headings that exist: %s", (page) => {
		const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map(([, link = ""]) => link);
		const dead = links.filter((link) => {
			if (/^[a-z]+:/i.test(link)) return false;
			const [path = "", hash] = link.split("#");
			const file = path === "" ? page : join(dirname(page), decodeURIComponent(path));
			if (!existsSync(join(repository, file))) return true;
			if (hash === undefined || !file.endsWith(".md")) return false;
			const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchor(heading));
			return !headings.includes(hash);
		});
		expect(dead).toEqual([]);
	});
});

describe("CONTRIBUTING.md", () => {
	const [, map = ""] = /^## Map\n(.*?)^## /ms.exec(read("CONTRIBUTING.md")) ?? [];
	const rows = map.split("\n").filter((line) => line.startsWith("| `"));
	const quoted = (text = "") => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
	const named = rows.flatMap((row) => {
		const [first, contents] = row.split(" | ");
		const trees = quoted(first).map((folder) => `${folder.split("/")[0]}/`);
		const isPath = (name: string) => /^[\w/-]+(\/|\.(m?[jt]s|json))$/.test(name);
		return [...quoted(first), ...quoted(contents).filter(isPath)].map((path) => ({ path, trees }));
	});
	const exists = ({ path, trees }: { path: string; trees: readonly string[] }) =>
		files.some((file) => file.startsWith(path) || trees.some((tree) => `/${file}`.match(`^/${tree}.*?\\b${path}`)));

	it("maps only files and folders that exist", () => {
		expect(named.length).toBeGreaterThan(50);
		expect(named.filter((place) => !exists(place))).toEqual([]);
	});
});
