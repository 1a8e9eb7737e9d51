/** A carrier whose clock is some minutes fast, and whose reads lag behind a sale. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";
import { timeOf, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey reference", ({ sell }) => ({
	sell: (serial, body) => ({
		...sell(serial, body),
		created_at: timeOf(carrier.clock.now() + 300_000),
	}),
}));
const { open } = carrier;

test("a number that was just bought stays in the state", async () => {
	const old = await create(open().number, aNumber({}, "old"));
	await carrier.clock.sleep(3_600_000);
	const young = await create(open().number, aNumber({}, "young"));
	carrier.make.show = (row) => (row.id === young.id ? undefined : row);
	const run = open();
	const [, error] = await Promise.all([
		refreshed(run, old, aNumber({}, "old")),
		failureOf(refreshed(run, young, aNumber({}, "young"))),
	]);
	expect(error.messageCode).toBe("not-shown");
});
