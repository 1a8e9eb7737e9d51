/** Objects that are on the account already, taken over instead of made. */
import { describe, expect, test } from "vitest";
import type { TelephonyError } from "../../../provider/api/errors";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { resources } from "../../../provider/resources";
import { useEmulator } from "../../helpers/emulator";
import { type Fault, useFaultProxy } from "../../helpers/fault-proxy";
import { kinds } from "../../helpers/kinds";
import {
	allGone,
	aNumber,
	checked,
	create,
	failureOf,
	openProvider,
	type Provider,
	type ProviderOptions,
} from "../../helpers/provider";
import { differs, failedUp, refreshed, updated } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const { row, writes } = emulator;
const open = (options: ProviderOptions = {}) => openProvider(emulator, options);
const elsewhere = { place: "https://elsewhere.example" };
/** The reference of an object that its stack has left. */
const left = expect.stringContaining(".left~");

/** Nothing is written. */
async function refusedBy(run: Provider, name: (typeof kinds)[number]["name"], news: Values): Promise<TelephonyError> {
	const before = emulator.requests().length;
	const error = await failureOf(create(run[name], news));
	expect(writes(before), error.message).toEqual([]);
	return error;
}

describe.each(kinds)(
	"a $noun that is adopted",
	({ name, type, noun, path, patch, get, text, unset, edit, byHand, declare }) => {
		const onAccount = async () => {
			const { id } = (await emulator.call("POST", path, byHand)).body;
			emulator.edit(name, id, { [text]: "by hand" });
			return id;
		};
		const ids = () => emulator.rows(name).map(({ id }) => id);
		const adopting = async (args: Values = {}) => create(open()[name], declare({ adopt: await onAccount(), ...args }));

		test("is claimed and configured after a look at its list, keeps what isn't declared, and leaves nothing to do", async () => {
			const id = await onAccount();
			const before = emulator.requests().length;
			const made = await create(open()[name], declare({ adopt: ` ${id} `, ...edit }));
			expect(emulator.requests(before)).toEqual([`GET ${path}`, `PATCH ${path}/${id}`]);
			const reference = expect.stringContaining(String(made.outs.lease));
			expect(emulator.rows(name)).toMatchObject([{ id, ...edit, [text]: unset ?? "by hand", reference }]);
			const later = open();
			expect(await refreshed(later, made, declare({ adopt: id, ...edit }))).toMatchObject({ id, changes: false });
			expect(later.warnings).toEqual([]);
		});

		test("is left on the account by destroy, with a warning, though `adopt` was removed since", async () => {
			const id = await onAccount();
			const inputs = await checked(open()[name], declare({ adopt: id }));
			const { outs } = await open()[name].create(inputs);
			const removed = await checked(open()[name], declare(), inputs);
			expect(removed).toEqual(inputs);
			expect((await open()[name].diff(id, outs, removed)).changes).toBe(false);
			const run = open();
			await run[name].delete(id, outs);
			expect(row(id)).toMatchObject({ id, reference: left });
			expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:kept\\]$`)]);
			expect((await create(open(elsewhere)[name], declare({ adopt: id }))).id, "the next one may have it").toBe(id);
		});

		test("is left though the response got lost, and by the next try where the service refused", async () => {
			const { id, outs } = await adopting();
			const given = (fault: Fault) => {
				proxy.plan = (_, method) => (method === "PATCH" ? fault : undefined);
				return openProvider(proxy)[name].delete(id, outs);
			};
			expect((await failureOf(given({ kind: "echoed", status: 400 }))).message).toContain("400");
			expect(row(id)?.reference).toContain(String(outs.lease));
			await given({ kind: "replaced", status: 500 });
			expect(row(id)).toMatchObject({ id, reference: left });
		});

		test("fails to be deleted where the service fails and can't be read", async () => {
			const { id, outs } = await adopting();
			let isSent = false;
			proxy.plan = (_, method) => {
				isSent ||= method === "PATCH";
				return isSent ? { kind: "replaced", status: 500 } : undefined;
			};
			expect((await failureOf(openProvider(proxy)[name].delete(id, outs))).message).toMatch(/PATCH .* failed/);
		});

		test("is not made again when it is gone: refresh and up say that adopt names it", async () => {
			const { id, outs } = await adopting();
			emulator.remove(name, id);
			const run = open(allGone);
			expect((await run[name].read(id, outs)).id).toBeUndefined();
			expect(run.warnings).toEqual([expect.stringMatching(/`adopt`.*\[telephony:(released|removed)-outside\]$/)]);
			expect((await refusedBy(open(), name, declare({ adopt: id }))).messageCode).toBe("adopt-refused");
			const { lost } = resources[type].drift;
			expect(lost({ adopt: id }).way).toContain("remove `adopt`");
			expect(Object.values(lost({})).join()).not.toContain("adopt");
		});

		test("is taken over again by the run after one that was killed, and by --replace", async () => {
			const { id, outs } = await adopting();
			const run = open();
			// A refresh has shown this run that its own resource has it.
			await run[name].read(id, outs);
			expect((await create(run[name], declare({ adopt: id }))).id).toBe(id);
			await run[name].delete(id, outs);
			expect(row(id)?.reference).toContain(".");
			expect(ids()).toEqual([id]);
		});

		test.each<[string, ProviderOptions]>([
			["on another machine", {}],
			["without an owner", { config: { "telephony:owner": "voice" } }],
		])("may have been made for this very declaration %s", async (_, next) => {
			const { id } = await create(open(elsewhere)[name], declare());
			const run = open(next);
			const { outs } = await create(run[name], declare({ adopt: id }));
			expect(run.warnings).toEqual([]);
			expect(row(id)?.reference).toContain(String(outs.lease));
		});

		describe("is refused, and nothing written,", () => {
			const refused = (adopt: string, run = open()) => refusedBy(run, name, declare({ adopt }, "other"));

			test("with a code for each reason", async () => {
				const { id, outs } = await create(open()[name], declare());
				const run = open();
				await checked(run[name], declare());
				const message = expect.stringContaining(id);
				expect(await refused(id, run), "declared, not read yet").toMatchObject({ messageCode: "claimed", message });
				await run[name].read(id, outs);
				expect(await refused(id, run), "declared").toMatchObject({ messageCode: "shared-object", message });
				expect(await refused(id), "of another resource").toMatchObject({ messageCode: "claimed", message });
				for (const none of ["none_such", "../numbers"])
					expect(await refused(none)).toMatchObject({
						kind: "Invalid",
						messageCode: "adopt-refused",
						// What would do instead, and that nothing was done.
						message: expect.stringMatching(`${none} .*Set \`adopt\` to the id .*Nothing was `),
					});
				for (const [reference, whose] of [
					["another.token.another-state.lease~theirs/prod", "theirs/prod"],
					["order 4711", "order 4711"],
				] as const) {
					emulator.edit(name, id, { reference });
					// And how they hand it over.
					const message = expect.stringMatching(`${whose}.*onDelete: "retain"`);
					expect(await refused(id)).toMatchObject({ messageCode: "claimed", message });
				}
			});

			test("by one of two that name it at once", async () => {
				const [free, run] = [await onAccount(), open()];
				const made = await Promise.allSettled(["a", "b"].map((as) => create(run[name], declare({ adopt: free }, as))));
				expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
			});

			test("but not called unknown, where the service can't say", async () => {
				emulator.control.faults.set({ operation: get, status: 500, every: true });
				const error = await refused("not_listed");
				expect(error).toMatchObject({ kind: "Unavailable", message: expect.not.stringContaining("there is no") });
			});

			test("as soon as the turn comes of the one that has it, at a service without references", async () => {
				emulator.control.settings({ features: { reference: false } });
				const { id, outs } = await create(open()[name], declare({}, "first"));
				const run = open();
				await create(run[name], declare({ adopt: id }, "late"));
				const inputs = await checked(run[name], declare({}, "first"));
				expect((await run[name].diff(id, outs, inputs)).changes).toBe(true);
				const error = await failureOf(run[name].update(id, outs, inputs));
				expect(error).toMatchObject({ kind: "Claimed", messageCode: "shared-object" });
				expect(error.message).toContain(id);
			});
		});

		test("is replaced if `adopt` names another one, and by nothing else", async () => {
			const { id, outs } = await create(open()[name], declare());
			const replaces = async (adopt: string, olds = declare()) =>
				(await open()[name].diff(id, outs, await checked(open()[name], declare({ adopt }), olds))).replaces;
			expect(await replaces("a_2")).toEqual(["adopt"]);
			for (const same of [id, ` ${id} `, unknownValue]) expect(await replaces(same), same).toEqual([]);
		});

		test("whose first write failed is finished by the next up, under the token that it was to get", async () => {
			const id = await onAccount();
			emulator.control.faults.set({ operation: patch, every: true, status: 403 });
			const news = declare({ adopt: id });
			const { error, ...left } = await failedUp(open(), news);
			expect(error.id, noun).toBe(id);
			expect(left.outs).toMatchObject({ lease: "" });
			emulator.control.faults.clear();
			expect(await differs(open(), left, news)).toBe(true);
			const done = await updated(open(), left, news);
			expect(row(id)?.reference).toContain(`${left.outs.token}`);
			expect(await differs(open(), done, news)).toBe(false);
		});
	},
);

