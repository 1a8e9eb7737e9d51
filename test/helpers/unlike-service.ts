/** A service whose responses the test lists, and whose requests are recorded. */
import type { Client } from "../../provider/api/client";
import { answer, type Received, useScriptedServer } from "./scripted-server";

export type Reply = readonly [status: number, body?: unknown, headers?: Record<string, string>];

export interface UnlikeService {
	/** Returns a client of a service with these responses by method and path, and 500 for others. */
	clientOf(service: unknown, replies: Readonly<Record<string, Reply | ((received: Received) => Reply)>>): Client;
	readonly received: readonly Received[];
	/** Requests so far, such as `PATCH /numbers/1 {"a":1}`. */
	sent(): string[];
	bodies(): unknown[];
}

export function useUnlikeService(): UnlikeService {
	const server = useScriptedServer();
	return {
		clientOf: (service, replies) => {
			server.script = (response, received) => {
				const last = received.at(-1) as Received;
				const reply = replies[`${last.method} ${last.path}`] ?? replies[`${last.method} ${last.path.split("?")[0]}`];
				const [status, body = "", headers] = (typeof reply === "function" ? reply(last) : reply) ?? [500, "unscripted"];
				answer(response, status, body, headers);
			};
			return server.client({ service, retry: { tries: 1 } });
		},
		get received() {
			return server.received;
		},
		sent: () => server.received.map(({ method, path, body }) => `${method} ${path}${body && ` ${body}`}`),
		bodies: () => server.received.flatMap(({ body }) => (body === "" ? [] : [JSON.parse(body)])),
	};
}
