/** The grammar of a service description. The generator of docs/reference/service-description.md takes types from it. */
import { z } from "zod";
import { isZone } from "./times";
import { writings } from "./values";

/** Makes the schema. Most stacks don't need it, and each start would pay for it. A description has only the differences. */
export function descriptionSchema() {
	const place = z.string().regex(/^[^.\s][^\s]*$/, "must be the name of a field, or a path such as tags.pulumi");
	const word = z.union([z.string(), z.number(), z.boolean()]);
	const oneOrMore = z.union([z.string(), z.array(z.string()).min(1)]);
	const Request = z
		.string()
		.regex(/^(GET|POST|PUT|PATCH|DELETE) \/\S*$/, "must be a method and a path, such as PUT /numbers/{id}");
	const omit = z.array(place).min(1);
	const OwnWrite = z.strictObject({
		request: Request,
		in: place.optional(),
		whole: z.boolean().optional(),
		omit: omit.optional(),
	});
	const FieldParts = z.strictObject({
		at: place.optional(),
		sent: place.optional(),
		write: z.union([Request, OwnWrite]).optional(),
		read: z.union([Request, z.strictObject({ request: Request, response: place.optional() })]).optional(),
		clear: Request.optional(),
		empty: z.unknown().optional(),
		as: z.enum(writings).optional(),
		values: z.record(z.string(), z.union([word, z.array(word).min(1)])).optional(),
		each: z.string().min(1).optional(),
		most: z.int().min(1).optional(),
		is: z.string().min(1).optional(),
	});
	const Field = z.union([z.literal(false), place, FieldParts]);
	const RequestParts = z.strictObject({
		request: Request.optional(),
		whole: z.union([z.boolean(), place]).optional(),
		omit: omit.optional(),
		in: place.optional(),
		response: z.union([z.literal(false), place]).optional(),
	});
	const Envelope = z.strictObject({ response: place.optional(), request: place.optional() });
	const Lists = z.strictObject({
		items: place.optional(),
		next: place.optional(),
		cursor: z.string().min(1).optional(),
		limit: z.union([z.literal(false), z.string().min(1)]).optional(),
		paged: z.boolean().optional(),
	});
	const Errors = z.strictObject({
		code: place.optional(),
		message: place.optional(),
		requestId: place.optional(),
		codes: z.record(z.string(), oneOrMore).optional(),
	});
	const Headers = z.strictObject({
		idempotencyKey: z.string().min(1).optional(),
		replayed: z.string().min(1).optional(),
	});
	return z.strictObject({
		zone: z.string().refine(isZone, "must be a time zone, such as Europe/Berlin").optional(),
		operations: z.record(z.string(), z.union([z.literal(false), Request, RequestParts])).optional(),
		records: z.record(z.string(), z.record(z.string(), Field)).optional(),
		envelopes: z.record(z.string(), Envelope).optional(),
		send: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
		lists: Lists.optional(),
		errors: Errors.optional(),
		headers: Headers.optional(),
		features: z.string().optional(),
	});
}
export type Description = z.infer<ReturnType<typeof descriptionSchema>>;
export type RecordDescription = NonNullable<Description["records"]>[string];
type RecordField = RecordDescription[string];
export type FieldDescription = Exclude<RecordField, false | string>;
export type RequestDescription = Exclude<NonNullable<Description["operations"]>[string], false | string>;

export const fieldOf = (field: RecordField | undefined): FieldDescription | undefined =>
	field === false || field === undefined ? undefined : typeof field === "string" ? { at: field } : field;

/** Splits `GET /numbers?kind=voice`; the query is sent with each request. */
export function requestOf(text: string): { method: string; path: string; query: Readonly<Record<string, string>> } {
	const [method = "", target = ""] = text.split(" ");
	const [path = "", query = ""] = target.split("?");
	return { method, path, query: Object.fromEntries(new URLSearchParams(query)) };
}

export const textOf = (request: string | { readonly request: string }): string =>
	typeof request === "string" ? request : request.request;
