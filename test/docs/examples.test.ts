import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { files, read, repository } from "../helpers/repository";
import { registry } from "./pages";

const pages = files.filter((file) => /^([^/]+|docs\/.*|examples\/.*)\.md$/.test(file));

/** A program that somebody may copy, under the name of a file that it could be. */
interface Program {
	readonly name: string;
	readonly text: string;
}

/** A page's name for the reference of a resource. */
const referenceOf = (type: string) => `docs/reference/${type.replace(/(?<=.)[A-Z]/g, "-$&").toLowerCase()}.md`;

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

/** The text of every `@example` in a file's comments. */
const inComments = files
	.filter((file) => /^sdk\/(?!nodejs\/).*\.ts$/.test(file))
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

/** What the compiler says against each program, as if the files lay in this checkout; by name, in strict mode. */
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

describe("what can be copied", () => {
	it("is there: README, examples, and an example with each class", () => {
		expect(pages).toContain("README.md");
		expect(fenced.map(({ name }) => name)).toContain("README.md-1.ts");
		expect(examples.map(({ name }) => name)).toEqual(
			expect.arrayContaining(
				["activation", "kyc-profile", "number", "number-pool", "port-order", "quickstart", "sip-trunk", "webhook"].map(
					(name) => `examples/${name}/index.ts`,
				),
			),
		);
		const classes = ["Activation", "KycProfile", "Number", "NumberPool", "PortOrder", "SipTrunk", "Webhook"];
		for (const name of classes) {
			expect(inComments.some(({ text }) => text.includes(`new telephony.${name}(`))).toBe(true);
		}
	});

	it("compiles: every block of the docs, every @example of the SDK, every program in examples/", () => {
		expect(complaints([...fenced, ...inComments, ...examples])).toEqual([]);
	});

	it("would be found if it did not", () => {
		const wrong = 'new telephony.Number("x", { country: "NL", type: "geographic", colour: "red" });\n';
		expect(complaints([{ name: "wrong.ts", text: withHead(wrong) }])).toEqual([
			expect.stringMatching(/^wrong\.ts:2: .*'colour' does not exist/),
		]);
	});

	it.each(examples)("$name has at most 40 lines", ({ text }) => {
		expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
	});
});

describe("README", () => {
	it("stays under 9 kB, and names the two commands", () => {
		expect(Buffer.byteLength(read("README.md"))).toBeLessThan(9_000);
		expect(read("README.md")).toMatch(/^npm run demo .*\nnpm test /m);
	});
});

describe("the pages of Pulumi's registry", () => {
	it.each(registry)("%s has the head that the registry asks for, and links only to whole addresses", (page) => {
		const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(read(page)) ?? [];
		const text = expect.stringMatching(/.{5}/);
		expect(parse(head)).toEqual({ title: text, meta_desc: text, layout: "package" });
		expect([...body.matchAll(/\]\((?!https:)/g)]).toEqual([]);
	});

	it("show a program in each language", () => {
		const shown = [...read("docs/_index.md").matchAll(/^\{\{% choosable language (\w+) %\}\}$/gm)];
		expect(shown.map(([, language]) => language)).toEqual(["typescript", "javascript", "python", "go", "yaml"]);
	});
});

/** The anchor that GitHub gives a heading. */
const anchor = (heading: string) =>
	heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N} _-]/gu, "")
		.replaceAll(" ", "-");

const withoutCode = (text: string) => text.replace(/^```.*?^```$/gms, "").replace(/`[^`\n]*`/g, "");

describe("links", () => {
	it.each(pages)("of %s lead to files and headings that exist", (page) => {
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

interface Reference {
	readonly inputs: string[];
	readonly outputs: string[];
}

/** Names in the first column of a page's tables: the first one lists inputs, `?` where optional; the second outputs. */
function documented(type: string): Reference {
	const rows = read(referenceOf(type)).split("\n");
	const tables: string[][] = [];
	for (const [index, row] of rows.entries()) {
		if (!row.startsWith("|")) continue;
		if (!rows[index - 1]?.startsWith("|")) tables.push([]);
		const [, name] = /^\| *`([\w?]+)` *\|/.exec(row) ?? [];
		if (name !== undefined) tables.at(-1)?.push(name);
	}
	const [inputs = [], outputs = []] = tables;
	return { inputs: inputs.sort(), outputs: outputs.sort() };
}

/** What the SDK's source offers: the members of the args, and what the class has beyond them. */
function offered(file: string, name: string): Reference & { lists: Reference } {
	const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
	const args = source.statements.filter(ts.isInterfaceDeclaration).find((each) => each.name.text === `${name}Args`);
	const shown = source.statements.filter(ts.isClassDeclaration).find((each) => each.name?.text === name);
	const inputs = (args?.members ?? []).map((member) => `${member.name?.getText()}${member.questionToken ? "?" : ""}`);
	const bare = inputs.map((input) => input.replace("?", ""));
	const properties = (shown?.members ?? [])
		.filter(ts.isPropertyDeclaration)
		.map((member) => member.name?.getText() ?? "");
	const lists: Record<string, string[]> = {};
	const collect = (node: ts.Node): void => {
		if (ts.isPropertyAssignment(node) && ts.isArrayLiteralExpression(node.initializer)) {
			lists[node.name.getText()] = node.initializer.elements.filter(ts.isStringLiteral).map(({ text }) => text);
		}
		ts.forEachChild(node, collect);
	};
	collect(source);
	// Every input is an output too, with a property of its own.
	expect(bare.filter((input) => !properties.includes(input))).toEqual([]);
	return {
		inputs: inputs.sort(),
		outputs: properties.filter((property) => !bare.includes(property)).sort(),
		lists: { inputs: (lists.inputs ?? []).sort(), outputs: (lists.outputs ?? []).sort() },
	};
}

describe.each([
	// It has nothing at the service that could be claimed, and remembers why KYC was refused.
	["sdk/activation.ts", "Activation", ["refused"]],
	["sdk/kyc-profile.ts", "KycProfile", ["token", "lease", "uploaded", "unsubmitted"]],
	["sdk/number.ts", "Number", ["token", "lease", "foundId"]],
	["sdk/number-pool.ts", "NumberPool", ["members"]],
	["sdk/port-order.ts", "PortOrder", ["token", "lease", "uploaded", "unsubmitted"]],
	["sdk/sip-trunk.ts", "SipTrunk", ["token", "lease"]],
	["sdk/webhook.ts", "Webhook", ["token", "lease"]],
])("the reference: %s", (file, name, own) => {
	it(`${referenceOf(name)} names exactly the inputs and outputs of ${name}`, () => {
		const { inputs, outputs } = offered(file, name);
		expect(documented(name)).toEqual({ inputs, outputs });
	});

	it(`${name} registers exactly those, with the token and lease that it keeps for itself`, () => {
		const { inputs, outputs, lists } = offered(file, name);
		expect(lists.inputs).toEqual(inputs.map((input) => input.replace("?", "")).sort());
		expect(lists.outputs).toEqual([...outputs, ...own].sort());
	});
});
