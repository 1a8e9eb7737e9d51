import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { allKinds, secretKinds } from "../../helpers/kinds";
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

// Nothing listens there: check asks nobody.
const nowhere = { url: "http://127.0.0.1:1/v1", apiKey: "key" };
const open = () => openProvider(nowhere);

/** The value with the unknown sentinel at each of its paths in turn. */
function* withUnknown(value: unknown): Generator<unknown> {
	yield unknownValue;
	if (Array.isArray(value)) {
		for (const [index, item] of value.entries()) for (const each of withUnknown(item)) yield value.with(index, each);
	} else if (typeof value === "object" && value !== null) {
		for (const [key, item] of Object.entries(value)) {
			for (const each of withUnknown(item)) yield { ...value, [key]: each };
		}
	}
}

const failures = async (handler: (typeof allKinds)[number]["name"], news: Values, olds: Values = {}) =>
	(await open()[handler].check(olds, news)).failures;

describe.each(allKinds)("check of a $noun", ({ name, args, declare, required, typo: [meant, typo] }) => {
	test("accepts what is valid, fills in defaults, and has nothing to add the second time", () =>
		fc.assert(
			fc.asyncProperty(args, async (given) => {
				const handler = open()[name];
				const once = await checked(handler, declare(given));
				expect(once).toMatchObject(declare(given));
				expect(await checked(handler, once, once)).toEqual(once);
			}),
		));

	test("accepts values that are not known yet, wherever they stand", () =>
		fc.assert(
			fc.asyncProperty(args, async (given) => {
				const handler = open()[name];
				const olds = await checked(handler, declare(given));
				for (const [key, value] of Object.entries(given)) {
					for (const unknown of withUnknown(value)) await checked(handler, declare({ ...given, [key]: unknown }), olds);
				}
			}),
			{ numRuns: 30 },
		));

	test("names one failure for each property of a wrong type", () =>
		fc.assert(
			fc.asyncProperty(args, async (given) => {
				for (const key of Object.keys(given)) {
					const found = await failures(name, declare({ ...given, [key]: { no: ["such"] } }));
					const paths = found.map(({ reason }) => reason.split(": ")[0] ?? "");
					expect(found.map(({ reason }) => reason).join()).not.toMatch(/Too (small|big)|Invalid|expected/);
					expect(paths.length).toBeGreaterThan(0);
					expect(new Set(paths).size).toBe(paths.length);
					for (const path of paths) expect(path === key || path.startsWith(`${key}.`)).toBe(true);
					for (const { property } of found) expect(property).toBe("");
				}
			}),
			{ numRuns: 20 },
		));

	test("offers the nearest name for one that it doesn't know, and never has its value printed", async () => {
		expect(await failures(name, declare({ [typo]: { password: "correct horse battery" } }))).toEqual([
			// The engine prints the value of the property that a failure names, and this one may be anything.
			{ property: "", reason: `${typo}: there is no such property. Did you mean ${meant}?` },
		]);
		const [far] = await failures(name, declare({ colourOfTheSky: "blue" }));
		expect(far?.reason).toMatch(/^colourOfTheSky: there is no such property. The properties are /);
	});

	test("says what is missing, and takes null for nothing", async () => {
		const empty = Object.fromEntries(Object.keys(declare()).map((key) => [key, null]));
		for (const news of [{}, empty]) {
			expect(await failures(name, { ...news, resourceUrn: declare().resourceUrn })).toEqual(
				required.map((key) => ({ property: "", reason: `${key}: must be set` })),
			);
		}
	});

	test("fails for want of a key or an address, saying how to set it", async () => {
		const { failures: found } = await openProvider({ url: "", apiKey: "" })[name].check({}, declare());
		expect(found).toEqual([{ property: "", reason: expect.stringContaining("TELEPHONY_API_KEY") }]);
		const error = await failureOf(openProvider({ url: "", apiKey: "k" })[name].create(declare()));
		expect(error.message).toContain("TELEPHONY_BASE_URL");
	});
});

test.each(["http://localhost:3000/sms", "http://127.0.0.1/", "https://a.example/sms?token=x"])(
	"takes %s wherever the service delivers to",
	async (url) => {
		expect(await failures("number", aNumber({ smsWebhookUrl: url }))).toEqual([]);
		expect(await failures("webhook", aWebhook({ url }))).toEqual([]);
	},
);

