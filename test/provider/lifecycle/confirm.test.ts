/** A change counts as done only when the service shows it: applied, respelled, or not applied. */
import { describe, expect, test } from "vitest";
import { isTelephonyError } from "../../../provider/api/errors";
import { InitError } from "../../../provider/lifecycle/resource";
import type { Values } from "../../../provider/properties/table";
import { useAccount } from "../../helpers/account";
import { eachRecord, faultsAt, page, useFaultProxy } from "../../helpers/fault-proxy";
import { aWholeProfile, createDesk } from "../../helpers/papers";
import { aNumber, aPool, aPortOrder, aTrunk, aWebhook, create, failureOf } from "../../helpers/provider";
import { differs, failedUp, nameIn, refreshed, typeIn, upAgain, updated } from "../../helpers/runs";

const account = useAccount();
const { emulator, clock } = account;
const proxy = useFaultProxy(emulator);
const open = () => account.open({ ...proxiedBy() });
const proxiedBy = () => ({ env: { TELEPHONY_BASE_URL: proxy.url } });

/** Changes each record of one kind in every response, so that the service seems to have other values. */
function showing(path: string, change: (record: Values) => Values): void {
	const changed = eachRecord(change);
	proxy.rewrite = (text, _method, url) =>
		text !== "" && url.startsWith(`/v1/${path}`) ? JSON.stringify(changed(JSON.parse(text))) : text;
}

const pathOf: Readonly<Record<string, string>> = { Number: "numbers", SipTrunk: "trunks", Webhook: "webhooks" };
const codeOf = (error: unknown) => {
	const cause = error instanceof InitError ? error.cause : error;
	return isTelephonyError(cause) ? [cause.messageCode, cause.values] : cause;
};
const agent = { type: "agent", agentId: "agt_1" };
const digest = (username: string) => ({ mode: "digest", username });
const hook = "https://hooks.example.com/sms";
const target = { host: "pbx.example.com" };

