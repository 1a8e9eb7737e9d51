import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { files, read } from "../helpers/repository";
import { missing, pages, type Step, stepsOf } from "./pages";
import { clone, createReader, hurry, published, type Reader } from "./reader";

/** The first page of a new user. All other pages begin with the stack that it has before it cleans up. */
const quickStart = "docs/quick-start.md";
const minutes = 60_000;

/** The reader of the first page, whose installed packages the others use. */
const first: { reader?: Reader } = {};
afterAll(() => first.reader?.leave());

/** Home and account after the purchase, which each guide starts with. */
interface Desk {
	/** A fixed path, as the state contains it. */
	readonly home: string;
	readonly copy: string;
	readonly account: string;
}
const desk: { made?: Promise<Desk> } = {};
afterAll(async () => rmSync((await desk.made)?.copy ?? "", { recursive: true, force: true }));

const where = { page: quickStart, line: 0, heading: "" };
const startEmulator: Step = { ...where, kind: "emulator", command: "npx telephony emulator --memory", prints: [] };
/** The steps up to the purchase; the packages are links here. */
const program = stepsOf(quickStart).filter(({ heading }) => ["Write a program", "Buy the number"].includes(heading));

/** Replaces the address of the emulator. */
function readdress(home: string, from: string, to: string): void {
	for (const file of ["desk/Pulumi.dev.yaml", ".pulumi/stacks/desk/dev.json"])
		writeFileSync(join(home, file), readFileSync(join(home, file), "utf8").replaceAll(from, to));
}

async function makeDesk(installed: string): Promise<Desk> {
	const reader = createReader((home) => {
		hurry(home);
		mkdirSync(join(home, "desk"));
		symlinkSync(join(installed, "node_modules"), join(home, "desk/node_modules"));
		return join(home, "desk");
	});
	const manifest = readFileSync(join(installed, "package.json"), "utf8");
	await reader.follow([{ ...where, kind: "file", name: "package.json", text: manifest }, ...program]);
	const account = await (await fetch(`${reader.address()}/_emulator/snapshot`)).text();
	readdress(reader.home, reader.address(), published);
	const copy = mkdtempSync(join(tmpdir(), "telephony-desk-"));
	cpSync(reader.home, copy, { recursive: true, verbatimSymlinks: true });
	await reader.leave();
	return { home: reader.home, copy, account };
}

async function sitDownAt({ home, copy, account }: Desk): Promise<Reader> {
	cpSync(copy, home, { recursive: true, verbatimSymlinks: true });
	const reader = createReader(() => join(home, "desk"), home);
	await reader.follow([startEmulator]);
	const headers = { "Content-Type": "application/json" };
	const restored = await fetch(`${reader.address()}/_emulator/restore`, { method: "POST", headers, body: account });
	expect(restored.status, await restored.text()).toBe(204);
	readdress(home, published, reader.address());
	const exports = program.flatMap((step) => (step.kind === "type" ? step.commands : []));
	const commands = exports.filter(({ text }) => text.startsWith("export "));
	await reader.follow([{ ...where, kind: "type", commands, prints: [] }]);
	return reader;
}

const isDone = ({ kind }: Step) => kind !== "not typed";

describe("each command of a page works", () => {
	it(`${quickStart}, with the tarball`, { timeout: 10 * minutes }, async () => {
		const reader = createReader((home) => {
			clone(join(home, "checkout"));
			return join(home, "checkout");
		});
		first.reader = reader;
		await reader.follow(stepsOf(quickStart));
		expect(await reader.stopEmulator()).not.toBe(1);
	});

	const guides = pages.filter((page) => page !== quickStart && stepsOf(page).some(isDone));
	it.each(guides)("%s, after the purchase of quick-start.md", { timeout: 5 * minutes }, async (page) => {
		desk.made ??= makeDesk(join(first.reader?.home ?? "", "desk"));
		const reader = await sitDownAt(await desk.made);
		onTestFinished(() => reader.leave());
		await reader.follow(stepsOf(page));
	});
});

describe("blocks that aren't typed", () => {
	const untyped = pages.flatMap((page) => stepsOf(page).flatMap((step) => (step.kind === "not typed" ? [step] : [])));

	it("say why, and are fewer than the others", () => {
		expect(untyped.filter(({ why }) => why.length <= 10)).toEqual([]);
		expect(untyped.length).toBeLessThan(pages.flatMap((page) => stepsOf(page).filter(isDone)).length);
	});

	it("print what the page shows, but for ids, times and widths", () => {
		const expected = ["Number office  num_jsrowpdjesr6 created (0.05s)", "  + 5 created"];
		expect(missing(expected, "…\n + 5 created\nNumber office num_abcdefghijkl created (12s)\n")).toEqual([]);
		expect(missing(expected, "+ 4 created\nNumber other num_abcdefghijkl created (12s)\n")).toEqual(expected);
	});
});

describe("the checkout", () => {
	it("has no file of a stack, which would contain a passphrase", () => {
		expect(files.filter((file) => /(^|\/)Pulumi\.[^/]+\.yaml$/.test(file))).toEqual([]);
	});

	it("has every npm script that a page names", () => {
		const { scripts } = JSON.parse(read("package.json")) as { scripts: object };
		const ofNpm = ["install", "ci", "run", "init", "pack", "pkg"];
		const named = [...pages, "CONTRIBUTING.md"].flatMap((page) =>
			[...read(page).matchAll(/(?:^|`)npm (?:run )?([\w:]+)/gm)].map(([, script = ""]) => script),
		);
		expect(named).toEqual(expect.arrayContaining(["emulator", "engine", "demo", "test"]));
		expect(named.filter((script) => !ofNpm.includes(script) && !(script in scripts))).toEqual([]);
	});
});
