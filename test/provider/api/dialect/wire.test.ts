/**
 * What a service that names things otherwise gets and says. The emulator reads the same table backwards, so a mistake in
 * both directions would not show there: here all of theirs is written by hand.
 */
import { expect, test } from "vitest";
import type { TelephonyError } from "../../../../provider/api/client";
import { useUnlikeService } from "../../../helpers/unlike-service";

const service = useUnlikeService();
const { clientOf, sent, bodies } = service;

const failure = (work: Promise<unknown>): Promise<TelephonyError> =>
	work.then(
		() => {
			throw new Error("it went well");
		},
		(error) => error,
	);

test("other names: sent by theirs, read by theirs, and a field of theirs that has one of our names is not ours", async () => {
	const client = clientOf(
		{ records: { number: { id: "number_id", label: "friendly_name", status: "state", number: "msisdn" } } },
		{
			"PATCH /numbers/n1": [
				200,
				{ number_id: "n1", msisdn: "+31201", state: "active", friendly_name: "desk", id: 7, label: 8, theirs: [1] },
			],
		},
	);
	expect(await client.numbers.patch("n1", { label: "desk" })).toEqual({
		id: "n1",
		number: "+31201",
		status: "active",
		label: "desk",
		theirs: [1],
	});
	expect(sent()).toEqual(['PATCH /numbers/n1 {"friendly_name":"desk"}']);
});

test("words: the first is sent, all are read, in any case, and an unknown one stays", async () => {
	const words = { pending: ["waiting", "verifying"], active: "in_service" };
	const states = ["waiting", "VERIFYING", " In_Service ", "active", "dormant"];
	const client = clientOf(
		{ records: { number: { status: { at: "state", words } } } },
		{ "GET /numbers": [200, { data: states.map((state, id) => ({ id: `${id}`, state })), next_cursor: null }] },
	);
	const seen = [];
	for await (const { status } of client.numbers.list({ status: "pending" })) seen.push(status);
	expect(seen).toEqual(["pending", "pending", "active", "active", "dormant"]);
	expect(sent()).toEqual(["GET /numbers?state=waiting&limit=100"]);
});

test("words of a list are those of its items", async () => {
	const client = clientOf(
		{ records: { webhook: { events: { words: { "number.activated": "NUMBER_UP", "*": "ALL" } } } } },
		{ "PATCH /webhooks/w": [200, { id: "w", events: ["number_up", "ALL", "call.completed"] }] },
	);
	const { events } = await client.webhooks.patch("w", { events: ["number.activated", "*"] });
	expect(events).toEqual(["number.activated", "*", "call.completed"]);
	expect(bodies()).toEqual([{ events: ["NUMBER_UP", "ALL"] }]);
});

const flat = {
	records: { number: { "routing.type": "route_type", "routing.trunk_id": "route_trunk", "routing.uri": "route_uri" } },
};

test("nested at one place and flat at another: what is not there any more is cleared", async () => {
	const client = clientOf(flat, {
		"PATCH /numbers/n": [200, { id: "n", route_type: "sip_uri", route_trunk: null, route_uri: "sip:a@b" }],
		"GET /numbers/n": [200, { id: "n", route_type: null, route_trunk: null, route_uri: null }],
	});
	const { routing } = await client.numbers.patch("n", { routing: { type: "sip_uri", uri: "sip:a@b" } });
	expect(routing).toEqual({ type: "sip_uri", uri: "sip:a@b" });
	expect((await client.numbers.get("n")).routing).toBeNull();
	await client.numbers.patch("n", { routing: null });
	await client.numbers.patch("n", { label: "a" });
	expect(bodies()).toEqual([
		{ route_type: "sip_uri", route_uri: "sip:a@b", route_trunk: null },
		{ route_type: null, route_trunk: null, route_uri: null },
		{ label: "a" },
	]);
});

