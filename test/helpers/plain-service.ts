import { beforeEach } from "vitest";
import { replayedHeader } from "../../provider/api/contract";
import { type Received, reply, useScriptedServer } from "./scripted-server";

export interface Row {
	readonly id: string | number;
	[field: string]: unknown;
}

/** Responses that contain a record. */
export type Place = "list" | "single" | "purchase" | "patch";

export interface PlainService {
	readonly url: string;
	readonly apiKey: string;
	readonly rows: Row[];
	/** Returns the further fields of a new number. */
	fresh: () => object;
	/** Returns the record in a response; undefined for a missing one. */
	show: (row: Row, place: Place) => object | undefined;
	/** Marked or unmarked replays. */
	keys: "marked" | "silent";
}

type Reply = [status: number, body: object, headers: Record<string, string>];

/** A service with the two operations of service-spec.txt. Its ids are numbers, and each test decides its fields. */
export function usePlainService(): PlainService {
	const server = useScriptedServer();
	const state = {
		get url() {
			return server.url;
		},
		apiKey: "k",
		rows: [] as Row[],
		...defaults(),
	};
	const responses = new Map<string, object>();
	let made = 0;

	const buy = ({ headers, body }: Received): Reply => {
		const key = `${headers["idempotency-key"]}`;
		const replay = responses.get(key);
		if (replay !== undefined) return [201, replay, state.keys === "marked" ? { [replayedHeader]: "true" } : {}];
		const row: Row = { id: 700 + ++made, ...JSON.parse(body), ...state.fresh() };
		state.rows.push(row);
		const response = state.show({ ...row }, "purchase") ?? {};
		responses.set(key, response);
		return [201, response, {}];
	};
	const replyTo = ({ method, path, body }: Received): Reply => {
		const at = state.rows.findIndex(({ id }) => path === `/numbers/${id}`);
		const row = state.rows[at];
		const none: Reply = [404, { error: "not_found", message: "There is no such number.", request_id: 7 }, {}];
		if (row === undefined) return none;
		if (method === "DELETE") state.rows.splice(at, 1);
		if (method === "PATCH") Object.assign(row, JSON.parse(body));
		const object = state.show({ ...row }, method === "GET" ? "single" : "patch");
		return object === undefined ? none : [200, object, {}];
	};
	beforeEach(() => {
		responses.clear();
		state.rows.length = 0;
		made = 0;
		Object.assign(state, defaults());
		server.script = (response, received) => {
			const last = received.at(-1) as Received;
			if (last.path.startsWith("/numbers/")) return reply(response, ...replyTo(last));
			if (last.path.includes("?"))
				return reply(response, 400, { error: "bad_request", message: "No parameters, please.", request_id: 7 });
			if (last.path !== "/numbers") return reply(response, 404, "");
			if (last.method === "POST") return reply(response, ...buy(last));
			const data = state.rows.flatMap((row) => state.show({ ...row }, "list") ?? []);
			return reply(response, 200, { data, next_cursor: null });
		};
	});
	return state;
}

const defaults = (): Pick<PlainService, "fresh" | "show" | "keys"> => ({
	fresh: () => ({}),
	show: (row) => row,
	keys: "marked",
});
