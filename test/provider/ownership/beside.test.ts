/** Rule 2a as data: what a purchase remembers, and what becomes of a number that nothing declares. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	decideRelease,
	isMarked,
	type Marked,
	marksOf,
	marksSaid,
	type ReleaseFacts,
} from "../../../provider/ownership/beside";
import { formatReference, parseReference } from "../../../provider/ownership/reference";

const word = fc.stringMatching(/^[a-z0-9]{12}$/);
const number: fc.Arbitrary<Marked> = fc.record({ id: word, lease: fc.option(word, { nil: undefined }) });
const numbers = fc.uniqueArray(number, { selector: ({ id }) => id, maxLength: 12 });

describe("the marks of numbers", () => {
	test("name each of them, and no other", () =>
		fc.assert(
			fc.property(numbers, number, (left, other) => {
				const marks = marksOf(left);
				for (const each of left) expect(isMarked(marks, each, false)).toBe(true);
				fc.pre(left.every(({ id }) => id !== other.id));
				expect(isMarked(marks, other, true)).toBe(false);
			}),
		));

	test("no longer name one that its own declaration has written since, under another lease", () =>
		fc.assert(
			fc.property(number, word, (left, lease) => {
				fc.pre(left.lease !== lease);
				expect(isMarked(marksOf([left]), { ...left, lease }, true)).toBe(false);
			}),
		));

	test("are few characters of each, once, in no more room than they need", () =>
		fc.assert(
			fc.property(numbers, (left) => {
				expect(marksOf(left)).toMatch(/^[\w-]*$/);
				expect(marksOf(left)).toHaveLength(4 * left.length);
				expect(marksOf([...left, ...left], [marksOf(left)])).toHaveLength(4 * left.length);
			}),
		));

	test("are taken over from what was bought before, and from several", () =>
		fc.assert(
			fc.property(numbers, numbers, numbers, (own, one, other) => {
				const marks = marksOf(own, [marksOf(one), "", marksOf(other)]);
				for (const each of [...own, ...one, ...other]) expect(isMarked(marks, each, false)).toBe(true);
			}),
		));

	test("of too many are one that names all older ones of their kind, and stays that", () => {
		const many = Array.from({ length: 80 }, (_, n) => ({ id: `num_${n}`, lease: "l" }));
		const marks = marksOf(many);
		expect({ marks, marksOf: marksOf(many.slice(0, 3), ["", marks]) }).toEqual({ marks: "*", marksOf: "*" });
		for (const each of [...many, { id: "x" }])
			expect([isMarked(marks, each, true), isMarked(marks, each, false)]).toEqual([true, false]);
	});

	test("have no room in a reference if they are more than four: then the entry's copy says which", () => {
		const claim = { token: "r.g", state: "w", home: "shop/dev" };
		const [few, many] = [4, 5].map((length) => marksOf(Array.from({ length }, (_, n) => ({ id: `num_${n}` }))));
		const said = (beside = "") => parseReference(formatReference(claim, "l", { account: "a", beside }));
		expect([said(few)?.beside, said(many)?.beside]).toEqual([few, "*"]);
		expect([marksSaid(said(many), many), marksSaid(said(many), undefined)]).toEqual([many, "*"]);
		expect([marksSaid(said(""), many), marksSaid(undefined, few)]).toEqual(["", few]);
	});

	test("of nothing name nothing", () => {
		expect([marksOf([]), isMarked("", { id: "a" }, true)]).toEqual(["", false]);
	});
});

describe("a number that nothing declares any more", () => {
	const facts: ReleaseFacts = {
		...{ isRetained: false, isOurs: true, isAdopted: false, isNamed: false },
		remembered: [],
		isProtected: false,
	};
	const [bought, allowed, leaving] = [
		{ isAllowed: false, isLeaving: false },
		{ isAllowed: true, isLeaving: false },
		{ isAllowed: false, isLeaving: true },
	];

	test.each<[string, string, Partial<ReleaseFacts>]>([
		["release", "it was only removed", {}],
		["remembered", "another one was bought meanwhile", { remembered: [bought] }],
		["remembered", "one of several was bought without a word", { remembered: [allowed, leaving, bought] }],
		["release", "what was bought was allowed to take its place", { remembered: [allowed] }],
		["release", "what was bought goes as well", { remembered: [leaving, leaving] }],
		["protected", "it is protected", { isProtected: true }],
		["protected", "it is protected, whatever takes its place", { isProtected: true, remembered: [allowed] }],
		["release", "its resource asks for another generation", { successor: { isAsked: true, isSame: false } }],
		["unasked", "its resource asks for something else", { successor: { isAsked: false, isSame: false } }],
		["duplicate", "its resource has another one like it", { successor: { isAsked: false, isSame: true } }],
		["duplicate", "the same, with a word for a change", { successor: { isAsked: true, isSame: true } }],
		[
			"release",
			"it is named, though all speaks against it",
			{ isNamed: true, isProtected: true, remembered: [bought] },
		],
	])("%s: %s", (verdict, _, given) => {
		expect(decideRelease({ ...facts, ...given })).toBe(verdict);
	});

	test.each<[string, string, Partial<ReleaseFacts>]>([
		["kept", "this run declares it", { declared: "it", isNamed: true }],
		["replaced", "this run has another in its place", { declared: "another", isRetained: true }],
		["release", "so it is, and it is named", { declared: "another", isNamed: true }],
		["retained", "`onDelete` says so", { isRetained: true, isOurs: false, isNamed: true }],
		["not ours", "somebody else has claimed it", { isOurs: false, isNamed: true }],
		["adopted", "another resource is to have it", { isAdopted: true, isNamed: true }],
		["look", "nobody has looked yet", { remembered: undefined, isProtected: true }],
	])("%s: %s", (verdict, _, given) => {
		expect(decideRelease({ ...facts, ...given })).toBe(verdict);
	});

	const remembered = fc.array(fc.record({ isAllowed: fc.boolean(), isLeaving: fc.boolean() }), { maxLength: 3 });
	const any = fc.record({
		declared: fc.constantFrom(undefined, "it" as const, "another" as const),
		isRetained: fc.boolean(),
		isOurs: fc.boolean(),
		isAdopted: fc.boolean(),
		isNamed: fc.boolean(),
		remembered,
		successor: fc.option(fc.record({ isAsked: fc.boolean(), isSame: fc.boolean() }), { nil: undefined }),
		isProtected: fc.boolean(),
	});

	test("is released only if nobody else has or wants it, and it is named or nothing at all speaks against it", () =>
		fc.assert(
			fc.property(any, (given) => {
				const { declared, isNamed, successor, isProtected } = given;
				const isFree = !given.isRetained && given.isOurs && !given.isAdopted && declared !== "it";
				const speaksAgainst =
					declared === "another" ||
					isProtected ||
					given.remembered.some((each) => !each.isAllowed && !each.isLeaving) ||
					(successor !== undefined && (successor.isSame || !successor.isAsked));
				expect(decideRelease(given) === "release").toBe(isFree && (isNamed || !speaksAgainst));
			}),
		));

	test("is never released because more is known against it", () =>
		fc.assert(
			fc.property(any, (given) => {
				fc.pre(decideRelease(given) !== "release");
				const more = [{ remembered: [...given.remembered, bought] }, { isProtected: true }, { isRetained: true }];
				for (const each of more) expect(decideRelease({ ...given, ...each })).not.toBe("release");
			}),
		));

	test("is looked for only where that can change what becomes of it", () =>
		fc.assert(
			fc.property(any, (given) => {
				const early = decideRelease({ ...given, remembered: undefined });
				fc.pre(early !== "look");
				expect(decideRelease(given)).toBe(early);
			}),
		));
});
