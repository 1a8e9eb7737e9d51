/**
 * Requests to a service with other names, and its responses. The emulator reads the same description backwards, so it
 * would not show a mistake in both directions: here every text of the service is written by hand.
 */
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Client } from "../../../../provider/api/client";
import { failureOf } from "../../../helpers/provider";
import { type Received, reply, useScriptedServer } from "../../../helpers/scripted-server";

const server = useScriptedServer();
/** Requests so far, such as `PATCH /numbers/1 {"a":1}`. */
const sent = () => server.received.map(({ method, path, body }) => `${method} ${path}${body && ` ${body}`}`);
const bodies = () => server.received.flatMap(({ body }) => (body === "" ? [] : [JSON.parse(body)]));

type Reply = readonly [status: number, body?: unknown, headers?: Record<string, string>];
/** A client of a service with these responses by method and path, and 500 for others. */
const openAt = (service: unknown, replies: Readonly<Record<string, Reply | ((received: Received) => Reply)>>) => {
	server.script = (response, received) => {
		const last = received.at(-1) as Received;
		const scripted = replies[`${last.method} ${last.path}`] ?? replies[`${last.method} ${last.path.split("?")[0]}`];
		const [status, body = "", headers] = (typeof scripted === "function" ? scripted(last) : scripted) ?? [
			500,
			"unscripted",
		];
		reply(response, status, body, headers);
	};
	return server.client({ service, retry: { tries: 1 } });
};
/** Fields in YAML, separated by commas. */
const fieldsIn = (text: string): object => parse(`{ ${text.replaceAll("\t", " ")} }`);
/** A client of the service with this description, whose responses are lines such as `GET /numbers 200 { data: [] }`. */
const clientOf = (description: string, responses: string) => {
	const replies = responses.split("\n").flatMap((line): [string, Reply][] => {
		const [, request = "", status, body = ""] = /^\s*(\w+ \S+) (\d+)(.*)$/.exec(line) ?? [];
		return request === "" ? [] : [[request, [Number(status), parse(body) ?? ""]]];
	});
	return openAt(fieldsIn(description), Object.fromEntries(replies));
};
const listed = async (list: AsyncIterable<{ readonly id: string; readonly status?: unknown }>) => {
	const records = [];
	for await (const record of list) records.push(record);
	return records;
};
const auth = { mode: "digest", username: "user" } as const;
const acl = { mode: "ip_acl", allowed_cidrs: ["192.0.2.0/24"] } as const;
const euros = (amount: string) => ({ amount, currency: "EUR" });

