/** The account check: rule 3 of the design. On an account that shows nothing of this state, nothing is done. */
import { describe, expect, test } from "vitest";
import { isGone, TelephonyError } from "../../../provider/api/errors";
import { identityOf } from "../../../provider/ownership/claim";
import { Memory } from "../../../provider/ownership/memory";
import { formatReference, leftLease } from "../../../provider/ownership/reference";
import { AccountCheck, type ShownObject } from "../../../provider/reads/account-check";
import { dynamic, source } from "../../helpers/claim-source";
import { FakeClock } from "../../helpers/clock";
import { useEmulator } from "../../helpers/emulator";
import { kinds } from "../../helpers/kinds";
import { allGone, checked, create, failureOf, openProvider, type ProviderOptions } from "../../helpers/provider";

const claim = identityOf(source());
const inOtherStack = identityOf(source({}, dynamic.replace("dev", "prod")));
const ofOtherOwner = identityOf(source({ owner: "them" }, dynamic.replace("dev", "prod")));
const ofOtherName = identityOf(source({}, `${dynamic}2`));
const inOtherState = identityOf(source({ places: ["https://elsewhere.example"] }));
const shown = (id: string, by = claim, lease = "lease"): ShownObject => ({ id, reference: formatReference(by, lease) });

interface World {
	/** What the engine has reported of the state. */
	readonly state?: readonly string[];
	readonly made?: readonly string[];
	readonly live?: readonly ShownObject[];
	/** Objects that only a single read shows. */
	readonly unlisted?: readonly ShownObject[];
	readonly released?: readonly ShownObject[];
	readonly acceptsEmpty?: boolean;
}

function open({ state = [], made = [], live = [], unlisted = [], released = [], acceptsEmpty = false }: World) {
	const [clock, memory, reads] = [new FakeClock(), new Memory(), [] as string[]];
	for (const id of made) memory.made.add(id);
	const note = (...ids: readonly string[]) => {
		for (const id of ids) memory.note(id, { token: claim.token });
	};
	note(...state);
	const now = async (id: string) => {
		reads.push(id);
		const found = [...live, ...unlisted].find((each) => each.id === id);
		if (found === undefined) throw new TelephonyError("NotFound", "not found");
		return found;
	};
	const account = new AccountCheck({
		...{ clock, acceptsEmpty, baseUrl: "https://api.example/v1" },
		kinds: [{ older: memory.older, made: memory.made, live: async () => live, now }],
		async *released() {
			yield released;
		},
	});
	const verdictOf = (work: Promise<unknown>) =>
		work.then(
			() => "passed",
			(error: TelephonyError) => (isGone(error) ? "not found" : error.messageCode),
		);
	return {
		...{ clock, note, reads },
		/** Reads an object of the state that isn't there. */
		judged: (id = "lost", by = claim) => verdictOf(account.judge(id, by, () => now(id))),
		/** Begins a create. */
		creating: (by = claim) => {
			account.noteCreate();
			return verdictOf(account.assertOwn(by, live));
		},
	};
}

