/** Nordtel: integer ids, PUT of whole objects, a separate path for voice routing, and an OpenAPI document. */
import type { Carrier, CarrierOptions } from "./carrier.mts";
import { type Call, type Make, type Purchase, pageOf, purchaseSchema, Refusal, type Reply, rowOf } from "./make.mts";
import { openApi } from "./nordtel-openapi.mts";
import {
	type CallbackBody,
	callbackSchema,
	numberChangeSchema,
	type TrunkBody,
	trunkCreation,
	trunkSchema,
	type Voice,
	voiceSchema,
} from "./nordtel-schemas.mts";
import { startCarrier } from "./server.mts";

type NumberRow = {
	readonly id: number;
	readonly did: string;
	readonly country: string;
	readonly type: string;
	readonly area: string | null;
	state: "pending" | "in_review" | "live" | "terminated";
	state_reason: string | null;
	readonly kyc_required: boolean;
	label_text: string | null;
	customer_ref: string | null;
	readonly created: string;
	voice: Voice;
	/** Times at which the state changes, in milliseconds. */
	live_at?: number;
	terminated_at?: number;
};

type TrunkRow = Omit<TrunkBody, "sip_login"> & {
	readonly id: number;
	readonly host: string;
	readonly sip_login: { readonly user: string; readonly password: string } | null;
	readonly created: string;
};

type CallbackRow = CallbackBody & { readonly id: number };

type NordtelCall = Call<NumberRow, TrunkRow, CallbackRow>;

const second = 1000;
const reviewTime = 2 * second;
const noticeTime = 5 * second;
const readableTime = 60 * second;
const pageSize = 25;
const firstId = 1001;

const nextId = (call: NordtelCall, kind: "number" | "trunk" | "webhook") => firstId - 1 + call.nextSerial(kind);
const timeOf = (time: number) => new Date(time).toISOString().slice(0, 19).replace("T", " ");

function showNumber({ voice: _, live_at: __, terminated_at: ___, ...record }: NumberRow) {
	return record;
}

function showTrunk({ sip_login, ...record }: TrunkRow) {
	return { ...record, sip_login: sip_login && { user: sip_login.user } };
}

function listOf<R>(call: NordtelCall, rows: ReadonlyMap<string, R>, show: (row: R) => unknown): Reply {
	const records = new Map([...rows].map(([id, row]) => [id, show(row)]));
	return { status: 200, body: pageOf(records, call.query.get("page_token"), pageSize) };
}

function listNumbers(call: NordtelCall): Reply {
	const isListed = ({ terminated_at = Infinity }: NumberRow) => call.time < terminated_at + readableTime;
	return listOf(call, new Map([...call.rows.number].filter(([, row]) => isListed(row))), showNumber);
}

function buy(call: NordtelCall): Reply {
	const purchase = call.body<Purchase>(purchaseSchema);
	const { e164, area, isRegulated } = call.allocate(purchase);
	const row: NumberRow = {
		id: nextId(call, "number"),
		did: e164.slice(1),
		country: purchase.country,
		type: purchase.type,
		area,
		state: isRegulated ? "pending" : "live",
		state_reason: null,
		kyc_required: isRegulated,
		label_text: null,
		customer_ref: null,
		created: timeOf(call.time),
		voice: { mode: "off", target: null, ring_seconds: 30 },
	};
	call.rows.number.set(String(row.id), row);
	call.log("purchase", "number", String(row.id), e164);
	return { status: 201, body: showNumber(row) };
}

/** Returns the number in the path, and refuses a terminated one. */
function usableNumber(call: NordtelCall): NumberRow {
	const row = rowOf(call.rows.number, call.id);
	if (row.state === "terminated") throw new Refusal("conflict", `number ${row.id} is terminated`);
	return row;
}

function changeNumber(call: NordtelCall): Reply {
	const row = usableNumber(call);
	Object.assign(row, call.body(numberChangeSchema));
	call.log("change", "number", call.id, `+${row.did}`);
	return { status: 204 };
}

function assertTarget(call: NordtelCall, { mode, target }: Voice): void {
	const isValid = {
		off: target === null,
		trunk: typeof target === "number" && call.rows.trunk.has(String(target)),
		forward: typeof target === "string" && /^\+?\d{6,15}$/.test(target),
		sip: typeof target === "string" && /^sips?:\S+@\S+$/.test(target),
	}[mode];
	if (!isValid) throw new Refusal("malformed", `target ${target} doesn't fit mode ${mode}`);
}

function changeVoice(call: NordtelCall): Reply {
	const row = usableNumber(call);
	const voice = call.body<Voice>(voiceSchema);
	assertTarget(call, voice);
	const target = voice.mode === "forward" ? String(voice.target).replace("+", "") : voice.target;
	row.voice = { ...voice, target };
	call.log("change", "number", call.id, `+${row.did}`);
	return { status: 200, body: row.voice };
}

function cancel(call: NordtelCall): Reply {
	const row = usableNumber(call);
	if (row.terminated_at === undefined) {
		row.terminated_at = call.time + noticeTime;
		call.log("release", "number", call.id, `+${row.did}`);
	}
	return { status: 202, body: { ok: true } };
}

