/** A port order, run by run: how far it is, what the carriers object to, and its end. */
import { describe, expect, test } from "vitest";
import { unknownValue, type Values } from "../../../../provider/properties/table";
import { portOrderDrift } from "../../../../provider/resources/port-order/handler";
import { useAccount } from "../../../helpers/account";
import { content, createPapers } from "../../../helpers/papers";
import { aPortOrder, checked, create, failureOf, initErrorOf } from "../../../helpers/provider";
import { type Entry, refreshed, up, upAgain } from "../../../helpers/runs";

const { clock, emulator, open: openAt } = useAccount();
const hour = 3_600_000;
const [review, answer, changeOver] = [hour, 24 * hour, 72 * hour];

/** A program's folder with its letter of authorization, and runs there. */
function office() {
	const { folder, write } = createPapers();
	write("loa.pdf", content("pdf"));
	return { open: (env: Readonly<Record<string, string>> = {}) => openAt({ cwd: folder, env }) };
}

const letter = { kind: "letter_of_authorization", file: "loa.pdf" };
const declared = (args: Values = {}, name?: string) => aPortOrder({ documents: [letter], ...args }, name);
const orders = () => emulator.control.state().portOrders;
const order = () => {
	const [first, ...more] = orders();
	expect(more, "orders").toEqual([]);
	if (first === undefined) throw new Error("there is no order");
	return first;
};
const submissions = () => emulator.writes().filter((each) => each.endsWith("/submit")).length;
const condition = (outs: Values) => portOrderDrift.condition?.(outs);

test("is created with its papers and submitted in one run; each later one shows how far it is, and writes nothing", async () => {
	const { open } = office();
	let entry: Entry = await create(open().portOrder, declared());
	expect(entry.outs).toMatchObject({ status: "submitted", numberIds: [], documentIds: order().document_ids });
	expect(order()).toMatchObject({ carrier: { pin: "4711" }, country: "NL", document_ids: [expect.any(String)] });

	for (const [pause, status] of [
		[0, "submitted"],
		[review, "in_review"],
		[answer, "scheduled"],
	] as const) {
		await clock.sleep(pause);
		const writes = emulator.writes().length;
		const read = await refreshed(open(), entry, declared());
		expect(read, `a refresh of ${status}`).toMatchObject({ changes: false, outs: { status } });
		// A program that doesn't wait has no difference while the order is under way.
		expect((await upAgain(open(), entry, declared())).changes).toBe(false);
		entry = read;
		expect(emulator.writes().slice(writes), status).toEqual([]);
		expect(condition(entry.outs)).toMatchObject({ kind: "waiting", ways: [expect.stringMatching(/^wait: /)] });
	}
	await clock.sleep(changeOver);
	entry = await refreshed(open(), entry, declared());
	expect(entry.outs).toMatchObject({ status: "completed", numberIds: [expect.any(String), expect.any(String)] });
	expect(condition(entry.outs)).toBeUndefined();
	expect((await upAgain(open(), entry, declared())).changes, "nothing is left to do").toBe(false);
	expect(submissions()).toBe(1);
});

