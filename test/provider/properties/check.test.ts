/** Laws of check: valid, unknown and missing values, defaults, `onDelete`, and the changes that buy another number. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { allKinds } from "../../helpers/kinds";
import {
	aNumber,
	aPool,
	aPortOrder,
	aProfile,
	aTrunk,
	aWebhook,
	checked,
	failureOf,
	type Name,
	openProvider,
} from "../../helpers/provider";

/** Check sends no request, so nothing needs to listen. */
const nowhere = { url: "http://127.0.0.1:1/v1", apiKey: "key" };
const open = () => openProvider(nowhere);

/** The value with the unknown sentinel at each of its paths in turn. */
function* withUnknown(value: unknown): Generator<unknown> {
	yield unknownValue;
	if (Array.isArray(value)) {
		for (const [index, item] of value.entries())
			for (const changed of withUnknown(item)) yield value.with(index, changed);
	} else if (typeof value === "object" && value !== null) {
		for (const [key, item] of Object.entries(value))
			for (const changed of withUnknown(item)) yield { ...value, [key]: changed };
	}
}

describe.each(allKinds)("check of a $noun", ({ name, args, declare, required, typo: [meant, typo] }) => {
	const failures = async (news: Values) => (await open()[name].check({}, news)).failures;

	test("accepts valid inputs, and fills in defaults once", () =>
		fc.assert(
			fc.asyncProperty(args, async (given) => {
				const handler = open()[name];
				const once = await checked(handler, declare(given));
				expect(once).toMatchObject(declare(given));
				expect(await checked(handler, once, once)).toEqual(once);
			}),
		));

	test("accepts unknown values at any depth", () =>
		fc.assert(
			fc.asyncProperty(args, async (given) => {
				const handler = open()[name];
				const olds = await checked(handler, declare(given));
				for (const [key, value] of Object.entries(given))
					for (const unknown of withUnknown(value)) await checked(handler, declare({ ...given, [key]: unknown }), olds);
			}),
			{ numRuns: 30 },
		));

	test("names one failure for each property of a wrong type", () =>
		fc.assert(
			fc.asyncProperty(args, async (given) => {
				for (const key of Object.keys(given)) {
					const problems = await failures(declare({ ...given, [key]: { no: ["such"] } }));
					const paths = problems.map(({ reason }) => reason.split(": ")[0] ?? "");
					expect(problems.map(({ reason }) => reason).join()).not.toMatch(/Too (small|big)|Invalid|expected/);
					expect(paths.length).toBeGreaterThan(0);
					expect(new Set(paths).size).toBe(paths.length);
					for (const path of paths) expect(path === key || path.startsWith(`${key}.`)).toBe(true);
				}
			}),
			{ numRuns: 20 },
		));

	test("suggests the nearest name for an unknown property", async () => {
		expect(await failures(declare({ [typo]: { password: "correct horse battery" } }))).toEqual([
			{ property: "", reason: `${typo}: there is no such property. Did you mean ${meant}?` },
		]);
		const [far] = await failures(declare({ colourOfTheSky: "blue" }));
		expect(far?.reason).toMatch(/^colourOfTheSky: there is no such property. The properties are /);
	});

	test("names missing properties, and treats null as absent", async () => {
		const empty = Object.fromEntries(Object.keys(declare()).map((key) => [key, null]));
		for (const news of [{}, empty])
			expect(await failures({ ...news, __resourceUrn: declare().__resourceUrn })).toEqual(
				required.map((key) => ({ property: "", reason: `${key}: must be set` })),
			);
	});

	test("fails without a key or an address, and names the setting", async () => {
		const { failures: found } = await openProvider({ url: "", apiKey: "" })[name].check({}, { ...declare(), adopt: 7 });
		expect(found.map(({ reason }) => reason)).toEqual([
			expect.stringMatching(/^adopt: /),
			expect.stringContaining("TELEPHONY_API_KEY"),
		]);
		const error = await failureOf(openProvider({ url: "", apiKey: "k" })[name].create(declare()));
		expect(error.message).toContain("TELEPHONY_BASE_URL");
	});
});

