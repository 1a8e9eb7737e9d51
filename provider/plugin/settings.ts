/** A provider's own properties: the key, the address, and what is known of the service. */
import { isTelephonyError } from "../api/errors";
import { unknownValue, type Values } from "../properties/table";
import { readConfig } from "../session/config";

export const settingNames = ["apiKey", "baseUrl", "owner", "features"] as const;

export const textOf = (value: unknown): string | undefined =>
	value === undefined || value === null || value === unknownValue ? undefined : String(value);

export function configProblem(inputs: Values): string | undefined {
	// What isn't known yet is checked once it is.
	if (settingNames.some((name) => inputs[name] === unknownValue)) return undefined;
	try {
		readConfig((key) => textOf(inputs[key.replace(/^telephony:/, "")]), process.env, process.cwd());
		return undefined;
	} catch (error) {
		if (isTelephonyError(error, "Config")) return error.message;
		throw error;
	}
}
