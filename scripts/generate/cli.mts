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

function* sectionsOf(command: readonly string[]): Generator<string> {
	const help = helpOf(command);
	if (command.length > 0)
		yield `## telephony ${command.join(" ")}\n\n\`\`\`text not-typed="the help of the command"\n${help}\n\`\`\``;
	for (const name of commandsIn(help)) yield* sectionsOf([...command, name]);
}

export const cliReference = (): string => [...sectionsOf([])].join("\n\n");
