import { vi } from "vitest";
import { patienceMs } from "./patience.mts";

/** Repeats the check until it passes, however slow the machine is, and returns its result. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
	vi.waitFor(check, { timeout: patienceMs, interval: 20 });
