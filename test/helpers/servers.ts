import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on a free port of this machine, and returns the origin. */
export async function listen(server: Server): Promise<string> {
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
	const server = createServer();
	const { port } = new URL(await listen(server));
	await new Promise((closed) => server.close(closed));
	return Number(port);
}
