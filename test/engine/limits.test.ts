/** Limits of a run on the engine. Each provider process counts alone. */
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, flat, plugin, succeeds } from "../helpers/engine";
import { writeYaml, yamlProject } from "../helpers/yaml";

const emulator = useEmulator({ kyc: "immediate" });
const timeout = 5 * 60_000;

/** Each resource waits for the one before it, so that the order is known. */
const program = (byClasses: number, byPlugin: number) => `
	const classes = require("pulumi-telephony");
	const plugin = require("${plugin}");
	let before;
	const number = (front, name) => {
		before = new front.Number(name, { country: "NL", type: "mobile" }, { dependsOn: before ? [before] : [] });
	};
	for (let index = 0; index < ${byClasses}; index++) number(classes, "c" + index);
	for (let index = 0; index < ${byPlugin}; index++) number(plugin, "p" + index);
`;

test("each provider of a stack keeps the limits, but a destroy doesn't", { timeout }, async () => {
	const stack = await createProject({ service: emulator, program: program(3, 3), plugin: true });
	// The host of the classes is asked for nothing that a preview alone asks for.
	expect(flat(await succeeds(stack.preview()))).toContain("0.00 USD setup, 2.00 USD a month");
	await succeeds(stack.pulumi("config", "set", "--path", "telephony:limits.maxPurchases", "2"));
	await succeeds(stack.pulumi("config", "set", "--path", "telephony:limits.maxReleases", "1"));
	expect(await fails(stack.preview(), "limit")).toMatch(
		/would buy up to 3 numbers, and `telephony:limits` allows maxPurchases 2/,
	);
	await fails(stack.up("--skip-preview"), "limit");
	expect(Object.keys(await stack.ids()).sort()).toEqual(["c0", "c1"]);

	// Existing numbers don't count: the next run buys the rest, and the plugin starts from zero.
	await fails(stack.up("--skip-preview"), "limit");
	expect(Object.keys(await stack.ids()).sort()).toEqual(["c0", "c1", "c2", "p0", "p1"]);

	// The engine runs the program, although it declares nothing: these releases count.
	stack.write("");
	await fails(stack.up(), "limit");
	expect(emulator.live().length).toBeGreaterThanOrEqual(3);
	await succeeds(stack.destroy());
	expect(emulator.live()).toEqual([]);

	// Destroy uses the configuration of the last `up`.
	await succeeds(stack.pulumi("config", "set", "--path", "telephony:limits.destroy", "true"));
	stack.write(program(2, 0));
	await succeeds(stack.up());
	await fails(stack.destroy(), "limit");
	expect(emulator.live()).toHaveLength(1);
});

test("a provider resource uses its own limits, or the stack's", { timeout }, async () => {
	const provider = (name: string, more = "") => `
  ${name}:
    type: pulumi:providers:telephony
    properties: { apiKey: { fn::secret: ${emulator.apiKey} }, baseUrl: "${emulator.url}"${more} }`;
	const number = (name: string, by: string, after?: string) => `
  ${name}:
    type: telephony:Number
    properties: { country: NL, type: mobile }
    options: { provider: "$${"{"}${by}}"${after === undefined ? "" : `, dependsOn: ["$${"{"}${after}}"]`} }`;
	const text = (more: string) =>
		provider("one") + provider("two", more) + number("a", "one") + number("b", "two", "a") + number("c", "two", "b");
	const stack = await yamlProject({ service: emulator }, text(", limits: { maxPurchases: 1 }"));
	await fails(stack.up(), "limit");
	expect(Object.keys(await stack.ids()).sort()).toEqual(["a", "b"]);
	expect(emulator.kinds()).toEqual(["purchase", "purchase"]);
	await succeeds(stack.pulumi("config", "set", "--path", "telephony:limits.maxPurchases", "0"));
	writeYaml(stack, text(""));
	await fails(stack.preview(), "limit");
	writeYaml(stack, text(", limits: { maxPurchases: 1 }"));
	await succeeds(stack.up());
	expect(emulator.live()).toHaveLength(3);
});
