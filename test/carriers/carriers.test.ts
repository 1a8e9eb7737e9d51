import { Validator } from "@seriousme/openapi-schema-validator";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Carrier, CarrierOptions, Fault } from "./carrier.mts";
import { startKiwivoice } from "./kiwivoice.mts";
import { startNordtel } from "./nordtel.mts";
import { startPampafone } from "./pampafone.mts";
import { faultOf, type Schema } from "./schema.mts";

const makes = [
	{ name: "nordtel", start: startNordtel, cursor: "page_token", pageSize: 25, wrongKey: 401, firstId: 1001 },
	{ name: "pampafone", start: startPampafone, cursor: "cursor", pageSize: 10, wrongKey: 401, firstId: 1 },
	{ name: "kiwivoice", start: startKiwivoice, cursor: "after", pageSize: 20, wrongKey: 403, firstId: "DID-000123" },
];

type Body = Record<string, unknown>;
interface List {
	readonly data: Body[];
	readonly next_cursor: string | null;
}

const open = { country: "US", type: "geographic", area: "415" };
const regulated = { country: "DE", type: "mobile" };
const errorObject = { error: expect.any(String), message: expect.any(String), request_id: expect.any(String) };

let carrier: Carrier;
let time: number;

async function begin(start: (options: CarrierOptions) => Promise<Carrier>): Promise<void> {
	time = Date.UTC(2026, 10, 29, 5, 42, 4);
	carrier = await start({ now: () => time, retryAfterSeconds: 7 });
}

