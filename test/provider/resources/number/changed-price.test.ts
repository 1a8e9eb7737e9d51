/** A limit of money, where numbers cost more than the inventory shows. */
import { expect, test } from "vitest";
import { useEmulator } from "../../../helpers/emulator";
import { useFaultProxy } from "../../../helpers/fault-proxy";
import { numbersIn } from "../../../helpers/pools";
import { aNumber, aPool, failureOf, openProvider } from "../../../helpers/provider";
import { failedUp } from "../../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);

test.each([
	["10USD", 2],
	["12USD", 3],
])("is kept once a purchase has shown the real price: %s", async (maxMonthly, expected) => {
	// The inventory shows 2 USD a month, and the service sells at 4 USD.
	proxy.rewrite = (text, method, path) =>
		method === "POST" && path.endsWith("/numbers") ? text.replaceAll('"amount":"2.00"', '"amount":"4.00"') : text;
	const config = { "telephony:limits": JSON.stringify({ maxMonthly }) };
	const saved = await failedUp(openProvider(proxy, { config }), aPool({ count: 5 }));
	expect(saved.error.message).toContain("[telephony:limit]");
	expect([emulator.purchases().length, numbersIn(saved).length]).toEqual([expected, expected]);
});

test("stops an interrupted purchase of the last number, until only a count limits it", async () => {
	const limited = (limits: object) => ({ config: { "telephony:limits": JSON.stringify(limits) } });
	// The run ends between the purchase and the claim, and saves nothing.
	emulator.control.faults.set({ operation: "patchNumber", phase: "before", kind: "status", error: "bad_request" });
	await openProvider(emulator, limited({ maxMonthly: "100USD" }))
		.number.create(aNumber({ onDelete: "release" }))
		.catch(() => {});
	proxy.rewrite = (text, _, path) => (path.includes("available") ? '{"data":[],"next_cursor":null}' : text);
	const create = (limits: object) =>
		openProvider(proxy, limited(limits)).number.create(aNumber({ onDelete: "release" }));
	const error = await failureOf(create({ maxMonthly: "100USD" }));
	expect([error.messageCode, emulator.purchases().length]).toEqual(["limit", 1]);
	expect(error.message).toContain("set only `maxPurchases`");
	const { id } = await create({ maxPurchases: 1 });
	expect([emulator.purchases().length, emulator.live().map((row) => [row.id, Boolean(row.reference)])]).toEqual([
		1,
		[[id, true]],
	]);
});
