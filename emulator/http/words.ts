/**
 * Applies a service description: requests are renamed before they are read, and replies before they are sent. Control
 * API, console and ledger use the contract's names.
 */
import {
	type ErrorCode,
	type Operation,
	type OperationName,
	operations,
	replayedHeader,
} from "../../provider/api/contract";
import { put } from "../../provider/api/description/mapping";
import type { OwnRead } from "../../provider/api/description/own-operations";
import { changeOf, fieldsIn, recordNames, recordOf, singleReadOf } from "../../provider/api/description/records";
import { isList, type ServiceDescription } from "../../provider/api/description/service-description";
import { at, isObject, type Json, mergeAt } from "../../provider/api/json";
import type { Reply } from "../store/idempotency";

export interface Route {
	readonly name: OperationName;
	readonly operation: Operation;
	readonly method: string;
	readonly path: string;
	/** The request of single properties; undefined for one of the whole record. */
	readonly ownRoute?: OwnRoute | undefined;
}

interface OwnRoute extends OwnRead {
	readonly isClear: boolean;
}

export class Words {
	/** Undefined for a service that uses the contract's names. */
	readonly dialect: ServiceDescription | undefined;
	readonly routes: readonly Route[];

	constructor(dialect?: ServiceDescription) {
		this.dialect = dialect;
		const routes = (Object.entries(operations) as [OperationName, Operation][]).flatMap(([name, operation]) => {
			const target = dialect === undefined ? operation : dialect.target(name);
			return target === undefined ? [] : [{ name, operation, method: target.method, path: target.path }];
		});
		this.routes =
			dialect === undefined ? routes : [...routes, ...recordNames.flatMap((name) => ownRoutes(dialect, name))];
	}

	get keyHeader(): string {
		return this.dialect?.idempotencyHeader ?? "idempotency-key";
	}

	/** The URL with the query in the contract's names. */
	url(name: OperationName, url: string): string {
		const at = url.indexOf("?");
		if (this.dialect === undefined || at < 0) return url;
		const query = queryIn(this.dialect, name, new URLSearchParams(url.slice(at)));
		return `${url.slice(0, at)}?${new URLSearchParams(query)}`;
	}

	/** @param own the request of single properties @param current returns the record as it is */
	body(name: OperationName, sent: unknown, ownRoute?: OwnRoute, current: () => unknown = () => ({})): unknown {
		if (ownRoute !== undefined) return ownBodyIn(ownRoute, sent, operations[name], current);
		if (this.dialect === undefined || sent === undefined) return sent;
		const ours = bodyIn(this.dialect, name, sent);
		const { body }: Operation = operations[name];
		return this.dialect.target(name)?.whole ? fitting(body, ours) : ours;
	}

	/** @param name undefined without an operation */
	reply(name: OperationName | undefined, reply: Reply, ownRoute?: OwnRoute): Reply {
		const { dialect } = this;
		if (dialect === undefined || reply.body === undefined) return reply;
		const isError = reply.status >= 400;
		const { [replayedHeader]: replayed, ...headers } = { ...reply.headers };
		return {
			...reply,
			body: isError
				? errorOut(dialect, reply.body)
				: name === undefined
					? reply.body
					: ownRoute === undefined
						? responseOut(dialect, name, reply.body)
						: ownResponseOut(ownRoute, reply.body),
			headers: replayed === undefined ? headers : { ...headers, [dialect.replayedHeader]: replayed },
		};
	}
}

function ownRoutes(service: ServiceDescription, record: string): readonly Route[] {
	const ownRoute = service.ownOperations(record);
	if (ownRoute === undefined) return [];
	const routeOf = (name: OperationName | undefined, route: OwnRoute): Route[] =>
		name === undefined
			? []
			: [{ name, operation: operations[name], method: route.method, path: route.path, ownRoute: route }];
	return [
		...ownRoute.reads.flatMap((read) => routeOf(singleReadOf(record), { ...read, isClear: false })),
		...[...ownRoute.writes, ...ownRoute.clears].flatMap((write) => routeOf(changeOf(record), write)),
	];
}

/** The change of single properties. A PUT clears what it leaves out. */
function ownBodyIn(ownRoute: OwnRoute, sent: unknown, { body }: Operation, current: () => unknown): Json {
	const change: Json = {};
	for (const property of ownRoute.properties) {
		const path = property.ours.split(".");
		const value = ownRoute.isClear
			? null
			: (property.inBody(sent, countryOf(current())) ?? (ownRoute.method === "PATCH" ? undefined : null));
		if (value === undefined) continue;
		const top = path[0] as string;
		if (path.length > 1 && change[top] === undefined) change[top] = structuredClone(at(current(), top));
		put(change, path, value);
	}
	return fitting(body, change) as Json;
}

