import { connect } from "node:net";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAccess } from "../../../emulator/control/access";
import { createControl } from "../../../emulator/control/control";
import { createApp } from "../../../emulator/server";
import { createService } from "../../../emulator/service/service";
import { IdempotencyKeys } from "../../../emulator/store/idempotency";
import { seededRandom } from "../../../emulator/store/random";
import { type Operation, operations } from "../../../provider/api/contract";
import { day, digest, refusal, useVirtualEmulator } from "../fixture";

const { clock, emulator, call, outside, buy, set } = useVirtualEmulator();

describe("a request", () => {
	test.each([{ Authorization: "" }, { Authorization: "Bearer wrong-key" }, { Authorization: "Basic ZW11" }])(
		"without the key is refused, and the key sent is not repeated: %j",
		async (headers) => {
			const answer = await call("GET", "/nowhere", undefined, headers);
			expect(answer).toMatchObject(refusal(401, "unauthorized"));
			expect(answer.body.message).toMatch(/key is missing or invalid/);
			expect(JSON.stringify(answer.body)).not.toContain("wrong-key");
		},
	);

	test("is identified the same in header, error and journal", async () => {
		const { headers, body } = await call("GET", "/numbers/num_0?x=1");
		expect(headers.get("X-Request-Id")).toMatch(/^req_/);
		expect(body.request_id).toBe(headers.get("X-Request-Id"));
		await call("GET", "/numbers?limit=2", undefined, { Authorization: "" });
		const { data } = (await outside("GET", "/_emulator/requests")).body;
		expect(data).toMatchObject([
			{ method: "GET", path: "/v1/numbers/num_0?x=1", status: 400, request_id: body.request_id },
			{ method: "GET", path: "/v1/numbers?limit=2", status: 401, at: new Date(clock.now()).toISOString() },
		]);
	});

	test.each([
		[415, "unsupported_media_type", "{}", { "Content-Type": "text/plain" }],
		[400, "bad_request", '{"country":', {}],
		[400, "bad_request", "", {}],
		[400, "validation_failed", "[]", {}],
		[400, "bad_request", `{"country":${"[".repeat(200_000)}${"]".repeat(200_000)}}`, { "Idempotency-Key": "deep" }],
		[413, "payload_too_large", "x".repeat(1024 * 1024 + 1), {}],
		[415, "unsupported_media_type", "{}", { "Content-Encoding": "gzip" }],
	])("with a bad body gets %i %s", async (status, error, body, headers) => {
		expect(await call("POST", "/numbers", body, headers)).toMatchObject(refusal(status, error));
	});

	test("whose body is null is refused, also where it may have none", async () => {
		const { id } = await buy();
		const nothing = { "Content-Type": "application/json" };
		expect(await call("PATCH", `/numbers/${id}`, "null", nothing)).toMatchObject(refusal(400, "validation_failed"));
		expect(await call("POST", `/numbers/${id}/restore`, "null", nothing)).toMatchObject(
			refusal(400, "validation_failed"),
		);
		expect(await outside("PATCH", "/_emulator/settings", "null", nothing)).toMatchObject(
			refusal(400, "validation_failed"),
		);
	});

	test("whose body comes in chunks is counted as it comes", async () => {
		const chunk = Buffer.alloc(512 * 1024, " ");
		const answer = await fetch(`${emulator.url}/numbers`, {
			method: "POST",
			headers: { Authorization: `Bearer ${emulator.apiKey}`, "Content-Type": "application/json" },
			body: new ReadableStream({
				start: (controller) => {
					for (let count = 0; count < 3; count++) controller.enqueue(chunk);
					controller.close();
				},
			}),
			duplex: "half",
		});
		expect(answer.status).toBe(413);
		expect(await answer.json()).toMatchObject({ error: "payload_too_large", request_id: expect.any(String) });
	});

	test.each([
		"limit=1&limit=2",
		"limit=1&limit=many",
		"__proto__=1",
		"constructor=1",
		"limit=NaN",
		"limit=Infinity",
		"limit=-1",
		"limit=1.5",
		"limit=10.0",
		"limit=0x10",
		"limit=0b1",
		"limit=1e1",
		"limit=%2010",
		"limit=",
	])("with a query that can't be meant is refused: %s", async (query) => {
		const field = query.split("=")[0];
		expect(await call("GET", `/numbers?${query}`)).toMatchObject({
			...refusal(400, "validation_failed"),
			body: { details: [{ field }] },
		});
	});

	test.each([
		"/v1/numbers HTTP/1.1\r\nHost: a b",
		"/v1/numbers HTTP/1.0",
		"//[ HTTP/1.1\r\nHost: a",
		"* HTTP/1.1\r\nHost: a",
	])("that can't be read is told so in the words of the service: GET %j", async (head) => {
		const { hostname, port } = new URL(emulator.url);
		const socket = connect(Number(port), hostname);
		socket.write(`GET ${head}\r\nAuthorization: Bearer ${emulator.apiKey}\r\nConnection: close\r\n\r\n`);
		const [first = "", body = ""] = (await text(socket)).split("\r\n\r\n");
		expect(first).toMatch(/^HTTP\/1.1 4\d\d /);
		expect(JSON.parse(/\{.*\}/.exec(body)?.[0] ?? "{}")).toEqual({
			error: expect.stringMatching(/^(bad_request|not_found)$/),
			message: expect.any(String),
			request_id: expect.stringMatching(/^req_/),
		});
	});

	test("that is HEAD is answered as GET, without the body; an id that can't be decoded is unknown", async () => {
		const answer = await fetch(`${emulator.url}/numbers`, {
			method: "HEAD",
			headers: { Authorization: `Bearer ${emulator.apiKey}` },
		});
		expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 200, text: "" });
		for (const id of ["%00", "%ff", "%zz", "a%2Fb", "__proto__"]) {
			expect(await call("GET", `/numbers/${id}`), id).toMatchObject(refusal(404, "not_found"));
		}
	});

	test("to an unknown path or method is told so in other words than a missing record", async () => {
		expect(await call("GET", "/faxes")).toMatchObject(refusal(404, "operation_not_offered"));
		expect(await call("GET", "/numbers/")).toMatchObject(refusal(404, "operation_not_offered"));
		const answer = await call("PUT", "/numbers/num_1");
		expect(answer).toMatchObject(refusal(405, "method_not_allowed"));
		expect(answer.headers.get("Allow")).toBe("GET, PATCH, DELETE");
	});

	test.each(Object.entries<Operation>(operations).filter(([, { path }]) => path.includes("{id}")))(
		"of %s is told where there is no such record",
		async (_, { method, path, body }) => {
			const answer = await call(method, path.replace("{id}", "none"), body === undefined ? undefined : {});
			expect(answer).toMatchObject(refusal(404, "not_found"));
		},
	);

	test("is answered with the emulator's time and what it offers", async () => {
		const { headers } = await call("GET", "/numbers");
		expect(headers.get("Date")).toBe(new Date(clock.now()).toUTCString());
		expect(headers.get("Telephony-Features")).toBe(
			"getById, patchNumber, release, trunks, webhooks, idempotencyKey, reference, statusFilter, " +
				"inventory, restore, ports, kyc, calls, messages, billing",
		);
		set({ featuresHeader: false });
		expect((await call("GET", "/numbers")).headers.has("Telephony-Features")).toBe(false);
	});

	test("that makes the emulator break the contract is answered with the emulator's fault", async () => {
		const random = seededRandom("broken");
		const service = createService({ clock, random, apiKey: "k", profile: "full", kycPolicy: "manual" });
		const app = createApp(service, createControl(service), createAccess({ controlToken: undefined, allowedHosts: [] }));
		const init = { headers: { Authorization: "Bearer k", "Content-Type": "application/json" } };
		const body = JSON.stringify({ country: "US", type: "mobile" });
		const bought = await app.request("/v1/numbers", { ...init, method: "POST", body });
		const { id } = (await bought.json()) as { id: string };
		Object.assign(service.store.numbers.get(id) ?? {}, { label: 5 });
		const answer = await app.request(`/v1/numbers/${id}`, init);
		expect(answer.status).toBe(500);
		expect(await answer.json()).toMatchObject({
			error: "internal_error",
			message: expect.stringMatching(/getNumber.*label/),
		});
	});
});