describe("a change that the service accepts and doesn't show", () => {
	test.each<[property: string, wire: string, declare: (args: Values) => Values, before: Values, after: Values]>([
		["routing", "routing", aNumber, { routing: agent }, {}],
		["routing", "routing", aNumber, { routing: agent }, { routing: { ...agent, agentId: "agt_2" } }],
		["smsWebhookUrl", "sms_webhook_url", aNumber, { smsWebhookUrl: hook }, {}],
		["label", "label", aNumber, {}, { label: "Desk" }],
		["label", "label", aNumber, { label: "Desk" }, {}],
		["releaseProtection", "release_protection", aNumber, { releaseProtection: true }, {}],
		["targets", "targets", aTrunk, { targets: [target] }, {}],
		["callsPerSecond", "cps", aTrunk, { callsPerSecond: 5 }, {}],
		["capacity", "capacity", aTrunk, { capacity: 5 }, { capacity: 9 }],
		["mediaEncryption", "media_encryption", aTrunk, { mediaEncryption: "srtp" }, {}],
		["events", "events", aWebhook, { events: ["call.completed", "message.received"] }, { events: ["*"] }],
		["url", "url", aWebhook, {}, { url: "https://hooks.example.com/new" }],
	])("fails and stays due: %s (%s)", async (property, wire, declare, before, after) => {
		const made = await create(account.open()[nameIn(declare(before))], declare(before));
		const old = emulator.row(made.id)?.[wire];
		showing(pathOf[typeIn(declare(before))] ?? "", (record) => ({ ...record, [wire]: old }));
		const failed = await failedUp(open(), declare(after), made);
		const named = expect.objectContaining({ property: expect.stringMatching(new RegExp(`^${property}\\b`)) });
		expect(codeOf(failed.error)).toEqual(["not-applied", { unapplied: [named] }]);
		expect(failed.id).toBe(made.id);
		expect(await differs(account.open(), failed, declare(after))).toBe(true);
		const repeated = await failedUp(open(), declare(after), failed);
		expect(codeOf(repeated.error)).toEqual(["not-applied", { unapplied: [named] }]);
		proxy.rewrite = (text) => text;
		const mended = await upAgain(open(), repeated, declare(after));
		expect(mended.changes).toBe(true);
		expect(await refreshed(open(), mended, declare(after))).toMatchObject({ changes: false });
	});

	test("fails for a pool's routing, which the next run clears", async () => {
		const [before, after] = [aPool({ count: 2, routing: agent }), aPool({ count: 2 })];
		const made = await create(account.open().numberPool, before);
		const [row] = emulator.rows("number");
		showing("numbers", (record) => ({ ...record, routing: row?.routing }));
		const failed = await failedUp(open(), after, made);
		expect(codeOf(failed.error)).toMatchObject(["not-applied", {}]);
		proxy.rewrite = (text) => text;
		expect((await upAgain(open(), failed, after)).changes).toBe(true);
		expect(emulator.rows("number").map(({ routing }) => routing)).toEqual([null, null]);
	});

	test("is read again while the service lags", async () => {
		const made = await create(account.open().number, aNumber());
		const start = clock.now();
		showing("numbers", (record) => (clock.now() < start + 3_000 ? { ...record, label: null } : record));
		const run = open();
		const { outs } = await updated(run, made, aNumber({ label: "Desk" }));
		expect(outs).toMatchObject({ label: "Desk" });
		expect(outs).not.toHaveProperty("open");
		expect(run.warnings).toEqual([]);
	});

	test("is left to the next run while a pending number isn't waited for", async () => {
		const news = aNumber({ label: "Desk", waitForActive: false });
		showing("numbers", (record) => ({ ...record, status: "pending", label: null }));
		const run = open();
		const made = await create(run.number, news);
		expect(run.warnings).toEqual([expect.stringMatching(/\[telephony:not-applied\]$/)]);
		proxy.rewrite = (text) => text;
		const later = await upAgain(open(), made, news);
		expect(later).toMatchObject({ changes: true, outs: { label: "Desk" } });
		expect(await refreshed(open(), later, news)).toMatchObject({ changes: false });
	});

	test("is found on a claim that the service doesn't store", async () => {
		showing("numbers", (record) => ({ ...record, reference: null }));
		const failed = await failedUp(open(), aNumber());
		expect(codeOf(failed.error)).toMatchObject(["not-applied", { unapplied: [{ property: "reference" }] }]);
		proxy.rewrite = (text) => text;
		await upAgain(open(), failed, aNumber());
		expect(account.purchases()).toHaveLength(1);
	});

	test("is refused if another stack has claimed the object meanwhile", async () => {
		const made = await create(account.open().number, aNumber());
		const theirs = "another.criteria.owner.lease~shop/prod";
		let isTaken = false;
		proxy.rewrite = (text, method) => {
			isTaken ||= method === "PATCH";
			return isTaken ? text.replace(/"reference":"[^"]*"/, `"reference":"${theirs}"`) : text;
		};
		const failed = await failedUp(open(), aNumber({ label: "Desk" }), made);
		expect(codeOf(failed.error)).toMatchObject(["claimed", {}]);
	});

	test("keeps the id if the confirming read fails", async () => {
		proxy.plan = (_, method) => {
			if (method === "PATCH") return { kind: "empty" };
			return method === "GET" && account.purchases().length > 0 ? { kind: "refused", status: 500 } : undefined;
		};
		const failed = await failedUp(open(), aNumber({ label: "Desk" }));
		expect(failed.id).toBe(account.live()[0]?.id);
		proxy.plan = () => undefined;
		await upAgain(open(), failed, aNumber({ label: "Desk" }));
		expect(account.live()).toMatchObject([{ id: failed.id, label: "Desk" }]);
		expect(account.purchases()).toHaveLength(1);
	});
});

