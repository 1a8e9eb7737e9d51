/** Service descriptions: each renames some parts of the contract, and the last one all of them. */
import type { Description } from "../../provider/api/description/description";

const words: Description = {
	records: {
		number: {
			id: "number_id",
			number: "msisdn",
			status: {
				at: "state",
				values: { pending: ["awaiting_documents", "verifying"], active: "in_service", released: "gone" },
			},
			label: "friendly_name",
			created_at: { at: "createdMs", as: "milliseconds" },
			released_at: { at: "ended", as: "seconds" },
			capabilities: { as: "csv" },
			price: "cost",
			"price.monthly.amount": { at: "cost.monthly_cents", as: "cents" },
			"price.monthly.currency": "cost.currency",
		},
	},
};

const verbs: Description = {
	operations: {
		patchNumber: "PUT /numbers/{id}",
		releaseNumber: "POST /numbers/{id}/release",
		listTrunks: "GET /sip-trunks?kind=voice",
		createTrunk: "POST /sip-trunks",
		getTrunk: "GET /sip-trunks/{id}",
		patchTrunk: { request: "PUT /sip-trunks/{id}", whole: true },
		deleteTrunk: "DELETE /sip-trunks/{id}",
		restoreNumber: false,
	},
	records: {
		trunk: {
			capacity: { at: "channels", as: "string" },
			"auth.allowed_cidrs": { at: "acl", each: "cidr" },
			enabled: "on",
		},
	},
	send: { createTrunk: { region: "eu" } },
};

const nested: Description = {
	records: {
		number: {
			"routing.type": { at: "destination.kind", values: { trunk: "sip_trunk", sip_uri: "sip" } },
			"routing.trunk_id": "destination.trunk",
			"routing.uri": "destination.address",
			reference: "tags.pulumi",
			metadata: false,
		},
		trunk: {
			reference: "tags.pulumi",
			"auth.mode": { at: "security.kind", values: { ip_acl: "acl", digest: "password" } },
		},
		webhook: { events: { at: "topics", as: "csv" }, reference: "note" },
	},
};

const flat: Description = {
	records: {
		number: {
			"routing.type": "route_type",
			"routing.trunk_id": "route_trunk",
			"routing.uri": "route_uri",
			"routing.to": "route_to",
			"routing.url": "route_url",
			"routing.agent_id": "route_agent",
			"routing.ring_timeout_seconds": "route_ring_seconds",
			"routing.failover": "route_failover",
		},
		webhook: { url: "target", enabled: { at: "active", as: "string" } },
	},
};

const envelopes: Description = {
	envelopes: {
		number: { response: "data", request: "number" },
		trunk: { response: "sip_trunk", request: "sip_trunk" },
		webhook: { response: "result.webhook" },
	},
};

const manners: Description = {
	lists: { items: "results", next: "paging.next", cursor: "page_token", limit: false },
	errors: {
		code: "code",
		message: "detail.text",
		requestId: "trace",
		codes: {
			not_found: ["no_such_object", "no_such_number"],
			trunk_in_use: "busy",
			validation_failed: "E400",
			unauthorized: "who_are_you",
		},
	},
	headers: { idempotencyKey: "X-Idempotency-Key", replayed: "X-Replayed" },
	features: "idempotencyKey reference",
};

const records = (...all: Description[]): NonNullable<Description["records"]> => {
	const merged: Record<string, NonNullable<Description["records"]>[string]> = {};
	for (const description of all)
		for (const [name, fields] of Object.entries(description.records ?? {}))
			merged[name] = { ...merged[name], ...fields };
	return merged;
};

const everything: Description = {
	...verbs,
	...envelopes,
	...manners,
	records: records(words, verbs, nested, { records: { webhook: { url: "target" } } }),
};

export const dialects: Readonly<Record<string, Description>> = {
	words,
	verbs,
	nested,
	flat,
	envelopes,
	manners,
	everything,
};

const route = {
	"routing.type": { at: "action", values: { trunk: "sip", forward: "redirect", sip_uri: "uri" } },
	"routing.trunk_id": "target",
	"routing.to": "target",
	"routing.uri": "target",
	"routing.url": "target",
	"routing.agent_id": "target",
} as const;

/** Properties with operations of their own, and fields that share a place. */
export const separate: Readonly<Record<string, Description>> = {
	read: {
		records: {
			number: {
				routing: {
					write: { request: "PUT /numbers/{id}/voice", in: "voice" },
					read: { request: "GET /numbers/{id}/voice", response: "result" },
					empty: { action: "none", target: null },
				},
				...route,
				label: {
					write: "PUT /numbers/{id}/label",
					at: "text",
					read: "GET /numbers/{id}/label",
					clear: "DELETE /numbers/{id}/label",
				},
			},
			webhook: { enabled: { write: "POST /webhooks/{id}/state", at: "on", read: "GET /webhooks/{id}/state" } },
		},
		operations: { patchNumber: { response: false } },
	},
	shown: {
		records: {
			number: {
				routing: { write: "PUT /numbers/{id}/voice", at: "voice", empty: { action: "none" } },
				...route,
				sms_webhook_url: { at: "sms", sent: "sms_url", empty: "" },
			},
			trunk: {
				capacity: { at: "limits.channels", sent: "channels", as: "string" },
				codecs: { write: { request: "PUT /trunks/{id}/media", in: "codecs" } },
				"auth.mode": false,
				"auth.allowed_cidrs": { at: "ip_list", empty: [] },
				"auth.username": { at: "credentials.user", sent: "user" },
				"auth.password": "credentials.password",
				"auth.password_set": "credentials.is_set",
				"auth.password_updated_at": "credentials.updated",
			},
		},
		operations: {
			listTrunks: { request: "GET /connections", response: "connections" },
			createTrunk: { request: "POST /connections", in: "connection", response: "connection" },
			getTrunk: { request: "GET /connections/{id}", response: "connection" },
			patchTrunk: {
				request: "PUT /connections/{id}",
				whole: true,
				omit: ["created_at", "limits"],
				in: "connection",
				response: false,
			},
		},
	},
	inside: {
		records: {
			number: {
				routing: { empty: { "voice.action": "none" } },
				"routing.type": { at: "voice.action", values: { trunk: "sip" } },
				"routing.trunk_id": "voice.target",
				"routing.to": "voice.target",
				"routing.uri": "voice.target",
				reference: "tags.pulumi",
			},
		},
		operations: { patchNumber: { request: "PUT /numbers/{id}", whole: true, response: false } },
	},
};
