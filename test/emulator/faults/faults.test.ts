import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createEmulator, type FaultReport, type FaultRequest } from "../../../emulator";
import { refusal, useVirtualEmulator } from "../fixture";

const { emulator, call, outside, buy, trunk, set } = useVirtualEmulator();

const key = { "Idempotency-Key": "k" };
const body = { country: "US", type: "mobile" };
const purchases = () => emulator.control.ledger().filter(({ kind }) => kind === "purchase").length;
const statuses = () => emulator.control.requests().map(({ status }) => status);
const setFault = (rule: FaultRequest) => emulator.control.faults.set(rule);
const fault = (id: string) => emulator.control.faults.list().find((rule) => rule.id === id) as FaultReport;
const untilHeld = ({ id }: FaultReport, held = 1) => vi.waitFor(() => expect(fault(id).held).toBe(held));

/** A purchase whose client can go away; its outcome is the body, `half`, or how the connection failed. */
const start = (headers = {}) => {
	const client = new AbortController();
	const answer = fetch(`${emulator.url}/numbers`, {
		method: "POST",
		body: JSON.stringify(body),
		headers: { Authorization: `Bearer ${emulator.apiKey}`, "Content-Type": "application/json", ...headers },
		signal: client.signal,
	});
	const outcome = () =>
		answer.then(
			(response) => response.text().catch(() => "half"),
			(error: { name: string; cause?: { code?: string } }) => error.cause?.code ?? error.name,
		);
	return { answer, outcome, leave: () => client.abort() };
};

describe("a fault", () => {
	test("is for the next request, once, unless its rule says otherwise", async () => {
		const set = await outside("POST", "/_emulator/faults", { operation: "listNumbers" });
		const rule = { id: expect.stringMatching(/^flt_/), operation: "listNumbers", kind: "status", phase: "before" };
		expect(set).toMatchObject({ status: 200, body: { ...rule, matched: 0, fired: 0, held: 0 } });
		await buy();
		for (let count = 0; count < 3; count++) await call("GET", "/numbers");
		expect(statuses()).toEqual([201, 503, 200, 200]);
		expect((await outside("GET", "/_emulator/faults")).body).toMatchObject({
			data: [{ ...rule, matched: 3, fired: 1 }],
		});
		expect((await outside("DELETE", "/_emulator/faults")).status).toBe(204);
		expect((await outside("GET", "/_emulator/faults")).body).toEqual({ data: [] });
	});

	test.each([
		[{ nth: 2 }, "010000"],
		[{ nth: [1, 3, 4] }, "101100"],
		[{ every: true }, "111111"],
		[{ probability: 1 }, "111111"],
	])("comes as often as %j says", async (often, expected) => {
		await outside("POST", "/_emulator/faults", { operation: "*", status: 500, ...often });
		for (let count = 0; count < 6; count++) await call("GET", count % 2 === 0 ? "/numbers" : "/trunks");
		expect(statuses().map((status) => (status === 500 ? 1 : 0))).toEqual([...expected].map(Number));
	});

	test("of a probability falls the same for the same seed", async () => {
		const pattern = async (seed: number) => {
			emulator.control.reset();
			setFault({ operation: "listNumbers", probability: 0.5, seed });
			for (let count = 0; count < 40; count++) await call("GET", "/numbers");
			return statuses().join();
		};
		const one = await pattern(1);
		expect(await pattern(1)).toBe(one);
		expect(await pattern(2)).not.toBe(one);
		expect(one.match(/503/g)?.length).toBeGreaterThan(8);
		expect(one.match(/200/g)?.length).toBeGreaterThan(8);
	});
});

