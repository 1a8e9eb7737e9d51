import { describe, expect, test } from "vitest";
import type { FaultReport, FaultRequest } from "../../../emulator";
import type { TestEmulator } from "../../helpers/emulator";
import { eventually } from "../../helpers/eventually";
import { mobile, refusal, useVirtualEmulator } from "../fixture";
import { open } from "../folders";

const { emulator, call, outside, post, read, buy } = useVirtualEmulator();

const key = { "Idempotency-Key": "k" };
const setFault = (rule: FaultRequest) => emulator.control.faults.set(rule);
const buyFault = (rule: object) => setFault({ operation: "buyNumber", ...rule } as FaultRequest);
const report = ({ id }: FaultReport) => emulator.control.faults.list().find((rule) => rule.id === id);
const untilHeld = (rule: FaultReport, held = 1) => eventually(() => expect(report(rule)?.held).toBe(held));
/** Statuses in the journal, and the number of purchases. */
const outcomes = () => [...emulator.control.requests().map(({ status }) => status), emulator.purchases().length];
/** Repeats a request with this key. */
const repeat = async () => {
	const { status, headers } = await post("/numbers", mobile(), key);
	return [status, headers.get("Idempotent-Replayed")];
};
const [bought, replayed] = [
	[201, null],
	[201, "true"],
];

/** A purchase whose client can leave; its outcome is the status, `half` a body, or the error of the connection. */
const begin = (headers: object = key) => {
	const client = new AbortController();
	const reply = fetch(`${emulator.url}/numbers`, {
		method: "POST",
		body: JSON.stringify(mobile()),
		headers: { Authorization: `Bearer ${emulator.apiKey}`, "Content-Type": "application/json", ...headers },
		signal: client.signal,
	});
	const outcome = () =>
		reply.then(
			async (response) => ((await response.text().catch(() => "half")) === "half" ? "half" : String(response.status)),
			(error: { name: string; cause?: { code?: string } }) => error.cause?.code ?? error.name,
		);
	return { reply, outcome, leave: () => client.abort() };
};

describe("a rule", () => {
	test("fires on the next request, once", async () => {
		const { status, body } = await outside("POST", "/_emulator/faults", { operation: "listNumbers" });
		const rule = { id: expect.stringMatching(/^flt_/), operation: "listNumbers", kind: "status", phase: "before" };
		expect({ status, body }).toMatchObject({ status: 200, body: { ...rule, matched: 0, fired: 0, held: 0 } });
		await buy();
		for (let count = 0; count < 3; count++) await call("GET", "/numbers");
		expect(outcomes()).toEqual([201, 503, 200, 200, 1]);
		const { data } = (await outside("GET", "/_emulator/faults")).body;
		expect(data).toMatchObject([{ ...rule, matched: 3, fired: 1 }]);
		expect((await outside("DELETE", "/_emulator/faults")).status).toBe(204);
		expect(emulator.control.faults.list()).toEqual([]);
	});

	test.each([
		[{ nth: 2 }, "010000"],
		[{ nth: [1, 3, 4] }, "101100"],
		[{ every: true }, "111111"],
		[{ probability: 0.5, seed: 1 }, "001011"],
	])("fires as often as %j says", async (often, expected) => {
		await outside("POST", "/_emulator/faults", { operation: "*", status: 500, ...often });
		for (let count = 0; count < 6; count++) await call("GET", count % 2 === 0 ? "/numbers" : "/trunks");
		const faulty = emulator.control.requests().map(({ status }) => Number(status === 500));
		expect(faulty.join("")).toBe(expected);
	});

	test.each([
		[{ operation: "buyFax" }, "operation"],
		[{ nth: 1, every: true }, "nth"],
		[{ phase: "after", kind: "truncated" }, "phase"],
		[{ kind: "delay" }, "ms"],
		[{ status: 204 }, "status"],
		[{ retryAfter: "1\r\nX: 1" }, "retryAfter"],
		[{ kind: "duplicate" }, "operation"],
		[{ operation: "deleteTrunk", phase: "mid" }, "operation"],
	])("is refused if it makes no sense: %j", async (rule, field) => {
		const reply = await outside("POST", "/_emulator/faults", { operation: "buyNumber", ...rule });
		expect(reply).toMatchObject(refusal(400, "validation_failed", field));
		expect(emulator.control.faults.list()).toEqual([]);
		for (const [method, path] of [
			["DELETE", ""],
			["POST", "/release"],
		] as const)
			expect(await outside(method, `/_emulator/faults/flt_0${path}`)).toMatchObject(refusal(404, "not_found"));
	});
});

