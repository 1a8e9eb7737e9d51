import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	covers,
	type Form,
	fromWire,
	sameDeclaration,
	scalar,
	settle,
	toWire,
} from "../../../provider/properties/form";
import type { Properties } from "../../../provider/properties/table";
import { numberProperties } from "../../../provider/resources/number/properties";
import { sipTrunkProperties } from "../../../provider/resources/sip-trunk/properties";
import { webhookProperties } from "../../../provider/resources/webhook/properties";
import * as any from "../../helpers/arbitraries";

type Args = fc.Arbitrary<Record<string, unknown>>;

/** Every property that the service knows, with an arbitrary that declares it. */
const properties = (table: Properties, args: Args) =>
	Object.entries(table)
		.filter(([, { wire }]) => wire !== undefined)
		.map(([name, { form = scalar }]) => {
			const declared = args.map((values) => values[name]).filter((value) => value !== undefined);
			return { name, form, declared };
		})
		.filter(({ name }) => name !== "kycProfileId");

const all = [
	...properties(numberProperties, any.numberArgs),
	...properties(sipTrunkProperties, any.trunkArgs),
	...properties(webhookProperties, any.webhookArgs),
];

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** A value that differs in just one leaf, for each leaf but passwords, which the service never shows. */
function* changes(value: unknown): Generator<unknown> {
	if (Array.isArray(value)) yield* value.flatMap((item, at) => [...changes(item)].map((each) => value.with(at, each)));
	else if (isObject(value)) yield* changedFields(value);
	else if (typeof value === "boolean") yield !value;
	else if (typeof value === "number") yield value + 100_000;
	else yield "something else";
}

function* changedFields(object: Record<string, unknown>): Generator<unknown> {
	for (const [key, item] of Object.entries(object))
		if (key !== "password") for (const changed of changes(item)) yield { ...object, [key]: changed };
}

/** Turns sets, and repeats one item of each. */
function rearranged(form: Form, value: unknown): unknown {
	if (form.kind === "set" && Array.isArray(value)) {
		const items = value.map((item) => rearranged(form.item, item));
		return [...items.slice(1), ...items.slice(0, 1), ...items.slice(0, 1)];
	}
	if (form.kind !== "object" || !isObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([key, item]) => [key, rearranged(form.fields[key]?.form ?? scalar, item)]),
	);
}

/** What a service adds where the program said nothing. */
function withDefaults(form: Form, value: unknown): unknown {
	if (form.kind === "set" && Array.isArray(value)) return value.map((item) => withDefaults(form.item, item));
	if (form.kind !== "object" || !isObject(value)) return value;
	const added = Object.entries(form.fields).flatMap(([key, field]) => (field.serverDefault ? [[key, 7]] : []));
	const given = Object.entries(value).map(([key, item]) => [key, withDefaults(form.fields[key]?.form ?? scalar, item)]);
	return Object.fromEntries([...added, ...given]);
}

const live = (form: Form, declared: unknown) => fromWire(form, toWire(form, declared)) ?? undefined;

describe.each(all)("$name", ({ form, declared }) => {
	test("is covered by what the service makes of it", () => {
		fc.assert(
			fc.property(declared, (value) => {
				expect(covers(form, value, live(form, value))).toBe(true);
			}),
		);
	});

	test("is kept in the program's spelling while it is what is live", () => {
		fc.assert(
			fc.property(declared, (value) => {
				expect(settle(form, value, live(form, value))).toBe(value);
			}),
		);
	});

	test("is not covered once any leaf differs", () => {
		fc.assert(
			fc.property(declared, (value) => {
				for (const changed of changes(live(form, value))) {
					expect(covers(form, value, changed)).toBe(false);
					expect(sameDeclaration(form, value, changed)).toBe(false);
				}
			}),
		);
	});

	test("does not mind order and repetition in sets, nor what the service fills in", () => {
		fc.assert(
			fc.property(declared, (value) => {
				const arranged = rearranged(form, value);
				expect(sameDeclaration(form, value, arranged)).toBe(true);
				expect(covers(form, value, live(form, arranged))).toBe(true);
				expect(covers(form, arranged, live(form, value))).toBe(true);
				expect(covers(form, value, withDefaults(form, live(form, value)))).toBe(true);
			}),
		);
	});

	test("what is kept of two different values is the live one", () => {
		fc.assert(
			fc.property(declared, declared, (value, other) => {
				expect(covers(form, settle(form, value, live(form, other)), live(form, other))).toBe(true);
			}),
		);
	});

	test("is a declaration like itself, and unlike none", () => {
		fc.assert(
			fc.property(declared, (value) => {
				expect(sameDeclaration(form, value, structuredClone(value))).toBe(true);
				const empty = covers(form, value, undefined);
				expect(sameDeclaration(form, value, undefined)).toBe(empty);
			}),
		);
	});

	test("survives being settled twice", () => {
		fc.assert(
			fc.property(declared, declared, (value, other) => {
				const once = settle(form, value, live(form, other));
				expect(settle(form, once, live(form, other))).toEqual(once);
			}),
		);
	});
});

describe("forms by example", () => {
	const routing = numberProperties.routing?.form as Form;
	const auth = sipTrunkProperties.auth?.form as Form;
	const targets = sipTrunkProperties.targets?.form as Form;
	const url = webhookProperties.url?.form as Form;

	test("what the service lists under a kind of route that nobody knows is kept whole", () => {
		const wire = { type: "hologram", room_name: "x" };
		expect(fromWire(routing, wire)).toEqual({ type: "hologram", roomName: "x" });
		expect(settle(routing, { type: "agent", agentId: "a" }, fromWire(routing, wire))).toEqual(fromWire(routing, wire));
	});

	test("a field that the service adds to a known route is no difference", () => {
		expect(fromWire(routing, { type: "agent", agent_id: "a", since: "2026" })).toEqual({ type: "agent", agentId: "a" });
	});

	test("a password is never compared with what is live, and is always sent", () => {
		const declared = { mode: "digest", username: "pbx-1", password: "correct horse battery" };
		expect(covers(auth, declared, { mode: "digest", username: "pbx-1" })).toBe(true);
		expect(settle(auth, declared, { mode: "digest", username: "other" })).toEqual({ ...declared, username: "other" });
		expect(toWire(auth, declared)).toEqual(declared);
		expect(sameDeclaration(auth, declared, { ...declared, password: "another password" })).toBe(false);
	});

	test("two targets on one host are matched one to one", () => {
		const declared = [{ host: "a" }, { host: "a", port: 5061 }];
		expect(
			covers(targets, declared, [
				{ host: "a", port: 5061 },
				{ host: "a", port: 5060 },
			]),
		).toBe(true);
		expect(covers(targets, declared, [{ host: "a", port: 5061 }])).toBe(false);
		expect(
			covers(targets, declared, [
				{ host: "a", port: 5060 },
				{ host: "a", port: 5062 },
			]),
		).toBe(false);
	});

	test("a URL goes out with the slash it was declared with, and a service that drops it changes nothing", () => {
		expect(toWire(url, "https://a.example/sms/")).toBe("https://a.example/sms/");
		expect(covers(url, "https://a.example/sms/", "https://a.example/sms")).toBe(true);
		expect(covers(url, "https://a.example/sms", "https://a.example/sms/?a=/")).toBe(false);
		expect(sameDeclaration(url, "https://a.example/sms/", "https://a.example/sms")).toBe(false);
		const routed = (to: string) => ({ type: "webhook", url: to });
		expect(covers(routing, routed("https://a.example/x"), routed("https://a.example/x/"))).toBe(true);
	});
});
