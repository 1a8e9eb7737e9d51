/** Times that a service writes without a zone, and their zone. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError if there is no such zone */
function formatOf(zone: string): Intl.DateTimeFormat {
	const format =
		formats.get(zone) ??
		new Intl.DateTimeFormat("en-US", {
			timeZone: zone,
			hourCycle: "h23",
			...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
		});
	formats.set(zone, format);
	return format;
}

export function isZone(name: string): boolean {
	try {
		formatOf(name);
		return true;
	} catch {
		return false;
	}
}

/** The local time in a zone minus UTC at an instant, ms. */
function offsetAt(instant: number, zone: string): number {
	const parts = formatOf(zone).formatToParts(instant);
	const part = (type: Intl.DateTimeFormatPartTypes) =>
		Number(parts.find((formatted) => formatted.type === type)?.value);
	const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
	return local - Math.floor(instant / 1_000) * 1_000;
}

const day = 86_400_000;

/**
 * The instant of a local time. An hour that is repeated when clocks are set back means the first one. A time that is
 * skipped when clocks are set forward means one as long after the change.
 */
function instantOf(local: number, zone: string): number {
	if (zone === "UTC") return local;
	const first = local - offsetAt(local - day, zone);
	const second = local - offsetAt(local + day, zone);
	const isSecond = offsetAt(first, zone) !== local - first && offsetAt(second, zone) === local - second;
	return isSecond ? second : first;
}

const time =
	/^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?: ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$/i;

/** A time of the service in RFC 3339: one without a zone is in `zone`. Any other text stays as it is. */
export function zonedTime(text: string, zone: string): string {
	const [, year, month, date, hours, minutes, seconds = "00", fraction, offset] = time.exec(text.trim()) ?? [];
	if (year === undefined) return text;
	const part = fraction === undefined ? "" : `.${fraction}`;
	if (offset !== undefined) {
		const [, sign, hour, minute = "00"] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [];
		return `${year}-${month}-${date}T${hours}:${minutes}:${seconds}${part}${sign === undefined ? "Z" : `${sign}${hour}:${minute}`}`;
	}
	const local = Date.UTC(
		Number(year),
		Number(month) - 1,
		Number(date),
		Number(hours),
		Number(minutes),
		Number(seconds),
	);
	return new Date(instantOf(local, zone)).toISOString().replace(".000Z", `${part}Z`);
}
