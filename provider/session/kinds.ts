/** The kinds of objects on an account. */
import type { Client } from "../api/client";
import type { KycProfileRecord, NumberRecord, PortOrderRecord, TrunkRecord, WebhookRecord } from "../api/contract";
import { portPhaseOf } from "../api/record";
import { keepUnreadable } from "../api/response";
import type { Source } from "../reads/reads";

/** The sources of each kind, by its noun in messages. */
export const kinds = {
	number: ({ numbers }: Client): Source<NumberRecord> => ({
		pages: () => numbers.pages(),
		get: (id) => numbers.getById(id),
	}),
	trunk: ({ trunks }: Client): Source<TrunkRecord> => trunks,
	webhook: ({ webhooks }: Client): Source<WebhookRecord> => webhooks,
	"KYC profile": ({ kyc: { profiles } }: Client): Source<KycProfileRecord> => profiles,
	/** A cancelled order no longer brings numbers. */
	"port order": ({ portOrders }: Client): Source<PortOrderRecord> => ({
		pages: () => withoutCancelled(portOrders.pages()),
		get: (id) => portOrders.get(id),
	}),
};

export type Kind = keyof typeof kinds;
export type RecordOf<K extends Kind> =
	ReturnType<(typeof kinds)[K]> extends Source<infer R extends { readonly id: string }> ? R : never;

async function* withoutCancelled(
	pages: AsyncIterable<readonly PortOrderRecord[]>,
): AsyncGenerator<readonly PortOrderRecord[]> {
	for await (const page of pages) {
		const kept = page.filter((record) => portPhaseOf(record) !== "cancelled");
		yield keepUnreadable(page, kept, ({ fields }) => portPhaseOf(fields) !== "cancelled");
	}
}

export const forEachKind = <T>(made: (kind: Kind) => T): Readonly<Record<Kind, T>> =>
	Object.fromEntries(Object.keys(kinds).map((kind) => [kind, made(kind as Kind)])) as Record<Kind, T>;