describe("a number", () => {
	/** Bought by hand, say. */
	const onAccount = async (args: Values = {}) => {
		const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile", area: "6", ...args });
		return { id: body.id, e164: String(body.number) };
	};
	const spaced = (e164: string) => `${e164.slice(0, 3)} ${e164.slice(3)}`;
	const refused = (adopt: string, args: Values = {}) => refusedBy(open(), "number", aNumber({ adopt, ...args }));

	test("is adopted by its E.164 too, as people write it; and by its id where the service offers little", async () => {
		const { id, e164 } = await onAccount();
		for (const adopt of [e164, spaced(e164)]) {
			const made = await create(open().number, aNumber({ adopt, area: "6" }));
			expect(made.id).toBe(id);
			expect(await refreshed(open(), made, aNumber({ adopt, area: "6" }))).toMatchObject({ changes: false });
		}
		emulator.control.settings({ features: { reference: false, getById: false, idempotencyKey: false } });
		expect((await create(open().number, aNumber({ adopt: id }))).id).toBe(id);
		expect(emulator.kinds()).toEqual(["purchase"]);
	});

	test("that is adopted is released by destroy where the program says so", async () => {
		const { id, outs } = await create(open().number, aNumber({ adopt: (await onAccount()).id, onDelete: "release" }));
		await open().number.delete(id, outs);
		expect(row(id)?.status).toBe("released");
	});

	test("can't be adopted if the account hasn't it, it has ended, or it isn't as declared", async () => {
		const { id, e164 } = await onAccount();
		for (const [args, wrong] of [
			[{ country: "GB" }, ['its country is "NL", not "GB"']],
			[{ type: "national", area: "20" }, ["its type is ", 'its area is "6"']],
		] as const) {
			const error = await refused(id, args);
			expect(error).toMatchObject({ kind: "Invalid", messageCode: "adopt-refused" });
			for (const each of wrong) expect(error.message).toContain(each);
		}
		emulator.control.deleteNumber(id);
		for (const adopt of ["+31612345678", id, e164]) expect((await refused(adopt)).messageCode).toBe("adopt-refused");
		emulator.control.kyc("manual");
		const german = { country: "DE", type: "geographic", area: "30" };
		const failed = await onAccount(german);
		emulator.control.decide(failed.id, "expire");
		expect((await refused(failed.id, { ...german, waitForActive: false })).message).toContain("failed");
	});

	test("that the resource which bought it is taking over can't be adopted, whichever comes first", async () => {
		for (const first of ["main", "other"]) {
			emulator.control.reset();
			// Bought by a run that was killed before it could claim it.
			const bought = await create(open().number, aNumber());
			emulator.control.patchNumber(bought.id, { reference: null });
			const run = open();
			const main = await checked(run.number, aNumber());
			const other = await checked(run.number, aNumber({ adopt: bought.id }, "other"));
			const [one, two] = first === "main" ? [main, other] : [other, main];
			const held = emulator.control.faults.set({ operation: "patchNumber", kind: "hold" });
			const early = run.number.create(one);
			await expect.poll(() => emulator.control.faults.list()[0]?.held).toBe(1);
			// Who names it refuses to share it; who only bought it once gets another one.
			const late = run.number.create(two).catch((error: TelephonyError) => error.kind);
			if (first === "main") expect(await late).toBe("Claimed");
			emulator.control.faults.release(held.id);
			expect((await early).id).toBe(bought.id);
			expect(await late).not.toMatchObject({ id: bought.id });
		}
	});

	describe("whose area is declared once it is adopted", () => {
		const later = async (area: string, adopt = true) => {
			const { id } = await onAccount();
			const before = await checked(open().number, aNumber({ adopt: id }));
			const { outs } = await open().number.create(before);
			const run = open();
			const inputs = await checked(run.number, aNumber({ area, ...(adopt ? { adopt: id } : {}) }), before);
			expect(await run.number.diff(id, outs, inputs)).toMatchObject({ changes: true, replaces: [] });
			return { id, outs, inputs, run };
		};

		test.each([true, false])("is changed in nothing if that is its own; adopt still declared: %s", async (adopt) => {
			const { id, outs, inputs, run } = await later("6", adopt);
			expect(inputs).toMatchObject({ adopt: id, onDelete: "retain" });
			const done = await run.number.update(id, outs, inputs);
			expect(row(id)?.reference).toContain(String(done.outs.token));
			expect((await open().number.diff(id, done.outs, inputs)).changes).toBe(false);
			expect(emulator.kinds()).toEqual(["purchase"]);
			// From then on it is as fixed as any.
			const { failures } = await open().number.check(inputs, aNumber({ area: "20", adopt: id }));
			expect(failures.map(({ reason }) => reason.split(": ")[0])).toEqual(["area"]);
		});

		test("is refused if it is another one: nothing is bought or changed", async () => {
			const { id, outs, inputs, run } = await later("20");
			const before = row(id);
			const error = await failureOf(run.number.update(id, outs, inputs));
			expect(error).toMatchObject({ kind: "Invalid", message: expect.stringContaining('its area is "6", not "20"') });
			expect({ row: row(id), kinds: emulator.kinds() }).toEqual({ row: before, kinds: ["purchase"] });
		});
	});

	test("that is adopted may be spelled otherwise, and may be left out, for ever", async () => {
		const before = await checked(open().number, aNumber({ adopt: "+31612345678" }));
		const respelled = await checked(open().number, aNumber({ adopt: "+31 6 12345678" }), before);
		expect((await open().number.diff("num_1", { ...before, token: undefined }, respelled)).changes).toBe(false);
		const removed = await checked(open().number, aNumber(), before);
		expect(removed).toEqual({ ...before, onDelete: "retain" });
		expect(await checked(open().number, aNumber(), removed)).toEqual(before);
	});

	test("that is adopted makes way for another one only where `adopt` is removed as well", async () => {
		const before = await checked(open().number, aNumber({ adopt: "num_1" }));
		for (const change of [{ generation: 1 }, { country: "GB" }]) {
			const { failures } = await open().number.check(before, aNumber({ adopt: "num_1", ...change }));
			expect(failures.map(({ reason }) => reason.split(": ")[0])).toEqual(Object.keys(change));
		}
		const renewed = await checked(open().number, aNumber({ generation: 1 }), before);
		expect(renewed).toMatchObject({ generation: 1 });
		expect(renewed).not.toHaveProperty("adopt");
		expect(renewed.onDelete).toBe("release");
	});

	test("is found by `get` under its E.164, as people write it, with its real id", async () => {
		await onAccount();
		const { id, e164 } = await onAccount();
		const read = await open().number.read(spaced(e164), {});
		expect(read).toMatchObject({ id, props: { phoneNumber: e164, foundId: id } });
		expect((await open().number.read(id, read.props ?? {})).props).toEqual(read.props);
		expect((await open().number.read(id, {})).props).not.toHaveProperty("foundId");
		expect((await open().number.read(id, { foundId: id })).props).toHaveProperty("foundId", id);
		const error = await failureOf(open().number.read("+31612345678", {}));
		expect(error).toMatchObject({ kind: "NotFound", message: expect.stringContaining("+31612345678") });
	});
});
