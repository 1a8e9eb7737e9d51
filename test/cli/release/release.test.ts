/** `telephony release`: the numbers that it releases and refuses. */
import { describe, expect, test } from "vitest";
import { identityFrom } from "../../../provider/ownership/claim";
import { formatReference, retainedLease } from "../../../provider/ownership/reference";
import { numberClaim } from "../../../provider/resources/number/properties";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { aNumber } from "../../helpers/provider";
import { useStates } from "../../helpers/states";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const states = useStates<object>("release", emulator);

const place = "s3://states";
const cloud = "https://api.pulumi.com";

interface Claim {
	readonly stack?: string;
	readonly project?: string;
	readonly place?: string;
	readonly owner?: string;
	/** Default: that of a retained number. */
	readonly lease?: string;
	readonly isProtected?: boolean;
}

/** A number that carries the claim of a resource. */
async function claimed(name: string, claim: Claim = {}): Promise<string> {
	const { stack = "dev", project = "shop", lease = retainedLease, isProtected = false } = claim;
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	const { __resourceUrn } = aNumber({}, name);
	const urn = String(__resourceUrn).replace("dev::shop", `${stack}::${project}`);
	const identity = identityFrom(
		numberClaim,
		{ ...aNumber(), __resourceUrn: urn },
		{ owner: claim.owner, place: claim.place ?? place },
	);
	emulator.control.patchNumber(body.id, {
		reference: formatReference(identity, lease),
		release_protection: isProtected,
	});
	return body.id;
}

/** The state of shop/dev: it holds these numbers. */
const state = (...held: readonly { readonly id: string; readonly name?: string }[]) =>
	states.state([{ type: "pulumi:pulumi:Stack", name: "shop-dev", id: "" }, ...held]);

async function release(
	file: string,
	args: readonly string[],
	{ isAsked = false, url = emulator.url, backend = place } = {},
) {
	const done = await states.run([file], {
		args: [...args, ...(isAsked ? [] : ["--yes"])],
		url,
		env: { PULUMI_BACKEND_URL: backend },
	});
	return { ...done, released: emulator.released() };
}

test("releases nothing on an account that isn't the pinned one", async () => {
	await claimed("one");
	const run = (TELEPHONY_ACCOUNT: string) =>
		states.run([state()], { args: ["--retained", "--yes"], env: { PULUMI_BACKEND_URL: place, TELEPHONY_ACCOUNT } });
	const refused = await run("acc_other");
	expect([refused.code, emulator.released()]).toEqual([1, []]);
	expect(refused.output).toContain("[telephony:wrong-account]");
	expect((await run(emulator.control.state().account.id)).code).toBe(0);
	expect(emulator.released()).toHaveLength(1);
});

describe("--retained", () => {
	test("releases only the retained numbers of this stack", async () => {
		const held = await claimed("main", { lease: "written" });
		const [first, second] = [await claimed("one"), await claimed("two")];
		await claimed("lost", { lease: "written" });
		await claimed("main", { project: "other" });
		await claimed("main", { stack: "prod" });
		await claimed("main", { place: "s3://elsewhere" });
		await claimed("safe", { isProtected: true });
		const done = await release(state({ id: held }), ["--retained"]);
		expect(done.code, done.output).toBe(0);
		expect(done.released.sort()).toEqual([first, second].sort());
		expect(done.stdout).toMatch(/2 numbers, 4\.00 USD a month/);
	});

	test("releases protected ones with --unprotect", async () => {
		const id = await claimed("safe", { isProtected: true });
		expect((await release(state(), ["--retained"])).released).toEqual([]);
		expect((await release(state(), ["--retained", "--unprotect"])).released).toEqual([id]);
	});

	test("changes nothing for a stack without retained numbers", async () => {
		await claimed("main", { project: "other" });
		const done = await release(state(), ["--retained"]);
		expect(done).toMatchObject({ code: 0, released: [] });
		expect(done.output).toMatch(/^stack shop\/dev has no retained numbers .*\n$/);
	});
});

test.each([true, false])("releases nothing of a namesake with another owner, retained: %s", async (isRetained) => {
	const owned = { place: cloud, owner: "colleague" };
	const theirs = await claimed("main", isRetained ? owned : { ...owned, lease: "written" });
	const done = await release(state(), isRetained ? ["--retained"] : [theirs], { backend: cloud });
	expect(done.released).toEqual([]);
	expect(done.output).toContain(theirs);
	expect(done.output).toContain("ORGANIZATION/PROJECT/STACK");
});

