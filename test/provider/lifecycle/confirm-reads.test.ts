/** The reads that confirm a write or a removal, and the errors if they don't. */
import { describe, expect, test } from "vitest";
import { TelephonyError, unlisted } from "../../../provider/api/errors";
import { pauses } from "../../../provider/api/until";
import { confirmRemoval, notApplied, referenceCut, shownAfterWrite } from "../../../provider/lifecycle/confirm";
import { FakeClock } from "../../helpers/clock";

const notFound = new TelephonyError("NotFound", "No such number.");
const outage = new TelephonyError("Unavailable", "No response.");
const live = { status: "active" };
const ended = { status: "released" };

/** Returns a read that gives these results, and then the last one again; errors are thrown. */
function readsOf<R>(...results: readonly (R | Error)[]) {
	let count = 0;
	const read = async (): Promise<R> => {
		const result = results[Math.min(count, results.length - 1)] as R | Error;
		count += 1;
		if (result instanceof Error) throw result;
		return result;
	};
	return { read, count: () => count };
}
const mostReads = pauses.known.length + 2;

describe("a removal", () => {
	const removed = async (isConfirmed: boolean, ...results: readonly (typeof live | Error)[]) => {
		const { read, count } = readsOf(...results);
		const request = {
			what: "number +31201234567 (num_1)",
			remove: async () => ({ isConfirmed }),
			read,
			isOver: ({ status }: typeof live) => status === "released",
		};
		const error = await confirmRemoval({ clock: new FakeClock(0) }, request).catch((reason: unknown) => reason);
		return { error, reads: count() };
	};

	test.each<[title: string, isConfirmed: boolean, results: (typeof live | Error)[], reads: number]>([
		["by its response", true, [live], 0],
		["by a read that finds nothing", false, [notFound], 1],
		["by a list without it", false, [unlisted("num_1")], 1],
		["by a read of an ended object", false, [ended], 1],
		["by a later read", false, [live, live, notFound], 3],
	])("is confirmed %s", async (_, isConfirmed, results, reads) => {
		expect(await removed(isConfirmed, ...results)).toEqual({ error: undefined, reads });
	});

	test("fails if the service still shows the object, and names it", async () => {
		const { error, reads } = await removed(false, live);
		expect(error).toMatchObject({ kind: "Conflict", messageCode: "not-applied" });
		expect(String(error)).toContain("number +31201234567 (num_1)");
		expect(reads).toBe(mostReads);
	});

	test("isn't confirmed by a read that fails", async () => {
		expect(await removed(false, outage)).toEqual({ error: outage, reads: 1 });
	});
});

describe("a write", () => {
	const waiter = () => ({ clock: new FakeClock(0) });
	const isShown = ({ status }: typeof live) => status === "active";
	const pending = { status: "pending" };

	test.each<[title: string, response: typeof live | undefined, results: (typeof live | Error)[], reads: number]>([
		["in the response", live, [outage], 0],
		["in a read after it", undefined, [live], 1],
		["in a read after a response without it", pending, [live], 1],
		["in a later read, which finds the object at last", undefined, [notFound, pending, live], 3],
	])("is shown %s", async (_, response, results, reads) => {
		const { read, count } = readsOf(...results);
		expect(await shownAfterWrite(waiter(), { response, read, isShown })).toBe(live);
		expect(count()).toBe(reads);
	});

	test("ends with the last record if none shows it", async () => {
		const { read, count } = readsOf(pending);
		expect(await shownAfterWrite(waiter(), { response: undefined, read, isShown })).toBe(pending);
		expect(count()).toBe(mostReads);
		await expect(
			shownAfterWrite(waiter(), { response: undefined, read: readsOf<typeof live>(outage).read, isShown }),
		).rejects.toBe(outage);
	});
});

describe("the error", () => {
	test("of values that aren't shown names each of them", () => {
		const unapplied = [
			{ property: "capacity", declared: 20, live: 10 },
			{ property: "label", declared: undefined, live: "Desk" },
		];
		const error = notApplied("trunk office (trk_1)", unapplied);
		expect(error).toMatchObject({ kind: "Conflict", messageCode: "not-applied", values: { unapplied } });
		for (const part of ["trunk office (trk_1)", "capacity: declared 20, shows 10", 'label: not cleared, still "Desk"'])
			expect(error.text).toContain(part);
		expect(error.text).toContain("default");
		expect(notApplied("trunk", unapplied.slice(0, 1)).text).not.toContain("default");
	});

	test("of a cut reference has the id and the text", () => {
		const error = referenceCut("number +31201234567", { id: "num_1", reference: "abc" });
		expect(error).toMatchObject({ kind: "Conflict", messageCode: "reference-cut", values: { ids: ["num_1"] } });
		for (const part of ["number +31201234567", '"abc"', "-reference"]) expect(error.text).toContain(part);
	});
});
