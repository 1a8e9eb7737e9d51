/** Each policy in process, with values that a preview doesn't know. */
import Ajv from "ajv";
import { describe, expect, it, test } from "vitest";
import { policies } from "../../policy/index";
import { read } from "../helpers/repository";

type Values = Record<string, unknown>;
type Resource = readonly [kind: string, props: Values, name?: string];

/** A value that a preview doesn't know yet. */
const unknown = Symbol("unknown");

/** Returns properties as the SDK gives them to a policy: reading an unknown one throws. */
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

/** Returns the problems that a policy reports for a stack of these resources. */
async function problems(policy: string, settings: Values, ...resources: readonly Resource[]): Promise<string[]> {
	const defined = policies.find(({ name }) => name === policy);
	if (defined === undefined) throw new Error(`There is no policy ${policy}.`);
	const validates = new Ajv({ strict: false }).compile({ type: "object", ...defined.configSchema });
	if (!validates(settings)) throw new Error(`${policy} doesn't take ${JSON.stringify(settings)}`);
	const reported: string[] = [];
	const report = (message: string) => void reported.push(message);
	const common = {
		stackTags: new Map<string, string>(),
		getConfig: <T extends object>() => settings as T,
		notApplicable: (): never => {
			throw new Error("not applicable");
		},
	};
	const opts = { protect: false, ignoreChanges: [], aliases: [], additionalSecretOutputs: [] };
	const customTimeouts = { createSeconds: 0, updateSeconds: 0, deleteSeconds: 0 };
	const given = resources.map(([kind, props, name = "office"]) => ({
		...{ type: kind.includes(":") ? kind : dynamic(kind), name, urn: `urn:pulumi:dev::test::${kind}::${name}` },
		...{ props: inPreview(props) as Values, opts: { ...opts, customTimeouts } },
		...{ dependencies: [], propertyDependencies: {}, isType: () => false, asType: () => undefined },
	}));
	if ("validateStack" in defined) await defined.validateStack({ ...common, resources: given }, report);
	else {
		const validate = defined.validateResource;
		if (typeof validate !== "function") throw new Error(`${policy} validates nothing`);
		for (const resource of given) await validate({ ...common, ...resource }, report);
	}
	return reported;
}

const nl = { country: "NL", type: "mobile" };
const number = (more: Values = {}): Resource => ["Number", { ...nl, ...more }];
const pool = (count: number, more: Values = {}): Resource => ["NumberPool", { ...nl, count, ...more }];
const port = (more: Values = {}): Resource => ["PortOrder", { country: "NL", numbers: ["+31201234567"], ...more }];
const trunk = (props: Values): Resource => ["SipTrunk", props];
const acl = (...allowedCidrs: unknown[]) => trunk({ auth: { mode: "ip_acl", allowedCidrs } });
const hook = (url: unknown, more: Values = {}): Resource => ["Webhook", { url, events: ["*"], ...more }];
const named = (name: string): Resource => ["Number", nl, name];
const money = (amount: string) => ({ amount, currency: "EUR" });
const bought = (monthly: string, setup = "0.00") => number({ price: { setup: money(setup), monthly: money(monthly) } });

const https = "https://hooks.example.com/in";
const toHttp = { type: "webhook", url: "http://a.example.com" };
const digest = { mode: "digest", username: "office" };
const tenEach = { prices: [{ setup: "1EUR", monthly: "10EUR" }] };
const nineOf = (more: Values) => ({ monthly: ["2EUR"], prices: [{ setup: "0EUR", monthly: "9EUR", ...more }] });
const either = { resource: "prod|production-[a-z]+" };

