/** The differences that a preview shows, by path, and the outputs that are known before the write. */
import { isObject } from "../api/json";
import { type Form, sameDeclaration, scalar } from "../properties/form";
import { changedProperties, type Outputs, type Properties, unknownValue, type Values } from "../properties/table";
import { type Message, messages } from "./sdk";

export interface Detail {
	readonly path: string;
	readonly kind: Message<"PropertyDiff">["getKind"] extends () => infer Kind ? Kind : never;
}

/** `replaces` are the properties whose change needs a new object. */
export const detailsOf = (properties: Properties, olds: Values, news: Values, replaces: readonly string[]): Detail[] =>
	changedProperties(properties, olds, news).flatMap((key) =>
		[...differing(properties[key]?.form ?? scalar, key, olds[key], news[key])].map(([path, old, declared]) => ({
			path,
			kind: kindOf(old, declared, replaces.includes(key)),
		})),
	);

/** Down to single values in objects. A list or set is one value. */
function* differing(form: Form, path: string, old: unknown, declared: unknown): Generator<[string, unknown, unknown]> {
	const isSplit =
		isObject(old) &&
		isObject(declared) &&
		(form.kind === "map" ||
			(form.kind === "object" && (form.tag === undefined || old[form.tag] === declared[form.tag])));
	if (!isSplit) {
		yield [path, old, declared];
		return;
	}
	for (const key of Object.keys({ ...old, ...declared })) {
		const oldItem = Object.hasOwn(old, key) ? old[key] : undefined;
		const item = Object.hasOwn(declared, key) ? declared[key] : undefined;
		const inner = (form.kind === "object" && form.fields[key]?.form) || scalar;
		if (!sameDeclaration(inner, oldItem, item)) yield* differing(inner, within(path, key), oldItem, item);
	}
}

/** A path in the engine's spelling. */
const within = (path: string, key: string): string =>
	/^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;

function kindOf(old: unknown, declared: unknown, replaces: boolean): Detail["kind"] {
	const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = messages.PropertyDiff.Kind;
	if (old === undefined || old === null) return replaces ? ADD_REPLACE : ADD;
	if (declared === undefined || declared === null) return replaces ? DELETE_REPLACE : DELETE;
	return replaces ? UPDATE_REPLACE : UPDATE;
}

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
