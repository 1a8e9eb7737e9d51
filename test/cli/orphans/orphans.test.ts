/** `telephony orphans`, with states in files. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { OrphansReport } from "../../../cli/orphans/report";
import type { Values } from "../../../provider/properties/table";
import { useEmulator } from "../../helpers/emulator";
import { showSmallIds, useFaultProxy } from "../../helpers/fault-proxy";
import { submitPort } from "../../helpers/ports";
import { aNumber, aPool, aWebhook, create, openProvider } from "../../helpers/provider";
import { useStates } from "../../helpers/states";

const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const stranger = useEmulator({ kyc: "immediate" });
const there = useFaultProxy(stranger);
const states = useStates<OrphansReport>("orphans", emulator);
const { state } = states;

const buy = async (more: Values = {}) => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	emulator.control.patchNumber(body.id, more);
	return body.id;
};

const orphans = (stacks: readonly string[], env: Record<string, string> = {}, url = emulator.url) =>
	states.report(stacks, { env, url });

test("knows the numbers of a pool, and reports one that a killed run bought", async () => {
	const { id, outs } = await create(openProvider(emulator).numberPool, aPool({ count: 3 }));
	const file = state([{ type: "telephony:index:NumberPool", name: "support", id, outs }]);
	expect((await orphans([file])).report).toMatchObject({ total: 3, orphaned: 0 });
	const numbers = (outs.numbers as { id: string }[]).slice(1);
	const less = { ...outs, numbers, members: (outs.members as unknown[]).slice(1) };
	const without = state([{ type: "telephony:index:NumberPool", name: "support", id, outs: less }], "less.json");
	expect((await orphans([without])).report).toMatchObject({ total: 3, orphaned: 1 });
});

test("is clean if the stacks of both providers hold all objects", async () => {
	const { number, webhook } = openProvider(emulator);
	const [main, hook] = [await create(number, aNumber()), await create(webhook, aWebhook())];
	const done = await orphans([
		state([{ ...main, type: "pulumi-nodejs:dynamic/telephony:Number" }], "a.json"),
		state([{ ...hook, type: "telephony:index:Webhook" }], "b.json"),
	]);
	expect(done.code, done.output).toBe(0);
	expect(done.report, done.output).toMatchObject({ total: 2, orphaned: 0, orphans: [] });
	expect(done.stdout).toContain("orphans: 0 of 2 objects; stacks ");
});

test("lists an orphan with price, age and steps, and exits 7", async () => {
	const id = await buy({ label: "Old | @desk" });
	const { id: held } = await create(openProvider(emulator).number, aNumber());
	const trunk = await emulator.call("POST", "/trunks", {
		name: "open",
		capacity: 1,
		auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.7/32"] },
	});
	const done = await orphans([state([{ id: held }])]);
	expect(done.code, done.output).toBe(7);
	const [first, second] = done.report.orphans;
	expect(first).toMatchObject({
		type: "Number",
		id,
		label: "Old | @desk",
		status: "active",
		ageDays: 0,
		claim: "unclaimed",
	});
	expect(second).toMatchObject({ type: "SipTrunk", id: trunk.body.id, label: "open", claim: "unclaimed" });
	expect(done.report).toMatchObject({ total: 3, orphaned: 2, monthly: [first?.monthly], account: emulator.url });
	expect(first?.steps).toEqual([
		expect.stringContaining(`adopt: "${id}"`),
		expect.stringContaining(`pulumi import telephony:index:Number NAME ${id}`),
		expect.stringContaining("release it"),
	]);
	expect(done.stdout).toMatch(/orphans: 2 of 3 objects, [\d.]+ [A-Z]{3} a month; stack /);
	expect(done.markdown).toContain("Old \\| `@desk`");
	expect(done.output + done.markdown).not.toContain(emulator.apiKey);
});

test("lists retained numbers first, and protects those of other stacks", async () => {
	const theirs = await create(openProvider(emulator).number, aNumber({}, "theirs"));
	const ours = await create(openProvider(emulator).number, aNumber({}, "ours"));
	// A second number of a resource that has one, as an interrupted run leaves it.
	const second = await buy();
	const [claim] = String(emulator.row(ours.id)?.reference).split("~");
	emulator.control.patchNumber(second, { reference: `${claim}2~shop/dev` });
	const namesake = await buy({ reference: `${ours.outs.token}.elsewher.lease~shop/dev` });
	const foreign = await buy({ reference: "crm/42" });
	const retained = await buy({ reference: "r.g.owner.left~shop/old" });
	const { report, stdout } = await orphans([state([{ ...ours, name: "ours" }])]);
	const stepsOf = (id: string) => report.orphans.find((orphan) => orphan.id === id)?.steps.join("; ");
	expect(report.orphans[0]).toMatchObject({ id: retained, claim: "retained", owner: "the stack shop/old" });
	expect(report.orphans[0]?.monthly).toBeDefined();
	expect(Object.fromEntries(report.orphans.map(({ id, claim }) => [id, claim]))).toEqual({
		[retained]: "retained",
		[theirs.id]: "another declaration",
		[foreign]: "another declaration",
		[second]: "superseded",
		[namesake]: "another declaration",
	});
	expect(report.orphans.find(({ id }) => id === second)?.owner).toMatch(new RegExp(`ours in stack .*${ours.id}`));
	expect(stepsOf(retained)).toMatch(new RegExp(`telephony release ${retained} --stack old.*adopt: "${retained}"`));
	expect(stepsOf(second)).toContain(`telephony release ${second} --stack dev`);
	expect(stepsOf(theirs.id)).toContain(`telephony release ${theirs.id} --stack dev`);
	for (const id of [retained, second, theirs.id, foreign]) expect(stepsOf(id)).not.toMatch(/dashboard/);
	for (const id of [theirs.id, foreign]) expect(stepsOf(id)).not.toMatch(/adopt/);
	expect(stdout.indexOf(retained)).toBeLessThan(stdout.indexOf(theirs.id));
});

test("ignores released numbers, even if the list still shows them", async () => {
	const [gone, listed, read] = [await buy(), await buy(), await buy()];
	await emulator.call("DELETE", `/numbers/${gone}`);
	proxy.rewrite = (text, method, path) =>
		method === "GET" && path.endsWith(listed) ? text.replace('"active"', '"released"') : text;
	const { report } = await orphans([state([{ id: read, external: true }])], {}, proxy.url);
	expect(report.orphans.map(({ id }) => id)).toEqual([read]);
});

test("reads a state with a byte order mark", async () => {
	const file = state([{ id: await buy() }]);
	const marked = `\uFEFF${readFileSync(file, "utf8")}`;
	for (const encoding of ["utf8", "utf16le"] as const) {
		writeFileSync(file, marked, encoding);
		expect((await orphans([file])).report).toMatchObject({ total: 1, orphaned: 0 });
	}
});

test("fails without a report if a list is incomplete", async () => {
	await buy();
	proxy.rewrite = (text, method, path) =>
		method === "GET" && path.includes("/numbers?") ? text.replace("{", '{"has_more":true,') : text;
	const done = await orphans([state([])], {}, proxy.url);
	expect(done.code).toBe(1);
	expect(done.report).toEqual({});
	expect(done.output).toContain("[telephony:list-incomplete]");
});

const address = { street: "Damrak 1", city: "Amsterdam", postal_code: "1012 LG", country: "NL" };
const order = {
	numbers: ["+31201234567", "+31201234568"],
	country: "NL",
	carrier: { name: "Old Telecom" },
	subscriber: { name: "Example B.V.", address: "Damrak 1" },
};
const makeProfile = async () =>
	(await emulator.call("POST", "/kyc/profiles", { holder: "business", name: "Example B.V.", country: "DE", address }))
		.body.id;
const makeOrder = async () => (await emulator.call("POST", "/port_orders", order)).body.id;

test.each([
	["an unused profile", "KycProfile", makeProfile, "Example B.V.", "remove it in"],
	["a draft of a port order", "PortOrder", makeOrder, "+31201234567, +31201234568", "cancel it in"],
])("reports %s unless a stack holds it", async (_, type, make, label, end) => {
	const id = await make();
	const { report, markdown, code } = await orphans([state([])]);
	expect(report.orphans, markdown).toMatchObject([{ type, id, label, status: "draft", claim: "unclaimed" }]);
	expect(report.orphans[0]?.steps).toEqual([
		expect.stringContaining(`adopt: "${id}"`),
		expect.stringContaining(`pulumi import telephony:index:${type} NAME ${id}`),
		expect.stringContaining(end),
	]);
	expect(code).toBe(7);
	const held = await orphans([state([{ type: `telephony:index:${type}`, id }], "held.json")]);
	expect(held.report, held.output).toMatchObject({ total: 1, orphaned: 0 });
});

test.each(["completed", "cancelled", "cancel_pending"])("ignores a port order that is %s", async (status) => {
	const id = await makeOrder();
	emulator.control.patchPortOrder(id, { status });
	const done = await orphans([state([])]);
	expect(done.report, done.output).toMatchObject({ total: 0, orphaned: 0 });
});

test("ignores a trunk that a number uses, also as its failover", async () => {
	const makeTrunk = async (name: string) => {
		const auth = { mode: "ip_acl", allowed_cidrs: ["198.51.100.7"] };
		const { body } = await emulator.call("POST", "/trunks", { name, auth, capacity: 2 });
		return String(body.id);
	};
	const [first, second, unused] = [await makeTrunk("first"), await makeTrunk("second"), await makeTrunk("unused")];
	const id = await buy();
	const failover = { type: "trunk", trunk_id: second };
	await emulator.call("PATCH", `/numbers/${id}`, { routing: { type: "trunk", trunk_id: first, failover } });
	const done = await orphans([state([{ id }])]);
	expect(done.report, done.output).toMatchObject({ total: 4, orphans: [{ type: "SipTrunk", id: unused }] });
});

test("ignores a profile that a number uses", async () => {
	const profile = await makeProfile();
	const { body } = await emulator.call("POST", "/numbers", { country: "DE", type: "mobile" });
	await emulator.call("PATCH", `/numbers/${body.id}`, { kyc_profile_id: profile });
	const done = await orphans([state([{ id: body.id }])]);
	expect(done.report, done.output).toMatchObject({ total: 2, orphaned: 0 });
});

test.each([
	["isn't on the account yet", () => ({ foundId: "" })],
	["was found since", (id: string) => ({ foundId: id })],
])("finds the state of a ported number that %s by its E.164", async (_, outs) => {
	const id = await buy();
	const e164 = emulator.control.state().numbers[0]?.number ?? "";
	const done = await orphans([state([{ id: e164, outs: { token: "t", ...outs(id) } }])]);
	expect(done.report, done.output).toMatchObject({ total: 1, orphaned: 0 });
});

test("reports an unreadable number with an unknown owner", async () => {
	const [odd, held] = [await buy(), await buy()];
	proxy.rewrite = (text, method) => (method === "GET" ? text.replaceAll('"NL"', "7") : text);
	const { report } = await orphans([state([{ id: held }])], {}, proxy.url);
	expect(report).toMatchObject({ total: 2, orphans: [{ id: odd, claim: "unknown" }] });
	expect(report.orphans[0]?.steps.join()).not.toMatch(/dashboard/);
});

test("reports an unreadable port order, unless it is cancelled", async () => {
	const [odd, cancelled] = [await submitPort(emulator, ["+31201234567"]), await submitPort(emulator, ["+31201234568"])];
	emulator.control.decidePortOrder(cancelled, "cancel");
	proxy.rewrite = (text) => text.replaceAll(/"numbers":\[[^\]]*\]/g, '"numbers":7');
	const { report } = await orphans([state([])], {}, proxy.url);
	expect(report).toMatchObject({ total: 1, orphans: [{ type: "PortOrder", id: odd, claim: "unknown" }] });
});

test("prints no command with another program's text in it", async () => {
	const names = ["x;touch pwned", "$(reboot)", "a`b"];
	const ids = [];
	for (const name of names) ids.push(await buy({ reference: `r.g.owner.left~shop/${name}` }));
	const { report } = await orphans([state([])]);
	for (const id of ids) {
		const steps = report.orphans.find((orphan) => orphan.id === id)?.steps.join("; ");
		expect(steps).toContain(`telephony release ${id} --stack NAME`);
	}
});

describe("a wrong call", () => {
	test.each([
		["a missing file", () => join(states.folder, "none.json"), "there is no file"],
		["a file without a state", () => join(__dirname, "../../../package.json"), "holds no state"],
		["an empty name", () => " ", "--stack is empty"],
	])("is refused in one sentence: %s", async (_, stack, says) => {
		await buy();
		const done = await orphans([stack()]);
		expect(done.output).toContain(says);
		expect(done.code, done.output).toBe(2);
		expect(done.output).toMatch(/^telephony: .*\[telephony:usage\]\n$/);
	});
});

test.each([true, false])("refuses an account with none of the objects: the same ids %s", async (isSame) => {
	if (isSame) for (const service of [proxy, there]) showSmallIds(service);
	const { id, outs } = await create(openProvider({ ...emulator, url: proxy.url }).number, aNumber());
	const { body } = await stranger.call("POST", "/numbers", { country: "NL", type: "mobile" });
	stranger.edit("number", body.id, { number: "+31620009999" });
	const file = state([{ id, outs }]);
	expect((await orphans([file], {}, proxy.url)).report).toMatchObject({ total: 1, orphaned: 0 });
	const env = { TELEPHONY_API_KEY: stranger.apiKey };
	const done = await orphans([file], env, there.url);
	expect([done.code, done.output]).toEqual([1, expect.stringContaining("[telephony:wrong-account]")]);
	expect(done.stdout).toBe("");
	const accepted = await orphans([file], { ...env, TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" }, there.url);
	expect(accepted.report).toMatchObject({ total: 1 });
});

test("refuses an account that isn't the pinned one, whatever it shows", async () => {
	const { id, outs } = await create(openProvider(emulator).number, aNumber());
	const file = state([{ id, outs }]);
	const { account } = emulator.control.state();
	expect((await orphans([file], { TELEPHONY_ACCOUNT: account.id })).report).toMatchObject({ total: 1 });
	const env = { TELEPHONY_ACCOUNT: "acc_other", TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" };
	const done = await orphans([file], env);
	expect([done.code, done.stdout]).toEqual([1, ""]);
	expect(done.output).toContain("[telephony:wrong-account]");
});

test("names providers with their own key or address, without the key", async () => {
	const id = await buy();
	const type = "pulumi:providers:telephony";
	const key = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:secret" };
	const done = await orphans([
		state([
			{ id },
			{ type, name: "default", id: "p0", inputs: { apiKey: key } },
			{ type, name: "us", id: "p1", inputs: { apiKey: key } },
			{ type, name: "eu", id: "p2", inputs: { apiKey: key, baseUrl: "https://a:b@eu.example.com/v1?x" } },
			{ type, name: "same", id: "p3", inputs: { owner: "team" } },
		]),
	]);
	expect(done.code, done.output).toBe(0);
	const { otherAccounts } = done.report;
	expect(otherAccounts.map(({ name, account }) => [name, account])).toEqual([
		["us", undefined],
		["eu", "https://eu.example.com/v1"],
	]);
	for (const text of [done.output, done.markdown]) {
		expect(text).toContain("has a provider us with its own key, perhaps of another account");
		expect(text).toContain("has a provider eu with its own address");
		expect(text).not.toMatch(/a:b|v1:secret|provider (default|same)/);
	}
});
