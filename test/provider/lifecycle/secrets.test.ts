/** The secret of a trunk or webhook: who replaces it, and which one the state holds. */
import { describe, expect, test } from "vitest";
import { openIn } from "../../../provider/properties/open";
import type { Values } from "../../../provider/properties/table";
import { resources } from "../../../provider/resources";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { digest, secretIn, secretKinds } from "../../helpers/kinds";
import { aTrunk, codesOf, create, openProvider } from "../../helpers/provider";
import { differs, failedUp, type ResourceState, updated } from "../../helpers/runs";

const emulator = useEmulator();
const proxy = useFaultProxy(emulator);
const open = () => openProvider(emulator);
/** Two secrets of one millisecond have the same time. */
const tick = () => new Promise((resolve) => setTimeout(resolve, 2));
const rotations = () => emulator.writes().filter((write) => write.includes("rotate"));

describe.each(secretKinds)("the secret of a $noun", (kind) => {
	const { name, type, path, output, rotation, rotate, operation, declare, edit, byHand } = kind;
	const live = (id: string) => secretIn(emulator.row(id));
	const marker = resources[type].drift.secret?.marker ?? "";
	const made = (args: Values = {}) => create(open()[name], declare(args));
	const replacedByHand = async (id: string) => {
		await tick();
		await emulator.call("POST", `${path}/${id}/${rotate}`);
		await tick();
	};
	const adopting = async () => (await emulator.call("POST", path, byHand)).body.id;
	const refresh = async ({ id, outs }: ResourceState, run = open()) => {
		const { props = {}, inputs } = await run[name].read(id, outs);
		expect(inputs).not.toHaveProperty(output);
		return { id, outs: props, codes: codesOf(run.warnings) };
	};

	test("changes once for each new rotation value", async () => {
		const resource = await made({ [rotation]: 1 });
		expect(resource.outs[output]).toBe(live(resource.id));
		const edited = await updated(open(), resource, declare({ [rotation]: 1, ...edit }));
		expect([edited.outs[output], live(resource.id)]).toEqual(Array(2).fill(resource.outs[output]));
		const wanted = declare({ [rotation]: 2, ...edit });
		expect(await differs(open(), edited, wanted)).toBe(true);
		const rotated = await updated(open(), edited, wanted);
		expect(rotated.outs[output]).not.toBe(resource.outs[output]);
		expect(rotated.outs).toMatchObject({ [output]: live(resource.id), [rotation]: 2 });
		expect(await differs(open(), rotated, wanted)).toBe(false);
	});

	test("stays while another can't be made, and changes in the next up", async () => {
		const resource = await made({ [rotation]: 1 });
		emulator.control.faults.set({ operation, status: 500, every: true });
		const wanted = declare({ [rotation]: 2, ...edit });
		const saved = await failedUp(open(), wanted, resource);
		expect(saved.outs).toMatchObject({ [output]: live(resource.id), [rotation]: 1, ...edit });
		emulator.control.faults.clear();
		const { outs } = await updated(open(), saved, wanted);
		expect(outs[output]).not.toBe(resource.outs[output]);
		expect(outs).toMatchObject({ [output]: live(resource.id), [rotation]: 2 });
	});

	test("is replaced by the next up if the response to its rotation was lost", async () => {
		const resource = await made({ [rotation]: 1 });
		await tick();
		emulator.control.faults.set({ operation, kind: "reset", phase: "after", every: true });
		const saved = await failedUp(open(), declare({ [rotation]: 2 }), resource);
		emulator.control.faults.clear();
		expect(openIn(saved.outs).isDirty).toBe(true);
		const afterRefresh = await refresh(saved);
		expect(afterRefresh).toMatchObject({ codes: [], outs: { [output]: "" } });
		expect((await updated(open(), afterRefresh, declare({ [rotation]: 2 }))).outs[output]).toBe(live(resource.id));
	});

	test("is replaced if the state lacks it, or an interrupted run made it", async () => {
		const resource = await made();
		const { [output]: first, ...outs } = resource.outs;
		const second = (await updated(open(), { id: resource.id, outs }, declare(edit))).outs[output];
		const { outs: third } = await made();
		expect(new Set([first, second, third[output]]).size).toBe(3);
		expect(third[output]).toBe(live(resource.id));
	});

	test("is reported once after a rotation outside Pulumi, and replaced", async () => {
		const resource = await made();
		await replacedByHand(resource.id);
		const reference = emulator.row(resource.id)?.reference;
		emulator.edit(name, resource.id, { reference: "order 4711" });
		expect((await refresh(resource)).codes, "another owner's").toEqual(["claimed"]);
		emulator.edit(name, resource.id, { reference });
		const afterRefresh = await refresh(resource);
		expect(afterRefresh).toMatchObject({ codes: ["secret-replaced"], outs: { [output]: "" } });
		expect(afterRefresh.outs[marker]).not.toEqual(resource.outs[marker]);
		expect(await differs(open(), afterRefresh, declare())).toBe(true);
		const mended = await updated(open(), afterRefresh, declare());
		expect(mended.outs[output]).toBe(live(resource.id));
		expect(await refresh(mended)).toMatchObject({ codes: [], outs: { [output]: mended.outs[output] } });
		await replacedByHand(resource.id);
		expect((await updated(open(), mended, declare(edit))).outs[output], "without a refresh").toBe(live(resource.id));
	});

	test.each<[string, (key: string, value: unknown) => unknown]>([
		["respells", (key, value) => (key === "password_updated_at" ? String(value).replace("Z", "+00:00") : value)],
		["hides", (key, value) => (/^(password_updated_at|secret_version)$/.test(key) ? undefined : value)],
	])("stays if the service %s what marks a new one", async (_, reviver) => {
		const resource = await made();
		proxy.rewrite = (text) => (text === "" ? text : JSON.stringify(JSON.parse(text, reviver)));
		const afterRefresh = await refresh(resource, openProvider(proxy));
		const { [output]: secret, [marker]: mark } = resource.outs;
		expect(afterRefresh).toMatchObject({ codes: [], outs: { [output]: secret, [marker]: mark } });
		const edited = await updated(openProvider(proxy), afterRefresh, declare(edit));
		expect([edited.outs[output], rotations()]).toEqual([live(resource.id), []]);
		const { [marker]: _before, ...older } = edited.outs;
		expect(await refresh({ id: resource.id, outs: older })).toMatchObject({
			codes: [],
			outs: { [output]: edited.outs[output], [marker]: mark },
		});
	});

	test.each<[string, unknown]>([
		["absent", undefined],
		["null", null],
		["empty", ""],
		["masked", "******4f2a"],
		["a number", 12345],
		["an object", { value: "x" }],
	])("is made once if the service shows it as %s", async (_, replacement) => {
		const reviver = (key: string, value: unknown) => (key === output ? replacement : value);
		proxy.rewrite = (text) => (text === "" ? text : JSON.stringify(JSON.parse(text, reviver)));
		const hiding = () => openProvider(proxy);
		const run = hiding();
		const made = await create(run[name], declare({ [rotation]: 1 }));
		expect(made.outs).not.toHaveProperty(output);
		expect(run.warnings).toContainEqual(expect.stringMatching(/\[telephony:secret-hidden\]$/));
		expect(rotations()).toHaveLength(1);
		await tick();
		const afterRefresh = await refresh(made, hiding());
		expect(afterRefresh.codes).not.toContain("secret-replaced");
		expect(await differs(hiding(), afterRefresh, declare({ [rotation]: 1 }))).toBe(false);
		const edited = await updated(hiding(), afterRefresh, declare({ [rotation]: 1, ...edit }));
		expect(rotations(), "an edit makes no other").toHaveLength(1);
		proxy.rewrite = (text) => text;
		const wanted = declare({ [rotation]: 2, ...edit });
		expect((await updated(open(), edited, wanted)).outs[output]).toBe(live(made.id));
	});

	test("stays unknown for an adopted object until a rotation", async () => {
		const id = await adopting();
		const before = live(id);
		const resource = await create(open()[name], declare({ adopt: id }));
		expect(resource.outs).toHaveProperty(marker);
		const news = declare({ adopt: id, ...edit });
		const edited = await updated(open(), resource, news);
		for (const { outs } of [resource, edited]) expect(outs).not.toHaveProperty(output);
		expect({ live: live(id), rotations: rotations() }).toEqual({ live: before, rotations: [] });
		await replacedByHand(id);
		const theirs = live(id);
		const afterRefresh = await refresh(edited);
		expect(await differs(open(), afterRefresh, news)).toBe(false);
		const wanted = declare({ adopt: id, ...edit, [rotation]: 1 });
		expect(await differs(open(), afterRefresh, wanted)).toBe(true);
		const rotated = await updated(open(), afterRefresh, wanted);
		expect(rotated.outs[output]).toBe(live(id));
		expect(rotated.outs[output]).not.toBe(theirs);
		await replacedByHand(id);
		expect((await refresh(rotated)).outs[output], "known from now on").toBe("");
	});
});

