/** Functions over the emulator: what they answer, what they refuse, and that no secret is in any of it. */
import { describe, expect, test } from "vitest";
import { callFunction, type FunctionName, functions } from "../../../provider/functions";
import type { Form } from "../../../provider/properties/form";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { aNumber, aTrunk, aWebhook, create, failureOf, openProvider } from "../../helpers/provider";

const { emulator, open } = useAccount();
const slim = useFaultProxy(emulator);

async function answer(name: FunctionName, args: Values = {}): Promise<Values> {
	const called = await callFunction(open().session, name, args);
	if ("failures" in called) throw new Error(called.failures.map(({ reason }) => reason).join("; "));
	return called.answer;
}
const reasons = async (name: FunctionName, args: Values) => {
	const called = await callFunction(open().session, name, args);
	return "failures" in called ? called.failures.map(({ reason }) => reason) : [];
};
const ids = async (filters: Values) =>
	((await answer("getNumbers", filters)).numbers as { id: string }[]).map(({ id }) => id);

describe("getNumber", () => {
	test("reads a number by its id and by its E.164, under the resource's names", async () => {
		const routing = { type: "forward", to: "+31201234567" };
		const { id, outs } = await create(open().number, aNumber({ label: "Desk", routing, metadata: { team: "a" } }));
		const byId = await answer("getNumber", { id });
		expect(byId).toMatchObject({ id, country: "NL", type: "mobile", label: "Desk", routing, status: "active" });
		expect(byId).toMatchObject({ phoneNumber: outs.phoneNumber, kycRequired: false, metadata: { team: "a" } });
		expect(await answer("getNumber", { id: ` ${outs.phoneNumber} ` })).toEqual(byId);
		expect(Object.keys(byId).filter((key) => !(key in functions.getNumber.outputs.fields))).toEqual([]);
	});

	test("says that there is none, also for a number that was released", async () => {
		expect((await failureOf(answer("getNumber", { id: "num_none" }))).kind).toBe("NotFound");
		expect((await failureOf(answer("getNumber", { id: "+31999999999" }))).kind).toBe("NotFound");
		const { id } = await create(open().number, aNumber());
		await emulator.call("DELETE", `/numbers/${id}`);
		expect((await failureOf(answer("getNumber", { id }))).kind).toBe("NotFound");
	});
});

describe("getNumbers", () => {
	test("lists those that fit all filters, and without filters all", async () => {
		const { number } = open();
		const { id: desk } = await create(number, aNumber({ label: "Desk", metadata: { team: "a", floor: "2" } }, "desk"));
		const { id: door } = await create(number, aNumber({ label: "Door", metadata: { team: "a" } }, "door"));
		const { id: paris } = await create(number, aNumber({ country: "GB", type: "geographic", area: "20" }, "london"));
		expect((await ids({})).sort()).toEqual([desk, door, paris].sort());
		expect(await ids({ label: " Desk " })).toEqual([desk]);
		expect(await ids({ metadata: { team: "a", floor: "2" } })).toEqual([desk]);
		expect((await ids({ metadata: { team: "a" }, country: "NL" })).sort()).toEqual([desk, door].sort());
		expect(await ids({ type: "geographic", area: "20", status: "active" })).toEqual([paris]);
		expect(await ids({ label: "Desk", country: "GB" })).toEqual([]);
	});

	test("leaves out what was released, unless that is asked for", async () => {
		const { id } = await create(open().number, aNumber());
		await emulator.call("DELETE", `/numbers/${id}`);
		expect(await ids({})).toEqual([]);
		expect(await ids({ status: "released" })).toEqual([id]);
	});

	test("asks for a number alone where the list doesn't show what the filter is about", async () => {
		const { id } = await create(open().number, aNumber({ label: "Desk" }));
		await create(open().number, aNumber({ label: "Door" }, "door"));
		await create(open().number, aNumber({ label: "Desk", country: "GB" }, "abroad"));
		slim.rewrite = (text, _, path) => {
			const body = JSON.parse(text) as { data?: Values[] };
			if (!/\/numbers\?/.test(path) || body.data === undefined) return text;
			const data = body.data.map((each) => ({ id: each.id, country: each.country, status: each.status }));
			return JSON.stringify({ ...body, data });
		};
		const called = await callFunction(openProvider(slim).session, "getNumbers", { label: "Desk", country: "NL" });
		expect(called).toMatchObject({ answer: { numbers: [{ id, label: "Desk" }] } });
	});

	test("shows the others where one can't be read, and says which one it left out", async () => {
		const odd = await create(open().number, aNumber({ label: "Desk" }));
		const { id } = await create(open().number, aNumber({ label: "Door" }, "door"));
		slim.rewrite = (text) =>
			text.replaceAll(new RegExp(`("id":"${odd.id}","[^{}]*?"type":)"mobile"`, "g"), (_, before) => `${before}7`);
		const seen = async (args: Values) => {
			const { session, warnings } = openProvider(slim);
			const { answer: found } = (await callFunction(session, "getNumbers", args)) as { answer: Values };
			return [(found.numbers as Values[]).map((each) => each.id), warnings];
		};
		const warning = expect.stringMatching(
			`^getNumbers omitted the number ${odd.id}, which can't be read: .*at type.*\\[telephony:unreadable-answer\\]$`,
		);
		expect(await seen({})).toEqual([[id], [warning]]);
		expect(await seen({ label: "Desk" })).toEqual([[], [warning]]);
		// As far as it can be read, it is none of these.
		expect(await seen({ label: "Door" })).toEqual([[id], []]);
	});

	test("leaves out what is gone before it can be read alone", async () => {
		const { id } = await create(open().number, aNumber({ label: "Desk" }));
		slim.rewrite = (text, _, path) => (/\/numbers\?/.test(path) ? text.replaceAll('"label":"Desk",', "") : text);
		emulator.control.faults.set({ operation: "getNumber", phase: "before", kind: "status", error: "not_found" });
		const called = await callFunction(openProvider(slim).session, "getNumbers", { label: "Desk" });
		expect(called, id).toEqual({ answer: { numbers: [] } });
	});
});

