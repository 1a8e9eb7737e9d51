/** The account check: rule 3 of the design. Nothing is done on an account that shows nothing of this state. */
import { describe, expect, test } from "vitest";
import { isGone, TelephonyError } from "../../../provider/api/errors";
import { Memory } from "../../../provider/ownership/memory";
import { formatReference, leftLease } from "../../../provider/ownership/reference";
import { AccountCheck, type ShownObject } from "../../../provider/reads/account-check";
import { dynamic, identity } from "../../helpers/claim-source";
import { FakeClock } from "../../helpers/clock";

const claim = identity();
const prod = dynamic.replace("dev", "prod");
const inOtherStack = identity({}, prod);
const ofOtherOwner = identity({ owner: "them" }, prod);
const ofOtherName = identity({}, `${dynamic}2`);
const inOtherState = identity({ place: "https://elsewhere.example" });
const claimedObject = (id: string, by = claim, lease = "lease"): ShownObject => ({
	id,
	reference: formatReference(by, lease),
});

/** Ids that the engine has reported of the state, or that this run made. `unlisted`: only a single read shows them. */
type World = Partial<Record<"state" | "made", readonly string[]>> &
	Partial<Record<"live" | "unlisted" | "released", readonly ShownObject[]>> & { readonly acceptsEmpty?: boolean };

function open({ state = [], made = [], live = [], unlisted = [], released = [], acceptsEmpty = false }: World) {
	const [clock, memory, reads] = [new FakeClock(), new Memory(), [] as string[]];
	for (const id of made) memory.made.add(id);
	const note = (id: string) => memory.note(id, { token: claim.token });
	state.forEach(note);
	const readLive = async (id: string) => {
		reads.push(id);
		const found = [...live, ...unlisted].find((each) => each.id === id);
		if (found === undefined) throw new TelephonyError("NotFound", "not found");
		return found;
	};
	const account = new AccountCheck({
		...{ clock, acceptsEmpty, baseUrl: "https://api.example/v1" },
		kinds: [{ older: memory.older, made: memory.made, live: async () => live, read: readLive }],
		async *released() {
			yield released;
		},
	});
	const outcome = (error: TelephonyError) => (isGone(error) ? "not found" : error.messageCode);
	const verdictOf = (work: Promise<unknown>) => work.then(() => "passed", outcome);
	return {
		...{ clock, note, reads },
		/** Reads an object of the state that isn't there. */
		judged: (id = "lost", by = claim) => verdictOf(account.judge(id, by, () => readLive(id))),
		/** Begins a create. */
		creating: (by = claim) => verdictOf(account.assertOwn(by, live)),
	};
}

const owned = identity({ owner: "ci" });
test.each<[isOwn: boolean, shows: string, World, by?: typeof claim]>([
	[false, "nothing", {}],
	[true, "an object of the state by id, without a reference", { live: [{ id: "old" }] }],
	[true, "an object of the state, claimed by its declaration", { live: [claimedObject("old")] }],
	[true, "an object of the state, claimed by another name of the stack", { live: [claimedObject("old", ofOtherName)] }],
	[false, "an object of the state, claimed by another stack", { live: [claimedObject("old", ofOtherOwner)] }],
	[false, "an object of the state, claimed by another tool", { live: [{ id: "old", reference: "order 4711" }] }],
	[true, "an object that this stack claimed", { live: [claimedObject("lost-by-the-state")] }],
	[true, "an object that this stack left", { live: [claimedObject("left", claim, leftLease)] }],
	[true, "a claim of the time before the stack had an owner", { live: [claimedObject("x")] }, owned],
	[false, "an object that another stack of the owner claimed", { live: [claimedObject("x", inOtherStack)] }],
	[false, "an object that the stack's name in another state claimed", { live: [claimedObject("x", inOtherState)] }],
	[false, "an object that this run made", { made: ["new"], live: [claimedObject("new")] }],
	[false, "an object that this run made and read", { state: ["new"], made: ["new"], live: [claimedObject("new")] }],
	[true, "a released object of the state", { released: [{ id: "old" }] }],
	[true, "a released object that this stack claimed", { released: [claimedObject("x")] }],
	[false, "a released object that this run made", { made: ["new"], released: [claimedObject("new")] }],
	[false, "a released object of another stack", { released: [claimedObject("x", inOtherStack)] }],
	[true, "that the user accepts the empty account", { acceptsEmpty: true }],
])("takes an account for the state's own (%s) if it shows %s", async (isOwn, _, world, by = claim) => {
	const state = ["lost", "old", ...(world.state ?? [])];
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
	const { judged } = open({ state: ["lost", "gone", "old"], unlisted: [claimedObject("old")] });
	const verdicts = await Promise.all(["lost", "gone", "old"].map((id) => judged(id)));
	expect(verdicts).toEqual(["not found", "not found", "passed"]);
});
