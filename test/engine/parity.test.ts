/**
 * The dynamic provider and the plugin do the same: one program and the same steps, whose requests, outputs and account are
 * compared after each step. A stack moves from one to the other and back.
 */
import { expect, test, vi } from "vitest";
import { type TestEmulator, useEmulator } from "../helpers/emulator";
import {
	classes,
	createProject,
	expectQuiet,
	type Front,
	type Project,
	plugin,
	type Run,
	stepsIn,
	succeeds,
} from "../helpers/engine";
import { replacing } from "../helpers/story";

vi.setConfig({ testTimeout: 600_000 });
const emulators = { [classes]: useEmulator({ kyc: "immediate" }), [plugin]: useEmulator({ kyc: "immediate" }) };

/** `v` is the version of the program. */
const office = (v: number) => `
	const v = ${v};
	const parent = new pulumi.ComponentResource("example:index:Office", "office");
	const auth = { mode: "digest", username: "office", password: "correct-horse-1" };
	const pbx = new telephony.SipTrunk("pbx", { auth, capacity: 10 + v, targets: [{ host: "PBX.example.com" }] }, { parent });
	const main = new telephony.Number("main", { country: "NL", type: "mobile", label: v === 0 ? "a" : "b", generation: v === 2 ? 1 : 0,
		routing: { type: "trunk", trunkId: pbx.id }, metadata: { trunk: pbx.id } }, { parent });
	new telephony.Activation("ready", { numberIds: [main.id] }, { parent });
	const lines = new telephony.NumberPool("lines", { country: "US", type: "mobile", label: "line-{index}", count: v === 1 ? 3 : 2 }, { parent });
	const hook = new telephony.Webhook("events", { url: "https://hooks.example.com/x", events: [v === 0 ? "*" : "message.received"] }, { parent });
	if (v < 2) new telephony.Number("berlin", { country: "DE", type: "mobile", activationTimeoutSeconds: 1 }, { dependsOn: [lines, hook, main] });
	Object.assign(exports, { e164: main.phoneNumber, domain: pbx.sipDomain, secret: hook.secret, lines: lines.numbers });
`;

type Step = (stack: Project, emulator: TestEmulator) => Promise<Run>;
const writes =
	(v: number, run: Step): Step =>
	(stack, emulator) => {
		stack.write(office(v));
		return run(stack, emulator);
	};
const steps: Readonly<Record<string, Step>> = {
	preview: writes(0, (stack) => stack.preview()),
	// The number in Germany is still pending after its second.
	"first up": (stack, { control }) => {
		control.kyc("manual");
		return stack.up();
	},
	approval: (stack, emulator) => {
		for (const { id, status } of emulator.live()) if (status === "pending") emulator.control.decide(id, "approve");
		return stack.up("--refresh");
	},
	"no change": (stack) => stack.up("--refresh", "--expect-no-changes"),
	drift: (stack, emulator) => {
		const idOf = (wanted: string) => emulator.live().find(({ label }) => label === wanted)?.id ?? "";
		emulator.edit("number", idOf("a"), { label: "by hand", routing: null });
		emulator.edit("number", idOf("line-1"), { metadata: { by: "hand" } });
		emulator.edit("sipTrunk", emulator.rows("sipTrunk")[0]?.id ?? "", { capacity: 3 });
		emulator.edit("webhook", emulator.rows("webhook")[0]?.id ?? "", { rotate_secret: true });
		return stack.drift();
	},
	repair: (stack) => stack.up("--refresh"),
	change: writes(1, (stack) => stack.up()),
	"--replace": async (stack) => stack.up(...(await replacing("main")(stack))),
	"generation and removal": writes(2, (stack) => stack.up()),
	destroy: (stack) => stack.destroy(),
};

/** Values that the service makes up, or that depend on the time. */
const volatile = /^(seq|billed|reference|lease|token|deadline|ciphertext|secretHint|sip_?domain|domain|\w+_at|\w+At)$/i;
/** Replaces each id, number and secret by the order in which it appeared. */
function neutral(value: unknown, places: Map<string, number>): unknown {
	const text = JSON.stringify(value, (key, field) => (volatile.test(key) ? typeof field : field));
	const ids = /\b(num|trk|whk)_\w+|\+\d{8,}|whsec_[\w+/=]+/g;
	const placeOf = (id: string) => {
		if (!places.has(id)) places.set(id, places.size);
		return `#${places.get(id)}`;
	};
	return JSON.parse(text.replaceAll(ids, placeOf));
}

