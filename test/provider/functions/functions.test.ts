/** Functions at the emulator: their results and refusals, without any secret. */
import { expect, test } from "vitest";
import { callFunction, type FunctionName, functions } from "../../../provider/functions";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { aNumber, aTrunk, aWebhook, create, failureOf, openProvider } from "../../helpers/provider";

const { emulator, open } = useAccount();
const proxy = useFaultProxy(emulator);

async function call(name: FunctionName, args: Values = {}, run = open()): Promise<Values> {
	const called = await callFunction(run.session, name, args);
	if (!("failures" in called)) return called.result;
	const reasons = called.failures.map(({ reason }) => reason);
	throw new Error(reasons.sort().join("; "));
}
const ids = async (filters: Values, run = open()) =>
	((await call("getNumbers", filters, run)).numbers as Values[]).map(({ id }) => id).sort();
const desk = (args: Values = {}, name = "desk") => create(open().number, aNumber({ label: "Desk", ...args }, name));

test("getNumber reads a number by its id and by its E.164", async () => {
	const routing = { type: "forward", to: "+31201234567" };
	const { id, outs } = await desk({ routing, metadata: { team: "a" } });
	const result = await call("getNumber", { id });
	const { phoneNumber } = outs;
	const fields = { country: "NL", label: "Desk", routing, status: "active", kycRequired: false };
	expect(result).toMatchObject({ id, phoneNumber, metadata: { team: "a" }, ...fields });
	expect(await call("getNumber", { id: ` ${phoneNumber} ` })).toEqual(result);
	expect(Object.keys(result).filter((key) => !(key in functions.getNumber.outputs.fields))).toEqual([]);
});

test("getNumber finds a number that was bought after an earlier call", async () => {
	const program = open();
	await call("getNumber", { id: String((await desk()).outs.phoneNumber) }, program);
	const { id, outs } = await desk({}, "second");
	expect(await call("getNumber", { id: String(outs.phoneNumber) }, program)).toMatchObject({ id });
});

test.each(["+22507123456", "+5215512345678", "+9991234567"])(
	"getNumber finds %s, which no plan has",
	async (number) => {
		const { id } = await desk();
		emulator.edit("number", id, { number });
		expect(await call("getNumber", { id: number })).toMatchObject({ id, phoneNumber: number });
		expect(await call("getNumber", { id: number.replace(/(?=\d{4}$)/, " - ") })).toMatchObject({ id });
	},
);

test.each(["3120123456O", "31201234567 / 8", "31201234567 ext", "31201234567, +31201234568", "31201234567;ext=5"])(
	"getNumber refuses +%s before it sends a request",
	async (text) => {
		const before = emulator.requests().length;
		await expect(call("getNumber", { id: `+${text}` })).rejects.toThrow("id: ");
		expect(emulator.requests(before)).toEqual([]);
	},
);

test("getNumbers lists the numbers that match every filter", async () => {
	const { id: first } = await desk({ metadata: { team: "a", floor: "2" } });
	const { id: second } = await desk({ label: "Door", metadata: { team: "a" } }, "door");
	const { id: london } = await desk({ label: "London", country: "GB", type: "geographic", area: "20" }, "london");
	const cases: [Values, unknown[]][] = [
		[{}, [first, second, london]],
		[{ label: " Desk " }, [first]],
		[{ metadata: { team: "a", floor: "2" } }, [first]],
		[{ metadata: { team: "a" }, country: "NL" }, [first, second]],
		[{ type: "geographic", area: "20", status: "active" }, [london]],
		[{ label: "Desk", country: "GB" }, []],
	];
	for (const [filters, expected] of cases) expect(await ids(filters)).toEqual(expected.sort());
	emulator.remove("number", london);
	expect([await ids({ country: "GB" }), await ids({ status: "released" })]).toEqual([[], [london]]);
});

