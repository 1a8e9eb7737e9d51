import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { magicNumbers } from "../../../emulator/service/script";
import { repository } from "../../helpers/repository";
import { refusal, useEvents } from "../fixture";

const events = useEvents();
const { emulator, call, outside, buy, listen, advance, receiver, types } = events;

const to = "+14155550123";
const second = 1000;
const state = () => emulator.control.state();
const place = async (from: unknown, more: object = {}) => (await call("POST", "/calls", { from, to, ...more })).body;
const send = async (from: unknown, more: object = {}) =>
	(await call("POST", "/messages", { from, to, text: "Hello", ...more })).body;
const callNow = async (id: string) => (await call("GET", `/calls/${id}`)).body;
const messageNow = async (id: string) => (await call("GET", `/messages/${id}`)).body;

describe("a rule decides the fate of one call or SMS", () => {
	test.each([
		["busy", { status: "busy", sip_code: 486 }],
		["no_answer", { status: "no_answer" }],
		["failed", { status: "failed" }],
		["voicemail", { status: "completed", answered_by: "machine" }],
		["answered", { status: "completed", answered_by: "human" }],
	])("call: %s", async (fate, shown) => {
		const { number } = await buy();
		emulator.control.settings({ callFate: fate === "busy" ? "answered" : "busy" });
		expect(await outside("POST", "/_emulator/script", { kind: "call", fate, to })).toMatchObject({ status: 200 });
		const [{ id }, other] = [await place(number), await place(number)];
		await advance(120 * second);
		expect(await callNow(id)).toMatchObject(shown);
		// Only the next one: the settings decide on the others.
		expect((await callNow(other.id)).status).toBe(fate === "busy" ? "completed" : "busy");
		expect((await outside("GET", "/_emulator/script")).body.data).toMatchObject([{ fate, used: 1 }]);
	});

	test.each([
		["delivered", "delivered"],
		["undelivered", "undelivered"],
		["failed", "failed"],
		["unconfirmed", "sent"],
	])("SMS: %s", async (fate, status) => {
		const { number } = await buy();
		emulator.control.script.add({ kind: "message", fate: fate as "failed" });
		const { id } = await send(number);
		await advance(60 * second);
		expect(await messageNow(id)).toMatchObject({ status });
	});

	test("when it happens, and how long it lasts", async () => {
		const { number } = await buy();
		emulator.control.script.add({ kind: "call", fate: "answered", afterSeconds: 9, talkSeconds: 61, every: true });
		emulator.control.script.add({ kind: "message", fate: "delivered", afterSeconds: 40 });
		const [{ id }, message] = [await place(number), await send(number)];
		await advance(9 * second);
		expect((await callNow(id)).status).toBe("ringing");
		await advance(31 * second);
		expect((await callNow(id)).status).toBe("in_progress");
		expect((await messageNow(message.id)).status).toBe("sent");
		await advance(60 * second);
		expect(await callNow(id)).toMatchObject({ status: "completed", duration_seconds: 61 });
		expect((await messageNow(message.id)).status).toBe("delivered");
	});

	test("of calls from outside too, and is gone after a reset", async () => {
		const { number } = await buy();
		await call("PATCH", `/numbers/${state().numbers[0]?.id}`, { routing: { type: "agent", agent_id: "agt_1" } });
		emulator.control.script.add({ kind: "call", fate: "busy", from: to });
		emulator.control.receiveCall({ from: to, to: String(number) });
		await advance(10 * second);
		expect(state().calls).toMatchObject([{ direction: "inbound", status: "busy" }]);
		emulator.control.reset();
		expect(emulator.control.script.list()).toEqual([]);
	});

	test("only if it makes sense", async () => {
		for (const rule of [{ kind: "call", fate: "slow" }, { kind: "fax", fate: "failed" }, { kind: "call" }]) {
			expect(await outside("POST", "/_emulator/script", rule)).toMatchObject(refusal(400, "validation_failed"));
		}
		expect((await outside("DELETE", "/_emulator/script/rule_9")).status).toBe(404);
	});
});

describe("a magic number says what becomes of a call or an SMS to it", () => {
	const ends: Record<string, string> = { voicemail: "completed", unconfirmed: "sent", slow: "sent" };

	test.each(Object.entries(magicNumbers))("%s: %j", async (magic, fates) => {
		const { number } = await buy();
		const [placed, sent] = [await place(number, { to: magic }), await send(number, { to: magic })];
		await advance(300 * second);
		expect((await callNow(placed.id)).status).toBe(fates.call ? (ends[fates.call] ?? fates.call) : "completed");
		expect((await messageNow(sent.id)).status).toBe(
			fates.message ? (ends[fates.message] ?? fates.message) : "delivered",
		);
		await advance(600 * second);
		if (fates.message === "slow") expect((await messageNow(sent.id)).status).toBe("delivered");
	});

	test("and is in the table of the docs", () => {
		const page = readFileSync(join(repository, "docs/emulator/applications.md"), "utf8");
		for (const [magic, { call = "–", message = "–" }] of Object.entries(magicNumbers)) {
			expect(page).toContain(`| \`${magic}\` | ${call} | ${message} |`);
		}
	});
});

