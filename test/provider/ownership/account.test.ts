/** Rule 2b as data: what proves which account this is, and what is left to be proven. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { provenBy, unproven } from "../../../provider/ownership/account";
import { identityOf } from "../../../provider/ownership/claim";
import { formatReference } from "../../../provider/ownership/reference";
import { source } from "../../helpers/claim-source";

const claim = identityOf(source());
const says = (account: string) => formatReference(claim, "lease", { account, beside: "" });
const older = formatReference(claim, "lease").split(".").slice(0, 4).join(".");
const known = (entries: Readonly<Record<string, string>>, made: readonly string[] = []) => ({
	older: new Map(Object.entries(entries)),
	made: new Set(made),
});

describe("an object that a run has found", () => {
	test.each([
		["proves the account of its entry", { id: "one", reference: says("a") }, known({ one: "a" }), ["a"]],
		["proves it where the service keeps no references", { id: "one" }, known({ one: "a" }), ["a"]],
		["proves it where its reference was cleared", { id: "one", reference: null }, known({ one: "a" }), ["a"]],
		[
			"proves it where a version without accounts wrote it",
			{ id: "one", reference: older },
			known({ one: "a" }),
			["a"],
		],
		["proves that of an older state, which has no word", { id: "one", reference: says("a") }, known({ one: "" }), [""]],
		["proves the account that it names, though it has no entry", { id: "x", reference: says("a") }, known({}), ["a"]],
		["proves nothing if this run has made it", { id: "x", reference: says("a") }, known({}, ["x"]), []],
		["proves nothing if nobody of ours has claimed it", { id: "x", reference: "order 4711" }, known({}), []],
		["proves nothing if nobody has claimed it", { id: "x", reference: null }, known({}), []],
		["proves nothing if an older version wrote it, and it has no entry", { id: "x", reference: older }, known({}), []],
		["proves nothing if another tool has an id like ours", { id: "1", reference: "order 4711" }, known({ 1: "a" }), []],
		["proves nothing if another account has an id like ours", { id: "1", reference: says("b") }, known({ 1: "a" }), []],
	])("%s", (_, shown, entries, proven) => {
		expect(provenBy(shown, entries)).toEqual(proven);
	});

	const word = fc.constantFrom("", "a", "b", "c");
	const id = fc.constantFrom("1", "2", "3");
	const shown = fc.record(
		{ id, reference: fc.oneof(word.map(says), fc.constantFrom(null, "", older, "order 4711")) },
		{ requiredKeys: ["id"] },
	);

	test("never proves an account that neither its entry nor its reference names, nor one that the two don't agree on", () =>
		fc.assert(
			fc.property(shown, fc.dictionary(id, word), fc.uniqueArray(id), (object, entries, made) => {
				const proven = provenBy(object, known(entries, made));
				const own = entries[object.id];
				const named = ["a", "b", "c"].find((each) => object.reference === says(each));
				expect(proven.every((each) => each === own || each === named)).toBe(true);
				if (made.includes(object.id)) expect(proven).toEqual([]);
				if (own && named && own !== named) expect(proven).toEqual([]);
			}),
		));
});

describe("what is left to be proven", () => {
	const ids = (...each: string[]) => new Set(each);

	test.each([
		["nothing, in a new stack", [], [], []],
		[
			"each account of which nothing was found",
			[
				["a", ids("1")],
				["b", ids("2")],
			],
			[],
			["a", "b"],
		],
		[
			"none of which something was found",
			[
				["a", ids("1", "2")],
				["b", ids("3")],
			],
			["a"],
			["b"],
		],
		[
			"none without entries: they got another word",
			[
				["", ids()],
				["a", ids("1")],
			],
			[],
			["a"],
		],
		["the entries of an older state, together", [["", ids("1", "2")]], ["a"], [""]],
	] as [string, [string, Set<string>][], string[], string[]][])("is %s", (_, accounts, proven, left) => {
		const found = unproven({ accounts: new Map(accounts) }, new Set(proven));
		expect(found.map(([account]) => account)).toEqual(left);
		for (const [account, which] of found) expect(which).toBe(new Map(accounts).get(account));
	});
});
