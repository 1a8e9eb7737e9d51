/** A service of hand-written words: what it gets is recorded, and what it says stands in the test. */
import type { Client } from "../../provider/api/client";
import { answer, type Received, useScriptedServer } from "./scripted-server";

export type Reply = readonly [status: number, body?: unknown, headers?: Record<string, string>];

export interface UnlikeService {
	/** A client of a service that gives these answers by method and path; what is not listed is answered by 500. */
	clientOf(service: unknown, replies: Readonly<Record<string, Reply | ((received: Received) => Reply)>>): Client;
	readonly received: readonly Received[];
	/** What was sent so far: `PATCH /numbers/1 {"a":1}`. */
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