describe("what the carriers object to", () => {
	const refused = { carrier: { name: "Old Telecom", accountNumber: "A-1", pin: "0000" } };
	const objected = async (args: Values = {}) => {
		const desk = office();
		const made = await create(desk.open().portOrder, declared({ ...refused, ...args }));
		await clock.sleep(review + answer);
		return { ...desk, made };
	};

	test("is a problem with its reasons, and isn't submitted again as it is", async () => {
		const { open, made } = await objected();
		const run = open();
		const entry = await refreshed(run, made, declared(refused));
		expect(run.warnings).toEqual([expect.stringMatching(/pin_invalid.*\[telephony:port-exception\]$/)]);
		expect(condition(entry.outs)).toMatchObject({
			kind: "problem",
			consequence: expect.stringContaining("pin_invalid"),
			ways: [expect.stringMatching(/^restore it: /), expect.stringMatching(/^accept it: /)],
		});
		await upAgain(open(), entry, declared(refused));
		expect(submissions()).toBe(1);
		const reading = open();
		expect((await refreshed(reading, entry, declared(refused))).changes, "nobody waits for it").toBe(false);
		expect(reading.warnings).toEqual([expect.stringMatching(/\[telephony:port-exception\]$/)]);
	});

	test("is corrected by the program: changed and submitted again, once", async () => {
		const { open, made } = await objected();
		const entry = await upAgain(open(), made, declared());
		expect({ status: entry.outs.status, pin: order().carrier.pin }).toEqual({ status: "submitted", pin: "4711" });
		await clock.sleep(review + answer + changeOver);
		expect((await refreshed(open(), entry, declared())).outs.status).toBe("completed");
		expect(submissions()).toBe(2);
	});

	test("is corrected by one more paper alone", async () => {
		const { open } = office();
		const made = await create(open().portOrder, declared({ documents: undefined }));
		await clock.sleep(review + answer);
		expect(order().exceptions).toMatchObject([{ code: "letter_of_authorization_missing" }]);
		const entry = await upAgain(open(), made, declared(), declared({ documents: undefined }));
		expect({ status: entry.outs.status, papers: order().document_ids.length }).toEqual({
			status: "submitted",
			papers: 1,
		});
	});

	test.each([
		["the change", "patchPortOrder"],
		["the submission", "submitPortOrder"],
	] as const)("is submitted by the next run, where %s got no answer", async (_, operation) => {
		const { open, made } = await objected();
		emulator.control.faults.set({ operation, status: 503, every: true });
		const inputs = await checked(open().portOrder, declared());
		const failed = await initErrorOf(open().portOrder.update(made.id, made.outs, inputs));
		emulator.control.faults.clear();
		const entry = await upAgain(open(), { id: made.id, outs: failed.properties }, declared());
		expect({ status: entry.outs.status, pin: order().carrier.pin }).toEqual({ status: "submitted", pin: "4711" });
	});

	test.each([false, true])(
		"is not submitted again as it is, where the answer to its submission was lost (refresh: %s)",
		async (refreshes) => {
			const { open } = office();
			const inputs = await checked(open().portOrder, declared(refused));
			const { set, clear } = emulator.control.faults;
			set({ operation: "submitPortOrder", kind: "status", phase: "after", status: 502, every: true });
			set({ operation: "getPortOrder", kind: "status", phase: "before", status: 502, every: true });
			const { id, properties } = await initErrorOf(open().portOrder.create(inputs));
			clear();
			let entry: Entry = { id, outs: properties };
			if (refreshes) entry = await refreshed(open(), entry, declared(refused));
			await clock.sleep(review + answer);
			await upAgain(open(), entry, declared(refused));
			expect(order().status, "nothing was corrected").toBe("exception");
		},
	);

	test("ends a wait at once with its reasons; a corrected program goes on", async () => {
		const { open, made } = await objected();
		const inputs = await checked(open().portOrder, declared({ ...refused, waitForCompletion: true }));
		const failed = await initErrorOf(open().portOrder.update(made.id, made.outs, inputs));
		expect(failed.reasons).toEqual([expect.stringMatching(/pin_invalid.*\[telephony:port-exception\]$/)]);
		const entry = await upAgain(open(), { id: made.id, outs: failed.properties }, declared(refused));
		expect({ status: entry.outs.status, submissions: submissions() }).toEqual({ status: "exception", submissions: 1 });
	});
});

describe("a wait for completion", () => {
	test("ends when the numbers change over", async () => {
		const { open } = office();
		const made = await create(open().portOrder, declared());
		await clock.sleep(review + answer + changeOver - 300_000);
		expect((await upAgain(open(), made, declared({ waitForCompletion: true }))).outs.status).toBe("completed");
	});

	test.each([
		["after its ten minutes", 0, 600, "submitted"],
		["at once where the change-over is days away", review + answer, 0, "scheduled for"],
	] as const)("that is in vain ends %s, and the next up goes on", async (_, pause, seconds, stage) => {
		const { open } = office();
		const made = await create(open().portOrder, declared());
		await clock.sleep(pause);
		const run = open();
		const before = run.clock.now();
		const inputs = await checked(run.portOrder, declared({ waitForCompletion: true }));
		const failed = await initErrorOf(run.portOrder.update(made.id, made.outs, inputs));
		expect(failed.message).toMatch(new RegExp(`${stage}.*\\[telephony:port-pending\\]$`));
		expect(Math.round((run.clock.now() - before) / 1000)).toBe(seconds);
		await clock.sleep(review + answer + changeOver);
		expect((await upAgain(open(), { id: made.id, outs: failed.properties }, declared())).outs.status).toBe("completed");
	});
});

