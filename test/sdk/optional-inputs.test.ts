/** Outputs that may be undefined are inputs of other resources. This repository compiles with exact optional types. */
import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, expectTypeOf, it } from "vitest";
import type * as classes from "../../sdk";
import { aNumber, openProvider } from "../helpers/provider";

type Optional = pulumi.Output<string | undefined>;

declare const main: classes.Number;

describe("the types of the classes", () => {
	it("take optional outputs for optional inputs", () => {
		expectTypeOf<Optional>().toExtend<classes.NumberArgs["label"]>();
		expectTypeOf<Optional>().toExtend<classes.SipTrunkArgs["name"]>();
		expectTypeOf<Optional>().toExtend<classes.WebhookArgs["description"]>();
		expectTypeOf<Optional>().toExtend<classes.KycAddress["region"]>();
		expectTypeOf<Optional>().toExtend<NonNullable<Parameters<typeof classes.getNumbersOutput>[0]>["label"]>();
	});

	it("take another number's `number` as the target of a route", () => {
		const routes = () => {
			const failover = { type: "forward", to: main.phoneNumber } as const;
			const routing: classes.Routing = { type: "forward", to: main.phoneNumber, failover };
			return { country: "NL", type: "mobile", label: main.label, routing } satisfies classes.NumberArgs;
		};
		expect(routes).toThrow(ReferenceError);
	});

	it("refuse them for inputs that must be set", () => {
		expectTypeOf<Optional>().not.toExtend<classes.WebhookArgs["url"]>();
		expectTypeOf<Optional>().not.toExtend<classes.KycAddress["city"]>();
	});
});

it.each([
	["routing.to", { type: "forward" }],
	["routing.failover.to", { type: "agent", agentId: "a", failover: { type: "forward" } }],
])("check names the number %s that isn't assigned yet", async (path, routing) => {
	const { number } = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" });
	const { failures } = await number.check({}, aNumber({ routing }));
	expect(failures).toHaveLength(1);
	expect(failures[0]?.reason).toContain(`${path}: `);
	expect(failures[0]?.reason).toContain("`number`");
});
