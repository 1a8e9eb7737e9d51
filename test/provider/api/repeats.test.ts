/** Repeated requests: when, how often, and the outcome of a purchase whose response got lost. */
import { expect, test } from "vitest";
import { featuresHeader } from "../../../provider/api/contract";
import { FakeClock } from "../../helpers/clock";
import { failureOf } from "../../helpers/provider";
import { refusal, reply, type Script, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const start = Date.UTC(2026, 0, 1);
const open = (ahead = 0) => {
	const clock = new FakeClock(start + ahead);
	return { clock, client: server.client({ clock }) };
};
const withKey = { idempotencyKey: "k" };
const kindOfPurchase = async (options = {}, client = open().client) =>
	(await failureOf(client.numbers.buy({ country: "NL", type: "mobile" }, options))).kind;

const respond =
	(status: number, body?: unknown, headers?: Record<string, string>): Script =>
	(response) =>
		reply(response, status, body as object, headers);
const refuse = (status: number, code: string, headers = {}) => respond(status, refusal(code), headers);
const lost: Script = (response) => response.destroy();
/** The requests get these responses in turn, and the last one again. */
const script = (...all: readonly Script[]) => {
	server.script = (response, received) => all[Math.min(received.length, all.length) - 1]?.(response, received);
};
/** Its first response says that keys count. */
const keyed = respond(200, undefined, { [featuresHeader]: "idempotencyKey, getById" });

const date = (seconds = 0) => new Date(start + seconds * 1000).toUTCString();
test.each([
	["7", 0, 7_000],
	// By the service's clock, where ours is fast or slow.
	[date(9), 7_200_000, 9_000],
	[date(9), -7_200_000, 9_000],
])("waits for Retry-After %s, with our clock %i ms ahead", async (retryAfter, ahead, ms) => {
	script(refuse(503, "unavailable", { date: date(), "retry-after": retryAfter }), respond(200));
	const { client, clock } = open(ahead);
	await client.trunks.get("x");
	const waited = clock.now() - start - ahead;
	expect([waited >= ms, waited < ms + 1_000, server.received.length]).toEqual([true, true, 2]);
});

test("gives up at a long Retry-After, and lets no client send until then", async () => {
	script(refuse(429, "rate_limited", { "retry-after": "86400" }), respond(200));
	const { client, clock } = open();
	expect((await failureOf(client.trunks.get("x"))).kind).toBe("RateLimited");
	expect((await failureOf(open().client.trunks.get("y"))).kind).toBe("RateLimited");
	expect([clock.slept, server.received.length]).toEqual([[], 1]);
});

test("gives up after five tries, with growing pauses", async () => {
	script(respond(502, "<html>"));
	const { client, clock } = open();
	expect((await failureOf(client.trunks.get("x"))).kind).toBe("Unavailable");
	expect([clock.slept, server.received.length]).toEqual([[125, 250, 500, 1000], 5]);
});

test.each<[string, Script]>([
	["no response", lost],
	[
		"half a response",
		(response) => response.writeHead(201, { "content-length": "999" }).write("{", () => response.destroy()),
	],
	["HTTP 500", refuse(500, "internal_error")],
	["a gateway's 504", respond(504, "<html>")],
	["half a JSON", respond(201, '{"id":')],
])("repeats a purchase with %s only where keys are known to count", async (_, failure) => {
	script(failure, keyed, failure, respond(201));
	expect(await kindOfPurchase(withKey)).toBe("OutcomeUnknown");
	const { client } = open();
	await client.trunks.list().next();
	await client.numbers.buy({ country: "NL", type: "mobile" }, withKey);
	const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
	expect(keys).toEqual(["k", undefined, "k", "k"]);
});

test.each<[string, Script, kind: string]>([
	["limited in rate", refuse(429, "rate_limited"), "OutcomeUnknown"],
	["still in progress", refuse(409, "idempotency_in_progress"), "OutcomeUnknown"],
	["without a valid key", refuse(401, "unauthorized"), "OutcomeUnknown"],
	["to wait for too long", refuse(429, "rate_limited", { "retry-after": "900" }), "OutcomeUnknown"],
	["refused", refuse(409, "no_inventory"), "Conflict"],
	...[400, 403, 404, 405, 409, 413, 501].map((status): [string, Script, string] => [
		`a gateway's ${status}`,
		respond(status, "<html>"),
		"OutcomeUnknown",
	]),
])("settles a lost purchase whose repeat is %s", async (_, repeat, kind) => {
	script(keyed, lost, repeat);
	const { client } = open();
	await client.trunks.list().next();
	expect(await kindOfPurchase(withKey, client)).toBe(kind);
	expect(server.received.length).toBeGreaterThan(2);
});

test.each([429, 200])("sends a purchase without a key again after a rate limit with HTTP %i", async (status) => {
	script(refuse(status, "rate_limited", { "retry-after": "7" }), respond(201));
	const { client, clock } = open();
	await client.numbers.buy({ country: "NL", type: "mobile" });
	expect([server.received.length, clock.now() - start >= 7_000]).toEqual([2, true]);
});

test.each<[string, Script]>([
	["the service's 429", refuse(429, "rate_limited")],
	["a gateway's 429", respond(429, "<html>")],
	["its error object behind HTTP 200", refuse(200, "rate_limited")],
])("sends a purchase without a key again after %s", async (_, failure) => {
	script(failure, failure, respond(201));
	const { client, clock } = open();
	await client.numbers.buy({ country: "NL", type: "mobile" });
	expect([server.received.length, clock.slept.length >= 2]).toEqual([3, true]);
});

test("ends a purchase that is always limited in rate after five tries", async () => {
	script(refuse(429, "rate_limited"));
	expect([await kindOfPurchase(), server.received.length]).toEqual(["RateLimited", 5]);
});

test.each([520, 521, 524, 527, 530, 507])("repeats a read, and no purchase, after a gateway's %i", async (status) => {
	script(respond(status, "<html>"), respond(200), respond(status, "<html>"));
	await open().client.trunks.get("x");
	expect([await kindOfPurchase(), server.received.length]).toEqual(["OutcomeUnknown", 3]);
});

test.each([429, 200])("buys ten numbers at once at ten requests a second, with HTTP %i", async (status) => {
	const { client, clock } = open();
	const slow = refuse(status, "rate_limited");
	let tokens = 3;
	let at = start;
	let refused = 0;
	server.script = (response, received) => {
		tokens = Math.min(3, tokens + ((clock.now() - at) / 1000) * 10);
		at = clock.now();
		const isTaken = tokens >= 1;
		if (isTaken) tokens -= 1;
		else refused += 1;
		return (isTaken ? keyed : slow)(response, received);
	};
	const orders = Array.from({ length: 10 }, () => client.numbers.buy({ country: "NL", type: "mobile" }));
	expect((await Promise.allSettled(orders)).map(({ status: outcome }) => outcome)).toEqual(
		orders.map(() => "fulfilled"),
	);
	expect(server.received.length).toBe(10 + refused);
	// Only a rate makes the next reads wait.
	const before = clock.slept.length;
	await Promise.all(Array.from({ length: 10 }, () => client.trunks.get("x")));
	expect([refused > 0, clock.slept.length > before]).toEqual([true, true]);
});

test("doesn't know the outcome of a purchase that is lost after a rate limit", async () => {
	script(refuse(429, "rate_limited", { "retry-after": "1" }), lost);
	expect([await kindOfPurchase(), server.received.length]).toEqual(["OutcomeUnknown", 2]);
});

test.each<[string, Script, kind: string]>([
	["limited in rate for too long", refuse(429, "rate_limited", { "retry-after": "900" }), "RateLimited"],
	["refused", refuse(409, "no_inventory"), "Conflict"],
	["in progress", refuse(409, "idempotency_in_progress"), "OutcomeUnknown"],
	["refused by a gateway", respond(403, "<html>"), "OutcomeUnknown"],
	["unavailable", refuse(503, "unavailable"), "OutcomeUnknown"],
])("sends a purchase without a key once, and knows its outcome: %s", async (_, response, kind) => {
	script(keyed, response);
	const { client } = open();
	await client.trunks.list().next();
	expect([await kindOfPurchase({}, client), server.received.length]).toEqual([kind, 2]);
	expect(await kindOfPurchase({}, server.client({ baseUrl: "http://127.0.0.1:1/v1" }))).toBe("Unavailable");
});

test("doesn't take a refusal for the rate as one of the parameter limit", async () => {
	script(refuse(429, "rate_limited", { "retry-after": "1" }), respond(200));
	const { client } = open();
	await client.trunks.list().next();
	await client.trunks.list().next();
	script(refuse(429, "rate_limited"));
	expect((await failureOf(client.trunks.list().next())).kind).toBe("RateLimited");
	expect(new Set(server.received.map(({ path }) => path))).toEqual(new Set(["/trunks?limit=100"]));
});
