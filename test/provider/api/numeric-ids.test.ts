/** A service whose ids are numbers in JSON: they are read and kept as text. */
import { expect, test } from "vitest";
import { Client } from "../../../provider/api/client";
import { usePlainService } from "../../helpers/plain-service";
import { aNumber, checked, create, failureOf, openProvider } from "../../helpers/provider";
import { answer, useScriptedServer } from "../../helpers/scripted-server";

const service = usePlainService();
const scripted = useScriptedServer();
const open = () =>
	openProvider(service, { config: { "telephony:features": "idempotencyKey reference -statusFilter" } });
const client = () => new Client({ baseUrl: service.url, apiKey: "k" });

test("a number is bought once, saved under its id as text, and read, changed and released by it", async () => {
	service.fresh = () => ({ status: "active" });
	const declared = aNumber({ routing: { type: "trunk", trunkId: "12" } });
	const { id, outs } = await create(open().number, declared);
	expect({ id, sold: service.sold.length }).toEqual({ id: "701", sold: 1 });
	// The service keeps ids its own way.
	Object.assign(service.rows[0] ?? {}, { routing: { type: "trunk", trunk_id: 12 } });
	const read = await open().number.read(id, outs);
	expect(read).toMatchObject({ id, props: expect.objectContaining({ routing: { type: "trunk", trunkId: "12" } }) });
	const run = open();
	const inputs = await checked(run.number, declared);
	expect((await run.number.diff(id, read.props ?? {}, inputs)).changes).toBe(false);
	const updated = await run.number.update(id, read.props ?? {}, { ...inputs, label: "Desk" });
	expect(service.rows[0]).toMatchObject({ id: 701, label: "Desk" });
	await open().number.delete(id, updated.outs);
	expect(service.rows).toEqual([]);
});

test("every id of an answer, as long as it may be, and nothing else", async () => {
	service.rows.push({
		id: 1,
		kyc: { status: "approved", profile_id: 5, reasons: [] },
		routing: { type: "agent", agent_id: 6, ring_timeout_seconds: 20, failover: { type: "trunk", trunk_id: 7 } },
		order_id: 8,
		created_at: "2026-01-01T00:00:00Z",
	});
	expect(await client().numbers.get("1")).toEqual({
		id: "1",
		kyc: { status: "approved", profile_id: "5", reasons: [] },
		routing: { type: "agent", agent_id: "6", ring_timeout_seconds: 20, failover: { type: "trunk", trunk_id: "7" } },
		// Nothing of the contract.
		order_id: 8,
		created_at: "2026-01-01T00:00:00Z",
	});
});

test("an id that is too long for JavaScript's numbers keeps each digit", async () => {
	scripted.script = (response) =>
		answer(response, 200, '{"id": 9007199254740993, "routing": {"type":"trunk","trunk_id":9007199254740995}}');
	const record = await new Client({ baseUrl: scripted.url, apiKey: "k" }).numbers.get("9007199254740993");
	expect(record.id).toBe("9007199254740993");
	expect(record.routing).toEqual({ type: "trunk", trunk_id: "9007199254740995" });
});

test("the service's error is read, though its request_id is a number", async () => {
	expect(await failureOf(client().numbers.getById("9"))).toMatchObject({ kind: "NotFound", requestId: "7" });
});
