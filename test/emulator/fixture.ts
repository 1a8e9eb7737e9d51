import { afterAll, beforeEach } from "vitest";
import { VirtualClock } from "../../emulator";
import { type Client, createClient } from "../../provider/api/client";
import { useEmulator } from "../helpers/emulator";
import { useReceiver } from "../helpers/receiver";

export const start = Date.parse("2026-01-01T00:00:00Z");
export const day = 86_400_000;
export const digest = { mode: "digest", username: "office-1" };
export const refusal = (status: number, error: string) => ({ status, body: { error } });

const paper = { kind: "other", filename: "a.pdf", media_type: "application/pdf", content: "JVBERi0xLjcK" };
const company = {
	holder: "business",
	name: "Example GmbH",
	country: "DE",
	address: { street: "Unter den Linden 1", city: "Berlin", postal_code: "10117", country: "DE" },
};
const move = {
	numbers: ["+31201234567", "+31612345678"],
	country: "NL",
	carrier: { name: "Old Telecom", account_number: "A-1", pin: "4711" },
	subscriber: { name: "Example B.V.", address: "Damrak 1, Amsterdam" },
};

/** Everything of a list. */
export const all = async <Item>(list: AsyncIterable<Item>): Promise<Item[]> => {
	const found: Item[] = [];
	for await (const item of list) found.push(item);
	return found;
};

/** An emulator with a clock that tests turn, and short ways to make things in it. */
export const useVirtualEmulator = () => {
	const clock = new VirtualClock(start);
	const emulator = useEmulator({ clock, seed: 1 });
	const { call, outside } = emulator;
	const made: { client?: Client } = {};
	afterAll(() => made.client?.close());
	return {
		/** Our own client, in tests only: the emulator has no address before. */
		get client() {
			made.client ??= createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
			return made.client;
		},
		clock,
		emulator,
		call,
		outside,
		buy: async (country = "US", type = "mobile", headers = {}) =>
			(await call("POST", "/numbers", { country, type }, headers)).body,
		trunk: async (more: object = {}) =>
			(await call("POST", "/trunks", { name: "office", auth: digest, capacity: 30, ...more })).body,
		hook: async (more: object = {}) =>
			(await call("POST", "/webhooks", { url: "https://a.example/t", events: ["message.received"], ...more })).body,
		document: async (more: object = {}) => (await call("POST", "/kyc/documents", { ...paper, ...more })).body,
		profile: async (more: object = {}) => (await call("POST", "/kyc/profiles", { ...company, ...more })).body,
		port: async (more: object = {}) => (await call("POST", "/port_orders", { ...move, ...more })).body,
		set: (patch: Parameters<typeof emulator.control.settings>[0]) => emulator.control.settings(patch),
	};
};

/** The same, with a program of this machine that hears of events. */
export const useEvents = () => {
	const fixture = useVirtualEmulator();
	const { clock, emulator, outside, hook } = fixture;
	const receiver = useReceiver();
	let began = 0;
	beforeEach(() => {
		began = clock.now();
	});
	const settled = () => outside("POST", "/_emulator/settled");
	// Added to, not spread: the client is made when it is first asked for.
	return Object.assign(fixture, {
		receiver,
		settled,
		/** When the test began, by the clock. */
		began: () => began,
		listen: (events: readonly string[] = ["*"], more: object = {}) => hook({ url: receiver.url, events, ...more }),
		advance: async (by: number) => {
			clock.advance(by);
			await settled();
		},
		deliveries: () => emulator.control.state().deliveries,
		types: () => receiver.posts.map(({ event }) => event.type),
		/** Milliseconds since the test began. */
		sentAt: () => receiver.posts.map(({ headers }) => Number(headers["webhook-timestamp"]) * 1000 - began),
	});
};