describe("between two numbers of the account", () => {
	const pair = async () => {
		const [one, other] = [await buy(), await buy()];
		await call("PATCH", `/numbers/${other.id}`, { routing: { type: "agent", agent_id: "agt_1" } });
		return [one, other] as const;
	};

	test("an SMS arrives", async () => {
		await listen(["message.received"]);
		const [one, other] = await pair();
		await send(one.number, { to: other.number, text: "Hello, you" });
		await advance(10 * second);
		expect(state().messages).toMatchObject([
			{ direction: "outbound", status: "delivered" },
			{ direction: "inbound", from: one.number, to: other.number, text: "Hello, you", number_id: other.id },
		]);
		expect(types()).toEqual(["message.received"]);
	});

	test("a call rings at the other end, and both ends are answered and over together", async () => {
		const [one, other] = await pair();
		const { id } = await place(one.number, { to: other.number });
		await advance(second);
		expect(state().calls).toMatchObject([
			{ direction: "outbound", status: "ringing" },
			{ direction: "inbound", status: "ringing", from: one.number, number_id: other.id },
		]);
		await advance(3 * second);
		expect(state().calls.map(({ status }) => status)).toEqual(["in_progress", "in_progress"]);
		await call("POST", `/calls/${id}/hangup`);
		expect(state().calls.map(({ status }) => status)).toEqual(["completed", "completed"]);
	});

	test.each([
		["busy", "busy"],
		["no_answer", "no_answer"],
		["failed", "failed"],
	] as const)("a call that is %s there is %s here", async (callFate, status) => {
		const [one, other] = await pair();
		emulator.control.settings({ callFate });
		await place(one.number, { to: other.number });
		await advance(120 * second);
		expect(state().calls.map((row) => row.status)).toEqual([status, status]);
	});

	test("a call that gives up rings no more there, and one to a number without a routing fails", async () => {
		const [one, other] = await pair();
		emulator.control.settings({ callFate: "no_answer" });
		await place(one.number, { to: other.number, timeout_seconds: 5 });
		await advance(10 * second);
		expect(state().calls.map(({ status }) => status)).toEqual(["no_answer", "canceled"]);
		await place(other.number, { to: one.number });
		await advance(10 * second);
		expect(state().calls.slice(2)).toMatchObject([
			{ status: "failed", hangup_cause: "no_route_destination" },
			{ status: "failed", hangup_cause: "no_route_destination" },
		]);
	});
});

describe("STOP", () => {
	test.each(["STOP", " stop ", "Unsubscribe", "QUIT"])("as %j holds back later SMS until START", async (text) => {
		const { number } = await buy();
		emulator.control.receiveMessage({ from: to, to: String(number), text });
		const refused = await call("POST", "/messages", { from: number, to, text: "An offer" });
		expect(refused).toMatchObject(refusal(403, "recipient_opted_out"));
		expect(state().messages).toHaveLength(1);
		// Others have not said so, and nor has this one to other numbers.
		expect(await send(number, { to: "+14155550124" })).toMatchObject({ status: "queued" });
		expect(await send((await buy()).number)).toMatchObject({ status: "queued" });
		emulator.control.receiveMessage({ from: to, to: String(number), text: "Start" });
		expect(await send(number)).toMatchObject({ status: "queued" });
	});

	test("counts only as the whole text, and is forgotten by a reset", async () => {
		const { number } = await buy();
		emulator.control.receiveMessage({ from: to, to: String(number), text: "Please stop by tomorrow" });
		expect(await send(number)).toMatchObject({ status: "queued" });
		emulator.control.receiveMessage({ from: to, to: String(number), text: "STOP" });
		const snapshot = emulator.control.snapshot();
		emulator.control.reset();
		emulator.control.restore(snapshot);
		expect(await call("POST", "/messages", { from: number, to, text: "x" })).toMatchObject({ status: 403 });
	});
});

test("a call from outside is recorded if it says so, or the settings", async () => {
	const { id, number } = await buy();
	await call("PATCH", `/numbers/${id}`, { routing: { type: "agent", agent_id: "agt_1" } });
	const ringUp = (more: object = {}) => emulator.control.receiveCall({ from: to, to: String(number), ...more });
	const [plain, recorded] = [ringUp(), ringUp({ record: true })];
	emulator.control.settings({ recordInbound: true });
	const third = ringUp();
	await advance(60 * second);
	expect(state().recordings.map(({ call_id }) => call_id)).toEqual([recorded.id, third.id]);
	expect(state().recordings.map(({ call_id }) => call_id)).not.toContain(plain.id);
	expect(receiver.posts).toEqual([]);
});
