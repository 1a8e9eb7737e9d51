/** A service that offers less than all: what it can't do is said before anything is bought, and the rest works. */
import { describe, expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, flat, seenAt, succeeds } from "../helpers/engine";

describe("a service that offers no more than the seed", () => {
	const emulator = useEmulator({ profile: "seed" });
	const { kinds } = seenAt(emulator);

	test("sells plain numbers, once, though purchases don't name their id", async () => {
		emulator.control.settings({ purchaseId: false, featuresHeader: false });
		const stack = await createProject({
			program: `
				for (const name of ["a", "b", "c"]) new telephony.Number(name, { country: "US", type: "mobile" });
				new telephony.Number("d", { country: "NL", type: "geographic", area: "20" });
			`,
			service: emulator,
		});
		await succeeds(stack.up());
		const bought = emulator.control.state().numbers.map(({ id }) => id);
		expect(bought).toHaveLength(4);
		expect(Object.values(await stack.ids()).sort()).toEqual(bought.sort());
		await expectQuiet(stack);

		const destroy = await stack.destroy();
		expect(destroy.code, "it offers no release").not.toBe(0);
		expect(flat(destroy)).toMatch(/release.*(doesn't|does not) offer|(doesn't|does not) offer.*release/i);
		expect(kinds()).toEqual(Array(4).fill("purchase"));
		expect(Object.values(await stack.ids()).sort()).toEqual(bought);
	});

	test("says what it doesn't offer, of each resource that asks for it, and buys nothing", async () => {
		const program = `
			new telephony.Number("n", { country: "US", type: "mobile", routing: { type: "agent", agentId: "agt_1" } });
			new telephony.SipTrunk("t", { auth: { mode: "digest", username: "office" }, capacity: 1 });
			new telephony.Webhook("w", { url: "https://a.example.com/", events: ["*"] });`;
		const stack = await createProject({ program, service: emulator });
		const up = await fails(stack.up("--continue-on-error"));
		for (const feature of ["routing", "trunks", "webhooks"])
			expect(up).toMatch(
				new RegExp(`${feature}.*service (doesn't|does not) offer|service (doesn't|does not) offer.*${feature}`),
			);
		expect(up.match(/service (doesn't|does not) offer/gi)?.length).toBeGreaterThanOrEqual(3);
		expect(emulator.control.ledger()).toEqual([]);
		expect(await stack.ids()).toEqual({});
	});
});

describe("a service that knows no references", () => {
	const emulator = useEmulator();

	test("configures what it sells, and is left alone afterwards", async () => {
		emulator.control.settings({ features: { reference: false, statusFilter: false, getById: false } });
		const stack = await createProject({
			program: `
				new telephony.Number("plain", { country: "US", type: "mobile" });
				new telephony.Number("n", { country: "US", type: "mobile", label: "n" });
				new telephony.SipTrunk("t", { auth: { mode: "digest", username: "office" }, capacity: 1 });
				new telephony.Webhook("w", { url: "https://a.example.com/", events: ["*"] });
			`,
			service: emulator,
		});
		await succeeds(stack.up());
		await expectQuiet(stack);
		await succeeds(stack.destroy());
		const { numbers, trunks, webhooks } = emulator.control.state();
		expect(numbers.map(({ status }) => status)).toEqual(["released", "released"]);
		expect({ trunks, webhooks }).toEqual({ trunks: [], webhooks: [] });
	});
});
