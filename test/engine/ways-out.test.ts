/**
 * What refuses a release, what the next runs do, and each way out that it offers, typed to its end on the real engine, in
 * both fronts. The ledger judges.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Project, type Run, run } from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });
const ledger = (kind: string) =>
	emulator.control.ledger().flatMap((entry) => (entry.kind === kind ? [entry.number_id ?? ""] : []));
const isLive = (id: string) =>
	["active", "pending"].includes(emulator.control.state().numbers.find((row) => row.id === id)?.status ?? "");
const told = ({ output }: Run) => output.replaceAll(/\s+/g, " ");

const amsterdam = `country: "NL", type: "geographic", area: "20"`;
const rotterdam = `country: "NL", type: "geographic", area: "10"`;

const fronts = ["pulumi-telephony", "pulumi-telephony/plugin"] as const;

/** A stack whose programs are written with the front's classes. */
async function stackOf(front: (typeof fronts)[number], program: string) {
	const plugin = front.endsWith("plugin");
	const own = (text: string) => (plugin ? `const t = require("${front}");\n` : "const t = telephony;\n") + text;
	const stack = await createProject({ program: own(program), service: emulator, plugin });
	const succeed = async (run: Promise<Run>) => {
		const { code, output } = await run;
		expect(code, output).toBe(0);
	};
	await succeed(stack.up());
	return {
		...stack,
		write: (text: string) => stack.write(own(text)),
		succeed,
		/** The run fails, with this code in what it says. */
		refused: async (run: Promise<Run>, code: string) => {
			const ended = await run;
			expect([ended.code === 0, told(ended)]).toEqual([false, expect.stringContaining(`[telephony:${code}]`)]);
			return told(ended);
		},
		/** Nothing more to do, and nothing differs. */
		quiet: async () => {
			await succeed(stack.up("--expect-no-changes"));
			await succeed(stack.drift());
		},
	};
}

const idsIn = async (stack: Project) => (await stack.resources()).map(({ id = "" }) => id);
const urnOf = async (stack: Project, id: string) =>
	(await stack.resources()).find((entry) => entry.id === id)?.urn ?? "";

const number = (name: string, args = amsterdam, options = "{}") =>
	`new t.Number("${name}", { ${args} }, ${options});\n`;
const pool = (name: string, count: number, more = "") =>
	`new t.NumberPool("${name}", { country: "NL", type: "mobile", count: ${count}${more} });\n`;
const alias = (name: string) => `{ aliases: [{ name: "${name}" }] }`;

/** `old` is renamed to `desk` without aliases: a number was bought, and the old one stays. */
async function renamed(front: (typeof fronts)[number]) {
	const stack = await stackOf(front, number("old"));
	const [old = ""] = await idsIn(stack);
	stack.write(number("desk"));
	await stack.refused(stack.up(), "rename");
	const [made = ""] = (await idsIn(stack)).filter((id) => id !== old);
	return { stack, old, made };
}

/** `desk` is replaced by one of another area, which nobody allowed. */
async function replaced(front: (typeof fronts)[number], more = "") {
	const stack = await stackOf(front, number("desk", amsterdam + more));
	const [old = ""] = await idsIn(stack);
	stack.write(number("desk", rotterdam + more));
	const message = await stack.refused(stack.up("--replace", await urnOf(stack, old)), "replacement-refused");
	const [made = ""] = (await idsIn(stack)).filter((id) => id !== old);
	return { stack, old, made, message };
}

