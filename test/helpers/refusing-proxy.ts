import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { listen } from "./servers";

/** Starts an HTTP proxy that refuses and records all requests. */
export async function startRefusingProxy() {
	const requests: string[] = [];
	const proxy = createServer(({ method, url }, response) => {
		requests.push(`${method} ${url}`);
		response.writeHead(403).end();
	}).on("connect", ({ url }, socket) => {
		requests.push(`CONNECT ${url}`);
		socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
	});
	const url = await listen(proxy);
	onTestFinished(() => void proxy.close());
	const names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"];
	return {
		requests,
		/** Proxy variables in both spellings, without exceptions. */
		env: {
			...Object.fromEntries(names.map((name) => [name, url])),
			...{ no_proxy: "", NO_PROXY: "", no_grpc_proxy: "", grpc_proxy: "" },
		} as Record<string, string>,
	};
}
