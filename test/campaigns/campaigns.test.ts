/** Each campaign in short: what they find at length is found by `node test/campaigns/<name>.mts --trials N --seed S`. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { run } from "../helpers/engine";

// On a busy machine one takes minutes.
vi.setConfig({ testTimeout: 300_000 });

const repository = resolve(__dirname, "../..");

const campaign = async (name: string, ...args: string[]) => {
	const { code, stdout, output } = await run("node", [`test/campaigns/${name}.mts`, ...args], repository, process.env);
	expect(code, output).toBe(0);
	const report: unknown = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
	expect(report).toMatchObject({ campaign: name, violations: [] });
	return report as { readonly trials: number; readonly boundaries: number; readonly counts: Record<string, number> };
};

test("no kill of the provider process buys twice, loses a number or leaves one behind", async () => {
	expect((await campaign("kill-provider", "--trials", "1", "--seed", "1")).boundaries).toBeGreaterThan(1);
});

test("nor at a service without keys and references, or it stops and names the number", async () => {
	await campaign("kill-provider", "--trials", "1", "--seed", "1", "--service", "neither");
});

test("no kill of the CLI does", async () => {
	expect((await campaign("kill-cli", "--trials", "1", "--seed", "1", "--short")).boundaries).toBe(1);
});

test("no life of a program breaks the model", async () => {
	const { trials, counts } = await campaign("lifecycle", "--sequences", "25", "--seed", "3");
	expect(trials).toBe(25);
	const happened = ["edits of foreign", "edits of reference", "KYC reject", "releases by somebody else", "ups crashed"];
	const filed = ["KYC profile reject", "port reject", "port complete"];
	expect(Object.keys(counts)).toEqual(expect.arrayContaining([...happened, ...filed, "ups settled"]));
});

test("a refresh names exactly what was edited behind Pulumi's back, and up puts back that and nothing else", async () => {
	expect((await campaign("drift", "--short", "--trials", "8", "--seed", "1")).trials).toBe(8);
});

test("no kill of the emulator loses what it has answered, or makes up what nobody asked for", async () => {
	expect((await campaign("kill-emulator", "--trials", "1", "--seed", "2")).boundaries).toBeGreaterThan(1);
});

test.each([
	["faults", ["--trials", "12"]],
	["faults", ["--trials", "6", "--filings"]],
	["schedules", ["--trials", "300"]],
	["stacks", ["--trials", "4"]],
	["kyc", ["--trials", "7"]],
	["canaries", ["--trials", "8"]],
	["soak", ["--trials", "1", "--numbers", "40"]],
	["signals", ["--trials", "1"]],
])("%s (%s) finds nothing, in short", async (name, args) => {
	expect((await campaign(name, "--seed", "1", ...args)).trials).toBe(Number(args[1]));
});

test("docs/reliability.md is made of a run without violations", () => {
	const page = readFileSync(join(repository, "docs/reliability.md"), "utf8");
	expect(page).toMatch(/^Run on commit [0-9a-f]{7,}.*, \d{4}-/m);
	expect(page).not.toMatch(/## Violations|did not come to its end/);
});
