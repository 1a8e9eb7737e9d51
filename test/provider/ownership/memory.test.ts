/** What one run remembers: who holds which object, and whose turn it is to buy. */
import { describe, expect, test } from "vitest";
import { Memory, Turns } from "../../../provider/ownership/memory";

describe("purchases whose answers may name no number", () => {
	/** Three purchases at once, each done when told so; what has begun, and what each was told. */
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
			// The others wait for a few promises more.
			await new Promise(setImmediate);
		};
		return { turns, begun, done, end };
	};

	test("wait for the first answer, and run at once when that named its number", async () => {
		const { turns, begun, done, end } = three();
		expect(begun).toEqual(["a"]);
		turns.namesIds = true;
		await end(0);
		expect(begun).toEqual(["a", "b", "c"]);
		await end(2);
		await end(1);
		expect(await Promise.all(done)).toEqual(["a", "b", "c"]);
	});

	test("run one at a time when it named none, and are told so", async () => {
		const { turns, begun, end } = three();
		turns.namesIds = false;
		await end(0);
		expect(begun).toEqual(["a", "b nameless"]);
		await end(1);
		expect(begun).toEqual(["a", "b nameless", "c nameless"]);
	});

	test("go on after one that failed, which fails for itself alone", async () => {
		const { begun, done, end } = three();
		await end(0, new Error("refused"));
		expect(begun).toEqual(["a", "b"]);
		await expect(done[0]).rejects.toThrow("refused");
		await end(1);
		expect(await done[1]).toBe("b");
		await end(2);
	});

	test("don't wait for one that is over", async () => {
		const turns = new Turns();
		expect([await turns.take(async () => 1), await turns.take(async () => 2)]).toEqual([1, 2]);
	});
});

