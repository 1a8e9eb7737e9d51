/** Operations: of an OpenAPI document, and of the contract. */
import $RefParser from "@apidevtools/json-schema-ref-parser";
import { openApi } from "../../emulator/http/openapi";
import { features, type OperationName, operations } from "../../provider/api/contract";
import { isObject, type Json } from "../../provider/api/json";
import { addressIn } from "../engine/config";
import { UsageError } from "../report/usage";
import { listOf, objectAt, type Shape, shapeOfSchema, textOf } from "./shape";

export interface Parameter {
	readonly name: string;
	readonly in: string;
	readonly isRequired: boolean;
	readonly shape: Shape;
}

/** An operation of a service. */
export interface Offered {
	readonly method: string;
	readonly path: string;
	readonly parameters: readonly Parameter[];
	readonly body: Shape | undefined;
	readonly response: Shape | undefined;
	/** Names of the response's headers. */
	readonly headers: readonly string[];
	/** Of an error. */
	readonly refusal: Shape | undefined;
}

export type Offers = ReadonlyMap<OperationName, Offered>;

/** Returns the JSON content of a body or a response. */
function findContent(value: unknown): Json | undefined {
	const [, content] = Object.entries(objectAt(value, "content")).find(([media]) => /json/i.test(media)) ?? [];
	return isObject(content) ? content : undefined;
}

const schemaShape = (content: Json | undefined): Shape | undefined =>
	content?.schema === undefined ? undefined : shapeOfSchema(content.schema);

function offeredOf(method: string, path: string, item: Json, operation: Json): Offered {
	const responses = Object.entries(objectAt(operation, "responses"));
	const refusals = responses.filter(([status]) => /^([45]|default)/.test(status));
	const [, success] = responses.find(([status]) => /^2/.test(status)) ?? [];
	return {
		method: method.toUpperCase(),
		path,
		parameters: [...listOf(item.parameters), ...listOf(operation.parameters)].filter(isObject).map((parameter) => ({
			name: textOf(parameter.name),
			in: textOf(parameter.in),
			isRequired: parameter.required === true,
			shape: shapeOfSchema(parameter.schema),
		})),
		body: schemaShape(findContent(operation.requestBody)),
		response: schemaShape(findContent(success)),
		headers: Object.keys(objectAt(success, "headers")),
		refusal: refusals.map(([, response]) => schemaShape(findContent(response))).find((shape) => shape !== undefined),
	};
}

const methods = ["get", "post", "put", "patch", "delete"];

export function operationsIn(document: Json): readonly Offered[] {
	const operations: Offered[] = [];
	for (const [path, item] of Object.entries(objectAt(document, "paths")))
		for (const method of methods) {
			const operation = objectAt(item, method);
			if (Object.keys(operation).length > 0) operations.push(offeredOf(method, path, item as Json, operation));
		}
	return operations;
}

/** @param source a file or a URL. @throws UsageError */
export async function readDocument(source: string): Promise<Json> {
	const isUrl = /^https?:\/\//.test(source);
	// The user has named the address; a document from there must not read files of this machine.
	const resolve = isUrl ? { http: { safeUrlResolver: false }, file: false } : { http: { safeUrlResolver: true } };
	// A URL may have a password or a token.
	const address = isUrl ? (addressIn(source) ?? "the address") : source;
	const document: unknown = await $RefParser.dereference(source, { resolve }).catch((error: unknown) => {
		const [reason] = (error as Error).message.split("\n");
		const text = (reason ?? "")
			.replaceAll(source, address)
			.replaceAll(URL.canParse(source) ? new URL(source).href : source, address);
		throw new UsageError("usage", `${address} can't be read as an OpenAPI document: ${text}`);
	});
	const version = isObject(document) ? textOf(document.openapi) : "";
	if (!/^3\.[01]\./.test(version) || !isObject(document))
		throw new UsageError(
			"usage",
			`${address} isn't an OpenAPI 3.0 or 3.1 document: its \`openapi\` is ${JSON.stringify(version)}.`,
		);
	return document;
}

/** Returns the contract's operations, read from its own document so that both sides have the same form. */
export async function contractOffers(): Promise<Offers> {
	const table = Object.entries(operations) as [OperationName, (typeof operations)[OperationName]][];
	const all = Object.fromEntries(features.map((feature) => [feature, true])) as Record<(typeof features)[number], true>;
	const document = await $RefParser.dereference(structuredClone(openApi(table, all)) as object);
	const offered = operationsIn(document as Json);
	return new Map(
		table.map(([name, { method, path }]) => [
			name,
			offered.find((operation) => operation.method === method && operation.path === path) as Offered,
		]),
	);
}
