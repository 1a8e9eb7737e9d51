import type { CreatePortOrder, PatchPortOrder } from "../../../provider/api/contract";
import { portOrderRecord } from "../../http/normalise";
import { readsOf } from "../../http/pages";
import { type FieldProblem, invalid, ServiceError } from "../../request/errors";
import { handlersOf } from "../../request/handlers";
import { type Changes, isBookkeeping, merge } from "../../request/merge";
import { placeOf } from "../../service/inventory";
import { isOnAccount, portOrderOf } from "../../service/limits";
import { findRow, newRow, put, type Service } from "../../service/service";
import type { PortOrderRow } from "../../store/store";
import { checkDocuments } from "../kyc/routes";
import { isRegulatedMarket } from "../numbers/routes";
import { cancelPortOrder, movePortOrder, reserve, submitPortOrder } from "./port-orders";

/** Explains why a number can't be ported; undefined if it can. */
const objection = (service: Service, number: string, country: string, order?: PortOrderRow): string | undefined => {
	if (placeOf(number)?.country !== country) return `is not a valid number of ${country}`;
	if (isOnAccount(service, number)) return "is already on this account";
	const otherOrder = portOrderOf(service, number, order?.id);
	return otherOrder && `is in port order ${otherOrder}`;
};

/** @throws ServiceError if a number can't be ported */
export const checkNumbers = (
	service: Service,
	numbers: readonly string[],
	country: string,
	order?: PortOrderRow,
): void => {
	const problems = numbers.flatMap((number, index): FieldProblem[] => {
		const message = objection(service, number, country, order);
		return message === undefined ? [] : [{ field: `numbers.${index}`, message }];
	});
	if (problems.length > 0) throw invalid(problems, "number_not_portable");
};

const storedCarrier = ({ name, account_number = null, pin = null }: CreatePortOrder["carrier"]) => ({
	name,
	account_number,
	pin,
});

const createPortOrder = (service: Service, body: CreatePortOrder): PortOrderRow => {
	isRegulatedMarket(body.country);
	const numbers = [...new Set(body.numbers)];
	checkNumbers(service, numbers, body.country);
	checkDocuments(service, body.document_ids);
	const order = put(service, "portOrders", {
		...newRow(service, "portOrders"),
		status: "draft",
		numbers,
		number_ids: [],
		country: body.country,
		carrier: storedCarrier(body.carrier),
		subscriber: body.subscriber,
		requested_date: body.requested_date ?? null,
		document_ids: [...new Set(body.document_ids)],
		exceptions: [],
		reference: body.reference ?? null,
		next_at: null,
	});
	reserve(service, order);
	return order;
};

/** @throws ServiceError unless the order is a draft or has an exception */
const checkEditable = ({ id, status }: PortOrderRow): void => {
	if (status === "draft" || status === "exception") return;
	throw new ServiceError("port_in_progress", `Port order ${id} is ${status}: it can't be changed or submitted.`);
};

/** Applies a checked patch; the control API's may also set the state. */
export const applyPortPatch = (
	draft: PortOrderRow,
	{
		numbers,
		carrier,
		document_ids,
		...rest
	}: PatchPortOrder & Changes<Pick<PortOrderRow, "status" | "scheduled_at" | "exceptions">>,
): void => {
	Object.assign(draft, merge(draft, rest));
	if (numbers !== undefined) draft.numbers = [...new Set(numbers)];
	// The PIN can't be read, so a carrier sent without one keeps it.
	if (carrier !== undefined) draft.carrier = storedCarrier({ pin: draft.carrier.pin, ...carrier });
	if (document_ids !== undefined) draft.document_ids = [...new Set(document_ids)];
};

const patchPortOrder = (service: Service, row: PortOrderRow, patch: PatchPortOrder): PortOrderRow => {
	if (!isBookkeeping(patch)) checkEditable(row);
	if (patch.numbers !== undefined) checkNumbers(service, patch.numbers, row.country, row);
	checkDocuments(service, patch.document_ids);
	return movePortOrder(service, row, (draft) => applyPortPatch(draft, patch));
};

const lastCall = 48 * 3_600_000;

/** @throws ServiceError within 48 hours of the scheduled time, and after the order has ended */
const checkCancellable = (service: Service, { id, status, scheduled_at }: PortOrderRow): void => {
	const tooLate = scheduled_at !== null && Date.parse(scheduled_at) - service.clock.now() < lastCall;
	const over = ["completed", "cancelled", "cancel_pending"].includes(status);
	if (!tooLate && !over) return;
	const why = over ? `it is ${status}` : `its numbers move at ${scheduled_at}, in less than 48 hours`;
	throw new ServiceError("port_not_cancellable", `Port order ${id} can't be cancelled: ${why}.`);
};

export const portOrderHandlers = (service: Service) => {
	const orders = readsOf(service, "portOrders", portOrderRecord);
	const render = (row: PortOrderRow) => portOrderRecord(service, row);

	return handlersOf({
		listPortOrders: orders.list,

		createPortOrder: ({ body }) => render(createPortOrder(service, body)),

		getPortOrder: orders.get,

		patchPortOrder: ({ id, body }) => render(patchPortOrder(service, findRow(service, "portOrders", id), body)),

		submitPortOrder: ({ id }) => {
			const row = findRow(service, "portOrders", id);
			checkEditable(row);
			checkNumbers(service, row.numbers, row.country, row);
			return render(submitPortOrder(service, row));
		},

		cancelPortOrder: ({ id }) => {
			const row = findRow(service, "portOrders", id);
			checkCancellable(service, row);
			return render(cancelPortOrder(service, row));
		},
	});
};
