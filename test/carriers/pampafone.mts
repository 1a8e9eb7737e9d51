/** Pampafone: Spanish names, nested records, no references, no idempotency keys, and no cursor outside numbers. */
import type { Carrier, CarrierOptions, Kind } from "./carrier.mts";
import { type Call, type Make, type Purchase, pageOf, purchaseSchema, Refusal, type Reply, rowOf } from "./make.mts";
import { object, type Schema, text } from "./schema.mts";
import { startCarrier } from "./server.mts";

interface Settings {
	readonly nombre: string;
	readonly desvio: { readonly kind: "ninguno" | "numero" | "troncal" | "sip"; readonly value: string };
}

interface Credentials {
	readonly usuario: string;
	readonly clave: string;
}

type NumberRow = {
	readonly id: number;
	line: { numero: string; status: "pending" | "activo" };
	market: { readonly country: string; readonly type: string; readonly area: string | null };
	settings: Settings;
};

type TrunkRow = {
	readonly id: number;
	nombre: string;
	capacidad: string;
	ips_permitidas: readonly string[];
	credenciales: Credentials;
	readonly servidor: string;
	readonly creado: number;
};

type WebhookRow = { readonly id: number; url: string; eventos: string; estado: "on" | "off"; readonly creado: number };

type PampafoneCall = Call<NumberRow, TrunkRow, WebhookRow>;

const pageSize = 10;

const settingsSchema = object({
	nombre: text(64),
	desvio: object({ kind: { type: "string", enum: ["ninguno", "numero", "troncal", "sip"] }, value: text(200) }),
});

const trunkFields: Readonly<Record<string, Schema>> = {
	nombre: text(64),
	capacidad: { type: "string", pattern: "^[1-9]\\d{0,3}$" },
	ips_permitidas: { type: "array", items: { type: "string", pattern: "^[0-9.]+(/\\d{1,2})?$" } },
	credenciales: object({ usuario: text(32), clave: text(64) }),
};

const webhookSchema = object(
	{
		url: { type: "string", pattern: "^https?://\\S+$" },
		eventos: text(500),
		estado: { type: "string", enum: ["on", "off"] },
	},
	["url", "eventos"],
);

const events = ["linea.activa", "linea.rechazada", "linea.baja", "sms.recibido", "sms.estado", "llamada.fin", "todos"];

const e164Of = ({ line }: NumberRow) => `+${line.numero.replace(/\D/g, "")}`;

function showTrunk({ credenciales: { usuario }, ...record }: TrunkRow) {
	return { ...record, credenciales: { usuario } };
}

function buy(call: PampafoneCall): Reply {
	const purchase = call.body<Purchase>(purchaseSchema);
	const { calling, prefix, subscriber, area, isRegulated, e164 } = call.allocate(purchase);
	const numero = `+${calling} ${prefix} ${subscriber.slice(0, -4)}-${subscriber.slice(-4)}`;
	const row: NumberRow = {
		id: call.nextSerial("number"),
		line: { numero, status: isRegulated ? "pending" : "activo" },
		market: { country: purchase.country, type: purchase.type, area },
		settings: { nombre: "", desvio: { kind: "ninguno", value: "" } },
	};
	call.rows.number.set(String(row.id), row);
	call.log("purchase", "number", String(row.id), e164);
	return { status: 201, body: isRegulated ? { ...row, kyc_required: true } : row };
}

function assertForwarding(call: PampafoneCall, { kind, value }: Settings["desvio"]): void {
	const isValid = {
		ninguno: value === "",
		numero: /^\+?\d[\d -]{4,20}$/.test(value),
		troncal: call.rows.trunk.has(value),
		sip: /^sips?:\S+@\S+$/.test(value),
	}[kind];
	if (!isValid) throw new Refusal("malformed", `desvio.value no corresponde a ${kind}`);
}

function changeSettings(call: PampafoneCall): Reply {
	const row = rowOf(call.rows.number, call.id);
	const settings = call.body<Settings>(settingsSchema);
	assertForwarding(call, settings.desvio);
	row.settings = settings;
	call.log("change", "number", call.id, e164Of(row));
	return { status: 200, body: settings };
}