describe("a fault before the commit", () => {
	test("answers in the words of the service, buys nothing and forgets the key", async () => {
		setFault({ operation: "buyNumber", error: "rate_limited", message: "Slower.", retryAfter: 7 });
		const answer = await call("POST", "/numbers", body, key);
		const request_id = answer.headers.get("X-Request-Id");
		expect(answer).toMatchObject({ status: 429, body: { error: "rate_limited", message: "Slower.", request_id } });
		expect(answer.headers.get("Retry-After")).toBe("7");
		expect(purchases()).toBe(0);
		const again = await call("POST", "/numbers", body, key);
		expect(again.status).toBe(201);
		expect(again.headers.has("Idempotent-Replayed")).toBe(false);
		expect(purchases()).toBe(1);
	});

	test("may name a date to come back at, or a status without a code of its own", async () => {
		const retryAfter = "Fri, 02 Jan 2026 00:00:00 GMT";
		setFault({ operation: "*", status: 599, retryAfter });
		const answer = await call("GET", "/numbers");
		expect(answer).toMatchObject(refusal(599, "injected_fault"));
		expect(answer.headers.get("Retry-After")).toBe(retryAfter);
	});

	test("may be a proxy's page, which knows nothing of the service", async () => {
		setFault({ operation: "buyNumber", kind: "html" });
		const answer = await start().answer;
		expect(answer.status).toBe(502);
		expect(answer.headers.get("Content-Type")).toBe("text/html");
		expect(["X-Request-Id", "Telephony-Features"].filter((name) => answer.headers.has(name))).toEqual([]);
		expect(await answer.text()).toContain("<h1>502</h1>");
		expect({ statuses: statuses(), purchases: purchases() }).toEqual({ statuses: [502], purchases: 0 });
	});

	test("may end the connection", async () => {
		setFault({ operation: "buyNumber", kind: "reset" });
		expect(await start(key).outcome()).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
		expect({ statuses: statuses(), purchases: purchases() }).toEqual({ statuses: [null], purchases: 0 });
		expect((await call("POST", "/numbers", body, key)).status).toBe(201);
	});

	test("may be silence, and nothing is bought", async () => {
		const rule = setFault({ operation: "buyNumber", kind: "blackhole" });
		const { outcome, leave } = start(key);
		await vi.waitFor(() => expect(fault(rule.id).fired).toBe(1));
		leave();
		expect(await outcome()).toBe("AbortError");
		expect({ statuses: statuses(), purchases: purchases() }).toEqual({ statuses: [null], purchases: 0 });
		expect((await call("POST", "/numbers", body, key)).headers.has("Idempotent-Replayed")).toBe(false);
	});

	test("may be a delay, which a client that leaves cuts short", async () => {
		const rule = setFault({ operation: "buyNumber", kind: "delay", ms: 600_000, nth: 2 });
		setFault({ operation: "buyNumber", kind: "delay", ms: 1, nth: 1 });
		expect((await call("POST", "/numbers", body)).status).toBe(201);
		const { outcome, leave } = start(key);
		await untilHeld(rule);
		expect(purchases()).toBe(1);
		leave();
		expect(await outcome()).toBe("AbortError");
		await untilHeld(rule, 0);
		expect({ statuses: statuses(), purchases: purchases() }).toEqual({ statuses: [201, null], purchases: 1 });
	});

	test("holds the request until it is released; its twin is told to wait", async () => {
		const rule = setFault({ operation: "buyNumber", kind: "hold" });
		const { answer } = start(key);
		await untilHeld(rule);
		expect({ statuses: statuses(), purchases: purchases() }).toEqual({ statuses: [null], purchases: 0 });
		expect(await call("POST", "/numbers", body, key)).toMatchObject(refusal(409, "idempotency_in_progress"));
		expect((await outside("POST", `/_emulator/faults/${rule.id}/release`)).status).toBe(200);
		expect((await answer).status).toBe(201);
		expect(fault(rule.id).held).toBe(0);
		expect(statuses()).toEqual([201, 409]);
		expect(purchases()).toBe(1);
	});

	test("loses a held request whose client goes away", async () => {
		const rule = setFault({ operation: "buyNumber", kind: "hold" });
		const { outcome, leave } = start(key);
		await untilHeld(rule);
		leave();
		expect(await outcome()).toBe("AbortError");
		await untilHeld(rule, 0);
		emulator.control.faults.release(rule.id);
		expect(purchases()).toBe(0);
		expect((await call("POST", "/numbers", body, key)).headers.has("Idempotent-Replayed")).toBe(false);
	});

	test("carries a held request out late, if its rule says so, though the client has gone", async () => {
		const rule = setFault({ operation: "buyNumber", kind: "hold", whenGone: "commit" });
		const { outcome, leave } = start(key);
		await untilHeld(rule);
		leave();
		await outcome();
		expect(await call("POST", "/numbers", body, key)).toMatchObject(refusal(409, "idempotency_in_progress"));
		expect({ held: fault(rule.id).held, purchases: purchases() }).toEqual({ held: 1, purchases: 0 });
		emulator.control.faults.release(rule.id);
		await vi.waitFor(() => expect(purchases()).toBe(1));
		expect((await call("POST", "/numbers", body, key)).headers.get("Idempotent-Replayed")).toBe("true");
		expect(statuses()).toEqual([null, 409, 201]);
	});

	test("lets go what it holds when its rule is removed, but not after a reset", async () => {
		const rule = setFault({ operation: "buyNumber", kind: "hold" });
		const first = start();
		await untilHeld(rule);
		expect((await outside("DELETE", `/_emulator/faults/${rule.id}`)).status).toBe(204);
		expect((await first.answer).status).toBe(201);
		const second = start();
		await untilHeld(setFault({ operation: "buyNumber", kind: "hold" }));
		emulator.control.reset();
		expect(await second.outcome()).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
		expect(emulator.control.faults.list()).toEqual([]);
		expect(emulator.control.state().numbers).toEqual([]);
	});
});

