/** What a program gets when it makes a resource, before any engine is asked: outputs, errors, and what it costs. */
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import * as telephony from "../../sdk";

beforeAll(() =>
	pulumi.runtime.setMocks(
		{
			newResource: ({ inputs, name }) => ({ id: `id_${name}`, state: { ...inputs, status: "active" } }),
			call: () => ({}),
		},
		"shop",
		"dev",
		false,
		"acme",
	),
);
afterEach(() => vi.restoreAllMocks());

/** How many stacks with frames are captured meanwhile: with ts-node, each frame is looked up in a source map. */
function stacksIn(work: () => void): number {
	let stacks = 0;
	const original = Error.prepareStackTrace;
	Error.prepareStackTrace = (error, frames) => {
		if (frames.length > 0) stacks += 1;
		return String(error);
	};
	try {
		work();
	} finally {
		Error.prepareStackTrace = original;
	}
	return stacks;
}

const made: Record<string, (name: string) => pulumi.CustomResource> = {
	Number: (name) => new telephony.Number(name, { country: "NL", type: "mobile" }),
	SipTrunk: (name) =>
		new telephony.SipTrunk(name, { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] }, capacity: 1 }),
	Webhook: (name) => new telephony.Webhook(name, { url: "https://a.example.com", events: ["*"] }),
	Activation: (name) => new telephony.Activation(name, { numberIds: ["num_1"] }),
	NumberPool: (name) => new telephony.NumberPool(name, { count: 2, country: "NL", type: "mobile" }),
};

test.each(Object.keys(made))("a %s captures one stack, the resource's own, however many properties it has", (type) => {
	const limit = Error.stackTraceLimit;
	expect(stacksIn(() => void made[type]?.("one"))).toBe(1);
	expect(Error.stackTraceLimit).toBe(limit);
});

test.each([
	["at the top of an ES module", "file:///my%20program/index.mjs:3:1"],
	["in a function of an ES module", "make (file:///my%20program/index.mjs:3:1)"],
	["in a module that a loader marks", "new Office (file:///my%20program/index.mjs?namespace=1:3:1)"],
	["in a nameless function of a CommonJS module", "/my program/index.mjs:3:1"],
	["in a CommonJS module", "Object.<anonymous> (/my program/index.mjs:3:1)"],
])("a resource that is declared %s has a place of the program", async (_, frame) => {
	const registered = vi.spyOn(
		pulumi.runtime.getMonitor() as unknown as { registerResource(request: object): void },
		"registerResource",
	);
	const original = Error.prepareStackTrace;
	const constructors = "\n    at new Resource (/sdk.js:1:1)".repeat(5);
	Error.prepareStackTrace = (error) => `${error}${constructors}\n    at ${frame}`;
	try {
		made.Webhook?.("placed");
	} finally {
		Error.prepareStackTrace = original;
	}
	interface Request {
		getName(): string;
		toObject(): { sourceposition?: object };
	}
	const request = await vi.waitUntil(() =>
		registered.mock.calls.map(([each]) => each as Request).find((each) => each.getName() === "placed"),
	);
	expect(request.toObject().sourceposition).toEqual({
		uri: "file:///my%20program/index.mjs",
		line: 3,
		column: 1,
	});
});

test("whoever looks for leaked promises gets the stack of each", () => {
	vi.stubEnv("PULUMI_DEBUG_PROMISE_LEAKS", "true");
	expect(stacksIn(() => void made.Number?.("leaky"))).toBeGreaterThan(50);
	vi.unstubAllEnvs();
});

test("what can't be made throws with its place in the program, and the next error has one too", () => {
	const limit = Error.stackTraceLimit;
	const nameless = () => made.Number?.("");
	expect(nameless).toThrow(
		expect.objectContaining({
			message: "Missing resource name argument (for URN creation)",
			stack: expect.stringContaining(__filename),
		}),
	);
	expect(Error.stackTraceLimit).toBe(limit);
	expect(new Error("next").stack).toContain(__filename);
});

test("every property is an output, and can be passed on, also those that are not declared", async () => {
	const number = new telephony.Number("whole", { country: "NL", type: "mobile", label: "Desk" });
	const outputs = pulumi.all([number.label, number.status, number.routing, number.phoneNumber]);
	expect(await new Promise((resolve) => outputs.apply(resolve))).toEqual(["Desk", "active", undefined, undefined]);
});