type Run = (client: Client) => Promise<unknown>;
const cases: Record<string, { service: string; responses: string; run: Run; result: unknown; sent: string[] }> = {
	"the names and values of a number, also where the service uses a name of ours": {
		service: `records: { number: {
			id: number_id, label: friendly_name, status: { at: state, values: { active: in_service } },
			capabilities: { as: csv }, created_at: { at: createdMs, as: milliseconds }, released_at: { as: seconds },
			release_protection: { as: string }, price.monthly.amount: { at: cost, as: cents }, price.monthly.currency: currency } }`,
		responses: `PATCH /numbers/n 200 { number_id: n, id: 7, x: [1], friendly_name: desk, state: IN_SERVICE, capabilities: "voice, sms", createdMs: 1767225600500, released_at: "1767225600", release_protection: "true", cost: 1005, currency: EUR, price: { setup: { amount: "0.00", currency: EUR } } }`,
		run: ({ numbers }) => numbers.patch("n", { label: "desk", release_protection: true }),
		result: {
			...{ id: "n", x: [1], label: "desk", status: "active", capabilities: ["voice", "sms"], release_protection: true },
			...{ created_at: "2026-01-01T00:00:00.500Z", released_at: "2026-01-01T00:00:00.000Z" },
			price: { setup: euros("0.00"), monthly: euros("10.05") },
		},
		sent: ['PATCH /numbers/n {"friendly_name":"desk","release_protection":"true"}'],
	},
	"amounts in the minor units of their currency": {
		service: `records: { number: {
			price.setup.amount: { at: price.setup.minor, as: cents }, price.setup.currency: { values: { KWD: dinar } },
			price.monthly.amount: { at: cost, as: cents }, price.monthly.currency: { is: JPY } } }`,
		responses: `
			GET /numbers/1 200 { id: 1, cost: 500, price: { setup: { minor: "1500", currency: Dinar } } }
			GET /numbers/2 200 { id: 2, cost: "0", price: { setup: { minor: 12.5, currency: usd }, monthly: { currency: EUR } } }
			GET /numbers/3 200 { id: 3, cost: 7, price: { setup: { minor: 1005, currency: XBT } } }`,
		run: async ({ numbers }) => [await numbers.get("1"), await numbers.get("2"), await numbers.get("3")],
		result: [
			["500", "JPY", "1.500", "KWD"],
			["0", "JPY", "0.125", "USD"],
			["7", "JPY", "1005", "XBT"],
		].map(([monthly = "", yen, setup = "", currency], index) => ({
			id: String(index + 1),
			price: { monthly: { amount: monthly, currency: yen }, setup: { amount: setup, currency } },
		})),
		sent: ["GET /numbers/1", "GET /numbers/2", "GET /numbers/3"],
	},
	"one currency of several amounts": {
		service: `records: { number: {
			price.setup.amount: { at: setup_fee, as: cents }, price.setup.currency: iso,
			price.monthly.amount: { at: fee, as: cents }, price.monthly.currency: iso } }`,
		responses: `
			GET /numbers/1 200 { id: 1, setup_fee: 500, fee: 1500, iso: JPY }
			GET /numbers/2 200 { id: 2, setup_fee: 500, fee: "1500", iso: kwd }`,
		run: async ({ numbers }) => [await numbers.get("1"), await numbers.get("2")],
		result: [
			["1", "500", "1500", "JPY"],
			["2", "0.500", "1.500", "KWD"],
		].map(([id = "", setup = "", monthly = "", currency = ""]) => ({
			id,
			price: { setup: { amount: setup, currency }, monthly: { amount: monthly, currency } },
		})),
		sent: ["GET /numbers/1", "GET /numbers/2"],
	},
	"amounts that are numbers": {
		service: "",
		responses: `GET /numbers/1 200 { id: 1, price: { setup: { amount: 0.30000000000000004, currency: EUR }, monthly: { amount: "1e1", currency: eur } } }`,
		run: ({ numbers }) => numbers.get("1"),
		result: { id: "1", price: { setup: euros("0.3"), monthly: euros("10") } },
		sent: ["GET /numbers/1"],
	},
	"phone numbers in other forms, and ids that are numbers": {
		service: `records: {
			number: { number: { at: did, as: digits }, routing.to: { as: national }, routing.trunk_id: { as: number } },
			port_order: { numbers: { as: international } } }`,
		responses: `
			GET /numbers/7 200 { id: 7, did: 31201234567, country: NL }
			PATCH /numbers/7 200 { id: 7, did: 31201234567, country: NL, routing: { type: forward, to: "020-7654321" } }
			PATCH /numbers/8 200 { id: 8, country: NL, routing: { type: trunk, trunk_id: 1001 } }
			GET /numbers/8 200 { id: 8, country: NL }
			POST /port_orders 201 { id: 9, numbers: ["0031201234567", "+31 20 1234568"] }`,
		run: async ({ numbers, portOrders }) => [
			await numbers.patch("7", { routing: { type: "forward", to: "+31207654321" } }),
			await numbers.patch("8", { routing: { type: "trunk", trunk_id: "1001" } }),
			(await portOrders.create({ numbers: ["+31201234567", "+31201234568"] } as never)).data,
		],
		result: [
			{ id: "7", number: "+31201234567", country: "NL", routing: { type: "forward", to: "+31207654321" } },
			{ id: "8", country: "NL", routing: { type: "trunk", trunk_id: "1001" } },
			{ id: "9", numbers: ["+31201234567", "+31201234568"] },
		],
		sent: [
			"GET /numbers/7",
			'PATCH /numbers/7 {"routing":{"type":"forward","to":"207654321"}}',
			"GET /numbers/8",
			'PATCH /numbers/8 {"routing":{"type":"trunk","trunk_id":1001}}',
			'POST /port_orders {"numbers":["0031201234567","0031201234568"]}',
		],
	},
	"times without a zone, at any depth": {
		service: "zone: Europe/Berlin",
		responses: `GET /trunks/t 200 { id: t, name: "2026-11-29 05:42:04", created_at: "2026-11-29 05:42:04", updated_at: "29/11/2026", auth: { mode: digest, password_updated_at: "2026-07-01T05:42:04" } }`,
		run: ({ trunks }) => trunks.get("t"),
		result: {
			...{ id: "t", name: "2026-11-29 05:42:04", created_at: "2026-11-29T04:42:04Z", updated_at: "29/11/2026" },
			auth: { mode: "digest", password_updated_at: "2026-07-01T03:42:04Z" },
		},
		sent: ["GET /trunks/t"],
	},
	"times without a zone, in UTC without a description": {
		service: "",
		responses: `GET /numbers 200 { data: [{ id: n, created_at: "2026-11-29 05:42:04" }], next_cursor: null }`,
		run: async ({ numbers }) => (await numbers.list().next()).value,
		result: { id: "n", created_at: "2026-11-29T05:42:04Z" },
		sent: ["GET /numbers?limit=100"],
	},
	"the values of a trunk, and an object with all its fields elsewhere": {
		service: `records: { trunk: {
			capacity: { at: channels, as: string }, cps: { as: string }, name: { as: number },
			auth.mode: { at: security.kind, values: { ip_acl: acl, digest: password } }, auth.allowed_cidrs: { at: acl, each: cidr } } }`,
		responses: `POST /trunks 201 { id: t, channels: "20", cps: null, name: 17, security: { kind: acl, tls: true }, acl: [{ cidr: 192.0.2.0/24, id: 3 }] }`,
		run: async ({ trunks }) => (await trunks.create({ name: "17", capacity: 20, auth: acl as never })).data,
		result: { id: "t", capacity: 20, cps: null, name: "17", security: { tls: true }, auth: acl },
		sent: ['POST /trunks {"security":{"kind":"acl"},"acl":[{"cidr":"192.0.2.0/24"}],"channels":"20","name":17}'],
	},
	"the values of texts and of lists: sends the first, and reads all, in any case": {
		service: `records: {
			number: { status: { at: state, values: { pending: [waiting, verifying], active: in_service } } },
			webhook: { events: { values: { number.activated: NUMBER_UP, "*": ALL } } } }`,
		responses: `
			GET /numbers 200 { data: [{ id: a, state: waiting }, { id: b, state: VERIFYING }, { id: c, state: " In_Service " }, { id: d, state: active }, { id: e, state: dormant }], next_cursor: null }
			PATCH /webhooks/w 200 { id: w, events: [number_up, ALL, call.completed] }`,
		run: async ({ numbers, webhooks }) => [
			...(await listed(numbers.list({ status: "pending" }))).map(({ status }) => status),
			(await webhooks.patch("w", { events: ["number.activated", "*"] })).events?.join(" "),
		],
		result: ["pending", "pending", "active", "active", "dormant", "number.activated * call.completed"],
		sent: ["GET /numbers?state=waiting&limit=100", 'PATCH /webhooks/w {"events":["NUMBER_UP","ALL"]}'],
	},
	"methods, paths, envelopes and fields that are always sent": {
		service: `
			operations: { patchNumber: "PUT /numbers/{id}/settings", releaseNumber: "POST /numbers/{id}/release" },
			envelopes: { number: { response: data, request: number }, trunk: { response: result.trunk } },
			send: { createTrunk: { region: eu }, releaseNumber: { reason: unused } }`,
		responses: `
			POST /numbers 201 { data: { id: a/b, kyc_required: false } }
			POST /trunks 201 { result: { trunk: { id: t } } }
			PUT /numbers/a%2Fb/settings 200 { data: { id: a/b } }
			POST /numbers/n/release 200 { data: { id: n, status: released } }`,
		run: async ({ numbers, trunks }) => [
			(await numbers.buy({ country: "NL", type: "mobile" })).data,
			(await trunks.create({ name: "a", auth, capacity: 1 })).data,
			await numbers.patch("a/b", { label: "x" }),
			await numbers.release("n"),
		],
		result: [{ id: "a/b", kyc_required: false }, { id: "t" }, { id: "a/b" }, { isConfirmed: true }],
		sent: [
			'POST /numbers {"number":{"country":"NL","type":"mobile"}}',
			'POST /trunks {"region":"eu","name":"a","auth":{"mode":"digest","username":"user"},"capacity":1}',
			'PUT /numbers/a%2Fb/settings {"number":{"label":"x"}}',
			'POST /numbers/n/release {"reason":"unused"}',
		],
	},
	"lists: names, a fixed query, no limit, and another cursor": {
		service: `
			operations: { listTrunks: "GET /sip-trunks?kind=voice" },
			lists: { items: results, next: paging.next, cursor: page_token, limit: false },
			records: { trunk: { id: trunk_id } }`,
		responses: `
			GET /sip-trunks?kind=voice 200 { results: [{ trunk_id: a }], paging: { next: x y }, data: theirs }
			GET /sip-trunks?kind=voice&page_token=x+y 200 { results: [{ trunk_id: b }], paging: { next: "" } }`,
		run: ({ trunks }) => listed(trunks.list()),
		result: [{ id: "a" }, { id: "b" }],
		sent: ["GET /sip-trunks?kind=voice", "GET /sip-trunks?kind=voice&page_token=x+y"],
	},
	"a limit by another name, and fields and operations that the service lacks": {
		service: `lists: { limit: per_page }, operations: { restoreNumber: false },
			records: { number: { metadata: false, reference: false } }`,
		responses: `
			PATCH /numbers/n 200 { id: n, metadata: { theirs: 1 } }
			GET /numbers 200 { data: [], next_cursor: null }`,
		run: async ({ numbers }) => [
			await numbers.patch("n", { metadata: { a: "1" }, reference: "r", label: "a" }),
			await listed(numbers.list({ reference: "r" })),
			(await failureOf(numbers.restore("n"))).kind,
		],
		result: [{ id: "n" }, [], "NotOffered"],
		sent: ['PATCH /numbers/n {"label":"a"}', "GET /numbers?per_page=100"],
	},
};

