import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** An HTTP proxy that refuses everything with 403, and records what it got. It closes after the test. */
export async function startRefusingProxy() {
	const requests: string[] = [];
	const proxy = createServer(({ method, url }, response) => {
		requests.push(`${method} ${url}`);
		response.writeHead(403).end();
	}).on("connect", ({ url }, socket) => {
		requests.push(`CONNECT ${url}`);
		socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
	});
	await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
	onTestFinished(() => void proxy.close());
	const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	const names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"];
	return {
		requests,
		/** Proxy variables in both spellings, and no exception. */
		env: {
			...Object.fromEntries(names.map((name) => [name, url])),
			...{ no_proxy: "", NO_PROXY: "", no_grpc_proxy: "", grpc_proxy: "" },
		} as Record<string, string>,
	};
}