/** Settings, with resources that a policy allows together, or refuses one by one. */
type Facts = readonly (readonly [settings: Values, ...resources: Resource[]])[];
const facts: Readonly<Record<string, { readonly allows: Facts; readonly refuses: Facts }>> = {
	"allowed-numbers": {
		allows: [
			[{}, number()],
			[{ countries: ["NL"], types: ["mobile"] }, number(), number({ country: unknown }), port()],
			[{ countries: ["BE"] }, ["aws:ec2/instance:Instance", nl], ["other:index:Number", nl]],
		],
		refuses: [
			[{ countries: ["BE"] }, number(), pool(2), port()],
			[{ types: ["geographic"] }, number()],
		],
	},
	"release-protection": {
		allows: [
			[{}, number(), number({ label: "products" }), number({ label: "Prod", releaseProtection: true })],
			[{}, number({ label: unknown, metadata: { environment: unknown } })],
			[{ label: "" }, number({ label: "production" })],
		],
		refuses: [
			[{}, number({ label: "production desk" }), pool(2, { metadata: { environment: "production" } })],
			[{ metadata: { tier: "gold" } }, number({ metadata: { tier: "gold" } })],
		],
	},
	"narrow-ip-lists": {
		allows: [
			[{}, acl("198.51.100.0/24", "203.0.113.9", "2001:db8::1")],
			[{}, acl(unknown), trunk({ auth: unknown }), trunk({ auth: digest })],
			[{ ipv4Length: 16, ipv6Length: 32 }, acl("198.51.0.0/16", "2a00:1450::/32")],
		],
		refuses: [
			[{}, ...["0.0.0.0/0", "::/0", "198.51.100.0/23", "::ffff:198.51.0.0/112"].map((cidr) => acl(cidr))],
			[{}, acl("2a00:1450::/32"), acl(unknown, "198.0.0.0/8")],
		],
	},
	"no-digest-password": {
		allows: [[{}, trunk({ auth: digest }), acl("198.51.100.0/24")]],
		refuses: [[{}, trunk({ auth: { ...digest, password: "x" } })]],
	},
	"https-addresses": {
		allows: [
			[{ loopback: true }, hook("http://127.0.0.1:9/in"), hook(unknown)],
			[{ hosts: [".example.com"] }, hook(https)],
			[{ hosts: ["münchen.example"] }, hook("https://MÜNCHEN.example./x")],
			[{ hosts: [".münchen.example"] }, hook("https://pbx_1.xn--mnchen-3ya.example")],
		],
		refuses: [
			[{}, hook("http://hooks.example.com/in"), hook("http://127.0.0.1:9/in"), pool(1, { routing: toHttp })],
			[{}, number({ smsWebhookUrl: toHttp.url }), number({ routing: { trunkId: unknown, failover: toHttp } })],
			[{ hosts: [".example.com"] }, hook("https://badexample.com")],
			[{ hosts: ["münchen.example"] }, hook("https://munchen.example")],
		],
	},
	"signed-webhooks": {
		allows: [[{}, hook(https), hook(https, { adopt: "wh_1", secretRotation: 1 })]],
		refuses: [[{}, hook(https, { adopt: "wh_1" })]],
	},
	names: {
		allows: [
			[either, named("production-desk"), named("prod")],
			[{ label: "a|ab", trunk: "a??b?" }, trunk({ name: "ab" })],
			[{ label: "team-\\w+: .+" }, number({ label: "team-sales: desk" }), number({ label: unknown })],
			[{ requireLabel: true }, number({ label: unknown }), hook(https)],
		],
		refuses: [
			[either, named("xprod"), named("production-desk1")],
			[{ label: "prod", requireLabel: true }, number({ label: "prod\nx" }), number()],
			[{ trunk: "nl-.+" }, trunk({ name: "office" })],
		],
	},
	"trunk-capacity": {
		allows: [[{ capacity: 30 }, trunk({ capacity: 30 }), trunk({ capacity: unknown })]],
		refuses: [[{ capacity: 30, callsPerSecond: 5 }, trunk({ capacity: 31 }), trunk({ callsPerSecond: 6 })]],
	},
	"stack-capacity": {
		allows: [
			[{ capacity: 60 }, trunk({ capacity: 30 }), trunk({ capacity: 30 })],
			[{ capacity: 59 }, trunk({ capacity: 30 }), trunk({ capacity: unknown })],
		],
		refuses: [[{ capacity: 59 }, trunk({ capacity: 30 }), trunk({ capacity: 30 })]],
	},
	"stack-numbers": {
		allows: [[{ numbers: 3 }, number(), pool(2), trunk({ capacity: 30 })]],
		refuses: [
			[{ numbers: 2 }, ["telephony:index:Number", nl], ["telephony:index/numberPool:NumberPool", { ...nl, count: 2 }]],
		],
	},
	"stack-costs": {
		allows: [
			[{ monthly: ["3EUR"], setup: ["5EUR"] }, bought("1.50", "5.00"), bought("1.50"), number()],
			[{ monthly: ["5USD", "2EUR"], unpriced: "forbid" }, bought("1.50")],
			[{ monthly: ["30EUR"], ...tenEach }, pool(3)],
			[nineOf({ country: "GB" }), number()],
			[{ monthly: ["3 eur"], unpriced: "forbid" }, bought("1.50")],
			[{ monthly: ["30Eur"], prices: [{ setup: "1eur", monthly: "10 EUR" }] }, pool(3)],
		],
		refuses: [
			[{ monthly: ["2.99eur"] }, bought("1.50"), bought("1.50")],
			[{ setup: ["5EUR"] }, bought("9.00", "5.01")],
			[{ setup: ["5EUR"], unpriced: "forbid" }, bought("9.00", "1,000")],
			[{ monthly: ["1EUR"], unpriced: "forbid" }, number()],
			[{ monthly: ["29EUR"], ...tenEach }, pool(3)],
			[nineOf({ country: "NL", type: "mobile" }), number({ price: unknown })],
		],
	},
};