describe("one mistake has one message", () => {
	const desk = { country: "NL", type: "geographic", area: "20" };
	test.each([
		[{ country: "nl", area: 20 }, ["country: must be a two-letter", 'area: must be a string, such as "20"']],
		[{ area: 20 }, ["area: must be a string"]],
		[{ type: "geo" }, ["type: must be one of"]],
		[{ type: undefined }, ["type: must be set"]],
		[{ country: "nl", adopt: "num_1" }, ["country: must be a two-letter"]],
		[{ generation: "1", releaseProtection: true }, ["generation: must be a whole number"]],
		[{ country: "DE", area: 20 }, ["area: must be a string"]],
	] as const)("in a number that becomes %j", async (change, messages) => {
		const olds = await checked(open().number, aNumber({ ...desk, releaseProtection: "generation" in change }));
		const adopting = "adopt" in change ? { ...olds, adopt: change.adopt } : olds;
		const found = await failures("number", aNumber({ ...desk, ...change }), adopting);
		expect(found.map(({ reason }) => reason)).toEqual(messages.map((each) => expect.stringContaining(each)));
	});

	test("in a pool, and in a trunk's rotation", async () => {
		const { numberPool } = open();
		const olds = await checked(numberPool, aPool({ ...desk, count: 3 }));
		const { failures: found } = await numberPool.check(olds, aPool({ ...desk, count: 3, country: "nl", area: 20 }));
		expect(found.map(({ reason }) => reason.split(": ")[0])).toEqual(["country", "area"]);
		const { failures: few } = await numberPool.check(olds, aPool({ ...desk, count: 0 }));
		expect(few.map(({ reason }) => reason)).toEqual(["count: must be at least 1"]);
		const rotated = await failures("sipTrunk", aTrunk({ passwordRotation: {} }));
		expect(rotated.map(({ reason }) => reason.split(": ")[0])).toEqual(["passwordRotation"]);
	});
});

test.each([
	["0.0.0.0/0", "admits every address"],
	["::/0", "admits every address"],
	["12.0.0.0/7", "too wide"],
	["2000::/12", "too wide"],
	["198.51.100.7/24", "write 198.51.100.0/24"],
	["10.0.0.0/8", "not reachable from the internet"],
	["::ffff:10.1.2.3", "not reachable from the internet"],
	["fd00::/48", "not reachable from the internet"],
	["pbx.example.com", "must be an IP address or CIDR"],
])("a trunk does not let in %s: %s", async (cidr, why) => {
	const [failure] = await failures("sipTrunk", aTrunk({ auth: { mode: "ip_acl", allowedCidrs: [cidr] } }));
	expect(failure?.reason).toContain(why);
});

test.each(["198.51.100.0/24", "203.0.113.7", "192.0.2.1/32", "2001:db8::/32", "8.8.8.8"])(
	"a trunk lets in %s, documentation ranges included",
	async (cidr) => {
		expect(await failures("sipTrunk", aTrunk({ auth: { mode: "ip_acl", allowedCidrs: [cidr] } }))).toEqual([]);
	},
);

test.each(secretKinds)("any text or number rotates the secret of a $noun, and nothing else", async (kind) => {
	const { name, rotation, declare } = kind;
	for (const value of ["2026-01", 2, true]) expect(await failures(name, declare({ [rotation]: value }))).toEqual([]);
	const [failure, ...more] = await failures(name, declare({ [rotation]: ["x"] }));
	expect({ path: failure?.reason.split(": ")[0], more }).toEqual({ path: rotation, more: [] });
});

test.each([
	["label", { label: "" }],
	["area", { area: "" }],
	["routing.trunkId", { routing: { type: "trunk", trunkId: "" } }],
	["routing.uri", { routing: { type: "sip_uri", uri: "sip:desk@" } }],
	["metadata.trunk", { metadata: { trunk: "of " } }],
])("an Output that was put into a string is found at %s, once, before it passes for a value", async (path, args) => {
	for (const lost of [String(pulumi.output("x")), JSON.stringify({ x: pulumi.output("x") })]) {
		const within = JSON.parse(JSON.stringify(args), (_, value) =>
			typeof value === "string" && value !== "trunk" && value !== "sip_uri" ? value + lost : value,
		);
		const reasons = (await failures("number", aNumber(within))).map(({ reason }) => reason);
		expect(reasons).toEqual([expect.stringMatching(/^\S+: this string was built from an Output/)]);
		expect(reasons[0]?.split(": ")[0]).toBe(path);
	}
});

