/** 2xx responses that don't show the result of a request: an error object, another body, or none. */
import { expect, test } from "vitest";
import type { Client } from "../../../provider/api/client";
import type { Description } from "../../../provider/api/description/description";
import { failureOf } from "../../helpers/provider";
import { refusal, reply, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const html = "<html><body>Request rejected</body></html>";
/** None of them shows the object. */
const unreadable = ["{}", "OK", "[]", "null", '{"success":true}', '{"id":', '{"id":{}}', '{"id":"job_7"}', html];
const noBody = ["", " \n"];

type Write = (client: Client) => Promise<unknown>;
type Removal = (client: Client) => Promise<{ readonly isConfirmed: boolean }>;
const removals: [string, Removal][] = [
	["release", (client) => client.numbers.release("x")],
	["trunk deletion", (client) => client.trunks.delete("x")],
	["webhook deletion", (client) => client.webhooks.delete("x")],
	["profile deletion", (client) => client.kyc.profiles.delete("x")],
	["cancellation", (client) => client.portOrders.cancel("x")],
];
const actions: [string, Write][] = [
	["submission of an order", (client) => client.portOrders.submit("x")],
	["submission of a profile", (client) => client.kyc.profiles.submit("x")],
	["restoration", (client) => client.numbers.restore("x")],
	["hang-up of a call", (client) => client.calls.hangUp("x")],
];
const changes: [string, Write][] = [
	["change of a number", (client) => client.numbers.patch("x", { label: "new" })],
	["change of a trunk", (client) => client.trunks.patch("x", { label: "new" })],
	["change of a webhook", (client) => client.webhooks.patch("x", { description: "new" })],
];
const buy: Write = (client) => client.numbers.buy({ country: "NL", type: "mobile" });

const live = { id: "x", label: "old", status: "active" };
/** Writes get this response; reads show the object. */
const respond = (body: unknown, status = 200) => {
	const headers = body === html ? { "content-type": "text/html" } : {};
	server.script = (response, received) => {
		if (received.at(-1)?.method !== "GET") return reply(response, status, body, headers);
		return reply(response, 200, live);
	};
};
const writes = () => server.received.filter(({ method }) => method !== "GET").length;
const reads = () => server.received.length - writes();

test.each(removals)("confirms a %s by 202, 204 and an empty body only", async (_, remove) => {
	const isConfirmed = async (body: string, status = 200) => {
		respond(body, status);
		return (await remove(server.client())).isConfirmed;
	};
	expect(await Promise.all([isConfirmed("", 204), isConfirmed("{}", 202)])).toEqual([true, true]);
	for (const body of noBody) expect(await isConfirmed(body)).toBe(true);
	for (const body of [...unreadable, JSON.stringify(live)]) expect(await isConfirmed(body), body).toBe(false);
	expect(await isConfirmed(html, 202)).toBe(false);
	expect(reads()).toBe(0);
});

test.each([
	["release", "released", true],
	["release", "releasing", true],
	["release", "suspended", false],
	["cancellation", "cancelled", true],
	["cancellation", "cancel_pending", true],
	["cancellation", "scheduled", false],
	["trunk deletion", "deleted", false],
])("decides by the record if a %s is confirmed: %s", async (name, status, isConfirmed) => {
	respond({ id: "x", status });
	const [, remove] = removals.find(([title]) => title === name) ?? [];
	expect(await remove?.(server.client())).toEqual({ isConfirmed });
});

test.each([...actions, ...changes])("reads the object back after a %s that doesn't show it", async (_, write) => {
	for (const body of [...noBody, ...unreadable]) {
		respond(body);
		expect(await write(server.client()), body).toMatchObject(live);
	}
	const count = noBody.length + unreadable.length;
	expect([writes(), reads()]).toEqual([count, count]);
});

test("waits until the service shows an object that it has changed", async () => {
	server.script = (response, { length }) => {
		if (length === 1) return reply(response, 204, "");
		return length < 4 ? reply(response, 404, refusal("not_found")) : reply(response, 200, live);
	};
	expect(await server.client().numbers.patch("x", { label: "new" })).toMatchObject(live);
	expect(reads()).toBe(3);
});

test.each([html, "OK"])("doesn't know the outcome of a purchase after the response %j", async (body) => {
	respond(body);
	expect([(await failureOf(buy(server.client()))).kind, writes()]).toEqual(["OutcomeUnknown", 1]);
});

const requests: [string, Write][] = [
	...removals,
	...actions,
	...changes,
	["purchase", buy],
	["creation of a trunk", (client) => client.trunks.create({} as never, {} as never)],
	["creation of a webhook", (client) => client.webhooks.create({} as never, {} as never)],
	["read", (client) => client.trunks.get("x")],
	["list", (client) => client.trunks.list().next()],
	["document", (client) => client.billing.invoiceDocument("x")],
];

test.each(requests)("takes an error object behind HTTP 200 for a refusal of a %s", async (_, send) => {
	server.script = (response) => reply(response, 200, refusal("quota_exceeded", { request_id: "req_9" }));
	const error = await failureOf(send(server.client()));
	expect(error).toMatchObject({ kind: "Conflict", errorCode: "quota_exceeded", requestId: "req_9" });
	expect(error.message).toContain("HTTP 200");
	expect(server.received).toHaveLength(1);
});

test.each([
	["number_in_use", "Conflict"],
	["not_found", "NotFound"],
	["validation_failed", "Invalid"],
	["unauthorized", "Unauthorized"],
	["operation_not_offered", "NotOffered"],
	["rate_limited", "RateLimited"],
	["internal_error", "Unavailable"],
])("knows the kind of %s behind HTTP 200: %s", async (code, kind) => {
	server.script = (response) => reply(response, 200, refusal(code));
	const client = server.client({ retry: { tries: 1 } });
	expect(await failureOf(client.numbers.release("x"))).toMatchObject({ kind, errorCode: code });
});

test("reads an error object behind HTTP 200 in the service's words", async () => {
	const service: Description = { errors: { code: "fault.no", message: "fault.text", codes: { number_in_use: "17" } } };
	const body = { ok: false, fault: { no: 17, text: "Busy." } };
	server.script = (response) => reply(response, 200, body);
	const error = await failureOf(server.client({ service }).numbers.release("x"));
	expect(error).toMatchObject({ kind: "Conflict", errorCode: "number_in_use", requestId: "req_7" });
});

test.each<[string, object, Description?]>([
	["a code and a message", { id: "x", error: "30006", message: "Landline." }],
	[
		"an error in words of its own",
		{ id: "x", last: { no: 17, text: "Busy." } },
		{ errors: { code: "last.no", message: "last.text" } },
	],
	["a purchase without an id", { kyc_required: false, error: "none", message: "Bought." }],
	["no code", { id: "x", error: "", message: "" }],
])("takes a record for a record: with %s", async (_, record, service) => {
	server.script = (response) => reply(response, 200, record);
	const client = server.client({ service });
	expect((await client.numbers.buy({ country: "NL", type: "mobile" })).data).toMatchObject(record);
});

test("takes a code of success for no refusal", async () => {
	for (const code of ["OK", "success", "0", "200"]) {
		respond({ error: code, message: "Released." });
		expect(await server.client().numbers.release("x")).toEqual({ isConfirmed: false });
	}
});
