/** Each policy in process: what it forbids, what it allows, and what a preview doesn't know. */
import Ajv from "ajv";
import { describe, expect, it, test } from "vitest";
import { kindOf } from "../../policy/define";
import { policies } from "../../policy/index";
import { read } from "../helpers/repository";

type Values = Record<string, unknown>;
type Resource = readonly [kind: string, props: Values, name?: string];

/** What a preview doesn't know yet. */
const unknown = Symbol("unknown");

/** As the SDK gives properties to a policy: reading an unknown one throws. */
const inPreview = (value: unknown): unknown =>
	typeof value !== "object" || value === null
		? value
		: new Proxy(value, {
				get(target, key, receiver) {
					const found: unknown = Reflect.get(target, key, receiver);
					if (found === unknown) throw new Error(`${String(key)} can't be known during preview`);
					return inPreview(found);
				},
			});

const dynamic = (kind: string) => `pulumi-nodejs:dynamic/telephony:${kind}`;

/** What a policy says of a stack of these resources, as the engine would ask it. */
async function problems(policy: string, settings: Values, ...resources: readonly Resource[]): Promise<string[]> {
	const found = policies.find(({ name }) => name === policy);
	if (found === undefined) throw new Error(`There is no policy ${policy}.`);
	const validates = new Ajv({ strict: false }).compile({ type: "object", ...found.configSchema });
	if (!validates(settings)) throw new Error(`${policy} doesn't take ${JSON.stringify(settings)}`);
	const said: string[] = [];
	const report = (message: string) => void said.push(message);
	const common = {
		stackTags: new Map<string, string>(),
		getConfig: <T extends object>() => settings as T,
		notApplicable: (): never => {
			throw new Error("not applicable");
		},
	};
	const seen = resources.map(([kind, props, name = "office"]) => ({
		type: kind.includes(":") ? kind : dynamic(kind),
		name,
		urn: `urn:pulumi:dev::test::${kind}::${name}`,
		props: inPreview(props) as Values,
		opts: {
			protect: false,
			ignoreChanges: [],
			aliases: [],
			customTimeouts: { createSeconds: 0, updateSeconds: 0, deleteSeconds: 0 },
			additionalSecretOutputs: [],
		},
		dependencies: [],
		propertyDependencies: {},
		isType: () => false,
		asType: () => undefined,
	}));
	if ("validateStack" in found) await found.validateStack({ ...common, resources: seen }, report);
	else {
		const validate = found.validateResource;
		if (typeof validate !== "function") throw new Error(`${policy} validates nothing`);
		for (const each of seen) await validate({ ...common, ...each }, report);
	}
	return said;
}

const nl = { country: "NL", type: "mobile" };
const acl = (...allowedCidrs: unknown[]) => ({ auth: { mode: "ip_acl", allowedCidrs } });
const hook = (url: unknown) => ({ url, events: ["*"] });
const money = (amount: string, currency = "EUR") => ({ amount, currency });
const bought = (monthly: string, setup = "0.00") => ({
	...nl,
	price: { setup: money(setup), monthly: money(monthly) },
});
const tenEach = [{ setup: "1EUR", monthly: "10EUR" }];

