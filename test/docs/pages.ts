/** The fenced blocks of pages, as CONTRIBUTING.md describes them under "Pages". */
import { spawnSync } from "node:child_process";
import { files, read } from "../helpers/repository";

/** Pages for Pulumi's registry, which aren't typed. */
export const registry = ["docs/_index.md", "docs/installation-configuration.md"];

/** The README, then the pages of docs/. */
export const pages = [
	"README.md",
	...files.filter((file) => /^docs\/.*\.md$/.test(file) && !registry.includes(file)).sort(),
];

interface Block {
	readonly page: string;
	readonly line: number;
	/** The nearest heading above. */
	readonly heading: string;
	readonly language: string;
	/** `key="value"` after the language. */
	readonly attributes: Readonly<Record<string, string>>;
	readonly text: string;
}

export function blocksOf(page: string, text = read(page)): Block[] {
	const blocks: Block[] = [];
	let heading = "";
	let open: { line: number; language: string; info: string; lines: string[] } | undefined;
	for (const [index, line] of text.split("\n").entries()) {
		const [, language = "", info = ""] = /^```([\w-]*)(.*)$/.exec(line) ?? [];
		if (open === undefined) {
			heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
			if (line.startsWith("```")) open = { line: index + 1, language, info, lines: [] };
		} else if (line === "```") {
			const attributes = Object.fromEntries(
				[...open.info.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]),
			);
			blocks.push({ ...open, page, heading, attributes, text: open.lines.join("\n") });
			open = undefined;
		} else open.lines.push(line);
	}
	return blocks;
}

export interface Command {
	readonly text: string;
	/** Exit code: 0, or the number of a comment `# exit 7`. */
	readonly exit: number;
}

export type Step = { readonly page: string; readonly line: number; readonly heading: string } & (
	| { readonly kind: "file"; readonly name: string; readonly text: string }
	| { readonly kind: "emulator"; readonly command: string; readonly prints: readonly string[] }
	| { readonly kind: "type"; readonly commands: readonly Command[]; readonly prints: readonly string[] }
	| { readonly kind: "not typed"; readonly why: string; readonly text: string }
);

/** Returns the steps of a page. A skipped block without a reason has an empty `why`. */
export function stepsOf(page: string, text?: string): Step[] {
	const steps: Step[] = [];
	let before: Block | undefined;
	for (const block of blocksOf(page, text)) {
		const last = steps.at(-1);
		const isPlain = block.attributes.title === undefined && block.attributes["not-typed"] === undefined;
		const isPrinted = isPlain && block.language === "text" && before?.language === "sh";
		if (isPrinted && last !== undefined && "prints" in last)
			steps[steps.length - 1] = {
				...last,
				prints: block.text.split("\n").filter((printedLine) => printedLine.trim() !== ""),
			};
		else steps.push(...stepOf(block));
		before = block;
	}
	return steps;
}

/** Returns the steps of a block by itself. */
function stepOf({ page, line, heading, language, attributes, text }: Block): Step[] {
	const at = { page, line, heading };
	const { title, terminal, "not-typed": why } = attributes;
	if (title !== undefined) return [{ ...at, kind: "file", name: title, text: `${text}\n` }];
	if (why !== undefined) return [{ ...at, kind: "not typed", why, text }];
	if (language === "sh" && terminal === "emulator") return [{ ...at, kind: "emulator", command: text, prints: [] }];
	if (language === "sh") return [{ ...at, kind: "type", commands: commandsIn(text), prints: [] }];
	return /^(text|bash|shell|console|zsh|)$/.test(language) ? [{ ...at, kind: "not typed", why: "", text }] : [];
}

/** Joins lines into whole commands. */
function commandsIn(text: string): Command[] {
	const commands: Command[] = [];
	let command = "";
	for (const line of text.split("\n")) {
		command += command === "" ? line : `\n${line}`;
		const { status, stderr } = spawnSync("bash", ["-n", "-c", command], { encoding: "utf8" });
		if (status !== 0 || stderr !== "" || command.endsWith("\\")) continue;
		const exit = Number(/ # exit (\d+)/.exec(line)?.[1] ?? 0);
		if (!/^\s*(#.*)?$/.test(command)) commands.push({ text: command, exit });
		command = "";
	}
	if (command !== "") throw new Error(`incomplete command: ${command}`);
	return commands;
}

/** Masks ids, times, months, durations and column widths. */
const masked = (line: string) =>
	line
		.replace(/\b(acc|num|trk|whk|kyc|req|evt|port|doc)([_-])[a-z0-9]{6,}\b/g, "$1$2*")
		.replace(/\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d| UTC)?)?)?/g, "(time)")
		.replace(/\b\d+(\.\d+)?(ms|s)\b/g, "(seconds)")
		.replace(/\s+/g, " ")
		.trim();

/** Returns the lines of a page that weren't printed, in any order. */
export function missing(expected: readonly string[], printed: string): string[] {
	const remaining = printed.split("\n").map(masked);
	return expected.filter((line) => {
		const index = remaining.indexOf(masked(line));
		if (index >= 0) remaining.splice(index, 1);
		return index < 0;
	});
}
