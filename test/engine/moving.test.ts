/** A stack moves from the classes to the plugin and back: only the import changes, and nothing happens at the service. */
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Project, type Run } from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });
const succeeds = (run: Run) => expect(run.code, run.output).toBe(0);
const kinds = () => emulator.control.ledger().map(({ kind }) => kind);
const writes = () => emulator.control.requests().filter(({ method }) => method !== "GET").length;
const references = () => {
	const { numbers, trunks, webhooks } = emulator.control.state();
	return [...numbers, ...trunks, ...webhooks].map(({ id, reference }) => [id, reference]);
};

/** Each test runs the engine a dozen times. */
const timeout = 5 * 60_000;

/** Every resource, by the classes that `front` names. `more` are options of each. */
const program = (front: "pulumi-telephony" | "pulumi-telephony/plugin", more = "") => `
	const front = require(${JSON.stringify(front)});
	const options = (type) => ({ ${more} });
	const trunk = new front.SipTrunk("pbx", { auth: { mode: "digest", username: "office" }, capacity: 10 }, options("SipTrunk"));
	const main = new front.Number("main", {
		country: "NL", type: "mobile", label: "Main", routing: { type: "trunk", trunkId: trunk.id },
	}, options("Number"));
	const hook = new front.Webhook("events", { url: "https://hooks.example.com/x", events: ["*"] }, options("Webhook"));
	new front.Activation("ready", { numberIds: [main.id] }, options("Activation"));
	exports.password = trunk.password;
	exports.secret = hook.secret;
`;
const dynamic = program("pulumi-telephony");
const plugin = program("pulumi-telephony/plugin");
const back = program("pulumi-telephony", "aliases: [{ type: `telephony:index:" + "$" + "{type}` }]");

async function started(first: string): Promise<Project> {
	const stack = await createProject({ service: emulator, program: first, plugin: true });
	succeeds(await stack.up());
	return stack;
}

/** The next program takes everything over. Nothing is written at the service, and claims stay. */
async function moves(stack: Project, next: string): Promise<void> {
	const before = { ids: await stack.ids(), writes: writes(), references: references(), secrets: await stack.outputs() };
	stack.write(next);
	succeeds(await stack.up());
	const after = { ids: await stack.ids(), writes: writes(), references: references(), secrets: await stack.outputs() };
	expect(after).toEqual(before);
	expect(kinds()).toEqual(["purchase"]);
	// The state says where the program declares each.
	const inProgram = { sourcePosition: expect.stringMatching(/^project:\/{3}index\.js#/) };
	for (const resource of await stack.resources())
		expect(resource).toMatchObject({ ...inProgram, stackTrace: [inProgram] });
	succeeds(await stack.preview("--expect-no-changes"));
	succeeds(await stack.drift());
}

test("from the classes to the plugin and back", { timeout }, async () => {
	const stack = await started(dynamic);
	await moves(stack, plugin);
	expect((await stack.resources()).map(({ type }) => type.split(":")[0])).toEqual(Array(4).fill("telephony"));
	await moves(stack, back);
	expect((await stack.resources()).map(({ type }) => type.split(":")[0])).toEqual(Array(4).fill("pulumi-nodejs"));
	succeeds(await stack.destroy());
	expect([kinds(), references().length]).toEqual([["purchase", "release"], 1]);
});

test("from the plugin to the classes, which can then repair and destroy what they took over", { timeout }, async () => {
	const stack = await started(plugin);
	await moves(stack, back);
	// The aliases are needed once.
	stack.write(dynamic);
	emulator.control.patchNumber((await stack.ids()).main ?? "", { label: "by hand" });
	succeeds(await stack.up("--refresh"));
	expect(emulator.control.state().numbers[0]?.label).toBe("Main");
	succeeds(await stack.destroy());
	expect([kinds(), references().length]).toEqual([["purchase", "release"], 1]);
});

test("without the aliases nothing is bought or released either, and the old entries can be forgotten", {
	timeout,
}, async () => {
	const stack = await started(plugin);
	const [before, ids] = [await stack.ids(), references().map(([id]) => id)];
	stack.write(dynamic);
	const refused = await stack.up();
	expect([refused.code === 0, refused.output]).toEqual([false, expect.stringContaining("[telephony:another-attempt]")]);
	expect([kinds(), references().map(([id]) => id)]).toEqual([["purchase"], ids]);
	const old = (await stack.resources()).filter(({ type }) => type.startsWith("telephony:"));
	for (const { urn } of old.reverse()) succeeds(await stack.pulumi("state", "delete", urn, "--yes"));
	succeeds(await stack.up());
	expect([await stack.ids(), kinds()]).toEqual([{ ...before, ready: expect.anything() }, ["purchase"]]);
	expect(references().map(([id]) => id)).toEqual(ids);
});
