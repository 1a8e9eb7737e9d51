/** A stack moves from the classes to the plugin and back: only the import changes, and nothing happens at the service. */
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import {
	classes,
	createProject,
	expectQuiet,
	type Front,
	type Project,
	plugin,
	seenAt,
	succeeds,
} from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });
const { kinds, live, number, writes } = seenAt(emulator);
const references = () => {
	const { numbers, trunks, webhooks } = emulator.control.state();
	return [...numbers, ...trunks, ...webhooks].map(({ id, reference }) => [id, reference]);
};

/** Each test runs the engine a dozen times. */
const timeout = 5 * 60_000;

/** Every resource, by the classes that `front` names. `more` are options of each. */
const program = (front: Front, more = "") => `
	const front = require(${JSON.stringify(front)});
	const options = (type) => ({ ${more} });
	const trunk = new front.SipTrunk("pbx", { auth: { mode: "digest", username: "office" }, capacity: 10 }, options("SipTrunk"));
	const main = new front.Number("main", {
		country: "NL", type: "mobile", label: "Main", routing: { type: "trunk", trunkId: trunk.id },
	}, options("Number"));
	const hook = new front.Webhook("events", { url: "https://hooks.example.com/x", events: ["*"] }, options("Webhook"));
	new front.Activation("ready", { numberIds: [main.id] }, options("Activation"));
	const lines = new front.NumberPool("lines", { country: "NL", type: "mobile", count: 1 }, options("NumberPool"));
	exports.password = trunk.password;
	exports.secret = hook.secret;
	exports.lines = lines.numbers;
`;
const [byClasses, byPlugin] = [program(classes), program(plugin)];
const back = program(classes, "aliases: [{ type: `telephony:index:" + "$" + "{type}` }]");

async function started(first: string): Promise<Project> {
	const stack = await createProject({ service: emulator, program: first, plugin: true });
	await succeeds(stack.up());
	return stack;
}

/** The next program takes everything over. Nothing is written at the service, and claims stay. */
async function moves(stack: Project, next: string): Promise<void> {
	const before = { ids: await stack.ids(), writes: writes(), references: references(), secrets: await stack.outputs() };
	stack.write(next);
	await succeeds(stack.up());
	const after = { ids: await stack.ids(), writes: writes(), references: references(), secrets: await stack.outputs() };
	expect(after).toEqual(before);
	expect(kinds()).toEqual(["purchase", "purchase"]);
	// The state says where the program declares each.
	const inProgram = { sourcePosition: expect.stringMatching(/^project:\/{3}index\.js#/) };
	for (const resource of await stack.resources())
		expect(resource).toMatchObject({ ...inProgram, stackTrace: [inProgram] });
	await expectQuiet(stack);
}

test("from the plugin to the classes, which repair what they took over, to the plugin and back", {
	timeout,
}, async () => {
	const stack = await started(byPlugin);
	const prefixes = async () => new Set((await stack.resources()).map(({ type }) => type.split(":")[0]));
	await moves(stack, back);
	expect(await prefixes()).toEqual(new Set(["pulumi-nodejs"]));
	// The aliases are needed once.
	stack.write(byClasses);
	emulator.control.patchNumber((await stack.ids()).main ?? "", { label: "by hand" });
	await succeeds(stack.up("--refresh"));
	expect(number((await stack.ids()).main)?.label).toBe("Main");
	await moves(stack, byPlugin);
	expect(await prefixes()).toEqual(new Set(["telephony"]));
	await moves(stack, back);
	await succeeds(stack.destroy());
	expect({ kinds: kinds(), live: live(), left: references().length }).toEqual({
		kinds: ["purchase", "purchase", "release", "release"],
		live: [],
		left: 2,
	});
});

test("without the aliases nothing is bought or released either", {
	timeout,
}, async () => {
	const stack = await started(byPlugin);
	const [before, ids] = [await stack.ids(), references().map(([id]) => id)];
	stack.write(byClasses);
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual({ ...before, ready: expect.anything(), lines: expect.anything() });
	expect(kinds()).toEqual(["purchase", "purchase"]);
	expect(references().map(([id]) => id)).toEqual(ids);
	await succeeds(stack.up("--expect-no-changes"));
});
