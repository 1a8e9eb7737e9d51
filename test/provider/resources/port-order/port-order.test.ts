/** The life of a port order, run by run: its progress, what the carriers object to, its end, and its adoption. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { portOrderDrift } from "../../../../provider/resources/port-order/handler";
import { useAccount } from "../../../helpers/account";
import { eachRecord, rewriteReads, useFaultProxy } from "../../../helpers/fault-proxy";
import { content, createDesk, letter } from "../../../helpers/papers";
import { aPortOrder, codesOf, create, failureOf, openProvider } from "../../../helpers/provider";
import { differs, failedUp, type ResourceState, refreshed, upAgain } from "../../../helpers/runs";

const { clock, emulator } = useAccount();
const proxy = useFaultProxy(emulator);
const hour = 3_600_000;
const [review, answer, changeOver] = [hour, 24 * hour, 72 * hour];

/** A program's folder with its letter of authorization, and runs there. */
function office() {
	const { folder } = createDesk();
	return (env: Readonly<Record<string, string>> = {}, service: { url: string; apiKey: string } = emulator) =>
		openProvider(service, { clock, cwd: folder, env });
}
const declared = (args: Values = {}, name?: string) => aPortOrder({ documents: [letter], ...args }, name);
const wrongPin = { carrier: { name: "Old Telecom", accountNumber: "A-1", pin: "0000" } };
const orders = () => emulator.control.state().portOrders;
const order = () => {
	expect(orders()).toHaveLength(1);
	const [only] = orders();
	if (only === undefined) throw new Error("there is no order");
	return only;
};
const submissions = () => emulator.writes().filter((write) => write.endsWith("/submit")).length;
const condition = (outs: Values) => portOrderDrift.condition?.(outs);

test("is submitted with documents, and later runs show its progress", async () => {
	const open = office();
	let resource: ResourceState = await create(open().portOrder, declared());
	expect(resource.outs).toMatchObject({ status: "submitted", numberIds: [], documentIds: order().document_ids });
	expect(order()).toMatchObject({ carrier: { pin: "4711" }, country: "NL", document_ids: [expect.any(String)] });
	const writes = emulator.writes().length;
	for (const [pause, status, kind] of [
		[0, "submitted", "waiting"],
		[review, "in_review", "waiting"],
		[answer, "scheduled", "waiting"],
		[changeOver, "completed", undefined],
	] as const) {
		await clock.sleep(pause);
		expect((await upAgain(open(), resource, declared())).changes).toBe(false);
		resource = await refreshed(open(), resource, declared());
		expect(resource).toMatchObject({ changes: false, outs: { status } });
		expect(condition(resource.outs)?.kind).toBe(kind);
	}
	expect(resource.outs.numberIds).toEqual([expect.any(String), expect.any(String)]);
	expect(emulator.writes()).toHaveLength(writes);
});

test("warns in a preview of a change that the service refuses", async () => {
	const open = office();
	const made = await create(open().portOrder, declared());
	const run = open();
	await differs(run, made, declared({ waitForCompletion: true }));
	expect(run.warnings).toEqual([]);
	const changed = declared({ requestedDate: "2030-01-01T08:00:00Z", waitForCompletion: true });
	expect(await differs(run, made, changed, declared())).toBe(true);
	expect(codesOf(run.warnings)).toEqual(["in-use"]);
	expect(run.warnings[0]).toMatch(/^requestedDate: the port order of \+31201234567, \+31612345678 was submitted when/);
	const { error } = await failedUp(open(), changed, made);
	expect(error.message).toContain("port_in_progress");
});

describe("an objection of the carriers", () => {
	const objected = async () => {
		const open = office();
		const made = await create(open().portOrder, declared(wrongPin));
		await clock.sleep(review + answer);
		return { open, made };
	};

	test("is a problem, and an unchanged order isn't submitted again", async () => {
		const { open, made } = await objected();
		let resource: ResourceState = made;
		for (const _ of [1, 2]) {
			const run = open();
			resource = await refreshed(run, resource, declared(wrongPin));
			expect(codesOf(run.warnings)).toEqual(["port-exception"]);
			expect(condition(resource.outs)).toMatchObject({
				kind: "problem",
				reasons: [expect.objectContaining({ code: "pin_invalid" })],
			});
			resource = await upAgain(open(), resource, declared(wrongPin));
		}
		const waiting = declared({ ...wrongPin, waitForCompletion: true });
		const saved = await failedUp(open(), waiting, made);
		expect(saved.error.cause).toMatchObject({ messageCode: "port-exception" });
		expect((await upAgain(open(), saved, declared(wrongPin))).outs.status).toBe("exception");
		expect(submissions()).toBe(1);
	});

	test("is corrected by the program, once", async () => {
		const { open, made } = await objected();
		const before = await refreshed(open(), made, declared());
		const resource = await upAgain(open(), made, declared());
		expect({ status: resource.outs.status, pin: order().carrier.pin }).toEqual({ status: "submitted", pin: "4711" });
		const resumed = await upAgain(open(), before, declared());
		expect(resumed, "of a killed run").toMatchObject({ changes: true, outs: { status: "submitted" } });
		expect((await upAgain(open(), resumed, declared())).changes).toBe(false);
		expect(submissions()).toBe(2);
		await clock.sleep(review + answer + changeOver);
		expect((await refreshed(open(), resource, declared())).outs.status).toBe("completed");
	});
});