describe("a number", () => {
	const olds = aNumber({ area: "20" });
	const outs = async () => ({ ...(await checked(open().number, olds)), token: "R.G", lease: "l" });

	test.each([{ country: "GB" }, { type: "national" }, { area: "30" }, { area: undefined }, { generation: 1 }])(
		"is replaced by the change %j",
		async (change) => {
			for (const before of [olds, { ...olds, releaseProtection: true }])
				await checked(open().number, { ...olds, ...change }, before);
			const inputs = await checked(open().number, { ...olds, ...change }, olds);
			expect((await open().number.diff("num_1", await outs(), inputs)).replaces).toEqual(Object.keys(change));
		},
	);

	test("isn't replaced by its area with the trunk prefix", async () => {
		const inputs = await checked(open().number, { ...olds, area: "020" }, olds);
		expect(await open().number.diff("num_1", await outs(), inputs)).toMatchObject({ replaces: [] });
	});

	test.each([{ area: unknownValue }, { generation: unknownValue }])(
		"isn't replaced while a value is unknown: %j",
		async (change) => {
			const before = await outs();
			expect((await open().number.diff("num_1", before, { ...before, ...change })).replaces).toEqual([]);
		},
	);
});

describe("onDelete", () => {
	const numberOf = { number: aNumber(), numberPool: aPool() };
	const freeOf = { sipTrunk: aTrunk(), webhook: aWebhook(), kycProfile: aProfile(), portOrder: aPortOrder() };
	const resolved = async (name: string, args: Values, setting: string, stack: string) => {
		const run = openProvider(nowhere, { config: { "telephony:onDelete": stack } });
		return (await checked(run[name as Name], { ...args, ...(setting !== "" && { onDelete: setting }) })).onDelete;
	};

	test.each([
		["", "", "retain"],
		["", "retain", "retain"],
		["", "release", "release"],
		["release", "retain", "release"],
		["retain", "release", "retain"],
	])("of numbers follows the program, then the stack: %j, %j", async (setting, stack, expected) => {
		for (const [name, args] of Object.entries(numberOf))
			expect(await resolved(name, args, setting, stack), name).toBe(expected);
		expect(await resolved("number", aNumber({ adopt: "num_1" }), setting, stack)).toBe(setting || "retain");
	});

	test.each([
		["", "delete"],
		["retain", "retain"],
		["delete", "delete"],
	])("of other resources follows the program alone: %j", async (setting, expected) => {
		for (const [name, args] of Object.entries(freeOf)) {
			for (const stack of ["release", "retain"])
				expect(await resolved(name, args, setting, stack), name).toBe(expected);
			expect(await resolved(name, { ...args, adopt: "x_1" }, setting, "release"), name).toBe(setting || "retain");
		}
	});

	test.each(["relase", "Release", "delete"])("of the stack is one failure for each resource: %j", async (stack) => {
		const run = openProvider(nowhere, { config: { "telephony:onDelete": stack } });
		for (const [name, args] of Object.entries({ ...numberOf, ...freeOf }))
			expect((await run[name as Name].check({}, args)).failures, name).toHaveLength(1);
		expect((await failureOf(run.number.create(aNumber()))).kind).toBe("Config");
	});
});

/** Values beyond the limits of this version, as an import, a refresh or `ignoreChanges` brings them into the state. */
const beyond: readonly [Name, Values][] = [
	["number", aNumber({ label: "x".repeat(80) })],
	["number", aNumber({ type: "shared_cost" })],
	["number", aNumber({ country: "001" })],
	["number", aNumber({ smsWebhookUrl: "http://hooks.example.com/sms" })],
	["number", aNumber({ metadata: Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, "v"])) })],
	["number", aNumber({ metadata: { ["k".repeat(50)]: "x".repeat(600), floor: 3 } })],
	["number", aNumber({ routing: { type: "queue", queueId: "q_1" } })],
	["number", aNumber({ routing: { type: "agent", agentId: "a", ringTimeoutSeconds: 600 } })],
	[
		"number",
		aNumber({ routing: { type: "agent", agentId: "a", failover: { type: "webhook", url: "http://a.example" } } }),
	],
	["numberPool", aPool({ label: "x".repeat(80) })],
	["sipTrunk", aTrunk({ auth: { mode: "ip_acl", allowedCidrs: ["10.20.0.0/16", "0.0.0.0/0", "198.51.100.7/24"] } })],
	["sipTrunk", aTrunk({ auth: { mode: "ip_acl", allowedCidrs: [] } })],
	["sipTrunk", aTrunk({ auth: { mode: "mtls", certificate: "c" } })],
	["sipTrunk", aTrunk({ auth: { mode: "digest", username: "a:b", password: "short" } })],
	["sipTrunk", aTrunk({ capacity: 20_000, callsPerSecond: 500, name: "x".repeat(90) })],
	["sipTrunk", aTrunk({ targets: [{ host: "pbx!", port: 0, transport: "", weight: 0 }] })],
	["sipTrunk", aTrunk({ targets: Array.from({ length: 25 }, (_, n) => ({ host: `pbx${n}.example` })) })],
	["sipTrunk", aTrunk({ codecs: ["PCMU", "PCMU"] })],
	["webhook", aWebhook({ url: "http://hooks.example.com/", events: ["all events"], description: "x".repeat(300) })],
	["kycProfile", aProfile({ country: "ZZ", name: "x".repeat(300) })],
	["portOrder", aPortOrder({ requestedDate: "2027-01-31" })],
];

