import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Journal, packedAtOnce } from "../../../emulator/store/journal";
import type { Wire } from "../../helpers/emulator";
import { refusal, useVirtualEmulator } from "../fixture";

const { emulator, call, outside, buy, trunk, clock } = useVirtualEmulator();

const row = (n: number) => ({
	method: "GET",
	path: `/v1/numbers/${n}`,
	status: null,
	request_id: `req_${n}`,
	at: new Date(n).toISOString(),
});

describe("the journal", () => {
	test("keeps every request in order, packed, whether it was answered early, late or never", () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 0, max: 4 * packedAtOnce }),
				fc.array(fc.nat(20_000), { maxLength: 5 }),
				(count, late) => {
					const journal = new Journal();
					const open = new Map<number, ReturnType<typeof row>>();
					for (let n = 0; n < count; n++) {
						const added = journal.add(row(n)) as ReturnType<typeof row>;
						if (late.includes(n)) open.set(n, added);
						else journal.answered(added, { status: 200, body: {} });
					}
					const [first] = open.keys();
					for (const [n, added] of open) if (n !== first) journal.answered(added, { status: 503, body: {} });
					const rows = journal.rows();
					expect(rows.map(({ request_id }) => request_id)).toEqual(Array.from({ length: count }, (_, n) => `req_${n}`));
					const expected = (n: number) => (n === first ? null : open.has(n) ? 503 : 200);
					expect(rows.every(({ status }, n) => status === expected(n))).toBe(true);
					expect(journal.size).toBe(count);
				},
			),
			{ numRuns: 15 },
		);
	});

	test("keeps so many of the latest if asked to", () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 9000 }), fc.integer({ min: 0, max: 20_000 }), (keep, count) => {
				const journal = new Journal(keep);
				for (let n = 0; n < count; n++) journal.answered(journal.add(row(n)), { status: 200, body: {} });
				const rows = journal.rows();
				expect(rows).toHaveLength(Math.min(keep, count));
				expect(rows.at(-1)?.request_id).toBe(count === 0 ? undefined : `req_${count - 1}`);
				expect(journal.size).toBe(rows.length);
			}),
			{ numRuns: 15 },
		);
	});
});

describe("GET /_emulator/requests", () => {
	const read = async (query = "") => (await outside("GET", `/_emulator/requests${query}`)).body;
	const paths = ({ data }: Wire) => data.map(({ path }) => path);

	test("is whole by default", async () => {
		await buy();
		const { data } = await read();
		expect(data).toMatchObject([{ method: "POST", path: "/v1/numbers", status: 201 }]);
		expect(Object.keys(data[0] ?? {}).sort()).toEqual(["at", "method", "path", "request_id", "status"]);
	});

	test("filters by operation, status and time", async () => {
		const { id } = await buy();
		await trunk();
		clock.advance(60_000);
		await call("GET", `/numbers/${id}?x=1`);
		await call("GET", `/numbers/${id}`);
		await call("GET", "/trunks/none");
		expect(paths(await read("?operation=getNumber"))).toEqual([`/v1/numbers/${id}?x=1`, `/v1/numbers/${id}`]);
		expect(paths(await read("?operation=buyNumber"))).toEqual(["/v1/numbers"]);
		expect(paths(await read("?status=404"))).toEqual(["/v1/trunks/none"]);
		expect(paths(await read("?status=4xx"))).toEqual([`/v1/numbers/${id}?x=1`, "/v1/trunks/none"]);
		expect(paths(await read("?status=none"))).toEqual([]);
		expect((await read(`?since=${new Date(clock.now()).toISOString()}`)).data).toHaveLength(3);
		expect(emulator.control.requests({ operation: "getNumber", status: "200" })).toHaveLength(1);
	});

	test("comes in pages that miss nothing and repeat nothing", async () => {
		for (let n = 0; n < 7; n++) await call("GET", `/numbers/n${n}`);
		await call("GET", "/trunks");
		const seen: unknown[] = [];
		for (let cursor: string | null = ""; cursor !== null; ) {
			const page = await read(`?operation=getNumber&limit=3${cursor && `&cursor=${cursor}`}`);
			seen.push(...paths(page));
			cursor = page.next_cursor;
		}
		expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => `/v1/numbers/n${n}`));
	});

	test.each(["?operation=buy", "?status=6xx", "?since=yesterday", "?limit=0", "?limit=0x1", "?cursor=x", "?page=1"])(
		"refuses %s",
		async (query) => {
			expect(await outside("GET", `/_emulator/requests${query}`)).toMatchObject(refusal(400, "validation_failed"));
		},
	);

	test("is cleared by itself, and the account stays", async () => {
		await buy();
		expect((await outside("DELETE", "/_emulator/requests")).status).toBe(204);
		expect((await read()).data).toEqual([]);
		expect(emulator.control.state().numbers).toHaveLength(1);
		expect(emulator.control.ledger()).toHaveLength(1);
	});
});

test("what rows are looked up by follows each change", async () => {
	const [one, other] = [await buy(), await buy()];
	const listed = async (reference: string) =>
		(await call("GET", `/numbers?reference=${reference}`)).body.data.map(({ id }) => id);
	const claim = (id: unknown, reference: string | null) => call("PATCH", `/numbers/${id}`, { reference });
	await claim(other.id, "a");
	await claim(one.id, "a");
	// In order of creation, whoever got the reference first.
	expect(await listed("a")).toEqual([one.id, other.id]);
	await claim(one.id, "b");
	expect([await listed("a"), await listed("b")]).toEqual([[other.id], [one.id]]);
	const snapshot = emulator.control.snapshot();
	emulator.control.reset();
	expect(await listed("a")).toEqual([]);
	emulator.control.restore(snapshot);
	expect([await listed("a"), await listed("b")]).toEqual([[other.id], [one.id]]);
	await claim(one.id, null);
	expect(await listed("b")).toEqual([]);
});
