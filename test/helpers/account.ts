import { type EmulatorOptions, VirtualClock } from "../../emulator";
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
	return { time, clock, emulator, open, live, purchases, released };
}
