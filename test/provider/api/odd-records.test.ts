/** Records that are not quite as the contract has them: null for nothing, numeric ids, one that can't be read. */
import { describe, expect, test } from "vitest";
import { Client, unreadableIn } from "../../../provider/api/client";
import { useEmulator } from "../../helpers/emulator";
import { eachRecord, rewriteReads, useFaultProxy } from "../../helpers/fault-proxy";
import { aNumber, aWebhook, checked, create, failureOf, initErrorOf, openProvider } from "../../helpers/provider";
import { refusal, reply, useScriptedServer } from "../../helpers/scripted-server";

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
	server.script = (response) => reply(response, 200, { data: [record] });
	const records = [];
	for await (const record of server.client()[list].list()) records.push(record);
	expect(records).toEqual([read]);
});

test("reads a numeric id as text, with all its digits", async () => {
	const routing = '{"type":"agent","agent_id":6,"failover":{"type":"trunk","trunk_id":9007199254740995}}';
	const text = `{"id":9007199254740993,"kyc":{"status":"approved","profile_id":5},"routing":${routing},"order_id":8}`;
	server.script = (response) => reply(response, 200, text);
	expect(await server.client().numbers.get("9007199254740993")).toEqual({
		...{ id: "9007199254740993", kyc: { status: "approved", profile_id: "5" } },
		routing: { type: "agent", agent_id: "6", failover: { type: "trunk", trunk_id: "9007199254740995" } },
		// Not in the contract.
		order_id: 8,
	});
	server.script = (response) => reply(response, 400, refusal("invalid", { request_id: 7 }));
	expect(await failureOf(server.client().numbers.get("1"))).toMatchObject({ kind: "Invalid", requestId: "7" });
});

test("adds the plus that a service leaves out of phone numbers", async () => {
	const to = { type: "forward", to: "31201234567" };
	const fields = { number: "31201234567", routing: { ...to, failover: to }, numbers: ["31201234567", 31201234567] };
	const record = { id: "31201234567", ...fields, from: 31201234567, to: "112", label: "31201234567" };
	server.script = (response) => reply(response, 200, { data: [record], next_cursor: null });
	const { numbers, portOrders, calls, messages } = server.client();
	const lists = [numbers.list(), numbers.search({ country: "NL" }), portOrders.list(), calls.list(), messages.list()];
	const read = await Promise.all(lists.map(async (list) => (await list.next()).value));
	const number = "+31201234567";
	const routing = { ...to, to: number, failover: { ...to, to: number } };
	const party = { from: number, to: "112" };
	expect(read).toMatchObject([{ number, routing }, { number }, { numbers: [number, number] }, party, party]);
	expect(read[0]).toMatchObject({ id: record.id, label: record.label });
});

