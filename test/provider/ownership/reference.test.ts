/** The text that an object carries at the service. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSameStack, ownerName } from "../../../provider/ownership/claim";
import {
	formatReference,
	freshLease,
	isCut,
	isCutFrom,
	isCutTo,
	isRetained,
	leaseOf,
	ownerOf,
	parseReference,
	pathOf,
	retainedLease,
	shortStackName,
	stackNameOf,
} from "../../../provider/ownership/reference";
import { identity } from "../../helpers/claim-source";

const urn = (project: string, stack: string) => `urn:pulumi:${stack}::${project}::t::main`;
/** In a folder, which makes the longest state. */
const claimIn = (project: string, stack: string) => identity({ place: "file://host/srv/state" }, urn(project, stack));

describe("a reference", () => {
	const name = fc.oneof(
		fc.stringMatching(/^[A-Za-z0-9_.~-]{1,60}$/),
		fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }),
	);

	test("returns what was put into it, in at most 64 plain characters", () =>
		fc.assert(
			fc.property(name, name, fc.boolean(), (project, stack, isRetainedLease) => {
				const claim = claimIn(project, stack);
				const lease = isRetainedLease ? retainedLease : freshLease();
				const reference = formatReference(claim, lease);
				const { token, state, stackName } = claim;
				const parsed = parseReference(reference);
				expect(parsed).toEqual({ token, owner: ownerOf(state), lease, stackName: shortStackName(stackName) });
				expect(isSameStack(claim, { stackName: shortStackName(stackName) })).toBe(true);
				expect(isRetained(reference)).toBe(isRetainedLease);
				expect(reference).toMatch(/^[\w.~/#-]{1,64}$/);
			}),
		));

	test("holds the longest stack name that 64 characters allow", () => {
		const claim = claimIn("p".repeat(7), "s".repeat(8));
		const reference = formatReference(claim, freshLease());
		expect(reference).toHaveLength(64);
		expect(reference).toContain(`~${"p".repeat(7)}/${"s".repeat(8)}`);
	});

	test.each([
		["R.G..lease~shop/dev", { owner: "" }],
		["R.G.state.lease~", { stackName: "" }],
		["R.G.state.lease~my.shop/v1.2", { stackName: "my.shop/v1.2" }],
		["R.G.state.left~shop/dev", { lease: retainedLease }],
	])("is read from %s", (text, changed) => {
		const plain = { token: "R.G", owner: "state", lease: "lease", stackName: "shop/dev" };
		expect(parseReference(text)).toEqual({ ...plain, ...changed });
	});

	test.each([
		...[null, undefined, "", "order 4711", "a.b.c", "a.b.c~h", "a.b.c.d", "...", ".b.c.d~h", "a..c.d~h", "a.b.c.~h"],
		...["a.b.c.d.e~h", "a.b.c.d~e~f", "R.G.state.lease.word.*~shop/dev"],
	])("isn't read from %j", (text) => expect(parseReference(text)).toBeUndefined());
});

describe("a cut reference", () => {
	const mine = claimIn("shop", "dev");
	const whole = formatReference(mine, "lease1");
	const elsewhere = claimIn("shop", "prod");
	const lengths = Array.from(whole, (_, index) => index);

	test("is known by a whole token, until it can be read", () => {
		const tilde = whole.indexOf("~");
		expect(lengths.filter((length) => isCut(whole.slice(0, length)))).toEqual(
			lengths.filter((length) => length >= mine.token.length && length <= tilde),
		);
		for (const text of [null, undefined, "", "order 4711", whole, ` ${whole.slice(0, 40)}`, `${mine.token}x`])
			expect(isCut(text)).toBe(false);
	});

	test("is a beginning of twelve characters or more", () => {
		expect(lengths.filter((length) => isCutTo(whole.slice(0, length), whole))).toEqual(lengths.slice(12));
		for (const text of [null, undefined, whole, formatReference(elsewhere, "lease1").slice(0, 40)])
			expect(isCutTo(text, whole)).toBe(false);
	});

	test("is its declaration's and owner's, up to the tilde", () => {
		const tilde = whole.indexOf("~");
		expect(lengths.filter((length) => isCutFrom(whole.slice(0, length), mine))).toEqual(
			lengths.filter((length) => length >= 12 && length <= tilde),
		);
		const { token } = mine;
		for (const text of [null, undefined, "", whole, whole.slice(1, 40), `${token}.stranger.`, `${token}.x`])
			expect(isCutFrom(text, mine)).toBe(false);
		for (const length of lengths.slice(12)) expect(isCutFrom(whole.slice(0, length), elsewhere)).toBe(false);
	});
});

