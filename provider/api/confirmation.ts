/** Decides what a 2xx response proves. Pure. */
import { z } from "zod";
import {
	itemOf,
	type Operation,
	type OperationName,
	operations,
	type PortOrderRecord,
	type PurchaseRecord,
} from "./contract";
import { recordOf } from "./description/records";
import type { ServiceDescription } from "./description/service-description";
import { at, isObject } from "./json";
import { isCancelled, isDeleted, isReleasedOrFailed } from "./record";
import type { RawResponse } from "./wire";

/** Gateways respond in HTML. */
export const isHtml = ({ headers, body }: RawResponse): boolean =>
	body.length > 0 && (/html/i.test(headers["content-type"] ?? "") || /^\s*</.test(body.toString()));

/** Removals end an object. All but this one are DELETE requests. */
export const isRemoval = (name: OperationName): boolean =>
	operations[name].method === "DELETE" || name === "cancelPortOrder";

/** Returns true if a 2xx response proves that the object is removed, or will be. @param record the object, if it is shown */
export function confirmsRemoval(name: OperationName, response: RawResponse, record: unknown): boolean {
	if (isHtml(response)) return false;
	if (response.status === 204 || response.status === 202 || response.body.toString().trim() === "") return true;
	if (!isObject(record)) return false;
	const kind = recordOf(name);
	if (kind === "port_order") return isCancelled(record as PortOrderRecord);
	return kind === "number" ? isReleasedOrFailed(record as PurchaseRecord) : isDeleted(record);
}

/** Codes that some services send with each success. */
const successCode = /^(ok|success|succeeded|accepted|received|created|completed?|fulfilled|none|0|2\d\d)$/i;
/** Fields of a record that an error may repeat. */
const repeatedFields: ReadonlySet<string> = new Set(["status", "state", "type", "country", "area"]);

/** Returns true if a 2xx response is the service's error object. A record may have fields of the same names. */
export function isErrorObject(name: OperationName, json: unknown, description: ServiceDescription): boolean {
	const words = description.errorIn(json, undefined);
	if (!isObject(words)) return false;
	const { error, message } = words;
	const isError = typeof error === "string" && error !== "" && typeof message === "string" && message !== "";
	return isError && !successCode.test(error) && !isRecord(name, json, description);
}

function isRecord(name: OperationName, json: unknown, description: ServiceDescription): boolean {
	const { response }: Operation = operations[name];
	const { json: record } = description.responseIn(name, json);
	if (!isObject(record)) return false;
	if (response !== undefined && itemOf(response) !== undefined) return Array.isArray(record.data);
	const errorPlaces = description.errorPlaces;
	const shows = (field: string) =>
		at(record, field) != null && !errorPlaces.includes(description.placeOf(name, [field]));
	if (shows("id")) return true;
	if (!(response instanceof z.ZodObject) || !response.safeParse(record).success) return false;
	return Object.keys(response.shape).some((field) => !repeatedFields.has(field) && shows(field));
}