describe("an account is the state's own", () => {
	test.each<[boolean, string, World]>([
		[false, "it shows nothing", {}],
		[true, "it has an object of the state by id, without a reference", { live: [{ id: "old" }] }],
		[true, "that object is claimed by its own declaration", { live: [shown("old")] }],
		[true, "that object is claimed by another declaration of this stack", { live: [shown("old", ofOtherName)] }],
		[false, "that object is claimed by another stack", { live: [shown("old", ofOtherOwner)] }],
		[false, "that object is claimed by another tool", { live: [{ id: "old", reference: "order 4711" }] }],
		[true, "it has an object that this stack has claimed", { live: [shown("lost-by-the-state")] }],
		[true, "it has an object that this stack has left", { live: [shown("left", claim, leftLease)] }],
		[false, "it has an object that another stack of the owner has claimed", { live: [shown("x", inOtherStack)] }],
		[
			false,
			"it has an object that this stack's name in another state has claimed",
			{ live: [shown("x", inOtherState)] },
		],
		[false, "it has what this run has made", { made: ["new"], live: [shown("new")] }],
		[false, "it has what this run has made and read since", { state: ["new"], made: ["new"], live: [shown("new")] }],
		[true, "it has released an object of the state", { released: [{ id: "old" }] }],
		[true, "it has released an object that this stack had claimed", { released: [shown("x")] }],
		[false, "it has released what this run made", { made: ["new"], released: [shown("new")] }],
		[false, "it has released another stack's", { released: [shown("x", inOtherStack)] }],
		[true, "the user says that everything was deleted", { acceptsEmpty: true }],
	])("%s: %s", async (isOwn, _, world) => {
		const state = ["lost", "old", ...(world.state ?? [])];
		expect(await open({ ...world, state }).judged()).toBe(isOwn ? "not found" : "wrong-account");
		expect(await open({ ...world, state }).creating()).toBe(isOwn ? "passed" : "wrong-account");
	});

	test("by the claims of the time before it had an owner", async () => {
		const owned = identityOf(source({ owner: "ci" }));
		const world = { state: ["lost"], live: [shown("x")] };
		expect([await open(world).judged("lost", owned), await open(world).creating(owned)]).toEqual([
			"not found",
			"passed",
		]);
	});
});

describe("a create", () => {
	test("passes on an empty account if the state is empty, after a quarter of a second", async () => {
		const { clock, creating } = open({});
		const start = clock.now();
		expect(await creating()).toBe("passed");
		expect(clock.now() - start).toBe(250);
	});

	test("is refused if the engine reports an object of the state meanwhile", async () => {
		const { clock, note, creating } = open({});
		clock.after(0.2, () => note("old"));
		expect(await creating()).toBe("wrong-account");
	});

	test("reads three objects of the state at most that no list shows, once each", async () => {
		const state = ["a", "b", "c", "d", "e"];
		const { creating, reads } = open({ state });
		expect([await creating(), await creating()]).toEqual(["wrong-account", "wrong-account"]);
		expect(reads).toEqual(["a", "b", "c"]);
		expect(await open({ state, unlisted: [shown("c")] }).creating()).toBe("passed");
	});
});

test("reads that find nothing wait for one that finds an object", async () => {
	const { judged } = open({ state: ["lost", "gone", "old"], unlisted: [shown("old")] });
	expect(await Promise.all(["lost", "gone", "old"].map((id) => judged(id)))).toEqual([
		...Array(2).fill("not found"),
		"passed",
	]);
});

describe.each(kinds)("with another account's key, a $noun", ({ name, declare }) => {
	const [own, other] = [useEmulator({ kyc: "immediate" }), useEmulator({ kyc: "immediate" })];
	const onOther = (options: ProviderOptions = {}) => openProvider(other, options);

	test("is neither forgotten nor made, whatever the engine does, unless the user accepts the empty account", async () => {
		const { id, outs } = await create(openProvider(own)[name], declare());
		await create(onOther({ place: "https://elsewhere.example" })[name], declare({}, "theirs"));
		const before = other.requests().length;
		const works = [
			async (run = onOther()) => run[name].read(id, outs),
			async (run = onOther()) => run[name].delete(id, outs),
			async (run = onOther()) => {
				const inputs = await checked(run[name], declare({}, "new"));
				await run[name].diff(id, outs, await checked(run[name], declare()));
				return run[name].create(inputs);
			},
		];
		for (const work of works)
			expect(await failureOf(work())).toMatchObject({ kind: "Config", messageCode: "wrong-account" });
		expect(other.writes(before)).toEqual([]);
		const [read, remove, make] = works;
		expect(await read?.(onOther(allGone))).toEqual({});
		expect(await remove?.(onOther(allGone))).toBeUndefined();
		expect(await make?.(onOther(allGone))).toMatchObject({ id: expect.any(String) });
	});
});