test.each(Object.entries(cases))("translates %s", async (_, { service, responses, run, result, sent: expected }) => {
	expect(await run(clientOf(service, responses))).toEqual(result);
	expect(sent()).toEqual(expected);
});

test("sends and reads a boolean that the service writes as a word", async () => {
	const values = { true: "on", false: "off" };
	const service = { records: { webhook: { enabled: { at: "mode", values } } } };
	server.script = (response) => reply(response, 200, { id: "whk_1", mode: "OFF" });
	const client = server.client({ service });
	expect(await client.webhooks.patch("whk_1", { enabled: true })).toMatchObject({ enabled: false });
	expect(JSON.parse(server.received.at(-1)?.body ?? "")).toEqual({ mode: "on" });
});

test("sends and reads the headers of a purchase by other names", async () => {
	const headers = { idempotencyKey: "X-Key", replayed: "X-Replayed" };
	const client = openAt({ headers }, { "POST /numbers": [201, { id: "n" }, { "X-Replayed": "true" }] });
	const bought = await client.numbers.buy({ country: "NL", type: "mobile" }, { idempotencyKey: "k-1" });
	const { "x-key": key, "idempotency-key": ours } = server.received[0]?.headers ?? {};
	expect([bought.replayed, key, ours]).toEqual([true, "k-1", undefined]);
});

