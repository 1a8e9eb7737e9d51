/** Laws of comparison: spellings, sets, service defaults, and what a state keeps of a declared value. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { pickBy } from "../../../provider/api/json";
import {
	canonical,
	covers,
	type Form,
	fromWire,
	hashOf,
	isShown,
	listOf,
	namesOf,
	type ObjectForm,
	sameDeclaration,
	scalar,
	setOf,
	settle,
	text,
	toWire,
	unspaced,
} from "../../../provider/properties/form";
import { idOfOther } from "../../../provider/properties/routing";
import type { Properties } from "../../../provider/properties/table";
import { resources } from "../../../provider/resources";
import { numberProperties } from "../../../provider/resources/number/properties";
import { sipTrunkProperties } from "../../../provider/resources/sip-trunk/properties";
import { webhookProperties } from "../../../provider/resources/webhook/properties";
import { allKinds, kinds } from "../../helpers/kinds";

/** Without ids of other objects, and without documents, which are files. */
const tableOf = (name: keyof typeof resources): Properties =>
	pickBy(
		resources[name].drift.properties,
		({ wire, type }, property) => wire !== undefined && type !== idOfOther && property !== "documents",
	);

/** The properties that the arguments of a kind never have. */
const undeclared = ({ type, args }: Pick<(typeof allKinds)[number], "type" | "args">): string[] => {
	const declared = new Set(fc.sample(args, { seed: 1, numRuns: 300 }).flatMap((values) => Object.keys(values)));
	return Object.keys(tableOf(type)).filter((property) => !declared.has(property));
};

test("has arguments for every kind", () => {
	const objects = Object.keys(resources).filter((type) => "definition" in resources[type as keyof typeof resources]);
	expect(allKinds.map(({ type }) => type).sort()).toEqual(objects.sort());
});

test.each(allKinds)("has an arbitrary for each property: $noun", (kind) => {
	expect(undeclared(kind), "declare them in test/helpers/arbitraries.ts").toEqual([]);
});

/** Every property that the service knows, with an arbitrary that declares it. A filter that nothing passes never ends. */
const all = kinds.flatMap((kind) =>
	Object.entries(tableOf(kind.type))
		.filter(([name]) => !undeclared(kind).includes(name))
		.map(([name, { form = scalar }]) => ({
			...{ name, form },
			declared: kind.args.map((values) => values[name]).filter((value) => value !== undefined),
		})),
);

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** A value that differs in one leaf, for each leaf except passwords, which the service never shows. */
function* changes(value: unknown): Generator<unknown> {
	if (Array.isArray(value))
		yield* value.flatMap((item, at) => [...changes(item)].map((change) => value.with(at, change)));
	else if (isObject(value)) {
		for (const [key, item] of Object.entries(value))
			if (key !== "password") for (const changed of changes(item)) yield { ...value, [key]: changed };
	} else if (typeof value === "boolean") yield !value;
	else if (typeof value === "number") yield value + 100_000;
	else yield "something else";
}

/** Turns sets, and repeats one item of each. */
function rearranged(form: Form, value: unknown): unknown {
	if (form.kind === "set" && Array.isArray(value)) {
		const items = value.map((item) => rearranged(form.item, item));
		return [...items.slice(1), ...items.slice(0, 1), ...items.slice(0, 1)];
	}
	if (form.kind !== "object" || !isObject(value)) return value;
	const fields = Object.entries(value).map(([key, item]) => [key, rearranged(form.fields[key]?.form ?? scalar, item)]);
	return Object.fromEntries(fields.reverse());
}

/** Adds a service's defaults where the program said nothing. */
function withDefaults(form: Form, value: unknown): unknown {
	if (form.kind === "set" && Array.isArray(value)) return value.map((item) => withDefaults(form.item, item));
	if (form.kind !== "object" || !isObject(value)) return value;
	const added = Object.entries(form.fields).flatMap(([key, field]) => (field.serverDefault ? [[key, 7]] : []));
	const given = Object.entries(value).map(([key, item]) => [key, withDefaults(form.fields[key]?.form ?? scalar, item)]);
	return Object.fromEntries([...added, ...given]);
}

const live = (form: Form, declared: unknown) => fromWire(form, toWire(form, declared)) ?? undefined;

