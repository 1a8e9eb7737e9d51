/** Answers that are not quite as the contract has them: null for nothing, and one record among many that can't be read. */
import { describe, expect, test } from "vitest";
import { Client, unreadableIn } from "../../../provider/api/client";
import { isTelephonyError, type TelephonyError } from "../../../provider/api/errors";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { aNumber, aTrunk, create, failureOf, openProvider } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";
import { answer, useScriptedServer } from "../../helpers/scripted-server";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const open = () => openProvider(proxy);
const bought = () => emulator.purchases().length;

describe("null", () => {
	const server = useScriptedServer();
	const page = (record: object) => {
		server.script = (response) => answer(response, 200, { data: [record], next_cursor: null });
	};

	test.each(["status", "state", "type", "country", "capabilities", "kyc_required", "source", "release_protection"])(
		"in the place of a number's %s is nothing",
		async (field) => {
			page({ id: "a", [field]: null });
			expect((await server.client().numbers.list().next()).value).toEqual({ id: "a" });
		},
	);

	test("is nothing deep within a record, too", async () => {
		page({
			id: "a",
			auth: { mode: "digest", password_set: null, username: null },
			targets: [{ host: "h", port: null, weight: 1 }],
			status: null,
		});
		expect((await server.client().trunks.list().next()).value).toEqual({
			id: "a",
			auth: { mode: "digest" },
			targets: [{ host: "h", weight: 1 }],
		});
	});

	test("keeps its meaning where it has one, and where nobody knows the field", async () => {
		const record = { id: "a", number: null, routing: null, label: null, reference: null, kyc: null, since: null };
		page(record);
		expect((await server.client().numbers.list().next()).value).toEqual(record);
	});

	test("or nothing at all in the place of the next cursor is the end of a list", async () => {
		server.script = (response) => answer(response, 200, { data: [{ id: "a" }] });
		const found = [];
		for await (const number of server.client().numbers.list()) found.push(number.id);
		expect({ found, received: server.received.length }).toEqual({ found: ["a"], received: 1 });
	});

	test("in what nobody has declared leaves nothing to do after up", async () => {
		const optional = "status|type|country|capabilities|kyc_required|source|release_protection|port|priority|weight";
		const [number, trunk] = [aNumber(), aTrunk({ targets: [{ host: "pbx.example.com" }] })];
		const made = { number: await create(open().number, number), sipTrunk: await create(open().sipTrunk, trunk) };
		proxy.rewrite = (text, method) =>
			method === "GET"
				? text.replaceAll(new RegExp(`"(${optional})":("[^"]*"|\\[[^\\]]*\\]|[^,}]*)`, "g"), '"$1":null')
				: text;
		for (const [kind, declared] of [
			["number", number],
			["sipTrunk", trunk],
		] as const) {
			expect(await refreshed(open(), made[kind], declared)).toMatchObject({ changes: false });
		}
	});
});

