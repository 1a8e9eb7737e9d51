/** The decisions of create, update and delete, from facts alone. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	type CreateFacts,
	decideCreate,
	decideDelete,
	decideUpdate,
	undeclaredLike,
} from "../../../provider/lifecycle/decide";
import type { Identity, Referenced } from "../../../provider/ownership/claim";
import { Memory } from "../../../provider/ownership/memory";
import { formatReference, retainedLease } from "../../../provider/ownership/reference";
import { dynamic, identity } from "../../helpers/claim-source";

type Row = Referenced & { readonly label?: string };

const mine = identity();
const neighbour = identity({}, `${dynamic}2`);
const theirs = identity({ place: "elsewhere" });
const theirNeighbour = identity({ place: "elsewhere" }, `${dynamic}2`);
const at = (claim: Identity, lease: string, id = "num_1"): Row => ({ id, reference: formatReference(claim, lease) });
const timed = (row: Row, second: number): Row => ({ ...row, updated_at: `2026-01-01T00:00:0${second}Z` });

function factsOf(given: Partial<CreateFacts<Row>> = {}): CreateFacts<Row> {
	return {
		...{ claim: mine, adopt: undefined, live: [], candidates: [], renamed: [] },
		...{ isReferenced: true, isTraceable: true, memory: new Memory() },
		reads: new Map(),
		rules: { isOver: () => false, contradiction: () => undefined, isNamed: ({ label }, wanted) => label === wanted },
		...given,
	};
}
const reading = (...rows: (Row | string)[]) =>
	new Map(rows.map((row) => (typeof row === "string" ? [row, undefined] : [row.id, row]) as [string, Row | undefined]));

describe("a create", () => {
	const { token } = mine;

	test("makes an object if nothing on the account is the declaration's", () => {
		const live = [at(neighbour, "l", "a"), { id: "b" }, { id: "c", reference: "order 4711" }];
		expect(decideCreate(factsOf({ live }))).toEqual({ do: "make" });
	});

	test.each([
		["interrupted", "l"],
		["retained", retainedLease],
	])("resumes the object of its token after it was read alone: %s", (why, lease) => {
		const row = at(mine, lease);
		expect(decideCreate(factsOf({ live: [row] }))).toEqual({ do: "read", id: row.id, isListed: true });
		const reads = reading(row);
		expect(decideCreate(factsOf({ live: [row], reads }))).toEqual({ do: "resume", record: row, why });
	});

	test.each<[string, Row | string, object]>([
		["newer, under its name", timed(at(mine, "m"), 9), { do: "resume" }],
		["older, under its name", timed(at(mine, "m"), 1), { do: "resume" }],
		["without a reference", { id: "num_1" }, { do: "resume" }],
		["newer, under another name", timed(at(neighbour, "m"), 9), { do: "make" }],
		["as old, under another name", timed(at(neighbour, "m"), 5), { do: "make" }],
		["of another tool", { id: "num_1", reference: "order 4711" }, { do: "make" }],
		["without a time, under another name", at(neighbour, "m"), { do: "make" }],
		["older, under another name", timed(at(neighbour, "m"), 1), { do: "resume" }],
		["deleted", "num_1", { do: "make" }],
	])("decides by the single read, which shows it %s", (_, read, expected) => {
		const live = [timed(at(mine, "l"), 5)];
		expect(decideCreate(factsOf({ live, reads: reading(read) }))).toMatchObject(expected);
	});

	test("resumes what its state holds at a service without references", () => {
		const memory = new Memory();
		memory.setHolder(token, "num_1");
		const facts = { live: [{ id: "num_0" }, { id: "num_1" }], isReferenced: false, memory };
		expect(decideCreate(factsOf(facts))).toMatchObject({ do: "read", id: "num_1" });
		expect(decideCreate(factsOf({ ...facts, reads: reading({ id: "num_1" }) }))).toMatchObject({ do: "resume" });
	});

	test("leaves the object to the resource that holds it under another name", () => {
		const memory = new Memory();
		memory.setHolder(neighbour.token, "num_1");
		expect(decideCreate(factsOf({ live: [at(mine, "l")], memory }))).toEqual({ do: "make" });
		memory.setHolder(identity({}, `${dynamic}3`).token, "num_2");
		const both = [at(mine, "l"), at(mine, "m", "num_2")];
		expect(decideCreate(factsOf({ live: both, memory }))).toEqual({ do: "make" });
	});

	test("resumes what its state holds under the name that it had before", () => {
		const memory = new Memory();
		memory.setHolder(token, "num_1");
		const decide = (row: Row) => decideCreate(factsOf({ live: [at(neighbour, "m", "num_2"), row], memory }));
		expect(decide(at(neighbour, "l"))).toMatchObject({ do: "read", id: "num_1" });
		for (const row of [at(theirNeighbour, "l"), { id: "num_1" }, { id: "num_1", reference: "order 4711" }])
			expect(decide(row)).toEqual({ do: "make" });
	});

	test.each<[string, Partial<CreateFacts<Row>>, string, string[]]>([
		["its object may have another name", { renamed: [{ id: "a" }] }, "renamed", ["a"]],
		["several objects have its claim", { live: [at(mine, "l", "a"), at(mine, "m", "b")] }, "several", ["a", "b"]],
		["another state has its claim", { live: [at(theirs, "l", "a")] }, "another-state", ["a"]],
		["an interrupted run may have made one", { candidates: [{ id: "a" }], isTraceable: false }, "uncertain", ["a"]],
	])("is refused if %s", (_, given, why, ids) => {
		const action = decideCreate(factsOf(given));
		expect(action).toMatchObject({ do: "refuse", refusal: { why } });
		const { refusal } = action as Extract<typeof action, { do: "refuse" }>;
		const records = "records" in refusal ? refusal.records : "record" in refusal ? [refusal.record] : [];
		expect(records.map((record) => record?.id)).toEqual(ids);
	});

	test("makes an object if other resources hold what it has claimed", () => {
		const memory = new Memory();
		memory.setHolder(neighbour.token, "num_1");
		const live = [at(mine, "l"), at(theirs, "l", "num_2")];
		expect(decideCreate(factsOf({ live, memory }))).toEqual({ do: "make" });
	});

	test("refuses an object of its own that contradicts the declaration", () => {
		const rules = { isOver: () => false, contradiction: () => "differs." };
		const row = at(mine, "l");
		expect(decideCreate(factsOf({ live: [row], reads: reading(row), rules }))).toEqual({
			do: "refuse",
			refusal: { why: "resume-contradicts", record: row, contradiction: "differs." },
		});
	});

	test("reads a candidate that the list shows in part, before it refuses", () => {
		const rules = { isOver: () => false, contradiction: () => undefined, isPartlyListed: () => true };
		const facts = { candidates: [{ id: "a" }], isTraceable: false, rules };
		expect(decideCreate(factsOf(facts))).toEqual({ do: "read", id: "a", isListed: true, isPartial: true });
		const read = { ...facts, reads: reading({ id: "a" }) };
		expect(decideCreate(factsOf(read))).toMatchObject({ do: "refuse", refusal: { why: "uncertain" } });
	});

	test("ignores candidates where keys and references show what a run made", () => {
		expect(decideCreate(factsOf({ candidates: [{ id: "a" }] }))).toEqual({ do: "make" });
	});
});

describe("an object of a resource that may have been renamed", () => {
	const inOtherStack = identity({}, dynamic.replace("dev", "test"));
	const withOtherCriteria = identity({ criteria: ["US"] }, `${dynamic}2`);

	test.each<[string, Row, boolean]>([
		["has this stack's claim and the same criteria", at(neighbour, "l"), true],
		["isn't retained", at(neighbour, retainedLease), false],
		["has a claim", { id: "num_1" }, false],
		["has no claim of another state", at(theirNeighbour, "l"), false],
		["has no claim of another stack", at(inOtherStack, "l"), false],
		["has no other criteria", at(withOtherCriteria, "l"), false],
	])("%s", (_, row, isLike) => {
		expect(undeclaredLike(mine, [row], new Memory())).toEqual(isLike ? [row] : []);
	});

	test("belongs to no resource of the program", () => {
		const third = identity({}, `${dynamic}3`);
		const row = at(neighbour, "l");
		for (const { token } of [neighbour, third]) {
			const memory = new Memory();
			memory.setHolder(third.token, row.id);
			expect(undeclaredLike(mine, [row], memory)).toEqual([row]);
			memory.declare({ token, inputs: {}, hasState: true });
			expect(undeclaredLike(mine, [row], memory)).toEqual([]);
		}
	});
});

describe("an adoption", () => {
	const adopting = (row: Row | string, given: Partial<CreateFacts<Row>> = {}) =>
		decideCreate(factsOf({ adopt: " num_1 ", reads: reading(row), ...given }));

	test.each<[string, Row]>([
		["nobody claims", { id: "num_1" }],
		["its stack has retained", at(theirs, retainedLease)],
		["this declaration claims, in any state", at(theirs, "l")],
	])("takes an object that %s", (_, row) => expect(adopting(row)).toEqual({ do: "adopt", record: row }));

	test("reads the object alone, whatever the list shows", () => {
		const live = [{ id: "num_1", label: "+31201234567" }];
		for (const adopt of ["num_1", "+31201234567"])
			expect(decideCreate(factsOf({ adopt, live }))).toEqual({ do: "read", id: "num_1", isListed: true });
		expect(decideCreate(factsOf({ adopt: "num_2", live }))).toEqual({ do: "read", id: "num_2", isListed: false });
	});

	test.each<[string, Row | string, Partial<CreateFacts<Row>>]>([
		["adopt-absent", "num_1", {}],
		["adopt-absent", { id: "num_1" }, { rules: { isOver: () => true, contradiction: () => undefined } }],
		["adopt-absent", { id: "num_1", label: "+2" }, { adopt: "+1", live: [{ id: "num_1", label: "+1" }] }],
		["adopt-contradicts", { id: "num_1" }, { rules: { isOver: () => false, contradiction: () => "differs." } }],
		["adopt-claimed", at(neighbour, "l"), { live: [{ id: "num_1" }] }],
		["adopt-claimed", { id: "num_1", reference: "order 4711" }, {}],
	])("is refused: %s", (why, row, given) => {
		expect(adopting(row, given)).toMatchObject({ do: "refuse", refusal: { why } });
	});

	test("is refused for an object that another resource of the program has", () => {
		const memory = new Memory();
		memory.declare({ token: neighbour.token, inputs: {}, hasState: true });
		memory.acquire(neighbour.token, "num_1");
		expect(adopting({ id: "num_1" }, { memory })).toMatchObject({ refusal: { why: "adopt-shared" } });
	});
});

test("no create takes an object that another declaration claims", () => {
	const claims = [mine, neighbour, theirs, identity({ criteria: ["NL"] })];
	const row = fc.record({
		id: fc.constantFrom("a", "b", "c"),
		reference: fc.oneof(
			fc.constantFrom(null, undefined, "order 4711"),
			fc
				.tuple(fc.constantFrom(...claims), fc.constantFrom("l", retainedLease))
				.map(([by, lease]) => formatReference(by, lease)),
		),
	});
	const rows = fc.uniqueArray(row, { selector: ({ id }) => id });
	fc.assert(
		fc.property(rows, rows, fc.option(fc.constantFrom("a", "d"), { nil: undefined }), (live, reads, adopt) => {
			const action = decideCreate(factsOf({ live, adopt, reads: reading("d", ...["a", "b", "c"], ...reads) }));
			if (action.do !== "adopt" && action.do !== "resume") return;
			const { reference } = action.record;
			const isFree =
				!reference || reference.includes(`.${retainedLease}~`) || reference.startsWith(mine.token.split(".")[0] ?? "");
			expect(isFree).toBe(true);
			expect(reads).toContainEqual(action.record);
		}),
	);
});

describe("an update", () => {
	const outs = { token: mine.token, lease: "l" };
	const decide = (record: Row, memory = new Memory()) => decideUpdate({ claim: mine, record, outs, memory });

	test.each<[string, Row, object]>([
		["writes its own object", at(mine, "l"), { do: "write", isMove: false }],
		["writes an object whose claim was cleared", { id: "num_1", reference: null }, { do: "write", isMove: false }],
		["writes what another run of it has written", at(mine, "m"), { do: "write", isMove: false }],
		["claims what its old stack name has", at(theirs, "l"), { do: "write", isMove: true }],
		["refuses what another stack has claimed", at(theirs, "m"), { do: "refuse", why: "claimed" }],
	])("%s", (_, record, expected) => expect(decide(record)).toEqual(expected));

	const declaring = (claim: Identity) => {
		const memory = new Memory();
		memory.declare({ token: claim.token, inputs: {}, hasState: true });
		return memory;
	};

	test("refuses what another resource of the program has", () => {
		const memory = declaring(neighbour);
		memory.acquire(neighbour.token, "num_1");
		expect(decide(at(mine, "l"), memory)).toEqual({ do: "refuse", why: "shared" });
	});

	test("refuses what a resource of the program has claimed meanwhile", () => {
		expect(decide(at(neighbour, "m"), declaring(neighbour))).toEqual({ do: "refuse", why: "shared" });
		expect(decide(at(neighbour, "m"))).toEqual({ do: "refuse", why: "claimed" });
	});

	test("tells its own old name from a new resource with that name", () => {
		const renamed = { ...outs, token: neighbour.token };
		const decideRenamed = (record: Row) =>
			decideUpdate({ claim: mine, record, outs: renamed, memory: declaring(neighbour) });
		expect(decideRenamed(at(neighbour, "l"))).toEqual({ do: "write", isMove: false });
		expect(decideRenamed(at(neighbour, "m"))).toEqual({ do: "refuse", why: "shared" });
	});

	test("moves nothing if only the owner is new, or nothing was claimed yet", () => {
		const owned = identity({ owner: "ci" });
		const decideFor = (claim: Identity, record: Row, saved: object) =>
			decideUpdate({ claim, record, outs: { ...saved }, memory: new Memory() });
		const before = { token: mine.token, lease: "l" };
		expect(decideFor(owned, at(mine, "l"), before)).toEqual({ do: "write", isMove: false });
		expect(decideFor(owned, at(theirs, "l"), before)).toEqual({ do: "write", isMove: true });
		const imported = { token: mine.token };
		expect(decideFor(mine, at(theirs, retainedLease), imported)).toEqual({ do: "write", isMove: false });
	});
});

describe("a delete", () => {
	const outs = { token: mine.token, lease: "l", onDelete: "release" };
	const decide = (record: Row, more: object = {}) =>
		decideDelete({
			...{ claim: mine, record, outs, memory: new Memory() },
			...{ ending: "release", isProtected: false, stays: undefined },
			...more,
		});
	const retained = { outs: { ...outs, onDelete: "retain" } };

	test.each<[string, Row]>([
		["its own object", at(mine, "l")],
		["an object whose claim was cleared", { id: "num_1", reference: null }],
		["an object without a reference", { id: "num_1" }],
	])("ends or retains %s, as the saved onDelete says", (_, record) => {
		expect(decide(record)).toEqual({ do: "end" });
		expect(decide(record, retained)).toEqual({ do: "retain", why: "declared" });
		expect(decide(record, { outs: { ...outs, onDelete: undefined } })).toEqual({ do: "retain", why: "declared" });
		expect(decide(record, { isProtected: true })).toEqual({ do: "retain", why: "protected" });
		expect(decide(record, { stays: "It is complete." })).toEqual({ do: "retain", why: "stays" });
	});

	test.each<[string, Row]>([
		["another stack has claimed", at(theirs, "m")],
		["a newer write of it has claimed", at(mine, "m")],
		["another tool has claimed", { id: "num_1", reference: "order 4711" }],
	])("forgets an object that %s", (_, record) => {
		for (const more of [{}, retained]) expect(decide(record, more)).toEqual({ do: "forget" });
	});

	test.each<[title: string, declared: object | undefined, created: string, becomes: string]>([
		["the program no longer declares it", undefined, "", "end"],
		["the create follows", {}, "", "keep"],
		["the create resumed it", {}, "num_1", "keep"],
		["the create got another one", {}, "num_2", "retain"],
		["the create adopted another one", { adopt: "num_2" }, "num_2", "end"],
	])("decides for an object with a cleared reference if %s", (_, declared, created, becomes) => {
		const memory = new Memory();
		const { token } = mine;
		if (declared !== undefined) memory.declare({ token, inputs: { ...declared }, hasState: false });
		if (created !== "") memory.acquire(token, created);
		expect(decide({ id: "num_1", reference: null }, { memory }).do).toBe(becomes);
	});

	test("says that a create of this run has replaced the object", () => {
		const memory = new Memory();
		memory.declare({ token: mine.token, inputs: {}, hasState: false });
		memory.acquire(mine.token, "num_2");
		expect(decide({ id: "num_1", reference: null }, { memory })).toEqual({ do: "retain", why: "replaced" });
	});
});
