/** Arbitrary valid values of every property, in all spellings. */
import fc from "fast-check";
import { codecs, eventNames, kycHolders } from "../../provider/api/contract";

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/);
const spelled = (arbitrary: fc.Arbitrary<string>) =>
	fc
		.tuple(arbitrary, fc.constantFrom("lower", "upper"))
		.map(([text, way]) => (way === "upper" ? text.toUpperCase() : text));
const host = fc
	.tuple(word, fc.oneof(word, fc.constantFrom("_sip", "pbx_1", "münchen")))
	.map(([a, b]) => `${a}.${b}.example`);
const blanks = fc.constantFrom("", " ", "\t");
const padded = (arbitrary: fc.Arbitrary<string>) => fc.tuple(blanks, arbitrary, blanks).map((parts) => parts.join(""));
const optional = <T extends object, K extends keyof T>(
	model: { [P in keyof T]: fc.Arbitrary<T[P]> },
	requiredKeys: K[],
) => fc.record<T, K>(model, { requiredKeys });

export const e164 = fc.constantFrom(
	"+31201234567",
	"+31 20 123 4567",
	"+31 (20) 1234567",
	"+1 415-555-2671",
	"+493012345678",
	" +49 30 12345678 ",
);
export const httpsUrl = fc
	.tuple(
		spelled(host),
		fc.constantFrom("", ":443", ":8443"),
		fc.constantFrom("", "/", "/sms", "/Sms/", "/a b/ä"),
		fc.constantFrom("", "?a=1&b=2", "?"),
		fc.constantFrom("https", "HTTPS"),
	)
	.map(([name, port, path, query, scheme]) => `${scheme}://${name}${port}${path}${query}`);
export const sipUri = fc
	.tuple(
		spelled(fc.constantFrom("sip:", "sips:")),
		fc.constantFrom("", "Desk@", "+4930@", "a;b@", "desk%40a.example@", "%64esk@"),
		spelled(fc.oneof(host, fc.constant("[2001:db8::1]"))),
		fc.constantFrom("", ":5060", ":05061"),
		fc.constantFrom("", ";transport=tls", ";TRANSPORT=TLS;lr", ";token=c2lwOj", ";Token=C2lwOj;lr"),
	)
	.map((parts) => parts.join(""));
const label = padded(fc.string({ unit: "grapheme", maxLength: 8 })).filter((text) => text.length <= 64);
const metadata = fc.dictionary(
	fc.string({ minLength: 1, maxLength: 10 }).filter((key) => key !== "__proto__"),
	fc.string({ maxLength: 12 }),
	{ maxKeys: 4 },
);

const ringTimeoutSeconds = fc.integer({ min: 5, max: 300 });
const target = (extra: Record<string, fc.Arbitrary<unknown>>) =>
	fc.oneof(
		...[
			{ type: fc.constant("sip_uri"), uri: sipUri },
			{ type: fc.constant("forward"), to: e164 },
			{ type: fc.constant("webhook"), url: httpsUrl },
			{ type: fc.constant("agent"), agentId: word },
		].map((model) =>
			fc.record<Record<string, unknown>>(
				{ ...model, ringTimeoutSeconds, ...extra } as Record<string, fc.Arbitrary<unknown>>,
				{ requiredKeys: Object.keys(model) },
			),
		),
	);
export const routing = target({ failover: target({}) });

export const numberArgs = optional(
	{
		country: fc.constantFrom("NL", "US", "GB", "SE"),
		type: fc.constantFrom("mobile", "toll_free"),
		area: fc.constantFrom("20", "212", "Nordrhein"),
		routing,
		smsWebhookUrl: httpsUrl,
		label,
		metadata,
		releaseProtection: fc.boolean(),
		waitForActive: fc.boolean(),
		activationTimeoutSeconds: fc.integer({ min: 1, max: 3600 }),
		onDelete: fc.constantFrom("release", "retain"),
		generation: fc.integer({ min: 0, max: 5 }),
	},
	["country", "type"],
);

export const cidr = fc.oneof(
	fc
		.tuple(fc.integer({ min: 0, max: 255 }), fc.constantFrom("", "/32"))
		.map(([last, length]) => `198.51.100.${last}${length}`),
	fc.constantFrom("203.0.113.0/24", "192.0.2.128/25", "2001:DB8::1", "2001:db8:0:0::1/128", "2001:db8:1::/48"),
);
const password = fc.string({ minLength: 12, maxLength: 20 });
export const auth = fc.oneof(
	fc.record({ mode: fc.constant("ip_acl"), allowedCidrs: fc.array(cidr, { minLength: 1, maxLength: 5 }) }),
	optional(
		{
			mode: fc.constant("digest"),
			username: fc.constantFrom("pbx-1", "A.b_c", "100", "+31201234567", "desk@a.example", "Büro 1"),
			password,
		},
		["mode", "username"],
	),
);
export const targets = fc.array(
	optional(
		{
			host: spelled(fc.oneof(host, fc.constantFrom("pbx.example.", "192.0.2.1", "[2001:db8::2]", "2001:db8::2"))),
			port: fc.integer({ min: 1, max: 65_535 }),
			transport: fc.constantFrom("udp", "tcp", "tls"),
			priority: fc.integer({ min: 0, max: 9 }),
			weight: fc.integer({ min: 1, max: 9 }),
		},
		["host"],
	),
	{ maxLength: 4 },
);

export const trunkArgs = optional(
	{
		name: fc.constantFrom("Berlin", " pbx 1"),
		auth,
		capacity: fc.integer({ min: 1, max: 10_000 }),
		callsPerSecond: fc.integer({ min: 1, max: 100 }),
		targets,
		mediaEncryption: fc.constantFrom("none", "srtp"),
		codecs: fc.shuffledSubarray([...codecs], { minLength: 1 }),
		enabled: fc.boolean(),
		metadata,
	},
	["auth", "capacity"],
);

export const webhookArgs = optional(
	{
		url: fc.oneof(httpsUrl, fc.constant("http://localhost:3000/x"), fc.constant("http://127.0.0.1/")),
		events: fc.array(fc.constantFrom("*", ...eventNames), { minLength: 1, maxLength: 5 }),
		description: padded(fc.string({ maxLength: 20 })),
		enabled: fc.boolean(),
		secretRotation: fc.oneof(fc.string(), fc.integer(), fc.boolean()),
	},
	["url", "events"],
);

const short = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== "");

/** Without documents, which are files. */
export const profileArgs = optional(
	{
		entityType: fc.constantFrom(...kycHolders),
		name: short,
		country: fc.constantFrom("DE", "FR", "NL"),
		address: optional(
			{ street: short, city: short, postalCode: word, region: short, country: fc.constantFrom("DE", "AT") },
			["street", "city", "postalCode", "country"],
		),
		idNumber: short,
		waitForApproval: fc.boolean(),
	},
	["entityType", "name", "country", "address"],
);

export const portOrderArgs = optional(
	{
		numbers: fc.uniqueArray(e164, { minLength: 1, maxLength: 3 }),
		country: fc.constantFrom("NL", "US"),
		carrier: optional({ name: short, accountNumber: word, pin: word }, ["name"]),
		subscriber: fc.record({ name: short, address: short }),
		requestedDate: fc.constantFrom("2027-01-01T09:00:00Z", "2027-01-01T10:00:00.000+01:00"),
		waitForCompletion: fc.boolean(),
	},
	["numbers", "country", "carrier", "subscriber"],
);