describe("a fault after the commit", () => {
	test.each([
		[{ kind: "reset" }, null],
		[{ kind: "status", status: 500 }, 500],
		[{ kind: "html", status: 504 }, 504],
	] as const)("as %j has bought, and the key brings the answer", async (rule, status) => {
		setFault({ operation: "buyNumber", phase: "after", ...rule });
		await start(key).outcome();
		expect({ statuses: statuses(), purchases: purchases() }).toEqual({ statuses: [status], purchases: 1 });
		const replay = await call("POST", "/numbers", body, key);
		expect(replay.status).toBe(201);
		expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
		expect(purchases()).toBe(1);
		expect(emulator.control.ledger()).toMatchObject([{ number_id: replay.body.id, key: "k" }]);
	});

	test("hits replays too", async () => {
		const rule = setFault({ operation: "buyNumber", phase: "after", kind: "reset", nth: [1, 2] });
		for (let count = 0; count < 2; count++) await start(key).outcome();
		expect((await call("POST", "/numbers", body, key)).status).toBe(201);
		expect(statuses()).toMatchObject([null, null, 201]);
		expect(purchases()).toBe(1);
		expect(fault(rule.id)).toMatchObject({ matched: 3, fired: 2 });
	});

	test("may be silence until the client goes away", async () => {
		setFault({ operation: "buyNumber", phase: "after", kind: "blackhole" });
		const { outcome, leave } = start(key);
		await vi.waitFor(() => expect(purchases()).toBe(1));
		expect(statuses()).toEqual([null]);
		leave();
		expect(await outcome()).toBe("AbortError");
		expect((await call("POST", "/numbers", body, key)).headers.get("Idempotent-Replayed")).toBe("true");
	});

	test("holds the answer: its twin is told to wait, and gets it once the client has gone", async () => {
		const rule = setFault({ operation: "buyNumber", phase: "after", kind: "hold" });
		const { outcome, leave } = start(key);
		await untilHeld(rule);
		expect({ statuses: statuses(), purchases: purchases() }).toEqual({ statuses: [null], purchases: 1 });
		expect(await call("POST", "/numbers", body, key)).toMatchObject(refusal(409, "idempotency_in_progress"));
		leave();
		await outcome();
		await untilHeld(rule, 0);
		expect((await call("POST", "/numbers", body, key)).headers.get("Idempotent-Replayed")).toBe("true");
		expect({ statuses: statuses(), purchases: purchases() }).toEqual({ statuses: [null, 409, 201], purchases: 1 });
	});

	test("may be no more than a late answer, by the real time", async () => {
		const late = async (work: () => Promise<unknown>) => {
			const before = performance.now();
			await work();
			return performance.now() - before;
		};
		setFault({ operation: "buyNumber", phase: "after", kind: "delay", ms: 60 });
		expect(await late(() => buy())).toBeGreaterThan(55);
		set({ latencyMs: 60 });
		expect(await late(() => call("GET", "/nowhere"))).toBeGreaterThan(55);
		expect(statuses()).toEqual([201, 404]);
	});
});

