/** The account check: rule 3 of the design. Nothing is done on an account that shows nothing of this state. */
import { describe, expect, test } from "vitest";
import { isNotFound, TelephonyError } from "../../../provider/api/errors";
import type { Referenced } from "../../../provider/ownership/claim";
import { Memory } from "../../../provider/ownership/memory";
import { formatReference, retainedLease } from "../../../provider/ownership/reference";
import type { Values } from "../../../provider/properties/table";
import { AccountCheck } from "../../../provider/reads/account-check";
import { dynamic, identity } from "../../helpers/claim-source";
import { FakeClock } from "../../helpers/clock";

const claim = identity();
const prod = dynamic.replace("dev", "prod");
const inOtherStack = identity({}, prod);
const ofOtherOwner = identity({ owner: "them" }, prod);
const ofOtherName = identity({}, `${dynamic}2`);
const inOtherState = identity({ place: "https://elsewhere.example" });
interface Shown extends Referenced {
	readonly number?: string;
}

/** The outputs that the state has for each of its objects. */
const saved = { token: claim.token, phoneNumber: "+31612345678", createdAt: "2026-01-02T00:00:00Z" };
const fixed = { number: saved.phoneNumber, created_at: saved.createdAt };
const claimedObject = (id: string, by = claim, lease = "lease"): Shown => ({
	id,
	reference: formatReference(by, lease),
});

/** Ids that the engine has reported of the state, or that this run made. `unlisted`: only a single read shows them. */
type World = Partial<Record<"state" | "made", readonly string[]>> &
	Partial<Record<"live" | "unlisted" | "released", readonly Shown[]>> & {
		readonly acceptsEmpty?: boolean;
		/** The error of the list of released numbers, while there is one. */
		readonly outages?: TelephonyError[];
	};

function open(world: World) {
	const { state = [], made = [], live = [], unlisted = [], released = [], outages = [], acceptsEmpty = false } = world;
	const clock = new FakeClock();
	const memory = new Memory();
	const reads: string[] = [];
	for (const id of made) memory.made.add(id);
	const note = (id: string, outs: Values = saved) => memory.note(id, outs);
	for (const id of state) note(id);
	const readLive = async (id: string) => {
		reads.push(id);
		const object = [...live, ...unlisted].find((record) => record.id === id);
		if (object === undefined) throw new TelephonyError("NotFound", "not found");
		return object;
	};
	const account = new AccountCheck({
		...{ clock, acceptsEmpty, baseUrl: "https://api.example/v1" },
		kinds: [{ noun: "number", older: memory.older, made: memory.made, live: async () => live, read: readLive }],
		async *released() {
			const outage = outages.pop();
			if (outage !== undefined) throw outage;
			yield released;
		},
	});
	const outcome = (error: TelephonyError) => (isNotFound(error) ? "not found" : error.messageCode);
	const verdictOf = (work: Promise<unknown>) => work.then(() => "passed", outcome);
	return {
		...{ clock, note, reads },
		/** Reads an object of the state, in most tests one that isn't there. */
		judged: (id = "lost", by = claim) => {
			const object = { kind: "number", id, claim: by, saved: memory.older.get(id) ?? {} };
			return verdictOf(account.judge(object, () => readLive(id)));
		},
		/** Begins a create. */
		creating: (by = claim) => verdictOf(account.assertOwn(by, live)),
	};
}

const owned = identity({ owner: "ci" });
test.each<[isOwn: boolean, shows: string, World, by?: typeof claim]>([
	[false, "nothing", {}],
	[true, "an object of the state by its fixed values", { live: [{ id: "old", ...fixed }] }],
	[false, "an id of the state", { live: [{ id: "old" }] }],
	[false, "an id of the state on another number", { live: [{ id: "old", ...fixed, number: "+31687654321" }] }],
	[
		false,
		"an id of the state on an object of another time",
		{ live: [{ id: "old", created_at: "2026-01-03T00:00:00Z" }] },
	],
	[true, "an object of the state, claimed by its declaration", { live: [claimedObject("old")] }],
	[true, "an object of the state, claimed by another name of the stack", { live: [claimedObject("old", ofOtherName)] }],
	[false, "an object of the state, claimed by another stack", { live: [claimedObject("old", ofOtherOwner)] }],
	[false, "an object of the state, claimed by another tool", { live: [{ id: "old", reference: "order 4711" }] }],
	[true, "an object that this stack claimed", { live: [claimedObject("lost-by-the-state")] }],
	[true, "an object that this stack retained", { live: [claimedObject("retained", claim, retainedLease)] }],
	[true, "a claim of the time before the stack had an owner", { live: [claimedObject("x")] }, owned],
	[false, "an object that another stack of the owner claimed", { live: [claimedObject("x", inOtherStack)] }],
	[false, "an object that the stack's name in another state claimed", { live: [claimedObject("x", inOtherState)] }],
	[false, "an object that this run made", { made: ["new"], live: [claimedObject("new")] }],
	[false, "an object that this run made and read", { state: ["new"], made: ["new"], live: [claimedObject("new")] }],
	[
		false,
		"an object of the state that another stack of the owner claimed",
		{ live: [claimedObject("old", inOtherStack)] },
	],
	[true, "a released object of the state", { released: [{ id: "old", ...fixed }] }],
	[false, "a released object with an id of the state", { released: [{ id: "old" }] }],
	[true, "a released object that this stack claimed", { released: [claimedObject("x")] }],
	[false, "a released object that this run made", { made: ["new"], released: [claimedObject("new")] }],
	[false, "a released object of another stack", { released: [claimedObject("x", inOtherStack)] }],
	[true, "that the user accepts the empty account", { acceptsEmpty: true }],
])("takes an account for the state's own (%s) if it shows %s", async (isOwn, _, world, by = claim) => {
	const listed = [...(world.live ?? []), ...(world.released ?? [])].map(({ id }) => id);
	const state = ["lost", ...["old"].filter((id) => listed.includes(id)), ...(world.state ?? [])];
	expect(await open({ ...world, state }).judged("lost", by)).toBe(isOwn ? "not found" : "wrong-account");
	expect(await open({ ...world, state }).creating(by)).toBe(isOwn ? "passed" : "wrong-account");
});

