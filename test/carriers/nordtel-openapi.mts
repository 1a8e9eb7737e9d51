/** Nordtel's OpenAPI document. */
import { purchaseSchema } from "./make.mts";
import { callbackSchema, numberChangeSchema, trunkCreation, trunkSchema, voiceSchema } from "./nordtel-schemas.mts";
import { nullable, object, type Schema, text } from "./schema.mts";

const time: Schema = { type: "string", description: "Time in UTC, as in 2026-11-29 05:42:04" };
const id: Schema = { type: "integer" };

const numberRecord = object({
	id,
	did: { type: "string", description: "E.164 without the plus sign" },
	country: { type: "string" },
	type: { type: "string", enum: ["geographic", "mobile", "toll_free", "national"] },
	area: { type: ["string", "null"] },
	state: { type: "string", enum: ["pending", "in_review", "live", "terminated"] },
	state_reason: { type: ["string", "null"] },
	kyc_required: { type: "boolean" },
	...numberChangeSchema.properties,
	created: time,
});

const trunkRecord = object({
	id,
	...trunkSchema.properties,
	sip_login: nullable(object({ user: text(32) })),
	host: { type: "string" },
	created: time,
});

const callbackRecord = object({ id, ...callbackSchema.properties });

const errorObject = object({
	error: { type: "string" },
	message: { type: "string" },
	request_id: { type: "string" },
});

const schemas = {
	Number: numberRecord,
	NumberChange: numberChangeSchema,
	Purchase: purchaseSchema,
	Voice: voiceSchema,
	SipTrunk: trunkRecord,
	SipTrunkCreation: trunkCreation,
	SipTrunkChange: trunkSchema,
	Callback: callbackRecord,
	CallbackChange: callbackSchema,
	Error: errorObject,
};

const ref = (name: keyof typeof schemas) => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: object) => ({ "application/json": { schema } });
const requestBody = (name: keyof typeof schemas) => ({ required: true, content: content(ref(name)) });

interface Operation {
	readonly operationId: string;
	readonly summary: string;
	readonly success: { readonly [status: string]: object | undefined };
	readonly body?: keyof typeof schemas;
	readonly parameters?: readonly object[];
}

function operation({ operationId, summary, success, body, parameters }: Operation) {
	const responses = Object.entries(success).map(([status, schema]) => [
		status,
		schema === undefined ? { description: summary } : { description: summary, content: content(schema) },
	]);
	const errors = { description: "The error object", content: content(ref("Error")) };
	return {
		operationId,
		summary,
		...(parameters && { parameters }),
		...(body && { requestBody: requestBody(body) }),
		responses: { ...Object.fromEntries(responses), default: errors },
	};
}

const idParameter = { name: "id", in: "path", required: true, schema: id };
const pageToken = { name: "page_token", in: "query", required: false, schema: { type: "string" } };

function list(operationId: string, item: keyof typeof schemas) {
	const envelope = {
		type: "object",
		required: ["data", "next_cursor"],
		properties: { data: { type: "array", items: ref(item) }, next_cursor: { type: ["string", "null"] } },
	};
	const summary = "Lists 25 objects a page; page_token is the next_cursor of the page before";
	return operation({ operationId, summary, parameters: [pageToken], success: { 200: envelope } });
}

const read = (operationId: string, item: keyof typeof schemas) =>
	operation({ operationId, summary: "Reads one object", success: { 200: ref(item) } });

const replace = (operationId: string, body: keyof typeof schemas, item: keyof typeof schemas) =>
	operation({ operationId, summary: "Replaces the whole object", body, success: { 200: ref(item) } });

const remove = (operationId: string) =>
	operation({ operationId, summary: "Deletes one object", success: { 204: undefined } });

const numberPaths = {
	"/numbers": {
		get: list("listNumbers", "Number"),
		post: operation({
			operationId: "buyNumber",
			summary: "Buys a number",
			body: "Purchase",
			success: { 201: ref("Number") },
		}),
	},
	"/numbers/{id}": {
		parameters: [idParameter],
		get: read("readNumber", "Number"),
		patch: operation({
			operationId: "changeNumber",
			summary: "Changes label and reference",
			body: "NumberChange",
			success: { 204: undefined },
		}),
	},
	"/numbers/{id}/voice": {
		parameters: [idParameter],
		get: read("readVoice", "Voice"),
		put: replace("changeVoice", "Voice", "Voice"),
	},
	"/numbers/{id}/cancel": {
		parameters: [idParameter],
		post: operation({
			operationId: "cancelNumber",
			summary: "Releases a number with five seconds' notice",
			success: { 202: object({ ok: { type: "boolean" } }) },
		}),
	},
};

const otherPaths = {
	"/sip_trunks": {
		get: list("listTrunks", "SipTrunk"),
		post: operation({
			operationId: "createTrunk",
			summary: "Creates a SIP trunk",
			body: "SipTrunkCreation",
			success: { 201: { type: "object", required: ["sip_trunk"], properties: { sip_trunk: ref("SipTrunk") } } },
		}),
	},
	"/sip_trunks/{id}": {
		parameters: [idParameter],
		get: read("readTrunk", "SipTrunk"),
		put: replace("changeTrunk", "SipTrunkChange", "SipTrunk"),
		delete: remove("deleteTrunk"),
	},
	"/callbacks": {
		get: list("listCallbacks", "Callback"),
		post: operation({
			operationId: "createCallback",
			summary: "Creates a callback",
			body: "CallbackChange",
			success: { 201: ref("Callback") },
		}),
	},
	"/callbacks/{id}": {
		parameters: [idParameter],
		get: read("readCallback", "Callback"),
		put: replace("changeCallback", "CallbackChange", "Callback"),
		delete: remove("deleteCallback"),
	},
};

/** Returns the document for the base URL. */
export function openApi(url: string): object {
	return {
		openapi: "3.1.0",
		info: { title: "Nordtel", version: "4.2.0" },
		servers: [{ url }],
		security: [{ apiKey: [] }],
		paths: { ...numberPaths, ...otherPaths },
		components: { schemas, securitySchemes: { apiKey: { type: "http", scheme: "bearer" } } },
	};
}