describe.each(all)("the property $name", ({ form, declared }) => {
	test("covers the service's spellings, and keeps the program's", () =>
		fc.assert(
			fc.property(declared, (value) => {
				expect(covers(form, value, live(form, value))).toBe(true);
				expect(settle(form, value, live(form, value))).toBe(value);
				expect(sameDeclaration(form, value, structuredClone(value))).toBe(true);
				expect(sameDeclaration(form, value, undefined)).toBe(covers(form, value, undefined));
			}),
		));

	test("differs once any leaf differs", () =>
		fc.assert(
			fc.property(declared, (value) => {
				for (const changed of changes(live(form, value))) {
					expect(covers(form, value, changed)).toBe(false);
					expect(sameDeclaration(form, value, changed)).toBe(false);
				}
			}),
		));

	test("ignores order and repetition in sets, and the service's defaults", () =>
		fc.assert(
			fc.property(declared, (value) => {
				const arranged = rearranged(form, value);
				expect(sameDeclaration(form, value, arranged)).toBe(true);
				expect(covers(form, value, live(form, arranged))).toBe(true);
				expect(covers(form, arranged, live(form, value))).toBe(true);
				expect(covers(form, value, withDefaults(form, live(form, value)))).toBe(true);
			}),
		));

	test("settles two different values to the live one, once", () =>
		fc.assert(
			fc.property(declared, declared, (value, liveValue) => {
				const kept = settle(form, value, live(form, liveValue));
				expect(covers(form, kept, live(form, liveValue))).toBe(true);
				expect(settle(form, kept, live(form, liveValue))).toEqual(kept);
			}),
		));
});

