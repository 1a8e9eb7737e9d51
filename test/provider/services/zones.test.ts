/** A carrier whose times are in local time, without a zone. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";
import { timeOf, useCarrier } from "../../helpers/scripted-carrier";

const hour = 3_600_000;
const carrier = useCarrier("-idempotencyKey reference", ({ sell }) => ({
	sell: (serial, body) => ({
		...sell(serial, body),
		created_at: timeOf(carrier.clock.now() + 8 * hour)
			.slice(0, 19)
			.replace("T", " "),
	}),
}));
const { open } = carrier;

test("a number that was released an hour after its purchase leaves the state", async () => {
	const kept = await create(open().number, aNumber({}, "kept"));
	const gone = await create(open().number, aNumber({}, "gone"));
	carrier.rows.pop();
	await carrier.clock.sleep(hour);
	const run = open();
	const found = await Promise.all([
		refreshed(run, kept, aNumber({}, "kept")),
		refreshed(run, gone, aNumber({}, "gone")),
	]);
	expect(found.map(({ id }) => id)).toEqual(["n1", ""]);
	const last = open();
	await refreshed(last, kept, aNumber({}, "kept"));
	await last.number.delete(gone.id, gone.outs);
});

test("a lost purchase is still a candidate", async () => {
	carrier.make.intercept = ({ method }, respond) => {
		const result = respond();
		return method === "POST" ? "cut" : result;
	};
	await failureOf(create(open().number, aNumber()));
	expect((await failureOf(create(open().number, aNumber()))).message).toContain('`adopt: "n1"`');
	expect(carrier.purchases).toEqual(["n1"]);
});
