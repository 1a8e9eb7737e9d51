/** Times without a zone, in the zone of the service. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isZone, zonedTime } from "../../../../provider/api/description/times";
import { instantOf } from "../../../../provider/properties/canonical";

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"];
const instant = fc.date({ min: new Date("2000-01-01"), max: new Date("2040-01-01"), noInvalidDate: true });

/** The local time, as a service writes it. */
const local = (date: Date, zone: string) => date.toLocaleString("sv-SE", { timeZone: zone });

test.each<readonly [text: string, zone: string, expected: string]>([
	["2026-11-29 05:42:04", "UTC", "2026-11-29T05:42:04Z"],
	["2026-11-29T05:42:04", "Europe/Berlin", "2026-11-29T04:42:04Z"],
	["2026-07-01 05:42", "Europe/Berlin", "2026-07-01T03:42:00Z"],
	["2026-11-29 05:42:04.120", "Europe/Berlin", "2026-11-29T04:42:04.120Z"],
	// The hour that clocks skip, and the hour that they repeat.
	["2026-03-29 02:30:00", "Europe/Berlin", "2026-03-29T01:30:00Z"],
	["2026-10-25 02:30:00", "Europe/Berlin", "2026-10-25T00:30:00Z"],
	["2026-11-29 05:42:04 +0100", "America/New_York", "2026-11-29T05:42:04+01:00"],
	["2026-11-29T05:42:04Z", "Europe/Berlin", "2026-11-29T05:42:04Z"],
	["29/11/2026", "Europe/Berlin", "29/11/2026"],
	["11/10/2026 05:42:04", "Europe/Berlin", "11/10/2026 05:42:04"],
	["2026-11-29", "Europe/Berlin", "2026-11-29"],
	["0000-00-00 00:00:00", "Europe/Berlin", "0000-00-00 00:00:00"],
])("reads %s in %s as %s", (text, zone, expected) => {
	expect(zonedTime(text, zone)).toBe(expected);
});

test("reads the local time of an instant as that instant or its repetition", () => {
	fc.assert(
		fc.property(instant, fc.constantFrom(...zones), (date, zone) => {
			const text = local(date, zone);
			const read = zonedTime(text, zone);
			expect(local(new Date(read), zone)).toBe(text);
			const difference = Math.floor(date.getTime() / 1_000) * 1_000 - instantOf(read);
			expect([0, 1_800_000, 3_600_000]).toContain(difference);
			expect(zonedTime(read, zone)).toBe(read);
		}),
	);
});

test("takes no text without a zone for an instant", () => {
	fc.assert(
		fc.property(instant, fc.constantFrom(...zones), fc.constantFrom("T", " "), (date, zone, separator) => {
			expect(instantOf(local(date, zone).replace(" ", separator))).toBeNaN();
		}),
	);
});

test("knows the zones of the world", () => {
	expect(["Europe/Berlin", "UTC", "Europe/Berln", ""].filter(isZone)).toEqual(["Europe/Berlin", "UTC"]);
});
