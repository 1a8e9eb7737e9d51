/** docs/reference/cli.md, from the help of each command. */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

const telephony = join(resolve(import.meta.dirname, "../.."), "bin/telephony");

function helpOf(command: readonly string[]): string {
	const { stdout, stderr, status } = spawnSync(process.execPath, [telephony, ...command, "--help"], {
		encoding: "utf8",
		env: { ...process.env, NO_COLOR: "1" },
	});
	if (status !== 0) throw new Error(`telephony ${command.join(" ")} --help failed:\n${stderr}`);
	return stdout.trim();
}

/** The names under `Commands:`, without `help`. */
const commandsIn = (help: string): string[] =>
	[...(help.split(/^Commands:$/m)[1] ?? "").matchAll(/^ {2}([a-z]+)\b/gm)].flatMap(([, name = ""]) =>
		name === "help" ? [] : [name],
	);

type Option = readonly [flags: string, meaning: string];

interface Help {
	readonly title: string;
	readonly usage: string;
	readonly about: string;
	/** Options and arguments, each with its meaning. */
	readonly options: readonly Option[];
	readonly rest: readonly string[];
}

/** The parts of a help text: usage, description, options and arguments, and the lines after them. */
function parsed(title: string, help: string): Help {
	const [usage = "", about = "", ...others] = help.split("\n\n");
	const lists = others.filter((part) => /^(Options|Arguments):\n/.test(part));
	const options = lists.flatMap((list) =>
		list
			.replace(/^.*\n/, "")
			// A line that begins further right continues the meaning above it.
			.replaceAll(/\n {5,}/g, " ")
			.split("\n")
			.map((line) => {
				const [flags = "", ...meaning] = line.trim().split(/ {2,}/);
				return [flags, meaning.join(" ")] satisfies Option;
			}),
	);
	// The page begins with a table of the exit codes.
	const rest = others
		.map((part) => part.replace(/^Exit codes: .*/m, "").trim())
		.filter((part) => part !== "" && !/^(Options|Arguments|Commands):/.test(part));
	return { title, usage: usage.replace(/^Usage: /, ""), about: joined(about), options, rest: rest.map(joined) };
}

const joined = (text: string): string => text.replaceAll("\n", " ");

function* helpsOf(command: readonly string[]): Generator<Help> {
	const help = helpOf(command);
	if (command.length > 0) yield parsed(`telephony ${command.join(" ")}`, help);
	for (const name of commandsIn(help)) yield* helpsOf([...command, name]);
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

function tableOf(options: readonly Option[]): string {
	if (options.length === 0) return "";
	const rows = options.map(([flags, meaning]) => {
		const text = meaning.replace(/ \(default: (?:\[\]|false)\)/, "");
		return `| \`${flags.replaceAll("|", "\\|")}\` | ${cell(text)} |`;
	});
	return ["| Option | Meaning |", "|---|---|", ...rows].join("\n");
}

/** Commands whose options another page lists. */
const elsewhere: Readonly<Record<string, string>> = {
	"telephony emulator": "[The emulator](../emulator.md#start-it) lists its options.",
};

/** A section for each command, after the options that at least three commands have. */
export function cliReference(): string {
	const helps = [...helpsOf([])];
	const uses = new Map<string, number>();
	for (const option of helps.flatMap(({ options }) => options)) {
		const text = option.join(" ");
		uses.set(text, (uses.get(text) ?? 0) + 1);
	}
	const usesOf = (option: Option): number => uses.get(option.join(" ")) ?? 0;
	const isFirst = (option: Option, index: number, all: readonly Option[]) =>
		all.findIndex((candidate) => candidate.join(" ") === option.join(" ")) === index;
	const shared = helps.flatMap(({ options }) => options).filter((option) => usesOf(option) > 2);
	const sections = helps.map(({ title, usage, about, options, rest }) => {
		const special = options.filter((option) => usesOf(option) <= 2);
		const common = options.filter((option) => usesOf(option) > 2 && usesOf(option) < helps.length);
		const flags = common.map(([flag]) => `\`${flag.replace(/[, ].*/, "")}\``);
		return [
			`## ${title}`,
			...(usage.endsWith("[options]") ? [about] : [`\`${usage}\``, about]),
			...(elsewhere[title] === undefined
				? [tableOf(special), common.length > 0 && `The command also accepts ${flags.join(", ")}.`]
				: [elsewhere[title]]),
			...rest,
		].filter((part) => part);
	});
	const intro = "Every command accepts `--service` and `--help`. A command's section names its other shared options.";
	return [`## Shared options`, intro, tableOf(shared.filter(isFirst)), ...sections.flat()].join("\n\n");
}