describe("a value that the state already has", () => {
	test.each(beyond)("is never refused: %s %j", async (name, inputs) => {
		const run = open();
		expect((await run[name].check({}, inputs)).failures).not.toEqual([]);
		await checked(run[name], inputs, inputs);
		expect(run.warnings).toEqual([]);
	});

	test("may be written in another spelling and order, and lose items", async () => {
		const trunk = (...allowedCidrs: string[]) => aTrunk({ auth: { mode: "ip_acl", allowedCidrs } });
		const olds = trunk("10.20.0.0/16", "10.1.0.1/32", "198.51.100.7");
		for (const news of [trunk("10.1.0.1", "10.20.0.0/16"), trunk("192.0.2.1", "10.1.0.1")])
			await checked(open().sipTrunk, news, olds);
		const fleet = (count: number) =>
			aTrunk({ targets: Array.from({ length: count }, (_, n) => ({ host: `pbx${n}.example` })) });
		await checked(open().sipTrunk, fleet(24), fleet(25));
		expect((await open().sipTrunk.check(fleet(25), fleet(26))).failures).toHaveLength(1);
	});

	test.each<[Name, Values, Values, string]>([
		["number", aNumber({ label: "x".repeat(80) }), aNumber({ label: "y".repeat(80) }), "label"],
		[
			"sipTrunk",
			aTrunk({ auth: { mode: "ip_acl", allowedCidrs: ["10.20.0.0/16"] } }),
			aTrunk({ auth: { mode: "ip_acl", allowedCidrs: ["10.20.0.0/16", "10.30.0.0/16"] } }),
			"auth.allowedCidrs[1]",
		],
		["sipTrunk", aTrunk({ capacity: 20_000 }), aTrunk({ capacity: 20_001 }), "capacity"],
		["sipTrunk", aTrunk({ codecs: ["PCMU", "opus"] }), aTrunk({ codecs: ["PCMU", "PCMU"] }), "codecs"],
		["sipTrunk", aTrunk({ codecs: ["PCMU"] }), aTrunk({ codecs: [] }), "codecs"],
		[
			"sipTrunk",
			aTrunk({ targets: [{ host: "a!", port: 1 }] }),
			aTrunk({ targets: [{ host: "a!", port: 0 }] }),
			"targets[0].port",
		],
		[
			"number",
			aNumber({ metadata: { a: "x".repeat(501) } }),
			aNumber({ metadata: { b: "x".repeat(501) } }),
			"metadata.b",
		],
		["number", aNumber({ routing: { type: "queue" } }), aNumber({ routing: { type: "group" } }), "routing.type"],
		["number", aNumber({ type: "shared_cost" }), aNumber({ type: "premium" }), "type"],
	])("doesn't excuse a new one: %s %j %j", async (name, olds, news, path) => {
		const { failures } = await open()[name].check(olds, news);
		expect(failures.map(({ reason }) => reason.split(": ")[0])).toEqual([path]);
	});
});

describe("a value that the state has, where the engine passes no old inputs", () => {
	const old = aNumber({ label: "x".repeat(80), routing: { type: "forward", to: "+22507123456" } });

	test("is accepted in the second check of a replacement", async () => {
		const run = open();
		const news = { ...old, generation: 1 };
		expect((await run.number.check({}, news)).failures).toHaveLength(2);
		await checked(run.number, news, old);
		await checked(run.number, news);
		expect((await run.number.check({}, { ...news, label: "y".repeat(80) })).failures).toHaveLength(1);
		const { __resourceUrn } = aNumber({}, "second");
		expect((await run.number.check({}, { ...news, __resourceUrn })).failures).toHaveLength(2);
	});

	test("is accepted in the second check of a pool", async () => {
		const run = open();
		const pool = aPool({ routing: { type: "forward", to: "+22507123456" } });
		await checked(run.numberPool, { ...pool, area: "20", type: "geographic" }, pool);
		await checked(run.numberPool, { ...pool, area: "20", type: "geographic" });
	});

	test("is refused in the next operation of the process", async () => {
		const run = open();
		await checked(run.number, old, old);
		await run.number.configure({ config: { get: () => undefined } });
		expect((await run.number.check({}, old)).failures).toHaveLength(2);
	});
});

