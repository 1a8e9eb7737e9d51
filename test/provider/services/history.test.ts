/** A carrier whose ids are phone numbers, and whose list keeps the released numbers. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { refreshed, upAgain } from "../../helpers/runs";
import { losing, timeOf, useCarrier } from "../../helpers/scripted-carrier";

const hour = 3_600_000;
/** The second number is sold again once it is released. */
const digits = ["31612345011", "31612345012", "31612345012", "31612345013", "31612345014", "31612345015"];
const carrier = useCarrier("-idempotencyKey reference", () => ({
	sell: (serial) => ({
		...{ id: digits[serial - 1] ?? "", number: `+${digits[serial - 1]}`, status: "active", reference: null },
		created_at: timeOf(carrier.clock.now()),
	}),
	end: (row) => void Object.assign(row, { status: "released" }),
}));
const { open } = carrier;
const make = (name: string) => create(open().number, aNumber({}, name));

/** Buys `a` and `b`, and releases `b`. */
async function releasedB() {
	const a = await make("a");
	const { id, outs } = await make("b");
	await carrier.clock.sleep(hour);
	await open().number.delete(id, outs);
	await carrier.clock.sleep(48 * hour);
	return a;
}

test("a released number hides no live one from a refresh", async () => {
	const all = [await releasedB(), await make("b"), await make("c")];
	await carrier.clock.sleep(hour);
	const run = open();
	const found = await Promise.all(all.map((resource, at) => refreshed(run, resource, aNumber({}, "abc"[at]))));
	expect(found.map(({ id }) => id)).toEqual(["31612345011", "31612345012", "31612345013"]);
	expect(run.warnings).toEqual([]);
});

test("a released number hides no live one from a run that continues", async () => {
	const a = await releasedB();
	losing(carrier, "POST");
	await failureOf(make("b"));
	const run = open();
	await upAgain(run, a, aNumber({}, "a"));
	await failureOf(create(run.number, aNumber({}, "b")));
	expect(carrier.purchases).toHaveLength(3);
});
