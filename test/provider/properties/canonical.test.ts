import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	canonicalArea,
	canonicalCidr,
	canonicalE164,
	canonicalHost,
	canonicalSipUri,
	canonicalText,
	canonicalUrl,
	compareTimes,
	meantCountry,
	parseCidr,
	sameMarker,
	sipUriProblem,
	suggestedE164,
	unroutablePart,
	withCaselessNames,
	writtenE164,
} from "../../../provider/properties/canonical";
import * as any from "../../helpers/arbitraries";

const forms: Record<string, [(text: string) => string | undefined, fc.Arbitrary<string>]> = {
	"E.164": [canonicalE164, any.e164],
	CIDR: [canonicalCidr, any.cidr],
	URL: [canonicalUrl, any.httpsUrl],
	"SIP URI": [canonicalSipUri, any.sipUri],
};

describe.each(Object.entries(forms))("the canonical %s", (_, [canonical, valid]) => {
	test("is idempotent and exists for every valid spelling", () => {
		fc.assert(
			fc.property(valid, (text) => {
				const once = canonical(text);
				expect(once).toBeDefined();
				expect(canonical(once as string)).toBe(once);
			}),
		);
	});

	test("is idempotent for any text, or does not exist", () => {
		fc.assert(
			fc.property(
				fc.oneof(
					fc.string({ unit: "binary" }),
					valid.chain((text) => fc.constant(`${text}x`)),
				),
				(text) => {
					const once = canonical(text);
					expect(once === undefined ? undefined : canonical(once)).toBe(once);
				},
			),
		);
	});

	test("ignores blanks around it", () => {
		fc.assert(
			fc.property(valid, (text) => {
				expect(canonical(` ${text}\t`)).toBe(canonical(text));
			}),
		);
	});
});

describe("spellings that mean the same agree", () => {
	test.each([
		[canonicalE164, "+31201234567", ["31201234567", "+31 20 123 45 67", "+31 (0)20-1234567", "+31.20.123.4567"]],
		[canonicalCidr, "198.51.100.7/32", ["198.51.100.7", "198.51.100.7/32"]],
		[canonicalCidr, "198.51.100.0/24", ["198.51.100.7/24"]],
		[canonicalCidr, "2001:db8::1/128", ["2001:DB8::1", "2001:0db8:0:0::0001/128"]],
		[canonicalUrl, "https://a.example", ["https://a.example/", "HTTPS://A.EXAMPLE:443", "https://a.example:443/"]],
		[canonicalUrl, "https://a.example/P?q=1", ["https://A.example/P?q=1"]],
		[canonicalUrl, "http://localhost:3000", ["HTTP://LOCALHOST:3000/"]],
		[canonicalUrl, "https://u:P@a.example/x", ["HTTPS://u:P@A.example:443/x"]],
		[canonicalUrl, "https://u@a.example", ["https://u@A.example/"]],
		[canonicalSipUri, "sip:pbx.example:1", ["SIP:PBX.example:00001"]],
		[canonicalSipUri, "sips:Desk@pbx.example:65535", ["SIPS:Desk@PBX.example:65535"]],
		[canonicalSipUri, "sip:Desk@pbx.example;transport=tls", ["SIP:Desk@PBX.example;TRANSPORT=TLS"]],
		[canonicalSipUri, "sip:pbx.example;lr;token=c2lwOj", ["sip:PBX.example;LR;token=c2lwOj"]],
		[canonicalSipUri, "sip:pbx.example;method=INVITE", ["sip:pbx.example;Method=INVITE"]],
		[canonicalSipUri, "sip:[2001:db8::1]", ["sip:[2001:DB8:0::1]"]],
		[canonicalHost, "pbx.example", ["PBX.Example."]],
		[canonicalHost, "2001:db8::1", ["[2001:DB8::1]", "2001:db8:0::1"]],
		[canonicalText, "a b", [" a b "]],
	] as const)("%o: %s", (canonical, form, spellings) => {
		expect(canonical(form)).toBe(form);
		for (const spelling of spellings) expect(canonical(spelling)).toBe(form);
	});

	test("a slash at the end of a path is another address, and so is another case of the path", () => {
		const addresses = ["https://a.example/x", "https://a.example/x/", "https://a.example/X", "https://a.example/x?"];
		expect(new Set(addresses.slice(0, 3).map(canonicalUrl)).size).toBe(3);
		expect(canonicalUrl("https://a.example/x?")).toBe(canonicalUrl("https://a.example/x"));
	});
});

