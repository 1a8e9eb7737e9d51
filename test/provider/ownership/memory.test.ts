/** The memory of one run: the holder of each object, and the order of purchases. */
import { describe, expect, test } from "vitest";
import { Memory, Turns } from "../../../provider/ownership/memory";

const settled = () => new Promise(setImmediate);

describe("purchases whose responses may lack the number", () => {
	/** Three purchases at once, each done when `end` says so. */
	const three = async () => {
		const turns = new Turns();
		const begun: string[] = [];
		const ends: ((error?: Error) => void)[] = [];
		const done = ["a", "b", "c"].map((name) =>
			turns.take(async ({ isNameless }) => {
				begun.push(`${name}${isNameless ? " nameless" : ""}`);
				await new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
				return name;
			}),
		);
		const end = async (index: number, error?: Error) => {
			ends[index]?.(error);
			await Promise.allSettled([done[index]]);
			await settled();
		};
		await settled();
		return { turns, begun, done, end };
	};

	test("run at once after a first response that names its number", async () => {
		const { turns, begun, done, end } = await three();
		expect(begun).toEqual(["a"]);
		turns.learn(true);
		await end(0);
		expect(begun).toEqual(["a", "b", "c"]);
		for (const index of [2, 1]) await end(index);
		expect(await Promise.all(done)).toEqual(["a", "b", "c"]);
	});

	test("run one at a time after a first response that names none", async () => {
		const { turns, begun, end } = await three();
		turns.learn(false);
		await end(0);
		expect(begun).toEqual(["a", "b nameless"]);
		await end(1);
		expect(begun).toEqual(["a", "b nameless", "c nameless"]);
	});

	test("continue after one that fails", async () => {
		const { begun, done, end } = await three();
		await end(0, new Error("refused"));
		expect(begun).toEqual(["a", "b"]);
		await expect(done[0]).rejects.toThrow("refused");
		await end(1);
		expect(await done[1]).toBe("b");
		await end(2);
	});

	test("run one at a time again in the next operation of the process", async () => {
		const memory = new Memory();
		memory.turns.learn(true);
		memory.clear();
		const begun: string[] = [];
		for (const name of ["a", "b"])
			void memory.turns.take(() => {
				begun.push(name);
				return new Promise(() => {});
			});
		await settled();
		expect(begun).toEqual(["a"]);
	});

	test("search for a number once all others have theirs, then run the next", async () => {
		const turns = new Turns();
		await turns.take(async () => turns.learn(true));
		const steps: string[] = [];
		const pause = () => {
			let proceed = (_: string) => {};
			const paused = new Promise<string>((resolve) => (proceed = resolve));
			return { paused, proceed };
		};
		const [search, second] = [pause(), pause()];
		const unclear = turns.take(async () => {
			await settled();
			return turns.identify(() => {
				steps.push("search");
				return search.paused;
			});
		});
		const running = turns.take(() => second.paused);
		await settled();
		await settled();
		const next = turns.take(async ({ isNameless }) => steps.push(isNameless ? "next, nameless" : "next"));
		await settled();
		expect(steps, "another purchase has no number yet").toEqual([]);
		turns.learn(true);
		second.proceed("");
		await running;
		await settled();
		expect(steps).toEqual(["search"]);
		search.proceed("found");
		expect(await unclear).toBe("found");
		await next;
		expect(steps).toEqual(["search", "next, nameless"]);
	});

	test("learn of a search that failed, until the next operation", async () => {
		const memory = new Memory();
		const error = new Error("not found");
		const unclear = memory.turns.take(() => memory.turns.identify(() => Promise.reject(error)));
		await expect(unclear).rejects.toBe(error);
		expect(await memory.turns.take(async ({ failure }) => failure)).toEqual({ error });
		memory.clear();
		expect(await memory.turns.take(async ({ failure }) => failure)).toBeUndefined();
	});
});