test.each<[Name, Values, Values]>([
	["portOrder", aPortOrder({ country: "nl" }), aPortOrder()],
	["kycProfile", aProfile({ country: "de" }), aProfile()],
	["number", aNumber({ country: "nl", type: "Mobile" }), aNumber()],
	["numberPool", aPool({ country: "nl", type: "MOBILE" }), aPool()],
])("corrects a country that the service shows in lower case: %s", async (name, olds, news) => {
	const run = open();
	await checked(run[name], olds, olds);
	const inputs = await checked(run[name], news, olds);
	expect(await run[name].diff("id_1", await checked(run[name], olds, olds), inputs)).toMatchObject({
		changes: false,
		replaces: [],
	});
});

describe("a required value that the object lacks", () => {
	test.each<[Name, Values, string]>([
		["webhook", aWebhook(), "events"],
		["sipTrunk", aTrunk(), "auth"],
		["sipTrunk", aTrunk(), "capacity"],
		["number", aNumber(), "country"],
		["number", aNumber(), "type"],
		["portOrder", aPortOrder(), "numbers"],
		["kycProfile", aProfile(), "address"],
	])("may stay undeclared, unlike one that it has: %s %s", async (name, news, key) => {
		const { [key]: value, ...without } = news;
		await checked(open()[name], without, without);
		for (const olds of [{}, news]) expect((await open()[name].check(olds, without)).failures).not.toEqual([]);
		await checked(open()[name], news, without);
	});

	test("may be declared as an empty list", async () => {
		const { events: _, ...without } = aWebhook();
		await checked(open().webhook, aWebhook({ events: [] }), without);
		for (const olds of [{}, aWebhook()])
			expect((await open().webhook.check(olds, aWebhook({ events: [] }))).failures).toHaveLength(1);
	});
});

describe("a value that this version doesn't know", () => {
	const targets = (transport: string) => ({ targets: [{ host: "pbx.example", transport }] });
	test.each<[Name, Values, string, string]>([
		["webhook", aWebhook({ events: ["message.received", "fax.received"] }), "events[1]", "It knows "],
		["webhook", aWebhook({ events: ["call.anwsered"] }), "events[0]", "Did you mean call.answered?"],
		["sipTrunk", aTrunk({ codecs: ["opus", "iLBC"] }), "codecs[1]", "PCMU"],
		["sipTrunk", aTrunk({ codecs: ["AMR-WB/16000"] }), "codecs[0]", "PCMU"],
		["sipTrunk", aTrunk(targets("ws")), "targets[0].transport", "udp"],
		["sipTrunk", aTrunk(targets("tls1")), "targets[0].transport", "Did you mean tls?"],
		["sipTrunk", aTrunk({ mediaEncryption: "dtls-srtp" }), "mediaEncryption", "srtp"],
		["sipTrunk", aTrunk({ mediaEncryption: "SRTP" }), "mediaEncryption", "Did you mean srtp?"],
		["sipTrunk", aTrunk({ codecs: ["pcmu"] }), "codecs[0]", "Did you mean PCMU?"],
		["webhook", aWebhook({ events: ["MESSAGE.RECEIVED"] }), "events[0]", "Did you mean message.received?"],
		["kycProfile", aProfile({ entityType: "government" }), "entityType", "individual"],
	])("is declared with one warning: %s %j", async (name, news, path, hint) => {
		const run = open();
		const inputs = await checked(run[name], news);
		expect(inputs).toMatchObject(news);
		await checked(run[name], news);
		expect(run.warnings).toEqual([expect.stringMatching(/\[telephony:unknown-value\]$/)]);
		expect(run.warnings[0]).toContain(path);
		expect(run.warnings[0]).toContain(hint);
		const later = open();
		await checked(later[name], news, inputs);
		expect(later.warnings).toEqual([]);
	});

	test.each<[Name, Values, string]>([
		["number", aNumber({ onDelete: "relase" }), "onDelete"],
		["number", aNumber({ type: "shared_cost" }), "type"],
		["number", aNumber({ country: "001" }), "country"],
		["number", aNumber({ routing: { type: "queue", queueId: "q_1" } }), "routing.type"],
		["sipTrunk", aTrunk({ auth: { mode: "mtls" } }), "auth.mode"],
		["sipTrunk", aTrunk({ codecs: ["i LBC"] }), "codecs[0]"],
		["sipTrunk", aTrunk({ mediaEncryption: "" }), "mediaEncryption"],
		["webhook", aWebhook({ events: ["x".repeat(65)] }), "events[0]"],
	])("is refused where it could buy, lose or open something: %s %j", async (name, news, path) => {
		const { failures } = await open()[name].check({}, news);
		expect(failures.map(({ reason }) => reason.split(": ")[0])).toEqual([path]);
	});
});
