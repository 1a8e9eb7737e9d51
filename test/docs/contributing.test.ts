/** The new property and the new kind of CONTRIBUTING.md, each added to a copy of the sources. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../helpers/engine";
import { files, read, repository } from "../helpers/repository";

/** Compiles, generates and tests in a copy of these sources, which is removed at the end. */
function createCopy(isSource: (file: string) => boolean) {
	const copy = mkdtempSync(join(tmpdir(), "telephony-contribution-"));
	afterAll(() => rmSync(copy, { recursive: true, force: true }));
	const sources = files.filter(isSource);
	/** Returns the output of a command that ends with this code. */
	const outputOf = async (expected: number, command: string, ...args: readonly string[]) => {
		const { code, output } = await run(command, args, copy, process.env);
		expect(code, `${command} ${args.join(" ")}\n${output}`).toBe(expected);
		return output;
	};
	const inCopy = (file: string) => readFileSync(join(copy, file), "utf8");
	return {
		/** Copies the sources, and the bundles: the reference of the commands is made from their help. */
		fill: () => {
			for (const file of sources) cpSync(join(repository, file), join(copy, file));
			for (const folder of ["bin", "dist/bundle"])
				cpSync(join(repository, folder), join(copy, folder), { recursive: true });
			symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"));
		},
		must: (command: string, ...args: readonly string[]) => outputOf(0, command, ...args),
		fails: (command: string, ...args: readonly string[]) => outputOf(1, command, ...args),
		has: (file: string) => existsSync(join(copy, file)),
		read: inCopy,
		write: (file: string, text: string) => writeFileSync(join(copy, file), text),
		changed: () => sources.filter((file) => !/\.(png|svg|ico)$/.test(file) && inCopy(file) !== read(file)),
	};
}

const [tsc, vitest, generate] = [
	"node_modules/typescript/bin/tsc",
	"node_modules/vitest/vitest.mjs",
	"scripts/generate.mts",
];
const sectionOf = (title: string) =>
	read("CONTRIBUTING.md")
		.split(/^## /m)
		.find((text) => text.startsWith(title)) ?? "";

describe("the new property", () => {
	/** "In `file`, after `line`:", and a block. */
	const entry = /In\s`(?<file>\S+)`, (?<where>after|before) `(?<line>[^`]+)`:\n\n```text\n(?<added>.*?)^```$/gms;
	const entries = [...sectionOf("Adding a property").matchAll(entry)].map(
		({ groups = {} }) => groups as Record<string, string>,
	);
	const byHand = [...new Set(entries.map(({ file }) => file))];
	const program = `import * as telephony from "./sdk";
new telephony.SipTrunk("desk", { auth: { mode: "ip_acl", allowedCidrs: [] }, capacity: 1, dtmfMode: "info" }).dtmfMode.apply;
`;
	const copy = createCopy((file) =>
		/^(policy|provider|sdk|scripts|docs|examples\/(?:plugin|reference))\/|^[^/]+$/.test(file),
	);

	/** Inserts a block before or after the only line with this text. */
	function add({ file = "", where, line = "", added = "" }: Record<string, string>): void {
		const [before = "", after, ...more] = copy.read(file).split(`\t${line}\n`);
		expect({ line, isThere: after !== undefined, more }).toEqual({ line, isThere: true, more: [] });
		const parts = where === "after" ? [`\t${line}\n`, added] : [added, `\t${line}\n`];
		copy.write(file, [before, ...parts, after].join(""));
	}

	beforeAll(async () => {
		copy.fill();
		entries.forEach(add);
		const options = { declaration: false, incremental: false };
		const project = { extends: "./tsconfig.json", compilerOptions: options, include: ["provider", "program.ts"] };
		copy.write("added.json", JSON.stringify(project));
		copy.write("program.ts", "export {};");
		await copy.must("node", tsc, "-p", "added.json", "--noCheck");
		await copy.must("node", generate, "--no-sdks");
		copy.write("program.ts", program);
		await copy.must("node", tsc, "-p", "added.json", "--noEmit");
	});

	test("edits two files by hand, generates five, and compiles", () => {
		expect(byHand).toEqual(["provider/api/contract/trunks.ts", "provider/resources/sip-trunk/properties.ts"]);
		expect(
			copy
				.changed()
				.filter((file) => !byHand.includes(file))
				.sort(),
		).toEqual([
			"docs/reference/service-description.md",
			"docs/reference/sip-trunk.md",
			"sdk/functions.ts",
			"sdk/schema.json",
			"sdk/sip-trunk.ts",
		]);
	});
});

describe("the new kind", () => {
	const section = sectionOf("Adding a resource");
	const [, name = ""] = /--new-kind (\w+)/.exec(section) ?? [];
	const byHand = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = ""]) => cell.match(/[^`, ]+/g) ?? []);
	const copy = createCopy((file) => !/^(site\/src|docs\/images|sdk\/(nodejs|python|go))\//.test(file));
	const build = () => copy.must("node", tsc, "-b", "tsconfig.json");

	beforeAll(async () => {
		copy.fill();
		await build();
	});

	test.each(["emergencyAddress", "Number", "Recording", "Map"])("isn't called %s", async (taken) => {
		const output = await copy.fails("node", generate, "--new-kind", taken);
		expect(output.trim().split("\n")).toEqual([expect.stringContaining(taken)]);
		expect(copy.changed()).toEqual([]);
	});

	test("compiles, passes the tests of all kinds, and leaves 30 files at most", { timeout: 15 * 60_000 }, async () => {
		await copy.must("node", generate, "--new-kind", name);
		expect(byHand.filter((file) => !copy.has(file))).toEqual([]);
		expect(byHand.length).toBeLessThanOrEqual(30);
		await build();
		await copy.must("node", generate, "--no-sdks");
		expect(await copy.fails("node", generate, "--no-sdks", "--check")).toContain(name);
		await copy.must("node", tsc, "-p", "test");
		const tests = ["properties", "lifecycle", "resources/emergency-address.test.ts"];
		await copy.must("node", vitest, "run", ...tests.map((path) => `test/provider/${path}`));
	});
});
