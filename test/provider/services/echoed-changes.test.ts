/** A carrier whose response to a change repeats the request, with the time of the last change. */
import { expect, test } from "vitest";
import { aNumber, create } from "../../helpers/provider";
import { differs, failedUp, upAgain } from "../../helpers/runs";
import { timeOf, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey reference", ({ sell }) => ({
	sell: (serial, body) => ({ ...sell(serial, body), label: null, updated_at: timeOf(carrier.clock.now()) }),
}));
const { open } = carrier;
const [before, after] = [aNumber({ label: "a" }), aNumber({ label: "b" })];

/** Carries changes out after so many milliseconds. */
function delay(ms: number): void {
	let echo: object = {};
	carrier.make.change = (row, body) => {
		echo = { ...row, ...body };
		carrier.clock.after(ms / 1000, () => void Object.assign(row, body, { updated_at: timeOf(carrier.clock.now()) }));
	};
	carrier.make.show = (row, place) => (place === "patch" ? echo : row);
}

test("a change that the carrier never carries out fails the run", async () => {
	const saved = await create(open().number, before);
	await carrier.clock.sleep(3_600_000);
	delay(Number.POSITIVE_INFINITY);
	const failed = await failedUp(open(), after, saved);
	expect(failed.error.message).toContain("[telephony:not-applied]");
	expect(failed.outs.label).toBe("a");
});

test("a change that the carrier carries out later is awaited", async () => {
	const saved = await create(open().number, before);
	await carrier.clock.sleep(3_600_000);
	delay(3_000);
	const changed = await upAgain(open(), saved, after, before);
	expect(carrier.rows).toMatchObject([{ label: "b" }]);
	expect(await differs(open(), changed, after)).toBe(false);
});
