/** A carrier whose list comes from a search index, which shows each change a few minutes late, and has no times of changes. */
import { expect, test } from "vitest";
import { aNumber, create } from "../../helpers/provider";
import { type ResourceState, refreshed, upAgain } from "../../helpers/runs";
import { type Row, useCarrier } from "../../helpers/scripted-carrier";

const names = ["a", "b", "c", "d"];
const lagMs = 300_000;
const carrier = useCarrier("-idempotencyKey", () => ({
	sell: (serial) => ({ id: `n${serial}`, number: `+3161234501${serial}`, status: "active", made: carrier.clock.now() }),
	change: (row, body) => {
		const { earlier: _, ...before } = row;
		Object.assign(row, body, { earlier: before, changed: carrier.clock.now() });
	},
	show: ({ earlier, changed, ...row }, place) =>
		place === "list" && carrier.clock.now() - Number(changed ?? 0) < lagMs ? (earlier as Row) : row,
}));

test.each(["-idempotencyKey reference", "-idempotencyKey -reference"])(
	"a change that the list doesn't show yet is no drift: %s",
	async (features) => {
		const args = (name: string, label: string) => aNumber({ label }, name);
		const open = () => carrier.open({ config: { "telephony:features": features } });
		const first = open();
		const made: ResourceState[] = [];
		for (const name of names) made.push(await create(first.number, args(name, "Old")));
		await carrier.clock.sleep(lagMs);
		const second = open();
		const updated: ResourceState[] = [];
		for (const [at, name] of names.entries())
			updated.push(await upAgain(second, made[at] as ResourceState, args(name, "New"), args(name, "Old")));
		const third = open();
		const results = await Promise.all(
			names.map((name, at) => refreshed(third, updated[at] as ResourceState, args(name, "New"))),
		);
		expect(results.map(({ changes }) => changes)).toEqual(names.map(() => false));
		expect(third.warnings).toEqual([]);
	},
);