describe("the end", () => {
	test.each([
		[
			"a draft or an exception is cancelled",
			0,
			{ carrier: { name: "Old", pin: "0000" } },
			review + answer,
			"cancelled",
			"",
		],
		["what is under way is cancelled", 0, {}, review, "cancel_pending", ""],
		["too late: it is left", 0, {}, review + answer + 30 * hour, "scheduled", "kept"],
		["completed: it is left with its numbers", 2, {}, review + answer + changeOver, "completed", "kept"],
	] as const)("%s", async (_, live, args, pause, status, said) => {
		const { open } = office();
		const made = await create(open().portOrder, declared(args));
		await clock.sleep(pause);
		const run = open();
		await run.portOrder.delete(made.id, made.outs);
		expect({ status: order().status, live: emulator.live().length }).toEqual({ status, live });
		const names = (declared().numbers as string[]).map((number) => expect.stringContaining(number));
		expect(run.warnings.length).toBe(said === "" ? 0 : 1);
		for (const warning of run.warnings) {
			for (const name of names) expect(warning).toEqual(name);
			expect(warning).toContain(`[telephony:${said}]`);
		}
		expect(String(order().reference).includes(".left~")).toBe(said === "kept");
		expect(emulator.kinds().filter((kind) => ["purchase", "release"].includes(kind))).toEqual([]);
		await open().portOrder.delete(made.id, made.outs);
	});

	test.each([
		["the same numbers resumes it", {}, true],
		["other numbers creates another", { numbers: ["+31201234599"] }, false],
	])("of a completed order: a later resource with %s", async (_, args, isResumed) => {
		const { open } = office();
		const made = await create(open().portOrder, declared());
		await clock.sleep(review + answer + changeOver);
		await open().portOrder.delete(made.id, made.outs);
		const next = await create(open().portOrder, declared(args));
		expect(next.id === made.id).toBe(isResumed);
		expect(orders()).toHaveLength(isResumed ? 1 : 2);
	});

	test("an order that is being cancelled is not taken over: its numbers wait until it is", async () => {
		const { open } = office();
		const made = await create(open().portOrder, declared());
		await clock.sleep(review);
		await open().portOrder.delete(made.id, made.outs);
		expect(order().status).toBe("cancel_pending");
		const again = open();
		const refused = await failureOf(create(again.portOrder, declared()));
		expect(refused.message).toContain(made.id);
		expect(orders(), "nothing is made twice").toHaveLength(1);

		await clock.sleep(hour);
		const other = await create(open().portOrder, declared());
		expect(other.id).not.toBe(made.id);
		expect(orders().map(({ status }) => status)).toEqual(["cancelled", "submitted"]);
	});

	test("an order that only a list that lags still shows is not taken over", async () => {
		const { open } = office();
		const made = await create(open().portOrder, declared());
		await clock.sleep(review);
		await open().portOrder.delete(made.id, made.outs);
		emulator.control.settings({ listLagMs: 15_000 });
		const again = open();
		await failureOf(create(again.portOrder, declared()));
		expect(order().status).toBe("cancel_pending");
	});

	test("an order that all reads still show, as they lag, is not taken over: another one is created", async () => {
		const { open } = office();
		const made = await create(open().portOrder, declared());
		await clock.sleep(30_000);
		await open().portOrder.delete(made.id, made.outs);
		emulator.control.decidePortOrder(made.id, "cancel");
		emulator.control.settings({ readLagMs: 15_000 });
		const other = await create(open().portOrder, declared());
		expect(other.id).not.toBe(made.id);
		expect(orders().map(({ status }) => status)).toEqual(["cancelled", "submitted"]);
	});

	test("an order that was cancelled outside is lost, and the next up creates another one", async () => {
		const { open } = office();
		const made = await create(open().portOrder, declared());
		await emulator.call("POST", `/port_orders/${made.id}/cancel`);
		expect(await refreshed(open(), made, declared())).toMatchObject({ outs: { status: "cancel_pending" } });
		await clock.sleep(hour);
		const run = open();
		expect(await run.portOrder.read(made.id, made.outs)).toEqual({});
		expect(run.warnings).toEqual([expect.stringMatching(/\[telephony:removed-outside\]$/)]);
		const other = await create(open().portOrder, declared());
		expect(other.id).not.toBe(made.id);
		expect(orders().map(({ status }) => status)).toEqual(["cancelled", "submitted"]);
	});
});