test("keeps the fields of others in an object that holds ours", async () => {
	const { numbers } = openAt(parse("records: { number: { reference: metadata.pulumi, label: metadata.name } }"), {
		"GET /numbers/n": [200, { id: "n", metadata: { team: "sales", pulumi: "old", name: "x" } }],
		"PATCH /numbers/n": ({ body }) => [200, { id: "n", ...JSON.parse(body) }],
	});
	const expected = { id: "n", reference: "new", label: "x", metadata: { team: "sales" } };
	expect(await numbers.patch("n", { reference: "new" })).toEqual(expected);
	for (const change of [{ label: null }, { metadata: { a: "b" } }, { release_protection: true }])
		await numbers.patch("n", change);
	expect(sent()).toEqual([
		"GET /numbers/n",
		'PATCH /numbers/n {"metadata":{"team":"sales","name":"x","pulumi":"new"}}',
		'PATCH /numbers/n {"metadata":{"team":"sales","pulumi":"new","name":null}}',
		'PATCH /numbers/n {"metadata":{"pulumi":"new","name":null,"a":"b"}}',
		'PATCH /numbers/n {"release_protection":true}',
	]);
});

test("sends a whole record as last read, with the fields of others", async () => {
	const record = { id: "t", channels: "10", note: "theirs", metadata: { a: "1" }, auth: { ...auth, realm: "theirs" } };
	const service = `
		operations: { patchTrunk: { request: "PUT /trunks/{id}", whole: true } },
		records: { trunk: { capacity: { at: channels, as: string } } }`;
	const { trunks } = openAt(fieldsIn(service), {
		"GET /trunks/t": [200, record],
		"PUT /trunks/t": ({ body }) => [200, JSON.parse(body)],
	});
	await trunks.patch("t", { capacity: 20 });
	await trunks.patch("t", { auth: acl as never, metadata: null });
	const first = { ...record, channels: "20" };
	expect(server.received.map(({ method }) => method)).toEqual(["GET", "PUT", "GET", "PUT"]);
	expect(bodies()).toEqual([first, { ...record, auth: { ...acl, realm: "theirs" }, metadata: null }]);
});