describe("a record that can't be read", () => {
	/** Makes one number odd wherever it is shown. */
	const spoil = (id: string, how: (record: Record<string, unknown>) => unknown) => {
		const spoiled = (record: Record<string, unknown>) => (record.id === id ? how(record) : record);
		proxy.rewrite = (text) => {
			const json = text === "" ? undefined : JSON.parse(text);
			if (json?.data) json.data = json.data.map(spoiled);
			return json === undefined ? text : JSON.stringify(json.data ? json : spoiled(json));
		};
	};
	const odd = (record: object) => ({ ...record, capabilities: "voice" });
	const make = (names: readonly string[]) => Promise.all(names.map((name) => create(open().number, aNumber({}, name))));

	test("stands beside the others of its page, with what can be read of it and why the rest can't", async () => {
		const [one, two] = await make(["a", "b"]);
		spoil(two?.id ?? "", odd);
		const client = new Client({ baseUrl: proxy.url, apiKey: proxy.apiKey });
		for await (const page of client.numbers.pages()) {
			expect(page.map(({ id }) => id)).toEqual([one?.id]);
			expect(unreadableIn(page)).toEqual([
				{
					id: two?.id,
					fields: expect.objectContaining({ country: "NL", type: "mobile", reference: expect.stringContaining(".") }),
					error: expect.objectContaining({
						kind: "ContractMismatch",
						message: expect.stringMatching(/num_\w+ doesn't match the contract at capabilities/),
					}),
				},
			]);
			expect(JSON.stringify(unreadableIn(page))).not.toContain("voice");
		}
	});

	test.each([true, false])("is not gone, and hides no other; with single reads: %s", async (getById) => {
		emulator.control.settings({ features: { getById } });
		const made = await make(["a", "b", "c", "d", "e", "f"]);
		const [first] = made;
		spoil(first?.id ?? "", odd);
		const run = open();
		const reads = await Promise.allSettled(made.map(({ id, outs }) => run.number.read(id, outs)));
		expect(reads.map(({ status }) => status)).toEqual(["rejected", ...Array(5).fill("fulfilled")]);
		expect(reads[0]).toMatchObject({
			reason: { kind: "ContractMismatch", message: expect.stringContaining("at capabilities") },
		});
		for (const read of reads.slice(1)) expect(read).toMatchObject({ value: { id: expect.any(String) } });
		expect((await failureOf((await run.session.service()).client.numbers.get(first?.id ?? ""))).kind).toBe(
			"ContractMismatch",
		);
	});

	test("is not gone where single reads deny what the list shows", async () => {
		const [one, two] = await make(["a", "b"]);
		spoil(two?.id ?? "", odd);
		emulator.control.faults.set({ operation: "getNumber", every: true, error: "not_found" });
		const run = open();
		await run.number.read(one?.id ?? "", one?.outs ?? {});
		await (await run.session.service()).numbers.all();
		expect((await failureOf(run.number.read(two?.id ?? "", two?.outs ?? {}))).kind).toBe("ContractMismatch");
		emulator.control.faults.clear();
	});

	test.each([
		["the record is ours", odd],
		["nothing says whose it is", (record: object) => ({ ...odd(record), reference: 7 })],
		["nothing of it can be read", () => "odd"],
		["it has no id", (record: object) => ({ ...record, id: null, reference: null })],
	])("keeps from buying another one, where %s", async (_, how) => {
		const [one] = await make(["main"]);
		spoil(one?.id ?? "", how);
		const error = await failureOf(create(open().number, aNumber()));
		expect(error).toMatchObject({
			kind: "ContractMismatch",
			message: expect.stringMatching(/^Nothing was bought: .*may be this resource's/),
		});
		expect(bought()).toBe(1);
	});

	test.each([
		["another declaration's", odd],
		["somebody else's", (record: object) => ({ ...odd(record), reference: "order 4711" })],
		["of another type", (record: object) => ({ ...odd(record), reference: null, type: "national" })],
	])("keeps from buying only where it is all that the list shows, if it is %s", async (_, how) => {
		const [one] = await make(["another"]);
		spoil(one?.id ?? "", how);
		const error = await failureOf(create(open().number, aNumber()));
		expect(error).toMatchObject({
			kind: "ContractMismatch",
			messageCode: "unreadable-answer",
			message: expect.stringMatching(/^Nothing was bought: /),
		});
		expect(bought()).toBe(1);
		proxy.rewrite = (text) => text;
		await make(["readable"]);
		spoil(one?.id ?? "", how);
		await create(open().number, aNumber());
		expect(bought()).toBe(3);
	});
});

describe("a purchase whose answer can't be read", () => {
	const names = ["a", "b", "c", "d", "e"];
	/** Answers to purchases are odd from the nth on; the list shows what it showed before them, or all. */
	const spoilPurchases = async (isListed: boolean, from = 0) => {
		await create(open().number, aNumber({}, "before"));
		let shown = "";
		let count = 0;
		proxy.rewrite = (text, method, path) => {
			if (method === "POST") return count++ < from ? text : JSON.stringify({ number: JSON.parse(text) });
			if (isListed || !path.startsWith("/v1/numbers?")) return text;
			shown ||= text;
			return shown;
		};
	};
	const run = async () => {
		const { number, session } = open();
		const errors: TelephonyError[] = [];
		const one = async (name: string) => {
			await create(number, aNumber({}, name)).catch((error: unknown) => {
				if (!isTelephonyError(error)) throw error;
				errors.push(error);
			});
		};
		await Promise.all(names.map(one));
		await (await session.service()).client.close();
		return errors;
	};

	test("a purchase that neither its answer nor the list explains is the last one of its run, and the next run loses nothing", async () => {
		await spoilPurchases(false);
		const errors = await run();
		expect(errors.map(({ kind, messageCode }) => [kind, messageCode])).toEqual(
			names.map(() => ["OutcomeUnknown", "purchase-unknown"]),
		);
		expect(errors.filter(({ message }) => message.startsWith("Nothing was bought for this resource"))).toHaveLength(4);
		expect(bought()).toBe(2);
		proxy.rewrite = (text) => text;
		expect(await run()).toEqual([]);
		expect(bought()).toBe(1 + names.length);
	});

	test("is the last one also where earlier answers could be read", async () => {
		await spoilPurchases(false, 2);
		const { number } = open();
		for (const name of ["a", "b"]) await create(number, aNumber({}, name));
		expect((await failureOf(create(number, aNumber({}, "c")))).messageCode).toBe("purchase-unknown");
		for (const name of ["d", "e"])
			expect((await failureOf(create(number, aNumber({}, name)))).message).toMatch(/^Nothing was bought/);
		expect(bought()).toBe(4);
		proxy.rewrite = (text) => text;
		expect(await run()).toEqual([]);
		expect(bought()).toBe(1 + names.length);
	});

	test("stops also those that wait to be sent, where many are asked for at once", async () => {
		await spoilPurchases(false, 1);
		const { number, session } = open();
		const many = [...Array(60).keys()].map((n) => create(number, aNumber({}, `n${n}`)));
		await Promise.allSettled(many);
		await (await session.service()).client.close();
		expect(bought()).toBeLessThan(1 + many.length);
	});

	test("a purchase that the list explains stops nothing, though its answer can't be read", async () => {
		await spoilPurchases(true);
		expect(await run()).toEqual([]);
		expect(bought()).toBe(1 + names.length);
	});
});
