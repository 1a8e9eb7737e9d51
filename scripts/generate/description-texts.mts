/** The meaning, the default and an example of each key of a service description, by its path. */
import type { writings } from "../../provider/api/description/values.ts";

export interface KeyText {
	readonly meaning: string;
	readonly otherwise?: string;
	/** YAML below the keys of the section. */
	readonly example: string;
}

export interface Section {
	readonly heading: string;
	/** The start of the paths, which the table leaves out. */
	readonly prefix: string;
	/** The keys above an example of this section. */
	readonly within: readonly string[];
	readonly intro: string;
	readonly keys: Readonly<Record<string, KeyText>>;
}

const operations: Section = {
	heading: "Operations",
	prefix: "operations.NAME",
	within: ["operations"],
	intro:
		"Keys of `operations.NAME`, where NAME is an [operation](#names). You can only add a query to `GET /numbers` and `POST /numbers`.",
	keys: {
		"operations.NAME": {
			meaning: "The request, perhaps with a query. `false`: the service doesn't offer this operation.",
			example: "releaseNumber: POST /numbers/{id}/cancel",
		},
		"operations.NAME.whole": {
			meaning: "`true`: the provider sends the whole record as last read. A place: it sends the object there.",
			example: "patchTrunk: { request: PUT /trunks/{id}, whole: true }",
		},
		"operations.NAME.omit": {
			meaning: "The service's fields that `whole` leaves out.",
			example: "patchTrunk: { whole: true, omit: [created_at] }",
		},
		"operations.NAME.in": {
			meaning: "The record's place in the request.",
			example: "createTrunk: { in: connection }",
		},
		"operations.NAME.response": {
			meaning: "The place of the record or items in the response. `false`: the provider reads the record.",
			example: "buyNumber: { response: order.lines.0 }",
		},
	},
};

const places: Section = {
	heading: "Fields of a record",
	prefix: "records.RECORD.FIELD",
	within: ["records", "number"],
	intro: "Keys of `records.RECORD.FIELD`. The examples belong below `records.number`.",
	keys: {
		"records.RECORD.FIELD": {
			meaning: "The field's place. `false`: the service doesn't have this field, so a preview refuses its property.",
			otherwise: "the contract's name",
			example: "label: friendly_name",
		},
		"records.RECORD.FIELD.at": {
			meaning: "The place, beside other keys.",
			example: "number: { at: did, as: digits }",
		},
		"records.RECORD.FIELD.sent": {
			meaning: "The place in requests.",
			example: "label: { at: name.text, sent: name }",
		},
		"records.RECORD.FIELD.values": {
			meaning:
				"The contract's values with the service's. If you list several, the provider sends the first and reads all.",
			example: "status: { values: { pending: [waiting, verifying] } }",
		},
		"records.RECORD.FIELD.as": {
			meaning: "The value's form at the service.",
			example: "created_at: { as: milliseconds }",
		},
		"records.RECORD.FIELD.each": {
			meaning: "The field that holds the value, in a list of objects. `net/mask` names both fields of a CIDR.",
			example: "capabilities: { each: name }",
		},
		"records.RECORD.FIELD.most": {
			meaning:
				"The longest text that the service stores, in characters. A reference needs 64: with fewer, write `reference: false`.",
			example: "label: { most: 40 }",
		},
		"records.RECORD.FIELD.is": {
			meaning: "The currency, if the service shows the amount without a currency.",
			example: "price.monthly.currency: { is: EUR }",
		},
		"records.RECORD.FIELD.empty": {
			meaning: "The value that stands for null, such as a new number's default.",
			example: "routing: { empty: { action: none } }",
		},
		"records.RECORD.FIELD.write": {
			meaning: "A separate request that writes the property.",
			example: "routing: { write: PUT /numbers/{id}/voice }",
		},
		"records.RECORD.FIELD.write.in": {
			meaning: "The value's place in that request.",
			example: "label: { write: { request: PUT /numbers/{id}/name, in: name } }",
		},
		"records.RECORD.FIELD.write.whole": {
			meaning: "`true`: the provider sends everything that `read` shows, with the changes.",
			example: "label: { read: GET /n/{id}/name, write: { request: PUT /n/{id}/name, whole: true } }",
		},
		"records.RECORD.FIELD.write.omit": {
			meaning: "The service's fields that `whole` leaves out.",
			example: "label: { read: GET /n/{id}/name, write: { request: PUT /n/{id}/name, whole: true, omit: [by] } }",
		},
		"records.RECORD.FIELD.read": {
			meaning: "A separate request that reads the property.",
			example: "routing: { read: GET /numbers/{id}/voice }",
		},
		"records.RECORD.FIELD.read.response": {
			meaning: "The value's place in that response.",
			example: "routing: { read: { request: GET /numbers/{id}/voice, response: voice } }",
		},
		"records.RECORD.FIELD.clear": {
			meaning: "The request that clears the property.",
			otherwise: "`write` with `empty`",
			example: "routing: { write: PUT /numbers/{id}/voice, clear: DELETE /numbers/{id}/voice }",
		},
	},
};

