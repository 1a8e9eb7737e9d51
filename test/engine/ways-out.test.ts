/**
 * What refuses a release and what the next runs do, and each way out that it offers, typed to its end in one of the fronts:
 * for a rename, rename.test.ts has the old name put back and `telephony:release`. The ledger judges.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import {
	classes,
	createProject,
	expectQuiet,
	type Front,
	fails,
	type Project,
	plugin,
	run,
	seenAt,
	succeeds,
} from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });
const { ledger, live } = seenAt(emulator);
const isLive = (id: string) => live().some((row) => row.id === id);

const amsterdam = `country: "NL", type: "geographic", area: "20"`;
const anywhere = `country: "NL", type: "geographic"`;
const rotterdam = `country: "NL", type: "geographic", area: "10"`;

async function stackOf(front: Front, program: string): Promise<Project> {
	const stack = await createProject({ program, service: emulator, front });
	await succeeds(stack.up());
	return stack;
}

const idsIn = async (stack: Project) => (await stack.resources()).map(({ id = "" }) => id);
const urnOf = async (stack: Project, id: string) =>
	(await stack.resources()).find((entry) => entry.id === id)?.urn ?? "";
const release = (stack: Project, ...args: string[]) =>
	run("node", [telephony, "release", ...args, "--stack", "dev"], stack.folder, stack.env);

const number = (name: string, args = amsterdam, options = "{}") =>
	`new telephony.Number("${name}", { ${args} }, ${options});\n`;
const pool = (name: string, count: number, more = "") =>
	`new telephony.NumberPool("${name}", { country: "NL", type: "mobile", count: ${count}${more} });\n`;
const alias = (name: string) => `{ aliases: [{ name: "${name}" }] }`;

/** `old` is renamed to `desk` without aliases: a number was bought, and the old one stays. */
async function renamed(front: Front) {
	const stack = await stackOf(front, number("old"));
	const [old = ""] = await idsIn(stack);
	stack.write(number("desk"));
	await fails(stack.up(), "rename");
	const [made = ""] = (await idsIn(stack)).filter((id) => id !== old);
	return { stack, old, made };
}

/** `desk` is replaced by one of another area, which nobody allowed. */
async function replaced(front: Front, more = "") {
	const stack = await stackOf(front, number("desk", amsterdam + more));
	const [old = ""] = await idsIn(stack);
	stack.write(number("desk", rotterdam + more));
	await fails(stack.up("--replace", await urnOf(stack, old)), "replacement-refused");
	const [made = ""] = (await idsIn(stack)).filter((id) => id !== old);
	return { stack, old, made };
}

describe("a rename without aliases", () => {
	test("is refused in every later run, with the alias added then, and with the criteria changed", async () => {
		const { stack, old, made } = await renamed(plugin);
		const said = await fails(stack.up(), "rename");
		for (const part of [old, made, "`desk`", "aliases", "telephony:release"]) expect(said).toContain(part);
		stack.write(number("desk", amsterdam, alias("old")));
		await fails(stack.up(), "rename");
		stack.write(number("desk", `${amsterdam}, generation: 1`, alias("old")));
		await fails(stack.up(), "rename");
		expect(ledger("release")).toEqual([made]);
		expect(isLive(old)).toBe(true);
	});
});

describe("out of a rename without aliases:", () => {
	test("adopt in another resource keeps both", async () => {
		const { stack, old, made } = await renamed(classes);
		stack.write(number("desk") + number("kept", `${amsterdam}, adopt: "${old}"`));
		await succeeds(stack.up());
		expect(ledger("release")).toEqual([]);
		expect((await idsIn(stack)).sort()).toEqual([old, made].sort());
		await expectQuiet(stack);
	});

	test("`telephony release` releases it, and the next up forgets it", async () => {
		const { stack, old, made } = await renamed(classes);
		// There is nobody to ask.
		expect(await fails(release(stack, old))).toContain("number: ");
		await fails(release(stack, "num_none", "--yes"));
		await succeeds(release(stack, old, "--yes"));
		await succeeds(stack.up());
		expect(ledger("release")).toEqual([old]);
		expect(await idsIn(stack)).toEqual([made]);
		await expectQuiet(stack);
	});

	test("destroy one at a time may take two runs that go on after an error", async () => {
		const { stack, old, made } = await renamed(plugin);
		await stack.destroy("--parallel", "1", "--continue-on-error");
		await succeeds(stack.destroy("--parallel", "1", "--continue-on-error"));
		expect(ledger("release").sort()).toEqual([old, made].sort());
		expect(await idsIn(stack)).toEqual([]);
	});

	test("destroy releases both; of one alone only what remembers it", async () => {
		const { stack, old, made } = await renamed(classes);
		await fails(stack.destroy("--target", await urnOf(stack, old)), "rename");
		await succeeds(stack.destroy());
		expect(ledger("release").sort()).toEqual([old, made].sort());
		expect(await idsIn(stack)).toEqual([]);
	});

	test.each([
		["drops the area", plugin, amsterdam, anywhere],
		["adds the area", classes, anywhere, amsterdam],
	] as const)("that also %s is a rename too: the numbers may be of one area", async (_, front, before, after) => {
		const stack = await stackOf(front, number("old", before));
		const [old = ""] = await idsIn(stack);
		stack.write(number("desk", after));
		await fails(stack.up(), "rename");
		await fails(stack.up(), "rename");
		expect({ ledgerRelease: ledger("release"), isLive: isLive(old) }).toEqual({ ledgerRelease: [], isLive: true });
	});
});