const countryOf = (record: unknown): string | undefined => {
	const country = at(record, "country");
	return typeof country === "string" ? country : undefined;
};

/** The values of single properties, as their read shows them. */
function ownResponseOut({ properties }: OwnRoute, record: unknown): unknown {
	return properties.reduce<unknown>(
		(response, property) =>
			property.responseWith(isObject(response) ? response : {}, at(record, property.ours), countryOf(record)),
		{},
	);
}

/** A request's body in the contract's names. */
function bodyIn(service: ServiceDescription, name: OperationName, body: unknown): unknown {
	const envelope = service.envelopeOf(name).request;
	const part = envelope === undefined ? body : at(body, envelope);
	const { whole } = service.target(name) ?? {};
	const sent = typeof whole === "string" ? mergeAt({}, whole, part) : part;
	if (!isObject(sent) || name === "buyNumber") return sent;
	const fixed = Object.keys(service.description.send?.[name] ?? {});
	const rest = Object.fromEntries(Object.entries(sent).filter(([key]) => !fixed.includes(key)));
	return service.mapping(recordOf(name), "sent")?.toOurs(rest) ?? rest;
}

/** The parameters in the contract's names, each as often as it was sent. */
function queryIn(service: ServiceDescription, name: OperationName, query: URLSearchParams): [string, string][] {
	const { cursor = "cursor", limit = "limit" } = service.description.lists ?? {};
	const fixed = Object.keys(service.target(name)?.query ?? {});
	const mapping = service.mapping(recordOf(name), "sent");
	const operation: Operation = operations[name];
	const filters = Object.keys(operation.query?.shape ?? {});
	return [...query].flatMap(([key, value]) => {
		if (fixed.includes(key)) return [];
		const named = { [cursor]: "cursor", ...(limit === false ? {} : { [limit]: "limit" }) }[key];
		if (named !== undefined) return [[named, value]];
		const filter = filters.find((field) => mapping?.field(field)?.sent === key);
		return [filter === undefined ? [key, value] : [filter, String(mapping?.field(filter)?.toOurs(value))]];
	});
}

/** A response's body in the service's names. */
export function responseOut(service: ServiceDescription, name: OperationName, json: unknown): unknown {
	const mapping = service.mapping(recordOf(name));
	const recordOut = (ours: unknown) => (isObject(ours) ? (mapping?.toTheirs(ours) ?? ours) : ours);
	if (isList(name) && isObject(json)) {
		const { next = "next_cursor" } = service.description.lists ?? {};
		const { data, next_cursor, ...rest } = json;
		const page = mergeAt(rest, service.itemsOf(name), (data as unknown[]).map(recordOut));
		return service.isPaged ? mergeAt(page, next, next_cursor) : page;
	}
	const envelope = service.envelopeOf(name).response;
	if (envelope === false) return undefined;
	return envelope === undefined ? recordOut(json) : mergeAt({}, envelope, recordOut(json));
}

export function errorOut({ description }: ServiceDescription, json: unknown): unknown {
	if (!isObject(json)) return json;
	const { code = "error", message = "message", requestId = "request_id", codes = {} } = description.errors ?? {};
	const { error, message: text, request_id, ...rest } = json;
	const theirs = [codes[error as ErrorCode] ?? error].flat()[0];
	return mergeAt(mergeAt(mergeAt(rest, code, theirs), message, text), requestId, request_id);
}

/** Removes what a schema doesn't know, at any depth: a record that is sent back whole has more than a change may have. */
function fitting(schema: unknown, value: unknown): unknown {
	const knownPaths = new Set([...fieldsIn(schema)].map(([path]) => path));
	const reduce = (part: unknown, path: string): unknown => {
		if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
		const hasParts = path === "" || [...knownPaths].some((knownPath) => knownPath.startsWith(`${path}.`));
		if (!hasParts) return part;
		return Object.fromEntries(
			Object.entries(part).flatMap(([key, field]) => {
				const inner = path === "" ? key : `${path}.${key}`;
				return knownPaths.has(inner) ? [[key, reduce(field, inner)]] : [];
			}),
		);
	};
	return reduce(value, "");
}
