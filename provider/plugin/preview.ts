/** What a preview shows of an object that is not written yet: what is known already, and what isn't. */
import { type Outputs, unknownValue, type Values } from "../properties/table";

/** What a write may change beside what is declared. */
const moving: ReadonlySet<string> = new Set(["updatedAt", "status", "kyc", "activatedAt", "numbers"]);

/** A create: all that is declared, and no output. */
export const created = (outputs: Outputs, news: Values): Values => ({ ...unknown(Object.keys(outputs)), ...news });

/** An update: outputs stay, but for those that a write may change. `rotates`: a new secret is asked for. */
export function updated(outputs: Outputs, olds: Values, news: Values, rotates: boolean): Values {
	const kept = Object.keys(outputs).filter((key) => olds[key] != null && !moving.has(key));
	const stays = kept.filter((key) => !(rotates && /^(secret|password)/.test(key)));
	return {
		...unknown(Object.keys(outputs)),
		...Object.fromEntries(stays.map((key) => [key, olds[key]])),
		...news,
	};
}

const unknown = (keys: readonly string[]): Values => Object.fromEntries(keys.map((key) => [key, unknownValue]));
