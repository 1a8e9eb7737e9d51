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
		expect(memory.hasOther("a.2")).toBe(false);
		memory.forget("x");
		expect([memory.idOf("b.1"), memory.holderOf("x"), memory.hasOther("b.2")]).toEqual([undefined, undefined, false]);
	});

	test("whose holder has another one by now is forgotten without that one", () => {
		const memory = new Memory();
		memory.setHolder("a.1", "old");
		memory.setHolder("a.1", "new");
		memory.forget("old");
		expect([memory.idOf("a.1"), memory.holderOf("old"), memory.holderOf("new")]).toEqual(["new", undefined, "a.1"]);
	});

	test("is another one's of its resource if it has other criteria, and not if it is its own", () => {
		const memory = new Memory();
		memory.setHolder("a.1", "x");
		expect([memory.hasOther("a.1"), memory.hasOther("a.2"), memory.hasOther("b.1")]).toEqual([false, true, false]);
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

	test("is named in `adopt` by text, alone or among others, and by nothing else", () => {
		const adopts = (adopt: unknown) => {
			const memory = new Memory();
			memory.declare(declared("a.1", { inputs: { adopt } }));
			return memory.adopts((wanted) => wanted === "x");
		};
		expect(adopts("x")).toBe(true);
		expect(adopts(["y", "x"])).toBe(true);
		expect(adopts("y")).toBe(false);
		expect(adopts(undefined)).toBe(false);
		expect(adopts([5])).toBe(false);
		expect(new Memory().adopts(() => true)).toBe(false);
	});

	test("that is being given up is waited for, and failing to is told to who gave it up, and to nobody else", async () => {
		const memory = new Memory();
		let fail = (_: Error) => {};
		const giving = memory.leave("x", () => new Promise((_, reject) => (fail = reject)));
		const order: string[] = [];
		const waiting = memory.left("x").then(() => order.push("left"));
		await memory.left("y");
		order.push("y");
		fail(new Error("away"));
		await expect(giving).rejects.toThrow("away");
		await waiting;
		expect(order).toEqual(["y", "left"]);
	});

	test("what a purchase has left is in doubt until all of it is declared", async () => {
		const memory = new Memory();
		const settled: string[] = [];
		memory.remember("b", "marks", ["x", "y"]);
		memory.found("x");
		memory.onceDeclared("b", async () => void settled.push("b"));
		expect({ settled, marks: memory.besides.get("b") }).toEqual({ settled: [], marks: "marks" });
		memory.found("y");
		expect({ settled, marks: memory.besides.get("b") }).toEqual({ settled: ["b"], marks: undefined });
	});

	test("an entry isn't what this run has made, and is known by the last word for its account", () => {
		const memory = new Memory();
		memory.made.add("new");
		memory.note("new", { account: "a" });
		memory.note("old", { account: "a" });
		memory.note("old", { account: "b", beside: "marks" });
		expect([...memory.older]).toEqual([["old", "b"]]);
		expect([memory.accounts.get("a")?.size, memory.accounts.get("b")?.size]).toEqual([0, 1]);
		expect(memory.besides.get("old")).toBe("marks");
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

	test("the program is known by place: the last declaration there, and all others", () => {
		const memory = new Memory();
		expect({ any: memory.declaresAny, at: memory.declaredAt("urn:a") }).toEqual({ any: false, at: undefined });
		const [a, b] = ["a", "b"].map((name) => declared(`${name}.1`, { inputs: { resourceUrn: `urn:${name}` } }));
		if (a === undefined || b === undefined) throw new Error("not declared");
		memory.declare(a);
		memory.declare(b);
		const moved = declared("c.1", { inputs: { resourceUrn: "urn:a", label: "owned" } });
		memory.declare(moved);
		expect(memory.declaresAny).toBe(true);
		expect(memory.declaredAt("urn:a")).toEqual(moved);
		expect(memory.declaredAt("urn:b")).toEqual(b);
		expect(memory.declaredBeside("urn:a")).toEqual([b.inputs]);
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
		memory.note("x", { account: "a" });
		expect(memory.heard).toBe(2);
		expect(memory.quietFor(memory.heard, 1500)).toBe(0);
		memory.declare(declared("a.2"));
		memory.note("x", { account: "b" });
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

	test("without marks is no doubt, and one with nothing left is none either", async () => {
		const memory = new Memory();
		const settled: string[] = [];
		memory.remember("a", "", ["x"]);
		memory.remember("b", "marks", []);
		for (const id of ["a", "b"]) memory.onceDeclared(id, async () => void settled.push(id));
		memory.found("x");
		expect({ settled, marks: [...memory.besides] }).toEqual({ settled: [], marks: [["b", "marks"]] });
	});

	test("is unknown to the next operation of the same process", async () => {
		const memory = new Memory();
		memory.declare(declared("a.1", { inputs: { adopt: "x" } }));
		memory.setHolder("a.1", "x");
		memory.remember("x", "marks", ["y"]);
		memory.note("x", { account: "a" });
		memory.made.add("z");
		memory.defer("a.1", async () => {});
		memory.secondLook = Promise.resolve([]);
		memory.warned.add("place");
		void memory.leave("x", () => new Promise(() => {}));
		memory.clear();
		await memory.left("x");
		expect(memory.declaredLike("a.2")).toBeUndefined();
		expect(memory.idOf("a.1")).toBeUndefined();
		expect(memory.holderOf("x")).toBeUndefined();
		expect(memory.hasOther("a.2")).toBe(false);
		expect(memory.deferred("a.1")).toBeUndefined();
		expect(memory.secondLook).toBeUndefined();
		const { warned, besides, older, accounts, made } = memory;
		expect([warned, besides, older, accounts, made].map(({ size }) => size)).toEqual([0, 0, 0, 0, 0]);
	});
});