function release(call: PampafoneCall): Reply {
	const row = rowOf(call.rows.number, call.id);
	call.rows.number.delete(call.id);
	call.log("release", "number", call.id, e164Of(row));
	return { status: 200, body: { released: true } };
}

function createTrunk(call: PampafoneCall): Reply {
	const body = call.body<Partial<TrunkRow> & { nombre: string }>(object(trunkFields, ["nombre"]));
	const id = call.nextSerial("trunk");
	const row: TrunkRow = {
		id,
		capacidad: "10",
		ips_permitidas: [],
		credenciales: { usuario: `pampa${id}`, clave: call.secret() },
		servidor: `t${id}.${call.account}.pampafone.example`,
		creado: call.time,
		...body,
	};
	call.rows.trunk.set(String(id), row);
	call.log("create", "trunk", String(id));
	return { status: 201, body: { troncal: row } };
}

function changeTrunk(call: PampafoneCall): Reply {
	const row = rowOf(call.rows.trunk, call.id);
	Object.assign(row, call.body(object(trunkFields, [])));
	call.log("change", "trunk", call.id);
	return { status: 200, body: { troncal: showTrunk(row) } };
}

function createWebhook(call: PampafoneCall): Reply {
	const body = call.body<{ url: string; eventos: string; estado?: "on" | "off" }>(webhookSchema);
	const names = body.eventos.split(",").map((name) => name.trim());
	const unknown = names.find((name) => !events.includes(name));
	if (unknown !== undefined) throw new Refusal("malformed", `evento desconocido: ${unknown}`);
	const id = call.nextSerial("webhook");
	const row: WebhookRow = { id, estado: "on", ...body, eventos: names.join(","), creado: call.time };
	call.rows.webhook.set(String(id), row);
	call.log("create", "webhook", String(id));
	return { status: 201, body: { aviso: row } };
}

function remove(kind: Exclude<Kind, "number">) {
	return (call: PampafoneCall): Reply => {
		rowOf<object>(call.rows[kind], call.id);
		call.rows[kind].delete(call.id);
		call.log("remove", kind, call.id);
		return { status: 200, body: { borrado: true } };
	};
}

const pampafone: Make<NumberRow, TrunkRow, WebhookRow> = {
	name: "pampafone",
	markets: { US: false, GB: false, CL: false, AR: true, DE: true },
	errors: {
		malformed: [400, "solicitud_invalida"],
		unauthorized: [401, "no_autorizado"],
		notFound: [404, "no_existe"],
		conflict: [409, "conflicto"],
		busy: [429, "demasiadas_solicitudes"],
		internal: [500, "error_interno"],
	},
	keyMessage: "La clave de API falta o no es válida (API key missing or invalid).",
	routes: {
		"GET /numbers?cursor": (call) => ({
			status: 200,
			body: pageOf(call.rows.number, call.query.get("cursor"), pageSize),
		}),
		"POST /numbers": buy,
		"GET /numbers/:id": (call) => ({ status: 200, body: rowOf(call.rows.number, call.id) }),
		"DELETE /numbers/:id": release,
		"GET /numbers/:id/settings": (call) => ({ status: 200, body: rowOf(call.rows.number, call.id).settings }),
		"PUT /numbers/:id/settings": changeSettings,
		"GET /troncales": (call) => ({ status: 200, body: { troncales: [...call.rows.trunk.values()].map(showTrunk) } }),
		"POST /troncales": createTrunk,
		"GET /troncales/:id": (call) => ({ status: 200, body: { troncal: showTrunk(rowOf(call.rows.trunk, call.id)) } }),
		"PATCH /troncales/:id": changeTrunk,
		"DELETE /troncales/:id": remove("trunk"),
		"GET /avisos": (call) => ({ status: 200, body: { avisos: [...call.rows.webhook.values()] } }),
		"POST /avisos": createWebhook,
		"GET /avisos/:id": (call) => ({ status: 200, body: { aviso: rowOf(call.rows.webhook, call.id) } }),
		"DELETE /avisos/:id": remove("webhook"),
	},
	isPending: ({ line }) => line.status === "pending",
	approve: (row) => {
		row.line.status = "activo";
	},
};

export const startPampafone = (options?: CarrierOptions): Promise<Carrier> => startCarrier(pampafone, options);
