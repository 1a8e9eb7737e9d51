/** Lists that change while they are read, at services where nothing but the list tells what a killed run has left. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { aNumber, aTrunk, checked, create, failureOf } from "../../helpers/provider";

const { emulator, open, clock, live } = useAccount();

/** What others have on the account: of another kind, as nothing else tells where there are no references. */
const others = async (count: number) => {
	for (let n = 0; n < count; n++) {
		await emulator.call("POST", "/numbers", { country: "NL", type: "national" });
	}
};

const troubles = fc.subarray(["duplicated", "short", "empty", "expired"] as const);
const account = fc.record({
	features: fc.boolean().map((reference) => ({ idempotencyKey: false, reference })),
	before: fc.nat(8),
	after: fc.nat(5),
	pageSize: fc.integer({ min: 1, max: 5 }),
	pageChaos: troubles.map((more) => ["moved" as const, ...more]),
	/** Somebody else has looked at the list, so that another scan is the one that goes wrong. */
	scanned: fc.boolean(),
});
type Account = typeof account extends fc.Arbitrary<infer A> ? A : never;

/** As a killed run left it, on an account of others; lists go wrong from now on. */
async function arrange(
	{ features, before, after, pageSize, pageChaos, scanned }: Account,
	leave: () => Promise<unknown>,
) {
	emulator.control.reset();
	emulator.control.settings({ features });
	await others(before);
	await leave();
	await others(after);
	emulator.control.settings({ pageSize, pageChaos });
	if (scanned) for (const list of ["/numbers", "/trunks"]) await emulator.call("GET", list);
	await clock.sleep(3_600_000);
}

describe("without keys, whatever happens to the pages", () => {
	test("what a killed run has bought is taken over, or named, and nothing is bought beside it", () =>
		fc.assert(
			fc.asyncProperty(account, fc.boolean(), async (situation, isClaimed) => {
				let lost = "";
				await arrange(situation, async () => {
					lost = (await create(open().number, aNumber())).id;
					if (!isClaimed) emulator.control.patchNumber(lost, { reference: null });
				});
				const count = live().length;
				const run = open();
				const told = await create(run.number, aNumber()).then(
					({ id }) => id,
					(error: Error) => error.message,
				);
				expect(told).toContain(lost);
				expect(live()).toHaveLength(count);
				await (await run.session.service()).client.close();
			}),
			{ numRuns: 40 },
		));

	test("a trunk that a killed run has made is not made twice", () =>
		fc.assert(
			fc.asyncProperty(account, async (situation) => {
				await arrange({ ...situation, features: { idempotencyKey: false, reference: true } }, async () => {
					for (let n = 0; n < situation.before; n++) await create(open().sipTrunk, aTrunk({}, `t${n}`));
					await create(open().sipTrunk, aTrunk());
				});
				const run = open();
				await create(run.sipTrunk, aTrunk());
				expect(emulator.control.state().trunks).toHaveLength(situation.before + 1);
				await (await run.session.service()).client.close();
			}),
			{ numRuns: 30 },
		));

	test("what was there before is never taken for what this run has bought", async () => {
		for (const scanned of [false, true]) {
			const features = { idempotencyKey: false, reference: true };
			const situation = { features, before: 10, after: 5, pageSize: 10, scanned };
			let theirs = "";
			await arrange({ ...situation, pageChaos: ["moved"] }, async () => {
				theirs = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body.id;
			});
			emulator.control.faults.set({ operation: "buyNumber", kind: "reset", phase: "before" });
			expect((await failureOf(create(open().number, aNumber()))).message).toContain(theirs);
			expect(live().find(({ id }) => id === theirs)?.reference).toBeNull();
		}
	});
});

test.each([false, true])(
	"a replay that names no number buys nothing beside what a killed run has (%s)",
	async (scanned) => {
		const features = { idempotencyKey: true, reference: true };
		const situation = { features, before: 10, after: 5, pageSize: 10, pageChaos: ["moved" as const], scanned };
		let lost = "";
		await arrange(situation, async () => {
			emulator.control.settings({ purchaseId: false });
			lost = (await create(open().number, aNumber())).id;
		});
		expect((await create(open().number, aNumber())).id).toBe(lost);
	},
);

test.each([
	{ scanned: false, purchaseId: false },
	{ scanned: true, purchaseId: false },
	{ scanned: false, purchaseId: true },
	{ scanned: true, purchaseId: true },
])(
	"a number that only its key tells of keeps nothing that the program has dropped (%j)",
	async ({ scanned, purchaseId }) => {
		const features = { idempotencyKey: true, reference: true };
		const situation = { features, before: 10, after: 5, pageSize: 10, pageChaos: ["moved" as const], scanned };
		let lost = "";
		let trunk: Awaited<ReturnType<typeof create>> | undefined;
		await arrange(situation, async () => {
			emulator.control.settings({ purchaseId });
			const killed = open();
			trunk = await create(killed.sipTrunk, aTrunk());
			lost = (await create(killed.number, aNumber({ label: "Dropped" }))).id;
		});
		const run = open();
		// The state has something that was made together with it, so it is no renamed stack's.
		await run.sipTrunk.diff(trunk?.id ?? "", trunk?.outs ?? {}, await checked(run.sipTrunk, aTrunk()));
		expect((await create(run.number, aNumber())).id).toBe(lost);
		expect(live().find(({ id }) => id === lost)?.label).toBeNull();
	},
);

test.each([false, true])(
	"a purchase whose answer names no number is told from an older one that the list didn't show (%s)",
	async (scanned) => {
		const features = { idempotencyKey: true, reference: true };
		const situation = { features, before: 10, after: 5, pageSize: 10, pageChaos: ["moved" as const], scanned };
		await arrange(situation, () => emulator.call("POST", "/numbers", { country: "NL", type: "mobile" }));
		await clock.sleep(86_400_000);
		emulator.control.settings({ purchaseId: false });
		const { id } = await create(open().number, aNumber());
		expect(id).toBe(live().at(-1)?.id);
		expect(live()).toHaveLength(17);
	},
);

test("with keys, an account of several pages is still read once", async () => {
	await others(25);
	emulator.control.settings({ pageSize: 10 });
	const count = emulator.control.requests().length;
	await create(open().number, aNumber());
	expect(
		emulator.control
			.requests()
			.slice(count)
			.map(({ method }) => method),
	).toEqual(["GET", "GET", "GET", "POST", "PATCH"]);
});