test.each([
	["until the numbers change over", review + answer + changeOver - 300_000, 0, undefined],
	["for ten minutes", 0, 600, "port-pending"],
	["not at all if the change-over is days away", review + answer, 0, "port-pending"],
])("waits for completion %s", async (_, pause, seconds, messageCode) => {
	const open = office();
	const made = await create(open().portOrder, declared());
	await clock.sleep(pause);
	const before = clock.now();
	const waiting = declared({ waitForCompletion: true });
	if (messageCode === undefined) return expect((await upAgain(open(), made, waiting)).outs.status).toBe("completed");
	const saved = await failedUp(open(), waiting, made);
	expect(saved.error.cause).toMatchObject({ messageCode });
	expect(Math.round((clock.now() - before) / 1000)).toBe(seconds);
	await clock.sleep(review + answer + changeOver);
	expect((await upAgain(open(), saved, declared())).outs.status).toBe("completed");
});

describe("a delete", () => {
	test.each([
		["cancels an exception", wrongPin, review + answer, "cancelled"],
		["cancels what is under way", {}, review, "cancel_pending"],
		["retains what is about to change over", {}, review + answer + 30 * hour, "scheduled"],
		["retains what is completed, with its numbers", {}, review + answer + changeOver, "completed"],
	])("%s", async (_, args, pause, status) => {
		const open = office();
		const made = await create(open().portOrder, declared(args));
		await clock.sleep(pause);
		const run = open();
		await run.portOrder.delete(made.id, made.outs);
		const isKept = !status.startsWith("cancel");
		expect([order().status, emulator.live().length]).toEqual([status, status === "completed" ? 2 : 0]);
		expect(codesOf(run.warnings)).toEqual(isKept ? ["retained"] : []);
		for (const number of isKept ? (declared().numbers as string[]) : []) expect(run.warnings[0]).toContain(number);
		expect(String(order().reference).includes(".left~")).toBe(isKept);
		expect(emulator.kinds().filter((kind) => ["purchase", "release"].includes(kind))).toEqual([]);
		await open().portOrder.delete(made.id, made.outs);
	});

	test("that isn't confirmed blocks a new declaration until it is", async () => {
		const open = office();
		const made = await create(open().portOrder, declared());
		await clock.sleep(review);
		await open().portOrder.delete(made.id, made.outs);
		expect(await failureOf(create(open().portOrder, declared()))).toMatchObject({ messageCode: "invalid-input" });
		await clock.sleep(answer);
		expect((await create(open().portOrder, declared())).id).not.toBe(made.id);
	});
});

describe("an order", () => {
	test("shows its PIN in no log, warning or error", async () => {
		const run = office()({ TELEPHONY_LOG: "debug" });
		const carrier = { name: "PIN 987654", pin: "987654" };
		const error = await failureOf(create(run.portOrder, declared({ numbers: ["+4930901820"], carrier })));
		expect(error.errorCode).toBe("number_not_portable");
		expect([error.message, ...run.log, ...run.warnings, ...run.statuses].join()).not.toContain("987654");
	});
});

