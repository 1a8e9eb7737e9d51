/** Kiwivoice: text ids, tags, numbers that stay listed for ever, and a purchase that shows no id. */
import type { Carrier, CarrierOptions } from "./carrier.mts";
import { type Call, type Make, type Purchase, pageOf, purchaseSchema, Refusal, type Reply, rowOf } from "./make.mts";
import { nullable, object, type Schema, text } from "./schema.mts";
import { startCarrier } from "./server.mts";

interface Destination {
	readonly type: "number" | "trunk" | "uri" | "none";
	readonly value: string | null;
}

type Tags = Readonly<Record<string, string>>;

type NumberRow = {
	readonly ref: string;
	readonly e164: string;
	readonly country: string;
	readonly type: string;
	readonly area_code: string | null;
	status: "pending" | "in-service" | "ceased";
	ceased_reason: string | null;
	tags: Tags;
	note: string;
	voice: { readonly destination: Destination };
	readonly created_at: string;
};

type TrunkBody = {
	name: string;
	max_calls: number;
	acl: readonly { readonly network: string }[];
	digest: { readonly username: string; readonly password: string } | null;
	tags: Tags;
};

type TrunkRow = TrunkBody & { readonly ref: string; readonly domain: string; readonly created_at: string };

type HookRow = {
	readonly ref: string;
	endpoint: string;
	types: readonly string[];
	paused: boolean;
	readonly signing_key: string;
	readonly created_at: string;
};

type KiwivoiceCall = Call<NumberRow, TrunkRow, HookRow>;

const hour = 3_600_000;
const zoneHours = 13;
const maxPageSize = 20;
const maxNote = 64;
const firstNumber = 123;

const tagsSchema: Schema = { type: "object", additionalProperties: text(32) };

const numberChangeSchema = object(
	{
		tags: tagsSchema,
		note: { type: "string" },
		voice: object({
			destination: object(
				{ type: { type: "string", enum: ["number", "trunk", "uri", "none"] }, value: nullable(text(200)) },
				["type"],
			),
		}),
	},
	[],
);

const trunkFields: Readonly<Record<string, Schema>> = {
	name: text(50),
	max_calls: { type: "integer", minimum: 1, maximum: 500 },
	acl: { type: "array", items: object({ network: { type: "string", pattern: "^[0-9a-f.:]+/\\d{1,3}$" } }) },
	digest: nullable(object({ username: text(40), password: text(64) })),
	tags: tagsSchema,
};

const types = [
	"number.in-service",
	"number.ceased",
	"sms.received",
	"sms.receipt",
	"call.started",
	"call.ended",
	"all",
];

const hookFields: Readonly<Record<string, Schema>> = {
	endpoint: { type: "string", pattern: "^https?://\\S+$" },
	types: { type: "array", items: { type: "string", enum: types }, minItems: 1 },
	paused: { type: "boolean" },
};

const refOf = (prefix: string, serial: number) => `${prefix}-${String(serial).padStart(6, "0")}`;
const timeOf = (time: number) => new Date(time + zoneHours * hour).toISOString().replace(/\.\d+Z$/, `+${zoneHours}:00`);

const result = (record: object, status = 200): Reply => ({ status, body: { result: record } });

function showTrunk({ digest, ...record }: TrunkRow) {
	return { ...record, digest: digest && { username: digest.username } };
}

function showHook({ signing_key: _, ...record }: HookRow) {
	return record;
}

function listOf<R>(call: KiwivoiceCall, rows: ReadonlyMap<string, R>, show: (row: R) => unknown): Reply {
	const size = Number(call.query.get("limit") ?? maxPageSize);
	if (!Number.isInteger(size) || size < 1 || size > maxPageSize) {
		throw new Refusal("malformed", `limit must be 1 to ${maxPageSize}`);
	}
	const records = new Map([...rows].map(([ref, row]) => [ref, show(row)]));
	return { status: 200, body: pageOf(records, call.query.get("after"), size) };
}

function buy(call: KiwivoiceCall): Reply {
	const purchase = call.body<Purchase>(purchaseSchema);
	const { e164, area, isRegulated } = call.allocate(purchase);
	const serial = call.nextSerial("number");
	const ref = refOf("DID", firstNumber - 1 + serial);
	call.rows.number.set(ref, {
		ref,
		e164,
		country: purchase.country,
		type: purchase.type,
		area_code: area,
		status: isRegulated ? "pending" : "in-service",
		ceased_reason: null,
		tags: {},
		note: "",
		voice: { destination: { type: "none", value: null } },
		created_at: timeOf(call.time),
	});
	call.log("purchase", "number", ref, e164);
	return { status: 201, body: { kyc_required: isRegulated, order: refOf("ORD", serial) } };
}

/** Returns the number in the path, and refuses a ceased one. */
function usableNumber(call: KiwivoiceCall): NumberRow {
	const row = rowOf(call.rows.number, call.id);
	if (row.status === "ceased") throw new Refusal("conflict", `${row.ref} has ceased`);
	return row;
}

function assertDestination(call: KiwivoiceCall, type: Destination["type"], value: string | null): void {
	const isValid = {
		number: value !== null && /^\+\d{6,15}$/.test(value),
		trunk: value !== null && call.rows.trunk.has(value),
		uri: value !== null && /^sips?:\S+@\S+$/.test(value),
		none: value === null,
	}[type];
	if (!isValid) throw new Refusal("malformed", `value ${value} doesn't fit type ${type}`);
}

