/** Trunks and webhooks that are on the account already, taken over instead of created. */
import { describe, expect, test } from "vitest";
import { driftOf } from "../../../provider/drift/definition";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { resources } from "../../../provider/resources";
import { configured, digest, secretIn } from "../../helpers/configured";
import { useEmulator } from "../../helpers/emulator";
import { allGone, aTrunk, checked, create, failureOf, initErrorOf, openProvider } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";

const emulator = useEmulator();
const { row, writes } = emulator;
const open = (options = {}) => openProvider(emulator, options);

describe.each(configured)("a $noun that is adopted", (kind) => {
	const { name, type, path, noun, secret, rotation, rotate, operation, declare, byHand, edit } = kind;
	const onAccount = async (): Promise<string> => (await emulator.call("POST", path, byHand)).body.id as string;
	const rows = () => emulator.rows(name);
	const secretOf = (id: string) => secretIn(row(id));
	const rotations = () => writes().filter((each) => /rotate/.test(each));

	test("is configured and claimed, not created, and leaves nothing to do", async () => {
		const id = await onAccount();
		const made = await create(open()[name], declare({ adopt: ` ${id} `, ...edit }));
		expect({ id: made.id, rows: rows().length }).toEqual({ id, rows: 1 });
		expect(row(id)).toMatchObject({ ...edit, reference: expect.stringContaining(String(made.outs.lease)) });
		// What the program doesn't declare stays.
		expect(Object.values(row(id) ?? {})).toContain("by hand");
		const later = open();
		expect(await refreshed(later, made, declare({ adopt: id, ...edit }))).toMatchObject({ changes: false });
		expect(later.warnings).toEqual([]);
	});

	test("costs one look at the list and one write", async () => {
		const id = await onAccount();
		const before = emulator.control.requests().length;
		await create(open()[name], declare({ adopt: id }));
		expect(emulator.requests(before)).toEqual([`GET ${path}`, `PATCH ${path}/${id}`]);
	});

	test("keeps its secret, which nobody here knows, until another one is asked for", async () => {
		const id = await onAccount();
		const before = secretOf(id);
		const { outs } = await create(open()[name], declare({ adopt: id }));
		expect(outs).not.toHaveProperty(secret);
		// Nor does an edit make a new one, nor is one that somebody else made any of our business.
		const edited = await checked(open()[name], declare({ adopt: id, ...edit }));
		const updated = await open()[name].update(id, outs, edited);
		expect({ secret: updated.outs[secret], secretOf: secretOf(id), rotations: rotations() }).toEqual({
			secret: undefined,
			secretOf: before,
			rotations: [],
		});
		await emulator.call("POST", `${path}/${id}/${rotate}`);
		const others = secretOf(id);
		expect(others).not.toBe(before);
		const read = await open()[name].read(id, updated.outs);
		expect((await open()[name].diff(id, read.props ?? {}, edited)).changes).toBe(false);

		const asked = await checked(open()[name], declare({ adopt: id, ...edit, [rotation]: 1 }));
		expect((await open()[name].diff(id, read.props ?? {}, asked)).changes).toBe(true);
		const rotated = await open()[name].update(id, read.props ?? {}, asked);
		expect(rotated.outs[secret]).toBe(secretOf(id));
		expect(rotated.outs[secret]).not.toBe(others);
		// Known from now on: another one is drift, as everywhere.
		await emulator.call("POST", `${path}/${id}/${rotate}`);
		expect((await open()[name].read(id, rotated.outs)).props?.[secret]).toBe("");
	});

	test("shows an edit as drift, but not that somebody replaced its secret", () => {
		const marker = resources[type].drift.secret?.marker ?? "";
		const side = (inputs: Values, at: number) => ({ inputs, outputs: { [marker]: at } });
		const sides = { declared: side(byHand, 1), live: side({ ...byHand, ...edit }, 2) };
		const drift = driftOf(resources[type].drift, { name: "main", ...sides, differs: true, warnings: [], ignored: [] });
		expect(drift?.changes.map(({ path }) => path)).toEqual(Object.keys(edit));
		expect(drift?.consequence).toBe("in place");
	});

	test("has a new secret at once where the program asks for one, also if that fails at first", async () => {
		const id = await onAccount();
		const inputs = await checked(open()[name], declare({ adopt: id, [rotation]: "a" }));
		emulator.control.faults.set({ operation, status: 500, every: true });
		const error = await initErrorOf(open()[name].create(inputs));
		expect(error.id).toBe(id);
		emulator.control.faults.clear();
		expect((await open()[name].diff(id, error.properties, inputs)).changes).toBe(true);
		const { outs } = await open()[name].update(id, error.properties, inputs);
		expect(outs[secret]).toBe(secretOf(id));
	});

	test("is left on the account by destroy, unclaimed, with a warning, though `adopt` was removed since", async () => {
		const id = await onAccount();
		const inputs = await checked(open()[name], declare({ adopt: id }));
		const { outs } = await open()[name].create(inputs);
		const removed = await checked(open()[name], declare({}), inputs);
		expect(removed).toEqual(inputs);
		expect((await open()[name].diff(id, outs, removed)).changes).toBe(false);
		const run = open();
		await run[name].delete(id, outs);
		expect(row(id)).toMatchObject({ reference: null });
		expect(run.warnings).toEqual([expect.stringMatching(new RegExp(`^Kept ${noun} .*${id}.*\`adopt\``))]);
		// So the next one may have it.
		expect((await create(open({ place: "https://elsewhere.example" })[name], declare({ adopt: id }))).id).toBe(id);
	});

	test("is not created again when it is gone: up says that adopt names it", async () => {
		const id = await onAccount();
		const { outs } = await create(open()[name], declare({ adopt: id }));
		await emulator.call("DELETE", `${path}/${id}`);
		expect((await failureOf(open()[name].read(id, outs))).messageCode).toBe("wrong-account");
		const run = open(allGone);
		expect((await run[name].read(id, outs)).id).toBeUndefined();
		expect(run.warnings).toEqual([expect.stringMatching(/`adopt`.*\[telephony:removed-outside\]$/)]);
		expect((await failureOf(create(open()[name], declare({ adopt: id })))).messageCode).toBe("adopt-refused");
		expect(rows()).toEqual([]);
		const { consequence, way } = resources[type].drift.lost({});
		expect(resources[type].drift.lost({ adopt: id })).toEqual({
			consequence: `${consequence}, once you remove \`adopt\`, which names the lost one`,
			way: `remove \`adopt\` from the program, then ${way}`,
		});
		expect(`${consequence} ${way}`).not.toContain("adopt");
	});

	test("is taken over again by the run after one that was killed, and by --replace", async () => {
		const id = await onAccount();
		const { outs } = await create(open()[name], declare({ adopt: id }));
		const run = open();
		expect((await create(run[name], declare({ adopt: id }))).id).toBe(id);
		await run[name].delete(id, outs);
		expect(row(id)?.reference).toEqual(expect.stringContaining("."));
	});

	describe("is refused, and nothing changed,", () => {
		const refused = async (adopt: string, run = open()) => {
			const before = emulator.control.requests().length;
			const error = await failureOf(create(run[name], declare({ adopt })));
			expect(writes(before)).toEqual([]);
			return error;
		};

		test("where the program declares it elsewhere, whichever comes first", async () => {
			const run = open();
			const first = await create(run[name], declare({}, "first"));
			expect((await refused(first.id, run)).messageCode).toBe("shared-object");
			const free = await onAccount();
			const both = open();
			const made = await Promise.allSettled(
				["a", "b"].map((each) => create(both[name], declare({ adopt: free }, each))),
			);
			expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
		});

		test.each([true, false])(
			"as soon as the turn comes of the resource that has it already, with references: %s",
			async (reference) => {
				emulator.control.settings({ features: { reference } });
				const { id, outs } = await create(open()[name], declare({}, "first"));
				const run = open();
				await create(run[name], declare({ adopt: id }, "late"));
				const inputs = await checked(run[name], declare({}, "first"));
				expect((await run[name].diff(id, outs, inputs)).changes).toBe(true);
				const error = await failureOf(run[name].update(id, outs, inputs));
				expect(error).toMatchObject({ kind: "Claimed", messageCode: "shared-object" });
			},
		);

		test("with another value later, and for one that was created", async () => {
			const before = await checked(open()[name], declare({ adopt: "a_1" }));
			const failures = async (olds: Values, adopt: string) =>
				(await open()[name].check(olds, declare({ adopt }))).failures.map(({ reason }) => reason);
			const once = expect.stringMatching(/^adopt: /);
			expect(await failures(before, "a_2")).toEqual([once]);
			expect(await failures(await checked(open()[name], declare({})), "a_2")).toEqual([once]);
			expect(await failures(before, " a_1 ")).toEqual([]);
			expect(await failures(before, unknownValue)).toEqual([]);
		});
	});

	test.each([true, false])(
		"moves from one resource of the program to another, with references: %s",
		async (reference) => {
			emulator.control.settings({ features: { reference } });
			const { id, outs } = await create(open()[name], declare({}, "old"));
			const run = open();
			await run[name].read(id, outs);
			expect((await create(run[name], declare({ adopt: id }, "new"))).id).toBe(id);
			await run[name].delete(id, outs);
			expect(rows().map((each) => each.id)).toEqual([id]);
		},
	);
});

test("an adopted trunk gets the password that is declared, and one of the service's where it had none", async () => {
	const trunk = (auth: Values) => emulator.call("POST", "/trunks", { name: "By hand", capacity: 1, auth });
	const [theirs, none] = [await trunk(digest), await trunk({ mode: "ip_acl", allowed_cidrs: ["198.51.100.7/32"] })];
	const own = { ...digest, password: "a password of mine" };
	const one = await create(open().sipTrunk, aTrunk({ adopt: theirs.body.id, auth: own }));
	expect(one.outs.password).toBe("a password of mine");
	const other = await create(open().sipTrunk, aTrunk({ adopt: none.body.id, auth: digest }, "other"));
	const state = JSON.stringify(emulator.control.state().trunks);
	for (const { outs } of [one, other]) expect(state).toContain(outs.password);
});