describe("an Idempotency-Key", () => {
	const key = { "Idempotency-Key": "key-1" };
	const body = { country: "US", type: "mobile" };

	test("buys once, and the repeat gets the first answer, even if the number has changed since", async () => {
		const first = await call("POST", "/numbers", body, key);
		await call("PATCH", `/numbers/${first.body.id}`, { label: "desk" });
		const again = await call("POST", "/numbers", { type: "mobile", country: "US" }, key);
		expect(again).toMatchObject({ status: 201, body: first.body });
		expect(again.headers.get("Idempotent-Replayed")).toBe("true");
		expect(first.headers.has("Idempotent-Replayed")).toBe(false);
		expect(emulator.control.state().numbers).toHaveLength(1);
	});

	test("repeats a generated password and secret", async () => {
		const trunkBody = { name: "office", auth: digest, capacity: 1 };
		const [one, two] = [await call("POST", "/trunks", trunkBody, key), await call("POST", "/trunks", trunkBody, key)];
		expect(two.body).toEqual(one.body);
	});

	test("can't be used for another request", async () => {
		await call("POST", "/numbers", body, key);
		const other = await call("POST", "/numbers", { ...body, country: "CA" }, key);
		expect(other).toMatchObject(refusal(422, "idempotency_key_reused"));
	});

	test("is free again after a refusal that a repeat may cure, and after 24 hours", async () => {
		expect((await call("POST", "/numbers", { ...body, country: "JP" }, key)).status).toBe(400);
		const first = await call("POST", "/numbers", body, key);
		expect(first.status).toBe(201);
		clock.advance(day - 1);
		expect((await call("POST", "/numbers", body, key)).body.id).toBe(first.body.id);
		clock.advance(1);
		expect((await call("POST", "/numbers", body, key)).body.id).not.toBe(first.body.id);
		const long = { "Idempotency-Key": "x".repeat(256) };
		expect(await call("POST", "/numbers", body, long)).toMatchObject(refusal(400, "validation_failed"));
	});

	test("of a request still running is refused", () => {
		const keys = new IdempotencyKeys(clock);
		expect(keys.begin("k", "a")).toBeUndefined();
		expect(() => keys.begin("k", "a")).toThrow(expect.objectContaining({ error: "idempotency_in_progress" }));
		keys.keep("k", "a", { status: 503 });
		keys.end("k");
		expect(keys.begin("k", "a")).toBeUndefined();
	});
});

