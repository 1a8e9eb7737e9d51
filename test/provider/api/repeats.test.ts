import { expect, test } from "vitest";
import { featuresHeader } from "../../../provider/api/contract";
import { FakeClock } from "../../helpers/clock";
import { failureOf } from "../../helpers/provider";
import { answer, refusal, type Script, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const open = (ahead = 0) => {
	const clock = new FakeClock(Date.UTC(2026, 0, 1) + ahead);
	return { clock, client: server.client({ clock }) };
};
const buy = { country: "NL", type: "mobile" } as const;
const keyed = { [featuresHeader]: "idempotencyKey, getById" };

/** The first request gets this, all others a plain answer. */
const first =
	(script: Script): Script =>
	(response, received) =>
		received.length === 1 ? script(response, received) : answer(response, 200);

const noon = new Date(Date.UTC(2026, 0, 1)).toUTCString();
const later = new Date(Date.UTC(2026, 0, 1, 0, 0, 9)).toUTCString();

test.each([
	["seconds", "7", 0, 7_000],
	["a date", later, 0, 9_000],
	["a date, by the service's clock where ours is fast", later, 7_200_000, 9_000],
	["a date, by the service's clock where ours is slow", later, -7_200_000, 9_000],
])("Retry-After in %s is never undercut", async (_, retryAfter, ahead, ms) => {
	const headers = { date: noon, "retry-after": retryAfter };
	server.script = first((response) => answer(response, 503, refusal("unavailable"), headers));
	const { client, clock } = open(ahead);
	const start = clock.now();
	await client.trunks.get("x");
	expect(clock.now() - start).toBeGreaterThanOrEqual(ms);
	expect(clock.now() - start).toBeLessThan(ms + 1_000);
	expect(server.received).toHaveLength(2);
});

test("a Retry-After that is too long ends the tries, and everybody else's until then", async () => {
	server.script = first((response) => answer(response, 429, refusal("rate_limited"), { "retry-after": "86400" }));
	const { client, clock } = open();
	const start = clock.now();
	expect((await failureOf(client.trunks.get("x"))).kind).toBe("RateLimited");
	expect((await failureOf(open().client.trunks.get("y"))).kind).toBe("RateLimited");
	expect(clock.now() - start).toBe(0);
	expect(server.received).toHaveLength(1);
});

const unanswered: [string, Script][] = [
	["is cut off before the answer", (response) => response.destroy()],
	[
		"is cut off amid the answer",
		(response) => void response.writeHead(201, { "content-length": "999" }).write("{", () => response.destroy()),
	],
	["is answered 500", (response) => answer(response, 500, refusal("internal_error"))],
	["is answered 504 by a proxy", (response) => answer(response, 504, "<html>")],
	["is answered in half a JSON", (response) => answer(response, 201, '{"id":')],
];

test.each(unanswered)("a purchase that %s is not repeated unless keys are known to count", async (_, script) => {
	server.script = first(script);
	expect((await failureOf(open().client.numbers.buy(buy, { idempotencyKey: "k" }))).kind).toBe("OutcomeUnknown");
	expect(server.received).toHaveLength(1);
});

test.each(unanswered)("a purchase that %s is repeated under the same key where keys count", async (_, script) => {
	const { client } = open();
	server.script = (response) => answer(response, 200, undefined, keyed);
	await client.trunks.list().next();
	server.script = (response, received) => (received.length === 2 ? script(response, received) : answer(response, 201));
	await client.numbers.buy(buy, { idempotencyKey: "k" });
	expect(server.received.slice(1).map(({ headers }) => headers["idempotency-key"])).toEqual(["k", "k"]);
});

test.each([400, 403, 404, 405, 409, 413, 501])("a gateway's HTTP %d says nothing of a purchase", async (status) => {
	const { client } = open();
	await client.trunks.list().next();
	server.script = (response) => answer(response, status, "<html>");
	expect((await failureOf(client.numbers.buy(buy, { idempotencyKey: "k" }))).kind).toBe("OutcomeUnknown");
	expect(server.received).toHaveLength(2);
});

const repeats: [string, Script][] = [
	["is refused for coming too often", (response) => answer(response, 429, refusal("rate_limited"))],
	["is refused as still under way", (response) => answer(response, 409, refusal("idempotency_in_progress"))],
	["finds the key withdrawn", (response) => answer(response, 401, refusal("unauthorized"))],
	["must wait for too long", (response) => answer(response, 429, refusal("rate_limited"), { "retry-after": "900" })],
];

test.each(repeats)("a purchase whose repeat %s may have been carried out by the first try", async (_, script) => {
	const { client } = open();
	server.script = (response) => answer(response, 200, undefined, keyed);
	await client.trunks.list().next();
	server.script = (response, { length }) => (length === 2 ? response.destroy() : script(response, []));
	const error = await failureOf(client.numbers.buy(buy, { idempotencyKey: "k" }));
	expect(error.kind).toBe("OutcomeUnknown");
	expect(server.received.length).toBeGreaterThan(2);
});

test("a purchase whose repeat is refused was not carried out by the first try either", async () => {
	const { client } = open();
	server.script = (response) => answer(response, 200, undefined, keyed);
	await client.trunks.list().next();
	server.script = (response, { length }) =>
		length === 2 ? response.destroy() : answer(response, 409, refusal("no_inventory"));
	expect((await failureOf(client.numbers.buy(buy, { idempotencyKey: "k" }))).kind).toBe("Conflict");
});

test("a purchase that another one is under way for may yet be carried out", async () => {
	server.script = (response) => answer(response, 409, refusal("idempotency_in_progress"), keyed);
	expect((await failureOf(open().client.numbers.buy(buy, { idempotencyKey: "k" }))).kind).toBe("OutcomeUnknown");
});

test("a purchase without a key is never repeated, whatever the service offers", async () => {
	server.script = (response) => answer(response, 503, refusal("unavailable"), keyed);
	const { client } = open();
	expect((await failureOf(client.numbers.buy(buy))).kind).toBe("OutcomeUnknown");
	expect((await failureOf(client.numbers.buy(buy))).kind).toBe("OutcomeUnknown");
	expect(server.received).toHaveLength(2);
});

test("a purchase that was refused or never arrived is known not to be one", async () => {
	server.script = (response) => answer(response, 429, refusal("rate_limited"));
	expect((await failureOf(open().client.numbers.buy(buy))).kind).toBe("RateLimited");
	expect(server.received).toHaveLength(1);
	server.script = (response) => answer(response, 409, refusal("no_inventory"));
	expect((await failureOf(open().client.numbers.buy(buy))).kind).toBe("Conflict");
	const away = server.client({ baseUrl: "http://127.0.0.1:1/v1" });
	expect((await failureOf(away.numbers.buy(buy))).kind).toBe("Unavailable");
});

test("a body that is a function is made anew for each try", async () => {
	server.script = first((response) => response.destroy());
	let lease = 0;
	await open().client.numbers.patch("x", () => ({ reference: `lease ${++lease}` }));
	expect(server.received.map(({ body }) => body)).toEqual(['{"reference":"lease 1"}', '{"reference":"lease 2"}']);
});

test("a DELETE that is answered with a text is done", async () => {
	server.script = (response) => answer(response, 200, "OK", { "content-type": "text/plain" });
	await open().client.webhooks.delete("x");
	expect(server.received).toHaveLength(1);
});

test("a service that stays away is given up after five tries", async () => {
	server.script = (response) => answer(response, 502, "<html>");
	const { client, clock } = open();
	expect((await failureOf(client.trunks.get("x"))).kind).toBe("Unavailable");
	expect(server.received).toHaveLength(5);
	expect(clock.slept).toEqual([125, 250, 500, 1000]);
});

test("without a single read, a number is found in the list, and one that it lacks is not gone for that", async () => {
	const { client } = open();
	server.script = (response, received) =>
		received.at(-1)?.path.startsWith("/numbers?")
			? answer(response, 200, { data: [{ id: "a" }], next_cursor: null })
			: answer(response, 404, refusal("operation_not_offered"));
	expect(await client.numbers.get("a")).toEqual({ id: "a" });
	expect((await failureOf(client.numbers.get("b"))).kind).toBe("Unlisted");
	server.script = (response) => answer(response, 404, "<html>");
	expect((await failureOf(client.numbers.get("a"))).kind).not.toBe("NotFound");
});
