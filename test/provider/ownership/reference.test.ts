/** The text that an object carries at the service. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ownerName } from "../../../provider/ownership/claim";
import {
	formatReference,
	freshLease,
	isLeft,
	leftLease,
	parseReference,
	stackNameOf,
} from "../../../provider/ownership/reference";
import { identity } from "../../helpers/claim-source";

const urn = (project: string, stack: string) => `urn:pulumi:${stack}::${project}::t::main`;
/** In a folder, which makes the longest state. */
const claimIn = (project: string, stack: string) => identity({ place: "file://host/srv/state" }, urn(project, stack));
const endless = "a-project-with-a-very-long-name-that-never-ends";

describe("a reference", () => {
	const name = fc.oneof(
		fc.stringMatching(/^[A-Za-z0-9_.~-]{1,60}$/),
		fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }),
	);

	test("returns what was put into it, in at most 128 characters", () =>
		fc.assert(
			fc.property(name, name, fc.boolean(), (project, stack, isLeftBehind) => {
				const claim = claimIn(project, stack);
				const lease = isLeftBehind ? leftLease : freshLease();
				const reference = formatReference(claim, lease);
				const { token, state, stackName } = claim;
				expect(parseReference(reference)).toEqual({ token, state, lease, stackName });
				expect(isLeft(reference)).toBe(isLeftBehind);
				expect(reference.replace(stackName, "")).toMatch(/^[\w.~-]*$/);
				expect(reference.length).toBeLessThanOrEqual(128);
			}),
		));

	test("holds the longest stack name that 128 characters allow", () => {
		const claim = claimIn("p".repeat(26), "s".repeat(27));
		expect(claim.stackName).toBe(`${"p".repeat(26)}/${"s".repeat(27)}`);
		expect(formatReference(claim, freshLease())).toHaveLength(128);
	});

	test.each([
		["R.G..lease~shop/dev", { state: "" }],
		["R.G.state.lease~", { stackName: "" }],
		["R.G.state.lease~my.shop/v1.2", { stackName: "my.shop/v1.2" }],
		["R.G.state.left~shop/dev", { lease: leftLease }],
	])("is read from %s", (text, changed) => {
		const plain = { token: "R.G", state: "state", lease: "lease", stackName: "shop/dev" };
		expect(parseReference(text)).toEqual({ ...plain, ...changed });
	});

	test.each([
		...[null, undefined, "", "order 4711", "a.b.c", "a.b.c~h", "a.b.c.d", "...", ".b.c.d~h", "a..c.d~h", "a.b.c.~h"],
		...["a.b.c.d.e~h", "a.b.c.d~e~f", "R.G.state.lease.word.*~shop/dev"],
	])("isn't read from %j", (text) => expect(parseReference(text)).toBeUndefined());
});

describe("a stack name", () => {
	test.each([
		["shop", "dev", "shop/dev"],
		["my.shop", "v1.2", "my.shop/v1.2"],
		["", "", ""],
	])("is project and stack: %j, %j", (project, stack, stackName) =>
		expect(stackNameOf({ project, stack })).toBe(stackName),
	);

	test("is a hash if it is too long or has a tilde", () => {
		const names = [
			stackNameOf({ project: endless, stack: "production" }),
			stackNameOf({ project: endless, stack: "production-2" }),
			stackNameOf({ project: "sh~op", stack: "dev" }),
		];
		for (const stackName of names) expect(stackName).toMatch(/^#[\w-]{8}$/);
		expect(new Set(names).size).toBe(3);
	});
});

describe("the owner's name", () => {
	const mine = claimIn("shop", "dev");
	const elsewhere = identity({ place: "s3://there" }, urn("shop", "dev"));

	test.each([
		[formatReference(mine, "l"), "another resource of this stack, shop/dev"],
		[formatReference(claimIn("shop", "prod"), "l"), "the stack shop/prod"],
		[formatReference(elsewhere, "l"), "the stack shop/dev in another state"],
		[formatReference(claimIn(endless, "production"), "l"), "a stack whose name is too long to keep"],
		["order 4711", 'another program (its `reference` is "order 4711")'],
	])("follows from the reference %s", (reference, name) => expect(ownerName(reference, mine)).toBe(name));
});
