/** One order of a number: the request under its key, and what its answer means. */

import type { NumberRecord, PurchaseRecord } from "../../api/contract";
import { boughtIn, unreadHint } from "../../api/description/hint";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import type { ServiceResponse } from "../../api/response";
import { isKeyed } from "../../session/staleness";
import type { Purchase, ShownNumber } from "./acquisition";
import { isAfter, lateLikes, unknownOutcome } from "./candidates";

type Sent = { readonly answer: ServiceResponse<PurchaseRecord> } | { readonly error: TelephonyError };

/** `since`: service time of the first try, as a request may wait for its turn. `tries`: how often it was sent. */
export type Ordered = Sent & { readonly since: number; readonly tries: number };

/** What an order came to. */
export type Outcome =
	/** The key led to a refusal before, or to a number that is another declaration's by now. */
	| { readonly is: "spent" }
	| { readonly is: "failed"; readonly error: TelephonyError }
	/** Nobody knows whether a number was sold. */
	| { readonly is: "unanswered"; readonly error: TelephonyError }
	/** A number was sold, and the answer doesn't say which. */
	| { readonly is: "unread"; readonly cause: Error }
	| { readonly is: "repeated without an id" }
	| { readonly is: "repeated"; readonly record: ShownNumber }
	/** `isOlder`: its time is before the request: another clock's, or the service repeats an answer without saying so. */
	| { readonly is: "sold"; readonly record: ShownNumber; readonly isOlder: boolean };

interface Known {
	/** Whether the list showed it before the purchase. */
	isListed(id: string): boolean;
	/** Whether another declaration of this run has it. */
	isAnothers(id: string): boolean;
}

export function outcomeOf(ordered: Sent & Pick<Ordered, "since">, { isListed, isAnothers }: Known): Outcome {
	if ("error" in ordered) {
		const { error } = ordered;
		if (error.kind === "ContractMismatch") return { is: "unread", cause: error };
		// A refusal stays until its key expires, even if its cause is gone.
		if (error.replayed) return { is: "spent" };
		return { is: error.kind === "OutcomeUnknown" ? "unanswered" : "failed", error };
	}
	const { data: record, replayed } = ordered.answer;
	if (!hasId(record)) return replayed ? { is: "repeated without an id" } : { is: "unread", cause: namesNone(record) };
	if (isAnothers(record.id)) return { is: "spent" };
	if (replayed || isListed(record.id)) return { is: "repeated", record };
	return { is: "sold", record, isOlder: isAfter(record.created_at, ordered.since) === false };
}

function namesNone(record: PurchaseRecord): Error {
	const shown = boughtIn(record).join(", ");
	return new Error(`The response has no number id. ${shown && `It has ${shown}. `}${unreadHint(record)}`);
}

export const hasId = (record: PurchaseRecord): record is ShownNumber => record.id !== undefined;

/** Sends one. A rate-limited purchase may have been carried out anyway: without a key, the list decides. */
export async function order(
	purchase: Purchase,
	before: readonly NumberRecord[],
	idempotencyKey: string,
): Promise<Ordered> {
	const { session, service, criteria } = purchase;
	let since: number | undefined;
	let sendings = 0;
	const body = () => {
		// Another answer may have come while this request waited for its turn.
		if (session.memory.number.isUnclear) throw new Unclear();
		since ??= service.client.now();
		sendings += 1;
		return criteria;
	};
	const send = async (): Promise<Sent> => {
		for (;;) {
			await onceClear(purchase);
			try {
				return { answer: await service.client.numbers.buy(body, { idempotencyKey }) };
			} catch (error) {
				if (isTelephonyError(error)) return { error };
				if (!(error instanceof Unclear)) throw error;
			}
		}
	};
	for (let tries = 1; ; tries++) {
		const sent = await send();
		const isDone = !("error" in sent) || sent.error.kind !== "RateLimited" || isKeyed(service) || tries === 3;
		if (isDone) return { since: since ?? service.client.now(), tries: sendings, ...sent };
		const found = await lateLikes(purchase, before);
		if (found instanceof Error || found.length > 0)
			throw unknownOutcome(purchase, found, sent.error.message, sent.error);
	}
}

/** Nothing was sent: another purchase of this run is to be cleared up first. */
class Unclear extends Error {}

/** @throws TelephonyError OutcomeUnknown, if nobody knows what another purchase of this run has bought */
async function onceClear({ session }: Purchase): Promise<void> {
	try {
		await session.memory.number.isClear();
	} catch (error) {
		throw new TelephonyError(
			"OutcomeUnknown",
			`Nothing was bought for this resource, because the response to another purchase of this run can't be read. ${isTelephonyError(error) ? error.text : String(error)}`,
			{ operation: "buyNumber", messageCode: "purchase-unknown", cause: error },
		);
	}
}