/** Holds a request, ends it in some way, and expects the connection to break. */
const untilHeldBy = async ({ call: send, control }: TestEmulator, end: () => Promise<void>) => {
	control.faults.set({ operation: "*", kind: "hold" });
	const broken = expect(send("GET", "/numbers")).rejects.toThrow();
	await eventually(() => expect(control.faults.list()).toMatchObject([{ held: 1 }]));
	await end();
	await broken;
};

describe("a fault", () => {
	const broken = /^(ECONNRESET|UND_ERR_SOCKET)$/;
	test.each<[object, RegExp, readonly (number | null)[], unknown]>([
		[{ kind: "reset" }, broken, [null, 0], bought],
		[{ kind: "html" }, /^502$/, [502, 0], bought],
		[{ kind: "delay", ms: 1 }, /^201$/, [201, 1], replayed],
		[{ phase: "after", kind: "reset" }, broken, [null, 1], replayed],
		[{ phase: "after", kind: "status", status: 500 }, /^500$/, [500, 1], replayed],
		[{ phase: "mid", kind: "truncated" }, /half|ECONNRESET|UND_ERR_SOCKET/, [201, 1], replayed],
		[{ phase: "mid", kind: "reset" }, /half|ECONNRESET|UND_ERR_SOCKET/, [201, 1], replayed],
	])("comes before, after or in the middle of a purchase: %j", async (rule, outcome, journal, repeated) => {
		buyFault(rule);
		expect(await begin().outcome()).toMatch(outcome);
		expect(outcomes()).toEqual(journal);
		expect(await repeat()).toEqual(repeated);
		expect(emulator.purchases()).toMatchObject([{ key: "k" }]);
	});

	test.each([
		[{ kind: "blackhole" }, 0, bought],
		[{ kind: "delay", ms: 600_000 }, 0, bought],
		[{ kind: "hold" }, 0, bought],
		[{ phase: "after", kind: "blackhole" }, 1, replayed],
		[{ phase: "after", kind: "hold" }, 1, replayed],
	])("waits until the client leaves: %j", async (rule, purchases, repeated) => {
		const fault = buyFault(rule);
		const { outcome, leave } = begin();
		await eventually(() => expect(report(fault)?.fired).toBe(1));
		await eventually(() => expect(outcomes()).toEqual([null, purchases]));
		if (rule.kind === "hold") {
			await untilHeld(fault);
			expect(await post("/numbers", mobile(), key)).toMatchObject(refusal(409, "idempotency_in_progress"));
		}
		leave();
		expect(await outcome()).toBe("AbortError");
		await untilHeld(fault, 0);
		expect(await repeat()).toEqual(repeated);
		expect(emulator.purchases()).toHaveLength(1);
	});

	test("holds a request until its rule is released or removed", async () => {
		const rule = buyFault({ kind: "hold" });
		const { reply } = begin();
		await untilHeld(rule);
		expect((await outside("POST", `/_emulator/faults/${rule.id}/release`)).body).toMatchObject({ held: 0 });
		expect((await reply).status).toBe(201);
		const deletedRule = buyFault({ kind: "hold" });
		const second = begin({});
		await untilHeld(deletedRule);
		expect((await outside("DELETE", `/_emulator/faults/${deletedRule.id}`)).status).toBe(204);
		expect((await second.reply).status).toBe(201);
		expect(outcomes()).toEqual([201, 201, 2]);
	});

	test("drops held requests when the emulator is reset or closed", async () => {
		await untilHeldBy(emulator, async () => emulator.control.reset());
		expect([emulator.control.faults.list(), emulator.live()]).toEqual([[], []]);
		const closed = await open();
		await untilHeldBy(closed, () => closed.close());
	});

	test("carries a held request out after its client left, if so set", async () => {
		const rule = buyFault({ kind: "hold", whenGone: "commit" });
		const { outcome, leave } = begin();
		await untilHeld(rule);
		leave();
		await outcome();
		expect([...(await repeat()), emulator.purchases().length]).toEqual([409, null, 0]);
		emulator.control.faults.release(rule.id);
		await eventually(() => expect(emulator.purchases()).toHaveLength(1));
		expect(await repeat()).toEqual(replayed);
	});

	test("responds with any error, status and Retry-After", async () => {
		setFault({ operation: "*", error: "rate_limited", message: "Slower.", retryAfter: 7 });
		const reply = await call("GET", "/numbers");
		const request_id = reply.headers.get("X-Request-Id");
		expect(reply).toMatchObject({ status: 429, body: { error: "rate_limited", message: "Slower.", request_id } });
		expect(reply.headers.get("Retry-After")).toBe("7");
		const retryAfter = "Fri, 02 Jan 2026 00:00:00 GMT";
		setFault({ operation: "*", status: 599, retryAfter });
		const unread = await call("GET", "/numbers");
		expect([unread.status, unread.body.error]).toEqual([599, "injected_fault"]);
		expect(unread.headers.get("Retry-After")).toBe(retryAfter);
	});

	const beginning = /^\{"id":"num_/;
	test.each([
		[{ phase: "mid", kind: "hold" }, beginning],
		[{ phase: "mid", kind: "blackhole" }, beginning],
		[{ kind: "drip" }, /^ $/],
	])("sends a part of the body, then waits: %j", async (rule, part) => {
		const fault = buyFault(rule);
		const { reply, leave } = begin();
		const { status, body } = await reply;
		const reader = body?.getReader();
		const readPart = async () => Buffer.from((await reader?.read())?.value ?? []).toString();
		expect(status).toBe(201);
		expect(await readPart()).toMatch(part);
		if (rule.kind !== "hold") return leave();
		emulator.control.faults.release(fault.id);
		expect(await readPart()).toMatch(/\}$/);
	});
});