describe("a value in the service's spelling", () => {
	const nfd = "Cafe\u0301 Desk";
	const lowered = (value: unknown) => String(value).toLowerCase();

	test.each<[title: string, path: string, news: Values, change: (record: Values) => Values, property: string]>([
		[
			"normal form",
			"numbers",
			aNumber({ label: nfd }),
			(row) => ({ ...row, label: row.label && nfd.normalize() }),
			"label",
		],
		[
			"HTML entities",
			"numbers",
			aNumber({ label: "A & B" }),
			(row) => ({ ...row, label: row.label && "A &amp; B" }),
			"label",
		],
		[
			"lower case",
			"trunks",
			aTrunk({ auth: digest("Office-PBX") }),
			(row) => ({ ...row, auth: { ...(row.auth as object), username: lowered((row.auth as Values).username) } }),
			"auth",
		],
		[
			"a date",
			"port_orders",
			aPortOrder({ requestedDate: "2027-01-31T08:00:00Z" }),
			(row) => ({ ...row, requested_date: "2027-01-31" }),
			"requestedDate",
		],
		[
			"a list in place of `*`",
			"webhooks",
			aWebhook({ events: ["*"] }),
			(row) => ({ ...row, events: ["message.received", "call.completed"] }),
			"events",
		],
	])("is no difference and is warned of once: %s", async (_, path, news, change, property) => {
		showing(path, change);
		const first = open();
		const made = await create(first[nameIn(news)], news);
		expect(first.warnings.filter((text) => text.endsWith("[telephony:respelled]"))).toHaveLength(1);
		expect(made.outs[property]).toEqual(news[property]);
		const before = emulator.requests().length;
		let resource = { id: made.id, outs: made.outs };
		for (let round = 0; round < 2; round++) {
			const run = open();
			const read = await refreshed(run, resource, news);
			expect(read).toMatchObject({ changes: false, outs: { [property]: news[property] } });
			resource = await upAgain(run, read, news);
			expect(run.warnings).toEqual([]);
		}
		expect(emulator.requests(before).filter((request) => !request.startsWith("GET"))).toEqual([]);
	});

	test.each([
		["+525512345678", "+5215512345678"],
		["+5491123456789", "+541123456789"],
		["+31201234567", "+310201234567"],
	])("is a subscriber's number in another plan: %s, %s", async (to, live) => {
		const news = aNumber({ routing: { type: "forward", to } });
		showing("numbers", (record) => ({ ...record, routing: { type: "forward", to: live } }));
		const first = open();
		const made = await create(first.number, news);
		expect(first.warnings.filter((text) => text.endsWith("[telephony:respelled]"))).toHaveLength(1);
		const run = open();
		expect(await refreshed(run, made, news)).toMatchObject({ changes: false });
		expect(run.warnings).toEqual([]);
	});

	test("is not another subscriber's number", async () => {
		const news = aNumber({ routing: { type: "forward", to: "+525512345678" } });
		showing("numbers", (record) => ({ ...record, routing: { type: "forward", to: "+5215512345679" } }));
		const failed = await failedUp(open(), news);
		expect(codeOf(failed.error)).toMatchObject(["not-applied", {}]);
	});

	test("is learned from a read where the response repeats the request", async () => {
		const news = aNumber({ label: "A & B" });
		proxy.rewrite = (text, method) => (method === "GET" ? text.replaceAll("A & B", "A &amp; B") : text);
		const made = await create(open().number, news);
		const first = await refreshed(open(), made, news);
		expect(first.changes).toBe(true);
		const second = await upAgain(open(), first, news);
		expect(await refreshed(open(), second, news)).toMatchObject({ changes: false, outs: { label: "A & B" } });
	});

	test("is kept for each number of a pool, and never in clear", async () => {
		const news = aPool({ count: 2, label: nfd });
		showing("numbers", (row) => ({ ...row, label: row.label && nfd.normalize() }));
		const made = await create(open().numberPool, news);
		expect(await refreshed(open(), made, news)).toMatchObject({ changes: false });
		expect(JSON.stringify(made.outs)).not.toContain(nfd.normalize());
	});

	test("is compared with later reads", async () => {
		const news = aNumber({ label: "Front Desk" });
		showing("numbers", (row) => ({ ...row, label: row.label && lowered(row.label) }));
		const made = await create(open().number, news);
		emulator.edit("number", made.id, { label: "Other" });
		const read = await refreshed(open(), made, news);
		expect(read).toMatchObject({ changes: true, outs: { label: "other" } });
	});

	test("isn't reported by a write of another value", async () => {
		showing("numbers", (row) => ({ ...row, label: row.label && lowered(row.label) }));
		const made = await create(open().number, aNumber({ label: "Front Desk" }));
		const run = open();
		await updated(run, made, aNumber({ label: "Front Desk", smsWebhookUrl: hook }));
		expect(run.warnings).toEqual([]);
	});

	test("isn't sent again to a new trunk", async () => {
		const withName = (row: Values) => ({ ...row, auth: { ...(row.auth as object), username: "office-pbx" } });
		showing("trunks", withName);
		await create(open().sipTrunk, aTrunk({ auth: digest("Office-PBX") }));
		expect(emulator.requests().filter((request) => request.startsWith("PATCH"))).toEqual([]);
	});

	test("isn't sent again to a locked profile", async () => {
		const { folder } = createDesk();
		const news = aWholeProfile({ name: nfd });
		showing("kyc/profiles", (row) => ({ ...row, name: nfd.normalize() }));
		const run = () => account.open({ ...proxiedBy(), cwd: folder });
		const made = await create(run().kycProfile, news);
		expect(made.outs.status).toBe("approved");
		expect(await refreshed(run(), made, news)).toMatchObject({ changes: false, outs: { name: nfd } });
		// A run that has lost its state resumes the profile.
		expect(await create(run().kycProfile, news)).toMatchObject({ id: made.id, outs: { name: nfd } });
	});
});

