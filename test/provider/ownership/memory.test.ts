/** The memory of one run: the holder of each object, and the order of purchases. */
import { describe, expect, test } from "vitest";
import { Memory, Turns } from "../../../provider/ownership/memory";

const settled = () => new Promise(setImmediate);

describe("purchases whose responses may lack the number", () => {
	/** Three purchases at once, each done when `end` says so. */
	const three = () => {
		const turns = new Turns();
		const begun: string[] = [];
		const ends: ((error?: Error) => void)[] = [];
		const done = ["a", "b", "c"].map((name) =>
			turns.take(async (nameless) => {
				begun.push(`${name}${nameless ? " nameless" : ""}`);
				await new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
				return name;
			}),
		);
		const end = async (index: number, error?: Error) => {
			ends[index]?.(error);
			await Promise.allSettled([done[index]]);
			await settled();
		};
		return { turns, begun, done, end };
	};

	test("run at once after a first response that names its number", async () => {
		const { turns, begun, done, end } = three();
		expect(begun).toEqual(["a"]);
		turns.namesIds = true;
		await end(0);
		expect(begun).toEqual(["a", "b", "c"]);
		for (const index of [2, 1]) await end(index);
		expect(await Promise.all(done)).toEqual(["a", "b", "c"]);
	});

	test("run one at a time after a first response that names none", async () => {
		const { turns, begun, end } = three();
		turns.namesIds = false;
		await end(0);
		expect(begun).toEqual(["a", "b nameless"]);
		await end(1);
		expect(begun).toEqual(["a", "b nameless", "c nameless"]);
	});

	test("continue after one that fails", async () => {
		const { begun, done, end } = three();
		await end(0, new Error("refused"));
		expect(begun).toEqual(["a", "b"]);
		await expect(done[0]).rejects.toThrow("refused");
		await end(1);
		expect(await done[1]).toBe("b");
		await end(2);
	});

	test("don't wait for one that has ended", async () => {
		const turns = new Turns();
		expect([await turns.take(async () => 1), await turns.take(async () => 2)]).toEqual([1, 2]);
	});

	test("wait while the result of one is unknown, and fail with its search", async () => {
		const memory = new Memory();
		await memory.isClear();
		let find = (_: string) => {};
		const clearing = memory.clearUp(new Promise<string>((resolve) => (find = resolve)));
		let isClear = false;
		const waiting = memory.isClear().then(() => (isClear = true));
		await settled();
		expect(isClear).toBe(false);
		find("found");
		expect(await clearing).toBe("found");
		await waiting;
		await expect(memory.clearUp(Promise.reject(new Error("not found")))).rejects.toThrow("not found");
		await expect(memory.isClear()).rejects.toThrow("not found");
		memory.clear();
		await memory.isClear();
	});
});

describe("an object of a run", () => {
	const declare = (memory: Memory, token: string, inputs: Record<string, unknown> = {}, hasEntry = false) =>
		memory.declare({ token, inputs, hasEntry });

	test("has one holder, the last one", () => {
		const memory = new Memory();
		memory.setHolder("a.1", "x");
		memory.setHolder("b.1", "x");
		expect([memory.idOf("a.1"), memory.idOf("b.1"), memory.holderOf("x")]).toEqual([undefined, "x", "b.1"]);
		memory.setHolder("b.1", "new");
		memory.forget("x");
		expect([memory.idOf("b.1"), memory.holderOf("x"), memory.holderOf("new")]).toEqual(["new", undefined, "b.1"]);
		memory.forget("new");
		expect([memory.idOf("b.1"), memory.holderOf("new")]).toEqual([undefined, undefined]);
	});

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

	test.each([true, false])("is taken by its reference if that resource has a state: %s", (hasEntry) => {
		const memory = new Memory();
		declare(memory, "a.1", {}, hasEntry);
		expect(memory.isTaken("x", ["b.1"], "a.1")).toBe(hasEntry);
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
		memory.acquire("a.1", "x");
		memory.undeclare("a.2");
		expect(memory.isTaken("x", ["b.1"]), "another of its name was undeclared").toBe(true);
		memory.undeclare("a.1");
		expect(memory.isTaken("x", ["b.1"])).toBe(false);
	});

	test("is older than the run if a state has it, and not if this run made it", () => {
		const memory = new Memory();
		memory.made.add("new");
		memory.note("new", { token: "a.1" });
		for (const token of ["a.1", "a.2"]) memory.note("old", { token });
		memory.note("odd", {});
		expect(Object.fromEntries(memory.older)).toEqual({ old: "a.2", odd: "" });
	});

	test("is declared under one token at a time", () => {
		const memory = new Memory();
		expect(memory.declaresAny).toBe(false);
		for (const name of ["a", "b"]) declare(memory, `${name}.1`, { resourceUrn: `urn:${name}` });
		declare(memory, "a.2", { resourceUrn: "urn:a" });
		expect(["a.1", "a.2", "b.1"].map((token) => memory.declares(token))).toEqual([false, true, true]);
		expect(memory.declaresAny).toBe(true);
	});

	test("keeps its state when the engine checks a replacement without it", () => {
		const memory = new Memory();
		declare(memory, "a.1");
		expect(memory.declaredLike("a.1")?.hasEntry).toBe(false);
		declare(memory, "a.1", {}, true);
		declare(memory, "a.2");
		expect(memory.declaredLike("a.2")?.hasEntry).toBe(true);
	});

	test("is unknown to the next operation of the same process", () => {
		const memory = new Memory();
		declare(memory, "a.1");
		memory.setHolder("a.1", "x");
		memory.note("x", { token: "a.1" });
		memory.made.add("z");
		memory.warned.add("place");
		memory.clear();
		const remembered = [memory.declaredLike("a.2"), memory.idOf("a.1"), memory.holderOf("x")];
		expect(remembered).toEqual(Array(3).fill(undefined));
		expect([memory.warned, memory.older, memory.made, memory.planned].map(({ size }) => size)).toEqual([0, 0, 0, 0]);
	});
});