describe("the owner", () => {
	test.each([
		[undefined, "", ""],
		["s".repeat(16), "ssssssss", ""],
		[`${"s".repeat(16)}${"p".repeat(8)}`, "sssspppp", "pppp"],
	])("of the state %s is %s", (state, owner, path) => expect([ownerOf(state), pathOf(state)]).toEqual([owner, path]));
});

test("makes leases of six characters, new ones and those of a key", () => {
	const fresh = Array.from({ length: 20 }, freshLease);
	expect(new Set(fresh).size).toBe(20);
	for (const lease of [...fresh, leaseOf("ptel-1")]) expect(lease).toMatch(/^[\w-]{6}$/);
	expect(leaseOf("ptel-1")).toBe(leaseOf("ptel-1"));
	expect(leaseOf("ptel-1")).not.toBe(leaseOf("ptel-2"));
});

describe("a stack name", () => {
	test.each([
		["shop", "dev", "shop/dev"],
		["my.shop", "v1.2", "my.shop/v1.2"],
		["", "", ""],
	])("is project and stack: %j, %j", (project, stack, stackName) =>
		expect(stackNameOf({ project, stack })).toBe(stackName),
	);

	test.each([
		["acme-voice", "production", /^acme-voice\/#[\w-]{4}$/],
		["acme-voice", "production-2", /^acme-voice\/#[\w-]{4}$/],
		["sh~op", "dev", /^sh_op\/dev#[\w-]{4}$/],
		["sh#op", "dev", /^sh_op\/dev#[\w-]{4}$/],
	])("ends with a hash if it doesn't fit: %s, %s", (project, stack, form) =>
		expect(shortStackName(stackNameOf({ project, stack }))).toMatch(form),
	);

	test("never looks like another one", () => {
		const names = ["acme-voice/production", "acme-voice/production-2", "sh~op/dev", "sh#op/dev", "sh_op/dev"];
		expect(new Set(names.map(shortStackName)).size).toBe(names.length);
	});
});

describe("the owner's name", () => {
	const mine = claimIn("shop", "dev");
	const elsewhere = identity({ place: "s3://there" }, urn("shop", "dev"));

	test.each([
		[formatReference(mine, "l"), "another resource of this stack, shop/dev"],
		[formatReference(claimIn("shop", "prod"), "l"), "the stack shop/prod"],
		[formatReference(elsewhere, "l"), "the stack shop/dev in another state"],
		[formatReference(claimIn("acme-voice", "production"), "l"), "the stack acme-voice/…"],
		["order 4711", 'another program (its `reference` is "order 4711")'],
	])("follows from the reference %s", (reference, name) => expect(ownerName(reference, mine)).toBe(name));

	test("says what the service shows if nobody's can be read", () => {
		const whole = formatReference(mine, "lease1");
		for (const length of [31, 40]) expect(ownerName(whole.slice(0, length), mine)).toContain(whole.slice(0, length));
		expect(ownerName(whole.slice(0, 40), mine)).not.toContain("another program");
		for (const text of [null, undefined, whole.slice(0, 30)])
			expect(ownerName(text, mine)).toBe(`another program (its \`reference\` is ${JSON.stringify(text)})`);
	});

	test("is the stack's name for a reader without a claim", () => {
		expect(ownerName(formatReference(mine, "l"))).toBe("the stack shop/dev");
		expect(ownerName(formatReference(elsewhere, "l"))).toBe("the stack shop/dev");
	});

	test("is whole for the stack's own", () => {
		const mine = claimIn("acme-voice", "production");
		const reference = formatReference(mine, "l");
		expect(ownerName(reference, mine)).toBe("another resource of this stack, acme-voice/production");
	});
});
