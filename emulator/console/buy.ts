import { type ErrorBody, type ErrorCode, errorCodes } from "../../provider/api/contract";
import { ServiceError } from "../request/errors";
import type { Fields } from "./forms";

export type Send = (path: string, init: RequestInit) => Response | Promise<Response>;

interface Bought {
	readonly id?: string;
}

/** Buys a number like any client of the API: requests, faults, ledger, events and KYC follow. @throws ServiceError */
export const buyNumber = async (
	send: Send,
	apiKey: string,
	{ country = "", type, area = "" }: Fields,
): Promise<Bought> => {
	const response = await send("/v1/numbers", {
		method: "POST",
		headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
		body: JSON.stringify({ country: country.trim().toUpperCase(), type, area: area.trim() || undefined }),
	});
	const text = await response.text();
	const parsed = (text.startsWith("{") ? JSON.parse(text) : {}) as Partial<ErrorBody> & Bought;
	if (response.ok && text !== "") return parsed;
	// A fault can send any response, or none.
	const code = Object.hasOwn(errorCodes, parsed.error ?? "") ? (parsed.error as ErrorCode) : "unavailable";
	throw new ServiceError(code, parsed.message ?? "The purchase got no response because of a fault.");
};