describe("a list", () => {
	test("holds every number exactly once, in order, whatever the size of its pages", async () => {
		const ids: string[] = [];
		for (let count = 0; count < 23; count++) ids.push((await buy()).id);
		const sizes = fc.record({ limit: fc.integer({ min: 1, max: 200 }), pageSize: fc.integer({ min: 1, max: 100 }) });
		await fc.assert(
			fc.asyncProperty(sizes, async ({ limit, pageSize }) => {
				set({ pageSize });
				const seen: string[] = [];
				let cursor = "";
				for (;;) {
					const { body } = await call("GET", `/numbers?limit=${limit}${cursor}`);
					expect(body.data.length).toBeLessThanOrEqual(Math.min(limit, pageSize));
					seen.push(...body.data.map(({ id }) => id));
					if (body.next_cursor === null) break;
					cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
				}
				expect(seen).toEqual(ids);
			}),
			{ numRuns: 20 },
		);
	});

	test("has at most 100 on a page, whatever is asked for, and 50 if nothing is", async () => {
		for (let count = 0; count < 101; count++) await buy();
		const size = async (query: string) => (await call("GET", `/numbers${query}`)).body.data.length;
		expect(await size("?limit=100")).toBe(100);
		expect(await size("?limit=1000000")).toBe(100);
		expect(await size("")).toBe(50);
	});

	test("goes on where it was when numbers come and go between two pages", async () => {
		const ids = [(await buy()).id, (await buy()).id, (await buy()).id];
		const { next_cursor } = (await call("GET", "/numbers?limit=1")).body;
		await call("DELETE", `/numbers/${ids[0]}`);
		const rest = (await call("GET", `/numbers?cursor=${next_cursor}`)).body.data.map(({ id }) => id);
		expect(rest).toEqual(ids.slice(1));
	});

	test("refuses cursors that are made up, of another list, or too old", async () => {
		await buy();
		await buy();
		const { next_cursor } = (await call("GET", "/numbers?limit=1")).body;
		for (const path of [
			"/numbers?cursor=abc",
			`/trunks?cursor=${next_cursor}`,
			`/numbers?status=active&cursor=${next_cursor}`,
		]) {
			expect(await call("GET", path)).toMatchObject(refusal(400, "invalid_cursor"));
		}
		clock.advance(3_600_000 - 1);
		expect((await call("GET", `/numbers?cursor=${next_cursor}`)).status).toBe(200);
		clock.advance(1);
		expect(await call("GET", `/numbers?cursor=${next_cursor}`)).toMatchObject(refusal(400, "invalid_cursor"));
	});

	test("is filtered by reference and status", async () => {
		const [one, two] = [await buy("DE"), await buy("DE")];
		await call("PATCH", `/numbers/${one.id}`, { reference: "r1" });
		emulator.control.decide(two.id, "approve");
		expect((await call("GET", "/numbers?reference=r1")).body.data).toMatchObject([{ id: one.id, reference: "r1" }]);
		expect((await call("GET", "/numbers?status=active")).body.data).toMatchObject([{ id: two.id }]);
	});
});
