/** Lists that change while they are read, at services where only the list shows the number that a killed run left. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { aNumber, create, failureOf } from "../../helpers/provider";

const { emulator, open, clock, live, another } = useAccount();

/** Numbers of another kind, as nothing else tells them apart without references. */
const others = async (count: number) => {
	for (let n = 0; n < count; n++) await emulator.call("POST", "/numbers", { country: "NL", type: "national" });
};

const troubles = fc.subarray(["duplicated", "short", "empty", "expired"] as const);
const account = fc.record({
	features: fc.boolean().map((reference) => ({ idempotencyKey: false, reference })),
	before: fc.nat(8),
	after: fc.nat(5),
	pageSize: fc.integer({ min: 1, max: 5 }),
	pageChaos: troubles.map((more) => ["moved" as const, ...more]),
	/** Another client has read the list, so that another scan goes wrong. */
	isScanned: fc.boolean(),
});
type Account = typeof account extends fc.Arbitrary<infer A> ? A : never;
const crowded = {
	...{ before: 10, after: 5, pageSize: 10, pageChaos: ["moved" as const] },
	features: { idempotencyKey: false, reference: true },
};

/** As a killed run left it, on an account of others; lists go wrong from now on. */
async function arrange({ features, before, after, isScanned, ...pages }: Account, leave: () => Promise<unknown>) {
	emulator.control.reset();
	emulator.control.settings({ features });
	await others(before);
	await leave();
	await others(after);
	emulator.control.settings(pages);
	if (isScanned) await emulator.call("GET", "/numbers");
	await clock.sleep(3_600_000);
}

test("resumes or names a killed run's number without keys", () =>
	fc.assert(
		fc.asyncProperty(account, fc.boolean(), async (situation, isClaimed) => {
			let lost = "";
			await arrange(situation, async () => {
				lost = (await create(open().number, aNumber())).id;
				if (!isClaimed) emulator.edit("number", lost, { reference: null });
			});
			const count = live().length;
			const run = open();
			const outcome = await create(run.number, aNumber()).then(
				({ id }) => id,
				(error: Error) => error.message,
			);
			expect(outcome).toContain(lost);
			expect(live()).toHaveLength(count);
			await (await run.session.service()).client.close();
		}),
		{ numRuns: 40 },
	));

test.each([false, true])("takes no older number for one that it bought (scanned: %s)", async (isScanned) => {
	let theirs = "";
	await arrange({ ...crowded, isScanned }, async () => {
		theirs = await another();
	});
	emulator.control.faults.set({ operation: "buyNumber", kind: "reset", phase: "before" });
	expect((await failureOf(create(open().number, aNumber()))).message).toContain(theirs);
	expect(emulator.row(theirs)?.reference).toBeNull();
});
