/** The last sentences of an error that a service description may fix. */
import { isObject } from "../json";

export const stated = (line: string, when: string): string => `${when}, add to \`telephony:service\`: \`${line}\`.`;

/** The names of the fields in a response. Values may be secrets. */
function namesIn(response: unknown): string {
	if (Array.isArray(response)) return "The response is a list.";
	if (!isObject(response)) return "The response is not an object.";
	const names = Object.keys(response).filter((name) => /^[\w.-]{1,40}$/.test(name));
	return names.length === 0 ? "The response has no fields." : `The response has ${names.slice(0, 12).join(", ")}.`;
}

export const namesHint = "If the service uses other names, run `telephony service check`.";

export const unreadHint = (response: unknown): string => `${namesIn(response)} ${namesHint}`;

/** The refusal of a request that has the whole record. */
export const wholeHint = (operation: string): string =>
	`The request has the whole record as the service shows it. If the service refuses one of its own fields, name that field in \`operations: { ${operation}: { omit: […] } }\` of the service description`;

export const codeHint = (code: string): string =>
	stated(`errors: { codes: { not_found: ${code} } }`, `If ${code} means that the object doesn't exist`);

/** For errors of a refresh or a destroy, which may not know the description's latest lines. */
export const savedConfigurationHint =
	"Until the next `pulumi up`, set `TELEPHONY_SERVICE=service.yaml`, so that `refresh` and `destroy` use it too.";

const identifying = /^(id|uuid|sid|number|msisdn|e164|phone_?number|did|\w+_id|\w+Id)$/;

/** The values in the response to a purchase that may identify the number, at its top or one level deeper. */
export function boughtIn(response: unknown, depth = 2): readonly string[] {
	if (!isObject(response) || depth === 0) return [];
	return Object.entries(response).flatMap(([name, value]) => {
		if (isObject(value)) return boughtIn(value, depth - 1);
		const isShort = typeof value === "number" || (typeof value === "string" && value.length <= 80);
		return isShort && identifying.test(name) ? [`${name} ${value}`] : [];
	});
}
