import { z } from "zod";
import { PlaceCall } from "../../../provider/api/contract";
import { callRecord } from "../../http/traffic";
import { newRow, type Service } from "../../service/service";
import { newId } from "../../store/random";
import type { CallRow, DeliveryRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { headersOf, isCommitted, problemOf, withoutQuery } from "../webhooks/deliveries";

const seconds = z.number().int().min(1).max(3600).optional();
const record = z.boolean().optional();

/** What a program may say to a call. Unknown properties are refused, so that a typing error is seen. */
const CallAnswer = z.discriminatedUnion("action", [
	z.strictObject({ action: z.literal("answer"), record, talk_seconds: seconds }),
	z.strictObject({ action: z.literal("reject"), reason: z.enum(["busy", "rejected"]).optional() }),
	z.strictObject({ action: z.literal("forward"), to: PlaceCall.shape.to, record }),
	z.strictObject({
		action: z.literal("play"),
		/** Nothing is played here: both are only checked. */
		url: z.url().optional(),
		text: z.string().max(4096).optional(),
		seconds,
		record,
	}),
	z.strictObject({ action: z.literal("hang_up") }),
]);
export type CallAnswer = z.output<typeof CallAnswer>;

const event = "call.incoming";

/** The answer, or what is wrong with it; `nobody` if it says nothing. */
const read = (body: string): { answer: CallAnswer | "nobody" } | { error: string } => {
	if (body.trim() === "") return { answer: "nobody" };
	try {
		const parsed = CallAnswer.safeParse(JSON.parse(body));
		if (parsed.success) return { answer: parsed.data };
		const [issue] = parsed.error.issues;
		return { error: `answered what is no action: ${issue?.path.join(".")}: ${issue?.message}` };
	} catch {
		return { error: "answered what is not JSON" };
	}
};

/**
 * Posts the call to the program that its number is routed to. `failed`: it can't be reached, or its answer is of no
 * use. `nobody`: there is nobody to ask, or nothing was said, and so the settings decide.
 */
export const askWebhook = (
	service: Service,
	call: CallRow,
	then: (answer: CallAnswer | "failed" | "nobody") => void,
): void => {
	const url = String((call.route as { url?: unknown }).url);
	service.courier.add(`call ${call.id}`, service.clock.now(), async (at, signal) => {
		const payload = JSON.stringify({ type: event, timestamp: timestamp(at), data: callRecord(service, call) });
		const row: DeliveryRow = {
			...newRow(service, "dlv"),
			webhook_id: null,
			event_id: newId("evt", service.random),
			event,
			url,
			payload,
			resend_of: null,
			badly_signed: false,
			status: "pending",
			attempts: [],
			next_at: null,
		};
		if (!(await isCommitted(service))) return "done";
		const sent = { url, headers: headersOf(service, row, null, at), body: payload, readsAnswer: true };
		const outcome = await service.post.send(sent, service.settings.deliveryTimeoutMs, signal);
		if (signal.aborted) return "done";
		const problem = problemOf(outcome);
		const said = problem === null ? read(outcome.body) : { error: problem };
		const error = "error" in said ? said.error : null;
		const status = outcome.refused ? "refused" : error === null ? "delivered" : "failed";
		// There is no second attempt: nobody waits for an answer that comes minutes later.
		const tried = { ...row, status, attempts: [{ at: timestamp(at), status: outcome.status, error }] } as const;
		service.store.deliveries.put({ ...tried, attempts: [...tried.attempts] });
		service.log(`→ ${event} ${withoutQuery(url)} ${error ?? outcome.status} ${row.id}`);
		if (outcome.refused) then("nobody");
		else then("answer" in said ? said.answer : "failed");
		return outcome.hung ? "hung" : "done";
	});
};
