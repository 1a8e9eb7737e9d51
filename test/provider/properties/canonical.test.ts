/** Canonical forms of phone numbers, areas, countries, addresses, URLs and times. */
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
	suggestedE164,
	unroutablePart,
	withCaselessNames,
	writtenE164,
} from "../../../provider/properties/canonical";
import * as any from "../../helpers/arbitraries";

describe.each<[string, (text: string) => string | undefined, fc.Arbitrary<string>]>([
	["E.164", canonicalE164, any.e164],
	["CIDR", canonicalCidr, any.cidr],
	["URL", canonicalUrl, any.httpsUrl],
	["SIP URI", canonicalSipUri, any.sipUri],
])("the canonical %s", (_, canonical, valid) => {
	test("exists for every valid spelling, and ignores blanks around it", () =>
		fc.assert(
			fc.property(valid, (text) => {
				expect(canonical(text)).toBeDefined();
				expect(canonical(` ${text}\t`)).toBe(canonical(text));
			}),
		));

	test("is its own canonical form, for any text that has one", () =>
		fc.assert(
			fc.property(
				fc.oneof(
					fc.string({ unit: "binary" }),
					valid,
					valid.map((text) => `${text}x`),
				),
				(text) => {
					const once = canonical(text);
					expect(once === undefined ? undefined : canonical(once)).toBe(once);
				},
			),
		));
});

test.each([
	[canonicalE164, "+31201234567", ["31201234567", "+31 20 123 45 67", "+31 (0)20-1234567", "+31.20.123.4567"]],
	[canonicalE164, "+31201234567", ["+31 (0) 20 1234567", "(+31) 20 1234567", "+ 31 20 1234567", "+31 (20) 123-45-67"]],
	[
		canonicalE164,
		"+31201234567",
		["+31\u00a020\u202f123\u20094567", "+31\u201020\u2011123\u20124567", "+31–20–1234567"],
	],
	[
		canonicalE164,
		"+31201234567",
		["\u202a+31201234567\u202c", "\u202d+31 20 1234567\u202c", "+31\u200b20\u00ad1234567\ufeff"],
	],
	[canonicalE164, "+496221543210", ["+49 (0) 6221 54 32 10", "+49 6221-54321-0"]],
	[canonicalE164, "+22507123456", ["+225 07 12 34 56", "22507123456"]],
	[canonicalE164, "+5215512345678", ["+52 1 55 1234 5678"]],
	[canonicalE164, "+310201234567", ["+31 020 1234567"]],
	[canonicalE164, "+290512", ["+290 512"]],
	[canonicalCidr, "198.51.100.7/32", ["198.51.100.7"]],
	[canonicalCidr, "198.51.100.0/24", ["198.51.100.7/24"]],
	[canonicalCidr, "2001:db8::1/128", ["2001:DB8::1", "2001:0db8:0:0::0001/128"]],
	[canonicalUrl, "https://a.example", ["https://a.example/", "HTTPS://A.EXAMPLE:443", "https://a.example:443/"]],
	[canonicalUrl, "https://a.example/P?q=1", ["https://A.example/P?q=1"]],
	[canonicalUrl, "https://a.example/x", ["https://a.example/x?"]],
	[canonicalUrl, "https://u:P@a.example/x", ["HTTPS://u:P@A.example:443/x"]],
	[canonicalUrl, "https://u@a.example", ["https://u@A.example/"]],
	[canonicalSipUri, "sip:pbx.example:1", ["SIP:PBX.example:00001"]],
	[canonicalSipUri, "sip:Desk@pbx.example;transport=tls", ["SIP:Desk@PBX.example.;TRANSPORT=TLS"]],
	[canonicalSipUri, "sip:pbx.example;lr;token=c2lwOj", ["sip:PBX.example;LR;token=c2lwOj"]],
	[canonicalSipUri, "sip:pbx.example;method=INVITE", ["sip:pbx.example;Method=INVITE"]],
	[canonicalSipUri, "sip:[2001:db8::1]", ["sip:[2001:DB8:0::1]"]],
	[canonicalHost, "pbx.example", ["PBX.Example."]],
	[canonicalHost, "xn--mnchen-3ya.example", ["münchen.example", "MÜNCHEN.example.", "mu\u0308nchen.example"]],
	[canonicalHost, "xn--mnchen-3ya.example", ["XN--MNCHEN-3YA.example", "münchen。example"]],
	[canonicalHost, "_sip._tcp.pbx_1.example", ["_SIP._TCP.PBX_1.example."]],
	[canonicalUrl, "https://xn--mnchen-3ya.example/x", ["https://münchen.example./x", "https://MÜNCHEN.example:443/x"]],
	[canonicalUrl, "https://pbx_1.example", ["https://PBX_1.example./"]],
	[canonicalSipUri, "sip:desk@xn--mnchen-3ya.example", ["sip:desk@MÜNCHEN.example.", "SIP:desk@münchen.example"]],
	[canonicalSipUri, "sip:desk%40a@pbx_1.example", ["sip:%64esk%40a@PBX_1.example"]],
	[canonicalSipUri, "sip:b%C3%BCro@pbx.example", ["sip:b%c3%bcro@pbx.example"]],
	[canonicalHost, "2001:db8::1", ["[2001:DB8::1]", "2001:db8:0::1"]],
	[canonicalText, "a b", [" a b "]],
] as const)("%o makes %s of its other spellings", (canonical, form, spellings) => {
	for (const spelling of [form, ...spellings]) expect(canonical(spelling)).toBe(form);
});

