/** A carrier that treats the write of a retained number's reference in its own way. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { type Make, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey reference");
const { open } = carrier;
const refusal = [422, { error: "validation_failed", message: "No.", request_id: "r" }] as const;
const retained = expect.stringContaining(".left~");
const isMark = (body: unknown) => JSON.stringify(body).includes(".left~");

/** Makes a number that a delete retains. */
const made = async (change: Partial<Make> = {}) => {
	const { id, outs } = await create(open().number, aNumber({ onDelete: "retain" }));
	Object.assign(carrier.make, change);
	return { id, outs };
};

test("an ignored reference fails the delete", async () => {
	const { change } = carrier.make;
	const { id, outs } = await made({ change: (row, body) => (isMark(body) ? undefined : change(row, body)) });
	const error = await failureOf(open().number.delete(id, outs));
	expect([error.messageCode, error.message]).toEqual(["not-applied", expect.stringContaining(".left~")]);
	expect(carrier.rows).toMatchObject([{ id, reference: expect.not.stringContaining(".left~") }]);
});

test("a reference that arrives late retains the number", async () => {
	let hidden = 3;
	const { id, outs } = await made({
		show: (row) => (isMark(row) && hidden-- > 0 ? { ...row, reference: "" } : row),
	});
	await open().number.delete(id, outs);
	expect(hidden).toBeLessThan(0);
	expect(carrier.rows).toMatchObject([{ id, reference: retained }]);
});

test.each([
	["that is carried out", true],
	["that isn't", false],
])("a refused write %s decides the delete", async (_, isCarriedOut) => {
	const { id, outs } = await made({
		intercept: ({ method, body }, respond) => {
			if (method !== "PATCH" || !isMark(body)) return respond();
			if (isCarriedOut) respond();
			return refusal;
		},
	});
	const deleted = open().number.delete(id, outs);
	if (isCarriedOut) await deleted;
	else expect((await failureOf(deleted)).message).toContain("validation_failed");
	expect(carrier.rows).toMatchObject([
		{ id, reference: isCarriedOut ? retained : expect.not.stringContaining(".left~") },
	]);
});

test("a shortened reference fails the delete", async () => {
	const { change } = carrier.make;
	const { id, outs } = await made({
		change: (row, body) => change(row, { ...body, reference: String(body.reference).slice(0, 40) }),
	});
	expect((await failureOf(open().number.delete(id, outs))).messageCode).toBe("reference-cut");
});

test("a write of one field sends only the reference", async () => {
	const bodies: string[] = [];
	const { id, outs } = await made({
		intercept: ({ method, body }, respond) => {
			if (method === "PATCH") bodies.push(body);
			return respond();
		},
	});
	await open().number.delete(id, outs);
	expect(bodies.map((body) => Object.keys(JSON.parse(body)))).toEqual([["reference"]]);
});

test("another resource adopts the number that the run has retained", async () => {
	const { id, outs } = await made();
	const run = open();
	await run.number.delete(id, outs);
	expect((await create(run.number, aNumber({ adopt: id }, "other"))).id).toBe(id);
	expect(carrier.purchases).toEqual([id]);
});

test("an ended number that the carrier still shows isn't released again", async () => {
	const { id, outs } = await create(open().number, aNumber());
	const methods: string[] = [];
	carrier.make.intercept = ({ method }, respond) => {
		methods.push(method);
		return respond();
	};
	Object.assign(carrier.rows[0] ?? {}, { status: "released" });
	await open().number.delete(id, outs);
	expect(methods).not.toContain("DELETE");
});