/** Policy, its settings, resources, whether it finds something. */
type Fact = readonly [policy: string, settings: Values, resources: readonly Resource[], refused: boolean];
const facts: readonly Fact[] = [
	["allowed-numbers", {}, [["Number", nl]], false],
	["allowed-numbers", { countries: ["NL", "BE"] }, [["Number", nl]], false],
	["allowed-numbers", { countries: ["BE"] }, [["Number", nl]], true],
	["allowed-numbers", { countries: ["BE"] }, [["NumberPool", { ...nl, count: 2 }]], true],
	["allowed-numbers", { countries: ["BE"] }, [["PortOrder", { country: "NL", numbers: ["+31201234567"] }]], true],
	["allowed-numbers", { countries: ["BE"] }, [["Number", { ...nl, country: unknown }]], false],
	["allowed-numbers", { types: ["geographic"] }, [["Number", nl]], true],
	["allowed-numbers", { types: ["mobile"] }, [["Number", nl]], false],
	["allowed-numbers", { types: ["geographic"] }, [["PortOrder", { country: "NL" }]], false],
	["allowed-numbers", { countries: ["BE"] }, [["aws:ec2/instance:Instance", { country: "NL" }]], false],

	["release-protection", {}, [["Number", { ...nl, label: "production desk" }]], true],
	["release-protection", {}, [["Number", { ...nl, label: "Prod", releaseProtection: true }]], false],
	["release-protection", {}, [["Number", { ...nl, label: "products" }]], false],
	["release-protection", {}, [["Number", nl]], false],
	["release-protection", {}, [["NumberPool", { ...nl, count: 2, metadata: { environment: "production" } }]], true],
	["release-protection", { metadata: { tier: "gold" } }, [["Number", { ...nl, metadata: { tier: "gold" } }]], true],
	["release-protection", { label: "" }, [["Number", { ...nl, label: "production" }]], false],
	["release-protection", {}, [["Number", { label: unknown, metadata: { environment: unknown } }]], false],
	["release-protection", {}, [["Number", { label: "prod", releaseProtection: unknown }]], false],
	["release-protection", {}, [["Number", { label: "prod", releaseProtection: false }]], true],

	["narrow-ip-lists", {}, [["SipTrunk", acl("198.51.100.0/24", "203.0.113.9", "2001:db8::1")]], false],
	["narrow-ip-lists", {}, [["SipTrunk", acl("0.0.0.0/0")]], true],
	["narrow-ip-lists", {}, [["SipTrunk", acl("::/0")]], true],
	["narrow-ip-lists", {}, [["SipTrunk", acl("198.51.100.0/23")]], true],
	["narrow-ip-lists", {}, [["SipTrunk", acl("::ffff:198.51.0.0/112")]], true],
	["narrow-ip-lists", {}, [["SipTrunk", acl("2a00:1450::/32")]], true],
	[
		"narrow-ip-lists",
		{ ipv4Length: 16, ipv6Length: 32 },
		[["SipTrunk", acl("198.51.0.0/16", "2a00:1450::/32")]],
		false,
	],
	["narrow-ip-lists", { ipv4Length: 32 }, [["SipTrunk", acl("198.51.100.8/31")]], true],
	["narrow-ip-lists", {}, [["SipTrunk", acl(unknown, "198.0.0.0/8")]], true],
	["narrow-ip-lists", {}, [["SipTrunk", acl(unknown)]], false],
	["narrow-ip-lists", {}, [["SipTrunk", { auth: unknown }]], false],
	["narrow-ip-lists", {}, [["SipTrunk", { auth: { mode: "digest", username: "office" } }]], false],

	["no-digest-password", {}, [["SipTrunk", { auth: { mode: "digest", username: "office" } }]], false],
	["no-digest-password", {}, [["SipTrunk", { auth: { mode: "digest", username: "office", password: "x" } }]], true],
	["no-digest-password", {}, [["SipTrunk", acl("198.51.100.0/24")]], false],

	["https-addresses", {}, [["Webhook", hook("https://hooks.example.com/in")]], false],
	["https-addresses", {}, [["Webhook", hook("http://hooks.example.com/in")]], true],
	["https-addresses", {}, [["Webhook", hook("http://127.0.0.1:9/in")]], true],
	["https-addresses", { loopback: true }, [["Webhook", hook("http://127.0.0.1:9/in")]], false],
	["https-addresses", {}, [["Webhook", hook(unknown)]], false],
	["https-addresses", { hosts: [".example.com"] }, [["Webhook", hook("https://hooks.example.com")]], false],
	["https-addresses", { hosts: [".example.com"] }, [["Webhook", hook("https://badexample.com")]], true],
	["https-addresses", { hosts: ["example.com"] }, [["Webhook", hook("https://hooks.example.com")]], true],
	["https-addresses", {}, [["Number", { ...nl, smsWebhookUrl: "http://a.example.com" }]], true],
	["https-addresses", {}, [["NumberPool", { routing: { type: "webhook", url: "http://a.example.com" } }]], true],
	[
		"https-addresses",
		{},
		[
			[
				"Number",
				{
					routing: {
						type: "trunk",
						trunkId: unknown,
						failover: { type: "webhook", url: "http://a.example.com" },
					},
				},
			],
		],
		true,
	],

	["signed-webhooks", {}, [["Webhook", hook("https://hooks.example.com")]], false],
	["signed-webhooks", {}, [["Webhook", { ...hook("https://hooks.example.com"), adopt: "wh_1" }]], true],
	[
		"signed-webhooks",
		{},
		[["Webhook", { ...hook("https://hooks.example.com"), adopt: "wh_1", secretRotation: 1 }]],
		false,
	],

	["names", {}, [["Number", nl, "Anything goes"]], false],
	["names", { resource: "[a-z-]+" }, [["Number", nl, "office-desk"]], false],
	["names", { resource: "[a-z-]+" }, [["Webhook", hook("https://a.example.com"), "office_desk"]], true],
	["names", { resource: "prod|production-[a-z]+" }, [["Number", nl, "production-desk"]], false],
	["names", { resource: "prod|production-[a-z]+" }, [["Number", nl, "prod"]], false],
	["names", { resource: "prod|production-[a-z]+" }, [["Number", nl, "xprod"]], true],
	["names", { resource: "prod|production-[a-z]+" }, [["Number", nl, "production-desk1"]], true],
	["names", { label: "a|ab", trunk: "a??b?" }, [["SipTrunk", { ...acl(), name: "ab" }]], false],
	["names", { label: "^prod$|^test$" }, [["Number", { ...nl, label: "test" }]], false],
	["names", { label: "prod" }, [["Number", { ...nl, label: "prod\nx" }]], true],
	["names", { label: "team-\\w+: .+" }, [["Number", { ...nl, label: "team-sales: desk" }]], false],
	["names", { label: "team-\\w+: .+" }, [["Number", { ...nl, label: "desk" }]], true],
	["names", { label: "team-.+" }, [["Number", { ...nl, label: unknown }]], false],
	["names", { trunk: "nl-.+" }, [["SipTrunk", { ...acl("198.51.100.1"), name: "office" }]], true],
	["names", { requireLabel: true }, [["Number", nl]], true],
	["names", { requireLabel: true }, [["Number", { ...nl, label: unknown }]], false],
	["names", { requireLabel: true }, [["Webhook", hook("https://a.example.com")]], false],

	["trunk-capacity", {}, [["SipTrunk", { capacity: 9999 }]], false],
	["trunk-capacity", { capacity: 30 }, [["SipTrunk", { capacity: 30 }]], false],
	["trunk-capacity", { capacity: 30 }, [["SipTrunk", { capacity: 31 }]], true],
	["trunk-capacity", { capacity: 30 }, [["SipTrunk", { capacity: unknown }]], false],
	["trunk-capacity", { callsPerSecond: 5 }, [["SipTrunk", { capacity: 30, callsPerSecond: 6 }]], true],

	[
		"stack-capacity",
		{ capacity: 60 },
		[
			["SipTrunk", { capacity: 30 }],
			["SipTrunk", { capacity: 30 }],
		],
		false,
	],
	[
		"stack-capacity",
		{ capacity: 59 },
		[
			["SipTrunk", { capacity: 30 }],
			["SipTrunk", { capacity: 30 }],
		],
		true,
	],
	[
		"stack-capacity",
		{ capacity: 59 },
		[
			["SipTrunk", { capacity: 30 }],
			["SipTrunk", { capacity: unknown }],
		],
		false,
	],

	["stack-numbers", {}, [["NumberPool", { ...nl, count: 900 }]], false],
	[
		"stack-numbers",
		{ numbers: 3 },
		[
			["Number", nl],
			["NumberPool", { ...nl, count: 2 }],
		],
		false,
	],
	[
		"stack-numbers",
		{ numbers: 2 },
		[
			["Number", nl],
			["NumberPool", { ...nl, count: 2 }],
		],
		true,
	],
	[
		"stack-numbers",
		{ numbers: 2 },
		[
			["Number", nl],
			["telephony:index/numberPool:NumberPool", { ...nl, count: 2 }],
		],
		true,
	],
	["stack-numbers", { numbers: 0 }, [["SipTrunk", { capacity: 30 }]], false],

	["stack-costs", {}, [["Number", bought("900.00")]], false],
	[
		"stack-costs",
		{ monthly: ["3EUR"] },
		[
			["Number", bought("1.50")],
			["Number", bought("1.50")],
		],
		false,
	],
	[
		"stack-costs",
		{ monthly: ["2.99EUR"] },
		[
			["Number", bought("1.50")],
			["Number", bought("1.50")],
		],
		true,
	],
	["stack-costs", { setup: ["5EUR"] }, [["Number", bought("9.00", "5.01")]], true],
	["stack-costs", { setup: ["5EUR"] }, [["Number", bought("9.00", "5.00")]], false],
	["stack-costs", { monthly: ["5USD"] }, [["Number", bought("1.50")]], true],
	["stack-costs", { monthly: ["5USD", "2EUR"] }, [["Number", bought("1.50")]], false],
	["stack-costs", { monthly: ["1EUR"] }, [["Number", nl]], false],
	["stack-costs", { monthly: ["1EUR"], unpriced: "forbid" }, [["Number", nl]], true],
	["stack-costs", { monthly: ["99EUR"], unpriced: "forbid" }, [["Number", bought("1.50")]], false],
	["stack-costs", { monthly: ["29EUR"], prices: tenEach }, [["NumberPool", { ...nl, count: 3 }]], true],
	["stack-costs", { monthly: ["30EUR"], prices: tenEach }, [["NumberPool", { ...nl, count: 3 }]], false],
	["stack-costs", { monthly: ["2EUR"], prices: tenEach }, [["Number", bought("1.50")]], false],
	[
		"stack-costs",
		{ monthly: ["2EUR"], prices: [{ country: "GB", setup: "0EUR", monthly: "9EUR" }] },
		[["Number", nl]],
		false,
	],
	[
		"stack-costs",
		{ monthly: ["2EUR"], prices: [{ country: "NL", type: "mobile", setup: "0EUR", monthly: "9EUR" }] },
		[["Number", { ...nl, price: unknown }]],
		true,
	],
];

