import { Table } from "../store/table";

/** Loaded when needed: its tables would slow down the start of every command. */
const phoneNumbers = () => require("libphonenumber-js/max") as typeof import("libphonenumber-js/max");

/** The prefix of a type's numbers and their lengths, without the country code. */
type Shape = readonly [prefix: string, ...lengths: number[]];

interface Market {
	readonly regulated: boolean;
	readonly callingCode: string;
	/** Prefix that people write before an area code, but that is not part of the number. */
	readonly trunkPrefix: string;
	readonly plan: Readonly<Record<string, Shape>>;
}

const market = (
	regulated: boolean,
	callingCode: string,
	trunkPrefix: string,
	...[geographic, mobile, toll_free, national]: readonly [Shape, Shape, Shape, Shape]
): Market => ({ regulated, callingCode, trunkPrefix, plan: { geographic, mobile, toll_free, national } });

const markets: Readonly<Record<string, Market>> = {
	DE: market(true, "49", "0", ["30", 10, 11], ["1512", 11], ["800", 10], ["32", 11]),
	FR: market(true, "33", "0", ["1", 9], ["6", 9], ["805", 9], ["9", 9]),
	ES: market(true, "34", "", ["91", 9], ["6", 9], ["900", 9], ["51", 9]),
	IT: market(true, "39", "", ["06", 10, 9], ["347", 10], ["800", 9], ["55", 10]),
	IN: market(true, "91", "0", ["22", 10], ["98", 10], ["1800", 11], ["1860", 11]),
	BR: market(true, "55", "0", ["11", 10], ["119", 11], ["800", 10], ["300", 10]),
	US: market(false, "1", "1", ["212", 10], ["646", 10], ["833", 10], ["415", 10]),
	CA: market(false, "1", "1", ["416", 10], ["647", 10], ["833", 10], ["613", 10]),
	GB: market(false, "44", "0", ["20", 10], ["74", 10], ["808", 10], ["33", 10]),
	NL: market(false, "31", "0", ["20", 9], ["6", 9], ["800", 10], ["88", 9]),
	SE: market(false, "46", "0", ["8", 9, 8], ["70", 9], ["20", 9], ["10", 9]),
};

export const offeredCountries: readonly string[] = Object.keys(markets);

/** True if numbers need KYC; undefined if the market is not offered. */
export const isRegulated = (country: string): boolean | undefined =>
	Object.hasOwn(markets, country) ? markets[country]?.regulated : undefined;

/** The country and type of a valid number in an offered market; undefined for any other number. */
export const placeOf = (e164: string): { country: string; type: string } | undefined => {
	const parsed = phoneNumbers().parsePhoneNumberFromString(e164);
	const country = parsed?.number === e164 ? parsed.country : undefined;
	if (country === undefined || !parsed?.isValid() || isRegulated(country) === undefined) return undefined;
	const kind = parsed.getType() ?? "";
	const type = Object.keys(kinds).find((name) => kinds[name]?.includes(kind));
	return { country, type: type ?? "national" };
};

/** Mobile and toll-free numbers have sms. */
export const capabilitiesOf = (type: string): string[] =>
	type === "mobile" || type === "toll_free" ? ["voice", "sms"] : ["voice"];

const kinds: Readonly<Record<string, readonly string[]>> = {
	geographic: ["FIXED_LINE", "FIXED_LINE_OR_MOBILE"],
	mobile: ["MOBILE", "FIXED_LINE_OR_MOBILE"],
	toll_free: ["TOLL_FREE"],
};

const fits = (e164: string, country: string, type: string): boolean => {
	const parsed = phoneNumbers().parsePhoneNumberFromString(e164);
	if (!parsed?.isValid()) return false;
	// Countries with one calling code share toll-free codes, but no areas.
	if (parsed.country !== country && type !== "toll_free") return false;
	// National numbers have different kinds in different countries.
	return kinds[type]?.includes(parsed.getType() ?? "") ?? true;
};

/** With fewer free digits, a large test would run out of numbers. */
const leastFree = 5;

/** First digits of subscriber numbers. Not every place has all of them. */
const leads = ["2", "3", "7", "9"];

/** The position of a free number: the index of its place, and its count within the place. */
export type Spot = readonly [place: number, count: number];

interface Free {
	readonly e164: string;
	readonly spot: Spot;
	readonly place: string;
}

/** Sells valid numbers in ascending order, each once. */
export class Inventory {
	/** Count of numbers sold in each place. */
	readonly used = new Table<number>();
	readonly taken = new Table<true>();

	/** Sells the next number; undefined if none is left. */
	take(country: string, type: string, area: string | null): string | undefined {
		for (const { e164, place, spot } of this.free(country, type, area)) {
			this.used.set(place, spot[1] + 1);
			this.taken.set(e164, true);
			return e164;
		}
		return undefined;
	}

	/** Keeps a number from elsewhere from being sold. */
	block(e164: string): void {
		if (!this.taken.has(e164)) this.taken.set(e164, true);
	}

	/** The free numbers after a spot, in the order in which they are sold. */
	*free(country: string, type: string, area: string | null, after: Spot = [0, -1]): Iterable<Free> {
		for (const [index, [prefix, digits]] of [...places(country, type, area)].entries()) {
			if (index < after[0]) continue;
			const place = `${prefix}/${digits}`;
			const passed = index === after[0] ? after[1] + 1 : 0;
			for (let count = Math.max(this.used.get(place) ?? 0, passed); count < 10 ** digits; count++) {
				const e164 = prefix + String(count).padStart(digits, "0");
				// Places may overlap: 20 with a 7 after it, and 207.
				if (this.taken.has(e164)) continue;
				if (!fits(e164, country, type)) break;
				yield { e164, place, spot: [index, count] };
			}
		}
	}
}

/** The prefixes that an area may mean; none for an area in words. */
const prefixesOf = ({ trunkPrefix }: Market, area: string | null): string[] => {
	if (area === null || !/^\d+$/.test(area)) return [];
	const bare = area.startsWith(trunkPrefix) ? area.slice(trunkPrefix.length) : "";
	// Italian area codes begin with a zero that belongs to the number. Some people omit it.
	const zeroed = trunkPrefix === "" ? `0${area}` : "";
	return [bare, area, zeroed].filter((prefix) => prefix !== "");
};

/** The places of a type: first the area, then the default. */
function* places(country: string, type: string, area: string | null): Iterable<[prefix: string, free: number]> {
	const market = markets[country] as Market;
	const [start, ...lengths] = market.plan[type] as Shape;
	for (const prefix of [...prefixesOf(market, area), start]) {
		for (const length of lengths) {
			const free = length - prefix.length - 1;
			for (const lead of free < leastFree ? [] : leads) yield [`+${market.callingCode}${prefix}${lead}`, free];
		}
	}
}