test("getNumbers reads numbers one by one if the list hides labels", async () => {
	const { id } = await desk();
	await desk({ label: "Door" }, "door");
	await desk({ country: "GB" }, "abroad");
	proxy.rewrite = (text, _, path) =>
		/\/numbers\?/.test(path) ? text.replaceAll(/"label":("[^"]*"|null),/g, "") : text;
	const { numbers } = await call("getNumbers", { label: "Desk", country: "NL" }, openProvider(proxy));
	expect(numbers).toMatchObject([{ id, label: "Desk" }]);
	emulator.control.faults.set({ operation: "getNumber", every: true, kind: "status", error: "not_found" });
	expect(await ids({ label: "Desk" }, openProvider(proxy))).toEqual([]);
});

test.each(["null", '""', "7"])("getNumbers includes a number whose area isn't shown: %s", async (area) => {
	const { id } = await desk({ country: "GB", type: "geographic", area: "20" });
	proxy.rewrite = (text) => text.replaceAll('"area":"20"', `"area":${area}`);
	const results = ["20", "30"].map((wanted) => ids({ area: wanted, label: "Desk" }, openProvider(proxy)));
	expect(await Promise.all(results)).toEqual([[id], [id]]);
});

test("getNumbers warns of an unreadable number that may match", async () => {
	const [odd, { id }] = [await desk(), await desk({ label: "Door" }, "door")];
	const type = new RegExp(`("id":"${odd.id}","[^{}]*?"type":)"mobile"`, "g");
	proxy.rewrite = (text) => text.replaceAll(type, (_, before) => `${before}7`);
	for (const [filters, found, isWarned] of [
		[{}, [id], true],
		[{ label: "Desk" }, [], true],
		[{ label: "Door" }, [id], false],
	] as const) {
		const run = openProvider(proxy);
		expect(await ids(filters, run)).toEqual(found);
		const warning = expect.stringMatching(`${odd.id}.*\\[telephony:unreadable-response\\]$`);
		expect(run.warnings).toEqual(isWarned ? [warning] : []);
	}
});

test("getTrunk and getWebhook return the outputs without secrets", async () => {
	const auth = { mode: "digest", username: "office", password: "correct-horse-battery" };
	const trunk = await create(open().sipTrunk, aTrunk({ auth, name: "HQ" }));
	const hook = await create(open().webhook, aWebhook());
	const results = [await call("getTrunk", { id: trunk.id }), await call("getWebhook", { id: hook.id })];
	const fields = { auth: { mode: "digest", username: "office" }, sipDomain: trunk.outs.sipDomain };
	expect(results[0]).toMatchObject({ id: trunk.id, name: "HQ", capacity: 10, ...fields });
	const { url, events, secretVersion } = hook.outs;
	expect(results[1]).toMatchObject({ id: hook.id, url, events, enabled: true, secretVersion });
	for (const secret of [auth.password, String(hook.outs.secret)]) expect(JSON.stringify(results)).not.toContain(secret);
});

test("returns available numbers in the order of purchase, and KYC rules", async () => {
	const criteria = { country: "NL", type: "mobile" };
	const { numbers } = (await call("getAvailableNumbers", { ...criteria, limit: 3 })) as { numbers: Values[] };
	expect(numbers).toHaveLength(3);
	expect(numbers[0]).toMatchObject({ ...criteria, kycRequired: false, capabilities: ["sms", "voice"] });
	expect((await create(open().number, aNumber(criteria))).outs.phoneNumber).toBe(numbers[0]?.phoneNumber);
	const german = { country: "DE", type: "geographic" };
	const required = await call("getKycRequirements", german);
	expect(required).toMatchObject({ ...german, kycRequired: true });
	const [first = {}] = required.requirements as Values[];
	expect(Object.keys(first).sort()).toEqual(["code", "description", "entityTypes", "kind"]);
	expect(await call("getKycRequirements", criteria)).toMatchObject({ kycRequired: false });
});

test.each<[FunctionName, Values, paths: string[]]>([
	["getNumber", {}, ["id"]],
	["getNumber", { id: 7 }, ["id"]],
	["getNumber", { id: "0031201234567" }, ["id"]],
	["getNumbers", { contry: "NL" }, ["contry"]],
	["getAvailableNumbers", { country: "nl", contains: "12a", limit: 0 }, ["contains", "country", "limit"]],
	["getKycRequirements", { country: "DE", type: "fixed" }, ["type"]],
])("%s refuses %j without a request", async (name, args, paths) => {
	await expect(call(name, args)).rejects.toThrow(new RegExp(`^${paths.map((path) => `${path}: [^;]*`).join("; ")}$`));
	expect(emulator.requests()).toEqual([]);
});

test("returns an empty result for unknown arguments, without a request", async () => {
	expect(await call("getNumber", { id: unknownValue })).toEqual({});
	expect(await call("getNumbers", { metadata: { team: unknownValue } })).toEqual({});
	expect(emulator.requests()).toEqual([]);
	await expect(callFunction(open().session, "toString", {})).rejects.toThrow("toString");
});

test("fails for an object that isn't found or a feature that isn't offered", async () => {
	const { id } = await desk();
	emulator.remove("number", id);
	const missing = { getNumber: [id, "num_none", "+31999999999"], getTrunk: ["trk_none"], getWebhook: ["whk_none"] };
	for (const [name, none] of Object.entries(missing))
		for (const missing of none)
			expect((await failureOf(call(name as FunctionName, { id: missing }))).kind).toBe("NotFound");
	emulator.control.settings({ features: { inventory: false, kyc: false, trunks: false } });
	const german = { country: "DE", type: "mobile" };
	const [available, requirements] = [call("getAvailableNumbers", german), call("getKycRequirements", german)];
	for (const response of [available, requirements, call("getTrunk", { id })])
		expect((await failureOf(response)).kind).toBe("NotOffered");
});