test.each([
	[canonicalUrl, ["https://a.example/x", "https://a.example/x/", "https://a.example/X"]],
	[canonicalSipUri, ["sip:pbx.example;token=c2lwOj", "sip:pbx.example;token=c2lwoj", "sip:pbx.example;Token=c2lwOj"]],
	[canonicalSipUri, ["sip:pbx.example;method=INVITE", "sip:pbx.example;method=invite"]],
	[canonicalSipUri, ["sip:Desk@pbx.example", "sip:desk@pbx.example"]],
])("%o distinguishes different values: %j", (canonical, texts) => {
	expect(new Set(texts.map(canonical)).size).toBe(texts.length);
});

test.each<[(text: string) => string | undefined, string[]]>([
	[canonicalE164, ["", "020 1234567", "0031201234567", "+", "+0", "+31201234567 ext. 5", "tel:+31201234567"]],
	[canonicalE164, ["call +31201234567", "+4930123456O", "+43 1 58858 ext", "+1 202 555-0123x5"]],
	[
		canonicalE164,
		["+12025550123;ext=5", "+1 800 FLOWERS", "+31201234567, +31201234568", "++31201234567", "+31+201234567"],
	],
	[canonicalE164, ["+49 30 1234567 / 8", "+49 30/1234567", "+683 4002/4003", "+49 30 1234567 (8)", "+49 30 1234567-"]],
	[
		canonicalE164,
		["+49 (30 1234567", "+49 30) 1234567", "+49 ((30)) 1234567", "+49 30 (0) 1234567", "+39 (0)6 12345678"],
	],
	[
		canonicalE164,
		["+1 (0)202 555 0123", "+４９301234567", "＋49301234567", "+٤٩301234567", "+49301234567\u202e", "+49 30\n1234567"],
	],
	[
		canonicalE164,
		[
			"+49_30_1234567",
			"+49 30 1234567 — 8",
			"+49 30 1234567~8",
			"+49 30 1234567 & 8",
			"+49*301234567",
			"#+49301234567",
		],
	],
	[writtenE164, ["31201234567", "2025550123", "0031201234567", "(020) 1234567", "1 202 555 0123"]],
	[canonicalCidr, ["", "1.2.3", "010.0.0.1", "0x7f.0.0.1", "1.2.3.4/33", "1.2.3.4/", "fe80::1%eth0", "1.2.3.4/24/8"]],
	[canonicalCidr, ["a", "1.2.3.4/24x", "1.2.3.4/x24", "1:2", ":"]],
	[canonicalUrl, ["", "a.example", "ftp://a.example", "javascript:alert(1)", "https://"]],
	[canonicalSipUri, ["sip:999.999.999.999", "sip:a..example", "sip:[12345]", "sip:a.example?Subject=x", "", "sip:"]],
	[
		canonicalSipUri,
		["tel:+31", "sip://desk@a.example", "sip:user:password@a.example", "sip:a.example:0", "sip:a.example:65536"],
	],
	[
		canonicalSipUri,
		["sip:desk@pbx.123", "sip:büro@pbx.example", "sip:front desk@pbx.example", "sip:desk%4@pbx.example", "sip:desk@"],
	],
	[canonicalHost, ["", ".", "999.999.999.999", "1.2.3", "12345", "a.example:5060", "[::1]:5060", "fe80::1%eth0"]],
	[
		canonicalHost,
		["sip:a.example", "a.example/24", "desk@a.example", "*.example.com", "-a.example", "a..example", "a b"],
	],
	[canonicalHost, [`${"a".repeat(64)}.example`, `${"ü".repeat(60)}.`.repeat(4), "2001:db8::g", "a.example;lr"]],
	[canonicalHost, ["0x7f.1.1.1", "0x10", "a.example.1", "1.2.3.4.5", "198.051.100.7", "::ffff:999.1.1.1", "[1.2.3.4]"]],
])("%o returns undefined for invalid text", (canonical, texts) => {
	for (const text of texts) expect({ text, canonical: canonical(text) }).toEqual({ text, canonical: undefined });
});