describe("a removal that the service answers with a page", () => {
	test.each<[title: string, news: Values]>([
		["a number", aNumber()],
		["a trunk", aTrunk()],
		["a webhook", aWebhook()],
	])("fails while the service still shows %s", async (_, news) => {
		const made = await create(open()[nameIn(news)], news);
		const before = emulator.row(made.id);
		proxy.plan = faultsAt({ "DELETE /": page({ isCarriedOut: false }) });
		const error = await failureOf(open()[nameIn(news)].delete(made.id, made.outs));
		expect(codeOf(error)).toEqual(["not-applied", undefined]);
		expect(emulator.row(made.id)).toEqual(before);
		proxy.plan = faultsAt({ "DELETE /": page({ isCarriedOut: true }) });
		await open()[nameIn(news)].delete(made.id, made.outs);
		expect([undefined, "released"]).toContain(emulator.row(made.id)?.status);
	});

	test("counts towards `maxReleases`", async () => {
		const numbers = ["a", "b"].map((name) => aNumber({ onDelete: "release" }, name));
		const made = await Promise.all(numbers.map((news) => create(account.open().number, news)));
		proxy.plan = faultsAt({ "DELETE /": page({ isCarriedOut: false }) });
		const config = { "telephony:limits": JSON.stringify({ maxReleases: 1 }) };
		const run = account.open({ ...proxiedBy(), config, hasProgram: true });
		const codes = [];
		for (const { id, outs } of made) codes.push((await failureOf(run.number.delete(id, outs))).messageCode);
		expect(codes).toEqual(["not-applied", "limit"]);
	});
});

test.each([
	["SipTrunk", aTrunk({}, "office")],
	["Webhook", aWebhook()],
])("reads a created %s whose response shows only its id", async (type, inputs) => {
	const path = String(pathOf[type]);
	proxy.rewrite = (text, method) => {
		const { id, secret } = JSON.parse(text || "{}");
		return method === "POST" ? JSON.stringify({ id, secret }) : text;
	};
	const run = open();
	const before = emulator.requests().length;
	await create(run[nameIn(inputs)], inputs);
	expect(emulator.writes(before)).toEqual([`POST /${path}`]);
	expect(emulator.requests(before).filter((request) => request.startsWith(`GET /${path}/`))).toHaveLength(1);
});

test("claims only the kinds of objects whose description has a reference", async () => {
	const service = JSON.stringify({ records: { trunk: { reference: false } } });
	emulator.control.settings({ features: { idempotencyKey: false } });
	const run = account.open({ env: { ...proxiedBy().env, TELEPHONY_SERVICE: service } });
	const before = emulator.requests().length;
	const inputs = aTrunk({}, "office");
	const made = await create(run[nameIn(inputs)], inputs);
	expect(emulator.writes(before)).toEqual(["POST /trunks"]);
	expect(emulator.rows("sipTrunk")[0]?.reference ?? null).toBeNull();
	// After a taint, the engine compares and creates again.
	const { id, outs } = made;
	await run[nameIn(inputs)].diff(id, outs, inputs);
	expect((await create(run[nameIn(inputs)], inputs)).id).toBe(id);
});

describe("a value that this version doesn't know", () => {
	test.each<[declare: (args: Values) => Values, Values, Values]>([
		[aWebhook, { events: ["call.completed", "fax.received"] }, { events: ["fax.sent"] }],
		[aTrunk, { codecs: ["iLBC", "opus"] }, { codecs: ["opus", "iLBC"] }],
		[aTrunk, { mediaEncryption: "dtls-srtp" }, { mediaEncryption: "srtp" }],
		[aTrunk, { targets: [{ ...target, transport: "ws" }] }, { targets: [{ ...target, transport: "wss" }] }],
		[aTrunk, { targets: [{ host: "münchen.example" }, { host: "_sip._tcp.pbx_1.example" }] }, { targets: [] }],
		[aTrunk, { auth: digest("desk@example.com") }, { auth: digest("+31201234567") }],
	])("is sent, kept and compared", async (declare, before, after) => {
		emulator.control.settings({ acceptNewWords: true });
		const news = declare(before);
		const made = await create(open()[nameIn(news)], news);
		const sent = emulator.requests().length;
		expect(await refreshed(open(), made, news)).toMatchObject({ changes: false, inputs: before });
		const later = open();
		expect((await upAgain(later, made, news)).changes).toBe(false);
		expect(later.warnings).toEqual([]);
		expect(emulator.writes(sent)).toEqual([]);
		const changed = await upAgain(open(), made, declare(after), news);
		expect(changed).toMatchObject({ changes: true, outs: after });
		expect(await refreshed(open(), changed, declare(after))).toMatchObject({ changes: false });
	});

	test("is compared in any form of a host's name that the service shows", async () => {
		const news = aTrunk({ targets: [{ host: "MÜNCHEN.example." }] });
		const made = await create(open().sipTrunk, news);
		for (const host of ["xn--mnchen-3ya.example", "münchen.example", "XN--MNCHEN-3YA.EXAMPLE"]) {
			showing("trunks", (record) => ({ ...record, targets: [{ host }] }));
			expect(await refreshed(open(), made, news)).toMatchObject({ changes: false });
		}
	});
});