test.each([
	["a whole record", 'operations: { patchTrunk: { request: "PUT /trunks/{id}", whole: true } }'],
	["an object that holds ours", "records: { trunk: { metadata: tags.ours } }"],
])("builds %s from a single read, as a list may show less", async (_, service) => {
	const { trunks } = openAt(fieldsIn(service), {
		"GET /trunks": [200, { data: [{ id: "t", tags: { ours: {} } }], next_cursor: null }],
		"GET /trunks/t": [200, { id: "t", tags: { theirs: "x", ours: {} } }],
		"PUT /trunks/t": ({ body }) => [200, JSON.parse(body)],
		"PATCH /trunks/t": ({ body }) => [200, { id: "t", ...JSON.parse(body) }],
	});
	await listed(trunks.list());
	await trunks.patch("t", { metadata: { a: "1" } });
	expect(bodies().at(-1)).toMatchObject({ tags: { theirs: "x" } });
});

test("waits for a new record before it sends the whole of it", async () => {
	const missing = { error: "not_found", message: "No.", request_id: "r" };
	const { trunks } = openAt(fieldsIn('operations: { patchTrunk: { request: "PUT /trunks/{id}", whole: true } }'), {
		"GET /trunks/t": () => (server.received.length < 3 ? [404, missing] : [200, { id: "t", note: "theirs" }]),
		"PUT /trunks/t": ({ body }) => [200, JSON.parse(body)],
	});
	await trunks.patch("t", { capacity: 20 });
	expect(bodies()).toEqual([{ id: "t", note: "theirs", capacity: 20 }]);
});

describe("an error", () => {
	const errors = `errors: { code: fault.code, message: fault.text, requestId: trace,
		codes: { not_found: [no_such_object, "404001"], trunk_in_use: busy } }`;
	test.each([
		["404 { fault: { code: no_such_object, text: No }, trace: t-1 }", "not_found", "t-1"],
		["404 { fault: { code: 404001, text: No } }", "not_found", "req_7"],
		["409 { fault: { code: busy, text: No }, details: { in: x } }", "trunk_in_use", "req_7"],
		["409 { fault: { code: odd, text: No }, trace: t-4 }", "odd", "t-4"],
		['403 "<h1>Forbidden</h1>"', "http_403", "req_7"],
		["403 { error: ours }", "http_403", "req_7"],
	])("is read from %s as %s, %s", async (response, errorCode, requestId) => {
		const client = clientOf(errors, `GET /trunks/a ${response}\nGET /numbers 200 { data: [] }`);
		expect(await failureOf(client.trunks.get("a"))).toMatchObject({ errorCode, requestId });
	});

	test.each([
		["envelopes: { trunk: { response: data } }", "{ id: a }", "data"],
		["records: { trunk: { capacity: channels } }", "{ id: a, channels: { max: 3 } }", "channels"],
		["records: { trunk: { auth.mode: security.kind } }", "{ id: a, security: { kind: 3 } }", "security.kind"],
	])("of a response that doesn't fit %s names the service's field", async (service, body, place) => {
		const error = await failureOf(clientOf(service, `GET /trunks/a 200 ${body}`).trunks.get("a"));
		expect(error).toMatchObject({ kind: "ContractMismatch", message: expect.stringContaining(` at ${place}:`) });
	});

	test("doesn't repeat a secret under the service's name for it", async () => {
		const password = "a-very-long-password";
		const refused = `PATCH /trunks/t 400 { error: bad, message: secret_word ${password} is weak, request_id: r }`;
		const service = "records: { trunk: { auth.password: credentials.secret_word } }";
		const { trunks } = clientOf(service, `${refused}\nGET /trunks/t 200 { id: t }`);
		expect((await failureOf(trunks.patch("t", { auth: { ...auth, password } }))).message).not.toContain(password);
		expect(bodies()).toEqual([{ auth, credentials: { secret_word: password } }]);
	});
});
