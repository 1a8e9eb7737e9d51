import { type EmulatorOptions, type FaultRequest, VirtualClock } from "../../emulator";
import { FakeClock } from "./clock";
import { useEmulator } from "./emulator";
import { openProvider, type ProviderOptions } from "./provider";

/** An account whose service and runs share one clock: the pauses of a run advance the service's time. */
export function useAccount(options: EmulatorOptions = {}) {
	const time = new VirtualClock();
	const clock = new FakeClock(time.now());
	clock.onSleep = (ms) => time.advance(ms - time.now());
	const emulator = useEmulator({ kyc: "immediate", clock: time, ...options });
	const { live, purchases, released } = emulator;
	/** Opens another run. */
	const open = (more: ProviderOptions = {}) => openProvider(emulator, { clock, ...more });
	/** Switches features of the service off. */
	const off = (...names: readonly string[]) =>
		emulator.control.settings({ features: Object.fromEntries(names.map((name) => [name, false])) });
	/** Loses the response to a purchase. */
	const lose = (more: Partial<FaultRequest> = {}) =>
		emulator.control.faults.set({ operation: "buyNumber", kind: "reset", phase: "after", ...more } as FaultRequest);
	/** Buys a number outside the provider. */
	const another = async (patch?: object) => {
		const { id } = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
		if (patch !== undefined) emulator.edit("number", id, patch);
		return id;
	};
	return { time, clock, emulator, open, live, purchases, released, off, lose, another };
}
