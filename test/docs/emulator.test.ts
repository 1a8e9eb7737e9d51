import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { addEmulator } from "../../cli/emulator/command";
import { controlRoutes } from "../../emulator/control/routes";
import { faultKinds } from "../../emulator/faults/fault-rules";
import { initialSettings, Settings } from "../../emulator/service/settings";
import { features } from "../../provider/api/contract";
import { useEmulator } from "../helpers/emulator";
import { run } from "../helpers/engine";
import { createFolder } from "../helpers/folders";
import { read, repository } from "../helpers/repository";

const pages = ["emulator", "emulator/applications", "emulator/control-api", "emulator/assumptions"];
const page = pages.map((name) => read(`docs/${name}.md`)).join("\n");
const section = (heading: string) => page.split(/^##+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
const block = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? "";
/** Returns the cells of rows whose first cell is code. */
const rows = (heading: string) =>
	[...section(heading).matchAll(/^\| (`.*?`.*?) \| (.*) \|$/gm)].map(([, first = "", rest = ""]) => ({
		names: [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ""),
		cells: rest.split(" | "),
	}));

const emulator = useEmulator();

describe("the pages of the emulator", () => {
	test("have every setting with its default and values, and every feature", () => {
		const { features: _, ...defaults } = initialSettings("full");
		const described = rows("Settings").filter(({ names }) => names[0] !== "features");
		expect(Object.fromEntries(described.map(({ names, cells }) => [names[0], cells[0]]))).toEqual(
			Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, `\`${JSON.stringify(value)}\``])),
		);
		const shape: Readonly<Record<string, z.ZodType>> = Settings.shape;
		for (const { names, cells } of described) {
			const schema = shape[names[0] ?? ""] as { options?: string[]; element?: { options?: string[] } };
			const options = schema.options ?? schema.element?.options ?? [];
			expect(options.filter((option) => !cells[1]?.includes(`\`${option}\``))).toEqual([]);
			// The console shows the same sentence.
			expect(shape[names[0] ?? ""]?.description).toBe(cells[1]?.replaceAll("`", ""));
		}
		expect([...section("Settings").matchAll(/These are the features: (.*?)\./gs)][0]?.[1]?.replace(/[`\s]/g, "")).toBe(
			features.join(","),
		);
	});

	test("have every kind of fault", () => {
		expect(rows("Faults").map(({ names }) => names[0])).toEqual(faultKinds);
	});

	test("have every option of the command, with its default", () => {
		const program = new Command();
		addEmulator(program);
		const [command] = program.commands;
		expect(rows("Start it").map(({ names, cells }) => [names[0], cells[0]?.replace(/[`–]/g, "")])).toEqual(
			(command?.options ?? []).map(({ long, defaultValue }) => [long, String(defaultValue ?? "")]),
		);
	});

	test("have every operation of the control API", () => {
		const operations = controlRoutes(emulator.control).map(({ method, path }) => `${method} ${path}`);
		expect(
			rows("Operations")
				.flatMap(({ names }) => names.filter((name) => /^[A-Z]+ \//.test(name)))
				.sort(),
		).toEqual(operations.sort());
	});

	test("name existing switches for assumed rules", () => {
		const switches = new Set<string>([...Object.keys(Settings.shape), ...features, ...faultKinds]);
		const named = [...section("Which rules are assumed, and how to switch each").matchAll(/^\|.*\| (.*?) \|$/gm)]
			.flatMap(([, ways]) => [...(ways ?? "").matchAll(/`([a-z][A-Za-z_]+)(?:: \w+)?`/g)].map(([, name]) => name ?? ""))
			.filter((name) => !["status", "kyc"].includes(name));
		expect(named.length).toBeGreaterThan(25);
		expect(named.filter((name) => !switches.has(name))).toEqual([]);
	});
});

describe("the commands of these pages", () => {
	test("run in vitest, and in any runner with jest's globals", async () => {
		const folder = createFolder();
		symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
		writeFileSync(join(folder, "german.test.ts"), block("ts"));
		// Tests of vitest have no require.
		writeFileSync(
			join(folder, "empty.test.ts"),
			`import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n${block("js")}`,
		);
		const vitestBin = join(repository, "node_modules/.bin/vitest");
		const result = await run(vitestBin, ["run", "--globals", "--root", folder], folder, process.env);
		expect(result.code, result.output).toBe(0);
		expect(result.output).toMatch(/Tests\s.*2 passed/);
	});
});
