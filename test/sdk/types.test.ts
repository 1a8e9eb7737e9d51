/** The types of the SDK. */
import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, expectTypeOf, it, test } from "vitest";
import { typeOf } from "../../provider/properties/form";
import { resources } from "../../provider/resources";
import type * as classes from "../../sdk";
import { useEmulator } from "../helpers/emulator";
import { useFaultProxy } from "../helpers/fault-proxy";
import { aNumber, aTrunk, aWebhook, create, openProvider } from "../helpers/provider";
import { read } from "../helpers/repository";

const inputs = Object.entries(resources).flatMap(([type, { drift }]) =>
	Object.entries(drift.properties).map(([name, property]) => ({ name: `${type}.${name}`, property })),
);

test("each argument has an example, a default, or one in its description", () => {
	const examples = inputs.filter(({ property }) => property.example !== undefined);
	for (const { name, property } of examples)
		expect(typeOf(property).safeParse(property.example).error, name).toBeUndefined();
	const bare = inputs.filter(
		({ name, property: { example, description, otherwise, default: value } }) =>
			!name.endsWith(".adopt") && (example ?? otherwise ?? value) === undefined && !description.includes("such as"),
	);
	expect(bare.map(({ name }) => name)).toEqual([]);
});

/** This repository compiles with exact optional types. */
describe("outputs", () => {
	type Optional = pulumi.Output<string | undefined>;
	/** All properties of a resource, as arguments of another one. */
	type Copied<Resource, Args> = Pick<Resource, keyof Args & keyof Resource>;
	type ArgumentsOf<Call extends (...args: never) => unknown> = NonNullable<Parameters<Call>[0]>;

	it("fit the same inputs of another resource", () => {
		expectTypeOf<Copied<classes.Activation, classes.ActivationArgs>>().toExtend<classes.ActivationArgs>();
		expectTypeOf<Copied<classes.KycProfile, classes.KycProfileArgs>>().toExtend<classes.KycProfileArgs>();
		expectTypeOf<Copied<classes.Number, classes.NumberArgs>>().toExtend<classes.NumberArgs>();
		expectTypeOf<Copied<classes.NumberPool, classes.NumberPoolArgs>>().toExtend<classes.NumberPoolArgs>();
		expectTypeOf<Copied<classes.PortOrder, classes.PortOrderArgs>>().toExtend<classes.PortOrderArgs>();
		expectTypeOf<Copied<classes.SipTrunk, classes.SipTrunkArgs>>().toExtend<classes.SipTrunkArgs>();
		expectTypeOf<Copied<classes.Webhook, classes.WebhookArgs>>().toExtend<classes.WebhookArgs>();
	});

	it("of functions fit inputs, and inputs of functions take outputs", () => {
		expectTypeOf<pulumi.Output<classes.AccountNumber["type"]>>().toExtend<classes.NumberArgs["type"]>();
		expectTypeOf<pulumi.Output<classes.GetWebhookResult["events"]>>().toExtend<classes.WebhookArgs["events"]>();
		expectTypeOf<pulumi.Output<classes.GetTrunkResult["codecs"]>>().toExtend<classes.SipTrunkArgs["codecs"]>();
		expectTypeOf<Copied<classes.Number, classes.GetNumbersArgs>>().toExtend<
			Omit<ArgumentsOf<typeof classes.getNumbersOutput>, "status">
		>();
		expectTypeOf<{ team: pulumi.Output<string> }>().toExtend<
			ArgumentsOf<typeof classes.getNumbersOutput>["metadata"]
		>();
	});

	it("that are optional fit optional inputs only", () => {
		expectTypeOf<string>().toExtend<classes.NumberArgs["country"]>();
		expectTypeOf<Optional>().toExtend<classes.SipTrunkArgs["name"]>();
		expectTypeOf<Optional>().not.toExtend<classes.WebhookArgs["url"]>();
		expectTypeOf<classes.Number["phoneNumber"]>().toExtend<Extract<classes.Routing, { type: "forward" }>["to"]>();
	});

	it.each([
		["routing.to", { type: "forward" }],
		["routing.failover.to", { type: "agent", agentId: "a", failover: { type: "forward" } }],
	])("are named by check where they aren't assigned yet: %s", async (path, routing) => {
		const { number } = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" });
		const { failures } = await number.check({}, aNumber({ routing }));
		expect(failures).toEqual([expect.objectContaining({ reason: expect.stringContaining(`${path}: `) })]);
	});

	const service = useFaultProxy(useEmulator({ kyc: "immediate" }));
	/** Reduces responses to the least that a service may show. */
	const least = (text: string, _method: string, path: string): string => {
		const summaryOf = ({ id, country, type, status }: Record<string, unknown>) => ({ id, country, type, status });
		if (!path.includes("/numbers")) return text;
		const body = JSON.parse(text);
		return JSON.stringify(body.data === undefined ? summaryOf(body) : { ...body, data: body.data.map(summaryOf) });
	};

	it.each([
		["number", "sdk/number.ts", aNumber()],
		["sipTrunk", "sdk/sip-trunk.ts", aTrunk()],
		["webhook", "sdk/webhook.ts", aWebhook()],
	] as const)("are optional if a %s may lack them", async (name, file, news) => {
		service.rewrite = least;
		const { outs } = await create(openProvider(service)[name], news);
		const types = [...read(file).matchAll(/declare readonly (\w+): pulumi\.Output<(.*)>;/g)];
		const outputs = types.map(([, output = "", type = ""]) => ({ output, always: !type.endsWith("| undefined") }));
		expect(outputs).toEqual(outputs.map(({ output }) => ({ output, always: outs[output] !== undefined })));
		expect(outputs.filter(({ always }) => always).length).toBeGreaterThan(5);
	});
});
