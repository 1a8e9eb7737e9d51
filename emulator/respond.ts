import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { ErrorBody } from "../provider/api/contract";
import { timestamp } from "./clock";
import { ServiceError } from "./errors";
import type { Reply } from "./idempotency";
import { recordAnswer } from "./journal";
import { newId } from "./random";
import type { Service } from "./service";

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

/** What comes of a request, refusals too. */
export const attempt = (handle: () => Reply, requestId: string): Reply => {
	try {
		return handle();
	} catch (error) {
		return errorReply(error, requestId);
	}
};

/** Runs the work and answers what comes of it, if anything, with the headers that every answer has. */
export const respond = async (
	service: Service,
	work: (requestId: string) => Promise<Reply | undefined>,
	headers: () => Record<string, string>,
	journal?: { method: string; path: string },
) => {
	const request_id = newId("req", service.random);
	const entry =
		journal && service.journal.add({ ...journal, status: null, request_id, at: timestamp(service.clock.now()) });
	const worked = await work(request_id).catch((error: unknown) => errorReply(error, request_id));
	if (worked === undefined) return RESPONSE_ALREADY_SENT;
	// Nothing is told, to readers either, that a crash could undo.
	const reply = await service.committed().then(
		() => worked,
		(error: unknown) => errorReply(error, request_id),
	);
	if (entry) recordAnswer(entry, reply);
	const date = new Date(service.clock.now()).toUTCString();
	if (reply.html !== undefined) {
		return new Response(reply.html, { status: reply.status, headers: { "Content-Type": "text/html", Date: date } });
	}
	const { media } = reply;
	const type = media?.type ?? (reply.body === undefined ? undefined : "application/json");
	const body = media?.bytes ?? (reply.body === undefined ? null : JSON.stringify(reply.body));
	const answer = new Response(body, {
		status: reply.status,
		headers: {
			...(type === undefined ? {} : { "Content-Type": type }),
			"X-Request-Id": request_id,
			Date: date,
			...headers(),
			...reply.headers,
		},
	});
	if (reply.cut === undefined) return answer;
	await reply.cut(answer);
	return RESPONSE_ALREADY_SENT;
};
