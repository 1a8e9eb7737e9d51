/** The carriers fit the public description. `telephony service check` and the stories test the rest of each of them. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Carrier, CarrierOptions } from "./carrier.mts";
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
	carrier = await start({ now: () => time });
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
		expect(carrier.rows("north", "number").map(stateOf)).toEqual(["pending"]);
		carrier.approve("north", String(firstId));
		time += 10_000;
		expect(["live", "activo", "in-service"]).toContain(carrier.rows("north", "number").map(stateOf)[0]);
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
});

describe("nordtel", () => {
	beforeEach(() => begin(startNordtel));

	it("publishes a valid OpenAPI document with all its operations", async () => {
		const document = await bodyOf<{ paths: Record<string, object> }>(fetch(`${carrier.url}/openapi.json`));
		expect((await new Validator().validate(structuredClone(document))).errors).toBeUndefined();
		const operations = Object.values(document.paths).flatMap((path) => Object.keys(path));
		expect(operations.filter((name) => name !== "parameters")).toHaveLength(17);
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
});
