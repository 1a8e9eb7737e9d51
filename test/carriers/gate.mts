/** A proxy before a service that kills a run at one of its writes. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** The nth write of a run, from 1, and whether the service carries it out. */
export interface WriteKill {
	readonly write: number;
	readonly phase: "before" | "after";
}

export interface Gate {
	/** With the version segment. */
	readonly url: string;
	/** True once the run was killed. */
	readonly isCut: () => boolean;
	/** Counts the writes of the next run from 1. */
	begin(kill: WriteKill | undefined): void;
	close(): Promise<void>;
}

/** @param target the service's address, with the version segment */
export async function openGate(target: string): Promise<Gate> {
	let kill: WriteKill | undefined;
	let writes = 0;
	let isCut = false;
	const server = createServer(async (request, response) => {
		const { method = "GET", url = "", headers } = request;
		const body = await buffer(request);
		if (method !== "GET") writes += 1;
		const isLast = method !== "GET" && writes === kill?.write;
		if (isLast) isCut = true;
		if (isCut && !(isLast && kill?.phase === "after")) return request.socket.destroy();
		const { host: _, connection: __, "content-length": ___, ...sent } = headers as Record<string, string>;
		const upstream = await fetch(new URL(url, target), { method, headers: sent, ...(body.length > 0 ? { body } : {}) });
		const text = await upstream.text();
		if (isCut) return request.socket.destroy();
		const { "transfer-encoding": _length, "content-length": _size, ...kept } = Object.fromEntries(upstream.headers);
		return response.writeHead(upstream.status, kept).end(text);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		isCut: () => isCut,
		begin(next) {
			kill = next;
			writes = 0;
			isCut = false;
		},
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
