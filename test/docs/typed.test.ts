import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { files, read } from "../helpers/repository";
import { missing, pages, type Step, stepsOf } from "./pages";
import { clone, createReader, type Reader } from "./reader";

const readme = stepsOf("README.md");
const minutes = 60_000;

/** The one who reads README; guides are read by others, with what that one has installed. */
const first: { reader?: Reader } = {};
afterAll(() => first.reader?.leave());

const isDone = ({ kind }: Step) => kind !== "not typed";

describe("typed as they stand", () => {
	it("README.md, in a bare clone, and in an empty folder with the packed tarball", {
		timeout: 10 * minutes,
	}, async () => {
		const reader = createReader((home) => {
			clone(join(home, "checkout"));
			return join(home, "checkout");
		});
		first.reader = reader;
		await reader.follow(readme);
		expect(await reader.stopEmulator()).not.toBe(1);
	});

	const guides = pages.filter((page) => page !== "README.md" && stepsOf(page).some(isDone));
	it.each(guides)("%s, where README's own program ends", { timeout: 5 * minutes }, async (page) => {
		const desk = join(first.reader?.home ?? "", "desk");
		const reader = createReader((home) => {
			mkdirSync(join(home, "desk"));
			symlinkSync(join(desk, "node_modules"), join(home, "desk/node_modules"));
			return join(home, "desk");
		});
		onTestFinished(() => reader.leave());
		// What is installed there is provided; the rest of the section is typed again.
		const [, ...program] = readme.filter(({ heading }) => heading === "In your own program");
		const manifest = readFileSync(join(desk, "package.json"), "utf8");
		const where = { page, line: 0, heading: "" };
		await reader.follow([
			{ ...where, kind: "file", name: "package.json", text: manifest },
			{ ...where, kind: "emulator", command: "npx telephony emulator --memory", prints: [] },
			// The page's own emulator gives out other numbers than README's.
			...program.map((step) => ("prints" in step ? { ...step, prints: [] } : step)),
			...stepsOf(page),
		]);
	});
});

describe("what is not typed", () => {
	const left = pages.flatMap((page) => stepsOf(page).flatMap((step) => (step.kind === "not typed" ? [step] : [])));

	// The report has each with the page's own reason.
	it.each(left)("$page:$line: $why", ({ why }) => expect(why.length).toBeGreaterThan(10));

	it("is the smaller part", () => {
		expect(left.length).toBeLessThan(pages.flatMap((page) => stepsOf(page).filter(isDone)).length);
	});
});

describe("a page's block", () => {
	const fence = "```";
	const page = (...blocks: string[]) =>
		stepsOf("page.md", blocks.map((block) => `${fence}${block}\n${fence}\n`).join("\n"));

	it.each([
		["text\nhello"],
		["ts\nf();", "text\nhello"],
		['sh not-typed="because"\nls', "text\nhello"],
		["console\n$ ls"],
		["\n$ ls"],
	])("is found out if it is neither typed nor says why: %s %s", (...blocks) => {
		expect(page(...blocks).at(-1)).toMatchObject({ kind: "not typed", why: "" });
	});

	it("is typed command by command, with the exit code that its comment names", () => {
		const [step] = page(
			"sh\n# a comment\ncurl a \\\n  b # exit 7: drift\ncat <<END\nx\nEND\necho 'a\nb'",
			"text\nhello",
		);
		expect(step).toMatchObject({
			kind: "type",
			commands: [
				{ text: "curl a \\\n  b # exit 7: drift", exit: 7 },
				{ text: "cat <<END\nx\nEND", exit: 0 },
				{ text: "echo 'a\nb'", exit: 0 },
			],
			prints: ["hello"],
		});
	});

	it("shows what is printed but for ids, times and widths, and nothing else", () => {
		const shown = ["Number office  num_jsrowpdjesr6 created (0.05s)", "  + 5 created"];
		expect(missing(shown, "…\n + 5 created\nNumber office num_abcdefghijkl created (12s)\n")).toEqual([]);
		expect(missing(shown, "+ 4 created\nNumber other num_abcdefghijkl created (12s)\n")).toEqual(shown);
		expect(missing(["+ 5 created", "+ 5 created"], "+ 5 created")).toEqual(["+ 5 created"]);
	});
});

describe("the checkout", () => {
	it("has no stack's file, which would carry somebody's passphrase", () => {
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
