/** A pool waits for KYC as an Activation does: for all of its numbers together. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { FakeClock } from "../../../helpers/clock";
import { useEmulator } from "../../../helpers/emulator";
import { numbersIn } from "../../../helpers/pools";
import { aPool, create, initErrorOf, openProvider, openWith } from "../../../helpers/provider";
import { refreshed, upAgain } from "../../../helpers/runs";

const emulator = useEmulator();
const { kinds, labels } = emulator;
const numbers = () => emulator.control.state().numbers;
const open = () => openProvider(emulator);
const later = () => openProvider(emulator, { clock: new FakeClock(Date.now() + 3_600_000) });
const regulated = (args: Values = {}) => aPool({ country: "DE", type: "geographic", area: "30", ...args });
const approve = () => {
	for (const { id } of numbers()) emulator.control.decide(id, "approve");
};

describe("a pool in a regulated market", () => {
	test("waits for all of its numbers together, and says how many there are", async () => {
		const run = openWith(emulator, [120, approve]);
		const { outs } = await create(run.numberPool, regulated());
		expect(numbersIn({ outs }).map(({ status }) => status)).toEqual(["active", "active", "active"]);
		expect(run.statuses[0]).toBe("0 of 3 active, 3 action required, 10 min left");
		const looks = emulator.control.requests().filter(({ method }) => method === "GET").length;
		expect(looks).toBeLessThan(60);
	});

	test("is saved at the bound, is no drift for a refresh, and the next up goes on waiting", async () => {
		const news = regulated({ activationTimeoutSeconds: 60 });
		const error = await initErrorOf(create(open().numberPool, news));
		expect(error.message).toContain("0 of 3 active, 3 action required after 60 s.");
		const entry = { id: error.id, outs: error.properties };
		expect((await refreshed(later(), entry, news)).changes).toBe(false);
		approve();
		const next = await upAgain(later(), entry, news);
		expect(numbersIn(next).map(({ status }) => status)).toEqual(["active", "active", "active"]);
		expect((await upAgain(later(), next, news)).changes).toBe(false);
		expect(kinds()).toEqual(["purchase", "purchase", "purchase"]);
	});

	test("names the number that is refused, waits for the others, and keeps all", async () => {
		const refuse = () => {
			const [first, ...others] = numbers();
			emulator.control.decide(first?.id ?? "", "reject", [{ code: "blurred", message: "Send a sharper copy." }]);
			for (const { id } of others) emulator.control.decide(id, "approve");
		};
		const run = openWith(emulator, [60, refuse]);
		const error = await initErrorOf(create(run.numberPool, regulated()));
		expect(error.message).toMatch(/2 of 3 active, 1 rejected\. Refused: \+4930\d+ .*Send a sharper copy/);
		expect(numbersIn({ outs: error.properties })).toHaveLength(3);
	});

	test("configures numbers once they are active, where the service wants it so", async () => {
		for (const nth of [1, 2, 3])
			emulator.control.faults.set({
				operation: "patchNumber",
				nth,
				phase: "before",
				status: 409,
				error: "number_not_active",
			});
		const { outs } = await create(openWith(emulator, [60, approve]).numberPool, regulated({ label: "desk {index}" }));
		expect(labels()).toEqual(["desk 0", "desk 1", "desk 2"]);
		expect((await upAgain(later(), { id: "support", outs }, regulated({ label: "desk {index}" }))).changes).toBe(false);
	});

	test("doesn't wait with waitForActive: false", async () => {
		const { outs } = await create(open().numberPool, regulated({ waitForActive: false }));
		expect(numbersIn({ outs }).map(({ status }) => status)).toEqual(["pending", "pending", "pending"]);
		expect((await upAgain(open(), { id: "support", outs }, regulated({ waitForActive: false }))).changes).toBe(false);
	});
});
