/** Objects that a delete retains: who resumes them, and who adopts them. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { type Fault, refusalOf, useFaultProxy } from "../../helpers/fault-proxy";
import { kinds } from "../../helpers/kinds";
import { aNumber, aTrunk, checked, create, failureOf } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";

const { emulator, open, live, purchases } = useAccount();
const proxy = useFaultProxy(emulator);
const elsewhere = { place: "https://elsewhere.example" };
const isRetainedIn = (reference: unknown) => String(reference).includes(".left~");

describe.each(kinds)("a retained $noun", ({ name, text, declare, buys }) => {
	const ids = () => emulator.rows(name).map(({ id }) => id);
	const retain = async () => {
		const { id, outs } = await create(open()[name], declare({ [text]: "Desk", onDelete: "retain" }));
		const run = open();
		await run[name].delete(id, outs);
		expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:retained\\]$`)]);
		expect(emulator.rows(name)).toMatchObject([{ id, [text]: "Desk", reference: expect.stringContaining(".left~") }]);
		return { id, outs };
	};

	test("is resumed by its declaration, each time", async () => {
		const { id } = await retain();
		expect((await retain()).id).toBe(id);
		const run = open();
		const made = await create(run[name], declare({ [text]: "Office" }));
		expect(emulator.rows(name)).toMatchObject([{ id, [text]: "Office" }]);
		expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:resumed\\]$`)]);
		expect(await refreshed(open(), made, declare({ [text]: "Office" }))).toMatchObject({ changes: false });
	});

	test.each([
		["another resource of this stack", {}],
		["another stack", elsewhere],
	])("is adopted by %s, and retained again", async (_, options) => {
		const { id, outs } = await retain();
		const adopted = await create(open(options)[name], declare({ adopt: id }, "other"));
		expect(emulator.row(id)?.reference).toContain(String(adopted.outs.lease));
		// An older copy of the first state doesn't end it.
		await open()[name].delete(id, { ...outs, onDelete: buys ? "release" : "delete" });
		expect(ids()).toEqual([id]);
		expect((await create(open()[name], declare())).id).not.toBe(id);
		expect((await failureOf(create(open()[name], declare({ adopt: id }, "third")))).messageCode).toBe("claimed");
		await open(options)[name].delete(id, adopted.outs);
		expect(isRetainedIn(emulator.row(id)?.reference)).toBe(true);
	});

	test("is kept by the delete of a replacement while the program declares it", async () => {
		const { id, outs } = await create(open()[name], declare());
		for (const isFirst of [true, false]) {
			const run = open();
			const inputs = await checked(run[name], declare());
			if (!isFirst) expect((await run[name].create(inputs)).id).toBe(id);
			const before = run.warnings.length;
			await run[name].delete(id, outs);
			expect(run.warnings.slice(before)).toEqual([expect.stringMatching(`${id}.*\\[telephony:retained\\]$`)]);
			expect(ids()).toEqual([id]);
		}
	});
});

describe.each(kinds)("the mark of a retained $noun", ({ name, declare }) => {
	const marked = (change: (reference: string) => string | undefined): Fault => ({
		kind: "altered",
		alter: (body) => ({ ...(body as Values), reference: change(String((body as Values).reference)) }),
	});
	const refused = { ...refusalOf("bad_request", "no", 400), isCarriedOut: false } as Fault;
	const refusedButDone = { ...refused, isCarriedOut: true } as Fault;
	const retainWith = async (fault: Fault) => {
		const { id, outs } = await create(open()[name], declare({ onDelete: "retain" }));
		proxy.plan = (_, method) => (method === "PATCH" ? fault : undefined);
		const run = open({ env: { TELEPHONY_BASE_URL: proxy.url } });
		const error = await run[name].delete(id, outs).then(
			() => undefined,
			(reason) => reason.cause ?? reason,
		);
		proxy.plan = () => undefined;
		return { id, outs, error, warnings: run.warnings };
	};

	test.each<[title: string, fault: Fault, code: string]>([
		["ignores it", marked(() => undefined), "not-applied"],
		["cuts it", marked((reference) => reference.slice(0, 44)), "reference-cut"],
		["refuses it", refused, "invalid-input"],
	])("fails the delete if the service %s, and the next one retains", async (_, fault, code) => {
		const { id, outs, error, warnings } = await retainWith(fault);
		expect(error).toMatchObject({ messageCode: code });
		expect(warnings).toEqual([]);
		expect(isRetainedIn(emulator.row(id)?.reference)).toBe(false);
		await open()[name].delete(id, outs);
		expect(isRetainedIn(emulator.row(id)?.reference)).toBe(true);
	});

	test("counts if the service refuses the request and carries it out", async () => {
		const { id, error, warnings } = await retainWith(refusedButDone);
		expect(error).toBeUndefined();
		expect(isRetainedIn(emulator.row(id)?.reference)).toBe(true);
		expect(warnings).toEqual([expect.stringMatching(/\[telephony:retained\]$/)]);
	});

	test("isn't sent to a service without references", async () => {
		const { id, outs } = await create(open()[name], declare({ onDelete: "retain" }));
		const before = emulator.writes().length;
		await open({ config: { "telephony:features": "-reference" } })[name].delete(id, outs);
		expect(emulator.writes()).toHaveLength(before);
	});
});

test("retains a number that the service can't change", async () => {
	const { id, outs } = await create(open().number, aNumber({ onDelete: "retain" }));
	const run = open({ config: { "telephony:features": "-patchNumber" } });
	await run.number.delete(id, outs);
	expect(run.warnings).toEqual([expect.stringMatching(/\[telephony:retained\]$/)]);
	expect(emulator.row(id)?.status).toBe("active");
});

describe("a trunk", () => {
	const routed = async (onDelete: string, as: string, trunkId: string) =>
		create(open().number, aNumber({ onDelete, routing: { type: "trunk", trunkId } }, as));

	test.each(["delete", "retain"])(
		"is retained with the retained numbers that use it: onDelete %s",
		async (onDelete) => {
			const trunk = await create(open().sipTrunk, aTrunk({ onDelete }));
			const number = await routed("retain", "main", trunk.id);
			await create(open().number, aNumber({}, "elsewhere"));
			const run = open();
			await run.number.delete(number.id, number.outs);
			await run.sipTrunk.delete(trunk.id, trunk.outs);
			expect(run.warnings.filter((warning) => warning.endsWith("[telephony:retained]"))).toHaveLength(2);
			expect([emulator.row(trunk.id), live()[0]].map((row) => isRetainedIn(row?.reference))).toEqual([true, true]);
			expect((await create(open().sipTrunk, aTrunk())).id).toBe(trunk.id);
			expect((await routed("retain", "main", trunk.id)).id).toBe(number.id);
			expect(purchases()).toHaveLength(2);
		},
	);
});

test("leaves a number that a create of the same run adopts by its E.164", async () => {
	const made = await create(open().number, aNumber());
	const run = open();
	await run.session.service().then(({ numbers }) => numbers.all());
	await run.number.delete(made.id, { ...made.outs, onDelete: "retain" });
	const adopted = await create(run.number, aNumber({ adopt: made.outs.phoneNumber }, "other"));
	expect(adopted.id).toBe(made.id);
});
