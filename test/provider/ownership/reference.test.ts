/** The text that an object carries at the service. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { identityOf, ownerName } from "../../../provider/ownership/claim";
import {
	formatReference,
	freshLease,
	homeOf,
	isLeft,
	leftLease,
	parseReference,
} from "../../../provider/ownership/reference";
import { source } from "../../helpers/claim-source";

const urn = (project: string, stack: string) => `urn:pulumi:${stack}::${project}::t::main`;
/** In a folder, which has the longest name of a state. */
const claimIn = (project: string, stack: string) =>
	identityOf(source({ places: ["file://host/srv/state"] }, urn(project, stack)));

describe("a reference", () => {
	const name = fc.oneof(
		fc.stringMatching(/^[A-Za-z0-9_.~-]{1,60}$/),
		fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }),
	);

	test("says all that was put into it again, in at most 128 characters", () =>
		fc.assert(
			fc.property(name, name, fc.boolean(), (project, stack, isLeftBehind) => {
				const claim = claimIn(project, stack);
				const lease = isLeftBehind ? leftLease : freshLease();
				const reference = formatReference(claim, lease);
				const { token, state, home } = claim;
				expect(parseReference(reference)).toEqual({ token, state, lease, home });
				expect(isLeft(reference)).toBe(isLeftBehind);
				expect(reference.replace(home, "")).toMatch(/^[\w.~-]*$/);
				expect(reference.length).toBeLessThanOrEqual(128);
			}),
		));

	test("has the whole stack name where 128 characters allow it", () => {
		const claim = claimIn("p".repeat(26), "s".repeat(27));
		expect(claim.home).toBe(`${"p".repeat(26)}/${"s".repeat(27)}`);
		expect(formatReference(claim, freshLease())).toHaveLength(128);
	});

	test.each([
		["of an unknown state", "R.G..lease~shop/dev", { state: "" }],
		["without a home", "R.G.state.lease~", { home: "" }],
		["of a home with dots", "R.G.state.lease~my.shop/v1.2", { home: "my.shop/v1.2" }],
		["of a number that its stack has left", "R.G.state.left~shop/dev", { lease: leftLease }],
	])("is read %s", (_, text, changed) => {
		const plain = { token: "R.G", state: "state", lease: "lease", home: "shop/dev" };
		expect(parseReference(text)).toEqual({ ...plain, ...changed });
	});

	test.each(["R.G.state.lease", "R.G.state.lease.word.*~shop/dev", "R.G.state.lease~a~b"])(
		"isn't read in the earlier form %s",
		(text) => expect(parseReference(text)).toBeUndefined(),
	);
});

describe("a home", () => {
	test.each([
		["is project and stack, for people", "shop", "dev", "shop/dev"],
		["may have dots", "my.shop", "v1.2", "my.shop/v1.2"],
		["is none where neither is known", "", "", ""],
	])("%s", (_, project, stack, home) => expect(homeOf({ project, stack })).toBe(home));

	test("that is too long, or has a sign of ours in it, is a hash that tells one from another", () => {
		const odd = [
			{ project: "a-project-with-a-very-long-name-that-never-ends", stack: "production" },
			{ project: "a-project-with-a-very-long-name-that-never-ends", stack: "production-2" },
			{ project: "sh~op", stack: "dev" },
		].map(homeOf);
		for (const home of odd) expect(home).toMatch(/^#[\w-]{8}$/);
		expect(new Set(odd).size).toBe(3);
		expect(homeOf({ project: "a-project-with-a-very-long-name-that-never-ends", stack: "production" })).toBe(odd[0]);
	});
});

describe("whose an object is, in words,", () => {
	const [mine, theirs] = [claimIn("shop", "dev"), claimIn("shop", "prod")];
	const elsewhere = identityOf(source({ places: ["s3://there"] }, urn("shop", "dev")));
	const long = claimIn("a-project-with-a-very-long-name-that-never-ends", "production");

	test.each([
		["this stack", formatReference(mine, "l"), "this stack, shop/dev"],
		["another stack", formatReference(theirs, "l"), "the stack shop/prod"],
		["this stack, kept elsewhere", formatReference(elsewhere, "l"), "the stack shop/dev in another state"],
		["a stack of a long name", formatReference(long, "l"), "a stack whose name is too long to keep"],
		["another program", "order 4711", 'another program (its `reference` is "order 4711")'],
	])("names %s", (_, reference, name) => expect(ownerName(reference, mine)).toBe(name));

	test("names a stack also where no resource asks", () => {
		expect(ownerName(formatReference(mine, "l"))).toBe("the stack shop/dev");
	});
});