describe("a form", () => {
	const routing = numberProperties.routing?.form as Form;
	const auth = sipTrunkProperties.auth?.form as Form;
	const targets = sipTrunkProperties.targets?.form as Form;
	const url = webhookProperties.url?.form as Form;

	test("keeps an unknown kind of route, and drops unknown fields of others", () => {
		const wire = { type: "hologram", room_name: "x" };
		expect(fromWire(routing, wire)).toEqual({ type: "hologram", roomName: "x" });
		expect(settle(routing, { type: "agent", agentId: "a" }, fromWire(routing, wire))).toEqual(fromWire(routing, wire));
		expect(fromWire(routing, { type: "agent", agent_id: "a", since: "2026" })).toEqual({ type: "agent", agentId: "a" });
	});

	test("sends a password, and never compares it with the live value", () => {
		const declared = { mode: "digest", username: "pbx-1", password: "correct horse battery" };
		expect(covers(auth, declared, { mode: "digest", username: "pbx-1" })).toBe(true);
		expect(settle(auth, declared, { mode: "digest", username: "other" })).toEqual({ ...declared, username: "other" });
		expect(toWire(auth, declared)).toEqual(declared);
		expect(sameDeclaration(auth, declared, { ...declared, password: "another password" })).toBe(false);
	});

	test.each<[boolean, number[]]>([
		[true, [5061, 5060]],
		[true, [5061, 5062]],
		[false, [5061]],
		[false, [5060, 5062]],
	])("matches two targets of one host one to one: %s", (expected, ports) => {
		const moved = ports.map((port) => ({ host: "a", port }));
		expect(covers(targets, [{ host: "a" }, { host: "a", port: 5061 }], moved)).toBe(expected);
	});

	test("drops the service's default from a value that changed", () => {
		const [declared, live] = ["a", "b"].map((agentId) => ({ type: "agent", agentId }));
		expect(settle(routing, declared, { ...live, ringTimeoutSeconds: 30 })).toEqual(live);
	});

	test("keeps the order of a list", () => {
		const codecs = sipTrunkProperties.codecs?.form as Form;
		expect(sameDeclaration(codecs, ["PCMU", "opus"], ["opus", "PCMU"])).toBe(false);
	});

	test("sends a URL with its slash, and accepts it without", () => {
		const [slash, bare] = ["https://a.example/sms/", "https://a.example/sms"];
		expect(toWire(url, slash)).toBe(slash);
		expect(covers(url, slash, bare)).toBe(true);
		expect(covers(url, bare, `${slash}?a=/`)).toBe(false);
		expect(sameDeclaration(url, slash, bare)).toBe(false);
		expect(covers(routing, { type: "webhook", url: bare }, { type: "webhook", url: slash })).toBe(true);
	});

	const field = (more: object = {}) => ({ description: "", type: z.unknown, ...more });
	const target: ObjectForm = {
		kind: "object",
		fields: { hostName: field(), port: field({ serverDefault: true }), key: field({ writeOnly: true }) },
	};
	const upper: Form = { kind: "scalar", spelling: (text) => text.toUpperCase() || undefined };
	const map: Form = { kind: "map" };

	test.each<[Form, unknown, unknown]>([
		[scalar, null, undefined],
		[upper, "x", "X"],
		[text(() => undefined, ""), " x ", "x"],
		[listOf(upper), ["x"], ["X"]],
		[setOf(scalar), ["b", "a", "c", "b"], ["a", "b", "c"]],
		[map, "x", "x"],
		[map, { b: 1, a: null }, { b: 1 }],
		[map, { a: null }, undefined],
	])("has a comparable value: %#", (form, value, comparable) => {
		expect(canonical(form, value)).toEqual(comparable);
		expect(hashOf(form, value)).toHaveLength(16);
	});

	test("pairs each item of a set with one of its own", () => {
		const [free, first, second] = [{ hostName: "a" }, { hostName: "a", port: 1 }, { hostName: "a", port: 2 }];
		const pairs = (declared: object[], live: object[]) => covers(setOf(target), declared, live);
		expect(pairs([free, first], [first, second])).toBe(true);
		expect(pairs([free, free], [first])).toBe(true);
		expect(pairs([first, first], [first, second])).toBe(false);
		expect(pairs([free], [first, second])).toBe(false);
	});

	test.each<[Form, object, object, object]>([
		[target, { hostName: "a", key: "k" }, { hostName: "b", port: 1 }, { hostName: "b", key: "k" }],
		[target, { hostName: "a", port: 1 }, { hostName: "b", port: 2 }, { hostName: "b", port: 2 }],
		[target, { hostName: "a", port: 1 }, { hostName: "b" }, { hostName: "b" }],
		[target, { hostName: "a" }, { hostName: "b", more: "x" }, { hostName: "b", more: "x" }],
		[auth, { mode: "digest", username: "x", password: "p" }, { mode: "ip_acl" }, { mode: "ip_acl" }],
	])("keeps what the service has: %#", (form, declared, live, kept) =>
		expect(settle(form, declared, live)).toEqual(kept),
	);

	test.each<[Form, unknown, unknown]>([
		[scalar, undefined, null],
		[{ kind: "scalar", accepted: () => z.string() }, 7, 7],
		[{ kind: "scalar", accepted: () => z.literal("yes") }, "no", "no"],
		[text(() => undefined, "", { accepted: unspaced }), " x ", "x"],
		[listOf(target), [{ hostName: 1, port: null }], [{ host_name: 1 }]],
		[setOf(target), [{ hostName: 1 }], [{ host_name: 1 }]],
		[map, ["aB"], ["aB"]],
	])("is sent in the service's names: %#", (form, value, sent) => expect(toWire(form, value)).toEqual(sent));

	test.each<[Form, unknown, unknown]>([
		[setOf(target), [{ host_name: 1, more: 2 }], [{ hostName: 1 }]],
		[listOf(upper), ["x"], ["X"]],
		[upper, "x", "x"],
		[{ ...upper, isReadCanonical: true }, "x", "X"],
		[{ ...upper, isReadCanonical: true }, "", ""],
		[map, { a_b: 1 }, { a_b: 1 }],
	])("is read in the program's names: %#", (form, value, read) => expect(fromWire(form, value)).toEqual(read));

	test("has the fields of its variant, and all of an unknown one", () => {
		const [digest, unknown] = [
			namesOf(auth as ObjectForm, { mode: "digest" }),
			namesOf(auth as ObjectForm, { mode: "x" }),
		];
		expect(unknown).toEqual(expect.arrayContaining([...digest, "allowedCidrs"]));
		expect(digest).not.toContain("allowedCidrs");
		expect(namesOf(target, {})).toEqual(["hostName", "port", "key"]);
	});

	test("counts a blank text as no value", () =>
		expect([null, undefined, "", " ", "x", 0, false].map(isShown)).toEqual([
			false,
			false,
			false,
			false,
			true,
			true,
			true,
		]));
});
