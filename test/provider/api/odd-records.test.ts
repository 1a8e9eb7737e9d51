/** Records that are not quite as the contract has them: null for nothing, numeric ids, one that can't be read. */
import { describe, expect, test } from "vitest";
import { Client, unreadableIn } from "../../../provider/api/client";
import { isTelephonyError, type TelephonyError } from "../../../provider/api/errors";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { usePlainService } from "../../helpers/plain-service";
import { aNumber, aTrunk, checked, create, failureOf, openProvider } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";
import { answer, useScriptedServer } from "../../helpers/scripted-server";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const server = useScriptedServer();
const open = () => openProvider(proxy);
const bought = () => emulator.purchases().length;
type Fields = Record<string, unknown>;

describe("null", () => {
	const read = async (record: object, list: "numbers" | "trunks" = "numbers") => {
		server.script = (response) => answer(response, 200, { data: [record] });
		const found = [];
		for await (const each of server.client()[list].list()) found.push(each);
		return found[0];
	};
	const optional = ["status", "state", "type", "country", "capabilities", "kyc_required", "source"];

	test("means nothing in a field that can't be null", async () => {
		const nulls = Object.fromEntries([...optional, "release_protection"].map((field) => [field, null]));
		expect(await read({ id: "a", ...nulls })).toEqual({ id: "a" });
		const auth = { mode: "digest", password_set: null, username: null };
		const trunk = { id: "a", auth, targets: [{ host: "h", port: null, weight: 1 }], status: null };
		const expected = { id: "a", auth: { mode: "digest" }, targets: [{ host: "h", weight: 1 }] };
		expect(await read(trunk, "trunks")).toEqual(expected);
	});

	test("keeps its meaning in a field that may be null, and in an unknown one", async () => {
		const record = { id: "a", number: null, routing: null, label: null, reference: null, kyc: null, since: null };
		expect(await read(record)).toEqual(record);
	});

	test("leaves nothing to do after up where the program declares nothing", async () => {
		const [number, trunk] = [aNumber(), aTrunk({ targets: [{ host: "pbx.example.com" }] })];
		const made = [await create(open().number, number), await create(open().sipTrunk, trunk)] as const;
		const fields = [...optional, "release_protection", "port", "priority", "weight"].join("|");
		proxy.rewrite = (text, method) =>
			method === "GET"
				? text.replaceAll(new RegExp(`"(${fields})":("[^"]*"|\\[[^\\]]*\\]|[^,}]*)`, "g"), '"$1":null')
				: text;
		expect(await refreshed(open(), made[0], number)).toMatchObject({ changes: false });
		expect(await refreshed(open(), made[1], trunk)).toMatchObject({ changes: false });
	});
});

describe("a numeric id", () => {
	const service = usePlainService();
	const openPlain = () =>
		openProvider(service, { config: { "telephony:features": "idempotencyKey reference -statusFilter" } });

	test("is kept as text by a number through its life", async () => {
		service.fresh = () => ({ status: "active" });
		const declared = aNumber({ routing: { type: "trunk", trunkId: "12" } });
		const { id, outs } = await create(openPlain().number, declared);
		expect([id, service.sold.length]).toEqual(["701", 1]);
		Object.assign(service.rows[0] ?? {}, { routing: { type: "trunk", trunk_id: 12 } });
		const run = openPlain();
		const { props = {} } = await run.number.read(id, outs);
		const inputs = await checked(run.number, declared);
		expect((await run.number.diff(id, props, inputs)).changes).toBe(false);
		const updated = await run.number.update(id, props, { ...inputs, label: "Desk" });
		expect(service.rows[0]).toMatchObject({ id: 701, label: "Desk" });
		await openPlain().number.delete(id, updated.outs);
		expect(service.rows).toEqual([]);
	});

	test("is read as text wherever the contract has an id, with all its digits", async () => {
		const trunk = '{"type":"trunk","trunk_id":9007199254740995}';
		const routing = `{"type":"agent","agent_id":6,"failover":${trunk}}`;
		const text = `{"id": 9007199254740993, "kyc":{"status":"approved","profile_id":5}, "routing":${routing}, "order_id":8}`;
		server.script = (response) => answer(response, 200, text);
		expect(await server.client().numbers.get("9007199254740993")).toEqual({
			id: "9007199254740993",
			kyc: { status: "approved", profile_id: "5" },
			routing: { type: "agent", agent_id: "6", failover: { type: "trunk", trunk_id: "9007199254740995" } },
			// Not in the contract.
			order_id: 8,
		});
	});

	test("of a request is read from an error", async () => {
		const client = new Client({ baseUrl: service.url, apiKey: "k" });
		expect(await failureOf(client.numbers.getById("9"))).toMatchObject({ kind: "NotFound", requestId: "7" });
	});
});