function changeNumber(call: KiwivoiceCall): Reply {
	const row = usableNumber(call);
	const change = call.body<{
		tags?: Tags;
		note?: string;
		voice?: { destination: { type: Destination["type"]; value?: string | null } };
	}>(numberChangeSchema);
	if (change.voice !== undefined) {
		const { type, value = null } = change.voice.destination;
		assertDestination(call, type, value);
		row.voice = { destination: { type, value } };
	}
	row.tags = change.tags ?? row.tags;
	row.note = [...(change.note ?? row.note)].slice(0, maxNote).join("");
	call.log("change", "number", row.ref, row.e164);
	return result(row);
}

function cease(call: KiwivoiceCall): Reply {
	const row = usableNumber(call);
	call.body(object({}));
	row.status = "ceased";
	call.log("release", "number", row.ref, row.e164);
	return { status: 200, body: row };
}

function createTrunk(call: KiwivoiceCall): Reply {
	const body = call.body<Partial<TrunkBody> & { name: string }>(object(trunkFields, ["name"]));
	const ref = refOf("TRK", call.nextSerial("trunk"));
	const domain = `${ref.toLowerCase()}.${call.account}.kiwivoice.example`;
	const defaults = { max_calls: 10, acl: [], digest: null, tags: {} };
	const row: TrunkRow = { ref, ...defaults, ...body, domain, created_at: timeOf(call.time) };
	call.rows.trunk.set(ref, row);
	call.log("create", "trunk", ref);
	return result(showTrunk(row), 201);
}

function createHook(call: KiwivoiceCall): Reply {
	const required = ["endpoint", "types"];
	const body = call.body<Pick<HookRow, "endpoint" | "types"> & { paused?: boolean }>(object(hookFields, required));
	const ref = refOf("HOK", call.nextSerial("webhook"));
	const row: HookRow = { ref, paused: false, ...body, signing_key: call.secret(), created_at: timeOf(call.time) };
	call.rows.webhook.set(ref, row);
	call.log("create", "webhook", ref);
	return result(row, 201);
}

function changeTrunk(call: KiwivoiceCall): Reply {
	const row = rowOf(call.rows.trunk, call.id);
	Object.assign(row, call.body(object(trunkFields, [])));
	call.log("change", "trunk", row.ref);
	return result(showTrunk(row));
}

function changeHook(call: KiwivoiceCall): Reply {
	const row = rowOf(call.rows.webhook, call.id);
	Object.assign(row, call.body(object(hookFields, [])));
	call.log("change", "webhook", row.ref);
	return result(showHook(row));
}

function remove(kind: "trunk" | "webhook") {
	return (call: KiwivoiceCall): Reply => {
		const { ref } = rowOf<TrunkRow | HookRow>(call.rows[kind], call.id);
		call.rows[kind].delete(ref);
		call.log("remove", kind, ref);
		return { status: 204 };
	};
}

/** Returns the wrapper that repeats the response to a POST with the same X-Request-Id for an hour. */
function replays(): NonNullable<typeof kiwivoice.carryOut> {
	const earlier = new Map<string, { readonly at: number; readonly reply: Reply }>();
	return (call, handle) => {
		const requestId = call.headers["x-request-id"];
		if (call.method !== "POST" || requestId === undefined) return handle();
		const key = [call.account, call.path, requestId].join(" ");
		const found = earlier.get(key);
		if (found !== undefined && call.time < found.at + hour) return found.reply;
		const reply = handle();
		earlier.set(key, { at: call.time, reply: structuredClone(reply) });
		return reply;
	};
}

const kiwivoice: Make<NumberRow, TrunkRow, HookRow> = {
	name: "kiwivoice",
	markets: { US: false, GB: false, NZ: false, AU: true, DE: true },
	errors: {
		malformed: [400, "BadRequest"],
		unauthorized: [403, "Forbidden"],
		notFound: [404, "NotFound"],
		conflict: [409, "Conflict"],
		busy: [429, "TooManyRequests"],
		internal: [500, "InternalError"],
	},
	keyMessage: "API key missing or invalid",
	limit: { perSecond: 10 },
	routes: {
		"GET /numbers?limit&after": (call) => listOf(call, call.rows.number, (row) => row),
		"POST /numbers": buy,
		"GET /numbers/:id": (call) => result(rowOf(call.rows.number, call.id)),
		"PATCH /numbers/:id": changeNumber,
		"POST /numbers/:id/cease": cease,
		"GET /trunks?limit&after": (call) => listOf(call, call.rows.trunk, showTrunk),
		"POST /trunks": createTrunk,
		"GET /trunks/:id": (call) => result(showTrunk(rowOf(call.rows.trunk, call.id))),
		"PATCH /trunks/:id": changeTrunk,
		"DELETE /trunks/:id": remove("trunk"),
		"GET /hooks?limit&after": (call) => listOf(call, call.rows.webhook, showHook),
		"POST /hooks": createHook,
		"GET /hooks/:id": (call) => result(showHook(rowOf(call.rows.webhook, call.id))),
		"PATCH /hooks/:id": changeHook,
		"DELETE /hooks/:id": remove("webhook"),
	},
	isPending: ({ status }) => status === "pending",
	approve: (row) => {
		row.status = "in-service";
	},
};

/** Each carrier gets its own memory of request ids. */
export const startKiwivoice = (options?: CarrierOptions): Promise<Carrier> =>
	startCarrier({ ...kiwivoice, carryOut: replays() }, options);