describe("a create", () => {
	test("passes with an empty state and account, after a quarter of a second", async () => {
		const { clock, creating } = open({});
		const start = clock.now();
		expect([await creating(), clock.now() - start]).toEqual(["passed", 250]);
	});

	test("is refused if the engine reports an object of the state meanwhile", async () => {
		const { clock, note, creating } = open({});
		// The program's functions have used the service before.
		await clock.sleep(10_000);
		clock.after(0.2, () => note("old"));
		expect(await creating()).toBe("wrong-account");
	});

	test("reads three objects of the state at most, once each", async () => {
		const state = ["a", "b", "c", "d", "e"];
		const { creating, reads } = open({ state });
		expect([await creating(), await creating()]).toEqual(["wrong-account", "wrong-account"]);
		expect(reads).toEqual(["a", "b", "c"]);
		expect(await open({ state, unlisted: [claimedObject("c")] }).creating()).toBe("passed");
	});
});

test("holds reads that find nothing until one finds an object", async () => {
	const { judged } = open({ state: ["lost", "old"], unlisted: [claimedObject("old")] });
	const verdicts = await Promise.all(["lost", "old"].map((id) => judged(id)));
	expect(verdicts).toEqual(["not found", "passed"]);
});

describe("an object that isn't found", () => {
	const at = (day: number) => `2026-01-${String(day).padStart(2, "0")}T00:00:00Z`;
	/** The state has an object of each of these days, by whose names the days go. */
	const stateOf = (days: readonly number[], live: readonly number[], more: World = {}) => {
		const opened = open({ ...more, live: live.map((day) => ({ ...claimedObject(`${day}`), created_at: at(day) })) });
		for (const day of days) opened.note(`${day}`, { ...saved, createdAt: at(day) });
		const judgeAll = () => Promise.all(days.map((day) => opened.judged(`${day}`)));
		return { ...opened, judgeAll };
	};
	const bought = Array.from({ length: 28 }, (_, index) => index + 1);

	test("stays if only the youngest of many is found", async () => {
		const verdicts = await stateOf(bought, [28]).judgeAll();
		expect(verdicts).toEqual([...bought.slice(1).map(() => "wrong-account"), "passed"]);
	});

	test.each<[title: string, days: readonly number[], live: readonly number[]]>([
		["an older one is found", [1, 2, 3, 4], [1]],
		["one of the same age is found", [1, 1, 1, 2], [1]],
		["as many are found", [1, 2, 3, 4], [3, 4]],
	])("is believed if %s", async (_, days, live) => {
		const verdicts = await stateOf(days, live).judgeAll();
		expect(verdicts).toEqual(days.map((day) => (live.includes(day) ? "passed" : "not found")));
	});

	test("is believed if the account lists it as released", async () => {
		const released = [{ id: "4", number: saved.phoneNumber }];
		const verdicts = await stateOf([1, 2, 3, 4, 5], [5], { released }).judgeAll();
		expect(verdicts).toEqual(["wrong-account", "wrong-account", "wrong-account", "not found", "passed"]);
	});

	test("counts the objects that the engine reads at the same time", async () => {
		const { judged, clock, note } = open({ live: [claimedObject("young")] });
		for (const id of ["young", "a", "b"]) note(id, { token: claim.token });
		const first = judged("a");
		await clock.sleep(10_000);
		expect(await Promise.all([first, judged("b")])).toEqual(["wrong-account", "wrong-account"]);
	});
});

test("judges each of concurrent creates by its own claim", async () => {
	const { creating } = open({ state: ["lost"], released: [claimedObject("x")] });
	const [, verdict] = await Promise.all([creating(inOtherState), creating()]);
	expect(verdict).toBe("passed");
});

test("reports an outage as one, and reads again after it", async () => {
	const outages = [new TelephonyError("Unavailable", "HTTP 503")];
	const { judged } = open({ state: ["lost"], outages, released: [{ id: "lost", ...fixed }] });
	expect([await judged(), await judged()]).toEqual(["unavailable", "not found"]);
});

describe("another object with an id of the state", () => {
	test("is refused although the account is proven", async () => {
		const live = [claimedObject("old"), { id: "x", number: "+31687654321" }];
		expect(await open({ state: ["old", "x"], live }).judged("x")).toBe("wrong-account");
	});

	test("counts as deleted if the user accepts that", async () => {
		const live = [{ id: "x", number: "+31687654321" }];
		expect(await open({ state: ["x"], live, acceptsEmpty: true }).judged("x")).toBe("not found");
	});

	test("isn't the state's by its id alone, whatever the user accepts", async () => {
		const world = { state: ["x"], live: [{ id: "x" }] };
		expect(await open(world).judged("x")).toBe("wrong-account");
		expect(await open({ ...world, acceptsEmpty: true }).judged("x")).toBe("not found");
	});

	test("passes if this run made it", async () => {
		expect(await open({ made: ["x"], live: [{ id: "x" }] }).judged("x")).toBe("passed");
	});
});

test.each([
	["passes if the account is proven", "passed", [claimedObject("old"), { id: "x" }]],
	["is refused otherwise", "wrong-account", [{ id: "x" }]],
])("an object with nothing to compare %s", async (_, verdict, live) => {
	expect(await open({ state: ["old", "x"], live }).judged("x")).toBe(verdict);
});