describe("a named number", () => {
	test("is released if it is retained", async () => {
		const id = await claimed("main");
		const done = await release(state(), [id, id]);
		expect(done, done.output).toMatchObject({ code: 0, released: [id] });
		expect(done.stdout).toContain("released ");
		expect(done.stdout).not.toContain("next `pulumi up`");
	});

	test.each([
		["another project's", () => claimed("main", { project: "other" }), "the stack other/dev"],
		["another stack's", () => claimed("main", { stack: "prod" }), "the stack shop/prod"],
		[
			"claimed in another state",
			() => claimed("main", { place: "s3://elsewhere" }),
			"the stack shop/dev in another state",
		],
		["claimed by this stack, but not in the file", () => claimed("main", { lease: "written" }), "Name the stack"],
		["protected", () => claimed("main", { isProtected: true }), "--unprotect"],
		[
			"not claimed",
			async () => (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body.id,
			"nothing claims it",
		],
		["not on the account", async () => "num_nowhere", "there is no number"],
	])("is refused if it is %s", async (_, make, says) => {
		const [fine, wrong] = [await claimed("fine"), await make()];
		const done = await release(state(), [fine, wrong]);
		expect(done, done.output).toMatchObject({ code: says === "--unprotect" ? 2 : 1, released: [] });
		expect(done.output).toMatch(/^telephony: .* \[telephony:[a-z-]+\]\n$/);
		expect(done.output).toContain(says);
	});

	test("releases a number of an old plan by its digits", async () => {
		const id = await claimed("old");
		emulator.edit("number", id, { number: "+22507123456" });
		expect((await release(state(), ["+225 07 12 34 56"])).released).toEqual([id]);
	});

	test.each([" / 8", "O", " ext", "x5", ";ext=5", ", +31201234567", "\u202e"])(
		"refuses a number with the text %j, and releases nothing",
		async (text) => {
			const id = await claimed("old");
			emulator.edit("number", id, { number: "+31201234567" });
			const longer = await claimed("longer");
			emulator.edit("number", longer, { number: "+312012345678" });
			const done = await release(state(), [`+31201234567${text}`]);
			expect(done, done.output).toMatchObject({ code: 2, released: [] });
			expect(done.output).toMatch(/\[telephony:usage\]\n$/);
		},
	);

	test("compares the number of the list and of a single read in canonical form", async () => {
		const id = await claimed("old");
		emulator.edit("number", id, { number: "+31201234567" });
		proxy.rewrite = (text, method, url) =>
			method === "GET" && url.endsWith(id) ? text.replace("+31201234567", "+31 20 1234567") : text;
		expect((await release(state(), [id], { url: proxy.url })).released).toEqual([id]);
	});

	test.each([
		["a resource", "main", "remove the resource"],
		["a pool", "support[2]", "`releaseFirst` of `support`"],
	])("is refused if %s of the state holds it", async (_, name, says) => {
		const id = await claimed("main", { lease: "written" });
		const done = await release(state({ id, name }), [id, "--unprotect"]);
		expect(done, done.output).toMatchObject({ code: 1, released: [] });
		expect(done.output).toContain('`onDelete: "release"`');
		expect(done.output).toContain(says);
		expect(done.output).toContain("[telephony:claimed]");
	});

	test("is refused if another run has just claimed it", async () => {
		const id = await claimed("main");
		proxy.rewrite = (text, method, path) =>
			method === "GET" && path.endsWith(id) ? text.replace(".left~", ".resumed~") : text;
		const done = await release(state(), [id], { url: proxy.url });
		expect(done, done.output).toMatchObject({ code: 1, released: [] });
		expect(done.output).toContain("[telephony:claimed]");
	});
});

test("is refused if the id stands for another number than in the list", async () => {
	const id = await claimed("main");
	const number = String(emulator.row(id)?.number);
	proxy.rewrite = (text, method, path) =>
		method === "GET" && path.endsWith(id) ? text.replace(number, "+31600000999") : text;
	const done = await release(state(), [id], { url: proxy.url });
	expect(done, done.output).toMatchObject({ code: 1, released: [] });
	expect(done.output).toContain("[telephony:claimed]");
});

test("leaves a number as it was if the service refuses its release", async () => {
	const [first, second] = [await claimed("one", { isProtected: true }), await claimed("two")];
	emulator.control.faults.set({
		operation: "releaseNumber",
		kind: "status",
		status: 409,
		error: "call_in_progress",
		message: "A call is in progress.",
	});
	const done = await release(state(), [first, second, "--unprotect"]);
	expect(done, done.output).toMatchObject({ code: 1, released: [] });
	expect(emulator.row(first)).toMatchObject({ release_protection: true });
	for (const text of [first, second, "call_in_progress"]) expect(done.output).toContain(text);
	expect(done.stdout).not.toMatch(/^released /m);
});

test.each([
	["neither numbers nor --retained", []],
	["both", ["num_1", "--retained"]],
])("%s is refused", async (_, args) => {
	const done = await release(state(), args);
	expect(done, done.output).toMatchObject({ code: 2, released: [] });
	expect(done.output).toContain("[telephony:usage]");
});

test("releases nothing without a terminal for the question", async () => {
	const id = await claimed("main");
	const done = await release(state(), [id], { isAsked: true });
	expect(done, done.output).toMatchObject({ code: 2, released: [] });
});

test.each([["--retained"], ["num_1"]])("refuses %s at a service without references before it asks", async (name) => {
	await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	emulator.control.settings({ features: { reference: false } });
	const done = await release(state(), [name], { isAsked: true });
	expect(done.output).toMatch(/no references.*Nothing was released.*`adopt`.*\[telephony:claimed\]/s);
	expect(done).toMatchObject({ released: [] });
});
