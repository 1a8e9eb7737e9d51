import { type ErrorBody, type ErrorCode, errorCodes } from "../../provider/api/contract";
import { ServiceError } from "../request/errors";

/** Calls the API like any client: requests, faults, ledger, events and KYC follow. @throws ServiceError */
export type Ask = (method: "POST" | "PATCH", path: string, body?: object) => Promise<{ readonly id?: string }>;

export type Send = (path: string, init: RequestInit) => Response | Promise<Response>;

export const createAsk =
	(send: Send, apiKey: string): Ask =>
	async (method, path, body = {}) => {
		const response = await send(`/v1${path}`, {
			method,
			headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
			body: JSON.stringify(body),
		});
		const text = await response.text();
		const parsed = (text.startsWith("{") ? JSON.parse(text) : {}) as Partial<ErrorBody> & { readonly id?: string };
		if (response.ok && text !== "") return parsed;
		// A fault can send any response, or none.
		const code = Object.hasOwn(errorCodes, parsed.error ?? "") ? (parsed.error as ErrorCode) : "unavailable";
		throw new ServiceError(code, parsed.message ?? `${method} ${path} got no response because of a fault.`);
	};