test.each([
	["NL", "020", "20"],
	["US", "1212", "212"],
	["HU", "0620", "20"],
	["NL", "0020", "0020"],
	["IT", "06", "06"],
	["JP", "03", "3"],
	["LT", "85", "5"],
	["GB", "(0)20", "20"],
	["RU", "8812", "8812"],
	["NL", "0", "0"],
	["NL", "Noord", "Noord"],
	["XX", "020", "020"],
	[undefined, "020", "020"],
])("drops the trunk prefix of an area: %s, %s", (country, written, area) => {
	expect(canonicalArea(written, country)).toBe(area);
	expect(canonicalArea(area, country)).toBe(area);
});

test.each<[string | undefined, string[]]>([
	["GB", ["UK", "U.K.", "uk", "gb"]],
	["NL", [" nl "]],
	["US", ["U.S."]],
	[undefined, ["Netherlands", "USA", "XYZ", "XX", "", "44", "constructor"]],
])("suggests the country %s for each of %j", (code, texts) => {
	for (const text of texts) expect({ text, code: meantCountry(text) }).toEqual({ text, code });
});

describe("the digits of a phone number", () => {
	const digits = fc.stringMatching(/^[1-9]\d{0,14}$/);
	const separator = fc.constantFrom("", "", " ", "-", ".", "\u00a0", "\u2011", "–", "\u200b");
	const junk = fc.constantFrom(
		"O",
		"x",
		" ext ",
		";ext=",
		",",
		"+",
		"/",
		" / ",
		"(",
		")",
		"(0)",
		"１",
		"٢",
		"\u202e",
		"\n",
		"~",
	);

	test("are all in the canonical form, whatever a numbering plan has", () =>
		fc.assert(
			fc.property(digits, fc.array(separator, { minLength: 15, maxLength: 15 }), (number, between) => {
				const spelled = [...number].map((digit, index) => `${index === 0 ? "" : between[index]}${digit}`).join("");
				expect(canonicalE164(`+${spelled}`)).toBe(`+${number}`);
				expect(writtenE164(`+${spelled}`)).toBe(`+${number}`);
			}),
		));

	test("are never shortened, and text between them is refused", () =>
		fc.assert(
			fc.property(fc.array(fc.oneof(digits, separator, junk), { maxLength: 8 }), (parts) => {
				const text = `+${parts.join("")}`;
				const number = canonicalE164(text);
				if (number === undefined) return;
				expect(text.replaceAll("\u200b", "").trim()).not.toMatch(/[A-Za-z,;~\n１٢\u202e]|\+.*\+/);
				expect([text, text.replace("(0)", "")].map((spelling) => spelling.replace(/\D/g, ""))).toContain(
					number.slice(1),
				);
			}),
			{ numRuns: 2_000 },
		));
});

