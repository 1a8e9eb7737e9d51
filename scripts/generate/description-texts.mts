/** The meaning, the default and an example of each key of a service description, by its path. */
import type { writings } from "../../provider/api/description/values.ts";

export interface KeyText {
	/** A sentence whose subject is the service, the provider, or the key's value. */
	readonly meaning: string;
	readonly otherwise?: string;
	/** YAML below the keys of the section. */
	readonly example?: string;
}

export interface Section {
	readonly heading: string;
	/** The start of the paths, which the table leaves out. */
	readonly prefix: string;
	/** The keys above an example of this section. */
	readonly within: readonly string[];
	readonly intro?: string;
	readonly keys: Readonly<Record<string, KeyText>>;
}

const operations: Section = {
	heading: "Operations",
	prefix: "operations.NAME",
	within: ["operations"],
	intro:
		"Keys of `operations.NAME`. The service's public description fixes `GET /numbers` and `POST /numbers`, so you can only add a query to them.",
	keys: {
		"operations.NAME": {
			meaning:
				"The method and path, and a query that the provider adds each time. `false`: the service doesn't offer it.",
			otherwise: "the contract's [request](#names)",
			example: "releaseNumber: POST /numbers/{id}/cancel",
		},
		"operations.NAME.whole": {
			meaning: "A change sends the whole record as last read, with the changes. A place: it sends that object whole.",
			otherwise: "`false`",
			example: "patchTrunk: { request: PUT /trunks/{id}, whole: true }",
		},
		"operations.NAME.omit": {
			meaning: "The service's fields that a whole record leaves out.",
			example: "patchTrunk: { whole: true, omit: [created_at] }",
		},
		"operations.NAME.in": {
			meaning: "The record's place in the request.",
			otherwise: "`envelopes`",
			example: "createTrunk: { in: connection }",
		},
		"operations.NAME.answer": {
			meaning:
				"The place of the record, or of a list's items, in the response; digits count in a list. `false`: the response has no record, so the provider reads it.",
			otherwise: "`envelopes`, `lists`",
			example: "buyNumber: { answer: order.lines.0 }",
		},
	},
};

const places: Section = {
	heading: "Fields of a record",
	prefix: "records.RECORD.FIELD",
	within: ["records", "number"],
	intro:
		"Keys of `records.RECORD.FIELD`. Two fields can share a place only if `routing.type` or `auth.mode` decides which of them has the value.",
	keys: {
		"records.RECORD.FIELD": {
			meaning: "The field's place. `false`: the service doesn't have it, so a preview refuses it.",
			otherwise: "our name",
			example: "label: friendly_name",
		},
		"records.RECORD.FIELD.at": {
			meaning: "The place, beside other keys.",
			otherwise: "our name",
			example: "number: { at: did, as: digits }",
		},
		"records.RECORD.FIELD.sent": {
			meaning: "The place in requests, if responses use another one.",
			otherwise: "`at`",
			example: "label: { at: name.text, sent: name }",
		},
		"records.RECORD.FIELD.words": {
			meaning:
				"Our values with the service's. The provider sends the first of several, and reads all, ignoring case.",
			otherwise: "the same values",
			example: "status: { words: { pending: [waiting, verifying] } }",
		},
		"records.RECORD.FIELD.as": {
			meaning: "The [form](#forms) in which the service writes the value.",
			otherwise: "the contract's",
			example: "created_at: { as: milliseconds }",
		},
		"records.RECORD.FIELD.each": {
			meaning: "The field of a list's objects that has the value. `net/mask`: the two fields of a CIDR.",
			example: "capabilities: { each: name }",
		},
		"records.RECORD.FIELD.most": {
			meaning:
				"The most characters that the service keeps; a preview refuses a longer text. If it keeps fewer than 64 of a reference, write `reference: false`.",
			otherwise: "the contract's limit",
			example: "label: { most: 40 }",
		},
		"records.RECORD.FIELD.is": {
			meaning: "The currency of an amount, if the service doesn't show it.",
			example: "price.monthly.currency: { is: EUR }",
		},
		"records.RECORD.FIELD.empty": {
			meaning: "The value that stands for null, at the field's place or, for an object without one, in the record.",
			otherwise: "null",
			example: "routing: { empty: { action: none } }",
		},
	},
};

