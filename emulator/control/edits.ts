/** Edits outside the API, which may change more than the API's. */
import { z } from "zod";
import {
	kycStatuses,
	PatchKycProfile,
	PatchNumber,
	PatchPortOrder,
	PatchTrunk,
	PatchWebhook,
	RouteRecord,
	RouteRequest,
	routeTypes,
} from "../../provider/api/contract";
import { applyNumberPatch } from "../areas/numbers/routes";
import { applyPortPatch } from "../areas/port-orders/routes";
import { applyWebhookPatch, replaceSecret } from "../areas/webhooks/routes";
import { merge } from "../request/merge";
import type { Service } from "../service/service";
import type { NumberRow, PortOrderRow, WebhookRow } from "../store/store";

const hasType = (types: readonly string[], type: string) => types.includes(type);

/**
 * An edit may set a type of route that the API doesn't offer, like the service's dashboard. It must be valid in a response.
 */
const EditedRoute = z.union([
	RouteRequest,
	RouteRecord.extend({
		type: z.string().refine((type) => !hasType(routeTypes, type), "not a valid route of this type"),
	}),
]);

const maybeTime = z.iso.datetime({ offset: true }).nullable();

export const Reasons = z.array(z.strictObject({ code: z.string().min(1), message: z.string() }));

export const EditNumber = PatchNumber.extend({
	routing: EditedRoute.nullable(),
	/** Any text, so that you can test unknown states. */
	status: z.string().min(1),
	/** Any digits, as in old and coming numbering plans. */
	number: z.string().regex(/^\+[1-9]\d+$/, "must be + and digits"),
	kyc: z
		.strictObject({
			status: z.string().min(1).meta({ "x-known-values": kycStatuses }),
			profile_id: z.string().nullable(),
			reasons: Reasons,
			deadline: maybeTime,
		})
		.partial(),
	capabilities: z.array(z.string()),
	reconciling: z.boolean(),
}).partial();
export type EditNumber = z.output<typeof EditNumber>;

export const EditTrunk = PatchTrunk.extend({ status: z.string().min(1), reconciling: z.boolean() }).partial();
export type EditTrunk = z.output<typeof EditTrunk>;

export const EditKycProfile = PatchKycProfile.extend({
	/** Numbers follow decisions, not edits. */
	status: z.string().min(1),
	reasons: Reasons,
	decided_at: maybeTime,
}).partial();
export type EditKycProfile = z.output<typeof EditKycProfile>;

export const EditPortOrder = PatchPortOrder.extend({
	status: z.string().min(1),
	scheduled_at: maybeTime,
	exceptions: Reasons,
}).partial();
export type EditPortOrder = z.output<typeof EditPortOrder>;

export const EditWebhook = PatchWebhook.extend({
	status: z.enum(["enabled", "disabled"]),
	disabled_reason: z.enum(["user", "failures", "gone"]).nullable(),
	rotate_secret: z.literal(true),
	secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, "must be whsec_ and base64"),
}).partial();
export type EditWebhook = z.output<typeof EditWebhook>;

export const editNumber = (draft: NumberRow, { kyc, ...patch }: EditNumber, at: string): void => {
	applyNumberPatch(draft, patch);
	if (kyc !== undefined) {
		const before = draft.kyc ?? { status: "action_required", profile_id: null, reasons: [], deadline: null };
		draft.kyc = merge(before, kyc);
	}
	if (draft.status === "active") draft.activated_at ??= at;
};

export const editPortOrder = (draft: PortOrderRow, patch: EditPortOrder): void => {
	applyPortPatch(draft, patch);
	// An edited state stays until a decision, except a scheduled one.
	if (draft.status === "scheduled") draft.next_at = draft.scheduled_at;
	else if (patch.status !== undefined) draft.next_at = null;
};

export const editWebhook = (
	service: Service,
	draft: WebhookRow,
	{ status, disabled_reason, secret, rotate_secret, ...patch }: EditWebhook,
): void => {
	applyWebhookPatch(draft, patch);
	if (status !== undefined) {
		draft.status = status;
		draft.disabled_reason = status === "enabled" ? null : (draft.disabled_reason ?? "user");
	}
	if (disabled_reason !== undefined) draft.disabled_reason = disabled_reason;
	if (secret !== undefined || rotate_secret) replaceSecret(service, draft, secret);
};
