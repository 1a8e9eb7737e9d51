import { type EmulatorOptions, type FaultRequest, VirtualClock } from "../../emulator";
import { FakeClock } from "./clock";
import { useEmulator } from "./emulator";
import { openProvider, type ProviderOptions } from "./provider";

/** One account, and one time for the service and all runs: what a service does after a while is done when a run has waited for it. */
export function useAccount(options: EmulatorOptions = {}) {
	const time = new VirtualClock();
	const clock = new FakeClock(time.now());
	clock.onSleep = (now) => time.advance(now - time.now());
	const emulator = useEmulator({ kyc: "immediate", clock: time, ...options });
	const { live, purchases, released } = emulator;
	/** Another run. */
	const open = (more: ProviderOptions = {}) => openProvider(emulator, { clock, ...more });
	/** The service doesn't offer these. */
	const off = (...names: readonly string[]) =>
		emulator.control.settings({ features: Object.fromEntries(names.map((name) => [name, false])) });
	/** The answer to a purchase is lost. */
	const lose = (more: Partial<FaultRequest> = {}) =>
		emulator.control.faults.set({ operation: "buyNumber", kind: "reset", phase: "after", ...more } as FaultRequest);
	/** A number that somebody else has, or that an interrupted run left. */
	const another = async (patch?: object) => {
		const { id } = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
		if (patch !== undefined) emulator.edit("number", id, patch);
		return id;
	};
	return { time, clock, emulator, open, live, purchases, released, off, lose, another };
}