describe("a field that no resource needs, in another type", () => {
	const rewrite = (how: (record: Fields) => unknown) => {
		proxy.rewrite = (text) => {
			const json = text === "" ? undefined : JSON.parse(text);
			if (json === undefined || json.error !== undefined) return text;
			return JSON.stringify(Array.isArray(json.data) ? { ...json, data: json.data.map(how) } : how(json));
		};
	};
	const kept = { id: "a", label: "Desk", routing: { type: "agent", agent_id: "6" } };

	test.each<[field: string, value: unknown, rest?: object]>([
		["capabilities", { voice: true }],
		["capabilities", ["voice", 3]],
		["metadata", { floor: 3 }],
		["metadata", []],
		["price", "3.50"],
		["price", { setup: 1, monthly: { amount: 2 } }],
		["release_protection", "no"],
		["created_at", 1_767_225_600],
		["sms_webhook_url", {}],
		["kyc", "approved"],
		["source", { kind: "port" }],
		["kyc.reasons", { status: "rejected", reasons: ["Blurred"] }, { kyc: { status: "rejected" } }],
		["routing.ring_timeout_seconds", { ...kept.routing, ring_timeout_seconds: "30" }],
	])("is left out, with one warning: %s %j", async (place, value, rest = {}) => {
		const field = place.split(".")[0] as string;
		const record = { ...kept, [field]: value };
		const warnings: string[] = [];
		const client = server.client({ warn: (code, text) => warnings.push(`${code} ${text}`) });
		server.script = (response, received) => {
			const isList = received.at(-1)?.path.startsWith("/numbers?");
			reply(response, 200, isList ? { data: [record, record] } : record);
		};
		const { data: sold } = await client.numbers.buy({ country: "NL", type: "mobile" });
		const read = [sold, await client.numbers.get("a"), await client.numbers.patch("a", {})];
		for await (const listed of client.numbers.list()) read.push(listed);
		expect(JSON.parse(JSON.stringify(read))).toEqual(Array(4).fill({ ...kept, ...rest }));
		expect(warnings).toHaveLength(1);
		expect(warnings[0]).toMatch(/^unreadable-response /);
		expect(warnings[0]).toContain(`${place} of a number`);
		expect(warnings[0]).not.toMatch(/3\.50|Blurred|1767225600/);
	});

	test("has one warning for each kind of record, by the service's name", async () => {
		const warnings: string[] = [];
		const service = { records: { trunk: { metadata: "tags" } } };
		const client = server.client({ service, warn: (_, text) => warnings.push(text) });
		server.script = (response) =>
			reply(response, 200, { id: "a", price: 3, tags: [3], numbers_count: "2", metadata: "" });
		for (let read = 0; read < 2; read++) await Promise.all([client.numbers.get("a"), client.trunks.get("a")]);
		expect(warnings.map((text) => /read (.*), because/.exec(text)?.[1])).toEqual([
			"metadata, price of a number",
			"tags, numbers_count of a trunk",
		]);
	});

	test("stays in a request that sends the whole record", async () => {
		const service = { operations: { patchNumber: { request: "PUT /numbers/{id}", whole: true } } };
		server.script = (response) => reply(response, 200, { id: "a", price: "3.50", capabilities: { voice: true } });
		await server.client({ service }).numbers.patch("a", { label: "Desk" });
		const { body = "" } = server.received.find(({ method }) => method === "PUT") ?? {};
		expect(JSON.parse(body)).toMatchObject({ price: "3.50", capabilities: { voice: true }, label: "Desk" });
	});

	test.each(["id", "reference", "number", "country", "status", "kyc_required"])("isn't %s", async (field) => {
		server.script = (response) => reply(response, 200, { id: "a", [field]: { odd: "s3cr3t" }, price: 3 });
		const error = await failureOf(server.client().numbers.get("a"));
		expect(error.kind).toBe("ContractMismatch");
		expect(error.message).toContain(`at ${field}`);
	});

	test("stops neither the purchase nor a later run, and is no drift", async () => {
		rewrite((record) => ({ ...record, capabilities: { voice: true }, metadata: { floor: 3 }, price: "3.50" }));
		const first = open();
		const { id, outs } = await create(first.number, aNumber({ label: "Desk" }));
		const warnings = first.warnings.filter((text) => text.includes("capabilities"));
		expect([warnings.length, warnings[0]?.includes("3.50")]).toEqual([1, false]);
		const next = open();
		const read = await next.number.read(id, outs);
		expect(read.props).toMatchObject({ label: "Desk" });
		expect(
			(await next.number.diff(id, outs, await checked(next.number, aNumber({ label: "Desk" }), outs))).changes,
		).toBe(false);
		expect(next.warnings.filter((text) => text.includes("capabilities"))).toHaveLength(1);
		const news = await checked(next.number, aNumber({ label: "Front" }), outs);
		const updated = await next.number.update(id, outs, news);
		await open().number.delete(id, updated.outs);
		expect([bought(), emulator.live().length]).toEqual([1, 0]);
	});

	test.each([1, "yes"])("confirms a default that the service shows as %j", async (enabled) => {
		rewrite((record) => ({ ...record, enabled }));
		const { id, outs } = await create(open().webhook, aWebhook());
		const run = open();
		const news = await checked(run.webhook, aWebhook(), outs);
		const { props = {} } = await run.webhook.read(id, outs);
		expect((await run.webhook.diff(id, props, news)).changes).toBe(false);
		const off = await checked(run.webhook, aWebhook({ enabled: false }), outs);
		rewrite((record) => ({ ...record, enabled, status: undefined }));
		expect((await initErrorOf(run.webhook.update(id, outs, off))).reasons.join()).toContain("[telephony:not-applied]");
	});

	test("keeps a number whose protection can't be read", async () => {
		const { id, outs } = await create(open().number, aNumber());
		rewrite((record) => ({ ...record, release_protection: "on" }));
		const run = open();
		await run.number.delete(id, outs);
		expect(emulator.live().map((number) => number.id)).toEqual([id]);
		expect(run.warnings.join()).toContain("[telephony:retained]");
	});

	test("is no drift if it is declared, and a write of it isn't confirmed", async () => {
		const args = { metadata: { floor: "3" }, label: "Desk" };
		const { id, outs } = await create(open().number, aNumber(args));
		rewrite((record) => ({ ...record, metadata: { floor: 3 } }));
		const run = open();
		const read = await run.number.read(id, outs);
		expect(read.props).toMatchObject(args);
		const news = await checked(run.number, aNumber({ ...args, metadata: { floor: "4" } }), read.props);
		const error = await initErrorOf(run.number.update(id, outs, news));
		expect(error.reasons.join()).toMatch(/metadata.*\[telephony:not-applied\]/);
	});
});

describe("a record that can't be read", () => {
	/** Makes one number odd in every read. */
	const spoil = (id: string | undefined, how: (record: Fields) => unknown) => {
		const spoiled = eachRecord((record) => (record.id === id ? how(record) : record));
		rewriteReads(proxy, spoiled);
	};
	const odd = (record: object) => ({ ...record, status: ["resting"] });
	const desk = (name: string) => create(open().number, aNumber({ type: "geographic", area: "20" }, name));
	const make = (...names: string[]) => Promise.all(names.map(desk));
	const unreadable = { kind: "ContractMismatch", messageCode: "unreadable-response" };

	test("stands beside the others of its page, with the fields that can be read", async () => {
		const [first, second] = await make("a", "b");
		spoil(second?.id, odd);
		const fields = { country: "NL", type: "geographic", reference: expect.stringContaining(".") };
		const client = new Client({ baseUrl: proxy.url, apiKey: proxy.apiKey });
		for await (const page of client.numbers.pages()) {
			expect(page.map(({ id }) => id)).toEqual([first?.id]);
			expect(unreadableIn(page)).toMatchObject([{ id: second?.id, fields, error: unreadable }]);
			expect(JSON.stringify(unreadableIn(page))).not.toContain("resting");
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
	let json = "";
	let count = 0;
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
