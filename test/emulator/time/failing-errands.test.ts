/** Deliveries that fail inside the emulator: none ends the process or blocks a receiver. */
import { expect, test } from "vitest";
import type { Snapshot } from "../../../emulator";
import { VirtualClock } from "../../../emulator";
import { Courier } from "../../../emulator/time/courier";
import { useEvents } from "../fixture";

const { emulator, listen, buy, settled, deliveries, types } = useEvents();

test("continues with the errands after one that throws", async () => {
	const courier = new Courier(new VirtualClock(0));
	const done: string[] = [];
	courier.add("a", 0, async () => {
		throw new Error("a malformed row");
	});
	courier.add("a", 0, () => {
		throw new Error("at once");
	});
	for (const receiver of ["a", "b"])
		courier.add(receiver, 0, async () => {
			done.push(receiver);
			return "done";
		});
	await courier.settled();
	expect(done.sort()).toEqual(["a", "b"]);
	await courier.stop();
});

/** Changes the rows of the only webhook. */
const edited = (snapshot: Snapshot, change: object): Snapshot => ({
	...snapshot,
	tables: Object.fromEntries(
		Object.entries(snapshot.tables).map(([name, rows]) => [
			name,
			name === "webhooks" ? rows.map(([id, row]) => [id, { ...(row as object), ...change }]) : rows,
		]),
	),
});

test.each([
	{ secret: "whsec_" },
	{ secret: "not a secret" },
	{ previous_secret: "whsec_*", previous_secret_expires_at: "2099-01-01T00:00:00Z" },
])("records a failed delivery of a webhook with %j", async (change) => {
	await listen(["number.activated"]);
	emulator.control.restore(edited(emulator.control.snapshot(), change));
	await buy();
	await settled();
	expect(deliveries()).toMatchObject([{ status: "failed", attempts: [{ status: null }] }]);
	expect(types()).toEqual([]);
});
