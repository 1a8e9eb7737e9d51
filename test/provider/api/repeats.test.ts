/** Repeated requests: when, how often, and the outcome of a purchase whose response got lost. */
import { expect, test } from "vitest";
import { featuresHeader } from "../../../provider/api/contract";
import { FakeClock } from "../../helpers/clock";
import { failureOf } from "../../helpers/provider";
import { answer, refusal, type Script, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const start = Date.UTC(2026, 0, 1);
const open = (ahead = 0) => {
	const clock = new FakeClock(start + ahead);
	return { clock, client: server.client({ clock }) };
};
const criteria = { country: "NL", type: "mobile" } as const;
const keyed = { [featuresHeader]: "idempotencyKey, getById" };
const kindOfPurchase = async (options = {}, client = open().client) =>
	(await failureOf(client.numbers.buy(criteria, options))).kind;
const withKey = { idempotencyKey: "k" };

/** The first requests get these responses, all others 200. */
const first =
	(...scripts: readonly Script[]): Script =>
	(response, received) =>
		(scripts[received.length - 1] ?? ((each) => answer(each, 200)))(response, received);
const respond =
	(...rest: readonly [status: number, body?: unknown, headers?: Record<string, string>]): Script =>
	(response) =>
		answer(response, rest[0], rest[1] as object, rest[2]);
const refuse = (status: number, code: string, headers = {}) => respond(status, refusal(code), headers);

const date = (seconds = 0) => new Date(start + seconds * 1000).toUTCString();
test.each([
	["in seconds", "7", 0, 7_000],
	["as a date", date(9), 0, 9_000],
	["by the service's clock where ours is fast", date(9), 7_200_000, 9_000],
	["by the service's clock where ours is slow", date(9), -7_200_000, 9_000],
])("waits for Retry-After %s", async (_, retryAfter, ahead, ms) => {
	server.script = first(refuse(503, "unavailable", { date: date(), "retry-after": retryAfter }));
	const { client, clock } = open(ahead);
	await client.trunks.get("x");
	expect(clock.now() - start - ahead).toBeGreaterThanOrEqual(ms);
	expect(clock.now() - start - ahead).toBeLessThan(ms + 1_000);
	expect(server.received).toHaveLength(2);
});

test("gives up at a Retry-After that is too long, and lets no client send until then", async () => {
	server.script = first(refuse(429, "rate_limited", { "retry-after": "86400" }));
	const { client, clock } = open();
	expect((await failureOf(client.trunks.get("x"))).kind).toBe("RateLimited");
	expect((await failureOf(open().client.trunks.get("y"))).kind).toBe("RateLimited");
	expect([clock.now() - start, server.received.length]).toEqual([0, 1]);
});

test("gives up after five tries, with growing pauses", async () => {
	server.script = respond(502, "<html>");
	const { client, clock } = open();
	expect((await failureOf(client.trunks.get("x"))).kind).toBe("Unavailable");
	expect(server.received).toHaveLength(5);
	expect(clock.slept).toEqual([125, 250, 500, 1000]);
});

const lost: Script = (response) => response.destroy();
test.each<[string, Script]>([
	["no response", lost],
	[
		"half a response",
		(response) => response.writeHead(201, { "content-length": "999" }).write("{", () => lost(response, [])),
	],
	["HTTP 500", refuse(500, "internal_error")],
	["a gateway's 504", respond(504, "<html>")],
	["half a JSON", respond(201, '{"id":')],
])("repeats a purchase with %s only where keys are known to count", async (_, script) => {
	server.script = first(script);
	expect(await kindOfPurchase(withKey)).toBe("OutcomeUnknown");
	expect(server.received).toHaveLength(1);
	const { client } = open();
	server.script = respond(200, undefined, keyed);
	await client.trunks.list().next();
	server.script = (response, received) => (received.length === 3 ? script(response, received) : answer(response, 201));
	await client.numbers.buy(criteria, withKey);
	expect(server.received.slice(2).map(({ headers }) => headers["idempotency-key"])).toEqual(["k", "k"]);
});

test.each([400, 403, 404, 405, 409, 413, 501])("takes a gateway's %d for no result of a purchase", async (status) => {
	const { client } = open();
	await client.trunks.list().next();
	server.script = respond(status, "<html>");
	expect(await kindOfPurchase(withKey, client)).toBe("OutcomeUnknown");
	expect(server.received).toHaveLength(2);
});

test.each<[string, Script, kind: string]>([
	["limited in rate", refuse(429, "rate_limited"), "OutcomeUnknown"],
	["still in progress", refuse(409, "idempotency_in_progress"), "OutcomeUnknown"],
	["without a valid key", refuse(401, "unauthorized"), "OutcomeUnknown"],
	["to wait for too long", refuse(429, "rate_limited", { "retry-after": "900" }), "OutcomeUnknown"],
	["refused", refuse(409, "no_inventory"), "Conflict"],
])("settles a purchase whose repeat is %s", async (_, script, kind) => {
	const { client } = open();
	server.script = respond(200, undefined, keyed);
	await client.trunks.list().next();
	server.script = (response, received) => (received.length === 2 ? lost : script)(response, received);
	expect(await kindOfPurchase(withKey, client)).toBe(kind);
	expect(server.received.length).toBeGreaterThan(2);
});

test("knows the outcome of a purchase that was refused or never sent", async () => {
	server.script = refuse(429, "rate_limited");
	expect(await kindOfPurchase()).toBe("RateLimited");
	expect(server.received).toHaveLength(1);
	server.script = refuse(409, "no_inventory");
	expect(await kindOfPurchase()).toBe("Conflict");
	expect(await kindOfPurchase({}, server.client({ baseUrl: "http://127.0.0.1:1/v1" }))).toBe("Unavailable");
	server.script = refuse(409, "idempotency_in_progress", keyed);
	expect(await kindOfPurchase(withKey)).toBe("OutcomeUnknown");
});

test("never repeats a purchase without a key", async () => {
	server.script = refuse(503, "unavailable", keyed);
	const { client } = open();
	for (const _ of [1, 2]) expect(await kindOfPurchase({}, client)).toBe("OutcomeUnknown");
	expect(server.received).toHaveLength(2);
});

test("makes a body that is a function anew for each try", async () => {
	server.script = first(lost);
	let lease = 0;
	await open().client.numbers.patch("x", () => ({ reference: `lease ${++lease}` }));
	expect(server.received.map(({ body }) => body)).toEqual(['{"reference":"lease 1"}', '{"reference":"lease 2"}']);
});

test("finds a number in the list where there is no single read, and proves no loss", async () => {
	const { client } = open();
	server.script = (response, received) =>
		received.at(-1)?.path.startsWith("/numbers?")
			? answer(response, 200, { data: [{ id: "a" }], next_cursor: null })
			: answer(response, 404, refusal("operation_not_offered"));
	expect(await client.numbers.get("a")).toEqual({ id: "a" });
	expect((await failureOf(client.numbers.get("b"))).kind).toBe("Unlisted");
	server.script = respond(404, "<html>");
	expect((await failureOf(client.numbers.get("a"))).kind).not.toBe("NotFound");
});
