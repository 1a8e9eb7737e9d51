/** The kinds of objects that programs declare. */
import type { z } from "zod";
import type { Client } from "../api/client";
import type { KindName, PortOrderRecord, kinds as serviceKinds } from "../api/contract";
import { portPhaseOf } from "../api/record";
import { keepUnreadable } from "../api/response";
import type { Source } from "../reads/reads";

type ServiceKind = (typeof serviceKinds)[KindName];
type RecordNamed<Noun extends ServiceKind["noun"]> = z.output<Extract<ServiceKind, { readonly noun: Noun }>["record"]>;

/** The sources of each kind, by its noun in messages. */
export const kinds = {
	number: (client) => ({
		pages: (options = {}) => client.numbers.pages(options),
		pending: () =>
			client.offers("statusFilter") ? client.numbers.pages({ isPoll: true, status: "pending" }) : undefined,
		get: (id, options = {}) => client.numbers.getById(id, options),
	}),
	trunk: ({ trunks }) => trunks,
	webhook: ({ webhooks }) => webhooks,
	"KYC profile": ({ kyc: { profiles } }): Source<RecordNamed<"KYC profile">> => profiles,
	/** A cancelled order no longer brings numbers. */
	"port order": ({ portOrders }) => ({
		pages: (options = {}) => withoutCancelled(portOrders.pages(options)),
		get: (id, options = {}) => portOrders.get(id, options),
	}),
} satisfies { readonly [Noun in ServiceKind["noun"]]?: (client: Client) => Source<RecordNamed<Noun>> };

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