describe.each([...new Set(facts.map(([policy]) => policy))])("%s", (policy) => {
	const own = facts.filter(([name]) => name === policy);
	it.each(
		own.map(
			([, settings, resources, refused]) =>
				[
					JSON.stringify(settings),
					JSON.stringify(resources),
					refused ? "refuses" : "allows",
					settings,
					resources,
					refused,
				] as const,
		),
	)("with %s and %s: %s", async (_settings, _resources, _verdict, settings, resources, refused) => {
		expect((await problems(policy, settings, ...resources)).length > 0).toBe(refused);
	});
});

test("each policy has facts that it refuses and facts that it allows", () => {
	for (const { name } of policies)
		expect(
			[name, ...new Set(facts.filter(([policy]) => policy === name).map(([, , , refused]) => refused))].sort(),
		).toEqual([false, name, true].sort());
});

test("a resource is ours on either front", () => {
	const types = [dynamic("Number"), "telephony:index:Number", "telephony:index/number:Number", "other:index:Number"];
	expect(types.map(kindOf)).toEqual(["Number", "Number", "Number", undefined]);
});

test("no message repeats a password or the path of an address", async () => {
	const said = [
		...(await problems("no-digest-password", {}, ["SipTrunk", { auth: { mode: "digest", password: "hush-hush" } }])),
		...(await problems("https-addresses", {}, ["Webhook", hook("http://a.example.com/hush-hush?key=hush-hush")])),
	];
	expect(said).toHaveLength(2);
	expect(said.join()).not.toContain("hush");
});

