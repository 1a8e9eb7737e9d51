import { portOrderRecord } from "../../http/normalise";
import { ServiceError } from "../../request/errors";
import type { Changes } from "../../request/merge";
import { isOnAccount } from "../../service/limits";
import { edit, findRow, type Service, timeOf } from "../../service/service";
import type { KycReason, PortOrderRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { portNumber } from "../numbers/routes";
import { emit } from "../webhooks/events";

const hour = 3_600_000;
const day = 24 * hour;

/** Duration of each step. Assumed. */
const untilReview = hour;
const untilReviewed = day;
const untilChangeOver = 3 * day;
const untilCancelled = hour;

const later = (service: Service, by: number): string => timestamp(service.clock.now() + by);

/** Keeps the inventory from selling the numbers of an order. */
export const reserve = ({ inventory }: Service, { numbers }: PortOrderRow): void => {
	for (const number of numbers) inventory.block(number);
};

/** Changes an order, and sends an event if its status is new. */
export const movePortOrder = (
	service: Service,
	row: PortOrderRow,
	change: Changes<PortOrderRow> | ((draft: PortOrderRow) => void),
): PortOrderRow => {
	const apply = typeof change === "function" ? change : (draft: PortOrderRow) => void Object.assign(draft, change);
	const moved = edit(service, "portOrders", row, apply);
	reserve(service, moved);
	if (moved.status !== row.status) emit(service, "port_order.updated", portOrderRecord(service, moved));
	return moved;
};

/** The carrier's objections. */
const exceptionsOf = (service: Service, { carrier, document_ids }: PortOrderRow): KycReason[] => {
	const kinds = document_ids.map((id) => service.store.kycDocuments.get(id)?.kind);
	const exceptions: readonly (readonly [boolean, string, string])[] = [
		[
			!kinds.includes("letter_of_authorization"),
			"letter_of_authorization_missing",
			"Add a letter of authorization to document_ids.",
		],
		[carrier.account_number === null, "account_number_missing", "The carrier requires carrier.account_number."],
		[carrier.pin === "0000", "pin_invalid", "The carrier refuses carrier.pin."],
	];
	return exceptions.flatMap(([is, code, message]) => (is ? [{ code, message }] : []));
};

export const submitPortOrder = (service: Service, row: PortOrderRow): PortOrderRow =>
	movePortOrder(service, row, {
		status: "submitted",
		exceptions: [],
		submitted_at: timeOf(service),
		next_at: later(service, untilReview),
	});

export const cancelPortOrder = (service: Service, row: PortOrderRow): PortOrderRow =>
	// The carrier knows only submitted orders.
	row.status === "draft" || row.status === "exception"
		? callOff(service, row)
		: movePortOrder(service, row, {
				status: "cancel_pending",
				scheduled_at: null,
				next_at: later(service, untilCancelled),
			});

/** Adds the numbers to the account. */
const complete = (service: Service, row: PortOrderRow): PortOrderRow => {
	const present = row.numbers.filter((number) => isOnAccount(service, number));
	if (present.length > 0) {
		const message = `Already on this account: ${present.join(", ")}. Remove them from numbers.`;
		return refuse(service, row, [{ code: "number_not_portable", message }]);
	}
	const number_ids = row.numbers.map((number) => portNumber(service, number).id);
	return movePortOrder(service, row, {
		status: "completed",
		number_ids,
		completed_at: timeOf(service),
		next_at: null,
	});
};

const refuse = (service: Service, row: PortOrderRow, exceptions: readonly KycReason[]): PortOrderRow =>
	movePortOrder(service, row, {
		status: "exception",
		exceptions: [...exceptions],
		scheduled_at: null,
		next_at: null,
	});

const callOff = (service: Service, row: PortOrderRow): PortOrderRow =>
	movePortOrder(service, row, { status: "cancelled", scheduled_at: null, next_at: null });

const review = (service: Service, row: PortOrderRow): PortOrderRow =>
	movePortOrder(service, row, { status: "in_review", next_at: later(service, untilReviewed) });

const agree = (service: Service, row: PortOrderRow): PortOrderRow => {
	const exceptions = exceptionsOf(service, row);
	if (exceptions.length > 0) return refuse(service, row, exceptions);
	const asked = row.requested_date === null ? 0 : Date.parse(row.requested_date);
	const scheduled_at = timestamp(Math.max(asked, service.clock.now() + untilChangeOver));
	return movePortOrder(service, row, { status: "scheduled", scheduled_at, next_at: scheduled_at });
};

/** The automatic step of each state. */
const steps: Readonly<Record<string, (service: Service, row: PortOrderRow) => PortOrderRow>> = {
	submitted: review,
	in_review: agree,
	scheduled: complete,
	cancel_pending: callOff,
};

export const advancePortOrder = (service: Service, row: PortOrderRow): PortOrderRow =>
	steps[row.status]?.(service, row) ?? row;

/** Decisions in place of the carriers. */
export const portDecisions = ["advance", "complete", "reject", "cancel"] as const;
export type PortDecision = (typeof portDecisions)[number];

const underWay = ["submitted", "in_review", "scheduled"];
export const decidablePorts: Readonly<Record<PortDecision, readonly string[]>> = {
	advance: Object.keys(steps),
	complete: underWay,
	reject: underWay,
	cancel: ["draft", "exception", "cancel_pending", ...underWay],
};

const defaultExceptions: KycReason[] = [
	{ code: "subscriber_mismatch", message: "The carrier has another subscriber: correct subscriber." },
];

export const decidePortOrder = (
	service: Service,
	id: string,
	decision: PortDecision,
	reasons: readonly KycReason[] = defaultExceptions,
): PortOrderRow => {
	const row = findRow(service, "portOrders", id);
	if (!decidablePorts[decision].includes(row.status)) {
		throw new ServiceError("bad_request", `Port order ${id} is ${row.status}: ${decision} is not possible.`);
	}
	if (decision === "advance") return advancePortOrder(service, row);
	if (decision === "complete") return complete(service, row);
	return decision === "cancel" ? callOff(service, row) : refuse(service, row, reasons);
};
