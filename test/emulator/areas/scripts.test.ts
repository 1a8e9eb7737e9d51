/** Rules and magic numbers, which decide what becomes of a call or an SMS. */
import { describe, expect, test } from "vitest";
import { magicNumbers } from "../../../emulator/service/script";
import { read as readFile } from "../../helpers/repository";
import { refusal, second, useEvents } from "../fixture";

const events = useEvents();
const { emulator, outside, post, patch, read, buy, listen, advance, state, types } = events;

const to = "+14155550123";
const place = async (from: unknown, more: object = {}) => (await post("/calls", { from, to, ...more })).body;
const send = async (from: unknown, more: object = {}) =>
	(await post("/messages", { from, to, text: "Hello", ...more })).body;
const script = (rule: object) => outside("POST", "/_emulator/script", rule);
const callStatuses = () => state().calls.map(({ status }) => status);
const agent = { routing: { type: "agent", agent_id: "agt_1" } };

describe("a rule", () => {
	test("decides the next matching call, and no other", async () => {
		const { id, number } = await buy();
		await patch(`/numbers/${id}`, agent);
		emulator.control.settings({ callFate: "failed" });
		expect(await script({ kind: "call", fate: "voicemail", to })).toMatchObject({ status: 200 });
		await script({ kind: "call", fate: "busy", from: to });
		await place(number);
		await place(number);
		emulator.control.receiveCall({ from: to, to: String(number) });
		await advance(120 * second);
		const machine = { status: "completed", answered_by: "machine" };
		expect(state().calls).toMatchObject([machine, { status: "failed" }, { status: "busy" }]);
		const { data } = (await outside("GET", "/_emulator/script")).body;
		expect(data).toMatchObject([{ used: 1 }, { used: 1 }]);
		for (const wrong of [{ kind: "call", fate: "slow" }, { kind: "fax", fate: "failed" }, { kind: "call" }])
			expect(await script(wrong)).toMatchObject(refusal(400, "validation_failed"));
		for (const status of [204, 404])
			expect((await outside("DELETE", `/_emulator/script/${data[0]?.id}`)).status).toBe(status);
		expect(emulator.control.script.list()).toHaveLength(1);
		emulator.control.reset();
		expect(emulator.control.script.list()).toEqual([]);
	});

	test("says when and how long, each time with `every`", async () => {
		const { number } = await buy();
		await script({ kind: "call", fate: "answered", afterSeconds: 9, talkSeconds: 61, every: true });
		await script({ kind: "message", fate: "delivered", afterSeconds: 40 });
		const [{ id }, message] = [await place(number), await send(number)];
		await place(number);
		await advance(9 * second);
		expect(callStatuses()).toEqual(["ringing", "ringing"]);
		await advance(31 * second);
		expect(callStatuses()).toEqual(["in_progress", "in_progress"]);
		expect(await read(`/messages/${message.id}`)).toMatchObject({ status: "sent" });
		await advance(60 * second);
		expect(await read(`/calls/${id}`)).toMatchObject({ status: "completed", duration_seconds: 61 });
		expect(await read(`/messages/${message.id}`)).toMatchObject({ status: "delivered" });
	});
});

const ends: Record<string, string> = { voicemail: "completed", unconfirmed: "sent", slow: "sent" };

test.each(Object.entries(magicNumbers))(
	"a magic number decides what becomes of a call or SMS: %s %j",
	async (magic, fates) => {
		const { call: callFate = "–", message: messageFate = "–" } = fates;
		expect(readFile("docs/emulator/applications.md")).toContain(`| \`${magic}\` | ${callFate} | ${messageFate} |`);
		const { number } = await buy();
		const [placed, sent] = [await place(number, { to: magic }), await send(number, { to: magic })];
		await advance(300 * second);
		const end = (fate: string, usual: string) => ({ status: fate === "–" ? usual : (ends[fate] ?? fate) });
		expect(await read(`/calls/${placed.id}`)).toMatchObject(end(callFate, "completed"));
		expect(await read(`/messages/${sent.id}`)).toMatchObject(end(messageFate, "delivered"));
		await advance(600 * second);
		if (messageFate === "slow") expect(await read(`/messages/${sent.id}`)).toMatchObject({ status: "delivered" });
	},
);

describe("between two numbers of the account", () => {
	const pair = async () => {
		const [from, to] = [await buy(), await buy()];
		await patch(`/numbers/${to.id}`, agent);
		return [from, to] as const;
	};

	test("an SMS arrives", async () => {
		await listen(["message.received"]);
		const [from, to] = await pair();
		await send(from.number, { to: to.number, text: "Hello, you" });
		await advance(10 * second);
		const inbound = { direction: "inbound", from: from.number, to: to.number, number_id: to.id };
		expect(state().messages).toMatchObject([{ status: "delivered" }, { ...inbound, text: "Hello, you" }]);
		expect(types()).toEqual(["message.received"]);
	});

	test("a call is answered and ended at both ends together", async () => {
		const [from, to] = await pair();
		const { id } = await place(from.number, { to: to.number });
		await advance(second);
		const inbound = { direction: "inbound", status: "ringing", from: from.number, number_id: to.id };
		expect(state().calls).toMatchObject([{ direction: "outbound", status: "ringing" }, inbound]);
		await advance(3 * second);
		expect(callStatuses()).toEqual(["in_progress", "in_progress"]);
		await post(`/calls/${id}/hangup`);
		expect(callStatuses()).toEqual(["completed", "completed"]);
	});

	test.each([
		["busy", {}, ["busy", "busy"]],
		["failed", {}, ["failed", "failed"]],
		["no_answer", {}, ["no_answer", "no_answer"]],
		["no_answer", { timeout_seconds: 5 }, ["no_answer", "canceled"]],
	] as const)("a call ends %s at both ends: %j", async (callFate, more, expected) => {
		const [from, to] = await pair();
		emulator.control.settings({ callFate });
		await place(from.number, { to: to.number, ...more });
		await advance(120 * second);
		expect(callStatuses()).toEqual(expected);
	});
});