describe("a fault half-way", () => {
	test.each([{}, { kind: "truncated" }, { kind: "reset" }] as const)(
		"as %j leaves half of the answer",
		async (rule) => {
			await outside("POST", "/_emulator/faults", { operation: "buyNumber", phase: "mid", ...rule });
			expect(await start(key).outcome()).toMatch(/half|ECONNRESET|UND_ERR_SOCKET/);
			expect({ statuses: statuses(), purchases: purchases() }).toEqual({ statuses: [201], purchases: 1 });
			expect((await call("POST", "/numbers", body, key)).headers.get("Idempotent-Replayed")).toBe("true");
		},
	);

	test("by drip keeps the answer open, with blanks, until the client leaves", async () => {
		const rule = setFault({ operation: "buyNumber", kind: "drip" });
		const { answer, leave } = start();
		const { status, body } = await answer;
		const { value } = (await body?.getReader().read()) ?? {};
		expect({ status, text: Buffer.from(value ?? []).toString() }).toEqual({ status: 201, text: " " });
		expect(purchases()).toBe(1);
		expect(emulator.control.faults.list()).toMatchObject([{ id: rule.id, fired: 1 }]);
		leave();
	});

	test("may be a delay, and then comes the rest", async () => {
		setFault({ operation: "buyNumber", phase: "mid", kind: "delay", ms: 1 });
		const bought = await call("POST", "/numbers", body);
		expect(bought).toMatchObject({ status: 201, body: { id: emulator.control.state().numbers[0]?.id } });
	});

	test.each(["hold", "blackhole"] as const)("by %s has sent headers and the beginning of the body", async (kind) => {
		const rule = setFault({ operation: "buyNumber", phase: "mid", kind });
		const { answer, leave } = start();
		const { status, headers, body } = await answer;
		const reader = body?.getReader();
		const { value } = (await reader?.read()) ?? {};
		expect(Buffer.from(value ?? []).toString()).toMatch(/^\{"id":"num_/);
		expect(status).toBe(201);
		expect(value?.length).toBe(Number(headers.get("Content-Length")) >> 1);
		if (kind === "blackhole") return leave();
		emulator.control.faults.release(rule.id);
		expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toMatch(/\}$/);
	});

	test("cuts refusals as well, but no answer without a body", async () => {
		const { id } = await trunk();
		setFault({ operation: "*", phase: "mid", kind: "truncated", every: true });
		expect((await call("DELETE", `/trunks/${id}`)).status).toBe(204);
		await expect(call("GET", `/trunks/${id}`)).rejects.toThrow();
		expect(statuses()).toEqual([201, 204, 404]);
	});
});

test("an emulator closes on requests that wait", async () => {
	const other = await createEmulator();
	onTestFinished(() => other.close());
	other.control.faults.set({ operation: "*", kind: "hold" });
	const waiting = fetch(`${other.url}/numbers`, { headers: { Authorization: `Bearer ${other.apiKey}` } });
	const refused = expect(waiting).rejects.toThrow();
	await vi.waitFor(() => expect(other.control.faults.list()).toMatchObject([{ held: 1 }]));
	await other.close();
	await refused;
});
