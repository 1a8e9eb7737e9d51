import { afterAll, beforeEach } from "vitest";
import { type Control, createEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import { functionOf } from "../../emulator/control/edits";
import type { KindName } from "../../provider/api/contract";

/** Parsed JSON with the properties that tests read; any may be missing. */
export interface Wire {
	readonly id: string;
	readonly data: readonly Wire[];
	readonly next_cursor: string | null;
	readonly error: string;
	readonly message: string;
	readonly [property: string]: unknown;
}

export interface ServiceResponse {
	readonly status: number;
	readonly headers: Headers;
	/** An empty object if the response has no body. */
	readonly body: Wire;
}

/** The tables of the kinds that every test of a lifecycle covers, by the name of their handler. */
export const tables = {
	number: "numbers",
	sipTrunk: "trunks",
	webhook: "webhooks",
} as const satisfies Readonly<Record<string, KindName>>;
export type Kind = keyof typeof tables;

/** A number, trunk or webhook of the account; any field may be missing. */
export interface Row {
	readonly id: string;
	readonly status: string;
	readonly reference?: string | null;
	readonly [field: string]: unknown;
}

/** Reads of the account, and edits by others. */
const account = (control: () => Control) => {
	const every = (kind: Kind): Row[] =>
		control()
			.state()
			[tables[kind]].map((row) => ({ ...row }));
	const change = (rule: "patch" | "remove", kind: Kind, id: string, patch?: object) =>
		(control()[functionOf(rule, tables[kind])] as (id: string, patch?: object) => unknown)(id, patch);
	const rows = (kind: Kind) => every(kind).filter(({ status }) => status !== "released");
	const live = () =>
		control()
			.state()
			.numbers.filter(({ status }) => status !== "released");
	const ledger = () => control().ledger();
	const requests = (from = 0) => control().requests().slice(from);
	const named = ({ method, path }: { method: string; path: string }) =>
		`${method} ${path.replace(/^\/v1/, "").replace(/\?.*/, "")}`;
	return {
		/** Live objects of a kind. */
		rows,
		/** Numbers that are not released. */
		live,
		/** Sorted labels of live numbers. */
		labels: () =>
			live()
				.map(({ label }) => label)
				.sort(),
		/** An object of any kind, or a released number. */
		row: (id: unknown): Row | undefined => (Object.keys(tables) as Kind[]).flatMap(every).find((row) => row.id === id),
		/** Kinds of entries in the ledger: `purchase`, `release`, … */
		kinds: () => ledger().map(({ kind }) => kind),
		purchases: () => ledger().filter(({ kind }) => kind === "purchase"),
		/** Ids of released numbers, in order. */
		released: () => ledger().flatMap(({ kind, number_id }) => (kind === "release" ? [number_id] : [])),
		/** Requests from the nth on, such as `GET /numbers`. */
		requests: (from = 0) => requests(from).map(named),
		/** Requests from the nth on, without reads. */
		writes: (from = 0) =>
			requests(from)
				.filter(({ method }) => method !== "GET")
				.map(named),
		/** Changes an object outside the provider. */
		edit: (kind: Kind, id: string, patch: object) => void change("patch", kind, id, patch),
		/** Releases or deletes an object outside the provider. */
		remove: (kind: Kind, id: string) => void change("remove", kind, id),
	};
};

export interface TestEmulator extends Emulator, ReturnType<typeof account> {
	/** Sends a request with the key: `call("POST", "/numbers", {…})`. */
	call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ServiceResponse>;
	/** Sends a request outside `/v1`, without a key. */
	outside(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ServiceResponse>;
}

const send = async (
	url: string,
	method: string,
	body: unknown,
	headers: Record<string, string>,
): Promise<ServiceResponse> => {
	const init = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
	const type = body === undefined ? {} : { "Content-Type": "application/json" };
	const response = await fetch(url, { method, headers: { ...type, ...headers }, ...init });
	const text = await response.text();
	return { status: response.status, headers: response.headers, body: JSON.parse(text === "" ? "{}" : text) };
};

export const withCalls = (emulator: Emulator): TestEmulator => ({
	...emulator,
	...account(() => emulator.control),
	call: (method, path, body, headers = {}) =>
		send(emulator.url + path, method, body, { Authorization: `Bearer ${emulator.apiKey}`, ...headers }),
	outside: (method, path, body, headers = {}) => send(emulator.url.replace(/\/v1$/, path), method, body, headers),
});

/** Starts an emulator for the tests of a file or block. It is empty before each test. */
export const useEmulator = (options: EmulatorOptions = {}): TestEmulator => {
	const running: { emulator?: TestEmulator } = {};
	const current = (): TestEmulator => {
		if (running.emulator === undefined)
			throw new Error("the emulator runs in tests only, not while they are collected");
		return running.emulator;
	};
	beforeEach(async () => {
		running.emulator ??= withCalls(await createEmulator(options));
		running.emulator.control.reset();
	});
	afterAll(() => running.emulator?.close());
	return {
		get url() {
			return current().url;
		},
		get apiKey() {
			return current().apiKey;
		},
		get control() {
			return current().control;
		},
		get data() {
			return current().data;
		},
		...account(() => current().control),
		call: (...request) => current().call(...request),
		outside: (...request) => current().outside(...request),
		close: () => current().close(),
	};
};
