import { afterAll, beforeEach } from "vitest";
import { type Control, createEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import { type Operation, type OperationName, operations } from "../../provider/api/contract";
import { serviceDescriptionOf } from "../../provider/api/description/service-description";
import { dialect } from "./dialect.mts";

/** JSON as it came, with the properties that tests walk by; nothing promises that they are there. */
export interface Wire {
	readonly id: string;
	readonly data: readonly Wire[];
	readonly next_cursor: string | null;
	readonly error: string;
	readonly message: string;
	readonly [property: string]: unknown;
}

export interface Answer {
	readonly status: number;
	readonly headers: Headers;
	/** An empty object if there was none. */
	readonly body: Wire;
}

/** Where the account keeps each kind of object, by the name of its handler, and what somebody else does to one. */
const kinds = {
	number: { rows: "numbers", patch: "patchNumber", remove: "deleteNumber" },
	sipTrunk: { rows: "trunks", patch: "patchTrunk", remove: "deleteTrunk" },
	webhook: { rows: "webhooks", patch: "patchWebhook", remove: "deleteWebhook" },
} as const;
export type Kind = keyof typeof kinds;

/** A number, trunk or webhook of the account; nothing promises that the fields are there. */
export interface Row {
	readonly id: string;
	readonly status: string;
	readonly reference?: string | null;
	readonly [field: string]: unknown;
}

/** What tests ask of the account, and what somebody else does to it. */
const account = (control: () => Control) => {
	const every = (kind: Kind): Row[] =>
		control()
			.state()
			[kinds[kind].rows].map((row) => ({ ...row }));
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
		/** All of a kind, without numbers that were released. */
		rows,
		/** The numbers that nobody has released. */
		live,
		/** Of these, sorted. */
		labels: () =>
			live()
				.map(({ label }) => label)
				.sort(),
		/** An object of any kind; numbers also if they were released. */
		row: (id: unknown): Row | undefined => (Object.keys(kinds) as Kind[]).flatMap(every).find((each) => each.id === id),
		/** Kinds of entries in the ledger: `purchase`, `release`, … */
		kinds: () => ledger().map(({ kind }) => kind),
		purchases: () => ledger().filter(({ kind }) => kind === "purchase"),
		/** The ids of the numbers that were released, in order. */
		released: () => ledger().flatMap(({ kind, number_id }) => (kind === "release" ? [number_id] : [])),
		/** As `GET /numbers`, from the nth on. */
		requests: (from = 0) => requests(from).map(named),
		/** The same, without reads. */
		writes: (from = 0) =>
			requests(from)
				.filter(({ method }) => method !== "GET")
				.map(named),
		/** Somebody else changes an object. */
		edit: (kind: Kind, id: string, patch: object) => void control()[kinds[kind].patch](id, patch),
		/** Somebody else releases or deletes it. */
		remove: (kind: Kind, id: string) => control()[kinds[kind].remove](id),
	};
};

export interface TestEmulator extends Emulator, ReturnType<typeof account> {
	/** One raw call, with the key: `call("POST", "/numbers", {…})`. */
	call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
	/** The same outside `/v1`, without a key. */
	outside(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

const send = async (url: string, method: string, body: unknown, headers: Record<string, string>): Promise<Answer> => {
	const init = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
	const type = body === undefined ? {} : { "Content-Type": "application/json" };
	const response = await fetch(url, { method, headers: { ...type, ...headers }, ...init });
	const text = await response.text();
	return {
		status: response.status,
		headers: response.headers,
		body: JSON.parse(text === "" ? "{}" : text),
	};
};

export const withCalls = (emulator: Emulator): TestEmulator => ({
	...emulator,
	...account(() => emulator.control),
	call: (method, path, body, headers = {}) =>
		send(emulator.url + path, method, body, { Authorization: `Bearer ${emulator.apiKey}`, ...headers }),
	outside: (method, path, body, headers = {}) => send(emulator.url.replace(/\/v1$/, path), method, body, headers),
});

/** In the words of `DIALECT`, for tests that speak ours: what has no id in its path, and succeeds. */
const translated = (call: TestEmulator["call"]): TestEmulator["call"] => {
	const spoken = dialect && serviceDescriptionOf(dialect, "DIALECT");
	if (spoken === undefined) return call;
	const table = Object.entries(operations) as [OperationName, Operation][];
	return async (method, path, body, headers) => {
		const name = table.find(([, each]) => each.method === method && each.path === path)?.[0];
		if (name === undefined) throw new Error(`${method} ${path} can't be said in a dialect`);
		const target = spoken.target(name) ?? { method, path, query: {} };
		const query = new URLSearchParams(target.query).toString();
		const sent = spoken.bodyOut(name, body, undefined);
		const answer = await call(target.method, query === "" ? target.path : `${target.path}?${query}`, sent, headers);
		return { ...answer, body: spoken.responseIn(name, answer.body).json as Wire };
	};
};

/** An emulator on a port of its own for the tests of one file or block: empty before each test, closed at the end. */
export const useEmulator = (own: EmulatorOptions = {}): TestEmulator => {
	const options = dialect === undefined ? own : { service: dialect, ...own };
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
		call: translated((...request) => current().call(...request)),
		outside: (...request) => current().outside(...request),
		close: () => current().close(),
	};
};