describe("an object of a run", () => {
	const declared = (token: string, more: { inputs?: Record<string, unknown>; hasEntry?: boolean } = {}) => ({
		token,
		inputs: {},
		hasEntry: false,
		...more,
	});

	test("has one holder: who holds it next takes it from the one before", () => {
		const memory = new Memory();
		memory.setHolder("a.1", "x");
		memory.setHolder("b.1", "x");
		expect([memory.idOf("a.1"), memory.idOf("b.1"), memory.holderOf("x")]).toEqual([undefined, "x", "b.1"]);
		memory.forget("x");
		expect([memory.idOf("b.1"), memory.holderOf("x")]).toEqual([undefined, undefined]);
	});

	test("whose holder has another one by now is forgotten without that one", () => {
		const memory = new Memory();
		memory.setHolder("a.1", "old");
		memory.setHolder("a.1", "new");
		memory.forget("old");
		expect([memory.idOf("a.1"), memory.holderOf("old"), memory.holderOf("new")]).toEqual(["new", undefined, "a.1"]);
	});

	test("is taken if another declared resource holds it, and free if it is our own or nobody declares it", () => {
		const memory = new Memory();
		memory.setHolder("a.1", "x");
		expect(memory.isTaken("x", ["b.1"])).toBe(false);
		memory.declare(declared("a.1"));
		expect(memory.isTaken("x", ["b.1"])).toBe(true);
		expect(memory.isTaken("x", ["b.1", "a.1"])).toBe(false);
		expect(memory.isTaken("y", [])).toBe(false);
		memory.declare(declared("a.2"));
		expect(memory.isTaken("x", ["b.1"])).toBe(false);
	});

	test("is taken by its reference too, if that resource has an entry which may hold it", () => {
		for (const hasEntry of [true, false]) {
			const memory = new Memory();
			memory.declare(declared("a.1", { hasEntry }));
			expect(memory.isTaken("x", ["b.1"], "a.1")).toBe(hasEntry);
			expect(memory.isTaken("x", ["b.1"], "c.1")).toBe(false);
			expect(memory.isTaken("x", ["a.1"], "a.1")).toBe(false);
		}
	});

	test("that an entry has is older than the run, with its last token; what this run has made isn't", () => {
		const memory = new Memory();
		memory.made.add("new");
		memory.note("new", { token: "a.1" });
		for (const token of ["a.1", "a.2"]) memory.note("old", { token });
		memory.note("odd", {});
		expect([...memory.older]).toEqual([
			["old", "a.2"],
			["odd", ""],
		]);
	});

	test("that this run has taken over is no other resource's, even one of an earlier name that isn't declared any more", () => {
		const memory = new Memory();
		memory.declare(declared("a.1"));
		memory.acquire("a.1", "x");
		expect(memory.isTaken("x", ["b.1", "a.1"])).toBe(true);
		expect(memory.isTaken("x", ["a.1", "b.1"])).toBe(false);
		memory.setHolder("a.1", "x");
		expect(memory.isTaken("x", ["b.1", "a.1"]), "held by an entry only").toBe(false);
		memory.acquire("a.1", "x");
		memory.undeclare("a.2");
		expect(memory.isTaken("x", ["b.1"]), "another one of its name was undeclared").toBe(true);
		memory.undeclare("a.1");
		expect(memory.isTaken("x", ["b.1"])).toBe(false);
	});

	test("is declared by this run under one token at a time, beside all other places", () => {
		const memory = new Memory();
		expect(memory.declaresAny).toBe(false);
		for (const name of ["a", "b"]) memory.declare(declared(`${name}.1`, { inputs: { resourceUrn: `urn:${name}` } }));
		memory.declare(declared("a.2", { inputs: { resourceUrn: "urn:a" } }));
		expect(["a.1", "a.2", "b.1"].map((token) => memory.declares(token))).toEqual([false, true, true]);
		expect(memory.declaresAny).toBe(true);
		expect(memory.declaredBeside("urn:a")).toEqual([{ resourceUrn: "urn:b" }]);
	});

	test("has an entry if the engine has said so once: before a replacement it keeps that back", () => {
		const memory = new Memory();
		const hasEntry = (token: string) => memory.declaredLike(token)?.hasEntry;
		memory.declare(declared("a.1"));
		expect(hasEntry("a.1")).toBe(false);
		memory.declare(declared("a.1", { hasEntry: true }));
		memory.declare(declared("a.2"));
		expect(hasEntry("a.2")).toBe(true);
	});

	test("what the engine says is counted once, and how long it has been quiet since", () => {
		const memory = new Memory();
		expect(memory.quietFor(memory.heard, 1000)).toBe(0);
		expect(memory.quietFor(memory.heard, 1300)).toBe(300);
		memory.declare(declared("a.1"));
		memory.note("x", { token: "a.1" });
		expect(memory.heard).toBe(2);
		expect(memory.quietFor(memory.heard, 1500)).toBe(0);
		memory.declare(declared("a.2"));
		memory.note("x", { token: "a.2" });
		expect(memory.heard, "nothing new").toBe(2);
		expect(memory.quietFor(memory.heard, 1900)).toBe(400);
		memory.clear();
		expect(memory.quietFor(memory.heard, 5000), "of another operation").toBe(0);
	});

	test("purchases wait for one whose answer can't be read, and fail as its look does", async () => {
		const memory = new Memory();
		await memory.isClear();
		let find = (_: string) => {};
		const clearing = memory.clearUp(new Promise<string>((resolve) => (find = resolve)));
		let isClear = false;
		const waiting = memory.isClear().then(() => (isClear = true));
		await new Promise(setImmediate);
		expect({ isClear, isUnclear: memory.isUnclear }).toEqual({ isClear: false, isUnclear: true });
		find("found");
		expect(await clearing).toBe("found");
		await waiting;
		expect(memory.isUnclear).toBe(false);
		await expect(memory.clearUp(Promise.reject(new Error("not found")))).rejects.toThrow("not found");
		await expect(memory.isClear()).rejects.toThrow("not found");
		expect(memory.isUnclear).toBe(true);
		memory.clear();
		await memory.isClear();
		expect(memory.isUnclear).toBe(false);
	});

	test("is unknown to the next operation of the same process", () => {
		const memory = new Memory();
		memory.declare(declared("a.1"));
		memory.setHolder("a.1", "x");
		memory.note("x", { token: "a.1" });
		memory.made.add("z");
		memory.warned.add("place");
		memory.seen = Promise.resolve([]);
		memory.clear();
		expect([memory.declaredLike("a.2"), memory.idOf("a.1"), memory.holderOf("x"), memory.seen]).toEqual(
			Array(4).fill(undefined),
		);
		expect([memory.warned, memory.older, memory.made, memory.planned].map(({ size }) => size)).toEqual([0, 0, 0, 0]);
	});
});
