import { z } from "zod";
import { invalid, ServiceError } from "../request/errors";
import { validate } from "../request/validate";
import type { Service } from "../service/service";
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
	/** Applies after the change of mode. */
	advance: z
		.string()
		.refine((text) => parseDuration(text) !== undefined, "must be a duration such as 30s, 10m, 2h, 10d")
		.optional(),
	/** Advances to a later time. */
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

/** Returns the time after an advance. */
const endOf = ({ advance = "0s", to }: ClockPatch, currentTime: number): number => {
	const field = to === undefined ? "advance" : "to";
	const end = to === undefined ? currentTime + Number(parseDuration(advance)) : Number(parseTime(to));
	if (end >= endOfTime) throw invalid([{ field, message: "is after the year 9999" }]);
	if (end < currentTime) throw invalid([{ field, message: `is before the current time, ${timestamp(currentTime)}` }]);
	return end;
};

/** Changes the mode, then advances. @throws ServiceError without a change */
export const patchClock = (service: Service, sent: ClockPatch): void => {
	const { clock } = service;
	const patch = validate(ClockPatch, sent);
	const { advance, to } = patch;
	if (Object.values(patch).every((value) => value === undefined)) return;
	if (!(clock instanceof SwitchableClock)) {
		throw new ServiceError(
			"bad_request",
			"This emulator uses a clock of the program that started it: change that clock.",
		);
	}
	const { mode: target = clock.mode } = patch;
	if (to === undefined && advance === undefined) {
		clock.switchTo(target);
		return;
	}
	if (to !== undefined && advance !== undefined) {
		throw invalid([{ field: "to", message: "can't be combined with advance" }]);
	}
	if (target === "real") {
		throw new ServiceError("bad_request", 'The clock is real: set mode to "virtual" first, or in the same request.');
	}
	const currentTime = clock.now();
	const end = endOf(patch, currentTime);
	clock.switchTo("virtual");
	// A clock frozen just now may be a little later.
	const by = end - (to === undefined ? currentTime : clock.now());
	if (by > 0) clock.advance(by);
};