/** Sends a request and lets a second pass, so that no limit applies. */
async function send(
	method: string,
	path: string,
	{ body, account = 0, headers = {} }: { body?: unknown; account?: number; headers?: Record<string, string> } = {},
): Promise<Response> {
	time += 1000;
	return fetch(carrier.url + path, {
		method,
		headers: {
			authorization: `Bearer ${carrier.accounts[account]?.key}`,
			...(body !== undefined && { "content-type": "application/json" }),
			...headers,
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
}

const bodyOf = async <B = Body>(response: Promise<Response>) => (await (await response).json()) as B;
const buy = (body: unknown = open, account = 0) => send("POST", "/numbers", { body, account });
const idOf = (row: Body | undefined) => row?.id ?? row?.ref;
const stateOf = ({ state, status, line }: Body) => state ?? status ?? (line as Body).status;

afterEach(() => carrier.close());

describe.each(makes)("$name", ({ start, cursor, pageSize, wrongKey, firstId }) => {
	beforeEach(() => begin(start));

	it("provisions a number in an open market at once", async () => {
		const response = await buy();
		expect(response.status).toBe(201);
		expect(await response.json()).not.toMatchObject({ kyc_required: true });
		const [row] = (await bodyOf<List>(send("GET", "/numbers"))).data;
		expect(stateOf(row ?? {})).not.toBe("pending");
		expect(carrier.log).toMatchObject([{ what: "purchase", kind: "number", number: "+14155550001" }]);
	});

	it("keeps a number in a regulated market pending until KYC clears", async () => {
		const response = await buy(regulated);
		expect(response.status).toBe(201);
		expect(await response.json()).toMatchObject({ kyc_required: true });
		time += 1_000_000;
		expect(carrier.numbers("north").map(stateOf)).toEqual(["pending"]);
		carrier.approve("north", String(firstId));
		time += 10_000;
		expect(["live", "activo", "in-service"]).toContain(carrier.numbers("north").map(stateOf)[0]);
	});

	it("ends a number whose KYC is rejected, and shows the reason", async () => {
		await buy(regulated);
		carrier.reject("north", String(firstId), "document expired");
		const { data } = await bodyOf<List>(send("GET", "/numbers"));
		expect(JSON.stringify(data)).toContain("document expired");
		expect(data.map(stateOf)).not.toContain("pending");
		expect(() => carrier.approve("north", String(firstId))).toThrow();
	});

	it.each([
		["a missing field", { country: "US" }],
		["an unknown type", { ...open, type: "satellite" }],
		["an unknown field", { ...open, reference: "x" }],
		["an unsupported country", { ...open, country: "XX" }],
		["no object", []],
	])("refuses a purchase with %s", async (_, body) => {
		const response = await buy(body);
		expect(response.status).toBe(400);
		expect(await response.json()).toEqual(errorObject);
		expect(carrier.log).toEqual([]);
	});

	it("refuses unknown parameters, and cursors that it didn't issue", async () => {
		for (const query of ["state=live", `${cursor}=%00`]) {
			expect((await send("GET", `/numbers?${query}`)).status).toBe(400);
		}
	});

	it("refuses a missing key and a wrong key with the error object", async () => {
		for (const authorization of ["", "Bearer wrong", carrier.accounts[0]?.key ?? ""]) {
			const response = await send("GET", "/numbers", { headers: { authorization } });
			expect(response.status).toBe(wrongKey);
			const message = expect.stringMatching(/key.*missing or invalid/i);
			expect(await response.json()).toEqual({ ...errorObject, message });
		}
	});

	it("lists every number once from the first page to the last", async () => {
		for (let count = 0; count < 2 * pageSize + 1; count += 1) await buy();
		const ids: unknown[] = [];
		const sizes: number[] = [];
		let next: string | null = null;
		do {
			const query: string = next === null ? "" : `?${cursor}=${encodeURIComponent(next)}`;
			const page: List = await bodyOf<List>(send("GET", `/numbers${query}`));
			ids.push(...page.data.map(idOf));
			sizes.push(page.data.length);
			next = page.next_cursor;
		} while (next !== null);
		expect(sizes).toEqual([pageSize, pageSize, 1]);
		expect(new Set(ids).size).toBe(2 * pageSize + 1);
	});

	it("gives different numbers of two accounts the same ids", async () => {
		await buy(open, 0);
		await buy(open, 1);
		expect(carrier.log.map(({ account, id }) => [account, id])).toEqual([
			["north", String(firstId)],
			["south", String(firstId)],
		]);
		expect(new Set(carrier.log.map(({ number }) => number)).size).toBe(2);
		expect((await bodyOf<List>(send("GET", "/numbers", { account: 1 }))).data.map(idOf)).toEqual([firstId]);
	});

	it("responds 404 to an unknown object, an unknown path and another version", async () => {
		for (const path of ["/numbers/77", "/invoices", "/../v2/numbers", "/../numbers"]) {
			const response = await send("GET", path);
			expect([path, response.status]).toEqual([path, 404]);
			expect(await response.json()).toEqual(errorObject);
		}
	});

	it("shows an edit of the dashboard in the next read", async () => {
		await buy();
		carrier.edit("north", "number", String(firstId), { country: "CA", market: { country: "CA" } });
		expect(JSON.stringify(await bodyOf(send("GET", `/numbers/${firstId}`)))).toContain('"CA"');
	});

	const faults: { kind: Fault["kind"]; purchases: number; status: number }[] = [
		{ kind: "lost-response", purchases: 1, status: 0 },
		{ kind: "cut", purchases: 0, status: 0 },
		{ kind: "busy", purchases: 0, status: 429 },
		{ kind: "error", purchases: 0, status: 500 },
	];
	it.each(faults)("fails one purchase with the fault $kind", async ({ kind, purchases, status }) => {
		const fault = carrier.fault({ method: "POST", path: /^\/numbers$/, kind, times: 1 });
		const response = await buy().catch(() => undefined);
		expect(response?.status ?? 0).toBe(status);
		if (response !== undefined) expect(await response.json()).toEqual(errorObject);
		if (kind === "busy") expect(response?.headers.get("retry-after")).toBe("7");
		expect(carrier.log).toHaveLength(purchases);
		expect(carrier.requests).toEqual([{ method: "POST", path: "/numbers", status, account: "north" }]);
		expect((await buy()).status).toBe(201);
		expect(fault.fired).toBe(1);
	});

	it("holds back the response of a slow request until its release", async () => {
		const fault = carrier.fault({ method: "POST", path: /^\/numbers$/, kind: "slow" });
		let isSettled = false;
		const response = buy().finally(() => {
			isSettled = true;
		});
		await expect.poll(() => carrier.log.length).toBe(1);
		await send("GET", "/numbers");
		expect(isSettled).toBe(false);
		fault.release();
		expect((await response).status).toBe(201);
		expect((await buy()).status).toBe(201);
		expect(fault.fired).toBe(2);
	});

	it("fails requests until the fault is cleared", async () => {
		const fault = carrier.fault({ method: "GET", path: /^\/numbers\b/, kind: "error" });
		expect((await send("GET", "/numbers")).status).toBe(500);
		expect((await send("GET", "/numbers")).status).toBe(500);
		fault.clear();
		expect((await send("GET", "/numbers")).status).toBe(200);
	});
});

describe("nordtel", () => {
	beforeEach(() => begin(startNordtel));

	it("publishes a valid OpenAPI document with all its operations", async () => {
		const document = await bodyOf<{ paths: Record<string, object> }>(fetch(`${carrier.url}/openapi.json`));
		expect((await new Validator().validate(structuredClone(document))).errors).toBeUndefined();
		const operations = Object.values(document.paths).flatMap((path) => Object.keys(path));
		expect(operations.filter((name) => name !== "parameters")).toHaveLength(17);
	});

	it("keeps a cancelled number live for 5 seconds and listed for a minute", async () => {
		await buy();
		expect((await send("POST", "/numbers/1001/cancel")).status).toBe(202);
		expect(await bodyOf(send("GET", "/numbers/1001"))).toMatchObject({ state: "live" });
		time += 5000;
		expect((await bodyOf<List>(send("GET", "/numbers"))).data).toMatchObject([{ state: "terminated" }]);
		time += 60_000;
		expect((await bodyOf<List>(send("GET", "/numbers"))).data).toEqual([]);
		expect(await bodyOf(send("GET", "/numbers/1001"))).toMatchObject({ state: "terminated" });
	});

	it("responds with the records that its document describes", async () => {
		const document = await bodyOf<{ components: { schemas: Record<string, Schema> } }>(
			fetch(`${carrier.url}/openapi.json`),
		);
		const callback = { target_url: "https://example.com/a", topics: ["*"], active: true, customer_ref: null };
		const { sip_trunk } = await bodyOf<Body>(send("POST", "/sip_trunks", { body: { title: "a" } }));
		const records = {
			Number: await bodyOf(buy(regulated)),
			Voice: await bodyOf(send("GET", "/numbers/1001/voice")),
			SipTrunk: sip_trunk,
			Callback: await bodyOf(send("POST", "/callbacks", { body: callback })),
			Error: await bodyOf(send("GET", "/numbers/1")),
		};
		for (const [name, record] of Object.entries(records)) {
			expect(faultOf(document.components.schemas[name] ?? { type: [] }, record, name)).toBeUndefined();
		}
	});

	it("replaces a trunk, keeps its password, and refuses to delete a target", async () => {
		await buy();
		const body = { title: "a", ip_list: ["192.0.2.1"], sip_login: { user: "u", password: "p" } };
		const { sip_trunk } = await bodyOf<{ sip_trunk: Body }>(send("POST", "/sip_trunks", { body }));
		const { id, host, created, ...rest } = sip_trunk;
		expect(rest).toMatchObject({ ip_list: ["192.0.2.1/32"], sip_login: { user: "u" } });
		const changed = await bodyOf(send("PUT", `/sip_trunks/${id}`, { body: { ...rest, title: "b" } }));
		expect(changed).toEqual({ ...sip_trunk, title: "b" });
		expect(carrier.trunks("north")).toMatchObject([{ sip_login: { password: "p" } }]);
		const voice = { mode: "trunk", target: id, ring_seconds: 20 };
		expect(await bodyOf(send("PUT", "/numbers/1001/voice", { body: voice }))).toEqual(voice);
		expect((await send("DELETE", `/sip_trunks/${id}`)).status).toBe(409);
	});

	it("refuses a label of 41 characters, and changes one without a body", async () => {
		await buy();
		const label = (length: number) => ({ body: { label_text: "x".repeat(length) } });
		expect((await send("PATCH", "/numbers/1001", label(41))).status).toBe(400);
		expect((await send("PATCH", "/numbers/1001", label(40))).status).toBe(204);
	});
});

describe("pampafone", () => {
	beforeEach(() => begin(startPampafone));

	it("formats numbers, and forgets a released one", async () => {
		expect(await bodyOf(buy(regulated))).toMatchObject({ line: { numero: "+49 1512 555-0001" } });
		expect(await bodyOf(send("DELETE", "/numbers/1"))).toEqual({ released: true });
		expect((await send("GET", "/numbers/1")).status).toBe(404);
	});

	it("shows a trunk's secret once, and lists trunks without a cursor", async () => {
		const { troncal } = await bodyOf<{ troncal: Body }>(send("POST", "/troncales", { body: { nombre: "a" } }));
		expect(troncal).toMatchObject({ id: 1, capacidad: "10", credenciales: { clave: expect.any(String) } });
		const { clave: _, ...credenciales } = troncal.credenciales as Body;
		expect(await bodyOf(send("GET", "/troncales"))).toEqual({ troncales: [{ ...troncal, credenciales }] });
	});

	it("keeps events as text, and has no operation that changes a webhook", async () => {
		const body = { url: "https://example.com/a", eventos: "sms.recibido, linea.baja" };
		const { aviso } = await bodyOf<{ aviso: Body }>(send("POST", "/avisos", { body }));
		expect(aviso).toMatchObject({ id: 1, eventos: "sms.recibido,linea.baja", estado: "on" });
		for (const method of ["PUT", "PATCH"]) expect((await send(method, "/avisos/1", { body })).status).toBe(404);
	});
});

describe("kiwivoice", () => {
	beforeEach(() => begin(startKiwivoice));

	it("repeats a purchase with the same X-Request-Id for an hour", async () => {
		const repeat = () => send("POST", "/numbers", { body: open, headers: { "x-request-id": "a" } });
		const order = await bodyOf(repeat());
		expect(order).toEqual({ kyc_required: false, order: "ORD-000001" });
		expect(await bodyOf(repeat())).toEqual(order);
		time += 3_600_000;
		expect(await bodyOf(repeat())).not.toEqual(order);
		expect(carrier.log).toHaveLength(2);
	});

	it("cuts a long note, refuses a long tag, and writes times in its zone", async () => {
		await buy();
		const body = { note: "x".repeat(65), tags: { team: "a" } };
		const { result } = await bodyOf<{ result: Body }>(send("PATCH", "/numbers/DID-000123", { body }));
		expect(result).toMatchObject({ note: "x".repeat(64), tags: body.tags, created_at: "2026-11-29T18:42:05+13:00" });
		const tooLong = { tags: { team: "x".repeat(33) } };
		expect((await send("PATCH", "/numbers/DID-000123", { body: tooLong })).status).toBe(400);
	});

	it("keeps a ceased number in its list", async () => {
		await buy();
		expect(await bodyOf(send("POST", "/numbers/DID-000123/cease", { body: {} }))).toMatchObject({ status: "ceased" });
		expect((await bodyOf<List>(send("GET", "/numbers?limit=20"))).data).toMatchObject([{ status: "ceased" }]);
		expect((await send("GET", "/numbers?limit=21")).status).toBe(400);
	});

	it("shows a signing key once", async () => {
		const body = { endpoint: "https://example.com/a", types: ["all"] };
		const { result } = await bodyOf<{ result: Body }>(send("POST", "/hooks", { body }));
		const { signing_key, ...record } = result;
		expect(signing_key).toEqual(expect.any(String));
		expect(await bodyOf(send("GET", "/hooks/HOK-000001"))).toEqual({ result: record });
	});
});

it.each([
	{ name: "nordtel", start: startNordtel, perSecond: 5, retryAfter: "1" },
	{ name: "pampafone", start: startPampafone, perSecond: 20, retryAfter: null },
	{ name: "kiwivoice", start: startKiwivoice, perSecond: 10, retryAfter: null },
])("limits requests at $name only above its rate", async ({ name, start, perSecond, retryAfter }) => {
	await begin(start);
	const sendAtOnce = () => {
		time -= 1000;
		return send("GET", "/numbers");
	};
	for (let count = 0; count < perSecond; count += 1) expect((await sendAtOnce()).status).toBe(200);
	const response = await sendAtOnce();
	expect(response.status).toBe(name === "pampafone" ? 200 : 429);
	expect(response.headers.get("retry-after")).toBe(retryAfter);
	time += 1000;
	expect((await sendAtOnce()).status).toBe(200);
});
