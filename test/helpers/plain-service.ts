import { beforeEach } from "vitest";
import { replayedHeader } from "../../provider/api/contract";
import { answer, type Received, useScriptedServer } from "./scripted-server";

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
	/** Numbers made by purchases. */
	readonly sold: Row[];
	readonly received: readonly Received[];
	/** Returns the further fields of a new number. */
	fresh: () => object;
	/** Returns the record in a response; undefined for a missing one. */
	show: (row: Row, place: Place) => object | undefined;
	/** Marked replays, unmarked replays, or a purchase for each request. */
	keys: "marked" | "silent" | "none";
}

type Said = [status: number, body: object, headers: Record<string, string>];

/** A service with the two operations of service-spec.txt. Its ids are numbers, and each test decides its fields. */
export function usePlainService(): PlainService {
	const server = useScriptedServer();
	const state = {
		get url() {
			return server.url;
		},
		get received() {
			return server.received;
		},
		apiKey: "k",
		rows: [] as Row[],
		sold: [] as Row[],
		...defaults(),
	};
	const keyed = new Map<string, { readonly said: object; readonly row: Row }>();
	let made = 0;

	const buy = ({ headers, body }: Received): Said => {
		const key = `${headers["idempotency-key"]}`;
		const known = state.keys === "none" ? undefined : keyed.get(key);
		if (known !== undefined) return [201, known.said, state.keys === "marked" ? { [replayedHeader]: "true" } : {}];
		const row: Row = { id: 700 + ++made, ...JSON.parse(body), ...state.fresh() };
		state.rows.push(row);
		state.sold.push(row);
		const said = state.show({ ...row }, "purchase") ?? {};
		keyed.set(key, { said, row });
		return [201, said, {}];
	};
	const one = ({ method, path, body }: Received): Said => {
		const at = state.rows.findIndex(({ id }) => path === `/numbers/${id}`);
		const row = state.rows[at];
		const none: Said = [404, { error: "not_found", message: "There is no such number.", request_id: 7 }, {}];
		if (row === undefined) return none;
		if (method === "DELETE") state.rows.splice(at, 1);
		if (method === "PATCH") Object.assign(row, JSON.parse(body));
		const shown = state.show({ ...row }, method === "GET" ? "single" : "patch");
		return shown === undefined ? none : [200, shown, {}];
	};
	beforeEach(() => {
		keyed.clear();
		state.rows.length = 0;
		state.sold.length = 0;
		made = 0;
		Object.assign(state, defaults());
		server.script = (response, received) => {
			const last = received.at(-1) as Received;
			if (last.path.startsWith("/numbers/")) return answer(response, ...one(last));
			if (last.path.includes("?"))
				return answer(response, 400, { error: "bad_request", message: "No parameters, please.", request_id: 7 });
			if (last.path !== "/numbers") return answer(response, 404, "");
			if (last.method === "POST") return answer(response, ...buy(last));
			const data = state.rows.flatMap((row) => state.show({ ...row }, "list") ?? []);
			return answer(response, 200, { data, next_cursor: null });
		};
	});
	return state;
}

const defaults = (): Pick<PlainService, "fresh" | "show" | "keys"> => ({
	fresh: () => ({}),
	show: (row) => row,
	keys: "marked",
});
