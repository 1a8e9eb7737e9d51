/** A service that lags behind itself: an older response is neither drift nor a loss. */
import { expect, test } from "vitest";
import { type SettingsPatch, VirtualClock } from "../../../emulator";
import { FakeClock } from "../../helpers/clock";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, checked, create, declaration, openProvider } from "../../helpers/provider";

const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
const emulator = useEmulator({ clock, kyc: "1s" });

/** The provider's clock differs from the service's, and runs as fast. */
const open = (env: Readonly<Record<string, string>> = {}) => {
	const localClock = new FakeClock(Date.parse("2031-05-05T05:05:05Z"));
	let then = localClock.now();
	localClock.onSleep = (time) => {
		clock.advance(time - then);
		then = time;
	};
	return openProvider(emulator, { clock: localClock, env });
};

test.each<[SettingsPatch, kyc: "immediate" | "1s" | "8s", isSameRun: boolean]>([
	[{ readLagMs: 2_000 }, "immediate", true],
	[{ readLagMs: 2_000 }, "8s", true],
	[{ readLagMs: 2_000 }, "1s", false],
	[{ listLagMs: 5_000 }, "8s", true],
	[{ listLagMs: 5_000 }, "1s", false],
	[{ listHidesPending: true, listLagMs: 5_000 }, "immediate", true],
	[{ listHidesPending: true, listLagMs: 5_000 }, "8s", true],
	[{ listHidesPending: true, listLagMs: 5_000 }, "1s", false],
])("takes no older response to an Activation for a loss: %j %s %s", async (settings, kyc, isSameRun) => {
	emulator.control.settings(settings);
	emulator.control.kyc(kyc);
	const run = open();
	const next = isSameRun ? run : open();
	const buy = async (name: string) => {
		// Two wait by single reads; a refresh reads the list.
		const news = aNumber({ country: name < "c" ? "DE" : "NL", waitForActive: false }, name);
		const { id, outs } = await create(run.number, news);
		if (!isSameRun) await next.number.diff(id, outs, await checked(next.number, news));
		return id;
	};
	const numberIds = await Promise.all(["a", "b", "c", "d"].map(buy));
	const fleet = await create(next.activation, declaration("Activation", "fleet", { numberIds }));
	expect(fleet.outs.numbers).toMatchObject(numberIds.map((id) => ({ id, status: "active" })));
	const later = open();
	expect((await later.activation.read(fleet.id, fleet.outs)).props).toEqual(fleet.outs);
	expect([...run.warnings, ...next.warnings, ...later.warnings]).toEqual([]);
});

test("doubts a loss, though the service's clock is hours ahead", async () => {
	const openNow = () => openProvider(emulator, { clock: new FakeClock(clock.now()) });
	const { id, outs } = await create(openNow().number, aNumber());
	const run = openNow();
	clock.advance(7_200_000);
	emulator.control.faults.set({ operation: "getNumber", kind: "status", error: "not_found", nth: [1, 2] });
	expect((await run.number.read(id, outs)).id).toBe(id);
	expect(run.warnings).toEqual([]);
});
