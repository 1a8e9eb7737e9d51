/** Resources in a program without the engine: outputs and errors. */
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import * as telephony from "../../sdk";
import { eventually } from "../helpers/eventually";

const mocks: pulumi.runtime.Mocks = {
	newResource: ({ inputs, name }) => ({ id: `id_${name}`, state: { ...inputs, status: "active" } }),
	call: () => ({}),
};
beforeAll(() => pulumi.runtime.setMocks(mocks, "shop", "dev", false, "acme"));
afterEach(() => vi.restoreAllMocks());

/** Runs the work while errors get their stacks from `prepare`. */
const withStacks = (prepare: NonNullable<typeof Error.prepareStackTrace>, work: () => void): void => {
	const original = Error.prepareStackTrace;
	Error.prepareStackTrace = prepare;
	try {
		work();
	} finally {
		Error.prepareStackTrace = original;
	}
};

const auth: telephony.SipTrunkAuth = { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] };
const create: Record<string, (name: string) => pulumi.CustomResource> = {
	Number: (name) => new telephony.Number(name, { country: "NL", type: "mobile" }),
	SipTrunk: (name) => new telephony.SipTrunk(name, { auth, capacity: 1 }),
	Webhook: (name) => new telephony.Webhook(name, { url: "https://a.example.com", events: ["*"] }),
	Activation: (name) => new telephony.Activation(name, { numberIds: ["num_1"] }),
	NumberPool: (name) => new telephony.NumberPool(name, { count: 2, country: "NL", type: "mobile" }),
};

test.each(Object.keys(create))("a %s captures one stack for any number of properties", (type) => {
	const limit = Error.stackTraceLimit;
	// ts-node looks up each frame in a source map.
	let stacks = 0;
	withStacks(
		(error, frames) => {
			if (frames.length > 0) stacks += 1;
			return String(error);
		},
		() => void create[type]?.("one"),
	);
	expect([stacks, Error.stackTraceLimit]).toEqual([1, limit]);
});

test.each([
	"file:///my%20program/index.mjs:3:1",
	"new Office (file:///my%20program/index.mjs?namespace=1:3:1)",
	"Object.<anonymous> (/my program/index.mjs:3:1)",
])("a resource has its place in the program: at %s", async (frame) => {
	const monitor = pulumi.runtime.getMonitor() as unknown as { registerResource(request: object): void };
	const registered = vi.spyOn(monitor, "registerResource");
	const constructors = "\n    at new Resource (/sdk.js:1:1)".repeat(5);
	withStacks(
		(error) => `${error}${constructors}\n    at ${frame}`,
		() => void create.Webhook?.("placed"),
	);
	interface Request {
		getName(): string;
		toObject(): { sourceposition?: object };
	}
	const request = await eventually(() => {
		const calls = registered.mock.calls.map(([call]) => call as Request);
		const placed = calls.find((call) => call.getName() === "placed");
		if (placed === undefined) throw new Error("the resource isn't registered yet");
		return placed;
	});
	const sourceposition = { uri: "file:///my%20program/index.mjs", line: 3, column: 1 };
	expect(request.toObject()).toMatchObject({ sourceposition });
});

test("an error has its place in the program, and so has the next", () => {
	const limit = Error.stackTraceLimit;
	const stack = expect.stringContaining(__filename);
	expect(() => create.Number?.("")).toThrow(expect.objectContaining({ stack }));
	expect(Error.stackTraceLimit).toBe(limit);
	expect(new Error("next")).toMatchObject({ stack });
});
