import { VirtualClock } from "../../emulator";
import { FakeClock } from "./clock";
import { useEmulator } from "./emulator";
import { openProvider } from "./provider";

/** One account, and one time for the service and all runs: what a service does after a while is done when a run has waited for it. */
export function useAccount() {
	const time = new VirtualClock();
	const clock = new FakeClock(time.now());
	clock.onSleep = (now) => time.advance(now - time.now());
	const emulator = useEmulator({ kyc: "immediate", clock: time });
	return {
		time,
		clock,
		emulator,
		/** Another run. */
		open: () => openProvider(emulator, { clock }),
		/** The numbers that nobody has released. */
		live: () => emulator.control.state().numbers.filter(({ status }) => status !== "released"),
		purchases: () => emulator.control.ledger().filter(({ kind }) => kind === "purchase"),
	};
}
