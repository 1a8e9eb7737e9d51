/** The text that an object carries at the service. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { marksOf } from "../../../provider/ownership/beside";
import { identityOf, ownerName } from "../../../provider/ownership/claim";
import {
	formatReference,
	freshAccount,
	freshLease,
	homeOf,
	noBonds,
	parseReference,
} from "../../../provider/ownership/reference";
import { source } from "../../helpers/claim-source";

const urn = (project: string, stack: string) => `urn:pulumi:${stack}::${project}::t::main`;
/** In a folder, which has the longest name of a state. */
const claimIn = (project: string, stack: string) =>
	identityOf(source({ places: ["file://host/srv/state"] }, urn(project, stack)));
const most = (count: number) => marksOf([..."abcd"].slice(0, count).map((id) => ({ id })));

describe("a reference", () => {
	const name = fc.oneof(
		fc.stringMatching(/^[A-Za-z0-9_.~-]{1,40}$/),
		fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }),
	);

	test("says all that was put into it again, in at most 128 characters, plain but for the names of project and stack", () =>
		fc.assert(
			fc.property(name, name, fc.nat(4), fc.boolean(), (project, stack, marks, isNew) => {
				const claim = claimIn(project, stack);
				const bonds = isNew ? noBonds : { account: freshAccount(), beside: marks === 0 ? "*" : most(marks) };
				const lease = freshLease();
				const reference = formatReference(claim, lease, bonds);
				const { token, state, home } = claim;
				expect(parseReference(reference)).toEqual({ token, state, lease, home, ...bonds });
				expect(reference.replace(home, "")).toMatch(/^[\w.*/#~-]*$/);
				expect(reference.length).toBeLessThanOrEqual(128);
			}),
		));

	test("needs no more than 128 characters where all of it is as long as it gets", () => {
		const claim = claimIn("p".repeat(14), "s".repeat(15));
		expect(claim.home).toBe(`${"p".repeat(14)}/${"s".repeat(15)}`);
		const reference = formatReference(claim, freshLease(), { account: freshAccount(), beside: most(4) });
		expect(reference).toHaveLength(128);
	});

	test.each([
		["as versions before 0.2 wrote it", "R.G.state.lease", {}],
		["of an unknown state", "R.G..lease", { state: "" }],
		["without a home", "R.G.state.lease.word.~", { account: "word" }],
		["without a word", "R.G.state.lease..abcd~shop/dev", { beside: "abcd", home: "shop/dev" }],
		[
			"of a home with dots",
			"R.G.state.lease.word.*~my.shop/v1.2",
			{ account: "word", beside: "*", home: "my.shop/v1.2" },
		],
	])("is read %s", (_, text, said) => {
		const none = { token: "R.G", state: "state", lease: "lease", account: "", beside: "", home: "" };
		expect(parseReference(text)).toEqual({ ...none, ...said });
	});
});

describe("a home", () => {
	test.each([
		["is project and stack, for people", "shop", "dev", "shop/dev"],
		["may have dots", "my.shop", "v1.2", "my.shop/v1.2"],
		["is none where neither is known", "", "", ""],
	])("%s", (_, project, stack, home) => expect(homeOf({ project, stack })).toBe(home));

	test("that is too long, or has a sign of ours in it, is a hash that tells one from another", () => {
		const odd = [
			{ project: "a-project-with-a-long-name", stack: "production" },
			{ project: "a-project-with-a-long-name", stack: "production-2" },
			{ project: "sh~op", stack: "dev" },
		].map(homeOf);
		for (const home of odd) expect(home).toMatch(/^#[\w-]{8}$/);
		expect(new Set(odd).size).toBe(3);
		expect(homeOf({ project: "a-project-with-a-long-name", stack: "production" })).toBe(odd[0]);
	});
});

describe("whose an object is, in words,", () => {
	const [mine, theirs] = [claimIn("shop", "dev"), claimIn("shop", "prod")];
	const elsewhere = identityOf(source({ places: ["s3://there"] }, urn("shop", "dev")));
	const long = claimIn("a-project-with-a-long-name", "production");

	test.each([
		["this stack", formatReference(mine, "l"), "this stack, shop/dev"],
		["another stack", formatReference(theirs, "l"), "the stack shop/prod"],
		["this stack, kept elsewhere", formatReference(elsewhere, "l"), "the stack shop/dev in another state"],
		["a stack of a long name", formatReference(long, "l"), "a stack whose name is too long to keep"],
		["a stack of an older version", "R.G.state.lease", "a stack that an older version didn't name"],
		["another program", "order 4711", 'another program (its `reference` is "order 4711")'],
	])("names %s", (_, reference, name) => expect(ownerName(reference, mine)).toBe(name));

	test("names a stack also where no resource asks", () => {
		expect(ownerName(formatReference(mine, "l"))).toBe("the stack shop/dev");
	});
});
