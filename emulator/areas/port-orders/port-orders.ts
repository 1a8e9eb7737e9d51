import { createAnswers } from "../../http/normalise";
import { found } from "../../request/errors";
import { edit, type Service, setTimer, stopTimer, timeOf } from "../../service/service";
import type { KycReason, PortOrderRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { portNumber } from "../numbers/routes";
import { emit } from "../webhooks/events";

const hour = 3_600_000;
const day = 24 * hour;

/** How long the emulator takes for each step. Assumed, like everything about ports. */
const untilReview = hour;
const untilAnswer = day;
const untilChangeOver = 3 * day;
const untilCancelled = hour;

export const findPortOrder = ({ store }: Service, id: string): PortOrderRow =>
	found(store.portOrders.get(id), "port order", id);

const later = (service: Service, by: number): string => timestamp(service.clock.now() + by);

/** Changes an order, sends an event if its status is new, and sets the timer of its next step. */
export const movePortOrder = (
	service: Service,
	row: PortOrderRow,
	apply: (draft: PortOrderRow) => void,
): PortOrderRow => {
	const moved = edit(service, service.store.portOrders, row, apply);
	if (moved.status !== row.status) emit(service, "port_order.updated", createAnswers(service).portOrder(moved));
	schedulePortOrder(service, moved);
	return moved;
};

/** What the present carrier objects to. */
const exceptionsOf = (service: Service, { carrier, document_ids }: PortOrderRow): KycReason[] => {
	const kinds = document_ids.map((id) => service.store.kycDocuments.get(id)?.kind);
	const exceptions: readonly (readonly [boolean, string, string])[] = [
		[
			!kinds.includes("letter_of_authorization"),
			"letter_of_authorization_missing",
			"Add a letter of authorization to document_ids.",
		],
		[carrier.account_number === null, "account_number_missing", "The present carrier asks for carrier.account_number."],
		[carrier.pin === "0000", "pin_invalid", "The present carrier refuses carrier.pin."],
	];
	return exceptions.flatMap(([is, code, message]) => (is ? [{ code, message }] : []));
};

export const submitPortOrder = (service: Service, row: PortOrderRow): PortOrderRow =>
	movePortOrder(service, row, (draft) => {
		draft.status = "submitted";
		draft.exceptions = [];
		draft.submitted_at = timeOf(service);
		draft.next_at = later(service, untilReview);
	});

export const cancelPortOrder = (service: Service, row: PortOrderRow): PortOrderRow =>
	movePortOrder(service, row, (draft) => {
		// An order that the present carrier has not heard of needs no consent from it.
		const quiet = row.status === "draft" || row.status === "exception";
		draft.status = quiet ? "cancelled" : "cancel_pending";
		draft.scheduled_at = null;
		draft.next_at = quiet ? null : later(service, untilCancelled);
	});

/** Carries out the next step of an order when it is due. */
const step = (service: Service, row: PortOrderRow): void => {
	const exceptions = exceptionsOf(service, row);
	const number_ids = row.status === "scheduled" ? row.numbers.map((number) => portNumber(service, number).id) : [];
	movePortOrder(service, row, (draft) => {
		draft.next_at = null;
		if (row.status === "submitted") {
			draft.status = "in_review";
			draft.next_at = later(service, untilAnswer);
		} else if (row.status === "in_review" && exceptions.length > 0) {
			draft.status = "exception";
			draft.exceptions = exceptions;
		} else if (row.status === "in_review") {
			const asked = row.requested_date === null ? 0 : Date.parse(row.requested_date);
			draft.status = "scheduled";
			draft.scheduled_at = timestamp(Math.max(asked, service.clock.now() + untilChangeOver));
			draft.next_at = draft.scheduled_at;
		} else if (row.status === "scheduled") {
			draft.status = "completed";
			draft.number_ids = number_ids;
			draft.completed_at = timeOf(service);
		} else if (row.status === "cancel_pending") {
			draft.status = "cancelled";
		}
	});
};

/** Sets the timer of an order's next step; stops it if there is none. */
export const schedulePortOrder = (service: Service, { id, next_at }: PortOrderRow): void => {
	if (next_at) setTimer(service, id, Date.parse(next_at), () => step(service, findPortOrder(service, id)));
	else stopTimer(service, id);
};
