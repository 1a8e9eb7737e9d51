import { describe, expect, test } from "vitest";
import { portDecisions } from "../../../emulator/areas/port-orders/port-orders";
import type { CreatePortOrder } from "../../../provider/api/client";
import { all, day, refusal, useVirtualEmulator } from "../fixture";

const virtual = useVirtualEmulator();
const { clock, emulator, call, outside, hook, buy } = virtual;

const hour = 3_600_000;
const order: CreatePortOrder = {
	numbers: ["+31201234567", "+31612345678"],
	country: "NL",
	carrier: { name: "Old Telecom", account_number: "A-1", pin: "4711" },
	subscriber: { name: "Example B.V.", address: "Damrak 1, Amsterdam" },
};

const letter = async () =>
	(
		await virtual.client.kyc.documents.create({
			kind: "letter_of_authorization",
			filename: "loa.pdf",
			media_type: "application/pdf",
			content: "JVBERi0xLjcK",
		})
	).data.id;

const create = async (more: Partial<CreatePortOrder> = {}) =>
	(await virtual.client.portOrders.create({ ...order, document_ids: [await letter()], ...more })).data;

const statusOf = async (id: string) => (await virtual.client.portOrders.get(id)).status;

describe("a port order", () => {
	test("goes from draft to completed on the clock, and its numbers are on the account then", async () => {
		await hook({ events: ["port_order.updated", "number.activated"] });
		const { portOrders, numbers } = virtual.client;
		const { id } = await create({ reference: "move" });
		clock.advance(30 * day);
		expect(await statusOf(id)).toBe("draft");

		expect(await portOrders.submit(id)).toMatchObject({ status: "submitted", exceptions: [] });
		clock.advance(hour);
		expect(await statusOf(id)).toBe("in_review");
		clock.advance(day);
		const scheduled = await portOrders.get(id);
		const changeOver = clock.now() + 3 * day;
		expect(scheduled).toMatchObject({ status: "scheduled", scheduled_at: new Date(changeOver).toISOString() });
		expect(await all(numbers.list())).toEqual([]);
		clock.advance(3 * day);

		const ported = await all(numbers.list());
		expect(ported).toMatchObject([
			{ number: "+31201234567", country: "NL", type: "geographic", source: "port", status: "active" },
			{ number: "+31612345678", country: "NL", type: "mobile", source: "port", capabilities: ["voice", "sms"] },
		]);
		expect(await portOrders.get(id)).toMatchObject({
			status: "completed",
			number_ids: ported.map((number) => number.id),
			completed_at: new Date(changeOver).toISOString(),
		});
		expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["port", "port"]);
		expect(emulator.control.state().deliveries.map(({ event }) => event)).toEqual([
			...Array(3).fill("port_order.updated"),
			...Array(2).fill("number.activated"),
			"port_order.updated",
		]);
		expect(await all(portOrders.list({ reference: "move", status: "completed" }))).toHaveLength(1);
		expect(await all(portOrders.list({ status: "draft" }))).toEqual([]);
	});

	test("waits for the day that was asked for", async () => {
		const requested_date = new Date(clock.now() + 31 * day).toISOString();
		const { id } = await create({ requested_date });
		await virtual.client.portOrders.submit(id);
		clock.advance(30 * day);
		expect(await virtual.client.portOrders.get(id)).toMatchObject({ status: "scheduled", requested_date });
		clock.advance(2 * day);
		expect(await statusOf(id)).toBe("completed");
	});

	test("that the present carrier objects to is mended and submitted again", async () => {
		const { portOrders } = virtual.client;
		const { id } = await create({ document_ids: [], carrier: { name: "Old Telecom", pin: "0000" } });
		await portOrders.submit(id);
		clock.advance(hour + day);
		const { status, exceptions } = await portOrders.get(id);
		expect([status, exceptions?.map(({ code }) => code)]).toEqual([
			"exception",
			["letter_of_authorization_missing", "account_number_missing", "pin_invalid"],
		]);
		clock.advance(30 * day);
		expect(await statusOf(id)).toBe("exception");
		await portOrders.patch(id, { document_ids: [await letter()], carrier: order.carrier });
		expect(await portOrders.submit(id)).toMatchObject({ status: "submitted", exceptions: [] });
		clock.advance(hour + 4 * day);
		expect(await statusOf(id)).toBe("completed");
	});

	test("in a regulated market brings numbers whose KYC has been done", async () => {
		const { id } = await create({ country: "DE", numbers: ["+4915123456789"] });
		await virtual.client.portOrders.submit(id);
		clock.advance(10 * day);
		expect(await all(virtual.client.numbers.list())).toMatchObject([
			{ number: "+4915123456789", status: "active", kyc_required: true, kyc: { status: "approved" } },
		]);
	});

	test("never shows the PIN, and keeps it when the carrier is sent without", async () => {
		const { id } = await create();
		await virtual.client.portOrders.patch(id, { carrier: { name: "Old Telecom B.V.", account_number: "A-2" } });
		const { body } = await call("GET", `/port_orders/${id}`);
		expect(body.carrier).toEqual({ name: "Old Telecom B.V.", account_number: "A-2", pin_set: true });
		const pin = () => emulator.control.state().portOrders[0]?.carrier.pin;
		expect(pin()).toBe("4711");
		await virtual.client.portOrders.patch(id, { carrier: { name: "Old Telecom B.V.", pin: null } });
		expect(pin()).toBeNull();
	});

	test("is cancelled: at once while nobody else knows of it, else with the present carrier's consent", async () => {
		const { portOrders } = virtual.client;
		const draft = await create();
		expect((await portOrders.cancel(draft.id)).status).toBe("cancelled");
		const { id } = await create();
		await portOrders.submit(id);
		clock.advance(hour + day);
		expect(await portOrders.cancel(id)).toMatchObject({ status: "cancel_pending", scheduled_at: null });
		clock.advance(hour);
		expect(await statusOf(id)).toBe("cancelled");
		clock.advance(30 * day);
		expect(await statusOf(id)).toBe("cancelled");
		expect(emulator.control.state().numbers).toEqual([]);
	});

	test("can't be cancelled in the last 48 hours, nor when it is over", async () => {
		const { id } = await create();
		const cancel = () => call("POST", `/port_orders/${id}/cancel`);
		await virtual.client.portOrders.submit(id);
		clock.advance(hour + day + day + 1);
		expect(await cancel()).toMatchObject(refusal(409, "port_not_cancellable"));
		clock.advance(3 * day);
		expect(await statusOf(id)).toBe("completed");
		expect(await cancel()).toMatchObject(refusal(409, "port_not_cancellable"));
	});

	test("is neither changed nor submitted twice while the carriers work on it, apart from its reference", async () => {
		const { id } = await create();
		await virtual.client.portOrders.submit(id);
		const { subscriber } = order;
		for (const patch of [{ subscriber }, { subscriber, reference: "x" }]) {
			expect(await call("PATCH", `/port_orders/${id}`, patch)).toMatchObject(refusal(409, "port_in_progress"));
		}
		expect(await call("PATCH", `/port_orders/${id}`, { reference: "x" })).toMatchObject({
			body: { reference: "x", status: "submitted" },
		});
		expect(await call("POST", `/port_orders/${id}/submit`)).toMatchObject(refusal(409, "port_in_progress"));
	});

	const inOrder = async (status: string) => {
		const { id } = await create();
		if (status !== "draft") await virtual.client.portOrders.submit(id);
		emulator.control.patchPortOrder(id, { status });
		return id;
	};

	test.each([
		["draft", { cancel: "cancelled" }],
		["submitted", { advance: "in_review", complete: "completed", reject: "exception", cancel: "cancelled" }],
		["in_review", { advance: "scheduled", complete: "completed", reject: "exception", cancel: "cancelled" }],
		["exception", { cancel: "cancelled" }],
		["scheduled", { advance: "completed", complete: "completed", reject: "exception", cancel: "cancelled" }],
		["cancel_pending", { advance: "cancelled", cancel: "cancelled" }],
		["completed", {}],
		["cancelled", {}],
		["a_word_of_its_own", {}],
	])("that is %s goes by hand to %j, and nowhere else", async (status, ends) => {
		for (const decision of portDecisions) {
			emulator.control.reset();
			const id = await inOrder(status);
			const end = (ends as Record<string, string>)[decision];
			const { status: answer } = await outside("POST", `/_emulator/port_orders/${id}`, { decision });
			const order = await virtual.client.portOrders.get(id);
			expect({ decision, answer, status: order.status }).toEqual({
				decision,
				answer: end === undefined ? 400 : 200,
				status: end ?? status,
			});
			const numbers = emulator.control.state().numbers.map((number) => number.id);
			expect(order.number_ids).toEqual(numbers);
			expect(numbers.length).toBe(end === "completed" ? 2 : 0);
			expect(emulator.control.ledger().map(({ number_id }) => number_id)).toEqual(numbers);
		}
	});

	test("that is rejected by hand has these reasons, and goes its usual way once it is submitted again", async () => {
		const { id } = await create();
		await virtual.client.portOrders.submit(id);
		const reasons = [{ code: "number_not_active", message: "+31201234567 is switched off." }];
		await outside("POST", `/_emulator/port_orders/${id}`, { decision: "reject", reasons });
		expect(await virtual.client.portOrders.get(id)).toMatchObject({ status: "exception", exceptions: reasons });
		clock.advance(30 * day);
		expect(await statusOf(id)).toBe("exception");
		await virtual.client.portOrders.submit(id);
		clock.advance(hour + 4 * day);
		expect(await statusOf(id)).toBe("completed");
	});

	test("is changed behind the API's back in any state, and a changed change-over takes place", async () => {
		const { id } = await create();
		const edit = (patch: object) => outside("PATCH", `/_emulator/port_orders/${id}`, patch);
		await virtual.client.portOrders.submit(id);
		const patch = { numbers: ["+31201234568"], subscriber: { name: "Another B.V.", address: "Damrak 2" } };
		expect((await edit(patch)).status).toBe(200);
		expect(await virtual.client.portOrders.get(id)).toMatchObject({ ...patch, status: "submitted" });
		expect((await edit({ numbers: ["+12125550100"] })).status).toBe(400);
		await edit({ status: "scheduled", scheduled_at: new Date(clock.now() + hour).toISOString() });
		clock.advance(hour);
		expect(await statusOf(id)).toBe("completed");
		expect(emulator.control.state().numbers).toMatchObject([{ number: "+31201234568", source: "port" }]);
	});

	test("takes no number twice: not one of another order, nor one of the account", async () => {
		await create();
		const { number } = await buy("NL");
		for (const taken of ["+31201234567", String(number)]) {
			expect(await call("POST", "/port_orders", { ...order, numbers: ["+31201234568", taken] })).toMatchObject({
				...refusal(400, "number_not_portable"),
				body: { details: [{ field: "numbers.1" }] },
			});
		}
	});

	test("is made once per Idempotency-Key", async () => {
		const { portOrders } = virtual.client;
		const first = await portOrders.create(order, { idempotencyKey: "k" });
		expect(await portOrders.create(order, { idempotencyKey: "k" })).toEqual({ data: first.data, replayed: true });
		expect(emulator.control.state().portOrders).toHaveLength(1);
	});

	test("is submitted and cancelled once per Idempotency-Key, whatever has become of it since", async () => {
		const { portOrders } = virtual.client;
		const { id } = await create();
		const [submit, cancel] = [{ idempotencyKey: "s" }, { idempotencyKey: "c" }];
		const submitted = await portOrders.submit(id, submit);
		clock.advance(hour);
		expect(await portOrders.submit(id, submit)).toEqual(submitted);
		const cancelled = await portOrders.cancel(id, cancel);
		clock.advance(hour);
		expect(await portOrders.cancel(id, cancel)).toEqual(cancelled);
		expect(await statusOf(id)).toBe("cancelled");
	});

	test.each([
		["validation_failed", { numbers: [] }, "numbers"],
		["validation_failed", { numbers: ["020 1234567"] }, "numbers.0"],
		["validation_failed", { numbers: Array(51).fill("+31201234567") }, "numbers"],
		["validation_failed", { carrier: { name: "x", password: "y" } }, "carrier.password"],
		["validation_failed", { requested_date: "tomorrow" }, "requested_date"],
		["validation_failed", { status: "completed" }, "status"],
		["number_not_portable", { numbers: ["+12125550100"] }, "numbers.0"],
		["number_not_portable", { numbers: ["+3120123456"] }, "numbers.0"],
		["unsupported_market", { country: "JP" }, "country"],
		["invalid_reference", { document_ids: ["doc_0"] }, "document_ids.0"],
	])("is refused with %s: %j", async (error, wrong, field) => {
		const answer = await call("POST", "/port_orders", { ...order, ...wrong });
		expect(answer).toMatchObject(refusal(400, error));
		expect(answer.body).toMatchObject({ details: expect.arrayContaining([expect.objectContaining({ field })]) });
		expect(emulator.control.state().portOrders).toEqual([]);
	});

	test("that does not exist is not found", async () => {
		for (const [method, action] of [
			["GET", ""],
			["PATCH", ""],
			["POST", "/submit"],
			["POST", "/cancel"],
		] as const) {
			const body = method === "PATCH" ? {} : undefined;
			expect(await call(method, `/port_orders/port_0${action}`, body)).toMatchObject(refusal(404, "not_found"));
		}
	});
});
