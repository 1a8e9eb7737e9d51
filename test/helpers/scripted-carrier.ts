/** A carrier with the public description's two operations. Each test decides how it sells, shows and changes numbers. */
import type { ServerResponse } from "node:http";
import { beforeEach } from "vitest";
import { replayedHeader } from "../../provider/api/contract";
import { FakeClock } from "./clock";
import { openProvider, type ProviderOptions } from "./provider";
import { type Received, reply, useScriptedServer } from "./scripted-server";

export type Row = Record<string, unknown> & { readonly id: string };
export type Place = "list" | "single" | "purchase" | "patch";
type Body = Record<string, unknown>;
type Reply = readonly [status: number, body?: unknown, headers?: Record<string, string>];

export interface Make {
	/** The fields of a new number. Default: an active one, `n1` at first, without a reference. */
	sell(serial: number, body: Body): Row;
	/** The record in a response; undefined for a missing one. */
	show(row: Row, place: Place): object | undefined;
	/** The body of the response to a purchase. */
	sold(row: Row, serial: number): unknown;
	change(row: Row, body: Body): void;
	/** Ends a number. */
	end(row: Row): void;
	/** How the carrier treats repeated keys. */
	keys: "ignored" | "marked" | "unmarked";
	/** Replaces a response. */
	intercept(received: Received, respond: () => Reply): Reply | "cut";
}

export interface Carrier {
	readonly url: string;
	readonly apiKey: string;
	readonly rows: Row[];
	/** The numbers sold, by id. */
	readonly purchases: string[];
	readonly clock: FakeClock;
	make: Make;
	open(options?: ProviderOptions): ReturnType<typeof openProvider>;
}

/** @param features the stack's `telephony:features`, unless a run states others */
export function useCarrier(features: string, base: (defaults: Make) => Partial<Make> = () => ({})): Carrier {
	const server = useScriptedServer();
	const carrier = {
		get url() {
			return server.url;
		},
		apiKey: "k",
		rows: [] as Row[],
		purchases: [] as string[],
		clock: new FakeClock(),
		make: {} as Make,
		open: ({ config, ...options }: ProviderOptions = {}) =>
			openProvider(carrier, {
				clock: carrier.clock,
				...options,
				config: { "telephony:features": features, "telephony:onDelete": "release", ...config },
			}),
	};
	const replays = new Map<string, unknown>();
	const defaults = (): Make => ({
		sell: (serial) => ({
			id: `n${serial}`,
			number: `+316123450${10 + serial}`,
			status: "active",
			reference: null,
			created_at: timeOf(carrier.clock.now()),
		}),
		show: (row) => row,
		sold: (row) => carrier.make.show(row, "purchase"),
		change: (row, body) => void Object.assign(row, body),
		end: (row) => void carrier.rows.splice(carrier.rows.indexOf(row), 1),
		keys: "ignored",
		intercept: (_, respond) => respond(),
	});
	const none: Reply = [404, { error: "not_found", message: "There is no such number.", request_id: "r" }];

	function sell(key: string, body: Body): Reply {
		const { make, rows, purchases } = carrier;
		if (make.keys !== "ignored" && replays.has(key))
			return [201, replays.get(key), make.keys === "marked" ? { [replayedHeader]: "true" } : {}];
		const serial = purchases.length + 1;
		const row: Row = { ...body, ...make.sell(serial, body) };
		rows.push(row);
		purchases.push(row.id);
		const response = structuredClone(make.sold(row, serial));
		replays.set(key, response);
		return [201, response];
	}

	function respondFor(row: Row, method: string, body: Body): Reply {
		const { make } = carrier;
		if (method === "GET") {
			const record = make.show({ ...row }, "single");
			return record === undefined ? none : [200, record];
		}
		if (method === "PATCH") {
			make.change(row, body);
			return [200, make.show({ ...row }, "patch")];
		}
		make.end(row);
		return [204, ""];
	}

	const list = (): Reply => [
		200,
		{ data: carrier.rows.flatMap((row) => carrier.make.show({ ...row }, "list") ?? []), next_cursor: null },
	];

	function answer({ method, path, headers, body }: Received): Reply {
		const parsed = (body ? JSON.parse(body) : {}) as Body;
		if (path === "/numbers") return method === "GET" ? list() : sell(String(headers["idempotency-key"]), parsed);
		if (path.includes("?")) return [400, { error: "bad_request", message: "No parameters.", request_id: "r" }];
		const row = carrier.rows.findLast(({ id }) => path === `/numbers/${encodeURIComponent(id)}`);
		if (row !== undefined) return respondFor(row, method, parsed);
		return path.startsWith("/numbers/") ? none : [404, ""];
	}

	beforeEach(() => {
		replays.clear();
		carrier.rows.length = 0;
		carrier.purchases.length = 0;
		carrier.clock = new FakeClock(Date.parse("2026-06-01T09:00:00Z"));
		carrier.make = defaults();
		Object.assign(carrier.make, base({ ...carrier.make }));
		server.script = (response: ServerResponse, received) => {
			const last = received.at(-1) as Received;
			const result = carrier.make.intercept(last, () => answer(last));
			if (result === "cut") return response.destroy();
			const [status, body = "", headers = {}] = result;
			return reply(response, status, body, { date: new Date(carrier.clock.now()).toUTCString(), ...headers });
		};
	});
	return carrier;
}

/** The time as RFC 3339. */
export const timeOf = (ms: number): string => new Date(ms).toISOString();

/** The response to this request is lost the first so many times. */
export function losing(carrier: Carrier, method: string, times = 1, isCarriedOut = true): void {
	let remaining = times;
	carrier.make.intercept = (received, respond) => {
		if (received.method !== method || remaining === 0) return respond();
		remaining -= 1;
		if (isCarriedOut) respond();
		return isCarriedOut ? "cut" : [500, { error: "internal_error", message: "No.", request_id: "r" }];
	};
}