describe("a replacement that nobody allowed", () => {
	test("is refused in every later run, whatever the entry is called by then", async () => {
		const { stack, old } = await replaced(classes);
		await fails(stack.up(), "replacement-refused");
		stack.write(number("phone", rotterdam, alias("desk")));
		await fails(stack.up());
		stack.write(number("phone", `${rotterdam}, generation: 1`));
		await fails(stack.up());
		expect(ledger("release")).not.toContain(old);
		expect(isLive(old)).toBe(true);
	});
});

describe("out of a replacement that nobody allowed:", () => {
	test("allowReplacement releases it", async () => {
		const { stack, old, made } = await replaced(classes);
		stack.write(number("desk", `${rotterdam}, allowReplacement: true`));
		await succeeds(stack.up());
		expect(ledger("release")).toEqual([old]);
		expect(await idsIn(stack)).toEqual([made]);
	});

	test("the old criteria back, with allowReplacement, keep it and release what was bought instead", async () => {
		const { stack, old, made } = await replaced(plugin);
		stack.write(number("desk", `${amsterdam}, allowReplacement: true`));
		await succeeds(stack.up());
		expect(ledger("release")).toEqual([made]);
		expect(await idsIn(stack)).toEqual([old]);
	});

	test("the state's entry can be taken out by hand", async () => {
		const { stack, old, made } = await replaced(classes);
		const state = JSON.parse((await stack.pulumi("stack", "export")).stdout);
		const { deployment } = state;
		deployment.resources = deployment.resources.filter(
			(entry: { id?: string; delete?: boolean }) => !(entry.delete && entry.id === old),
		);
		writeFileSync(join(stack.folder, "s.json"), JSON.stringify(state));
		await succeeds(stack.pulumi("stack", "import", "--file", "s.json"));
		await succeeds(stack.up());
		expect(ledger("release")).toEqual([]);
		expect(isLive(old)).toBe(true);
		expect(await idsIn(stack)).toEqual([made]);
	});

	test("with another owner a replacement is refused too, or keeps the number", async () => {
		const stack = await stackOf(classes, number("desk"));
		const [old = ""] = await idsIn(stack);
		await succeeds(stack.pulumi("config", "set", "telephony:owner", "team"));
		const first = await stack.up("--replace", await urnOf(stack, old));
		const again = await stack.up();
		expect({ ledgerRelease: ledger("release"), isLive: isLive(old) }).toEqual({ ledgerRelease: [], isLive: true });
		if (first.code === 0) return expect([again.code, await idsIn(stack)]).toEqual([0, [old]]);
		await succeeds(stack.pulumi("config", "set", "telephony:release", old));
		await succeeds(stack.up());
		expect(ledger("release")).toEqual([old]);
	});
});

describe("a protected number", () => {
	const safe = ", releaseProtection: true";

	test("that was replaced goes by its own name only", async () => {
		const { stack, old, made } = await replaced(plugin, safe);
		await fails(stack.up(), "replacement-refused");
		await succeeds(stack.pulumi("config", "set", "telephony:release", old));
		await succeeds(stack.up());
		expect(ledger("release")).toEqual([old]);
		expect(await idsIn(stack)).toEqual([made]);
		expect(isLive(made)).toBe(true);
	});

	test.each([
		["off", plugin],
		["named", classes],
		["forgotten", plugin],
	] as const)("that was removed: %s", async (way, front) => {
		const stack = await stackOf(front, number("desk", amsterdam + safe));
		const [old = ""] = await idsIn(stack);
		stack.write("");
		await fails(stack.up(), "release-protected");
		if (way === "off") {
			stack.write(number("desk"));
			await succeeds(stack.up());
			stack.write("");
		} else if (way === "named") await succeeds(release(stack, old, "--yes"));
		else await succeeds(stack.pulumi("state", "delete", await urnOf(stack, old), "--yes"));
		await succeeds(stack.up());
		expect(ledger("release")).toEqual(way === "forgotten" ? [] : [old]);
		expect(await idsIn(stack)).toEqual([]);
	});
});

describe("a pool", () => {
	test("under another name keeps its numbers in every run, and the old name brings it back", async () => {
		const stack = await stackOf(plugin, pool("desk", 2));
		const before = ledger("purchase");
		stack.write(pool("office", 2));
		await fails(stack.up(), "rename");
		await fails(stack.up(), "rename");
		expect(ledger("release")).toEqual([]);
		stack.write(pool("desk", 2));
		await succeeds(stack.up());
		const made = ledger("purchase").filter((id) => !before.includes(id));
		expect(ledger("release").sort()).toEqual(made.sort());
		await expectQuiet(stack);
	});

	test("under another name goes by the names of its numbers", async () => {
		const stack = await stackOf(classes, pool("desk", 2));
		const before = ledger("purchase");
		stack.write(pool("office", 2));
		await fails(stack.up(), "rename");
		await succeeds(stack.pulumi("config", "set", "telephony:release", before.join(",")));
		await succeeds(stack.up());
		expect(ledger("release").sort()).toEqual(before.sort());
		await expectQuiet(stack);
	});

	test("of an older state that grows releases none, until it is named", async () => {
		const stack = await stackOf(plugin, pool("desk", 2, ", allowRelease: true"));
		const older = (await stack.pulumi("stack", "export", "--file", "older.json")).code;
		stack.write(pool("desk", 4, ", allowRelease: true"));
		await succeeds(stack.up());
		await succeeds(stack.pulumi("stack", "import", "--file", "older.json"));
		stack.write(pool("desk", 3, ", allowRelease: true"));
		await fails(stack.up(), "release-refused");
		await fails(stack.up(), "release-refused");
		expect({ older, ledgerRelease: ledger("release") }).toEqual({ older: 0, ledgerRelease: [] });
		stack.write(pool("desk", 3, ', allowRelease: true, release: ["desk[3]"]'));
		await succeeds(stack.up());
		expect(ledger("release")).toHaveLength(1);
		await expectQuiet(stack);
	});
});
