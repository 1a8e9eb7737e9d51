/** What a preview shows of an object that is not written yet: what is known already, and what isn't. */
import { type Outputs, unknownValue, type Values } from "../properties/table";

/** A create: all that is declared, and no output. */
export const created = (outputs: Outputs, news: Values): Values => ({ ...unknown(Object.keys(outputs)), ...news });

/** An update: outputs stay, except the ones that may change by the table. `changed` are the inputs that differ. */
export function updated(outputs: Outputs, olds: Values, news: Values, changed: readonly string[]): Values {
	const isKnown = ([key, { moves, renewedBy = [] }]: [string, Outputs[string]]) =>
		// An empty secret is known to be invalid: the update makes another one, with all that goes with it.
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

/** Whether the update replaces an invalid secret, and this output goes with it. */
const isRenewed = (outputs: Outputs, olds: Values, key: string): boolean =>
	outputs[key]?.renewedBy !== undefined &&
	Object.entries(outputs).some(([name, { secret }]) => secret === true && olds[name] === "");

const unknown = (keys: readonly string[]): Values => Object.fromEntries(keys.map((key) => [key, unknownValue]));