test.each([
	[
		canonicalE164,
		["", "020 1234567", "0031201234567", "+", "+1", "+31201234567 ext. 5", "tel:+31201234567", "+49 1234"],
	],
	[canonicalE164, ["+49123456789012345", "call +31201234567"]],
	[
		canonicalCidr,
		["", "1.2.3", "010.0.0.1", "0x7f.0.0.1", "1.2.3.4/33", "1.2.3.4/", "fe80::1%eth0", "1.2.3.4/24/8", "a"],
	],
	[canonicalCidr, ["1.2.3.4/24x", "1.2.3.4/x24", "1:2", ":"]],
	[canonicalUrl, ["", "a.example", "ftp://a.example", "javascript:alert(1)", "https://"]],
	[writtenE164, ["31201234567", "2025550123", "0031201234567", "(020) 1234567", "1 202 555 0123"]],
	[canonicalSipUri, ["sip:999.999.999.999", "sip:a..example", "sip:[12345]", "sip:a.example?Subject=x"]],
	[canonicalHost, ["", ".", "999.999.999.999", "1.2.3", "12345", "a.example:5060", "[::1]:5060", "fe80::1%eth0"]],
	[canonicalSipUri, ["", "sip:", "tel:+31", "sip:user:password@a.example", "sip:a.example:0", "sip:a.example:65536"]],
] as const)("%o has no form for what isn't one: %j", (canonical, texts) => {
	for (const text of texts) expect({ text, canonical: canonical(text) }).toEqual({ text, canonical: undefined });
});

test.each([
	["NL", "020", "20"],
	["NL", " 020", "20"],
	["GB", "020", "20"],
	["DE", "030", "30"],
	["FR", "01", "1"],
	["US", "1212", "212"],
	["HU", "0620", "20"],
	["NL", "0020", "0020"],
	["IT", "02", "02"],
	["IT", "06", "06"],
	["SM", "0549", "0549"],
	["ES", "091", "091"],
	["RU", "812", "812"],
	["RU", "8812", "8812"],
	["NL", "0", "0"],
	["NL", "Noord", "Noord"],
	["XX", "020", "020"],
	[undefined, "020", "020"],
])("the area of %s that is written %s is %s", (country, written, area) => {
	expect(canonicalArea(written, country)).toBe(area);
	expect(canonicalArea(area, country)).toBe(area);
});

test.each([
	["UK", "GB"],
	["uk", "GB"],
	["nl", "NL"],
	[" NL ", "NL"],
	["Netherlands", "NL"],
	["united states", "US"],
	["USA", "US"],
	["deu", "DE"],
	["AUT", "AT"],
	["XYZ", undefined],
	["Cote d'Ivoire", "CI"],
	["XX", undefined],
	["E.164", undefined],
	["", undefined],
])("the country %j is taken to mean %s", (written, code) => {
	expect(meantCountry(written)).toBe(code);
});

test.each([
	["sip:pbx.example;token=c2lwOj", "sip:pbx.example;token=c2lwoj"],
	["sip:pbx.example;method=INVITE", "sip:pbx.example;method=invite"],
	["sip:Desk@pbx.example", "sip:desk@pbx.example"],
	["sip:pbx.example;Token=a", "sip:pbx.example;token=a"],
])("%s and %s are two SIP URIs", (one, other) => {
	expect(canonicalSipUri(one)).not.toBe(canonicalSipUri(other));
});

test("a live SIP URI compares only parameter names without case", () => {
	expect(withCaselessNames("sip:A;B@pbx.example;Token=X;LR")).toBe("sip:A;B@pbx.example;token=X;lr");
});

test.each([
	["sip:user:password@a.example", "password"],
	["sip:user:password@a.example?X-Foo=bar", "password"],
	["sip:desk@a.example?X-Foo=bar", "headers"],
	["sip:a.example;lr?X-Foo=a:b@c", "headers"],
	["sip:a.example:99999", "such as"],
	["tel:+31201234567", "such as"],
])("%s is refused for its %s", (text, reason) => {
	expect(sipUriProblem(text)).toContain(reason);
});

