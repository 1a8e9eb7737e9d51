import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { ErrorBody } from "../../provider/api/contract";
import { ServiceError } from "../request/errors";
import type { Service } from "../service/service";
import type { Reply, Sent } from "../store/idempotency";
import { newId } from "../store/random";
import { timestamp } from "../time/clock";

const errorReply = (error: unknown, requestId: string): Reply => {
	const refusal =
		error instanceof ServiceError
			? error
			: new ServiceError("internal_error", `The emulator failed: ${error instanceof Error ? error.message : error}.`);
	const body: ErrorBody = { error: refusal.error, message: refusal.message, request_id: requestId };
	return {
		status: refusal.status,
		body: ErrorBody.parse(refusal.details === undefined ? body : { ...body, details: refusal.details }),
		headers: refusal.headers,
	};
};

/** The reply to a request, including refusals. */
export const attempt = (handle: () => Reply, requestId: string): Reply => {
	try {
		return handle();
	} catch (error) {
		return errorReply(error, requestId);
	}
};

/** An answer as it is sent. */
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

/** The answer to what can't be read as a request, such as one without a host. */
export const refuseUnread = (service: Service, error: unknown): Response => {
	const request_id = newId("req", service.random);
	const { message } = error as Error;
	const reply = errorReply(new ServiceError("bad_request", `The request can't be read: ${message}.`), request_id);
	const sent = wire(reply, request_id, new Date(service.clock.now()).toUTCString(), {});
	return new Response(sent.body ?? null, sent);
};

interface Respond {
	/** Asked once the work is done. Default: none. */
	readonly headers?: () => Record<string, string>;
	/** Of the service, and so kept in the journal. Default: of the control API or console. */
	readonly isCall?: boolean;
	/** Puts a reply into the words that it is sent in, once it is noted. Default: the contract's. */
	readonly words?: (reply: Reply) => Reply;
}

/** Runs the work and sends its reply, if any, with the headers that every answer has. */
export const respond = async (
	service: Service,
	c: Context<{ Bindings: HttpBindings }>,
	work: (requestId: string) => Promise<Reply | undefined>,
	{ headers = () => ({}), isCall = false, words = (reply) => reply }: Respond = {},
): Promise<Response> => {
	const request_id = newId("req", service.random);
	const { method, url } = c.req;
	const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
	const entry = isCall
		? service.journal.add({ method, path, status: null, request_id, at: timestamp(service.clock.now()) })
		: undefined;
	const worked = await work(request_id).catch((error: unknown) => errorReply(error, request_id));
	if (worked === undefined) {
		if (entry) service.log(`${method} ${path} – no answer, by a fault ${request_id}`);
		return RESPONSE_ALREADY_SENT;
	}
	// Nothing is told, not even to a read, that a crash could undo.
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
	// Written straight to Node: through a Response it takes twice as long.
	const length = sent.body === undefined ? {} : { "Content-Length": Buffer.byteLength(sent.body) };
	outgoing.writeHead(sent.status, { ...sent.headers, ...length }).end(sent.body);
	return RESPONSE_ALREADY_SENT;
};