describe("an order that brings some of its numbers", () => {
	const three = ["+31201234561", "+31201234562", "+31201234563"];
	const partial = declared({ numbers: three });
	/** Shows an ended order in another form. */
	const shows = (change: (order: Values) => Values) =>
		rewriteReads(proxy, (json, path) => (path.includes("/port_orders") ? eachRecord(change)(json) : json));
	const completed = async () => {
		const open = office();
		const resource = await create(open().portOrder, partial);
		await clock.sleep(review + answer + changeOver);
		const through = () => open({}, proxy);
		return { resource, through };
	};

	test.each<[string, (order: Values) => Values, string | undefined]>([
		["numbers", (order) => ({ ...order, numbers: three.slice(0, 2), number_ids: ["a", "b"] }), undefined],
		["ids", (order) => ({ ...order, number_ids: ["a", "b"] }), "problem"],
		["ids, one of them repeated", (order) => ({ ...order, number_ids: ["a", "b", "a"] }), "problem"],
		["no ids", (order) => ({ ...order, number_ids: [] }), undefined],
	])("is no drift if it shows fewer: %s", async (_, change, kind) => {
		const { resource, through } = await completed();
		shows(change);
		const afterRefresh = await refreshed(through(), resource, partial);
		expect([afterRefresh.changes, condition(afterRefresh.outs)?.kind]).toEqual([false, kind]);
		expect((await upAgain(through(), afterRefresh, partial)).changes).toBe(false);
	});

	test.each([
		["those that arrived", three.slice(0, 2), ["a", "b"]],
		["those that are left", three.slice(2), ["a", "b"]],
		["none", null, ["a"]],
	])("is no drift if it stays open and shows %s", async (_, numbers, number_ids) => {
		const { resource, through } = await completed();
		shows((order) => ({ ...order, status: "partially_completed", numbers, number_ids }));
		const afterRefresh = await refreshed(through(), resource, partial);
		expect([afterRefresh.changes, condition(afterRefresh.outs)?.kind]).toEqual([false, "waiting"]);
		expect((await upAgain(through(), afterRefresh, partial)).changes).toBe(false);
	});

	test.each<[string, (order: Values) => Values]>([
		[
			"in an order under way",
			(order) => ({ ...order, status: "in_review", numbers: three.slice(0, 2), number_ids: [] }),
		],
		["in an order with other numbers", (order) => ({ ...order, numbers: ["+31201234561", "+31201234569"] })],
	])("is drift if numbers are missing %s", async (_, change) => {
		const { resource, through } = await completed();
		shows(change);
		expect((await refreshed(through(), resource, partial)).changes).toBe(true);
	});
});

test("refuses another country in check", async () => {
	const run = office()();
	const failures = async (olds: Values, news: Values) =>
		(await run.portOrder.check(olds, news)).failures.map(({ reason }) => reason.split(": ")[0]);
	expect(await failures(declared(), declared({ country: "BE" }))).toEqual(["country"]);
});

describe("the PIN of an adopted order, which the service never shows,", () => {
	const rowOf = (id: string) => emulator.control.state().portOrders.find((order) => order.id === id);
	/** An order from the dashboard, with a letter. */
	async function byHand(pin?: string): Promise<string> {
		const document = { kind: "letter_of_authorization", filename: "loa.pdf", media_type: "application/pdf" };
		const body = { ...document, content: content("pdf", "letter").toString("base64") };
		const { id } = (await emulator.call("POST", "/kyc/documents", body)).body;
		const { numbers, country, subscriber } = aPortOrder();
		const order = {
			...{ numbers, country, subscriber, document_ids: [id] },
			carrier: { name: "Old Telecom", account_number: "A-1", ...(pin && { pin }) },
		};
		return (await emulator.call("POST", "/port_orders", order)).body.id;
	}

	test("reaches a draft", async () => {
		const open = office();
		const id = await byHand();
		const made = await create(open().portOrder, declared({ adopt: id }));
		expect(rowOf(id)).toMatchObject({ status: "submitted", carrier: { pin: "4711" } });
		expect(await differs(open(), made, declared({ adopt: id }))).toBe(false);
	});

	test("reaches an order that the carriers refused because of its PIN", async () => {
		const open = office();
		const id = await byHand("0000");
		await emulator.call("POST", `/port_orders/${id}/submit`);
		await clock.sleep(25 * hour);
		expect(rowOf(id)).toMatchObject({ status: "exception", exceptions: [{ code: "pin_invalid" }] });
		await create(open().portOrder, declared({ adopt: id }));
		expect(rowOf(id)).toMatchObject({ status: "submitted", carrier: { pin: "4711" } });
	});

	test("isn't sent to an order in progress, which can't change", async () => {
		const open = office();
		const id = await byHand("4711");
		await emulator.call("POST", `/port_orders/${id}/submit`);
		await create(open().portOrder, declared({ adopt: id }));
		expect(rowOf(id)).toMatchObject({ status: "submitted", carrier: { pin: "4711" } });
	});
});
