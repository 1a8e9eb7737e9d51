import { z } from "zod";
import { invalid, ServiceError } from "../request/errors";
import { validate } from "../request/validate";
import { type Service, turnClock } from "../service/service";
import {
	type ClockMode,
	endOfTime,
	parseDuration,
	parseTime,
	SwitchableClock,
	timeHint,
	timestamp,
} from "../time/clock";

const ClockPatch = z.strictObject({
	mode: z.enum(["real", "virtual"]).optional(),
	/** Applied after the change of mode. */
	advance: z
		.string()
		.refine((text) => parseDuration(text) !== undefined, "must be a duration such as 30s, 10m, 2h, 10d")
		.optional(),
	/** Advances to that time, if it is still to come. */
	to: z
		.string()
		.refine((text) => parseTime(text) !== undefined, timeHint)
		.optional(),
});
export type ClockPatch = z.output<typeof ClockPatch>;

export interface ClockState {
	readonly mode: ClockMode;
	/** RFC 3339. */
	readonly now: string;
}

/** Changes the mode, then advances. @throws ServiceError if the clock can't be turned so; it then stays as it is */
export const patchClock = (service: Service, sent: ClockPatch): void => {
	const { clock } = service;
	const { mode, advance, to } = validate(ClockPatch, sent);
	if (mode === undefined && advance === undefined && to === undefined) return;
	if (!(clock instanceof SwitchableClock)) {
		throw new ServiceError(
			"bad_request",
			"The code that started this emulator gave it a clock of its own: turn that clock.",
		);
	}
	if (to !== undefined && advance !== undefined) {
		throw invalid([{ field: "to", message: "can't be combined with advance" }]);
	}
	if (to === undefined && advance === undefined) {
		if (mode !== undefined) turnClock(service, mode);
		return;
	}
	if ((mode ?? clock.mode) === "real") {
		throw new ServiceError(
			"bad_request",
			'The clock is the real one: set mode to "virtual" first, or in the same request.',
		);
	}
	const field = to === undefined ? "advance" : "to";
	const now = clock.now();
	const end = to === undefined ? now + (parseDuration(advance ?? "") ?? 0) : (parseTime(to) ?? now);
	if (end >= endOfTime) throw invalid([{ field, message: "leads beyond the year 9999" }]);
	if (end < now) throw invalid([{ field, message: `has passed: it is ${timestamp(now)}` }]);
	turnClock(service, "virtual");
	// Frozen just now, the clock may stand a little later than it was asked.
	const by = to === undefined ? end - now : end - clock.now();
	if (by > 0) clock.advance(by);
};
