/**
 * `node test/bench/journal.mts --requests 5000000`: what so many requests cost an emulator that forgets none of them:
 * memory for the journal, and the time to read it whole and in a page. They are noted as the
 * service notes them, without being carried out, which would take most of the time. The last line is JSON.
 */
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { getRequestListener } from "@hono/node-server";

const { values } = parseArgs({ options: { requests: { type: "string", default: "1000000" } } });
const count = Number(values.requests);

const require = createRequire(import.meta.url);
const { createApp } = require("../../dist/emulator/server.js") as typeof import("../../emulator/server.js");
const { createAccess } =
	require("../../dist/emulator/control/access.js") as typeof import("../../emulator/control/access.js");
const { createControl } =
	require("../../dist/emulator/control/control.js") as typeof import("../../emulator/control/control.js");
const { createService } =
	require("../../dist/emulator/service/service.js") as typeof import("../../emulator/service/service.js");
const { cryptoRandom, newId } =
	require("../../dist/emulator/store/random.js") as typeof import("../../emulator/store/random.js");
const { SwitchableClock } =
	require("../../dist/emulator/time/clock.js") as typeof import("../../emulator/time/clock.js");

const service = createService({
	clock: new SwitchableClock(),
	random: cryptoRandom,
	apiKey: "emulator-key",
	profile: "full",
	kycPolicy: "manual",
});
const app = createApp(service, createControl(service), createAccess({ controlToken: undefined, allowedHosts: [] }));
const megabytes = () => Math.round(process.memoryUsage.rss() / 2 ** 20);

const before = megabytes();
const began = performance.now();
for (let n = 0; n < count; n++) {
	const request_id = newId("req", service.random);
	const at = new Date().toISOString();
	const row = service.journal.add({ method: "GET", path: `/v1/numbers/num_${n}`, status: null, request_id, at });
	const message = `There is no number "num_${n}" on this account.`;
	const missing = n % 10 === 0;
	const body = missing ? { error: "not_found", message, request_id } : { id: `num_${n}` };
	service.journal.answered(row, { status: missing ? 404 : 200, body });
	// So that memory is collected as in a process that waits for requests.
	if (n % 10_000 === 0) await new Promise(setImmediate);
}
const fillSeconds = (performance.now() - began) / 1000;
const after = megabytes();

const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const control = `http://127.0.0.1:${(server.address() as AddressInfo).port}/_emulator/requests`;

const read = async (query: string) => {
	const start = performance.now();
	const answer = await fetch(control + query);
	let bytes = 0;
	for await (const piece of answer.body ?? []) bytes += piece.byteLength;
	return {
		query,
		seconds: Number(((performance.now() - start) / 1000).toFixed(2)),
		megabytes: Math.round(bytes / 2 ** 20),
	};
};
const reads = [
	await read(""),
	await read(`?limit=1000&cursor=${count - 1000}`),
	await read("?status=404&limit=10"),
	await read("?operation=buyNumber&limit=10"),
];
server.close();
console.table(reads);
console.log(
	JSON.stringify({
		benchmark: "journal",
		node: process.version,
		requests: count,
		perSecond: Math.round(count / fillSeconds),
		megabytes: { before, after, afterReading: megabytes() },
		reads,
	}),
);
process.exit(0);
