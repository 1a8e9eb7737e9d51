/** Records that are not quite as the contract has them: null for nothing, numeric ids, one that can't be read. */
import { describe, expect, test } from "vitest";
import { Client, unreadableIn } from "../../../provider/api/client";
import { useEmulator } from "../../helpers/emulator";
import { eachRecord, rewriteReads, useFaultProxy } from "../../helpers/fault-proxy";
import { aNumber, create, failureOf, openProvider } from "../../helpers/provider";
import { answer, refusal, useScriptedServer } from "../../helpers/scripted-server";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const server = useScriptedServer();
const open = () => openProvider(proxy);
const bought = () => emulator.purchases().length;
type Fields = Record<string, unknown>;

const optional = ["status", "state", "type", "country", "capabilities", "kyc_required", "source"];
const nulls = Object.fromEntries(optional.map((field) => [field, null]));
const complete = { id: "a", number: null, routing: null, label: null, reference: null, kyc: null, since: null };
test.each<["numbers" | "trunks", record: object, read: object]>([
	["numbers", { id: "a", ...nulls }, { id: "a" }],
	[
		"trunks",
		{ id: "a", auth: { mode: "digest", username: null }, targets: [{ host: "h", port: null }], status: null },
		{ id: "a", auth: { mode: "digest" }, targets: [{ host: "h" }] },
	],
	// Null has a meaning in some fields, and may have one in unknown fields.
	["numbers", complete, complete],
])("null means nothing in %s: %j", async (list, record, read) => {
	server.script = (response) => answer(response, 200, { data: [record] });
	const found = [];
	for await (const each of server.client()[list].list()) found.push(each);
	expect(found).toEqual([read]);
});

test("reads a numeric id as text, with all its digits", async () => {
	const routing = '{"type":"agent","agent_id":6,"failover":{"type":"trunk","trunk_id":9007199254740995}}';
	const text = `{"id":9007199254740993,"kyc":{"status":"approved","profile_id":5},"routing":${routing},"order_id":8}`;
	server.script = (response) => answer(response, 200, text);
	expect(await server.client().numbers.get("9007199254740993")).toEqual({
		...{ id: "9007199254740993", kyc: { status: "approved", profile_id: "5" } },
		routing: { type: "agent", agent_id: "6", failover: { type: "trunk", trunk_id: "9007199254740995" } },
		// Not in the contract.
		order_id: 8,
	});
	server.script = (response) => answer(response, 400, refusal("invalid", { request_id: 7 }));
	expect(await failureOf(server.client().numbers.get("1"))).toMatchObject({ kind: "Invalid", requestId: "7" });
});

test("adds the plus that a service leaves out of phone numbers", async () => {
	const to = { type: "forward", to: "31201234567" };
	const fields = { number: "31201234567", routing: { ...to, failover: to }, numbers: ["31201234567", 31201234567] };
	const record = { id: "31201234567", ...fields, from: 31201234567, to: "112", label: "31201234567" };
	server.script = (response) => answer(response, 200, { data: [record], next_cursor: null });
	const { numbers, portOrders, calls, messages } = server.client();
	const lists = [numbers.list(), numbers.search({ country: "NL" }), portOrders.list(), calls.list(), messages.list()];
	const read = await Promise.all(lists.map(async (list) => (await list.next()).value));
	const number = "+31201234567";
	const routing = { ...to, to: number, failover: { ...to, to: number } };
	const party = { from: number, to: "112" };
	expect(read).toMatchObject([{ number, routing }, { number }, { numbers: [number, number] }, party, party]);
	expect(read[0]).toMatchObject({ id: record.id, label: record.label });
});

