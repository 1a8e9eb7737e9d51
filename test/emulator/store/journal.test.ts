import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Journal } from "../../../emulator/store/journal";
import type { Wire } from "../../helpers/emulator";
import { refusal, useVirtualEmulator } from "../fixture";
import { open } from "../folders";

const { emulator, call, outside, buy, trunk, clock } = useVirtualEmulator();

const row = (n: number) => ({
	method: "GET",
	path: `/v1/numbers/${n}`,
	status: null,
	request_id: `req_${n}`,
	at: new Date(n).toISOString(),
});

describe("the journal", () => {
	test("keeps the latest in order, whether they are answered early, late or never, and counts the others", () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 50 }),
				fc.array(fc.constantFrom(200, 503, null), { maxLength: 200 }),
				(keep, statuses) => {
					const journal = new Journal(keep);
					const open = statuses.map((status, n) => {
						const added = journal.add(row(n));
						if (status === 200) journal.answered(added, { status, body: {} });
						return { added, status };
					});
					for (const { added, status } of open) if (status === 503) journal.answered(added, { status, body: {} });
					const all = statuses.map((status, n) => ({ ...row(n), status }));
					expect(journal.latest()).toEqual(all.slice(-keep));
					expect(journal.latest(3)).toEqual(all.slice(-Math.min(keep, 3)));
					expect([...journal.from(40)].map(([place]) => place)).toEqual(
						all.flatMap((_, place) => (place >= Math.max(40, all.length - keep) ? [place] : [])),
					);
					expect(journal.dropped + journal.size).toBe(all.length);
					expect(journal.refused).toBe(statuses.filter((status) => status === 503).length);
				},
			),
		);
	});

	test("keeps 100,000 requests unless another number is asked for", () => {
		const journal = new Journal();
		for (let n = 0; n < 100_001; n++) journal.add(row(n));
		expect(journal.size).toBe(100_000);
		expect(journal.dropped).toBe(1);
		expect(journal.latest()[0]?.request_id).toBe("req_1");
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

	test("says how many earlier requests are no longer kept", async () => {
		const few = await open({ keepRequests: 2 });
		for (let n = 0; n < 5; n++) await few.call("GET", `/numbers/n${n}`);
		expect(few.control.requestsPage({ limit: 1 })).toMatchObject({
			data: [{ path: "/v1/numbers/n3" }],
			next_cursor: "4",
			dropped: 3,
		});
		const { body } = await few.outside("GET", "/_emulator/requests");
		expect(body).toMatchObject({ dropped: 3, next_cursor: null });
		expect(paths(body)).toEqual(["/v1/numbers/n3", "/v1/numbers/n4"]);
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
	expect(await listed("a")).toEqual([other.id]);
	expect(await listed("b")).toEqual([one.id]);
	const snapshot = emulator.control.snapshot();
	emulator.control.reset();
	expect(await listed("a")).toEqual([]);
	emulator.control.restore(snapshot);
	expect(await listed("a")).toEqual([other.id]);
	expect(await listed("b")).toEqual([one.id]);
	await claim(one.id, null);
	expect(await listed("b")).toEqual([]);
});