describe.each(fronts)("%s: a rename without aliases", (front) => {
	test("is refused in every later run, with the alias added then, and with the criteria changed", async () => {
		const { stack, old, made } = await renamed(front);
		await stack.refused(stack.up(), "rename");
		stack.write(number("desk", amsterdam, alias("old")));
		await stack.refused(stack.up(), "rename");
		stack.write(number("desk", `${amsterdam}, generation: 1`, alias("old")));
		await stack.refused(stack.up(), "rename");
		expect([ledger("release"), isLive(old)]).toEqual([[made], true]);
	});

	test("the old name back keeps the number, and releases what was bought instead", async () => {
		const { stack, old, made } = await renamed(front);
		stack.write(number("old"));
		await stack.succeed(stack.up());
		expect([ledger("release"), await idsIn(stack)]).toEqual([[made], [old]]);
		await stack.quiet();
		stack.write(number("desk", amsterdam, alias("old")));
		await stack.succeed(stack.up());
		expect([ledger("release"), await idsIn(stack)]).toEqual([[made], [old]]);
	});

	test("telephony:release releases it", async () => {
		const { stack, old, made } = await renamed(front);
		await stack.succeed(stack.pulumi("config", "set", "telephony:release", old));
		await stack.succeed(stack.up());
		expect([ledger("release"), await idsIn(stack)]).toEqual([[old], [made]]);
		await stack.quiet();
	});

	test("adopt in another resource keeps both", async () => {
		const { stack, old, made } = await renamed(front);
		stack.write(number("desk") + number("kept", `${amsterdam}, adopt: "${old}"`));
		await stack.succeed(stack.up());
		expect([ledger("release"), (await idsIn(stack)).sort()]).toEqual([[], [old, made].sort()]);
		await stack.quiet();
	});

	test("`telephony release` releases it, and the next up forgets it", async () => {
		const { stack, old, made } = await renamed(front);
		const command = (...args: string[]) =>
			run("node", [telephony, "release", ...args, "--stack", "dev"], stack.folder, stack.env);
		const asked = await command(old);
		expect([asked.code, asked.output]).toEqual([1, expect.stringMatching(/number: .*\n.*nobody to ask/s)]);
		expect((await command("num_none", "--yes")).code).toBe(1);
		const done = await command(old, "--yes");
		expect(done.code, done.output).toBe(0);
		await stack.succeed(stack.up());
		expect([ledger("release"), await idsIn(stack)]).toEqual([[old], [made]]);
		await stack.quiet();
	});

	test("destroy one at a time may take two runs that go on after an error", async () => {
		const { stack, old, made } = await renamed(front);
		await stack.destroy("--parallel", "1", "--continue-on-error");
		await stack.succeed(stack.destroy("--parallel", "1", "--continue-on-error"));
		expect([ledger("release").sort(), await idsIn(stack)]).toEqual([[old, made].sort(), []]);
	});

	test("destroy releases both; of one alone only what remembers it", async () => {
		const { stack, old, made } = await renamed(front);
		await stack.refused(stack.destroy("--target", await urnOf(stack, old)), "rename");
		await stack.succeed(stack.destroy());
		expect([ledger("release").sort(), await idsIn(stack)]).toEqual([[old, made].sort(), []]);
	});

	test.each([
		["drops the area", amsterdam, `country: "NL", type: "geographic"`],
		["adds the area", `country: "NL", type: "geographic"`, amsterdam],
	])("that also %s is one too: the numbers may be of one area", async (_, before, after) => {
		const stack = await stackOf(front, number("old", before));
		const [old = ""] = await idsIn(stack);
		stack.write(number("desk", after));
		await stack.refused(stack.up(), "rename");
		await stack.refused(stack.up(), "rename");
		expect([ledger("release"), isLive(old)]).toEqual([[], true]);
	});
});

describe.each(fronts)("%s: a replacement that nobody allowed", (front) => {
	test("is refused in every later run, whatever the entry is called by then", async () => {
		const { stack, old } = await replaced(front);
		await stack.refused(stack.up(), "replacement-refused");
		stack.write(number("phone", rotterdam, alias("desk")));
		expect((await stack.up()).code).not.toBe(0);
		stack.write(number("phone", `${rotterdam}, generation: 1`));
		expect((await stack.up()).code).not.toBe(0);
		expect([isLive(old), ledger("release").includes(old)]).toEqual([true, false]);
	});

	test("allowReplacement releases it", async () => {
		const { stack, old, made } = await replaced(front);
		stack.write(number("desk", `${rotterdam}, allowReplacement: true`));
		await stack.succeed(stack.up());
		expect([ledger("release"), await idsIn(stack)]).toEqual([[old], [made]]);
	});

	test("the old criteria back, with allowReplacement, keep it and release what was bought instead", async () => {
		const { stack, old, made } = await replaced(front);
		stack.write(number("desk", `${amsterdam}, allowReplacement: true`));
		await stack.succeed(stack.up());
		expect([ledger("release"), await idsIn(stack)]).toEqual([[made], [old]]);
	});

	test("the state's entry can be taken out by hand", async () => {
		const { stack, old, made } = await replaced(front);
		const state = JSON.parse((await stack.pulumi("stack", "export")).stdout);
		const { deployment } = state;
		deployment.resources = deployment.resources.filter(
			(entry: { id?: string; delete?: boolean }) => !(entry.delete && entry.id === old),
		);
		writeFileSync(join(stack.folder, "s.json"), JSON.stringify(state));
		await stack.succeed(stack.pulumi("stack", "import", "--file", "s.json"));
		await stack.succeed(stack.up());
		expect([ledger("release"), isLive(old), await idsIn(stack)]).toEqual([[], true, [made]]);
	});

	test("telephony:release releases it", async () => {
		const { stack, old, made } = await replaced(front);
		await stack.succeed(stack.pulumi("config", "set", "telephony:release", old));
		await stack.succeed(stack.up());
		expect([ledger("release"), await idsIn(stack)]).toEqual([[old], [made]]);
	});

	test("with another owner it is one too", async () => {
		const stack = await stackOf(front, number("desk"));
		const [old = ""] = await idsIn(stack);
		await stack.succeed(stack.pulumi("config", "set", "telephony:owner", "team"));
		const first = await stack.up("--replace", await urnOf(stack, old));
		const again = await stack.up();
		expect([ledger("release"), isLive(old)]).toEqual([[], true]);
		if (first.code === 0) return expect([again.code, await idsIn(stack)]).toEqual([0, [old]]);
		await stack.succeed(stack.pulumi("config", "set", "telephony:release", old));
		await stack.succeed(stack.up());
		expect(ledger("release")).toEqual([old]);
	});
});

