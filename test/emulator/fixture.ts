import { request } from "node:http";
import { text } from "node:stream/consumers";
import { beforeEach, expect } from "vitest";
import { VirtualClock } from "../../emulator";
import { useEmulator, type Wire } from "../helpers/emulator";
import { useReceiver } from "../helpers/receiver";

export const start = Date.parse("2026-01-01T00:00:00Z");
export const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const;
export const iso = (time: number): string => new Date(time).toISOString();
export const usd = (amount: string) => ({ amount, currency: "USD" });

export const mobile = (country = "US") => ({ country, type: "mobile" });
export const digest = { mode: "digest", username: "office-1" };
const paper = { kind: "other", filename: "a.pdf", media_type: "application/pdf", content: "JVBERi0xLjcK" };
export const company = {
	holder: "business",
	name: "Example GmbH",
	country: "DE",
	address: { street: "Unter den Linden 1", city: "Berlin", postal_code: "10117", country: "DE" },
};
export const move = {
	numbers: ["+31201234567", "+31612345678"],
	country: "NL",
	carrier: { name: "Old Telecom", account_number: "A-1", pin: "4711" },
	subscriber: { name: "Example B.V.", address: "Damrak 1, Amsterdam" },
};

/** The shape of an error response, which names `field` if given. */
export const refusal = (status: number, error: string, field?: string) => ({
	status,
	body: {
		error,
		...(field === undefined ? {} : { details: expect.arrayContaining([expect.objectContaining({ field })]) }),
	},
});

/** Sends headers that `fetch` reserves. */
export const sendRaw = (url: string, headers: Record<string, string>, method = "GET", body = "") =>
	new Promise<{ status: number; text: string; location: unknown; cookie: string }>((resolve, reject) => {
		const sent = request(url, { method, headers }, async (incoming) => {
			const { statusCode: status = 0, headers: received } = incoming;
			const { location, "set-cookie": cookie = "" } = received;
			const isStream = received["content-type"]?.startsWith("text/event-stream");
			const content = isStream ? "" : await text(incoming);
			incoming.destroy();
			resolve({ status, text: content, location, cookie: String(cookie) });
		});
		sent.on("error", reject).end(body);
	});

/** An emulator with a virtual clock, and short ways to call it. */
export const useVirtualEmulator = () => {
	const clock = new VirtualClock(start);
	const emulator = useEmulator({ clock, seed: 1 });
	const { call, outside } = emulator;
	const create = async (path: string, body: object, headers = {}) => (await call("POST", path, body, headers)).body;
	return {
		clock,
		emulator,
		call,
		outside,
		state: () => emulator.control.state(),
		set: (patch: Parameters<typeof emulator.control.settings>[0]) => emulator.control.settings(patch),
		post: (path: string, body?: unknown, headers = {}) => call("POST", path, body, headers),
		patch: (path: string, body: unknown) => call("PATCH", path, body),
		remove: (path: string) => call("DELETE", path),
		/** The body of a GET. */
		read: async (path: string) => (await call("GET", path)).body,
		/** All items of a list, page by page. */
		list: async (path: string): Promise<Wire[]> => {
			const found: Wire[] = [];
			for (let cursor: string | null = ""; cursor !== null; ) {
				const next = cursor === "" ? "" : `${path.includes("?") ? "&" : "?"}cursor=${cursor}`;
				const { body } = await call("GET", path + next);
				found.push(...body.data);
				cursor = body.next_cursor;
			}
			return found;
		},
		buy: (country = "US", type = "mobile", headers = {}) => create("/numbers", { country, type }, headers),
		trunk: (more: object = {}) => create("/trunks", { name: "office", auth: digest, capacity: 30, ...more }),
		hook: (more: object = {}) =>
			create("/webhooks", { url: "https://a.example/t", events: ["message.received"], ...more }),
		document: (more: object = {}) => create("/kyc/documents", { ...paper, ...more }),
		profile: (more: object = {}) => create("/kyc/profiles", { ...company, ...more }),
		port: (more: object = {}) => create("/port_orders", { ...move, ...more }),
	};
};

/** A virtual emulator with a receiver for its events. */
export const useEvents = () => {
	const fixture = useVirtualEmulator();
	const { clock, outside, hook, state } = fixture;
	const receiver = useReceiver();
	let began = 0;
	beforeEach(() => {
		began = clock.now();
	});
	const settled = () => outside("POST", "/_emulator/settled");
	return {
		...fixture,
		receiver,
		settled,
		listen: (events: readonly string[] = ["*"], more: object = {}) => hook({ url: receiver.url, events, ...more }),
		advance: async (by: number) => {
			clock.advance(by);
			await settled();
		},
		deliveries: () => state().deliveries,
		types: () => receiver.posts.map(({ event }) => event.type),
		/** The time so many milliseconds after the test began. */
		at: (ms: number) => iso(began + ms),
		/** The time of each event, in milliseconds since the test began. */
		sentAt: () => receiver.posts.map(({ headers }) => Number(headers["webhook-timestamp"]) * 1000 - began),
	};
};
