/** The emulator as a place: two accounts of one seed, so that both have the same ids. */
import { createEmulator, type Emulator, liveNumbers, VirtualClock } from "../sim/account.mts";
import type { Place, PlaceClock, PlacedEntry } from "./place.mts";

const kindOfId = (id: string) => (id.startsWith("trk") ? "trunk" : id.startsWith("whk") ? "webhook" : "number");

export async function openEmulator(
	features: Readonly<Record<string, boolean>> = {},
	clock: PlaceClock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z")),
): Promise<Place> {
	const open = (apiKey: string) =>
		createEmulator({ ...(clock instanceof VirtualClock ? { clock } : {}), kyc: "20d", seed: 7, apiKey });
	const [account, strangers] = [await open("key-one"), await open("key-two")];
	for (const { control } of [account, strangers]) control.settings({ features });
	const { control } = account;
	const entries = (emulator: Emulator, isStrangers: boolean): PlacedEntry[] => [
		...emulator.control.ledger().flatMap(({ kind, number_id: id }): PlacedEntry[] => {
			if (kind !== "purchase" && kind !== "release") return [];
			return [{ what: kind, kind: "number", id, isStrangers }];
		}),
		...emulator.control.requests().flatMap(({ method, path, status }): PlacedEntry[] => {
			const [, area, id = ""] = /^\/v1\/(trunks|webhooks|numbers)(?:\/(\w+))?/.exec(path) ?? [];
			if (method === "GET" || area === undefined || (status ?? 0) >= 300 || (area === "numbers" && method !== "PATCH"))
				return [];
			const what = method === "DELETE" ? "remove" : method === "PATCH" ? "change" : "create";
			return [{ what, kind: kindOfId(id), id, isStrangers }];
		}),
	];
	return {
		name: `emulator${Object.keys(features).length > 0 ? " without references and keys" : ""}`,
		url: account.url,
		apiKey: account.apiKey,
		stranger: { url: strangers.url, apiKey: strangers.apiKey },
		clock,
		config: {},
		hasSilentKeys: false,
		hasReferences: features.reference !== false,
		hasWebhookUpdates: true,
		open: { country: "NL", type: "mobile" },
		regulated: { country: "DE", type: "geographic", area: "30" },
		log: () => [...entries(account, false), ...entries(strangers, true)],
		numbers: () =>
			liveNumbers(control).map(({ id, label, routing, status }) => ({
				id,
				label: label ?? undefined,
				trunkId: routing?.type === "trunk" ? String(routing.trunk_id) : undefined,
				isPending: status === "pending",
			})),
		ids: (kind) => control.state()[kind === "trunk" ? "trunks" : "webhooks"].map(({ id }) => id),
		label: (id, text) => void control.patchNumber(id, { label: text }),
		capacity: (id, capacity) => void control.patchTrunk(id, { capacity }),
		approveAll() {
			for (const { id, status } of liveNumbers(control)) if (status === "pending") control.decide(id, "approve");
		},
		close: async () => void (await Promise.all([account.close(), strangers.close()])),
	};
}
