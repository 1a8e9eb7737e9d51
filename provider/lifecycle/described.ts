/** The effects of a service description on a kind of resource: what its programs can't declare, change or renew. */
import { kinds, type Operation, type OperationName, operations } from "../api/contract";
import { changeOf, creationOf } from "../api/description/records";
import type { ServiceDescription } from "../api/description/service-description";
import { isObject, pickBy } from "../api/json";
import type { Stated } from "../api/offer";
import { snake } from "../properties/form";
import {
	type CheckFailure,
	changedProperties,
	defaultsOf,
	failure,
	type Properties,
	unknownValue,
	type Values,
} from "../properties/table";
import type { Secret } from "./secret";

/** Pools and their members are made of numbers. */
export const recordOf = (kind: string): string =>
	(Object.values(kinds).find(({ noun }) => noun === kind) ?? kinds.numbers).name;

/** A resource's kind, and the description of its service; undefined if the service uses the contract's names. */
export interface Described {
	readonly kind: string;
	readonly service: ServiceDescription | undefined;
}

/** Returns the properties that the service has. The others have no default, and aren't required. */
export const offeredProperties = ({ kind, service }: Described, properties: Properties): Properties =>
	pickBy(properties, ({ wire }) => wire === undefined || !service?.lacks(recordOf(kind), wire));

/** Returns failures for declared values that the service doesn't have, or can't keep. A value in `olds` was kept. */
export function unofferedValues(
	{ kind, service }: Described,
	properties: Properties,
	olds: Values,
	news: Values,
): CheckFailure[] {
	if (service === undefined) return [];
	const record = recordOf(kind);
	const paths = Object.entries(properties).flatMap(([key, { wire }]) =>
		wire === undefined ? [] : [...pathsIn(news[key], olds[key], { key, wire })],
	);
	return paths.flatMap(({ key, wire, value, old }) => {
		if (service.lacks(record, wire))
			return [
				failure(
					`${key}: the service doesn't have this property: its service description says \`${record}: ${wire}: false\`. Remove it`,
				),
			];
		// The values of a map have the limit of the map.
		const field = wire.startsWith("metadata.") ? "metadata" : wire;
		const most = service.mostOf(record, field);
		if (most === undefined || typeof value !== "string" || [unknownValue, old].includes(value)) return [];
		const { length } = [...value];
		return length <= most
			? []
			: [
					failure(
						`${key}: it has ${length} characters, and the service keeps ${most}: its service description says \`${record}: ${field}: { most: ${most} }\`. Shorten it`,
					),
				];
	});
}

interface Names {
	/** Our name. */
	readonly key: string;
	/** The contract's name. */
	readonly wire: string;
}

interface DeclaredValue extends Names {
	readonly value: unknown;
	/** The value in the state. */
	readonly old: unknown;
}

/** Yields a declared value and the values in it. */
function* pathsIn(value: unknown, old: unknown, { key, wire }: Names): Generator<DeclaredValue> {
	if (value === undefined || value === null) return;
	yield { key, wire, value, old };
	if (!isObject(value)) return;
	for (const [name, inner] of Object.entries(value))
		yield* pathsIn(inner, isObject(old) ? old[name] : undefined, {
			key: `${key}.${name}`,
			wire: `${wire}.${snake(name)}`,
		});
}

/** Returns the declaration that the service lacks an operation; undefined if nothing says so. */
function findDenial(
	operation: OperationName,
	{ service }: Pick<Described, "service">,
	stated: Stated,
): string | undefined {
	if (service !== undefined && service.target(operation) === undefined)
		return `its service description says \`operations: { ${operation}: false }\``;
	const { feature }: Operation = operations[operation];
	const isOffered = feature === undefined || (stated.get(feature) ?? service?.features.get(feature) ?? true);
	if (isOffered) return undefined;
	const source = stated.has(feature) ? "`telephony:features` says" : "its service description says";
	return `${source} that it doesn't offer the feature ${feature}`;
}

/** Returns a failure for an object that the program would create, of a kind that the service is declared to lack. */
export function unofferedKind(described: Described, stated: Stated, olds: Values, inputs: Values): CheckFailure[] {
	if (Object.keys(olds).length > 0 || inputs.adopt != null) return [];
	const operation = creationOf(recordOf(described.kind));
	const denial = operation && findDenial(operation, described, stated);
	if (denial === undefined) return [];
	return [
		failure(
			`The service can't create a ${described.kind}: ${denial}. Remove the resource, or correct the declaration if the service has such objects`,
		),
	];
}

/**
 * Returns failures for values that only a change can set, at a service that is declared to lack the operation of the change.
 * A value in `olds`, or one of a number that `adopt` names, may be there already.
 */
export function unofferedChanges(
	described: Described,
	stated: Stated,
	properties: Properties,
	olds: Values,
	inputs: Values,
): CheckFailure[] {
	const { kind, service } = described;
	const record = recordOf(kind);
	// Only a number is made without its values.
	const isMade = Object.keys(olds).length === 0 && (record !== "number" || inputs.adopt != null);
	const operation = changeOf(record);
	const denial = isMade || operation === undefined ? undefined : findDenial(operation, described, stated);
	if (denial === undefined) return [];
	const sent = pickBy(
		properties,
		({ wire, fixed, change }) =>
			wire !== undefined && !fixed && change?.does !== "replaces" && !service?.writesAlone(record, wire),
	);
	const fixFor = (key: string) =>
		olds[key] === undefined ? "Remove it from the program" : "Restore the earlier value";
	return changedProperties(sent, { ...defaultsOf(sent), ...olds }, inputs)
		.filter((key) => inputs[key] !== unknownValue)
		.map((key) => failure(`${key}: the service can't set it: ${denial}. ${fixFor(key)}`));
}

/** The secret as the service offers it. Undefined if the objects of this kind have none. */
export function secretAt<R extends object>(
	secret: Secret<R> | undefined,
	{ kind, service }: Described,
): Secret<R> | undefined {
	if (secret === undefined || service === undefined) return secret;
	if (service.lacks(recordOf(kind), secret.field)) return undefined;
	return service.target(secret.operation) === undefined ? { ...secret, rotate: undefined } : secret;
}

/** Returns failures for secrets that the service would have to make. */
export function unofferedSecrets<R extends object>(
	secret: Secret<R> | undefined,
	described: Described,
	inputs: Values,
): CheckFailure[] {
	const offered = secretAt(secret, described);
	if (secret === undefined || offered?.rotate !== undefined) return [];
	const record = recordOf(described.kind);
	const line =
		offered === undefined ? `${record}: ${secret.field}: false` : `operations: { ${secret.operation}: false }`;
	if (inputs[secret.rotation] !== undefined)
		return [
			failure(
				`${secret.rotation}: the service can't make a new ${secret.output}: its service description says \`${line}\`. Remove it`,
			),
		];
	const property = offered === undefined || inputs.adopt != null ? undefined : secret.toBeDeclared?.(inputs);
	return property === undefined
		? []
		: [
				failure(
					`${property}: the service can't make a ${secret.output}: its service description says \`${line}\`. Declare one`,
				),
			];
}
