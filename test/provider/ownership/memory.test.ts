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
		await settled();
		return { turns, begun, done, end };
	};

	test("run at once after a first response that names its number", async () => {
		const { turns, begun, done, end } = await three();
		expect(begun).toEqual(["a"]);
		turns.namesIds = true;
		await end(0);
		expect(begun).toEqual(["a", "b", "c"]);
		for (const index of [2, 1]) await end(index);
		expect(await Promise.all(done)).toEqual(["a", "b", "c"]);
	});

	test("run one at a time after a first response that names none", async () => {
		const { turns, begun, end } = await three();
		turns.namesIds = false;
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
		memory.turns.namesIds = true;
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
	});

	test("keeps its state when the engine checks a replacement without it", () => {
		const memory = new Memory();
		declare(memory, "a.1");
		expect(memory.declaredLike("a.1")?.hasEntry).toBe(false);
		declare(memory, "a.1", {}, true);
		declare(memory, "a.2");
		expect(memory.declaredLike("a.2")?.hasEntry).toBe(true);
	});
});
