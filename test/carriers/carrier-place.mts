/** A carrier as a place, with its service description. */
import { join } from "node:path";
import { VirtualClock } from "../sim/account.mts";
import type { Carrier, CarrierOptions, Row } from "./carrier.mts";
import { startKiwivoice } from "./kiwivoice.mts";
import { startNordtel } from "./nordtel.mts";
import { startPampafone } from "./pampafone.mts";
import type { Place, PlaceClock, PlacedNumber } from "./place.mts";

/** The meaning of a carrier's rows, and the edits of its dashboard. */
interface Dashboard {
	readonly start: (options: CarrierOptions) => Promise<Carrier>;
	readonly hasReferences: boolean;
	readonly hasSilentKeys: boolean;
	readonly hasWebhookUpdates: boolean;
	/** The field that holds an object's id. */
	readonly id: string;
	isLive(row: Row): boolean;
	/** True if the identity check of the number waits for a decision. */
	isUndecided(row: Row): boolean;
	numberOf(row: Row): Omit<PlacedNumber, "id">;
	label(row: Row, text: string): Row;
	capacity(capacity: number): Row;
}

type Nested = Readonly<Record<string, unknown>>;

export const dashboards = {
	nordtel: {
		start: startNordtel,
		hasReferences: true,
		hasSilentKeys: false,
		hasWebhookUpdates: true,
		id: "id",
		isLive: ({ state, terminated_at }) => state !== "terminated" && terminated_at === undefined,
		isUndecided: ({ state }) => state === "pending",
		numberOf: ({ label_text, voice, state }) => {
			const { mode, target } = voice as Nested;
			return {
				label: textOf(label_text),
				trunkId: mode === "trunk" ? String(target) : undefined,
				isPending: state === "pending" || state === "in_review",
			};
		},
		label: (_, text) => ({ label_text: text }),
		capacity: (capacity) => ({ channels: capacity }),
	},
	pampafone: {
		start: startPampafone,
		hasReferences: false,
		hasSilentKeys: false,
		hasWebhookUpdates: false,
		id: "id",
		isLive: () => true,
		isUndecided: ({ line }) => (line as Nested).status === "pending",
		numberOf: ({ line, settings }) => {
			const { nombre, desvio } = settings as { nombre: string; desvio: Nested };
			return {
				label: textOf(nombre),
				trunkId: desvio.kind === "troncal" ? String(desvio.value) : undefined,
				isPending: (line as Nested).status === "pending",
			};
		},
		label: ({ settings }, text) => ({ settings: { ...(settings as Nested), nombre: text } }),
		capacity: (capacity) => ({ capacidad: String(capacity) }),
	},
	kiwivoice: {
		start: startKiwivoice,
		hasReferences: false,
		hasSilentKeys: true,
		hasWebhookUpdates: true,
		id: "ref",
		isLive: ({ status }) => status !== "ceased",
		isUndecided: ({ status }) => status === "pending",
		numberOf: ({ note, voice, status }) => {
			const { type, value } = (voice as { destination: Nested }).destination;
			return {
				label: textOf(note),
				trunkId: type === "trunk" ? String(value) : undefined,
				isPending: status === "pending",
			};
		},
		label: (_, text) => ({ note: text }),
		capacity: (capacity) => ({ max_calls: capacity }),
	},
} as const satisfies Readonly<Record<string, Dashboard>>;

const textOf = (value: unknown): string | undefined => (value ? String(value) : undefined);

export async function openCarrier(
	name: keyof typeof dashboards,
	clock: PlaceClock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z")),
): Promise<Place & { readonly carrier: Carrier }> {
	const dashboard: Dashboard = dashboards[name];
	const carrier = await dashboard.start({ now: () => clock.now() });
	const [account, strangers] = carrier.accounts;
	if (account === undefined || strangers === undefined) throw new Error(`${name} has no two accounts`);
	const rowsOf = (kind: "number" | "trunk" | "webhook"): readonly Row[] =>
		carrier.rows(account.name, kind).filter((row) => kind !== "number" || dashboard.isLive(row));
	const idOf = (row: Row) => String(row[dashboard.id]);
	const rowOf = (id: string) => rowsOf("number").find((row) => idOf(row) === id) as Row;
	return {
		name,
		carrier,
		url: carrier.url,
		apiKey: account.key,
		stranger: { url: carrier.url, apiKey: strangers.key },
		clock,
		config: { "telephony:service": join(import.meta.dirname, `${name}.yaml`) },
		hasReferences: dashboard.hasReferences,
		hasSilentKeys: dashboard.hasSilentKeys,
		hasWebhookUpdates: dashboard.hasWebhookUpdates,
		open: { country: "GB", type: "mobile" },
		regulated: { country: "DE", type: "geographic", area: "30" },
		log: () =>
			carrier.log.map(({ account: name, what, kind, id }) => ({ what, kind, id, isStrangers: name !== account.name })),
		numbers: () => rowsOf("number").map((row) => ({ id: idOf(row), ...dashboard.numberOf(row) })),
		ids: (kind) => rowsOf(kind).map(idOf),
		label: (id, text) => carrier.edit(account.name, "number", id, dashboard.label(rowOf(id), text)),
		capacity: (id, capacity) => carrier.edit(account.name, "trunk", id, dashboard.capacity(capacity)),
		approveAll() {
			for (const row of rowsOf("number")) if (dashboard.isUndecided(row)) carrier.approve(account.name, idOf(row));
		},
		close: () => carrier.close(),
	};
}