const others: Section = {
	heading: "Other keys",
	prefix: "",
	within: [],
	intro: "These keys are at the top level of the file.",
	keys: {
		"envelopes.RECORD.response": {
			meaning: "The record's place in responses.",
			example: "envelopes: { number: { response: data } }",
		},
		"envelopes.RECORD.request": {
			meaning: "The record's place in requests.",
			example: "envelopes: { number: { request: number } }",
		},
		"send.NAME": {
			meaning: "Fields that an operation always sends.",
			example: "send: { createTrunk: { region: eu } }",
		},
		"lists.items": { meaning: "The items' place.", otherwise: "`data`", example: "lists: { items: results }" },
		"lists.next": {
			meaning: "The place of the next cursor, address or page number.",
			otherwise: "`next_cursor`",
			example: "lists: { next: paging.next }",
		},
		"lists.cursor": {
			meaning: "The query parameter for the cursor, in requests and in the address of the next page.",
			otherwise: "`cursor`",
			example: "lists: { cursor: page_token }",
		},
		"lists.limit": {
			meaning: "The query parameter for the page size. `false`: the service has no such parameter.",
			otherwise: "`limit`",
			example: "lists: { limit: page_size }",
		},
		"lists.paged": {
			meaning: "`false`: the service returns each list whole.",
			example: "lists: { paged: false }",
		},
		"errors.code": {
			meaning: "The place of an error's code.",
			otherwise: "`error`",
			example: "errors: { code: fault.code }",
		},
		"errors.message": {
			meaning: "The place of an error's message.",
			otherwise: "`message`",
			example: "errors: { message: fault.text }",
		},
		"errors.requestId": {
			meaning: "The place of an error's request id.",
			otherwise: "`request_id`",
			example: "errors: { requestId: trace }",
		},
		"errors.codes": {
			meaning: "The service's codes for the [contract's codes](#error-codes).",
			example: "errors: { codes: { not_found: [no_such_number] } }",
		},
		"headers.idempotencyKey": {
			meaning: "The header with a request's idempotency key.",
			otherwise: "`idempotency-key`",
			example: "headers: { idempotencyKey: X-Key }",
		},
		"headers.replayed": {
			meaning: "The header that marks a repeated response.",
			otherwise: "`idempotent-replayed`",
			example: "headers: { replayed: X-Replayed }",
		},
		zone: {
			meaning: "The time zone of times that don't name their zone.",
			otherwise: "UTC",
			example: "zone: Europe/Berlin",
		},
		features: {
			meaning: "The [features](../guides/your-service.md#declare-it) that the service offers.",
			example: "features: idempotencyKey -statusFilter",
		},
	},
};

export const sections: readonly Section[] = [operations, places, others];

/** The forms of `as`: the fields that may have it, and a value as the service writes it. */
export const forms: Readonly<Record<(typeof writings)[number], readonly [field: string, value: string]>> = {
	string: ["numbers, booleans", '"30"'],
	number: ["texts, such as ids", "4711"],
	seconds: ["times", "1792044000"],
	milliseconds: ["times", "1792044000000"],
	cents: ["amounts, in ISO 4217 minor units", "199"],
	csv: ["lists", '"voice,sms"'],
	digits: ["phone numbers", "31201234567"],
	international: ["phone numbers", "0031201234567"],
	national: ["phone numbers beside a `country`", "201234567"],
};