describe("one order", () => {
	test.each([
		["before it is submitted", "submitPortOrder"],
		["after that", "getPortOrder"],
	] as const)("is taken over by the next run of one that was killed %s", async (_, operation) => {
		const { open } = office();
		const state = new Map();
		if (operation === "submitPortOrder") emulator.control.faults.set({ operation, status: 503, every: true });
		await up(open(), state, [declared()], true);
		emulator.control.faults.clear();
		expect(await up(open(), state, [declared()])).toEqual([]);
		expect({ status: order().status, submissions: order().submitted_at !== null }).toEqual({
			status: "submitted",
			submissions: true,
		});
		const [entry] = [...state.values()] as [Entry];
		expect(await refreshed(open(), entry, declared())).toMatchObject({ changes: false });
	});

	test("that a killed run has corrected is taken over, although nothing shows which PIN it has", async () => {
		const { open } = office();
		const { carrier } = aPortOrder() as { carrier?: Values };
		const made = await create(open().portOrder, declared({ carrier: { ...carrier, pin: "0000" } }));
		for (const pause of [review, answer]) await clock.sleep(pause);
		const objected = await refreshed(open(), made, declared());
		expect(order().status).toBe("exception");
		await upAgain(open(), objected, declared());
		const next = await upAgain(open(), objected, declared());
		expect(next).toMatchObject({ changes: true, outs: { status: "submitted" } });
		expect((await upAgain(open(), next, declared())).changes).toBe(false);
		expect(submissions()).toBe(2);
	});

	test("that is under way takes nothing but a new name's reference; other changes are refused with a way out", async () => {
		const { open } = office();
		const made = await create(open().portOrder, declared());
		const renamed = await upAgain(open(), made, declared({}, "renamed"));
		expect(order().reference).toContain(String(renamed.outs.lease));
		const inputs = await checked(open().portOrder, declared({ requestedDate: "2036-03-01T00:00:00Z" }, "renamed"));
		const failed = await initErrorOf(open().portOrder.update(made.id, renamed.outs, inputs));
		expect(failed.message).toMatch(/submitted.*Restore the old values.*port_in_progress/);
	});

	test("is adopted by its id, and left there by destroy", async () => {
		const { open } = office();
		const { __provider, resourceUrn, documents, ...rest } = aPortOrder();
		const { carrier } = rest as { carrier: Values };
		const { body } = await emulator.call("POST", "/port_orders", {
			...rest,
			carrier: { name: carrier.name, account_number: carrier.accountNumber, pin: carrier.pin },
		});
		const made = await create(open().portOrder, declared({ adopt: body.id }));
		expect({ id: made.id, status: order().status }).toEqual({ id: body.id, status: "submitted" });
		await open().portOrder.delete(made.id, made.outs);
		expect(order()).toMatchObject({ status: "submitted", reference: expect.stringContaining(".left~") });
	});

	test("that a killed run has made is named at a service without keys and references, and taken over as the message says", async () => {
		emulator.control.settings({ features: { idempotencyKey: false, reference: false } });
		const { open } = office();
		const before = await create(open().portOrder, declared());
		const { message } = await failureOf(create(open().portOrder, declared()));
		expect(message).toContain(`port order ${before.id}`);
		expect(message).toContain("set `adopt` to its id");
		const made = await create(open().portOrder, declared({ adopt: before.id }));
		expect({ id: made.id, orders: orders().length }).toEqual({ id: before.id, orders: 1 });
	});

	test("is imported as it is, without its PIN", async () => {
		const { open } = office();
		const { id } = await create(open().portOrder, declared());
		const { resourceUrn } = declared();
		const found = await open().portOrder.import?.(id, { resourceUrn });
		expect(found?.inputs).toMatchObject({
			adopt: id,
			country: "NL",
			carrier: { name: "Old Telecom", accountNumber: "A-1" },
		});
		expect(JSON.stringify(found)).not.toContain("4711");
	});
});

describe("check refuses", () => {
	test.each([
		["a number that isn't one", { numbers: ["+31201234567", "020"] }, "numbers[1]: must be a phone number in E.164"],
		["no numbers", { numbers: [] }, "numbers: must name at least one number"],
		[
			"too many",
			{ numbers: Array.from({ length: 51 }, (_, n) => `+312012345${10 + n}`) },
			"numbers: must name at most 50",
		],
		["no time", { requestedDate: "soon" }, "requestedDate: must be a time such as 2026-01-31T00:00:00Z"],
		[
			"a missing paper",
			{ documents: [{ ...letter, file: "gone.pdf" }] },
			"documents[0].file: there is no file gone.pdf",
		],
		["another country", { country: "BE" }, "country: an order can't move from NL to BE"],
	])("%s, in one sentence", async (_, args, sentence) => {
		const { open } = office();
		const { failures } = await open().portOrder.check(declared(), declared(args));
		expect(failures.map(({ reason }) => reason)).toEqual([expect.stringContaining(sentence)]);
	});

	test("one number in two orders of a program, however it is spelled; a number that isn't known yet passes", async () => {
		const { open } = office();
		const run = open();
		await checked(run.portOrder, declared());
		const { failures } = await run.portOrder.check({}, declared({ numbers: ["+31 20 123 4567"] }, "other"));
		expect(failures.map(({ reason }) => reason)).toEqual([
			expect.stringMatching(/^numbers: \+31201234567 is in `move` too/),
		]);
		await checked(run.portOrder, declared({ numbers: unknownValue }, "third"));
	});
});

test("no PIN is in a log, a warning or an error", async () => {
	const { open } = office();
	const run = open({ TELEPHONY_LOG: "debug" });
	const inputs = await checked(
		run.portOrder,
		declared({ numbers: ["+4930901820"], carrier: { name: "PIN 987654", pin: "987654" } }),
	);
	const error = await failureOf(run.portOrder.create(inputs));
	expect(error.message).toContain("number_not_portable");
	for (const text of [error.message, ...run.log, ...run.warnings, ...run.statuses])
		expect(text).not.toContain("987654");
});
