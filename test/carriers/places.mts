/** The services at which every promise is tested. */
import { openEmulator } from "./emulator-place.mts";
import type { Place } from "./place.mts";

export const places: Readonly<Record<string, () => Promise<Place>>> = {
	emulator: () => openEmulator(),
	"emulator without references and keys": () => openEmulator({ reference: false, idempotencyKey: false }),
};
