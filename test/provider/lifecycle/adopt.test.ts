/** Adopts objects of the account that the program names in `adopt`. */
import { describe, expect, test } from "vitest";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { resources } from "../../../provider/resources";
import { useEmulator } from "../../helpers/emulator";
import { type Fault, useFaultProxy } from "../../helpers/fault-proxy";
import { kinds } from "../../helpers/kinds";
import {
	allGone,
	aNumber,
	aPool,
	aTrunk,
	checked,
	create,
	failureOf,
	openProvider,
	type Provider,
	type ProviderOptions,
} from "../../helpers/provider";
import { failedUp, refreshed, replaced, upAgain } from "../../helpers/runs";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const { row, writes } = emulator;
const open = (options: ProviderOptions = {}) => openProvider(emulator, options);
const elsewhere = { place: "https://elsewhere.example" };
const retainedReference = expect.stringContaining(".left~");

/** Returns the error of a create, which writes nothing. */
async function refusedBy(run: Provider, name: (typeof kinds)[number]["name"], news: Values) {
	const before = emulator.requests().length;
	const error = await failureOf(create(run[name], news));
	expect(writes(before), error.message).toEqual([]);
	return error;
}

describe.each(kinds)("adopting a $noun", ({ name, type, path, get, text, unset, edit, byHand, declare }) => {
	const onAccount = async () => {
		const { id } = (await emulator.call("POST", path, byHand)).body;
		emulator.edit(name, id, { [text]: "by hand" });
		return id;
	};
	const adopting = async () => create(open()[name], declare({ adopt: await onAccount() }));

	test("reads it alone, then claims and configures it in one PATCH", async () => {
		const id = await onAccount();
		const before = emulator.requests().length;
		const made = await create(open()[name], declare({ adopt: ` ${id} `, ...edit }));
		expect(emulator.requests(before)).toEqual([`GET ${path}`, `GET ${path}/${id}`, `PATCH ${path}/${id}`]);
		const reference = expect.stringContaining(String(made.outs.lease));
		expect(emulator.rows(name)).toMatchObject([{ id, ...edit, [text]: unset ?? "by hand", reference }]);
		const later = open();
		expect(await refreshed(later, made, declare({ adopt: id, ...edit }))).toMatchObject({ id, changes: false });
		expect(later.warnings).toEqual([]);
	});

	test("clears what an interrupted adoption wrote, once it isn't declared", async () => {
		const adopt = await onAccount();
		await create(open()[name], declare({ adopt, [text]: "interrupted" }));
		await create(open()[name], declare({ adopt }));
		expect(emulator.rows(name)).toMatchObject([{ [text]: unset }]);
	});

	/** A run whose adoption of a retained object the service refuses to write. */
	const failedAdoption = async () => {
		const { id, outs } = await create(open()[name], declare({ onDelete: "retain" }, "before"));
		await open()[name].delete(id, outs);
		const news = declare({ adopt: id }, "after");
		proxy.plan = (_, method) => (method === "PATCH" ? { kind: "echoed", status: 422 } : undefined);
		const failed = await failedUp(openProvider(proxy), news);
		return { ...failed, news };
	};

	test("continues in the next run after a refused write", async () => {
		const { news, ...failed } = await failedAdoption();
		expect((await upAgain(open(), failed, news)).id).toBe(failed.id);
		expect(emulator.rows(name)).toMatchObject([{ id: failed.id, reference: expect.not.stringContaining(".left~") }]);
	});

	test("leaves it to another stack that has adopted it after a refused write", async () => {
		const { news, ...failed } = await failedAdoption();
		await create(open(elsewhere)[name], declare({ adopt: failed.id }, "there"));
		expect((await failureOf(upAgain(open(), failed, news))).messageCode).toBe("claimed");
		await open()[name].delete(failed.id, { ...failed.outs, onDelete: resources[type].definition.verbs.end });
		expect(emulator.rows(name)).toMatchObject([{ id: failed.id }]);
	});

	test("retains it in a destroy, also once the program drops `adopt`", async () => {
		const id = await onAccount();
		const inputs = await checked(open()[name], declare({ adopt: id }));
		const { outs } = await open()[name].create(inputs);
		const removed = await checked(open()[name], declare(), inputs);
		expect(removed).toEqual(inputs);
		expect((await open()[name].diff(id, outs, removed)).changes).toBe(false);
		const run = open();
		await run[name].delete(id, outs);
		expect(row(id)).toMatchObject({ id, reference: retainedReference });
		expect(run.warnings).toEqual([expect.stringMatching(`${id}.*\\[telephony:retained\\]$`)]);
		expect((await create(open(elsewhere)[name], declare({ adopt: id }))).id).toBe(id);
	});

	test("retains it once the service has carried out the write", async () => {
		const { id, outs } = await adopting();
		const leaving = (fault: Fault, isAway = false) => {
			let isSent = false;
			proxy.plan = (_, method) => {
				isSent ||= method === "PATCH";
				return method === "PATCH" || (isAway && isSent) ? fault : undefined;
			};
			return openProvider(proxy)[name].delete(id, outs);
		};
		expect((await failureOf(leaving({ kind: "echoed", status: 400 }))).status).toBe(400);
		expect((await failureOf(leaving({ kind: "refused", status: 500 }, true))).kind).toBe("Unavailable");
		expect(row(id)?.reference).toContain(String(outs.lease));
		await leaving({ kind: "replaced", status: 500 });
		expect(row(id)).toMatchObject({ id, reference: retainedReference });
	});

	test("fails if the object was deleted, and the reports name `adopt`", async () => {
		const { id, outs } = await adopting();
		emulator.remove(name, id);
		const run = open(allGone);
		expect((await run[name].read(id, outs)).id).toBeUndefined();
		expect(run.warnings).toEqual([expect.stringMatching(/`adopt`.*\[telephony:(released|removed)-outside\]$/)]);
		expect((await refusedBy(open(), name, declare({ adopt: id }))).messageCode).toBe("adopt-refused");
		const { ifDeleted } = resources[type].drift;
		expect(ifDeleted({ adopt: id }).fix).toContain("remove `adopt`");
		expect(Object.values(ifDeleted({})).join()).not.toContain("adopt");
	});

	test.each<[string, ProviderOptions]>([
		["on another machine", {}],
		["without an owner", { config: { "telephony:owner": "voice" } }],
	])("accepts what was made for the same declaration %s", async (_, next) => {
		const { id } = await create(open(elsewhere)[name], declare());
		const run = open(next);
		const { outs } = await create(run[name], declare({ adopt: id }));
		expect(run.warnings).toEqual([]);
		expect(row(id)?.reference).toContain(String(outs.lease));
	});

	test.each([true, false])("retains it after a replacement, or warns, refreshed: %s", async (isRefreshed) => {
		const first = await adopting();
		const inputs = await checked(open()[name], declare(), first.outs);
		const { outs } = await open()[name].update(first.id, first.outs, inputs);
		const run = open();
		const next = await replaced(run, { id: first.id, outs }, declare(), isRefreshed);
		expect([next.id, next.outs.onDelete === "retain"]).toEqual([first.id, isRefreshed]);
		const stays = run.warnings.filter((text) => text.endsWith("[telephony:retained]"));
		expect(stays).toEqual([expect.stringContaining(first.id)]);
		expect(stays[0]?.includes('`onDelete: "retain"`')).toBe(!isRefreshed);
	});

	describe("a refusal", () => {
		const refused = (adopt: string, run = open()) => refusedBy(run, name, declare({ adopt }, "other"));

		test("has a code for each reason", async () => {
			const { id, outs } = await create(open()[name], declare());
			const run = open();
			await checked(run[name], declare());
			expect((await refused(id, run)).messageCode, "declared, not read yet").toBe("claimed");
			await run[name].read(id, outs);
			expect((await refused(id, run)).messageCode, "declared").toBe("shared-object");
			expect((await refused(id)).messageCode, "another resource's").toBe("claimed");
			for (const none of ["none_such", "../numbers"])
				expect(await refused(none)).toMatchObject({ kind: "Invalid", messageCode: "adopt-refused" });
			for (const [reference, owner] of [
				["another.token.another-state.lease~theirs/prod", "theirs/prod"],
				["order 4711", "order 4711"],
			]) {
				emulator.edit(name, id, { reference });
				expect(await refused(id)).toMatchObject({
					messageCode: "claimed",
					message: expect.stringMatching(`${owner}.*onDelete: "retain"`),
				});
			}
			emulator.control.faults.set({ operation: get, status: 500, every: true });
			expect((await refused("not_listed")).kind).toBe("Unavailable");
		});

		test("follows from a claim that is newer than the run's list", async () => {
			const id = await onAccount();
			const late = open();
			await create(late[name], declare({}, "first"));
			await create(open(elsewhere)[name], declare({ adopt: id }, "theirs"));
			expect((await refused(id, late)).messageCode).toBe("claimed");
		});

		test("reaches one of two resources that name it", async () => {
			const [free, both] = [await onAccount(), open()];
			const made = await Promise.allSettled(["a", "b"].map((as) => create(both[name], declare({ adopt: free }, as))));
			expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
			emulator.control.settings({ features: { reference: false } });
			const { id, outs } = await create(open()[name], declare({}, "first"));
			const run = open();
			await create(run[name], declare({ adopt: id }, "late"));
			const inputs = await checked(run[name], declare({}, "first"));
			expect((await run[name].diff(id, outs, inputs)).changes).toBe(true);
			const error = await failureOf(run[name].update(id, outs, inputs));
			expect(error).toMatchObject({ kind: "Claimed", messageCode: "shared-object" });
		});
	});

	test("replaces the object if `adopt` names another one", async () => {
		const { id, outs } = await create(open()[name], declare());
		const replaces = async (adopt: string) =>
			(await open()[name].diff(id, outs, await checked(open()[name], declare({ adopt }), declare()))).replaces;
		expect(await replaces("a_2")).toEqual(["adopt"]);
		for (const same of [id, ` ${id} `, unknownValue]) expect(await replaces(same), same).toEqual([]);
	});
});

