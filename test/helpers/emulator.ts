import { afterAll, beforeEach } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator";

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

export interface TestEmulator extends Emulator {
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
	call: (method, path, body, headers = {}) =>
		send(emulator.url + path, method, body, { Authorization: `Bearer ${emulator.apiKey}`, ...headers }),
	outside: (method, path, body, headers = {}) => send(emulator.url.replace(/\/v1$/, path), method, body, headers),
});

/** An emulator on a port of its own for the tests of one file or block: empty before each test, closed at the end. */
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
		call: (...request) => current().call(...request),
		outside: (...request) => current().outside(...request),
		close: () => current().close(),
	};
};
