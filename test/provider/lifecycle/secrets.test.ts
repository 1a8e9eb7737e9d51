/** The secret of a trunk or webhook: who knows it, who replaces it, and which one the state holds. */
import { describe, expect, test } from "vitest";
import { driftOf } from "../../../provider/drift/definition";
import { openIn } from "../../../provider/properties/open";
import type { Values } from "../../../provider/properties/table";
import { resources } from "../../../provider/resources";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { digest, secretIn, secretKinds } from "../../helpers/kinds";
import { aTrunk, create, openProvider } from "../../helpers/provider";
import { differs, failedUp, updated } from "../../helpers/runs";

const emulator = useEmulator();
const proxy = useFaultProxy(emulator);
const open = () => openProvider(emulator);
// A secret that is made in the millisecond of the old one has the same time.
const tick = () => new Promise((resolve) => setTimeout(resolve, 2));

describe.each(secretKinds)("a $noun with a secret", (kind) => {
	const { name, type, path, output, rotation, rotate, operation, declare, edit, byHand } = kind;
	const live = (id: string) => secretIn(emulator.row(id));
	const marker = resources[type].drift.secret?.marker ?? "";
	const replacedByHand = async (id: string) => {
		await tick();
		await emulator.call("POST", `${path}/${id}/${rotate}`);
		await tick();
	};
	const adopting = async () => (await emulator.call("POST", path, byHand)).body.id;
	const rotations = () => emulator.writes().filter((each) => each.includes("rotate"));

	test("has another one when the program asks for one, once, and the same one else", async () => {
		const made = await create(open()[name], declare({ [rotation]: 1 }));
		expect(made.outs[output]).toBe(live(made.id));
		const edited = await updated(open(), made, declare({ [rotation]: 1, ...edit }));
		expect(edited.outs[output], "state").toEqual(made.outs[output]);
		expect(live(made.id)).toEqual(made.outs[output]);
		const asked = declare({ [rotation]: 2, ...edit });
		expect(await differs(open(), edited, asked)).toBe(true);
		const rotated = await updated(open(), edited, asked);
		expect(rotated.outs[output]).not.toBe(made.outs[output]);
		expect(rotated.outs).toMatchObject({ [output]: live(made.id), [rotation]: 2 });
		expect(await differs(open(), rotated, asked)).toBe(false);
	});

	test("keeps the one that is valid while another can't be made, and gets that with the next up", async () => {
		const made = await create(open()[name], declare({ [rotation]: 1 }));
		emulator.control.faults.set({ operation, status: 500, every: true });
		const asked = declare({ [rotation]: 2, ...edit });
		const left = await failedUp(open(), asked, made);
		expect(left.outs).toMatchObject({ [output]: live(made.id), [rotation]: 1, ...edit });
		emulator.control.faults.clear();
		const { outs } = await updated(open(), left, asked);
		expect(outs[output]).not.toBe(made.outs[output]);
		expect(outs).toMatchObject({ [output]: live(made.id), [rotation]: 2 });
	});

	test("whose replacement got no answer is no news for a refresh, and is replaced with the next up", async () => {
		const made = await create(open()[name], declare({ [rotation]: 1 }));
		await tick();
		emulator.control.faults.set({ operation, kind: "reset", phase: "after", every: true });
		const left = await failedUp(open(), declare({ [rotation]: 2 }), made);
		emulator.control.faults.clear();
		expect(openIn(left.outs).unseen).toEqual(expect.arrayContaining([output, marker]));
		const run = open();
		const { props = {} } = await run[name].read(left.id, left.outs);
		expect({ warnings: run.warnings, secret: props[output] }).toEqual({ warnings: [], secret: "" });
		expect((await updated(open(), { id: left.id, outs: props }, declare({ [rotation]: 2 }))).outs[output]).toBe(
			live(made.id),
		);
	});

	test("of an object that another stack has now is that one's: a refresh tells only whose it is", async () => {
		const { id, outs } = await create(open()[name], declare());
		emulator.edit(name, id, { reference: "another-token.criteria.another-who.lease.word.~theirs/prod" });
		await replacedByHand(id);
		const run = open();
		await run[name].read(id, outs);
		expect(run.warnings).toEqual([expect.stringContaining("[telephony:claimed]")]);
	});

	test("that the state has lost is replaced, where it isn't an adopted object's", async () => {
		const made = await create(open()[name], declare());
		const { [output]: _, ...outs } = made.outs;
		expect((await updated(open(), { id: made.id, outs }, declare(edit))).outs[output]).toBe(live(made.id));
	});

	test.each<[string, (key: string, value: unknown) => unknown]>([
		[
			"is spelled otherwise",
			(key, value) => (key === "password_updated_at" ? String(value).replace("Z", "+00:00") : value),
		],
		["isn't shown any more", (key, value) => (/^(password_updated_at|secret_version)$/.test(key) ? undefined : value)],
	])("stays where what tells of another one %s", async (_, reviver) => {
		const { id, outs } = await create(open()[name], declare());
		proxy.rewrite = (text) => (text === "" ? text : JSON.stringify(JSON.parse(text, reviver)));
		const run = openProvider(proxy);
		const { props = {} } = await run[name].read(id, outs);
		expect([run.warnings, props[output], props[marker]]).toEqual([[], outs[output], outs[marker]]);
		const edited = await updated(openProvider(proxy), { id, outs: props }, declare(edit));
		expect([edited.outs[output], rotations()]).toEqual([live(id), []]);
		// Nor is it another one as soon as the service tells.
		const { [marker]: _before, ...older } = edited.outs;
		const later = open();
		const { props: told = {} } = await later[name].read(id, older);
		expect([later.warnings, told[output], told[marker]]).toEqual([[], edited.outs[output], outs[marker]]);
	});

	test("that somebody replaced is told so once by refresh, and gets another one with the next up", async () => {
		const { id, outs } = await create(open()[name], declare());
		await replacedByHand(id);
		const run = open();
		const { props = {}, inputs } = await run[name].read(id, outs);
		expect(props[output]).toBe("");
		expect(inputs).not.toHaveProperty(output);
		expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\`${output}\`.*\\[telephony:secret-replaced\\]$`)]);
		expect(props[marker]).not.toEqual(outs[marker]);
		expect(await differs(open(), { id, outs: props }, declare())).toBe(true);
		const mended = await updated(open(), { id, outs: props }, declare());
		expect(mended.outs[output]).toBe(live(id));
		const later = open();
		expect((await later[name].read(id, mended.outs)).props?.[output]).toBe(mended.outs[output]);
		expect(later.warnings).toEqual([]);
	});

	test("that somebody replaced is not kept by an up without refresh", async () => {
		const made = await create(open()[name], declare());
		await replacedByHand(made.id);
		expect((await updated(open(), made, declare(edit))).outs[output]).toBe(live(made.id));
	});

	test("that an earlier run made and nobody here knows is replaced when it is taken over", async () => {
		const first = await create(open()[name], declare());
		const second = await create(open()[name], declare());
		expect(second.id).toBe(first.id);
		expect(second.outs[output]).not.toBe(first.outs[output]);
		expect(second.outs[output]).toBe(live(first.id));
	});

	test("of an adopted object stays, and nobody here knows it, until another one is asked for", async () => {
		const id = await adopting();
		const before = live(id);
		const made = await create(open()[name], declare({ adopt: id }));
		expect(made.outs).not.toHaveProperty(output);
		expect(made.outs).toHaveProperty(marker);
		// Nor does an edit make a new one, nor is one that somebody else made any of our business.
		const news = declare({ adopt: id, ...edit });
		const edited = await updated(open(), made, news);
		expect(edited.outs).not.toHaveProperty(output);
		expect({ live: live(id), rotations: rotations() }).toEqual({ live: before, rotations: [] });
		await replacedByHand(id);
		const others = live(id);
		expect(others).not.toBe(before);
		const read = { id, outs: (await open()[name].read(id, edited.outs)).props ?? {} };
		expect(await differs(open(), read, news)).toBe(false);
		const asked = declare({ adopt: id, ...edit, [rotation]: 1 });
		expect(await differs(open(), read, asked)).toBe(true);
		const rotated = await updated(open(), read, asked);
		expect(rotated.outs[output]).toBe(live(id));
		expect(rotated.outs[output]).not.toBe(others);
		// Known from now on: another one is drift, as everywhere.
		await replacedByHand(id);
		expect((await open()[name].read(id, rotated.outs)).props?.[output]).toBe("");
	});

	test("of an adopted object is new at once where the program asks for one, also if that fails at first", async () => {
		const id = await adopting();
		const news = declare({ adopt: id, [rotation]: "a" });
		emulator.control.faults.set({ operation, status: 500, every: true });
		const left = await failedUp(open(), news);
		expect(left.id).toBe(id);
		expect(left.outs[output]).toBe("");
		emulator.control.faults.clear();
		expect(await differs(open(), left, news)).toBe(true);
		expect((await updated(open(), left, news)).outs[output]).toBe(live(id));
	});

	test("of an adopted object is no drift when somebody replaced it, though an edit beside it is", () => {
		const { drift } = resources[type];
		const side = (inputs: Values, at: number) => ({ inputs, outputs: { [drift.secret?.marker ?? ""]: at } });
		const sides = { declared: side(byHand, 1), live: side({ ...byHand, ...edit }, 2) };
		const seen = driftOf(drift, { name: "main", ...sides, differs: true, warnings: [], ignored: [] });
		expect(seen?.changes.map((change) => change.path)).toEqual(Object.keys(edit));
		expect(seen?.consequence).toBe("in place");
	});
});