test("a trunk without a name has its resource's", async () => {
	expect((await checked(open().sipTrunk, aTrunk({}, "Berlin::1"))).name).toBe("Berlin::1");
	expect((await checked(open().sipTrunk, aTrunk({}, "x".repeat(80)))).name).toBe("x".repeat(64));
});

describe("what buys another number", () => {
	const olds = aNumber({ area: "20" });

	test.each([{ country: "GB" }, { type: "national" }, { area: "30" }, { area: undefined }, { generation: 1 }])(
		"passes the check and replaces the number: %j",
		async (change) => {
			const news = { ...olds, ...change };
			for (const before of [olds, { ...olds, releaseProtection: true }])
				expect(await failures("number", news, before)).toEqual([]);
			const inputs = await checked(open().number, news, olds);
			const outs = { ...(await checked(open().number, olds)), token: "R.G", lease: "l" };
			expect((await open().number.diff("num_1", outs, inputs)).replaces).toEqual(Object.keys(change));
		},
	);

	test.each([{ area: unknownValue }, { generation: unknownValue }])(
		"isn't a replacement before it is known: %j",
		async (change) => {
			const outs = { ...(await checked(open().number, olds)), token: "R.G", lease: "l" };
			expect((await open().number.diff("num_1", outs, { ...outs, ...change })).replaces).toEqual([]);
		},
	);
});

describe("onDelete", () => {
	const numberOf = { number: aNumber(), numberPool: aPool() };
	const freeOf = { sipTrunk: aTrunk(), webhook: aWebhook(), kycProfile: aProfile(), portOrder: aPortOrder() };
	const resolved = async (name: Name, args: Values, setting: string, stack: string) => {
		const run = openProvider(nowhere, { config: { "telephony:onDelete": stack } });
		return (await checked(run[name], { ...args, ...(setting !== "" && { onDelete: setting }) })).onDelete;
	};

	test.each([
		["", "", "retain"],
		["", "retain", "retain"],
		["", "release", "release"],
		["release", "retain", "release"],
		["retain", "release", "retain"],
	])("of a number is %j in the program and %j in the stack: %s", async (setting, stack, expected) => {
		for (const [name, args] of Object.entries(numberOf))
			expect(await resolved(name as Name, args, setting, stack), name).toBe(expected);
		const isAdopted = { ...aNumber({ adopt: "num_1" }) };
		expect(await resolved("number", isAdopted, setting, stack)).toBe(setting || "retain");
	});

	test.each([
		["", "delete"],
		["retain", "retain"],
		["delete", "delete"],
	])("of what costs nothing is %j in the program, whatever the stack says: %s", async (setting, expected) => {
		for (const [name, args] of Object.entries(freeOf)) {
			for (const stack of ["release", "retain"])
				expect(await resolved(name as Name, args, setting, stack), name).toBe(expected);
			const isAdopted = { ...args, adopt: "x_1" };
			expect(await resolved(name as Name, isAdopted, setting, "release"), name).toBe(setting || "retain");
		}
	});

	test.each(["relase", "Release", "delete", "true"])("of the stack is one failure per resource: %j", async (stack) => {
		const run = openProvider(nowhere, { config: { "telephony:onDelete": stack } });
		for (const [name, args] of Object.entries({ ...numberOf, ...freeOf })) {
			const { failures: found } = await run[name as Name].check({}, args);
			expect(
				found.map(({ reason }) => reason),
				name,
			).toEqual([expect.stringContaining(JSON.stringify(stack))]);
		}
		expect((await failureOf(run.number.create(aNumber()))).kind).toBe("Config");
	});

	test.each([
		["number", "delete"],
		["numberPool", "keep"],
		["sipTrunk", "release"],
		["webhook", ""],
	] as const)("of a %s isn't %j", async (name, onDelete) => {
		const args = { ...numberOf, ...freeOf }[name];
		const { failures: found } = await open()[name].check({}, { ...args, onDelete });
		expect(found.map(({ reason }) => reason.split(": ")[0])).toEqual(["onDelete"]);
	});
});