test.each([
	["2025550123", "US", "+12025550123"],
	["31201234567", "NL", "+31201234567"],
	["0031201234567", "NL", "+31201234567"],
	["0031201234567", undefined, "+31201234567"],
	["0031201234567", "XX", "+31201234567"],
	["0031201234567", "US", "+31201234567"],
	["++31201234567", "NL", "+31201234567"],
	["06 1234 5678", "IT", "+390612345678"],
	["+310201234567", "NL", "+31201234567"],
	["+4930123456O", "DE", undefined],
	["+49 30 1234567 / 8", "DE", undefined],
	["+43 1 58858 ext", "AT", undefined],
	["call +31201234567", "NL", undefined],
	["020 1234567 x5", "NL", undefined],
	["2025550123", undefined, undefined],
	["2025550123", "NL", undefined],
	["call me", "US", undefined],
])("suggests the E.164 of %s in %s", (text, country, suggested) => {
	expect(suggestedE164(text, country)).toBe(suggested);
});

test("compares parameter names of a live SIP URI without case", () => {
	expect(withCaselessNames("sip:A;B@pbx.example;Token=X;LR")).toBe("sip:A;B@pbx.example;token=X;lr");
});

describe("an address block", () => {
	const part = (text: string) => unroutablePart(parseCidr(text) as NonNullable<ReturnType<typeof parseCidr>>);

	test.each([
		["198.51.100.7/24", true],
		["2001:db8::1/64", true],
		["198.51.100.0/24", false],
	])("has bits beyond its length: %s %s", (text, hostBits) => expect(parseCidr(text)?.hostBits).toBe(hostBits));

	test("is not reachable if it lies in a private range, or covers one", () => {
		const ipv4 =
			"10.1.2.3 172.16.0.0/12 192.168.1.0/24 100.64.0.1 127.0.0.1 169.254.1.1 0.0.0.0 224.0.0.1 255.255.255.255";
		for (const text of `${ipv4} ::1 fd00::1 fe80::1 ff02::1 ::ffff:10.0.0.1 ::ffff:0.0.0.0/96`.split(" "))
			expect({ text, part: part(text) }).toEqual({ text, part: expect.any(String) });
		expect(part("192.160.0.0/11")).toBe("192.168.0.0/16");
		const public_ = "198.51.100.0/24 192.0.2.1 203.0.113.0/24 2001:db8::/32 8.8.8.8 172.32.0.0/11 2a00::/16";
		for (const text of public_.split(" ")) expect({ text, part: part(text) }).toEqual({ text, part: undefined });
	});
});

describe("times", () => {
	const time = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
	const spelled = (date: Date, digits: number) =>
		date
			.toISOString()
			.replace(/\.(\d+)Z$/, (_, ms: string) => (digits === 0 ? "Z" : `.${ms.padEnd(9, "0").slice(0, digits)}Z`));

	test("are equal in every precision, cut off or rounded, and in every zone", () =>
		fc.assert(
			fc.property(time, fc.nat(9), fc.nat(9), (date, digits, otherDigits) => {
				expect(compareTimes(spelled(date, digits), spelled(date, otherDigits))).toBe(0);
				const rounded = new Date(Math.round(date.getTime() / 1000) * 1000);
				expect(compareTimes(spelled(rounded, 0), spelled(date, 3))).toBe(0);
				expect(compareTimes(date.toISOString().replace("Z", "+00:00"), spelled(date, 3))).toBe(0);
			}),
		));

	test("keep the order of their instants if a whole unit lies between them", () =>
		fc.assert(
			fc.property(time, time, fc.nat(3), fc.nat(3), (a, b, digits, otherDigits) => {
				const isApart = Math.abs(a.getTime() - b.getTime()) >= 2 * 10 ** (3 - Math.min(digits, otherDigits));
				const order = Math.sign(compareTimes(spelled(a, digits), spelled(b, otherDigits)));
				if (isApart) expect(order).toBe(Math.sign(a.getTime() - b.getTime()));
				expect(order).toBe(-Math.sign(compareTimes(spelled(b, otherDigits), spelled(a, digits))) + 0);
			}),
		));

	test.each([
		["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", false],
		["2026-01-01T00:00:00.001Z", "2026-01-01T00:00:00.002Z", false],
		[1, 2, false],
		["v1", "v1.0", false],
		[undefined, "x", false],
	])("match as markers: %j and %j %s", (a, b, same) => expect(sameMarker(a, b)).toBe(same));

	test("don't compare with other text", () => {
		expect(compareTimes(undefined, "2026-01-01T00:00:00Z")).toBeNaN();
	});
});
