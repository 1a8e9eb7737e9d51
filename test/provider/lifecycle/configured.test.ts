/** Trunks and webhooks: their secrets, what is told when one is lost or left behind, and how many requests they cost. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../provider/properties/table";
import { configured, digest, secretIn } from "../../helpers/configured";
import { useEmulator } from "../../helpers/emulator";
import { allGone, aNumber, aTrunk, checked, create, initErrorOf, openProvider } from "../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const open = () => openProvider(emulator);
// A secret that is made in the millisecond of the old one has the same time.
const tick = () => new Promise((resolve) => setTimeout(resolve, 2));

describe.each(configured)("a $noun", ({ name, noun, path, secret, rotation, rotate, operation, declare, edit }) => {
	const rows = () => emulator.rows(name);
	const live = (id: string) => secretIn(emulator.row(id));
	const requests = async (work: () => Promise<unknown>) => {
		const before = emulator.control.requests().length;
		await work();
		return emulator.requests(before);
	};
	const byHand = async (id: string) => {
		await tick();
		await emulator.call("POST", `${path}/${id}/${rotate}`);
		await tick();
	};

	test("is made by one request after one look, is read by one, and deleted by one after a look", async () => {
		const { id, outs } = await create(open()[name], declare());
		expect(emulator.requests()).toEqual([`GET ${path}`, `POST ${path}`]);
		expect(outs[secret]).toBe(live(id));
		expect(await requests(() => open()[name].read(id, outs))).toHaveLength(1);
		expect((await requests(() => open()[name].delete(id, outs))).at(-1)).toBe(`DELETE ${path}/${id}`);
	});

	test("has another secret when the program asks for one, once, and the same one else", async () => {
		const { id, outs } = await create(open()[name], declare({ [rotation]: 1 }));
		const same = await checked(open()[name], declare({ [rotation]: 1, ...edit }));
		const edited = await open()[name].update(id, outs, same);
		expect({ secret: edited.outs[secret], live: live(id) }).toEqual({ secret: outs[secret], live: outs[secret] });
		const asked = await checked(open()[name], declare({ [rotation]: 2, ...edit }));
		expect((await open()[name].diff(id, edited.outs, asked)).changes).toBe(true);
		const rotated = await open()[name].update(id, edited.outs, asked);
		expect(rotated.outs[secret]).not.toBe(outs[secret]);
		expect(rotated.outs).toMatchObject({ [secret]: live(id), [rotation]: 2 });
		expect((await open()[name].diff(id, rotated.outs, asked)).changes).toBe(false);
	});

	test("keeps the secret that is valid while another one can't be made, and makes it with the next up", async () => {
		const { id, outs } = await create(open()[name], declare({ [rotation]: 1 }));
		emulator.control.faults.set({ operation, status: 500, every: true });
		const asked = await checked(open()[name], declare({ [rotation]: 2, ...edit }));
		const { properties } = await initErrorOf(open()[name].update(id, outs, asked));
		expect(properties).toMatchObject({ [secret]: live(id), [rotation]: 1, ...edit });
		emulator.control.faults.clear();
		const { outs: done } = await open()[name].update(id, properties, asked);
		expect(done[secret]).not.toBe(outs[secret]);
		expect(done).toMatchObject({ [secret]: live(id), [rotation]: 2 });
	});

	test("whose secret somebody replaced is told so once by refresh, and gets another one with the next up", async () => {
		const { id, outs } = await create(open()[name], declare());
		await byHand(id);
		const run = open();
		const { props = {}, inputs } = await run[name].read(id, outs);
		expect(props[secret]).toBe("");
		expect(inputs).not.toHaveProperty(secret);
		expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\`${secret}\`.*\\[telephony:secret-replaced\\]$`)]);
		const news = await checked(open()[name], declare());
		expect((await open()[name].diff(id, props, news)).changes).toBe(true);
		const { outs: mended } = await open()[name].update(id, props, news);
		expect(mended[secret]).toBe(live(id));
		const later = open();
		expect((await later[name].read(id, mended)).props?.[secret]).toBe(mended[secret]);
		expect(later.warnings).toEqual([]);
	});

	test.each([true, false])("that is gone is named by refresh, with what the next up does; alone: %s", async (alone) => {
		const first = open();
		const { id, outs } = await create(first[name], declare());
		const other = await create(first[name], declare({}, "other"));
		await emulator.call("DELETE", `${path}/${id}`);
		if (alone) await emulator.call("DELETE", `${path}/${other.id}`);
		const run = openProvider(emulator, alone ? allGone : {});
		if (!alone) await run[name].read(other.id, other.outs);
		expect(await run[name].read(id, outs)).toEqual({});
		expect(run.warnings).toEqual([expect.stringMatching(`${noun}.*${id}.*\\[telephony:removed-outside\\]$`)]);
	});

	test("is kept by the delete of a replacement, with a word, as this program still declares it", async () => {
		const { id, outs } = await create(open()[name], declare());
		for (const isFirst of [true, false]) {
			const run = open();
			const inputs = await checked(run[name], declare());
			if (!isFirst) await run[name].create(inputs);
			const before = run.warnings.length;
			await run[name].delete(id, outs);
			expect(run.warnings.slice(before)).toEqual([expect.stringMatching(`${id}.*\\[telephony:kept\\]$`)]);
			expect(rows().map((row) => row.id)).toEqual([id]);
		}
	});

	test("clears what an interrupted run had declared, and this one doesn't", async () => {
		await create(open()[name], declare(name === "webhook" ? { description: "old" } : { label: "old", cps: 5 }));
		await create(open()[name], declare());
		expect(rows()).toMatchObject([name === "webhook" ? { description: null } : { label: null, cps: null }]);
	});

	test("that was written is read anew in the same run", async () => {
		const { id, outs } = await create(open()[name], declare());
		const run = open();
		await run[name].read(id, outs);
		const { outs: edited } = await run[name].update(id, outs, await checked(run[name], declare(edit)));
		expect((await run[name].read(id, edited)).props).toMatchObject(edit);
	});

	test.each([{ reference: false }, { idempotencyKey: false }])(
		"is made beside a like one without a word where the service can tell whose that is: without %j",
		async (features) => {
			await create(open()[name], declare({}, "first"));
			emulator.control.settings({ features });
			const run = open();
			await create(run[name], declare(name === "webhook" ? {} : { name: "first" }, "second"));
			expect({ warnings: run.warnings, rows: rows().length }).toEqual({ warnings: [], rows: 2 });
		},
	);

	describe("at a service without keys and references", () => {
		const neither = { features: { idempotencyKey: false, reference: false } };

		test("is made beside one that an interrupted run may have left, which is named", async () => {
			emulator.control.settings(neither);
			const left = await create(open()[name], declare());
			const run = open();
			const { id } = await create(run[name], declare());
			expect(id).not.toBe(left.id);
			expect(run.warnings).toEqual([expect.stringMatching(`${left.id}.*\\[telephony:duplicate\\]$`)]);
			expect(run.warnings[0]).not.toContain(id);
		});

		test("says nothing of one that this program has, or that is another one", async () => {
			emulator.control.settings(neither);
			const first = await create(open()[name], declare());
			const other = name === "webhook" ? { url: "https://hooks.example.com/other" } : { name: "other" };
			const run = open();
			await create(run[name], declare(other, "other"));
			await run[name].read(first.id, first.outs);
			await create(run[name], declare(name === "webhook" ? {} : { name: "pbx" }, "twin"));
			expect(run.warnings).toEqual([]);
		});
	});
});

test("a password that the program declares and somebody replaced is written back, not made anew", async () => {
	const auth = { ...digest, password: "a password of mine" };
	const { id, outs } = await create(open().sipTrunk, aTrunk({ auth }));
	await tick();
	await emulator.call("POST", `/trunks/${id}/rotate_password`);
	const run = open();
	const { props = {} } = await run.sipTrunk.read(id, outs);
	expect(run.warnings).toEqual([expect.stringContaining("writes back the one that the program declares")]);
	const { outs: mended } = await open().sipTrunk.update(id, props, await checked(open().sipTrunk, aTrunk({ auth })));
	expect(mended.password).toBe("a password of mine");
	expect(emulator.control.state().trunks).toMatchObject([{ auth }]);
	const paths = emulator.control.requests().map(({ path }) => path);
	expect(paths.filter((path) => path.endsWith("/rotate_password"))).toHaveLength(1);
});

test("a trunk that allows addresses has no password, in its state or anywhere", async () => {
	const { id, outs } = await create(open().sipTrunk, aTrunk());
	const { props = {} } = await open().sipTrunk.read(id, outs);
	for (const each of [outs, props]) {
		expect(each).not.toHaveProperty("password");
		expect(each).not.toHaveProperty("passwordUpdatedAt");
	}
	// One that becomes a digest trunk gets one, and one that ceases to be loses it.
	const toDigest = await checked(open().sipTrunk, aTrunk({ auth: digest }));
	const { outs: withOne } = await open().sipTrunk.update(id, outs, toDigest);
	expect(JSON.stringify(emulator.control.state().trunks[0]?.auth)).toContain(String(withOne.password));
	const { outs: without } = await open().sipTrunk.update(id, withOne, await checked(open().sipTrunk, aTrunk()));
	expect(without).not.toHaveProperty("password");
});

test("a trunk waits half a minute at most for a run that goes on writing numbers, and is gone once they have left it", async () => {
	const trunk = await create(open().sipTrunk, aTrunk());
	const used = { routing: { type: "trunk", trunkId: trunk.id } };
	const number = await create(open().number, aNumber(used));
	const other = await create(open().number, aNumber({}, "other"));
	const writing = async (run: ReturnType<typeof open>, seconds: number, { id, outs }: typeof number, args: Values) => {
		const name = id === number.id ? "main" : "other";
		const news = await checked(run.number, aNumber(args, name));
		run.clock.after(seconds, () => void run.number.update(id, outs, news));
	};
	const busy = open();
	for (let second = 0.5; second < 60; second += 1) await writing(busy, second, other, { label: `at ${second}` });
	const error = await busy.sipTrunk.delete(trunk.id, trunk.outs).catch((reason: Error) => reason);
	expect(String(error)).toContain("trunk_in_use");
	expect(busy.clock.slept.filter((ms) => ms >= 1000).reduce((sum, ms) => sum + ms, 0)).toBe(30_000);

	const run = open();
	await writing(run, 4, other, { label: "elsewhere" });
	await writing(run, 8, number, {});
	await run.sipTrunk.delete(trunk.id, trunk.outs);
	expect(emulator.control.state().trunks).toEqual([]);
});

describe("a trunk whose delete the service refuses", () => {
	const refusedWith = async (error: string, status = 409) => {
		const { id, outs } = await create(open().sipTrunk, aTrunk());
		emulator.control.faults.set({ operation: "deleteTrunk", every: true, kind: "status", status, error });
		const run = open();
		const failure = await run.sipTrunk.delete(id, outs).catch((reason: Error) => reason);
		return { message: String(failure), slept: run.clock.slept.filter((ms) => ms >= 1000) };
	};

	test("for another reason than its numbers is not waited for", async () => {
		const { message, slept } = await refusedWith("forbidden", 403);
		expect({ message, slept }).toEqual({ message: expect.stringContaining("forbidden"), slept: [] });
	});

	test("though no number is seen to use it is told without one", async () => {
		const { message, slept } = await refusedWith("trunk_in_use");
		expect({ message, slept: slept.length }).toEqual({ message: expect.stringContaining("trunk_in_use"), slept: 3 });
		expect(message).not.toContain("They are");
	});

	test("is told also where the numbers can't be listed", async () => {
		emulator.control.faults.set({ operation: "listNumbers", every: true, status: 403 });
		const { message } = await refusedWith("trunk_in_use");
		expect(message).toContain("trunk_in_use");
		expect(message).not.toContain("They are");
	});
});