it.each<[policy: string, settings: Values, setting: string, resource: Resource]>([
	["names", { label: "(" }, "label", ["Number", { ...nl, label: "desk" }]],
	["names", { resource: "a)|(b" }, "resource", ["Number", nl]],
	["release-protection", { metadata: { tier: "[" } }, "metadata.tier", ["Number", { ...nl, metadata: { tier: "x" } }]],
])("%s reports a setting that isn't a regular expression once: %j", async (policy, settings, setting, resource) => {
	const reported = await problems(policy, settings, resource, resource, resource);
	expect(reported).toHaveLength(1);
	expect(reported[0]).toContain(`\`${setting}\``);
});

describe("docs/guides/policies.md", () => {
	const page = read("docs/guides/policies.md");

	it("has a row for each policy, with all of its settings", () => {
		const rows = [...page.matchAll(/^\| `([a-z-]+)` \|.*\|(.*)\|$/gm)].map(([, name, settings = ""]) => [
			name,
			[...settings.matchAll(/`(\w+)`/g)].map(([, setting]) => setting).sort(),
		]);
		const all = policies.map(({ name, configSchema }) => [name, Object.keys(configSchema?.properties ?? {}).sort()]);
		expect(rows.sort()).toEqual(all.sort());
	});

	it("has an example of settings that each policy takes", () => {
		const [, json = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
		const example = JSON.parse(json) as Record<string, Values>;
		for (const [name, { enforcementLevel: _, ...settings }] of Object.entries(example)) {
			const policy = policies.find((each) => each.name === name);
			expect(policy, name).toBeDefined();
			const known = { type: "object", additionalProperties: false, ...policy?.configSchema };
			expect(new Ajv({ strict: false }).validate(known, settings), name).toBe(true);
		}
	});
});