test.each([
	["2025550123", "US", "+12025550123"],
	["(202) 555-0123", "US", "+12025550123"],
	["020 1234567", "NL", "+31201234567"],
	["31201234567", "NL", "+31201234567"],
	["0031201234567", "NL", "+31201234567"],
	["0031201234567", undefined, "+31201234567"],
	["06 1234 5678", "IT", "+390612345678"],
	["2025550123", undefined, undefined],
	["2025550123", "NL", undefined],
	["call me", "US", undefined],
])("%s in %s is suggested as %s", (text, country, suggested) => {
	expect(suggestedE164(text, country)).toBe(suggested);
});

test("every phone number that passes fits the service's own rule of 7 to 15 digits", () => {
	const digits = fc.tuple(fc.constantFrom("49", "31", "1", "683", "247", "290"), fc.stringMatching(/^\d{1,16}$/));
	fc.assert(
		fc.property(digits, ([code, rest]) => {
			expect(canonicalE164(`+${code}${rest}`) ?? "+1234567").toMatch(/^\+[1-9]\d{6,14}$/);
		}),
		{ numRuns: 500 },
	);
});

describe("an address block", () => {
	const part = (text: string) => unroutablePart(parseCidr(text) as NonNullable<ReturnType<typeof parseCidr>>);

	test("says whether it has bits beyond its length", () => {
		expect(parseCidr("198.51.100.7/24")?.hostBits).toBe(true);
		expect(parseCidr("198.51.100.0/24")?.hostBits).toBe(false);
		expect(parseCidr("2001:db8::1/64")?.hostBits).toBe(true);
		expect(parseCidr("198.51.100.7")?.hostBits).toBe(false);
	});

	test.each(
		"10.1.2.3 172.16.0.0/12 192.168.1.0/24 100.64.0.1 127.0.0.1 169.254.1.1 0.0.0.0 224.0.0.1 255.255.255.255 ::1 fd00::1 fe80::1 ff02::1 ::ffff:10.0.0.1 ::ffff:0.0.0.0/96".split(
			" ",
		),
	)("%s is not reachable from the internet", (text) => {
		expect(part(text)).toBeDefined();
	});

	test.each("198.51.100.0/24 192.0.2.1 203.0.113.0/24 2001:db8::/32 8.8.8.8 172.32.0.0/11 2a00::/16".split(" "))(
		"%s may be",
		(text) => {
			expect(part(text)).toBeUndefined();
		},
	);

	test("which covers an unreachable one is not reachable either", () => {
		expect(part("192.160.0.0/11")).toBe("192.168.0.0/16");
	});
});

describe("times", () => {
	const time = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
	const spelled = (date: Date, digits: number) =>
		date
			.toISOString()
			.replace(/\.(\d+)Z$/, (_, ms: string) => (digits === 0 ? "Z" : `.${ms.padEnd(9, "0").slice(0, digits)}Z`));

	test("are the same in every precision, cut off or rounded, and in every zone", () => {
		fc.assert(
			fc.property(time, fc.nat(9), fc.nat(9), (date, one, other) => {
				expect(compareTimes(spelled(date, one), spelled(date, other))).toBe(0);
				const rounded = new Date(Math.round(date.getTime() / 1000) * 1000);
				expect(compareTimes(spelled(rounded, 0), spelled(date, 3))).toBe(0);
				expect(compareTimes(date.toISOString().replace("Z", "+00:00"), spelled(date, 3))).toBe(0);
			}),
		);
	});

	test("are in the order of their instants, where a whole unit of the coarser one lies between them", () => {
		fc.assert(
			fc.property(time, time, fc.nat(3), fc.nat(3), (a, b, one, other) => {
				const apart = Math.abs(a.getTime() - b.getTime()) >= 2 * 10 ** (3 - Math.min(one, other));
				const order = Math.sign(compareTimes(spelled(a, one), spelled(b, other)));
				if (apart) expect(order).toBe(Math.sign(a.getTime() - b.getTime()));
				expect(order).toBe(-Math.sign(compareTimes(spelled(b, other), spelled(a, one))) + 0);
			}),
		);
	});

	test("of the same precision are the same only if they are equal, and what is no time is equal to itself", () => {
		expect(sameMarker("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")).toBe(false);
		expect(sameMarker("2026-01-01T00:00:00.001Z", "2026-01-01T00:00:00.002Z")).toBe(false);
		expect(sameMarker(1, 1)).toBe(true);
		expect(sameMarker(1, 2)).toBe(false);
		expect(sameMarker("v1", "v1.0")).toBe(false);
		expect(sameMarker(undefined, "x")).toBe(false);
		expect(compareTimes(undefined, "2026-01-01T00:00:00Z")).toBeNaN();
	});
});