test("all fields of an object that are elsewhere: it is not sent itself", async () => {
	const client = clientOf(
		{
			records: {
				trunk: {
					"auth.mode": { at: "security.kind", words: { ip_acl: "acl", digest: "password" } },
					"auth.allowed_cidrs": { at: "acl", each: "cidr" },
				},
			},
		},
		{
			"POST /trunks": [201, { id: "t", security: { kind: "acl", tls: true }, acl: [{ cidr: "192.0.2.0/24", id: 3 }] }],
		},
	);
	const { data } = await client.trunks.create({
		name: "a",
		auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.0/24", "198.51.100.7"] },
		capacity: 3,
	});
	expect(data).toEqual({ id: "t", auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.0/24"] }, security: { tls: true } });
	expect(bodies()).toEqual([
		{
			name: "a",
			capacity: 3,
			security: { kind: "acl" },
			acl: [{ cidr: "192.0.2.0/24" }, { cidr: "198.51.100.7" }],
		},
	]);
});

test("how values are written", async () => {
	const client = clientOf(
		{
			records: {
				number: {
					capabilities: { as: "csv" },
					created_at: { at: "createdMs", as: "milliseconds" },
					released_at: { as: "seconds" },
					release_protection: { as: "string" },
					"price.monthly.amount": { at: "cost", as: "cents" },
					"price.monthly.currency": "currency",
				},
				trunk: { capacity: { at: "channels", as: "string" }, cps: { as: "string" }, name: { as: "number" } },
			},
		},
		{
			"PATCH /numbers/n": [
				200,
				{
					id: "n",
					capabilities: "voice, sms",
					createdMs: 1_767_225_600_500,
					released_at: "1767225600",
					release_protection: "true",
					cost: 1_005,
					price: { setup: { amount: "0.00", currency: "EUR" } },
					currency: "EUR",
				},
			],
			"PATCH /trunks/t": [200, { id: "t", channels: "20", cps: null, name: 17 }],
		},
	);
	expect(await client.numbers.patch("n", { release_protection: true })).toEqual({
		id: "n",
		capabilities: ["voice", "sms"],
		created_at: "2026-01-01T00:00:00.500Z",
		released_at: "2026-01-01T00:00:00.000Z",
		release_protection: true,
		price: { setup: { amount: "0.00", currency: "EUR" }, monthly: { amount: "10.05", currency: "EUR" } },
	});
	expect(await client.trunks.patch("t", { capacity: 20, cps: null, name: "17" })).toEqual({
		id: "t",
		capacity: 20,
		cps: null,
		name: "17",
	});
	expect(bodies()).toEqual([{ release_protection: "true" }, { channels: "20", cps: null, name: 17 }]);
});

test("envelopes around an answer and a request, and what is always sent", async () => {
	const client = clientOf(
		{
			envelopes: { number: { answer: "data", request: "number" }, trunk: { answer: "result.trunk" } },
			send: { createTrunk: { region: "eu" }, releaseNumber: { reason: "unused" } },
		},
		{
			"POST /numbers": [201, { data: { id: "n", kyc_required: false } }],
			"POST /trunks": [201, { result: { trunk: { id: "t" } } }],
			"DELETE /numbers/n": [200, { data: { id: "n", status: "released" } }],
		},
	);
	const { data } = await client.numbers.buy({ country: "NL", type: "mobile" });
	expect(data).toEqual({ id: "n", kyc_required: false });
	await client.trunks.create({ name: "a", auth: { mode: "digest", username: "user" }, capacity: 1 });
	await client.numbers.release("n");
	expect(bodies()).toEqual([
		{ number: { country: "NL", type: "mobile" } },
		{ region: "eu", name: "a", auth: { mode: "digest", username: "user" }, capacity: 1 },
		{ reason: "unused" },
	]);
});

test("an answer without its envelope is refused, not taken for an empty record", async () => {
	const client = clientOf({ envelopes: { trunk: { answer: "data" } } }, { "GET /trunks/t": [200, { id: "t" }] });
	expect(await failure(client.trunks.get("t"))).toMatchObject({
		kind: "ContractMismatch",
		message: expect.stringContaining("contract at data:"),
	});
	expect(sent()).toEqual(["GET /trunks/t"]);
});

test("lists: names, no limit, a fixed query, pages by the cursor", async () => {
	const client = clientOf(
		{
			operations: { listTrunks: "GET /sip-trunks?kind=voice" },
			lists: { items: "results", next: "paging.next", cursor: "page_token", limit: false },
			records: { trunk: { id: "trunk_id" } },
		},
		{
			"GET /sip-trunks?kind=voice": [200, { results: [{ trunk_id: "a" }], paging: { next: "x y" }, data: "theirs" }],
			"GET /sip-trunks?kind=voice&page_token=x+y": [200, { results: [{ trunk_id: "b" }], paging: { next: "" } }],
			"GET /numbers": [200, { results: [] }],
		},
	);
	const seen = [];
	for await (const { id } of client.trunks.list()) seen.push(id);
	for await (const { id } of client.numbers.list({ reference: "r" })) seen.push(id);
	expect(seen).toEqual(["a", "b"]);
	expect(sent()).toEqual([
		"GET /sip-trunks?kind=voice",
		"GET /sip-trunks?kind=voice&page_token=x+y",
		"GET /numbers?reference=r",
	]);
});

test("a limit by another name", async () => {
	const client = clientOf({ lists: { limit: "per_page" } }, { "GET /numbers": [200, { data: [], next_cursor: null }] });
	for await (const page of client.numbers.pages()) expect(page).toEqual([]);
	expect(sent()).toEqual(["GET /numbers?per_page=100"]);
});

test("errors: code, message and id from where they are; the details stay theirs", async () => {
	const client = clientOf(
		{
			errors: {
				code: "fault.code",
				message: "fault.text",
				requestId: "trace",
				codes: { not_found: ["no_such_object", "404001"], trunk_in_use: "busy" },
			},
		},
		{
			"GET /trunks/a": [404, { fault: { code: "no_such_object", text: "Gone with the wind" }, trace: "t-1" }],
			"GET /trunks/b": [404, { fault: { code: 404_001, text: "No" } }],
			"DELETE /trunks/c": [409, { fault: { code: "busy", text: "Has numbers" }, details: { in: "numbers" } }],
			"DELETE /trunks/d": [409, { fault: { code: "odd", text: "What" }, trace: "t-4" }],
			"GET /numbers": [200, { data: [], next_cursor: null }],
		},
	);
	expect(await failure(client.trunks.get("a"))).toMatchObject({
		kind: "NotFound",
		errorCode: "not_found",
		requestId: "t-1",
		message: expect.stringContaining("Gone with the wind"),
	});
	expect(await failure(client.trunks.get("b"))).toMatchObject({ errorCode: "not_found", requestId: "req_7" });
	expect(await failure(client.trunks.delete("c"))).toMatchObject({
		errorCode: "trunk_in_use",
		details: { in: "numbers" },
	});
	expect(await failure(client.trunks.delete("d"))).toMatchObject({ status: 409, errorCode: "odd", requestId: "t-4" });
});

test("an error that is no object of theirs says its status, and none where no id was given", async () => {
	const client = clientOf(
		{ errors: { code: "fault.code" } },
		{ "GET /trunks/a": [403, "<h1>Forbidden</h1>"], "GET /trunks/b": [403, { error: "ours" }] },
	);
	expect(await failure(client.trunks.get("a"))).toMatchObject({
		status: 403,
		errorCode: "http_403",
		requestId: "req_7",
	});
	expect(await failure(client.trunks.get("b"))).toMatchObject({
		status: 403,
		errorCode: "http_403",
		requestId: "req_7",
	});
});

test("headers of a purchase", async () => {
	const client = clientOf(
		{ headers: { idempotencyKey: "X-Idempotency-Key", replayed: "X-Replayed" } },
		{ "POST /numbers": [201, { id: "n" }, { "X-Replayed": "true" }] },
	);
	const { replayed } = await client.numbers.buy({ country: "NL", type: "mobile" }, { idempotencyKey: "k-1" });
	expect(replayed).toBe(true);
	expect(service.received[0]?.headers).toMatchObject({ "x-idempotency-key": "k-1" });
	expect(service.received[0]?.headers).not.toHaveProperty("idempotency-key");
});

test("other verbs and paths, and what is not offered", async () => {
	const client = clientOf(
		{
			operations: {
				patchNumber: "PUT /numbers/{id}/settings",
				releaseNumber: "POST /numbers/{id}/release",
				restoreNumber: false,
			},
		},
		{ "PUT /numbers/a%2Fb/settings": [200, { id: "a/b" }], "POST /numbers/n/release": [200, { id: "n" }] },
	);
	await client.numbers.patch("a/b", { label: "x" });
	await client.numbers.release("n");
	expect(await failure(client.numbers.restore("n"))).toMatchObject({
		kind: "NotOffered",
		message: expect.stringContaining("telephony:service"),
	});
	expect(client.offers("restore")).toBe(false);
	expect(sent()).toEqual(['PUT /numbers/a%2Fb/settings {"label":"x"}', "POST /numbers/n/release"]);
});

test("a field that the service has not is never sent and never read", async () => {
	const client = clientOf(
		{ records: { number: { metadata: false, reference: false } } },
		{
			"PATCH /numbers/n": [200, { id: "n", metadata: { theirs: 1 } }],
			"GET /numbers": [200, { data: [], next_cursor: null }],
		},
	);
	expect(await client.numbers.patch("n", { metadata: { a: "1" }, reference: "r", label: "a" })).toEqual({ id: "n" });
	for await (const page of client.numbers.pages({ reference: "r" })) expect(page).toEqual([]);
	expect(client.offers("reference")).toBe(false);
	expect(sent()).toEqual(['PATCH /numbers/n {"label":"a"}', "GET /numbers?limit=100"]);
});

test("a secret is masked under the service's name for it, too", async () => {
	const password = "a-very-long-password";
	const client = clientOf(
		{ records: { trunk: { "auth.password": "credentials.secret_word" } } },
		{
			"PATCH /trunks/t": [400, { error: "bad_request", message: `secret_word ${password} is weak`, request_id: "r" }],
			"GET /trunks/t": [200, { id: "t" }],
		},
	);
	const auth = { mode: "digest", username: "user", password } as const;
	const error = await failure(client.trunks.patch("t", { auth }));
	expect(error.message).toContain("secret_word [");
	expect(error.message).not.toContain(password);
	expect(bodies()).toEqual([{ auth: { mode: "digest", username: "user" }, credentials: { secret_word: password } }]);
});

test("an answer that doesn't fit names the field as the service calls it", async () => {
	const client = clientOf(
		{ records: { trunk: { capacity: "channels", "auth.mode": "security.kind" } } },
		{
			"GET /trunks/a": [200, { id: "a", channels: { max: 3 } }],
			"GET /trunks/b": [200, { id: "b", security: { kind: 3 } }],
		},
	);
	expect((await failure(client.trunks.get("a"))).message).toContain("contract at channels:");
	expect((await failure(client.trunks.get("b"))).message).toContain("contract at security.kind:");
});