describe("getTrunk and getWebhook", () => {
	test("show what the resources show, and no secret", async () => {
		const password = "correct-horse-battery";
		const auth = { mode: "digest", username: "office", password };
		const trunk = await create(open().sipTrunk, aTrunk({ auth, name: "HQ" }));
		const read = await answer("getTrunk", { id: trunk.id });
		expect(read).toMatchObject({
			id: trunk.id,
			name: "HQ",
			capacity: 10,
			auth: { mode: "digest", username: "office" },
		});
		expect(read.sipDomain).toBe(trunk.outs.sipDomain);

		const hook = await create(open().webhook, aWebhook());
		const seen = await answer("getWebhook", { id: hook.id });
		expect(seen).toMatchObject({ id: hook.id, url: "https://hooks.example.com/sms", events: ["message.received"] });
		expect(seen).toMatchObject({ enabled: true, secretVersion: 1 });
		for (const secret of [password, String(hook.outs.secret)])
			expect(JSON.stringify([read, seen])).not.toContain(secret);
	});

	test("have no secret in their descriptions either", () => {
		const names = (form: Form | undefined): string[] => {
			if (form?.kind === "list" || form?.kind === "set") return names(form.item);
			if (form?.kind !== "object") return [];
			const variants = Object.values(form.variants?.of ?? {});
			return [form.fields, ...variants].flatMap((fields) =>
				Object.entries(fields).flatMap(([name, field]) => [name, ...names(field.form)]),
			);
		};
		const all = Object.values(functions).flatMap(({ outputs }) => names(outputs));
		expect(all).toEqual(expect.arrayContaining(["username", "trunkId", "monthly"]));
		expect(all.filter((name) => name === "password" || name === "secret")).toEqual([]);
	});

	test("say that there is none", async () => {
		expect((await failureOf(answer("getTrunk", { id: "trk_none" }))).kind).toBe("NotFound");
		expect((await failureOf(answer("getWebhook", { id: "whk_none" }))).kind).toBe("NotFound");
	});
});

describe("the market", () => {
	test("getAvailableNumbers lists what the next purchase gets, as many as asked for", async () => {
		const criteria = { country: "NL", type: "mobile" };
		const { numbers } = (await answer("getAvailableNumbers", { ...criteria, limit: 3 })) as { numbers: Values[] };
		expect(numbers).toHaveLength(3);
		expect(numbers[0]).toMatchObject({ ...criteria, kycRequired: false, capabilities: ["sms", "voice"] });
		const { outs } = await create(open().number, aNumber(criteria));
		expect(outs.phoneNumber).toBe(numbers[0]?.phoneNumber);
	});

	test("getKycRequirements says what a market asks for", async () => {
		const asked = { country: "DE", type: "geographic" };
		const found = (await answer("getKycRequirements", asked)) as { requirements: Values[] };
		expect(found).toMatchObject({ ...asked, kycRequired: true });
		expect(Object.keys(found.requirements[0] ?? {}).sort()).toEqual(["code", "description", "holders", "kind"]);
		expect(await answer("getKycRequirements", { country: "NL", type: "mobile" })).toMatchObject({ kycRequired: false });
	});
});

describe("arguments", () => {
	test.each<[FunctionName, Values, string[]]>([
		["getNumber", {}, ["id: must be set"]],
		["getNumber", { id: 7 }, ["id: must be a string"]],
		["getNumbers", { contry: "NL" }, ["contry: there is no such property. Did you mean country?"]],
		[
			"getAvailableNumbers",
			{ country: "nl", contains: "12a", limit: 0 },
			[
				"country: must be a two-letter ISO 3166 code in upper case. Did you mean NL?",
				"contains: must be 1 to 15 digits",
				"limit: must be a whole number from 1 to 1000",
			],
		],
		[
			"getKycRequirements",
			{ country: "DE", type: "fixed" },
			["type: must be one of geographic, mobile, toll_free, national"],
		],
	])("%s refuses %j, one reason for each", async (name, args, expected) => {
		expect((await reasons(name, args)).sort()).toEqual([...expected].sort());
		expect(emulator.control.requests()).toEqual([]);
	});

	test("that aren't known yet leave the answer empty, and nothing is asked", async () => {
		expect(await answer("getNumber", { id: unknownValue })).toEqual({});
		expect(await answer("getNumbers", { metadata: { team: unknownValue } })).toEqual({});
		expect(emulator.control.requests()).toEqual([]);
	});

	test("name a function that exists", async () => {
		await expect(callFunction(open().session, "toString", {})).rejects.toThrow("Unknown function toString");
	});
});

test("what the service does not offer is said by name", async () => {
	emulator.control.settings({ features: { inventory: false, kyc: false, trunks: false } });
	for (const [name, args] of [
		["getAvailableNumbers", { country: "NL" }],
		["getKycRequirements", { country: "DE", type: "mobile" }],
		["getTrunk", { id: "trk_1" }],
	] as const)
		expect((await failureOf(callFunction(open().session, name, args))).kind).toBe("NotOffered");
});

test("nothing is written", async () => {
	const { id } = await create(open().number, aNumber());
	const before = emulator.writes().length;
	await answer("getNumber", { id });
	await answer("getNumbers");
	await answer("getAvailableNumbers", { country: "NL" });
	expect(emulator.control.requests().filter(({ method }) => method !== "GET")).toHaveLength(before);
});
