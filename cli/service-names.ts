/** What services call the things that the contract names, and how to find them in an answer. */
import { at, isObject, type Json } from "../provider/api/dialect/json";

/** `createdAt` is `created_at`. */
export const snake = (name: string): string =>
	name
		.replace(/([a-z0-9])([A-Z])/g, "$1_$2")
		.replaceAll("-", "_")
		.toLowerCase();

const ids = ["sid", "uuid", "guid", "uid", "_id", "resource_id"];

/** By record and field of ours: names that other services use, the likeliest first. */
export const otherNames: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
	number: {
		id: ["number_id", "phone_number_id", "did_id", ...ids],
		number: ["msisdn", "phone_number", "e164", "e_164", "did", "did_number", "telephone_number", "tn", "phone"],
		status: ["state", "number_status", "number_state", "lifecycle_state", "provisioning_status", "phase"],
		kyc_required: ["requires_kyc", "kyc_needed", "verification_required", "requires_verification"],
		label: ["friendly_name", "display_name", "name", "alias", "nickname", "title"],
		reference: ["external_id", "external_reference", "client_reference", "customer_reference", "client_ref"],
		country: ["country_code", "iso_country", "country_iso"],
		type: ["number_type"],
		area: ["area_code"],
		created_at: ["created", "created_on", "date_created", "purchased_at", "created_time", "created_ms", "created_ts"],
	},
	trunk: {
		id: ["trunk_id", ...ids],
		name: ["friendly_name", "display_name", "trunk_name", "title"],
		capacity: ["channels", "max_channels", "concurrent_calls", "channel_limit"],
		enabled: ["active", "is_enabled", "is_active", "on"],
	},
	webhook: {
		id: ["webhook_id", ...ids],
		url: ["target", "target_url", "endpoint", "callback_url", "uri"],
		events: ["topics", "event_types", "subscriptions"],
		enabled: ["active", "is_enabled", "is_active", "on"],
	},
};

/** By our collection: where other services have it. */
export const otherPaths = {
	trunks: ["/sip-trunks", "/sip_trunks", "/siptrunks"],
	webhooks: ["/webhook-endpoints", "/webhook_endpoints", "/hooks"],
} as const;

/** Statuses by which a service says that it has no such operation. */
export const absent: ReadonlySet<number> = new Set([404, 405, 410, 501]);

export const listNames = {
	items: ["results", "items", "numbers", "phone_numbers", "records", "entries", "list", "objects"],
	next: ["next", "next_page_token", "next_token", "next_page", "cursor", "after", "page_token"],
	cursor: ["page_token", "next_cursor", "after", "next", "starting_after", "page", "next_page_token"],
} as const;

export const errorNames = {
	code: ["code", "error_code", "error", "type", "reason", "error_type", "slug"],
	message: ["message", "detail", "error_message", "description", "msg", "title", "error_description"],
	requestId: ["request_id", "trace_id", "trace", "correlation_id", "req_id", "log_id"],
} as const;

/** Words for the states of a number, the first of each its own. What is in none of them is for a person to decide. */
const statusWords = {
	pending:
		/^(pending.*|.*_pending|awaiting.*|verifying|.*in_review|under_review|provisioning|processing|requested|submitted|ordered|creating)$/,
	active: /^(active|activated|in_service|approved|provisioned|live|enabled|ready|operational|assigned)$/,
	suspended: /^(suspended|blocked|disabled|on_hold|paused|barred)$/,
	released: /^(released|gone|deleted|removed|cancelled|canceled|terminated|disconnected|returned)$/,
	failed: /^(failed|error|rejected|declined)$/,
} as const;

/** What a word of theirs is sure enough to mean. */
export const meaningOf = (word: string): string | undefined =>
	Object.entries(statusWords).find(([, pattern]) => pattern.test(snake(word.trim()).replaceAll(" ", "_")))?.[0];

/** The key by which one of these names stands in any of the records. */
export function keyIn(
	records: readonly Json[],
	names: readonly string[],
	isFree: (key: string) => boolean,
): string | undefined {
	const keys = [...new Set(records.flatMap((record) => Object.keys(record)))].filter(isFree);
	return names.flatMap((name) => keys.filter((key) => snake(key) === name))[0];
}

/** Every path into an object, the upper ones first; no further than three names deep, and into no list. */
export function pathsIn(value: unknown, depth = 3): readonly string[] {
	if (!isObject(value) || depth === 0) return [];
	const below = Object.entries(value).flatMap(([key, inner]) =>
		pathsIn(inner, depth - 1).map((path) => `${key}.${path}`),
	);
	return [...Object.keys(value), ...below];
}

/** The path that one of these names ends, or else begins; `fits` says which values may stand there. */
export function pathIn(
	value: unknown,
	names: readonly string[],
	fits: (found: unknown) => boolean,
): string | undefined {
	const paths = pathsIn(value).filter((path) => fits(at(value, path)));
	const ends = (path: string, name: string) => snake(path.split(".").at(-1) ?? "") === name;
	const begins = (path: string, name: string) => snake(path.split(".")[0] ?? "") === name;
	return [ends, begins].flatMap((is) => names.flatMap((name) => paths.filter((path) => is(path, name))))[0];
}

/** An id of the same shape that no object has. */
export function unlikely(id: string | undefined): string {
	if (id === undefined) return "telephony-check-none";
	const [, prefix = "", rest = ""] = /^([A-Za-z]+[_-])?(.*)$/s.exec(id) ?? [];
	const made = prefix + rest.replace(/\d/g, "9").replace(/[a-z]/g, "f").replace(/[A-Z]/g, "F");
	return made === id ? prefix + rest.replace(/[9fF]/g, "0") : made;
}
