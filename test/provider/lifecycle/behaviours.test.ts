/** The provider at services that behave as some do: none of it is drift, a loss or a second purchase. */
import { describe, expect, test } from "vitest";
import type { SettingsPatch } from "../../../emulator";
import { useAccount } from "../../helpers/account";
import { aNumber, aTrunk, checked, create, failureOf } from "../../helpers/provider";

const { emulator, open, clock } = useAccount();
const ledger = () => emulator.kinds();

describe.each<[string, SettingsPatch]>([
	["answers released numbers still", { softDelete: true }],
	["applies changes late, and shows what was before until then", { applyLagMs: 3000, echoIntent: false }],
	["applies changes late", { applyLagMs: 3000 }],
	["names types in older words after a purchase", { enumDriftAfterCreate: true }],
	["lets two requests through at once, then one per second", { requestsPerSecond: 1, requestBurst: 2 }],
	["says so as a date", { requestsPerSecond: 1, requestBurst: 2, retryAfter: "date" }],
	["says so in RateLimit only", { requestsPerSecond: 1, requestBurst: 2, retryAfter: "none" }],
	["keeps a trunk in use for a while after its number has left", { detachLagMs: 3000 }],
	["releases no number that is routed", { refuseReleaseWhileRouted: true }],
])("a service that %s", (_, settings) => {
	test("sees a trunk and a number through their life, without drift on the way", async () => {
		emulator.control.settings(settings);
		const [first, trunkInputs] = [open(), aTrunk()];
		const trunk = await create(first.sipTrunk, trunkInputs);
		const inputs = aNumber({ country: "US", type: "toll_free", routing: { type: "trunk", trunkId: trunk.id } });
		const number = await create(first.number, inputs);
		const isDrift = async (handler: "number" | "sipTrunk", id: string, outs: object, news: object) => {
			const run = open();
			const wanted = await checked(run[handler], { ...news });
			const kept = await run[handler].diff(id, { ...outs }, wanted);
			const { props } = await run[handler].read(id, { ...outs });
			const found = await run[handler].diff(id, { ...props }, wanted);
			return kept.changes || found.changes;
		};
		expect(await isDrift("number", number.id, number.outs, inputs)).toBe(false);
		expect(await isDrift("sipTrunk", trunk.id, trunk.outs, trunkInputs)).toBe(false);

		await clock.sleep(1000);
		const second = open();
		const [moved, wider] = [
			{ ...inputs, routing: { type: "forward", to: "+49301234567" } },
			{ ...trunkInputs, capacity: 90 },
		];
		const numberNow = await second.number.update(number.id, number.outs, await checked(second.number, moved, inputs));
		const trunkNow = await second.sipTrunk.update(
			trunk.id,
			trunk.outs,
			await checked(second.sipTrunk, wider, trunkInputs),
		);
		expect(await isDrift("number", number.id, numberNow.outs, moved)).toBe(false);
		expect(await isDrift("sipTrunk", trunk.id, trunkNow.outs, wider)).toBe(false);

		const third = open();
		await third.number.delete(number.id, numberNow.outs);
		await third.sipTrunk.delete(trunk.id, trunkNow.outs);
		const fourth = open();
		expect((await fourth.number.read(number.id, numberNow.outs)).id ?? "").toBe("");
		const again = await create(fourth.number, aNumber({ country: "US", type: "toll_free" }));
		expect(again.id).not.toBe(number.id);
		expect(ledger().filter((kind) => kind !== "refusal")).toEqual(["purchase", "release", "purchase"]);
	});

	test("sells one number to a run whose answer is lost", async () => {
		emulator.control.settings(settings);
		emulator.control.faults.set({ operation: "buyNumber", kind: "reset", phase: "after" });
		await create(open().number, aNumber());
		expect(ledger()).toEqual(["purchase"]);
	});
});

test.each<[string, SettingsPatch, string]>([
	["sells nothing more", { inventoryLeft: 0 }, "no_inventory"],
	["has had its fill of releases", { numbersMax: 0 }, "limit_exceeded"],
])("a service that %s is asked once, and its reason told", async (_, settings, code) => {
	emulator.control.settings(settings);
	expect((await failureOf(create(open().number, aNumber()))).message).toContain(code);
	expect(emulator.control.requests().filter(({ method }) => method === "POST")).toHaveLength(1);
	expect(ledger()).toEqual([]);
});

test("what a service refused under a key is bought or made once it can be, though the key stays refused", async () => {
	emulator.control.settings({ inventoryLeft: 0, trunksMax: 0 });
	for (let run = 0; run < 3; run++) {
		expect((await failureOf(create(open().number, aNumber()))).errorCode).toBe("no_inventory");
		expect((await failureOf(create(open().sipTrunk, aTrunk()))).errorCode).toBe("limit_exceeded");
	}
	emulator.control.settings({ inventoryLeft: null, trunksMax: null });
	await create(open().number, aNumber());
	await create(open().sipTrunk, aTrunk());
	expect(ledger().filter((kind) => kind === "purchase")).toHaveLength(1);
	expect(emulator.control.state().trunks).toHaveLength(1);
});

// The one case that no client can see coming: the service says that it knows the key, and takes the repeat for another order.
test.fails("a service that offers the Idempotency-Key and ignores it sells once to a run whose answer is lost", async () => {
	emulator.control.settings({ ignoreIdempotencyKey: true });
	emulator.control.faults.set({ operation: "buyNumber", kind: "reset", phase: "after" });
	await create(open().number, aNumber());
	expect(ledger()).toEqual(["purchase"]);
});