async function observe(front: Front): Promise<ReadonlyMap<string, unknown>> {
	const emulator = emulators[front];
	const stack = await createProject({ service: emulator, front });
	const [chapters, places] = [new Map<string, unknown>(), new Map<string, number>()];
	for (const [name, run] of Object.entries(steps)) {
		const before = emulator.requests().length;
		const done = await run(stack, emulator);
		const resources = (await stack.resources())
			.map(({ urn, outputs = {}, initErrors = [] }) => ({
				...{ name: urn.split("::").at(-1) ?? "", failed: initErrors.length },
				outputs: Object.fromEntries(Object.entries(outputs).filter(isOfProgram).sort()),
			}))
			.sort((a, b) => a.name.localeCompare(b.name));
		const rows = (["sipTrunk", "webhook", "number"] as const).flatMap((kind) => emulator.rows(kind));
		const byText = (a: unknown, b: unknown) => JSON.stringify(a).localeCompare(JSON.stringify(b));
		const observed = { resources, outputs: await stack.outputs(), rows, writes: emulator.writes(before) };
		const { rows: made, writes, ...chapter } = neutral(observed, places) as { rows: unknown[]; writes: unknown[] };
		const sorted = { rows: made.sort(byText), writes: writes.sort(byText), ledger: emulator.kinds() };
		chapters.set(name, { code: done.code, steps: stepsIn(done), ...chapter, ...sorted });
	}
	return chapters;
}
/** The dynamic provider's own outputs, such as its text, begin so. */
const isOfProgram = ([key]: readonly [string, unknown]) => !/^(__|__resourceUrn$)/.test(key);

test("does the same by the dynamic provider and the plugin", async () => {
	const [dynamic, native] = [await observe(classes), await observe(plugin)];
	for (const name of Object.keys(steps)) expect.soft(native.get(name), name).toEqual(dynamic.get(name));
});

const moving = (front: Front, more = "") => `
	const front = require(${JSON.stringify(front)});
	const options = (type) => ({ ${more} });
	const pbx = new front.SipTrunk("pbx", { auth: { mode: "digest", username: "office" }, capacity: 10 }, options("SipTrunk"));
	const args = { country: "NL", type: "mobile" };
	const main = new front.Number("main", { ...args, label: "Main", routing: { type: "trunk", trunkId: pbx.id } }, options("Number"));
	const hook = new front.Webhook("events", { url: "https://hooks.example.com/x", events: ["*"] }, options("Webhook"));
	new front.Activation("ready", { numberIds: [main.id] }, options("Activation"));
	const lines = new front.NumberPool("lines", { ...args, count: 1 }, options("NumberPool"));
	Object.assign(exports, { password: pbx.password, secret: hook.secret, lines: lines.numbers });
`;
const back = moving(classes, "aliases: [{ type: `telephony:index:" + "$" + "{type}` }]");

test("moves a stack to the plugin and back without a write", async () => {
	const emulator = emulators[plugin];
	// The file of a shared process would be in the stack traces.
	const project = { program: moving(classes), plugin: true, hasOwnProcess: true } as const;
	const stack = await createProject({ service: emulator, ...project });
	const rows = () => ["number", "sipTrunk", "webhook"].flatMap((kind) => emulator.rows(kind as "number"));
	await succeeds(stack.up());
	const moves = async (next: string, type: string) => {
		const before = { ids: await stack.ids(), rows: rows(), outputs: await stack.outputs() };
		const written = emulator.requests().length;
		stack.write(next);
		await succeeds(stack.up());
		expect({ ids: await stack.ids(), rows: rows(), outputs: await stack.outputs() }).toEqual(before);
		expect(emulator.writes(written)).toEqual([]);
		// The state says where the program declares each.
		const inProgram = { sourcePosition: expect.stringMatching(/^project:\/{3}index\.js#/) };
		for (const resource of await stack.resources())
			expect(resource).toMatchObject({ ...inProgram, stackTrace: [inProgram], type: expect.stringContaining(type) });
		await expectQuiet(stack);
	};
	await moves(moving(plugin), "telephony:index:");
	await moves(back, "pulumi-nodejs:");
	// The aliases are needed once, and the dynamic provider repairs the resources it adopts.
	stack.write(moving(classes));
	const { main = "" } = await stack.ids();
	emulator.control.patchNumber(main, { label: "by hand" });
	await succeeds(stack.up("--refresh"));
	expect(emulator.row(main)?.label).toBe("Main");
	await moves(moving(plugin), "telephony:index:");

	// Without the aliases the dynamic provider resumes each, and the plugin's delete leaves it.
	const ids = await stack.ids();
	stack.write(moving(classes));
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual({ ...ids, ready: expect.anything(), lines: expect.anything() });
	expect(emulator.kinds()).toEqual(["purchase", "purchase"]);
	await succeeds(stack.destroy());
	expect(emulator.kinds()).toEqual(["purchase", "purchase", "release", "release"]);
	expect(rows()).toEqual([]);
});