test.each(secretKinds)("makes a rotated secret of an adopted $noun after a failure too", async (kind) => {
	const { path, output, rotation, operation, declare, byHand } = kind;
	const news = declare({ adopt: (await emulator.call("POST", path, byHand)).body.id, [rotation]: "a" });
	emulator.control.faults.set({ operation, status: 500, every: true });
	const saved = await failedUp(open(), news);
	expect(saved).toMatchObject({ id: news.adopt, outs: { [output]: "" } });
	emulator.control.faults.clear();
	expect(await differs(open(), saved, news)).toBe(true);
	expect((await updated(open(), saved, news)).outs[output]).toBe(secretIn(emulator.row(saved.id)));
});

describe("a trunk's password", () => {
	const trunkWith = (password: string, args: Values = {}) => aTrunk({ auth: { ...digest, password }, ...args });
	const trunks = () => emulator.control.state().trunks;

	test("is restored after a rotation outside Pulumi if it is declared", async () => {
		const { id, outs } = await create(open().sipTrunk, trunkWith("a password of mine"));
		await tick();
		await emulator.call("POST", `/trunks/${id}/rotate_password`);
		const run = open();
		const { props = {} } = await run.sipTrunk.read(id, outs);
		expect(run.warnings).toEqual([expect.stringMatching(/restores .*\[telephony:secret-replaced\]/)]);
		const mended = await updated(open(), { id, outs: props }, trunkWith("a password of mine"));
		expect(mended.outs.password).toBe("a password of mine");
		expect(trunks()).toMatchObject([{ auth: { password: "a password of mine" } }]);
		expect(rotations()).toHaveLength(1);
		for (const [password, more] of [
			["resumed by a lost state", {}],
			["adopted by another resource", { adopt: id }],
		] as const) {
			const made = await create(open().sipTrunk, trunkWith(password, more));
			expect(trunks()).toMatchObject([{ id, auth: { password } }]);
			expect(made.outs.password).toBe(password);
		}
	});

	test("exists in digest mode alone", async () => {
		const made = await create(open().sipTrunk, aTrunk());
		const { props = {} } = await open().sipTrunk.read(made.id, made.outs);
		for (const values of [made.outs, props])
			expect(Object.keys(values).filter((key) => key.startsWith("password"))).toEqual([]);
		const withOne = await updated(open(), made, aTrunk({ auth: digest }));
		expect(withOne.outs.password).toBe(secretIn(emulator.row(made.id)));
		expect(rotations()).toEqual([]);
		expect((await updated(open(), withOne, aTrunk())).outs).not.toHaveProperty("password");
		emulator.edit("sipTrunk", made.id, { reference: null });
		const adopted = await create(open().sipTrunk, aTrunk({ adopt: made.id, auth: digest }, "adopting"));
		expect(adopted.outs.password).toBe(secretIn(emulator.row(made.id)));
	});
});