const isOfStack = (policy: string) => policy.startsWith("stack-");
const rows = Object.entries(facts).flatMap(([policy, { allows, refuses }]) => [
	...allows.map(([settings, ...resources]) => [policy, "allows", settings, resources] as const),
	...refuses.flatMap(([settings, ...resources]) =>
		(isOfStack(policy) ? [resources] : resources.map((resource) => [resource])).map(
			(resource) => [policy, "refuses", settings, resource] as const,
		),
	),
]);
it.each(rows)("%s %s with %j: %j", async (policy, verdict, settings, resources) => {
	const reported = await problems(policy, settings, ...resources);
	expect(reported.length > 0 ? "refuses" : "allows").toBe(verdict);
});

test("repeats no password and no path of an address", async () => {
	const reported = [
		...(await problems("no-digest-password", {}, trunk({ auth: { ...digest, password: "hush-hush" } }))),
		...(await problems("https-addresses", {}, hook("http://a.example.com/hush-hush?key=hush-hush"))),
	];
	expect(reported).toHaveLength(2);
	expect(reported.join()).not.toContain("hush");
});

it.each<[policy: string, settings: Values, setting: string, resource: Resource]>([
	["names", { label: "(" }, "label", number({ label: "desk" })],
	["names", { resource: "a)|(b" }, "resource", number()],
	["release-protection", { metadata: { tier: "[" } }, "metadata.tier", number({ metadata: { tier: "x" } })],
])("%s reports a wrong regular expression once: %j", async (policy, settings, setting, resource) => {
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
		expect(Object.keys(facts).sort()).toEqual(policies.map(({ name }) => name).sort());
		const all = policies.map(({ name, configSchema }) => [name, Object.keys(configSchema?.properties ?? {}).sort()]);
		expect(rows.sort()).toEqual(all.sort());
	});

	it("has an example of settings that each policy takes", () => {
		const [, json = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
		const example = JSON.parse(json) as Record<string, Values>;
		for (const [name, { enforcementLevel: _, ...settings }] of Object.entries(example)) {
			const policy = policies.find((candidate) => candidate.name === name);
			expect(policy, name).toBeDefined();
			const schema = { type: "object", additionalProperties: false, ...policy?.configSchema };
			expect(new Ajv({ strict: false }).validate(schema, settings), name).toBe(true);
		}
	});
});
