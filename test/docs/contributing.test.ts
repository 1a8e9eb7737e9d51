/** The new property of CONTRIBUTING.md, added to a copy of the sources. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../helpers/engine";
import { files, read, repository } from "../helpers/repository";

const copy = mkdtempSync(join(tmpdir(), "telephony-property-"));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const [, section = ""] = read("CONTRIBUTING.md").split(/^## Adding a property$/m);
/** "In `file`, after `line`:", and a block. */
const entry = /In\s`(?<file>\S+)`, (?<where>after|before) `(?<line>[^`]+)`:\n\n```text\n(?<added>.*?)^```$/gms;
const entries = [...section.matchAll(entry)].map(({ groups = {} }) => groups as Record<string, string>);
const byHand = [...new Set(entries.map(({ file }) => file))];
const program = `import * as telephony from "./sdk";
new telephony.SipTrunk("desk", { auth: { mode: "ip_acl", allowedCidrs: [] }, capacity: 1, dtmfMode: "info" }).dtmfMode.apply;
`;

async function must(command: string, ...args: readonly string[]): Promise<void> {
	const { code, output } = await run(command, args, copy, process.env);
	expect(code, `${command} ${args.join(" ")}\n${output}`).toBe(0);
}
const inCopy = (file: string) => readFileSync(join(copy, file), "utf8");
/** Inserts a block before or after the only line with this text. */
function add({ file = "", where, line = "", added = "" }: Record<string, string>): void {
	const [before = "", after, ...more] = inCopy(file).split(`\t${line}\n`);
	expect({ line, isThere: after !== undefined, more }).toEqual({ line, isThere: true, more: [] });
	const parts = where === "after" ? [`\t${line}\n`, added] : [added, `\t${line}\n`];
	writeFileSync(join(copy, file), [before, ...parts, after].join(""));
}
const sources = files.filter((file) =>
	/^(provider|sdk|scripts|docs|examples\/(?:plugin|reference))\/|^[^/]+$/.test(file),
);

beforeAll(async () => {
	for (const file of sources) cpSync(join(repository, file), join(copy, file));
	// The reference of the commands is made from their help.
	for (const folder of ["bin", "dist/bundle"])
		cpSync(join(repository, folder), join(copy, folder), { recursive: true });
	symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"));
	entries.forEach(add);
	const tsc = (how: string) => must("node", "node_modules/typescript/bin/tsc", "-p", "added.json", how);
	const options = { declaration: false, incremental: false };
	const project = { extends: "./tsconfig.json", compilerOptions: options, include: ["provider", "program.ts"] };
	writeFileSync(join(copy, "added.json"), JSON.stringify(project));
	writeFileSync(join(copy, "program.ts"), "export {};");
	await tsc("--noCheck");
	await must("node", "scripts/generate.mts", "--no-sdks");
	writeFileSync(join(copy, "program.ts"), program);
	await tsc("--noEmit");
});

test("edits two files by hand, generates six, and compiles", () => {
	expect(byHand).toEqual(["provider/api/contract/trunks.ts", "provider/resources/sip-trunk/properties.ts"]);
	const changed = sources.filter((file) => !/\.(png|svg|ico)$/.test(file) && inCopy(file) !== read(file));
	expect(changed.filter((file) => !byHand.includes(file)).sort()).toEqual([
		"docs/reference/drift.md",
		"docs/reference/functions.md",
		"docs/reference/sip-trunk.md",
		"sdk/functions.ts",
		"sdk/schema.json",
		"sdk/sip-trunk.ts",
	]);
});
