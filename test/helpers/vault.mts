/**
 * A server of HashiCorp Vault with one key, for the stacks of tests. With a passphrase, each engine command would derive a
 * key from it, which takes a quarter of a second of processor time.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The AES key that encrypts the secrets of a state. */
export const dataKey = Buffer.alloc(32, "test");
const encryptedKey = Buffer.from("vault:v1:test").toString("base64");
/** Lines of a stack's settings. */
export const vaultSettings = `secretsprovider: hashivault://test\nencryptedkey: ${encryptedKey}\n`;

/** Starts the server, and returns its address. It doesn't keep the process. */
export async function startVault(): Promise<string> {
	const server = createServer((_, response) => {
		response.setHeader("Content-Type", "application/json");
		response.end(JSON.stringify({ data: { plaintext: dataKey.toString("base64") } }));
	});
	server.unref().listen(0, "127.0.0.1");
	await once(server, "listening");
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