describe("a record that can't be read", () => {
	/** Makes one number odd in every response. */
	const spoil = (id: string | undefined, how: (record: Fields) => unknown) => {
		const spoiled = (record: Fields) => (record.id === id ? how(record) : record);
		proxy.rewrite = (text) => {
			if (text === "") return text;
			const json = JSON.parse(text);
			return JSON.stringify(json.data ? { ...json, data: json.data.map(spoiled) } : spoiled(json));
		};
	};
	const odd = (record: object) => ({ ...record, capabilities: "voice" });
	const make = (...names: string[]) => Promise.all(names.map((name) => create(open().number, aNumber({}, name))));
	const unreadable = { kind: "ContractMismatch", messageCode: "unreadable-answer" };

	test("stands beside the others of its page, with the fields that can be read", async () => {
		const [one, two] = await make("a", "b");
		spoil(two?.id, odd);
		const fields = { country: "NL", type: "mobile", reference: expect.stringContaining(".") };
		const client = new Client({ baseUrl: proxy.url, apiKey: proxy.apiKey });
		for await (const page of client.numbers.pages()) {
			expect(page.map(({ id }) => id)).toEqual([one?.id]);
			expect(unreadableIn(page)).toMatchObject([{ id: two?.id, fields, error: unreadable }]);
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

	test("isn't deleted where single reads deny what the list shows", async () => {
		const [one, two] = await make("a", "b");
		spoil(two?.id, odd);
		emulator.control.faults.set({ operation: "getNumber", every: true, error: "not_found" });
		const run = open();
		await run.number.read(one?.id ?? "", one?.outs ?? {});
		await (await run.session.service()).numbers.all();
		expect(await failureOf(run.number.read(two?.id ?? "", two?.outs ?? {}))).toMatchObject(unreadable);
	});

	test.each<[string, name: string, how: (record: object) => unknown]>([
		["is this resource's", "main", odd],
		["shows no owner", "main", (record) => ({ ...odd(record), reference: 7 })],
		["shows nothing", "main", () => "odd"],
		["has no id", "main", (record) => ({ ...record, id: null, reference: null })],
		["is another declaration's", "another", odd],
		["is another tool's", "another", (record) => ({ ...odd(record), reference: "order 4711" })],
		["is of another type", "another", (record) => ({ ...odd(record), reference: null, type: "national" })],
	])("stops a purchase if it %s", async (_, name, how) => {
		const [one] = await make(name);
		spoil(one?.id, how);
		expect(await failureOf(create(open().number, aNumber()))).toMatchObject(unreadable);
		expect(bought()).toBe(1);
		if (name === "main") return;
		// Beside a record that can be read, it isn't the way the whole list is written.
		proxy.rewrite = (text) => text;
		await make("readable");
		spoil(one?.id, how);
		await create(open().number, aNumber());
		expect(bought()).toBe(3);
	});
});

describe("a purchase whose response can't be read", () => {
	const names = ["a", "b", "c", "d", "e"];
	/** Responses to purchases are odd from the nth on; the list shows what it showed before them, or all. */
	const spoilPurchases = async (isListed: boolean, from = 0) => {
		await create(open().number, aNumber({}, "before"));
		let [shown, count] = ["", 0];
		proxy.rewrite = (text, method, path) => {
			if (method === "POST") return count++ < from ? text : JSON.stringify({ number: JSON.parse(text) });
			if (isListed || !path.startsWith("/v1/numbers?")) return text;
			shown ||= text;
			return shown;
		};
	};
	/** Returns the errors. */
	const run = async (wanted: readonly string[] = names) => {
		const { number, session } = open();
		const errors: TelephonyError[] = [];
		const one = async (name: string) => {
			await create(number, aNumber({}, name)).catch((error: unknown) => {
				if (!isTelephonyError(error)) throw error;
				errors.push(error);
			});
		};
		await Promise.all(wanted.map(one));
		await (await session.service()).client.close();
		return errors;
	};

	test.each([0, 2])("is the last one of its run, after %d that can be read", async (from) => {
		await spoilPurchases(false, from);
		const { number } = open();
		for (const name of names.slice(0, from)) await create(number, aNumber({}, name));
		for (const name of names.slice(from))
			expect(await failureOf(create(number, aNumber({}, name)))).toMatchObject({ messageCode: "purchase-unknown" });
		expect(bought()).toBe(2 + from);
		proxy.rewrite = (text) => text;
		expect(await run()).toEqual([]);
		expect(bought()).toBe(1 + names.length);
	});

	test("stops the purchases that wait to be sent", async () => {
		await spoilPurchases(false, 1);
		const many = Array.from({ length: 60 }, (_, n) => `n${n}`);
		await run(many);
		expect(bought()).toBeLessThan(1 + many.length);
	});

	test("stops nothing if the list explains it", async () => {
		await spoilPurchases(true);
		expect(await run()).toEqual([]);
		expect(bought()).toBe(1 + names.length);
	});
});