describe.each(fronts)("%s: a protected number", (front) => {
	const safe = ", releaseProtection: true";

	test("that was replaced goes by its own name only", async () => {
		const { stack, old, made } = await replaced(front, safe);
		await stack.refused(stack.up(), "replacement-refused");
		await stack.succeed(stack.pulumi("config", "set", "telephony:release", old));
		await stack.succeed(stack.up());
		expect([ledger("release"), await idsIn(stack), isLive(made)]).toEqual([[old], [made], true]);
	});

	test.each(["off", "named", "forgotten"] as const)("that was removed: %s", async (way) => {
		const stack = await stackOf(front, number("desk", amsterdam + safe));
		const [old = ""] = await idsIn(stack);
		stack.write("");
		await stack.refused(stack.up(), "release-protected");
		if (way === "off") {
			stack.write(number("desk"));
			await stack.succeed(stack.up());
			stack.write("");
		} else if (way === "named")
			await stack.succeed(run("node", [telephony, "release", old, "--stack", "dev", "--yes"], stack.folder, stack.env));
		else await stack.succeed(stack.pulumi("state", "delete", await urnOf(stack, old), "--yes"));
		await stack.succeed(stack.up());
		expect([ledger("release"), await idsIn(stack)]).toEqual([way === "forgotten" ? [] : [old], []]);
	});
});

describe.each(fronts)("%s: a pool", (front) => {
	test("under another name goes by the names of its numbers", async () => {
		const stack = await stackOf(front, pool("desk", 2));
		const before = ledger("purchase");
		stack.write(pool("office", 2));
		await stack.refused(stack.up(), "rename");
		await stack.succeed(stack.pulumi("config", "set", "telephony:release", before.join(",")));
		await stack.succeed(stack.up());
		expect(ledger("release").sort()).toEqual(before.sort());
		await stack.quiet();
	});

	test("under another name keeps its numbers in every run, and the old name brings it back", async () => {
		const stack = await stackOf(front, pool("desk", 2));
		const before = ledger("purchase");
		stack.write(pool("office", 2));
		await stack.refused(stack.up(), "rename");
		await stack.refused(stack.up(), "rename");
		expect(ledger("release")).toEqual([]);
		stack.write(pool("desk", 2));
		await stack.succeed(stack.up());
		const made = ledger("purchase").filter((id) => !before.includes(id));
		expect(ledger("release").sort()).toEqual(made.sort());
		await stack.quiet();
	});

	test("of an older state that grows releases none, until it is named", async () => {
		const stack = await stackOf(front, pool("desk", 2, ", allowRelease: true"));
		const older = (await stack.pulumi("stack", "export", "--file", "older.json")).code;
		stack.write(pool("desk", 4, ", allowRelease: true"));
		await stack.succeed(stack.up());
		await stack.succeed(stack.pulumi("stack", "import", "--file", "older.json"));
		stack.write(pool("desk", 3, ", allowRelease: true"));
		await stack.refused(stack.up(), "release-refused");
		await stack.refused(stack.up(), "release-refused");
		expect([older, ledger("release")]).toEqual([0, []]);
		stack.write(pool("desk", 3, ', allowRelease: true, release: ["desk[3]"]'));
		await stack.succeed(stack.up());
		expect(ledger("release")).toHaveLength(1);
		await stack.quiet();
	});
});
