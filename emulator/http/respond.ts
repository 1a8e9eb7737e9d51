import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { ErrorBody, type OperationName } from "../../provider/api/contract";
import { ServiceError } from "../request/errors";
import type { Service } from "../service/service";
import type { Reply, Sent } from "../store/idempotency";
import { newId } from "../store/random";
import { timestamp } from "../time/clock";

const errorReply = (error: unknown, requestId: string): Reply => {
	const refusal =
		error instanceof ServiceError
			? error
			: new ServiceError(
					"internal_error",
					`The emulator has an internal error: ${error instanceof Error ? error.message : error}.`,
				);
	const body: ErrorBody = { error: refusal.error, message: refusal.message, request_id: requestId };
	return {
		status: refusal.status,
		body: ErrorBody.parse(refusal.details === undefined ? body : { ...body, details: refusal.details }),
		headers: refusal.headers,
	};
};

export const attempt = (handle: () => Reply, requestId: string): Reply => {
	try {
		return handle();
	} catch (error) {
		return errorReply(error, requestId);
	}
};

/** A response as it is sent. */
const wire = (reply: Reply, requestId: string, date: string, more: Record<string, string>): Sent => {
	if (reply.html !== undefined) {
		return {
			status: reply.status,
			headers: { "Content-Type": "text/html", Date: date },
			body: reply.html,
		};
	}
	const { media, status } = reply;
	const type = media?.type ?? (reply.body === undefined ? undefined : "application/json");
	const body = media?.bytes ?? (reply.body === undefined ? undefined : JSON.stringify(reply.body));
	const headers = { "X-Request-Id": requestId, Date: date, ...more, ...reply.headers };
	return { status, headers: type === undefined ? headers : { "Content-Type": type, ...headers }, body };
};

/** Responds to data that isn't a valid request, such as one without a host. */
export const refuseUnread = (service: Service, error: unknown): Response => {
	const request_id = newId("req", service.random);
	const { message } = error as Error;
	const reply = errorReply(new ServiceError("bad_request", `The request is not valid HTTP: ${message}.`), request_id);
	const sent = wire(reply, request_id, new Date(service.clock.now()).toUTCString(), {});
	return new Response(sent.body ?? null, sent);
};

interface Respond {
	/** Called after the work. @default no headers */
	readonly headers?: () => Record<string, string>;
	/** A request under `/v1`, which the journal keeps; without an operation if its path is unknown. */
	readonly call?: { readonly operation: OperationName | undefined };
	/** Renames the reply for a service description. */
	readonly words?: (reply: Reply) => Reply;
}

/** Does the work and sends its reply, if any. */
export const respond = async (
	service: Service,
	c: Context<{ Bindings: HttpBindings }>,
	work: (requestId: string) => Promise<Reply | undefined>,
	{ headers = () => ({}), call, words = (reply) => reply }: Respond = {},
): Promise<Response> => {
	const request_id = newId("req", service.random);
	const { method, url } = c.req;
	const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
	const at = timestamp(service.clock.now());
	const entry = call && service.journal.add({ method, path, status: null, request_id, at }, call.operation);
	const worked = await work(request_id).catch((error: unknown) => errorReply(error, request_id));
	if (worked === undefined) {
		if (entry) service.log(`${method} ${path} – no response because of a fault ${request_id}`);
		return RESPONSE_ALREADY_SENT;
	}
	// A response shows only what is on disk, also to a read.
	const reply = await service.committed().then(
		() => worked,
		(error: unknown) => errorReply(error, request_id),
	);
	if (entry) {
		service.journal.answered(entry, reply);
		service.log(`${method} ${path} ${reply.status}${entry.error === undefined ? "" : ` ${entry.error}`} ${request_id}`);
	}
	const sent = wire(words(reply), request_id, new Date(service.clock.now()).toUTCString(), headers());
	if (reply.cut !== undefined) {
		await reply.cut(sent);
		return RESPONSE_ALREADY_SENT;
	}
	const outgoing = c.env?.outgoing;
	if (outgoing === undefined) return new Response(sent.body ?? null, sent);
	// Writes to Node: a Response takes twice as long.
	const length = sent.body === undefined ? {} : { "Content-Length": Buffer.byteLength(sent.body) };
	outgoing.writeHead(sent.status, { ...sent.headers, ...length }).end(sent.body);
	return RESPONSE_ALREADY_SENT;
};
