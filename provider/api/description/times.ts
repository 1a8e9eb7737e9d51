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
	/^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?: ?(?:(Z|UTC|GMT)|([+-]\d\d):?(\d\d)?))?$/i;

/** A time of the service in RFC 3339: one without a zone is in `zone`. Any other text stays as it is. */
export function zonedTime(text: string, zone: string): string {
	const [, date, clock, seconds = "00", digits, utc, hours, minutes = "00"] = time.exec(text.trim()) ?? [];
	if (date === undefined) return text;
	const local = `${date}T${clock}:${seconds}`;
	const fraction = digits === undefined ? "" : `.${digits}`;
	if (hours !== undefined) return `${local}${fraction}${hours}:${minutes}`;
	if (utc !== undefined) return `${local}${fraction}Z`;
	return new Date(instantOf(Date.parse(`${local}Z`), zone)).toISOString().replace(".000Z", `${fraction}Z`);
}