describe("a fault of pages", () => {
	const ids = async () => [(await buy()).id, (await buy()).id, (await buy()).id];
	const page = async (path: string) => {
		const { data, next_cursor } = await read(path);
		return { ids: data?.map(({ id }) => id), next: next_cursor };
	};

	test("inserts empty pages, whose new cursors lead on", async () => {
		const [first, second, third] = await ids();
		setFault({ operation: "*", kind: "empty_page", nth: [1, 3, 4] });
		const pages = [await page("/numbers?limit=2&status=active")];
		for (let next = pages[0]?.next; next; next = pages.at(-1)?.next)
			pages.push(await page(`/numbers?limit=2&status=active&cursor=${next}`));
		expect(pages.map((page) => page.ids)).toEqual([[], [first, second], [], [], [third]]);
		expect(new Set(pages.map(({ next }) => next)).size).toBe(pages.length);
	});

	test("repeats an item, or expires a cursor, once", async () => {
		const [first, second, third] = await ids();
		setFault({ operation: "listNumbers", kind: "duplicate" });
		expect((await page("/numbers?limit=2")).ids).toEqual([first, second, second]);
		setFault({ operation: "listNumbers", error: "invalid_cursor", nth: 2 });
		const { next } = await page("/numbers?limit=2");
		expect(await call("GET", `/numbers?cursor=${next}`)).toMatchObject(refusal(400, "invalid_cursor"));
		expect((await page(`/numbers?cursor=${next}`)).ids).toEqual([third]);
	});
});