const ownOperations: Section = {
	heading: "A property's own requests",
	prefix: "records.RECORD.FIELD",
	within: ["records", "number"],
	intro:
		"Further keys of `records.RECORD.FIELD`, for a service that writes or shows a property by requests of its own. Places inside the property are then inside these requests.",
	keys: {
		"records.RECORD.FIELD.write": {
			meaning: "The request that writes the property.",
			example: "routing: { write: PUT /numbers/{id}/voice }",
		},
		"records.RECORD.FIELD.write.in": {
			meaning: "The value's place in the request.",
			otherwise: "the whole body",
			example: "label: { write: { request: PUT /numbers/{id}/name, in: name } }",
		},
		"records.RECORD.FIELD.write.whole": {
			meaning: "The provider sends all that `read` shows, with the changes.",
			otherwise: "`false`",
			example: "routing: { read: GET /numbers/{id}/voice, write: { request: PUT /numbers/{id}/voice, whole: true } }",
		},
		"records.RECORD.FIELD.write.omit": {
			meaning:
				"The service's fields that the provider leaves out, such as an object with those of the earlier routing type.",
			example:
				"routing: { read: GET /numbers/{id}/voice, write: { request: PUT /numbers/{id}/voice, whole: true, omit: [deliver] } }",
		},
		"records.RECORD.FIELD.read": {
			meaning: "The request that shows the property.",
			otherwise: "the record shows it",
			example: "routing: { read: GET /numbers/{id}/voice }",
		},
		"records.RECORD.FIELD.read.answer": {
			meaning: "The value's place in the response.",
			otherwise: "the whole body",
			example: "routing: { read: { request: GET /numbers/{id}/voice, answer: voice } }",
		},
		"records.RECORD.FIELD.clear": {
			meaning: "The request that clears the property.",
			otherwise: "a write of `empty`",
			example: "routing: { write: PUT /numbers/{id}/voice, clear: DELETE /numbers/{id}/voice }",
		},
	},
};

const lists: Section = {
	heading: "Lists",
	prefix: "lists",
	within: ["lists"],
	keys: {
		"lists.items": { meaning: "The items' place.", otherwise: "`data`", example: "items: results" },
		"lists.next": {
			meaning: "The place of the next page's cursor, address or number.",
			otherwise: "`next_cursor`",
			example: "next: paging.next",
		},
		"lists.cursor": {
			meaning: "The parameter that has the cursor, also in an address.",
			otherwise: "`cursor`",
			example: "cursor: page_token",
		},
		"lists.limit": {
			meaning: "The parameter for a page's size. `false`: the service has none.",
			otherwise: "`limit`",
			example: "limit: page_size",
		},
		"lists.paged": {
			meaning: "`false`: each list comes whole.",
			otherwise: "`true`",
			example: "paged: false",
		},
	},
};

const errors: Section = {
	heading: "Errors",
	prefix: "errors",
	within: ["errors"],
	keys: {
		"errors.code": { meaning: "The place of an error's code.", otherwise: "`error`", example: "code: fault.code" },
		"errors.message": { meaning: "The place of its message.", otherwise: "`message`", example: "message: fault.text" },
		"errors.requestId": {
			meaning: "The place of its request id.",
			otherwise: "`request_id`",
			example: "requestId: trace",
		},
		"errors.codes": {
			meaning: "The service's codes for ours: see [error codes](#error-codes).",
			otherwise: "the same codes",
			example: "codes: { not_found: [no_such_number] }",
		},
	},
};

const others: Section = {
	heading: "Other keys",
	prefix: "",
	within: [],
	keys: {
		"envelopes.RECORD.answer": {
			meaning: "The record's place in the responses of all its operations.",
			otherwise: "the whole body",
			example: "envelopes: { number: { answer: data } }",
		},
		"envelopes.RECORD.request": {
			meaning: "The record's place in all requests.",
			otherwise: "the whole body",
			example: "envelopes: { number: { request: number } }",
		},
		"send.NAME": {
			meaning: "Fields that this operation sends each time.",
			example: "send: { createTrunk: { region: eu } }",
		},
		"headers.idempotencyKey": {
			meaning: "The header of an idempotency key.",
			otherwise: "`idempotency-key`",
			example: "headers: { idempotencyKey: X-Key }",
		},
		"headers.replayed": {
			meaning: "The header that marks a repeated response.",
			otherwise: "`idempotent-replayed`",
			example: "headers: { replayed: X-Replayed }",
		},
		zone: {
			meaning: "The zone of times that the service writes without a zone.",
			otherwise: "UTC",
			example: "zone: Europe/Berlin",
		},
		features: {
			meaning: "The [features](../guides/your-service.md#declare-what-it-offers) that the service offers.",
			example: "features: idempotencyKey -statusFilter",
		},
	},
};

export const sections: readonly Section[] = [operations, places, ownOperations, lists, errors, others];

/** The forms of `as`: the field's type, and a value as the service writes it. */
export const forms: Readonly<Record<(typeof writings)[number], readonly [field: string, value: string]>> = {
	string: ["a number, or true or false", '"30"'],
	number: ["a text, such as an id of digits", "4711"],
	seconds: ["a time, since 1970", "1792044000"],
	milliseconds: ["a time, since 1970", "1792044000000"],
	cents: ["an amount, in its currency's minor units by ISO 4217", "199"],
	csv: ["a list of texts", '"voice,sms"'],
	digits: ["a phone number", "31201234567"],
	international: ["a phone number", "0031201234567"],
	national: ["a phone number of the record's country", "201234567"],
};
