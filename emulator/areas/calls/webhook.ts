import { z } from "zod";
import { PlaceCall } from "../../../provider/api/contract";
import { callRecord } from "../../http/traffic";
import type { Outcome } from "../../service/post";
import { newRow, type Service } from "../../service/service";
import { newId } from "../../store/random";
import type { CallRow, DeliveryRow } from "../../store/store";
import { timestamp } from "../../time/clock";
import { headersOf, isCommitted, problemOf, withoutQuery } from "../webhooks/deliveries";

const seconds = z.number().int().min(1).max(3600).optional();
const record = z.boolean().optional();

/** The actions that a webhook may return. Unknown properties are refused. */
const CallInstruction = z.discriminatedUnion("action", [
	z.strictObject({ action: z.literal("answer"), record, talk_seconds: seconds }),
	z.strictObject({ action: z.literal("reject"), reason: z.enum(["busy", "rejected"]).optional() }),
	z.strictObject({ action: z.literal("forward"), to: PlaceCall.shape.to, record }),
	z.strictObject({
		action: z.literal("play"),
		/** Not played. */
		url: z.url().optional(),
		text: z.string().max(4096).optional(),
		seconds,
		record,
	}),
	z.strictObject({ action: z.literal("hang_up") }),
]);
export type CallInstruction = z.output<typeof CallInstruction>;

const event = "call.incoming";

/** `failed`: no valid instruction. `none`: an empty response, or a webhook that `deliver` excludes. */
type Verdict = CallInstruction | "failed" | "none";

/** Reads the instruction of a webhook. */
const read = (body: string): { instruction: Verdict; error: string | null } => {
	if (body.trim() === "") return { instruction: "none", error: null };
	try {
		const parsed = CallInstruction.safeParse(JSON.parse(body));
		if (parsed.success) return { instruction: parsed.data, error: null };
		const [issue] = parsed.error.issues;
		return { instruction: "failed", error: `returned an unknown action: ${issue?.path.join(".")}: ${issue?.message}` };
	} catch {
		return { instruction: "failed", error: "did not return JSON" };
	}
};

const verdictOf = (outcome: Outcome): ReturnType<typeof read> => {
	const error = problemOf(outcome);
	return error === null ? read(outcome.body) : { instruction: outcome.refused ? "none" : "failed", error };
};

/** Posts the call to the webhook that its number is routed to. */
export const askWebhook = (service: Service, call: CallRow, then: (instruction: Verdict) => void): void => {
	const url = String((call.route as { url?: unknown }).url);
	service.courier.add(`call ${call.id}`, service.clock.now(), async (at, signal) => {
		const payload = JSON.stringify({ type: event, timestamp: timestamp(at), data: callRecord(service, call) });
		const row: DeliveryRow = {
			...newRow(service, "deliveries"),
			webhook_id: null,
			event_id: newId("evt", service.random),
			event,
			url,
			payload,
			badly_signed: false,
			status: "pending",
			attempts: [],
			next_at: null,
		};
		if (!(await isCommitted(service))) return "done";
		const sent = { url, headers: headersOf(service, row, null, at), body: payload, readsResponse: true };
		const outcome = await service.post.send(sent, service.settings.deliveryTimeoutMs, signal);
		if (signal.aborted) return "done";
		const { instruction, error } = verdictOf(outcome);
		const status = outcome.refused ? "refused" : error === null ? "delivered" : "failed";
		// There is no second attempt: the caller doesn't wait for minutes.
		const attempts = [{ at: timestamp(at), status: outcome.status, error }];
		service.store.deliveries.put({ ...row, status, attempts });
		service.log(`→ ${event} ${withoutQuery(url)} ${error ?? outcome.status} ${row.id}`);
		then(instruction);
		return outcome.hung ? "hung" : "done";
	});
};
