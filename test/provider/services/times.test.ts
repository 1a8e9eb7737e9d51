/** Carriers whose times can't be compared with the provider's clock. */
import { beforeEach, describe, expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";
import { losing, timeOf, useCarrier } from "../../helpers/scripted-carrier";

const hour = 3_600_000;
const carrier = useCarrier("-idempotencyKey reference");
const { open } = carrier;
/** Shows the time of a sale in this form. */
const showing = (created: (time: number) => string) => {
	const { sell } = carrier.make;
	carrier.make.sell = (serial, body) => ({ ...sell(serial, body), created_at: created(carrier.clock.now()) });
};

test("keeps a number just bought from a fast clock, although reads lag", async () => {
	showing((time) => timeOf(time + 300_000));
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

describe("local times without a zone", () => {
	beforeEach(() =>
		showing((time) =>
			timeOf(time + 8 * hour)
				.slice(0, 19)
				.replace("T", " "),
		),
	);

	test("let a number leave the state an hour after its purchase", async () => {
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

	test("leave a lost purchase a candidate", async () => {
		losing(carrier, "POST", Number.POSITIVE_INFINITY);
		await failureOf(create(open().number, aNumber()));
		expect((await failureOf(create(open().number, aNumber()))).message).toContain('`adopt: "n1"`');
		expect(carrier.purchases).toEqual(["n1"]);
	});
});