describe("a password that the program declares", () => {
	const own = (password: string, args: Values = {}) => aTrunk({ auth: { ...digest, password }, ...args });
	const trunks = () => emulator.control.state().trunks;

	test("is written back where somebody replaced it, and none is made", async () => {
		const { id, outs } = await create(open().sipTrunk, own("a password of mine"));
		await tick();
		await emulator.call("POST", `/trunks/${id}/rotate_password`);
		const run = open();
		const { props = {} } = await run.sipTrunk.read(id, outs);
		expect(run.warnings).toEqual([expect.stringMatching(/restores .*\[telephony:secret-replaced\]/)]);
		const mended = await updated(open(), { id, outs: props }, own("a password of mine"));
		expect(mended.outs.password).toBe("a password of mine");
		expect(trunks()).toMatchObject([{ auth: { password: "a password of mine" } }]);
		expect(emulator.writes().filter((each) => each.endsWith("/rotate_password"))).toHaveLength(1);
	});

	test("is what a trunk gets that is taken over or adopted", async () => {
		const first = await create(open().sipTrunk, own("the first password"));
		for (const [password, more] of [
			["the second password", {}],
			["the third password", { adopt: first.id }],
		] as const) {
			const { outs } = await create(open().sipTrunk, own(password, more));
			expect(trunks()).toMatchObject([{ id: first.id, auth: { password } }]);
			expect(outs.password).toBe(password);
		}
	});
});

test("a trunk that allows addresses has no password, in its state or anywhere, until it becomes a digest trunk", async () => {
	const made = await create(open().sipTrunk, aTrunk());
	const { props = {} } = await open().sipTrunk.read(made.id, made.outs);
	for (const each of [made.outs, props]) {
		expect(each).not.toHaveProperty("password");
		expect(each).not.toHaveProperty("passwordUpdatedAt");
	}
	const withOne = await updated(open(), made, aTrunk({ auth: digest }));
	expect(withOne.outs.password).toBe(secretIn(emulator.row(made.id)));
	expect(emulator.writes().filter((each) => each.includes("rotate"))).toEqual([]);
	expect((await updated(open(), withOne, aTrunk())).outs).not.toHaveProperty("password");
	emulator.edit("sipTrunk", made.id, { reference: null });
	const adopted = await create(open().sipTrunk, aTrunk({ adopt: made.id, auth: digest }, "adopting"));
	expect(adopted.outs.password, "the one that it had not").toBe(secretIn(emulator.row(made.id)));
});
