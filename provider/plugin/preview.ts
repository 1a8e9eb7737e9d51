/** The outputs that a preview shows: those that are known before the write. */
import { type Outputs, unknownValue, type Values } from "../properties/table";

export const created = (outputs: Outputs, news: Values): Values => ({ ...unknown(Object.keys(outputs)), ...news });

/** Outputs of an update: without those that the write may change. `changed` are the inputs that differ. */
export function updated(outputs: Outputs, olds: Values, news: Values, changed: readonly string[]): Values {
	const isKnown = ([key, { moves, renewedBy = [] }]: [string, Outputs[string]]) =>
		// An empty secret is known to be invalid: the update makes another one.
		olds[key] != null &&
		!moves &&
		!renewedBy.some((input) => changed.includes(input)) &&
		!isRenewed(outputs, olds, key);
	const stays = Object.entries(outputs)
		.filter(isKnown)
		.map(([key]) => key);
	return {
		...unknown(Object.keys(outputs)),
		...Object.fromEntries(stays.map((key) => [key, olds[key]])),
		...news,
	};
}

/** True if the update replaces an invalid secret, and this output with it. */
const isRenewed = (outputs: Outputs, olds: Values, key: string): boolean =>
	outputs[key]?.renewedBy !== undefined &&
	Object.entries(outputs).some(([name, { secret }]) => secret === true && olds[name] === "");

const unknown = (keys: readonly string[]): Values => Object.fromEntries(keys.map((key) => [key, unknownValue]));
