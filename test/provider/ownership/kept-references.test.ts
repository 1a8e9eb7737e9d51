/** The signs that a service cuts or refuses references. */
import { describe, expect, test } from "vitest";
import { isTelephonyError, TelephonyError } from "../../../provider/api/errors";
import type { Identity, Referenced } from "../../../provider/ownership/claim";
import { KeptReferences } from "../../../provider/ownership/kept-references";
import { formatReference } from "../../../provider/ownership/reference";
import { type Change, dynamic, identity } from "../../helpers/claim-source";

const mine = identity();
const whole = formatReference(mine, "lease1");
/** A stack with a long name, of which the service keeps less than the tilde and all of the name. */
const longer = (change: Change = {}) => identity(change, dynamic.replace("dev", "dev-europe"));
const cutName = formatReference(longer(), "lease1").slice(0, -3);

const listing = (reference: Referenced["reference"], declared: readonly string[] = []) => ({
	noun: "number",
	live: [{ id: "num_1", reference }],
	nameOf: ({ id }: Referenced) => id,
	declares: (token: string) => declared.includes(token),
});

/** Returns the code with which a run refuses to buy; undefined if it may buy. */
function refusalOf(references: KeptReferences, claim: Identity = mine): string | undefined {
	try {
		references.assertKept(claim);
		return undefined;
	} catch (error) {
		return isTelephonyError(error) ? error.messageCode : String(error);
	}
}

describe("a list", () => {
	test.each([
		["a whole reference", whole, mine, [mine.token], undefined, true],
		["another program's reference", "order 4711", mine, [], undefined, false],
		["no reference", null, mine, [], undefined, false],
		["a token alone", whole.slice(0, 31), mine, [], "reference-cut", false],
		["a cut lease", whole.slice(0, 44), mine, [], "reference-cut", false],
		["a cut name of this declaration", cutName, longer(), [longer().token], "reference-cut", false],
		["such a name, which this run doesn't declare", cutName, longer(), [], undefined, true],
		["such a name in another state", cutName, longer({ place: "elsewhere" }), [longer().token], undefined, true],
		["another stack's name", whole, identity({}, dynamic.replace("dev", "prod")), [mine.token], undefined, true],
	])("with %s decides about purchases", (_, reference, claim, declared, refusal, isProven) => {
		const references = new KeptReferences();
		references.noteList(claim, listing(reference, declared));
		expect([refusalOf(references, claim), references.isProven]).toEqual([refusal, isProven]);
	});

	test("names the noun, the object and the text", () => {
		const references = new KeptReferences();
		references.noteList(mine, listing(whole.slice(0, 40)));
		for (const part of ["number", "num_1", whole.slice(0, 40), "-reference"])
			expect(() => references.assertKept(mine)).toThrow(part);
	});

	test("counts once for each kind", () => {
		const references = new KeptReferences();
		references.noteList(mine, listing(whole));
		references.noteList(mine, listing(whole.slice(0, 40)));
		expect(refusalOf(references)).toBeUndefined();
		references.noteList(mine, { ...listing(whole.slice(0, 40)), noun: "trunk" });
		expect(refusalOf(references)).toBe("reference-cut");
		expect(references.isProven).toBe(true);
	});

	test("says nothing about a service without references", () => {
		const references = new KeptReferences();
		const unkept = { ...mine, kept: false };
		references.noteList(unkept, listing(whole.slice(0, 40)));
		expect([refusalOf(references), references.isProven]).toEqual([undefined, false]);
		references.noteList(mine, listing(whole.slice(0, 40)));
		expect([refusalOf(references, unkept), refusalOf(references)]).toEqual([undefined, "reference-cut"]);
	});
});

describe("the error of a write", () => {
	const body = { label: "desk", reference: whole };
	const invalid = (text: string) => new TelephonyError("Invalid", text, { messageCode: "invalid-input" });
	const codeOf = (error: unknown) => (isTelephonyError(error) ? error.messageCode : undefined);

	test.each([
		["names nothing", "not accepted", "reference-cut"],
		["names the reference", "Reference: too long", "reference-cut"],
		["names the reference and the label", "reference and label: too long", "reference-cut"],
		["names the label", "LABEL: too long", "invalid-input"],
		["has the name of a field within a word", "relabeled", "reference-cut"],
	])("blames the reference as it should if it %s", (_, text, code) => {
		expect(codeOf(new KeptReferences().explained(invalid(text), body))).toBe(code);
	});

	test("is explained with its text, its kind and its cause", () => {
		const error = invalid("not accepted");
		const explained = new KeptReferences().explained(error, body);
		expect(explained).toMatchObject({ kind: "Invalid", cause: error });
		for (const part of ["not accepted", "`reference`", "-reference"])
			expect((explained as TelephonyError).text).toContain(part);
	});

	test("is left alone if the reference can't be its cause", () => {
		const references = new KeptReferences();
		const error = invalid("not accepted");
		expect(references.explained(error, { label: "desk" })).toBe(error);
		for (const unrelated of [new Error("not accepted"), new TelephonyError("Conflict", "not accepted", {})])
			expect(references.explained(unrelated, body)).toBe(unrelated);
		references.isProven = true;
		expect(references.explained(error, body)).toBe(error);
	});

	test("stops purchases if it blames the reference, and the first one stays", () => {
		const references = new KeptReferences();
		references.noteError(invalid("not accepted"));
		references.noteError(new Error("not accepted"));
		expect(refusalOf(references)).toBeUndefined();
		references.noteError(references.explained(invalid("the first"), body));
		references.noteError(references.explained(invalid("the second"), body));
		expect(() => references.assertKept(mine)).toThrow("the first");
	});
});
