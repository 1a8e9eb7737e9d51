/** The services at which every promise is tested. */
import { openCarrier } from "./carrier-place.mts";
import { openEmulator } from "./emulator-place.mts";
import type { Place, PlaceClock } from "./place.mts";

export const places: Readonly<Record<string, (clock?: PlaceClock) => Promise<Place>>> = {
	emulator: (clock) => openEmulator({}, clock),
	"emulator without references and keys": (clock) => openEmulator({ reference: false, idempotencyKey: false }, clock),
	nordtel: (clock) => openCarrier("nordtel", clock),
	kiwivoice: (clock) => openCarrier("kiwivoice", clock),
	pampafone: (clock) => openCarrier("pampafone", clock),
};