describe("a record that can't be read", () => {
	/** Makes one number odd in every read. */
	const spoil = (id: string | undefined, how: (record: Fields) => unknown) => {
		const spoiled = eachRecord((record) => (record.id === id ? how(record) : record));
		rewriteReads(proxy, spoiled);
	};
	const odd = (record: object) => ({ ...record, capabilities: "voice" });
	const desk = (name: string) => create(open().number, aNumber({ type: "geographic", area: "20" }, name));
	const make = (...names: string[]) => Promise.all(names.map(desk));
	const unreadable = { kind: "ContractMismatch", messageCode: "unreadable-answer" };

	test("stands beside the others of its page, with the fields that can be read", async () => {
		const [first, second] = await make("a", "b");
		spoil(second?.id, odd);
		const fields = { country: "NL", type: "geographic", reference: expect.stringContaining(".") };
		const client = new Client({ baseUrl: proxy.url, apiKey: proxy.apiKey });
		for await (const page of client.numbers.pages()) {
			expect(page.map(({ id }) => id)).toEqual([first?.id]);
			expect(unreadableIn(page)).toMatchObject([{ id: second?.id, fields, error: unreadable }]);
			expect(JSON.stringify(unreadableIn(page))).not.toContain("voice");
		}
	});

	test.each([true, false])("isn't deleted, and hides no other (single reads: %s)", async (getById) => {
		emulator.control.settings({ features: { getById } });
		const made = await make("a", "b", "c", "d", "e", "f");
		spoil(made[0]?.id, odd);
		const run = open();
		const reads = await Promise.allSettled(made.map(({ id, outs }) => run.number.read(id, outs)));
		expect(reads).toMatchObject([{ reason: unreadable }, ...made.slice(1).map(({ id }) => ({ value: { id } }))]);
		const { client } = await run.session.service();
		expect(await failureOf(client.numbers.get(made[0]?.id ?? ""))).toMatchObject(unreadable);
	});

	test.each<[string, name: string, how: (record: object) => unknown]>([
		["is this resource's", "main", odd],
		["has its area with the trunk prefix", "main", (record) => ({ ...odd(record), area: "020" })],
		["shows no owner", "main", (record) => ({ ...odd(record), reference: 7 })],
		["shows nothing", "main", () => "odd"],
		["has no id", "main", (record) => ({ ...record, id: null, reference: null })],
		["is another declaration's", "another", odd],
		["is another tool's", "another", (record) => ({ ...odd(record), reference: "order 4711" })],
		["is of another type", "another", (record) => ({ ...odd(record), reference: null, type: "national" })],
	])("stops a purchase if it %s", async (_, name, how) => {
		const [first] = await make(name, ...(name === "main" ? ["readable"] : []));
		spoil(first?.id, how);
		const writes = emulator.writes();
		expect(await failureOf(desk("main"))).toMatchObject(unreadable);
		expect(emulator.writes()).toEqual(writes);
		if (name === "main") return;
		// Beside a record that can be read, it isn't the way the whole list is written.
		proxy.rewrite = (text) => text;
		await make("readable");
		spoil(first?.id, how);
		await desk("main");
		expect(bought()).toBe(3);
	});
});

test.each([0, 2])("buys nothing more after a purchase with an odd response (after %d)", async (from) => {
	const names = ["a", "b", "c", "d", "e"];
	await create(open().number, aNumber({}, "before"));
	let [json, count] = ["", 0];
	proxy.rewrite = (text, method, path) => {
		if (method === "POST") return count++ < from ? text : JSON.stringify({ number: JSON.parse(text) });
		// The list doesn't show what was bought since.
		if (path.startsWith("/v1/numbers?")) json ||= text;
		return path.startsWith("/v1/numbers?") ? json : text;
	};
	const run = open();
	for (const [n, name] of names.entries()) {
		const made = create(run.number, aNumber({}, name));
		if (n < from) await made;
		else expect((await failureOf(made)).messageCode).toBe("purchase-unknown");
	}
	expect(bought()).toBe(2 + from);
	proxy.rewrite = (text) => text;
	const next = open();
	for (const name of names) await create(next.number, aNumber({}, name));
	expect(bought()).toBe(1 + names.length);
});
