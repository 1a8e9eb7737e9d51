import { describe, expect, test } from "vitest";
import { day, hour, iso, move, refusal, useVirtualEmulator } from "../fixture";

const virtual = useVirtualEmulator();
const { clock, emulator, outside, post, patch, read, hook, buy, document, state } = virtual;

const letter = async () => (await document({ kind: "letter_of_authorization" })).id;
const create = async (more: object = {}) => (await virtual.port({ document_ids: [await letter()], ...more })).id;
const submit = async (id: string) => (await post(`/port_orders/${id}/submit`)).body;
const cancel = (id: string) => post(`/port_orders/${id}/cancel`);
const order = (id: string) => read(`/port_orders/${id}`);
const statusOf = async (id: string) => (await order(id)).status;
const submitted = async (more: object = {}) => {
	const id = await create(more);
	await submit(id);
	return id;
};

describe("a port order", () => {
	test("goes from draft to completed, and brings its numbers", async () => {
		await hook({ events: ["port_order.updated", "number.activated"] });
		const id = await create({ reference: "move" });
		clock.advance(30 * day);
		expect(await statusOf(id)).toBe("draft");
		expect(await submit(id)).toMatchObject({ status: "submitted", exceptions: [] });
		clock.advance(hour);
		expect(await statusOf(id)).toBe("in_review");
		clock.advance(day);
		const completed_at = iso(clock.now() + 3 * day);
		expect(await order(id)).toMatchObject({ status: "scheduled", scheduled_at: completed_at });
		expect((await read("/numbers")).data).toEqual([]);
		clock.advance(3 * day);
		const { data: ported } = await read("/numbers");
		const fields = { country: "NL", source: "port", status: "active" };
		expect(ported).toMatchObject([
			{ ...fields, number: "+31201234567", type: "geographic" },
			{ ...fields, number: "+31612345678", type: "mobile", capabilities: ["voice", "sms"] },
		]);
		const number_ids = ported.map((number) => number.id);
		expect(await order(id)).toMatchObject({ status: "completed", number_ids, completed_at });
		expect(emulator.kinds()).toEqual(["port", "port"]);
		const [updated, activated] = ["port_order.updated", "number.activated"];
		const events = [updated, updated, updated, activated, activated, updated];
		expect(state().deliveries.map(({ event }) => event)).toEqual(events);
		expect((await read("/port_orders?reference=move&status=completed")).data).toHaveLength(1);
		expect((await read("/port_orders?status=draft")).data).toEqual([]);
	});

	test("stops at the carrier's objections until it is corrected", async () => {
		const id = await submitted({ document_ids: [], carrier: { name: "Old Telecom", pin: "0000" } });
		clock.advance(hour + 30 * day);
		const codes = ["letter_of_authorization_missing", "account_number_missing", "pin_invalid"];
		expect(await order(id)).toMatchObject({ status: "exception", exceptions: codes.map((code) => ({ code })) });
		await patch(`/port_orders/${id}`, { document_ids: [await letter()], carrier: move.carrier });
		expect(await submit(id)).toMatchObject({ status: "submitted", exceptions: [] });
		clock.advance(hour + 4 * day);
		expect(await statusOf(id)).toBe("completed");
	});

	test("hides the PIN, and keeps it when a change omits it", async () => {
		const id = await create();
		await patch(`/port_orders/${id}`, { carrier: { name: "Old Telecom B.V.", account_number: "A-2" } });
		const carrier = { name: "Old Telecom B.V.", account_number: "A-2", pin_set: true };
		expect((await order(id)).carrier).toEqual(carrier);
		const pin = () => state().portOrders[0]?.carrier.pin;
		expect(pin()).toBe("4711");
		await patch(`/port_orders/${id}`, { carrier: { name: "Old Telecom B.V.", pin: null } });
		expect(pin()).toBeNull();
	});

	test("is cancelled at once as a draft, later after an hour", async () => {
		expect((await cancel(await create())).body.status).toBe("cancelled");
		const id = await submitted();
		clock.advance(hour + day);
		expect((await cancel(id)).body).toMatchObject({ status: "cancel_pending", scheduled_at: null });
		clock.advance(hour);
		expect(await statusOf(id)).toBe("cancelled");
		clock.advance(30 * day);
		expect(await statusOf(id)).toBe("cancelled");
		expect(state().numbers).toEqual([]);
	});

	test("can't be cancelled in the 48 hours before the requested day", async () => {
		const requested_date = iso(clock.now() + 31 * day);
		const id = await submitted({ requested_date, country: "DE", numbers: ["+4915123456789"] });
		clock.advance(30 * day);
		expect(await order(id)).toMatchObject({ status: "scheduled", requested_date });
		expect(await cancel(id)).toMatchObject(refusal(409, "port_not_cancellable"));
		clock.advance(2 * day);
		expect(await statusOf(id)).toBe("completed");
		const number = { status: "active", kyc_required: true, kyc: { status: "approved" } };
		expect((await read("/numbers")).data).toMatchObject([number]);
		expect(await cancel(id)).toMatchObject(refusal(409, "port_not_cancellable"));
	});

	test("accepts only a new reference while it is in progress", async () => {
		const id = await submitted();
		const busy = refusal(409, "port_in_progress");
		const { subscriber } = move;
		expect(await patch(`/port_orders/${id}`, { subscriber, reference: "x" })).toMatchObject(busy);
		expect(await post(`/port_orders/${id}/submit`)).toMatchObject(busy);
		const changed = (await patch(`/port_orders/${id}`, { reference: "x" })).body;
		expect(changed).toMatchObject({ reference: "x", status: "submitted" });
	});

	const toCancelled = { cancel: "cancelled" };
	const byHand = { complete: "completed", reject: "exception", ...toCancelled };
	test.each<[string, Record<string, string>]>([
		["draft", toCancelled],
		["submitted", { advance: "in_review", ...byHand }],
		["in_review", { advance: "scheduled", ...byHand }],
		["exception", toCancelled],
		["scheduled", { advance: "completed", ...byHand }],
		["cancel_pending", { advance: "cancelled", ...toCancelled }],
		["completed", {}],
		["cancelled", {}],
		["a_word_of_its_own", {}],
	])("is decided from %s to %j", async (status, ends) => {
		for (const decision of ["advance", "complete", "reject", "cancel"]) {
			emulator.control.reset();
			const id = status === "draft" ? await create() : await submitted();
			emulator.control.patchPortOrder(id, { status });
			const response = await outside("POST", `/_emulator/port_orders/${id}`, { decision });
			const end = ends[decision];
			const after = await order(id);
			const seen = { decision, response: response.status, status: after.status };
			expect(seen).toEqual({ decision, response: end === undefined ? 400 : 200, status: end ?? status });
			const ids = state().numbers.map((number) => number.id);
			expect(ids).toHaveLength(end === "completed" ? 2 : 0);
			expect(after.number_ids).toEqual(ids);
			expect(emulator.control.ledger().map(({ number_id }) => number_id)).toEqual(ids);
		}
	});

	test("is edited by the control API in any state, its date too", async () => {
		const id = await submitted();
		const edit = (body: object) => outside("PATCH", `/_emulator/port_orders/${id}`, body);
		const change = { numbers: ["+31201234568"], subscriber: { name: "Another B.V.", address: "Damrak 2" } };
		expect((await edit(change)).status).toBe(200);
		expect(await order(id)).toMatchObject({ ...change, status: "submitted" });
		expect((await edit({ numbers: ["+12125550100"] })).status).toBe(400);
		await edit({ status: "scheduled", scheduled_at: iso(clock.now() + hour) });
		clock.advance(hour);
		expect(await statusOf(id)).toBe("completed");
		expect(state().numbers).toMatchObject([{ number: "+31201234568", source: "port" }]);
	});

	test("can't name a number of the account or of another order", async () => {
		const id = await create();
		const { number } = await buy("NL");
		for (const taken of ["+31201234567", String(number)]) {
			const response = await post("/port_orders", { ...move, numbers: ["+31201234568", taken] });
			expect(response).toMatchObject(refusal(400, "number_not_portable", "numbers.1"));
		}
		expect(await patch(`/port_orders/${id}`, { numbers: [number] })).toMatchObject({ status: 400 });
	});
});