describe("adopting a number", () => {
	const onAccount = async (args: Values = {}) => {
		const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile", area: "6", ...args });
		return { id: body.id, e164: String(body.number) };
	};
	const spaced = (e164: string) => `${e164.slice(0, 3)} ${e164.slice(3)}`;
	const pathsOf = async (olds: Values, args: Values) =>
		(await open().number.check(olds, aNumber(args))).failures.map(({ reason }) => reason.split(": ")[0]);

	test("finds it by its E.164, and by its id at a service that offers little", async () => {
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

	test("is refused if the number isn't as declared, has ended or has failed", async () => {
		const refused = async (adopt: string, args: Values = {}) =>
			(await refusedBy(open(), "number", aNumber({ adopt, ...args }))).messageCode;
		const { id, e164 } = await onAccount();
		for (const args of [{ country: "GB" }, { type: "national" }, { area: "20" }])
			expect(await refused(id, args), JSON.stringify(args)).toBe("adopt-refused");
		emulator.control.deleteNumber(id);
		for (const adopt of ["+31612345678", id, e164]) expect(await refused(adopt), adopt).toBe("adopt-refused");
		emulator.control.kyc("manual");
		const german = { country: "DE", type: "geographic", area: "30" };
		const failed = await onAccount(german);
		emulator.control.decide(failed.id, "expire");
		expect(await refused(failed.id, { ...german, waitForActive: false })).toBe("adopt-refused");
	});

	test.each([
		[true, "6"],
		[false, "6"],
		[true, "20"],
	])("takes its own area, declared later; adopt declared: %s, area %s", async (isDeclared, area) => {
		const { id } = await onAccount();
		const before = await checked(open().number, aNumber({ adopt: id }));
		const { outs } = await open().number.create(before);
		const inputs = await checked(open().number, aNumber({ area, ...(isDeclared && { adopt: id }) }), before);
		expect(inputs).toMatchObject({ adopt: id, onDelete: "retain" });
		expect(await open().number.diff(id, outs, inputs)).toMatchObject({ changes: true, replaces: [] });
		const kept = row(id);
		const updating = open().number.update(id, outs, inputs);
		if (area !== "6") {
			expect((await failureOf(updating)).kind).toBe("Invalid");
			expect(row(id)).toEqual(kept);
		} else {
			const done = await updating;
			expect(row(id)?.reference).toContain(String(done.outs.token));
			expect((await open().number.diff(id, done.outs, inputs)).changes).toBe(false);
			expect(await pathsOf(inputs, { area: "20", adopt: id }), "fixed from now on").toEqual(["area"]);
		}
		expect(emulator.kinds()).toEqual(["purchase"]);
	});

	test("keeps `adopt` in another spelling, and after it is dropped", async () => {
		const before = await checked(open().number, aNumber({ adopt: "+31612345678" }));
		const respelled = await checked(open().number, aNumber({ adopt: "+31 6 12345678" }), before);
		expect((await open().number.diff("num_1", { ...before, token: undefined }, respelled)).changes).toBe(false);
		const removed = await checked(open().number, aNumber(), before);
		expect(removed).toEqual({ ...before, onDelete: "retain" });
		expect(await checked(open().number, aNumber(), removed)).toEqual(before);
	});

	test("makes way for another number only if `adopt` is removed as well", async () => {
		const before = await checked(open().number, aNumber({ adopt: "num_1" }));
		for (const change of [{ generation: 1 }, { country: "GB" }])
			expect(await pathsOf(before, { adopt: "num_1", ...change })).toEqual(Object.keys(change));
		const { adopt, ...renewed } = await checked(open().number, aNumber({ generation: 1 }), before);
		expect(renewed).toMatchObject({ generation: 1, onDelete: "release" });
		expect(adopt).toBeUndefined();
	});

	test("isn't needed to look it up by its E.164", async () => {
		const { id, e164 } = await onAccount();
		const read = await open().number.read(spaced(e164), {});
		expect(read).toMatchObject({ id, props: { phoneNumber: e164, foundId: id } });
		expect((await open().number.read(id, read.props ?? {})).props).toEqual(read.props);
		expect((await open().number.read(id, {})).props).not.toHaveProperty("foundId");
		expect((await open().number.read(id, { foundId: id })).props).toHaveProperty("foundId", id);
		expect((await failureOf(open().number.read("+31612345678", {}))).kind).toBe("NotFound");
	});
});

describe.each([
	["of Ivory Coast's old plan", "+22507123456", "+225 07 12 34 56"],
	["of Mexico's old plan", "+5215512345678", "+52 1 (55) 1234-5678"],
	["of a country code without a plan", "+9991234567", "+999–123–4567"],
	["that is too short for its plan", "+4412345", "+44.12.345"],
	["that is too long for any plan", "+491761234567890123", "+49 176 1234567890123"],
	["of an emergency service", "+112", "+1 12"],
])("a number %s", (_, phoneNumber, spelled) => {
	const onAccount = async () => {
		const { id } = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
		emulator.edit("number", id, { number: phoneNumber });
		return id;
	};

	test.each([phoneNumber, spelled])("is adopted as %s, without drift", async (adopt) => {
		const id = await onAccount();
		const news = aNumber({ adopt });
		const made = await create(open().number, news);
		expect(made).toMatchObject({ id, outs: { phoneNumber } });
		const later = open();
		expect(await refreshed(later, made, news)).toMatchObject({ id, changes: false, outs: { phoneNumber } });
		expect(later.warnings).toEqual([]);
		expect(emulator.purchases()).toHaveLength(1);
	});

	test("is adopted by a pool", async () => {
		const id = await onAccount();
		const pool = await create(open().numberPool, aPool({ count: 1, adopt: [spelled] }));
		expect(pool.outs.numbers).toMatchObject([{ id, phoneNumber }]);
		expect(emulator.purchases()).toHaveLength(1);
	});

	test("is released without its claim only while its digits are the saved ones", async () => {
		const news = aNumber({ adopt: await onAccount(), onDelete: "release" });
		const { id, outs } = await create(open().number, news);
		emulator.edit("number", id, { reference: null, number: phoneNumber.replace(/\d$/, "9") });
		expect((await failureOf(open().number.delete(id, outs))).messageCode).toBe("wrong-account");
		expect(emulator.released()).toEqual([]);
		emulator.edit("number", id, { number: phoneNumber });
		await open().number.delete(id, outs);
		expect(emulator.released()).toEqual([id]);
	});
});

test("never matches a number with text by its beginning", async () => {
	const { id } = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
	for (const [live, adopt] of [
		["+31 20 1234567 / 8", "+312012345678"],
		["+31201234567 ext", "+31201234567"],
		["+3120123456O", "+3120123456"],
	] as const) {
		proxy.rewrite = (text) => text.replace(/"number":"[^"]*"/g, `"number":${JSON.stringify(live)}`);
		const error = await failureOf(create(openProvider(proxy).number, aNumber({ adopt })));
		expect(error.messageCode, live).toBe("adopt-refused");
		expect((await create(openProvider(proxy).number, aNumber({ adopt: id }, live))).outs.phoneNumber).toBe(live);
		emulator.edit("number", id, { reference: null });
	}
});
describe("a declared value beyond the provider's limits", () => {
	const acl = { mode: "ip_acl", allowedCidrs: ["10.20.0.0/16"] };
	const trunk = async () => {
		emulator.control.settings({ acceptAnyAddress: true });
		const auth = { mode: "ip_acl", allowed_cidrs: ["10.20.0.0/16"] };
		return (await emulator.call("POST", "/trunks", { name: "Office", auth, capacity: 10 })).body.id;
	};
	const warned = [expect.stringMatching(/\[telephony:beyond-limits\]$/)];

	test("is adopted with the object that has it", async () => {
		const adopt = await trunk();
		const run = open();
		const news = aTrunk({ adopt, auth: acl, name: "Office" });
		const made = await create(run.sipTrunk, news);
		expect(made.id).toBe(adopt);
		expect(run.warnings).toEqual(warned);
		const later = open();
		expect(await refreshed(later, made, news)).toMatchObject({ changes: false });
		expect(await checked(later.sipTrunk, { ...news, capacity: 11 }, news)).toMatchObject({ capacity: 11 });
		expect(later.warnings).toEqual([]);
	});

	test("is refused before anything is written if the object has another", async () => {
		const adopt = await trunk();
		for (const change of [
			{ auth: { ...acl, allowedCidrs: ["10.20.0.0/16", "10.30.0.0/16"] } },
			{ auth: acl, capacity: 20_000 },
			{ auth: acl, name: "x".repeat(65) },
		]) {
			const error = await refusedBy(open(), "sipTrunk", aTrunk({ adopt, ...change }));
			expect(error).toMatchObject({ kind: "Invalid", messageCode: "beyond-limits" });
			expect(error.message).toMatch(/Nothing was changed/);
		}
	});

	test("is written if the run accepts numbers of no plan", async () => {
		const { id } = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
		const news = aNumber({ adopt: id, routing: { type: "forward", to: "+22507123456" } });
		const refused = await refusedBy(open(), "number", news);
		expect(refused).toMatchObject({ messageCode: "beyond-limits" });
		const env = { TELEPHONY_ACCEPT_UNKNOWN_NUMBERS: "yes" };
		const made = await create(openProvider(emulator, { env }).number, news);
		expect(emulator.row(id)?.routing).toEqual({ type: "forward", to: "+22507123456" });
		expect(await refreshed(open(), made, news)).toMatchObject({ changes: false });
	});

	test("is refused in an update that only adds `adopt`", async () => {
		const { id, outs } = await create(open().sipTrunk, aTrunk());
		const news = await checked(open().sipTrunk, aTrunk({ adopt: id, capacity: 20_000 }), aTrunk());
		const before = emulator.requests().length;
		const error = await failureOf(open().sipTrunk.update(id, outs, news));
		expect(error).toMatchObject({ messageCode: "beyond-limits" });
		expect(writes(before)).toEqual([]);
	});

	test("belongs to a number whose type this version doesn't know", async () => {
		const { id } = (await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" })).body;
		proxy.rewrite = (text) => text.replaceAll('"type":"mobile"', '"type":"shared_cost"');
		const run = openProvider(proxy);
		expect((await create(run.number, aNumber({ adopt: id, type: "shared_cost" }))).id).toBe(id);
		const premium = aNumber({ adopt: id, type: "premium" }, "premium");
		expect((await failureOf(create(openProvider(proxy).number, premium))).messageCode).toBe("adopt-refused");
	});

	test("is refused at once where it is no value of the object", async () => {
		for (const wrong of [{ capacity: "many" }, { onDelete: "relase" }, { targets: [{ hots: "a" }] }])
			expect((await open().sipTrunk.check({}, aTrunk({ adopt: "trk_1", ...wrong }))).failures).not.toEqual([]);
	});
});
