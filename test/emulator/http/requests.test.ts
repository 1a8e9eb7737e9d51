import { connect } from "node:net";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Operation, operations } from "../../../provider/api/contract";
import { company, day, digest, hour, mobile, move, refusal, useVirtualEmulator } from "../fixture";

const virtual = useVirtualEmulator();
const { clock, emulator, call, outside, post, patch, remove, read, list, buy, set } = virtual;

const key = { "Idempotency-Key": "key-1" };

describe("a request", () => {
	test.each(["", "Bearer wrong-key", "Basic ZW11"])("is refused without the key: %j", async (Authorization) => {
		const response = await call("GET", "/nowhere", undefined, { Authorization });
		expect(response).toMatchObject(refusal(401, "unauthorized"));
		expect(JSON.stringify(response.body)).not.toContain("wrong-key");
	});

	const deep = `{"country":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
	test.each([
		[415, "unsupported_media_type", "{}", { "Content-Type": "text/plain" }],
		[415, "unsupported_media_type", "{}", { "Content-Encoding": "gzip" }],
		[400, "bad_request", '{"country":', {}],
		[400, "bad_request", "", {}],
		[400, "bad_request", deep, key],
		[400, "validation_failed", "[]", {}],
		[400, "validation_failed", "null", {}],
		[413, "payload_too_large", "x".repeat(1024 * 1024 + 1), {}],
	])("gets %i %s for a bad body", async (status, error, body, headers) => {
		expect(await post("/numbers", body, headers)).toMatchObject(refusal(status, error));
	});

	const numbers = ["NaN", "Infinity", "-1", "1.5", "10.0", "0x10", "0b1", "1e1", "%2010", ""];
	test.each(["limit=1&limit=2", "__proto__=1", "constructor=1", ...numbers.map((value) => `limit=${value}`)])(
		"is refused with an ambiguous query: %s",
		async (query) => {
			const [field] = query.split("=");
			expect(await call("GET", `/numbers?${query}`)).toMatchObject(refusal(400, "validation_failed", field));
		},
	);

	test.each([
		"/v1/numbers HTTP/1.1\r\nHost: a b",
		"/v1/numbers HTTP/1.0",
		"//[ HTTP/1.1\r\nHost: a",
		"* HTTP/1.1\r\nHost: a",
	])("gets an error in JSON even if it can't be parsed: GET %j", async (head) => {
		const { hostname, port } = new URL(emulator.url);
		const socket = connect(Number(port), hostname);
		socket.write(`GET ${head}\r\nAuthorization: Bearer ${emulator.apiKey}\r\nConnection: close\r\n\r\n`);
		const [first = "", body = ""] = (await text(socket)).split("\r\n\r\n");
		expect(first).toMatch(/^HTTP\/1.1 4\d\d /);
		const error = expect.stringMatching(/^(bad_request|not_found)$/);
		const response = JSON.parse(/\{.*\}/.exec(body)?.[0] ?? "{}");
		expect(response).toMatchObject({ error, request_id: expect.stringMatching(/^req_/) });
	});

	test("gets the headers of a GET for HEAD", async () => {
		const headers = { Authorization: `Bearer ${emulator.apiKey}` };
		const response = await fetch(`${emulator.url}/numbers`, { method: "HEAD", headers });
		expect([response.status, await response.text()]).toEqual([200, ""]);
		expect(response.headers.get("Date")).toBe(new Date(clock.now()).toUTCString());
		expect(response.headers.get("Telephony-Features")).toMatch(/^getById, patchNumber, .*, account$/);
		set({ featuresHeader: false });
		expect((await call("GET", "/numbers")).headers.has("Telephony-Features")).toBe(false);
	});

	test("tells an unknown path or method from a missing record", async () => {
		for (const path of ["/faxes", "/numbers/"])
			expect(await call("GET", path)).toMatchObject(refusal(404, "operation_not_offered"));
		const response = await call("PUT", "/numbers/num_1");
		expect(response).toMatchObject(refusal(405, "method_not_allowed"));
		expect(response.headers.get("Allow")).toBe("GET, PATCH, DELETE");
		for (const id of ["%00", "%ff", "%zz", "a%2Fb", "__proto__"])
			expect(await call("GET", `/numbers/${id}`), id).toMatchObject(refusal(404, "not_found"));
	});

	test.each(Object.entries<Operation>(operations).filter(([, { path }]) => path.includes("{id}")))(
		"finds no record of an unknown id: %s",
		async (_, { method, path, body }) => {
			const response = await call(method, path.replace("{id}", "none"), body === undefined ? undefined : {});
			expect(response).toMatchObject(refusal(404, "not_found"));
		},
	);
});

describe("an Idempotency-Key", () => {
	const from = async () => ({ from: (await buy()).number, to: "+14155550123" });
	test.each<[string, () => Promise<readonly [path: string, body?: object]>]>([
		["a number", async () => ["/numbers", mobile()]],
		["a trunk with its password", async () => ["/trunks", { name: "office", auth: digest, capacity: 1 }]],
		["a webhook with its secret", async () => ["/webhooks", { url: "https://a.example/", events: ["*"] }]],
		["a port order", async () => ["/port_orders", move]],
		["a submission", async () => [`/port_orders/${(await virtual.port()).id}/submit`]],
		["an SMS", async () => ["/messages", { ...(await from()), text: "Hi" }]],
	])("repeats the first response: %s", async (_, prepare) => {
		const [path, body] = await prepare();
		const first = await post(path, body, key);
		clock.advance(hour);
		const before = emulator.control.state();
		const repeated = await post(path, body, key);
		expect([repeated.status, repeated.body]).toEqual([first.status, first.body]);
		const marks = [first, repeated].map(({ headers }) => headers.get("Idempotent-Replayed"));
		expect(marks).toEqual([null, "true"]);
		expect(emulator.control.state()).toEqual(before);
	});

	test("belongs to one successful body for 24 hours", async () => {
		expect((await post("/numbers", mobile("JP"), key)).status).toBe(400);
		const first = await post("/numbers", mobile(), key);
		await patch(`/numbers/${first.body.id}`, { label: "desk" });
		clock.advance(day - 1);
		expect((await post("/numbers", { type: "mobile", country: "US" }, key)).body).toEqual(first.body);
		expect(await post("/numbers", mobile("CA"), key)).toMatchObject(refusal(422, "idempotency_key_reused"));
		expect((await post("/numbers", mobile(), { "Idempotency-Key": "x".repeat(256) })).status).toBe(400);
		clock.advance(1);
		expect((await post("/numbers", mobile(), key)).body.id).not.toBe(first.body.id);
	});
});

describe("a list", () => {
	test("holds each item once, in order, on pages of any size", async () => {
		const ids: string[] = [];
		for (let count = 0; count < 101; count++) ids.push((await buy()).id);
		const size = async (query: string) => (await read(`/numbers${query}`)).data.length;
		expect([await size("?limit=100"), await size("?limit=1000000"), await size("")]).toEqual([100, 100, 50]);
		const sizes = fc.record({ limit: fc.integer({ min: 4, max: 200 }), pageSize: fc.integer({ min: 4, max: 100 }) });
		await fc.assert(
			fc.asyncProperty(sizes, async ({ limit, pageSize }) => {
				set({ pageSize });
				expect(await size(`?limit=${limit}`)).toBe(Math.min(limit, pageSize));
				expect((await list(`/numbers?limit=${limit}`)).map(({ id }) => id)).toEqual(ids);
			}),
			{ numRuns: 10 },
		);
	});

	test("continues at its cursor for an hour, and refuses others", async () => {
		const ids = [(await buy()).id, (await buy()).id, (await buy()).id];
		const { next_cursor: cursor } = await read("/numbers?limit=1");
		await remove(`/numbers/${ids[0]}`);
		expect((await read(`/numbers?cursor=${cursor}`)).data.map(({ id }) => id)).toEqual(ids.slice(1));
		const invalid = refusal(400, "invalid_cursor");
		for (const path of ["/numbers?cursor=abc", `/trunks?cursor=${cursor}`, `/numbers?status=active&cursor=${cursor}`])
			expect(await call("GET", path)).toMatchObject(invalid);
		clock.advance(hour - 1);
		expect((await call("GET", `/numbers?cursor=${cursor}`)).status).toBe(200);
		clock.advance(1);
		expect(await call("GET", `/numbers?cursor=${cursor}`)).toMatchObject(invalid);
	});

	test("is filtered by the current status and reference", async () => {
		const [first, second] = [await buy("DE"), await buy("DE")];
		const idsOf = async (query: string) => (await read(`/numbers?${query}`)).data.map(({ id }) => id);
		emulator.control.decide(second.id, "approve");
		expect(await idsOf("status=active")).toEqual([second.id]);
		const claim = (id: string, reference: string | null) => patch(`/numbers/${id}`, { reference });
		await claim(second.id, "a");
		await claim(first.id, "a");
		expect(await idsOf("reference=a")).toEqual([first.id, second.id]);
		await claim(first.id, "b");
		const snapshot = emulator.control.snapshot();
		emulator.control.reset();
		expect(await idsOf("reference=a")).toEqual([]);
		emulator.control.restore(snapshot);
		expect([await idsOf("reference=a"), await idsOf("reference=b")]).toEqual([[second.id], [first.id]]);
		await claim(first.id, null);
		expect(await idsOf("reference=b")).toEqual([]);
	});
});

describe("the journal of requests", () => {
	const journal = async (query = "") => (await outside("GET", `/_emulator/requests${query}`)).body;
	const paths = async (query = "") => (await journal(query)).data.map(({ path }) => path);
	const page = async (id: unknown) => (await fetch(new URL(`/_console/requests/${id}`, emulator.url))).text();

	test("is filtered by operation, status and time, and paged", async () => {
		const { id } = await buy();
		clock.advance(60_000);
		for (const path of [`/numbers/${id}?x=1`, `/numbers/${id}`]) await call("GET", path);
		const { headers, body } = await call("GET", "/trunks/none");
		expect(body.request_id).toBe(headers.get("X-Request-Id"));
		const names = ["at", "error", "message", "method", "path", "request_id", "status"];
		const [last] = emulator.control.requests().slice(-1);
		expect([last?.request_id, Object.keys(last ?? {}).sort()]).toEqual([body.request_id, names]);
		expect(await paths("?operation=getNumber")).toEqual([`/v1/numbers/${id}?x=1`, `/v1/numbers/${id}`]);
		expect(await paths("?status=404")).toEqual(["/v1/trunks/none"]);
		expect(await paths("?status=4xx")).toEqual([`/v1/numbers/${id}?x=1`, "/v1/trunks/none"]);
		expect(await paths("?status=none")).toEqual([]);
		const since = `?since=${new Date(clock.now()).toISOString()}`;
		const first = await journal(`${since}&limit=2`);
		expect(first.data).toHaveLength(2);
		expect(await paths(`${since}&limit=2&cursor=${first.next_cursor}`)).toEqual(["/v1/trunks/none"]);
		const wrong = ["operation=buy", "status=6xx", "since=yesterday", "limit=0", "limit=0x1", "cursor=x", "page=1"];
		for (const query of wrong)
			expect(await outside("GET", `/_emulator/requests?${query}`)).toMatchObject(refusal(400, "validation_failed"));
		expect((await outside("DELETE", "/_emulator/requests")).status).toBe(204);
		expect(await paths()).toEqual([]);
	});

	test("hides secrets under any name that the contract lacks", async () => {
		const secrets = ["password", "passwrod", "secret", "id_number", "pin", "account_number", "content", "api_key"];
		for (const name of secrets) {
			for (const path of [[], ["auth"], ["metadata"], ["x", "details"], ["carrier", "metadata", "auth", "x"]]) {
				const leaf: object = { [name]: "s3cr3t", label: "shown" };
				const body = path.reduceRight((inner, at) => ({ [at]: [inner] }), leaf);
				const html = await page((await post("/trunks", body)).body.request_id);
				expect(html).toContain("hidden");
				expect(html).not.toContain("s3cr3t");
			}
		}
		const text = "whsec_AbC+/9== sip:desk:pass@pbx.example";
		const { request_id } = (await post("/trunks", { name: text })).body;
		expect(await page(request_id)).not.toMatch(/AbC|pass@/);
		const { secret } = await virtual.hook();
		expect(await page(emulator.control.requests().at(-1)?.request_id)).not.toContain(secret);
	});
});

const [buyNumber, number] = ["POST /numbers", "PATCH /numbers/NUMBER"];
const [profiles, kyc, documents] = ["POST /kyc/profiles", "PATCH /kyc/profiles/PROFILE", "POST /kyc/documents"];
const [ports, search, hooks] = ["POST /port_orders", "GET /available_numbers", "POST /webhooks"];
const toTrunk = { type: "trunk", trunk_id: "trk_0" };
const viaFailover = { type: "agent", agent_id: "a", failover: toTrunk };
const pdf = { kind: "other", filename: "a.pdf", media_type: "application/pdf", content: "AAAA" };
const port = (wrong: object) => ({ ...move, ...wrong });
const urls = ["http://a.example/", "https://user:pw@a.example/", "https://a.example/#x", "https://a.example:99999/"];
const [invalid, dangling, notPortable] = ["validation_failed", "invalid_reference", "number_not_portable"];

test.each<[field: string, error: string, request: string, body?: object]>([
	["country", "unsupported_market", buyNumber, mobile("JP")],
	["kyc_profile_id", invalid, number, { kyc_profile_id: "kyc_1" }],
	["country", "immutable_field", number, { country: "CA" }],
	["routing.trunk_id", dangling, number, { routing: toTrunk }],
	["routing.failover.trunk_id", dangling, number, { routing: viaFailover }],
	["colour", invalid, "GET /numbers?colour=red"],
	["country", "unsupported_market", `${search}?country=JP`],
	["capabilities", invalid, `${search}?country=US&capabilities=voice,telepathy`],
	["country", "unsupported_market", "GET /kyc/requirements?country=JP&type=mobile"],
	["content", invalid, documents, { ...pdf, content: "not base64!" }],
	["document_ids.0", dangling, profiles, { ...company, document_ids: ["doc_0"] }],
	["document_ids.0", dangling, kyc, { document_ids: ["doc_0"] }],
	["carrier.password", invalid, ports, port({ carrier: { name: "x", password: "y" } })],
	["numbers.0", notPortable, ports, port({ numbers: ["+12125550100"] })],
	["numbers.0", notPortable, ports, port({ numbers: ["+3120123456"] })],
	["country", "unsupported_market", ports, port({ country: "JP" })],
	["document_ids.0", dangling, ports, port({ document_ids: ["doc_0"] })],
	["to", invalid, "GET /usage?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z"],
	...urls.map((url): [string, string, string, object] => ["url", invalid, hooks, { url, events: ["*"] }]),
])("refuses the field %s as %s: %s %j", async (field, error, request, body) => {
	const [{ id }, holder] = [await buy(), await virtual.profile()];
	const before = emulator.control.state();
	const [method = "", path = ""] = request.replace("NUMBER", id).replace("PROFILE", holder.id).split(" ");
	expect(await call(method, path, body)).toMatchObject(refusal(400, error, field));
	expect(emulator.control.state()).toEqual(before);
});
