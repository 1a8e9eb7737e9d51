/**
 * The kinds of objects outside the API: which properties can be edited and what an edit does, removal, and the next
 * step of a row. The control API's routes and functions and the console's forms follow from these entries.
 */
import { z } from "zod";
import {
	type KindName,
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
import { payInvoice, startBilling } from "../areas/billing/billing";
import { advanceCall } from "../areas/calls/calls";
import { completeRecording } from "../areas/calls/recordings";
import { approveByPolicy } from "../areas/kyc/kyc";
import { approveProfileByPolicy } from "../areas/kyc/profiles";
import { applyProfilePatch } from "../areas/kyc/routes";
import { advanceMessage } from "../areas/messages/messages";
import { applyNumberPatch, findNumber, releaseNumber } from "../areas/numbers/routes";
import { advancePortOrder, movePortOrder } from "../areas/port-orders/port-orders";
import { applyPortPatch, checkNumbers } from "../areas/port-orders/routes";
import { applyTrunkPatch, editTrunk } from "../areas/trunks/routes";
import { sendDelivery, sendIfDue } from "../areas/webhooks/deliveries";
import { numberChanged } from "../areas/webhooks/events";
import { applyWebhookPatch, replaceSecret } from "../areas/webhooks/routes";
import { invalid } from "../request/errors";
import { merge } from "../request/merge";
import { isLive } from "../service/limits";
import { edit, type Service, scheduleStep, timeOf } from "../service/service";
import { newId } from "../store/random";
import type { NumberRow, PortOrderRow, Rows, Stored, WebhookRow } from "../store/store";

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

const EditNumber = PatchNumber.extend({
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

const EditTrunk = PatchTrunk.extend({ status: z.string().min(1), reconciling: z.boolean() }).partial();
export type EditTrunk = z.output<typeof EditTrunk>;

const EditKycProfile = PatchKycProfile.extend({
	/** Numbers follow decisions, not edits. */
	status: z.string().min(1),
	reasons: Reasons,
	decided_at: maybeTime,
}).partial();
export type EditKycProfile = z.output<typeof EditKycProfile>;

const EditPortOrder = PatchPortOrder.extend({
	status: z.string().min(1),
	scheduled_at: maybeTime,
	exceptions: Reasons,
}).partial();
export type EditPortOrder = z.output<typeof EditPortOrder>;

const EditWebhook = PatchWebhook.extend({
	status: z.enum(["enabled", "disabled"]),
	disabled_reason: z.enum(["user", "failures", "gone"]).nullable(),
	rotate_secret: z.literal(true),
	secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, "must be whsec_ and base64"),
}).partial();
export type EditWebhook = z.output<typeof EditWebhook>;

const editNumber = (draft: NumberRow, { kyc, ...patch }: EditNumber, at: string): void => {
	applyNumberPatch(draft, patch);
	if (kyc !== undefined) {
		const before = draft.kyc ?? { status: "action_required", profile_id: null, reasons: [], deadline: null };
		draft.kyc = merge(before, kyc);
	}
	if (draft.status === "active") draft.activated_at ??= at;
};

const release = (service: Service, row: NumberRow): NumberRow =>
	releaseNumber(service, row, { key: null, requestId: newId("req", service.random) });

/** The status `released` releases. Any other edit is stored as given. */
const changeNumber = (service: Service, row: NumberRow, patch: EditNumber): NumberRow => {
	const isRelease = patch.status === "released";
	if (isRelease && Object.keys(patch).length > 1)
		throw invalid([{ field: "status", message: "released can't be combined with other changes" }]);
	const { numbers } = service.store;
	const change = () =>
		edit(service, "numbers", row, (draft) => {
			editNumber(draft, patch, timeOf(service));
			const isTwice = numbers
				.with("number", draft.number)
				.some((numberRow) => numberRow.id !== row.id && isLive(numberRow));
			if (isLive(draft) && isTwice) throw invalid([{ field: "number", message: "is already on this account" }]);
		});
	const edited = isRelease ? release(service, row) : numberChanged(service, row, change());
	service.inventory.block(edited.number);
	return edited;
};

const editPortOrder = (draft: PortOrderRow, patch: EditPortOrder): void => {
	applyPortPatch(draft, patch);
	// An edited state stays until a decision, except a scheduled one.
	if (draft.status === "scheduled") draft.next_at = draft.scheduled_at;
	else if (patch.status !== undefined) draft.next_at = null;
};

const editWebhook = (
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

/** The rules of one kind. */
interface KindRules<Row> {
	/** The properties that can be edited, more than a request may change. */
	readonly patch?: z.ZodObject;
	/** Edits an object. @default sets the properties */
	readonly change?: (service: Service, row: Row, patch: never) => Stored;
	/** Finds an object to edit or remove. @default any row */
	readonly find?: (service: Service, id: string) => Stored;
	/** Removes an object, even if it is in use. */
	readonly remove?: (service: Service, row: Row) => void;
	/** Takes the step that is due at the row's `next_at`. */
	readonly step?: (service: Service, row: Row) => unknown;
}

const rules = {
	numbers: {
		patch: EditNumber,
		change: changeNumber,
		find: findNumber,
		remove: release,
		step: approveByPolicy,
	},
	trunks: {
		patch: EditTrunk,
		change: (service, row, patch: EditTrunk) =>
			editTrunk(service, row, (draft) => applyTrunkPatch(service, draft, patch)),
		remove: ({ store }, { id }) => store.trunks.delete(id),
	},
	webhooks: {
		patch: EditWebhook,
		change: (service, row, patch: EditWebhook) =>
			edit(service, "webhooks", row, (draft) => editWebhook(service, draft, patch)),
		remove: ({ store }, { id }) => store.webhooks.delete(id),
	},
	deliveries: { step: sendDelivery },
	kycProfiles: {
		patch: EditKycProfile,
		change: (service, row, patch: EditKycProfile) =>
			edit(service, "kycProfiles", row, (draft) => applyProfilePatch(draft, patch)),
		remove: ({ store }, { id }) => store.kycProfiles.delete(id),
		step: approveProfileByPolicy,
	},
	kycDocuments: {},
	calls: { step: advanceCall },
	recordings: { step: completeRecording },
	messages: { step: advanceMessage },
	portOrders: {
		patch: EditPortOrder,
		change: (service, row, patch: EditPortOrder) => {
			if (patch.numbers !== undefined) checkNumbers(service, patch.numbers, row.country, row);
			return movePortOrder(service, row, (draft) => editPortOrder(draft, patch));
		},
		step: advancePortOrder,
	},
	invoices: { step: payInvoice },
} as const satisfies { readonly [Name in KindName]: KindRules<Rows[Name]> };

export type KindsRules = typeof rules;

export const rulesOf = (name: KindName): KindRules<never> => rules[name];

/** Sets all timers again from the rows. */
export const schedule = (service: Service): void => {
	for (const name of Object.keys(rules) as KindName[])
		for (const row of service.store[name]) scheduleStep(service, name, row);
	for (const row of service.store.deliveries) sendIfDue(service, row);
	startBilling(service);
};
