/** Runs Vale, a Go program, with the style in tools/vale. It reads Markdown, so sentences of code are written to pages. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Text } from "./code.mts";
import type { Finding } from "./pages.mts";

/** Sentences of one source file. `isMessage` is true if their length counts. */
export interface Prose {
	readonly file: string;
	readonly isMessage: boolean;
	readonly texts: readonly Text[];
}

type Output = Record<string, { Line: number; Check: string; Message: string }[]>;

const module = resolve(fileURLToPath(import.meta.url), "../../../tools/vale");

/** Returns what Vale finds in pages and in sentences of code, or nothing where Go can't build Vale. */
export function runVale(pages: readonly string[], proses: readonly Prose[]): Finding[] {
	const version = startVale(["--version"]);
	if (version.status !== 0) {
		const reason = (version.error?.message ?? version.stderr).trim().split("\n").at(-1);
		console.log(`• skipping Vale, which takes Go 1.25 or newer and a C compiler: ${reason}`);
		return [];
	}
	const folder = mkdtempSync(join(tmpdir(), "prose-"));
	try {
		const sources = new Map(proses.filter(({ texts }) => texts.length > 0).map((prose) => writePage(folder, prose)));
		const files = [...pages.map((page) => resolve(page)), ...(sources.size > 0 ? [folder] : [])];
		const { status, stdout, stderr } = startVale(["--output=JSON", "--no-exit", ...files]);
		if (status !== 0) throw new Error(`Vale failed: ${stderr || stdout}`);
		return Object.entries(JSON.parse(stdout) as Output).flatMap(([path, alerts]) => {
			const page = pages.find((candidate) => resolve(candidate) === path) ?? path;
			return alerts.map(({ Line, Check, Message }) => {
				const { file = page, lines } = sources.get(path) ?? {};
				const { line, text } = lines?.[Line - 1] ?? { line: Line, text: "" };
				return { file, line, rule: Check, text: text ? `${Message} ${text}` : Message };
			});
		});
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function startVale(args: readonly string[]) {
	const options = ["--config", join(module, ".vale.ini"), "--no-global"];
	return spawnSync("go", ["-C", module, "tool", "vale", ...options, ...args], { encoding: "utf8", maxBuffer: 2 ** 26 });
}

/** Writes each text as a paragraph. Returns the page's path, with the place in the source of each of its lines. */
function writePage(folder: string, { file, isMessage, texts }: Prose) {
	const path = join(folder, isMessage ? "messages" : "texts", `${file}.md`);
	const lines = texts.flatMap(({ line, text }) => [
		// A JSDoc tag begins a paragraph, and no line is a heading or a block of code.
		...text
			.replaceAll(/\n\s*@/g, "\n\n@")
			.split("\n")
			.map((part) => ({ line, text: part.replace(/^[\s#]+/, "") })),
		{ line, text: "" },
	]);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, lines.map(({ text }) => text).join("\n"));
	return [path, { file, lines }] as const;
}
