import { z } from "zod";
import { inUseCode, usedKinds } from "./kinds";
import { response, seed } from "./schema";

export const ErrorBody = response(() => ({
	error: seed(z.string()),
	message: seed(z.string()),
	request_id: seed(z.string()),
	details: z.unknown().optional(),
}));
export type ErrorBody = z.infer<typeof ErrorBody>;

const inUseCodes = Object.fromEntries(usedKinds.map((kind) => [inUseCode(kind), 409])) as Readonly<
	Record<ReturnType<typeof inUseCode>, 409>
>;

/** The error object of a 2xx. It is the service's without a request id, too. */
export const HiddenError = response(() => ErrorBody.partial({ request_id: true }).shape);
export type HiddenError = z.infer<typeof HiddenError>;

/** Every error code we know, with its status. The envelope is seed; codes and statuses are assumed except for 400. */
export const errorCodes = {
	bad_request: 400,
	validation_failed: 400,
	immutable_field: 400,
	invalid_reference: 400,
	invalid_cursor: 400,
	capability_missing: 400,
	unsupported_market: 400,
	invalid_sender: 400,
	number_not_portable: 400,
	requirements_missing: 400,
	unauthorized: 401,
	insufficient_balance: 402,
	forbidden: 403,
	account_suspended: 403,
	account_unverified: 403,
	destination_blocked: 403,
	recipient_opted_out: 403,
	not_found: 404,
	operation_not_offered: 404,
	method_not_allowed: 405,
	no_inventory: 409,
	number_in_use: 409,
	...inUseCodes,
	number_not_active: 409,
	release_protected: 409,
	trunk_disabled: 409,
	capacity_exceeded: 409,
	limit_exceeded: 409,
	port_in_progress: 409,
	port_not_cancellable: 409,
	not_restorable: 409,
	kyc_profile_locked: 409,
	webhook_disabled: 409,
	recording_not_ready: 409,
	rotation_in_progress: 409,
	resource_busy: 409,
	idempotency_in_progress: 409,
	gone: 410,
	precondition_failed: 412,
	payload_too_large: 413,
	unsupported_media_type: 415,
	idempotency_key_reused: 422,
	rate_limited: 429,
	internal_error: 500,
	upstream_error: 502,
	unavailable: 503,
	timeout: 504,
} as const;
export type ErrorCode = keyof typeof errorCodes;