describe("an object of a run", () => {
	const declare = (memory: Memory, token: string, inputs: Record<string, unknown> = {}, hasState = false) =>
		memory.declare({ token, inputs, hasState });

	test("is taken if another declared resource holds it", () => {
		const memory = new Memory();
		memory.setHolder("a.1", "x");
		expect(memory.isTaken("x", ["b.1"]), "not declared").toBe(false);
		declare(memory, "a.1");
		expect(memory.isTaken("x", ["b.1"])).toBe(true);
		expect(memory.isTaken("x", ["b.1", "a.1"]), "our own").toBe(false);
		expect(memory.isTaken("y", [])).toBe(false);
		declare(memory, "a.2");
		expect(memory.isTaken("x", ["b.1"]), "other criteria").toBe(false);
	});

	test("is found by its token, the latest of several first", () => {
		const memory = new Memory();
		for (const id of ["x", "y", "x"]) memory.setHolder("a.1", id);
		expect([memory.idOf("a.1"), memory.idOf("a.2")]).toEqual(["x", undefined]);
		memory.acquire("b.1", "x");
		expect([memory.idOf("a.1"), memory.idOf("b.1"), memory.holderOf("x")]).toEqual(["y", "x", "b.1"]);
		memory.forget("y");
		expect([memory.idOf("a.1"), memory.holderOf("y")]).toEqual([undefined, undefined]);
	});

	test.each([true, false])("is taken by its reference if that resource has a state: %s", (hasState) => {
		const memory = new Memory();
		declare(memory, "a.1", {}, hasState);
		expect(memory.isTaken("x", ["b.1"], "a.1")).toBe(hasState);
		expect(memory.isTaken("x", ["b.1"], "c.1")).toBe(false);
		expect(memory.isTaken("x", ["a.1"], "a.1")).toBe(false);
	});

	test("is taken for good once a create of this run has it", () => {
		const memory = new Memory();
		declare(memory, "a.1");
		memory.acquire("a.1", "x");
		expect(memory.isTaken("x", ["b.1", "a.1"])).toBe(true);
		expect(memory.isTaken("x", ["a.1", "b.1"])).toBe(false);
		memory.setHolder("a.1", "x");
		expect(memory.isTaken("x", ["b.1", "a.1"]), "held by a state alone").toBe(false);
	});

	test("keeps its state when the engine checks a replacement without it", () => {
		const memory = new Memory();
		declare(memory, "a.1");
		expect(memory.declaredLike("a.1")?.hasState).toBe(false);
		declare(memory, "a.1", {}, true);
		declare(memory, "a.2");
		expect(memory.declaredLike("a.2")?.hasState).toBe(true);
	});

	test("is older than the run unless the run made it", () => {
		const memory = new Memory();
		memory.made.add("x");
		for (const id of ["x", "y"]) memory.note(id, { label: id });
		expect([...memory.older]).toEqual([["y", { label: "y" }]]);
	});
});

describe("the declarations of a run", () => {
	test("are none at first, and none in the next operation", () => {
		const memory = new Memory();
		expect(memory.declaresAny).toBe(false);
		memory.declare({ token: "a.1", inputs: {}, hasState: false });
		expect([memory.declaresAny, memory.declares("a.1"), memory.declares("a.2")]).toEqual([true, true, false]);
		memory.hasWarnedOfPlace = true;
		memory.clear();
		expect([memory.declaresAny, memory.declares("a.1"), memory.hasWarnedOfPlace]).toEqual([false, false, false]);
	});

	test("name what they adopt, unless it is unknown", () => {
		const memory = new Memory();
		const adopts = [undefined, "num_1", ["+31612345678", "num_3"], { unknown: true }];
		for (const [index, adopt] of adopts.entries())
			memory.declare({ token: `${index}.1`, inputs: { adopt }, hasState: false });
		expect(memory.adopted()).toEqual(["num_1", "+31612345678", "num_3"]);
	});

	test("have the inputs of the state in the second check of a replacement", () => {
		const memory = new Memory();
		const none = {};
		expect(memory.heldInputs("urn:a", none)).toBe(none);
		const olds = { label: "desk" };
		expect(memory.heldInputs("urn:a", olds)).toBe(olds);
		expect(memory.heldInputs("urn:a", none)).toBe(olds);
		expect(memory.heldInputs("urn:b", none)).toBe(none);
	});
});