/** Plain addresses are stored as networks, and a login without a password keeps the stored one. */
function storedTrunk({ sip_login: login, ip_list, ...body }: TrunkBody, stored: TrunkRow["sip_login"]) {
	const password = login?.password ?? stored?.password;
	if (login !== null && password === undefined) throw new Refusal("malformed", "sip_login.password is missing");
	return {
		...body,
		ip_list: ip_list.map((entry) => (entry.includes("/") ? entry : `${entry}/32`)),
		sip_login: login === null || password === undefined ? null : { user: login.user, password },
	};
}

function createTrunk(call: NordtelCall): Reply {
	const defaults = { channels: 10, ip_list: [], sip_login: null, customer_ref: null };
	const body = storedTrunk({ ...defaults, ...call.body<Partial<TrunkBody> & { title: string }>(trunkCreation) }, null);
	const id = nextId(call, "trunk");
	const host = `t${id}.${call.account}.sip.nordtel.example`;
	const row: TrunkRow = { id, ...body, host, created: timeOf(call.time) };
	call.rows.trunk.set(String(id), row);
	call.log("create", "trunk", String(id));
	return { status: 201, body: { sip_trunk: showTrunk(row) } };
}

function changeTrunk(call: NordtelCall): Reply {
	const row = rowOf(call.rows.trunk, call.id);
	const changed = { ...row, ...storedTrunk(call.body<TrunkBody>(trunkSchema), row.sip_login) };
	call.rows.trunk.set(call.id, changed);
	call.log("change", "trunk", call.id);
	return { status: 200, body: showTrunk(changed) };
}

function deleteTrunk(call: NordtelCall): Reply {
	const { id } = rowOf(call.rows.trunk, call.id);
	const isTarget = ({ state, voice }: NumberRow) =>
		state !== "terminated" && voice.mode === "trunk" && voice.target === id;
	if ([...call.rows.number.values()].some(isTarget)) throw new Refusal("conflict", `a number routes to trunk ${id}`);
	call.rows.trunk.delete(call.id);
	call.log("remove", "trunk", call.id);
	return { status: 204 };
}

function createCallback(call: NordtelCall): Reply {
	const body = call.body<CallbackBody>(callbackSchema);
	const row = { id: nextId(call, "webhook"), ...body };
	call.rows.webhook.set(String(row.id), row);
	call.log("create", "webhook", String(row.id));
	return { status: 201, body: row };
}

function changeCallback(call: NordtelCall): Reply {
	const { id } = rowOf(call.rows.webhook, call.id);
	const changed = { id, ...call.body<CallbackBody>(callbackSchema) };
	call.rows.webhook.set(call.id, changed);
	call.log("change", "webhook", call.id);
	return { status: 200, body: changed };
}

function deleteCallback(call: NordtelCall): Reply {
	rowOf(call.rows.webhook, call.id);
	call.rows.webhook.delete(call.id);
	call.log("remove", "webhook", call.id);
	return { status: 204 };
}

const nordtel: Make<NumberRow, TrunkRow, CallbackRow> = {
	name: "nordtel",
	markets: { US: false, GB: false, SE: false, DE: true, FR: true },
	errors: {
		malformed: [400, "invalid_request"],
		unauthorized: [401, "invalid_api_key"],
		notFound: [404, "unknown_object"],
		conflict: [409, "wrong_state"],
		busy: [429, "rate_exceeded"],
		internal: [500, "server_error"],
	},
	keyMessage: "The API key is missing or invalid.",
	limit: { perSecond: 5, retryAfterSeconds: 1 },
	publicPaths: { "GET /v1/openapi.json": openApi },
	routes: {
		"GET /numbers?page_token": listNumbers,
		"POST /numbers": buy,
		"GET /numbers/:id": (call) => ({ status: 200, body: showNumber(rowOf(call.rows.number, call.id)) }),
		"PATCH /numbers/:id": changeNumber,
		"GET /numbers/:id/voice": (call) => ({ status: 200, body: rowOf(call.rows.number, call.id).voice }),
		"PUT /numbers/:id/voice": changeVoice,
		"POST /numbers/:id/cancel": cancel,
		"GET /sip_trunks?page_token": (call) => listOf(call, call.rows.trunk, showTrunk),
		"POST /sip_trunks": createTrunk,
		"GET /sip_trunks/:id": (call) => ({ status: 200, body: showTrunk(rowOf(call.rows.trunk, call.id)) }),
		"PUT /sip_trunks/:id": changeTrunk,
		"DELETE /sip_trunks/:id": deleteTrunk,
		"GET /callbacks?page_token": (call) => listOf(call, call.rows.webhook, (row) => row),
		"POST /callbacks": createCallback,
		"GET /callbacks/:id": (call) => ({ status: 200, body: rowOf(call.rows.webhook, call.id) }),
		"PUT /callbacks/:id": changeCallback,
		"DELETE /callbacks/:id": deleteCallback,
	},
	settle: (rows, time) => {
		for (const row of rows.number.values()) {
			if (row.state === "in_review" && row.live_at !== undefined && row.live_at <= time) row.state = "live";
			if (row.terminated_at !== undefined && row.terminated_at <= time) row.state = "terminated";
		}
	},
	isPending: ({ state }) => state === "pending",
	approve: (row, time) => {
		row.state = "in_review";
		row.live_at = time + reviewTime;
	},
};

export const startNordtel = (options?: CarrierOptions): Promise<Carrier> => startCarrier(nordtel, options);
