/**
 * `npm run bench`: the durable emulator with 10,000 numbers, beside an empty hono server, each in a process of its own,
 * in turns in the same run: requests per second (median of the turns), the CPU that one takes, and the 99th percentile of
 * their times. Ratios count; what the issue asks for stands beside them. The last line is JSON.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";

import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Pool } from "undici";

const root = resolve(fileURLToPath(import.meta.url), "../../..");

const { values } = parseArgs({
	options: { numbers: { type: "string", default: "10000" }, seconds: { type: "string", default: "1.5" } },
});
const [count, turnLength, turns, atOnce] = [Number(values.numbers), Number(values.seconds) * 1000, 5, 16];

const empty = `
const { serve } = require("@hono/node-server");
const { Hono } = require("hono");
const app = new Hono().get("/", (c) => c.json({}));
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log("listening on http://127.0.0.1:" + port));
`;

async function start(args: readonly string[]) {
	const began = performance.now();
	const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
	const [line] = (await once(createInterface(child.stdout), "line")) as [string];
	const origin = /listening on (http:\/\/[^/\s]+)/.exec(line)?.[1];
	if (origin === undefined) throw new Error(line);
	const pool = new Pool(origin, { connections: atOnce });
	const stop = async () => {
		await pool.close();
		child.kill("SIGTERM");
		await once(child, "close");
	};
	const megabytes = () =>
		Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" })) / 1024;
	/** Spent by the process until now; what it costs doesn't depend on who else is at work on the machine. */
	const cpuMs = () => {
		const [, fields = ""] = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ");
		const [user, system] = fields.split(" ").slice(11, 13).map(Number);
		return ((user ?? 0) + (system ?? 0)) * 10;
	};
	return { pool, stop, megabytes, cpuMs, startMs: performance.now() - began };
}

const headers = { authorization: "Bearer emulator-key", "content-type": "application/json" };
let sent = 0;
let keys = 0;

async function call(pool: Pool, method: "GET" | "POST" | "PATCH", path: string, body?: object): Promise<Buffer> {
	const key = method === "POST" ? { "idempotency-key": `bench-${keys++}` } : {};
	sent += 1;
	const answer = await pool.request({
		method,
		path,
		headers: { ...headers, ...key },
		...(body && { body: JSON.stringify(body) }),
	});
	const bytes = Buffer.from(await answer.body.arrayBuffer());
	if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${bytes}`);
	return bytes;
}

interface Subject {
	readonly name: string;
	readonly work: () => Promise<unknown>;
	readonly server: { cpuMs(): number };
	readonly rates: number[];
	readonly cpu: number[];
	readonly times: number[];
}

const subjects: Subject[] = [];
const subject = (name: string, server: Subject["server"], work: () => Promise<unknown>): void => {
	subjects.push({ name, server, work, rates: [], cpu: [], times: [] });
};

/** This many workers, until the time is up. */
async function turn({ work, server, rates, cpu, times }: Subject, counts: boolean): Promise<void> {
	const [began, spent] = [performance.now(), server.cpuMs()];
	let done = 0;
	const worker = async () => {
		while (performance.now() - began < turnLength) {
			const before = performance.now();
			await work();
			done += 1;
			if (counts) times.push(performance.now() - before);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, worker));
	if (!counts) return;
	rates.push((done / (performance.now() - began)) * 1000);
	cpu.push(((server.cpuMs() - spent) / done) * 1000);
}

const sorted = (values: readonly number[]) => [...values].sort((one, other) => one - other);
const at = (values: readonly number[], part: number) => sorted(values)[Math.floor((values.length - 1) * part)] ?? 0;

const folder = mkdtempSync(join(tmpdir(), "telephony-bench-"));
const emulatorArgs = ["bin/telephony", "emulator", "--port", "0", "--data", join(folder, "data")];
try {
	const hono = await start(["-e", empty]);
	let emulator = await start(emulatorArgs);
	const ids: string[] = [];
	const buy = async () => {
		const bought = await call(emulator.pool, "POST", "/v1/numbers", { country: "NL", type: "mobile" });
		ids.push((JSON.parse(bought.toString()) as { id: string }).id);
	};
	await Promise.all(
		Array.from({ length: atOnce }, async () => {
			while (ids.length < count) await buy();
		}),
	);
	// Every tenth number belongs to somebody.
	const claimed = ids.filter((_, index) => index % 10 === 0);
	const claims = [...claimed];
	await Promise.all(
		Array.from({ length: atOnce }, async () => {
			for (let id = claims.pop(); id !== undefined; id = claims.pop()) {
				await call(emulator.pool, "PATCH", `/v1/numbers/${id}`, { reference: `ref-${id}` });
			}
		}),
	);
	await emulator.stop();
	emulator = await start(emulatorArgs);
	const { startMs } = emulator;

	let next = 0;
	const someId = () => {
		next += 7919;
		return ids[next % ids.length];
	};
	let cursor: string | null = null;
	subject("empty hono", hono, () => call(hono.pool, "GET", "/"));
	subject("single reads", emulator, () => call(emulator.pool, "GET", `/v1/numbers/${someId()}`));
	subject("pages of 100", emulator, async () => {
		const page = await call(emulator.pool, "GET", `/v1/numbers?limit=100${cursor === null ? "" : `&cursor=${cursor}`}`);
		cursor = (
			JSON.parse(page.subarray(page.lastIndexOf('"next_cursor"')).toString().replace(/^/, "{")) as {
				next_cursor: string | null;
			}
		).next_cursor;
	});
	subject("by reference", emulator, () => {
		next += 7919;
		return call(emulator.pool, "GET", `/v1/numbers?reference=ref-${claimed[next % claimed.length]}`);
	});
	subject("usage", emulator, () => call(emulator.pool, "GET", "/v1/usage"));
	subject("durable writes", emulator, () =>
		call(emulator.pool, "PATCH", `/v1/numbers/${someId()}`, { label: `label ${next}` }),
	);
	for (const each of subjects) await turn(each, false);
	/** After the first turns; the requests that are kept come on top of it later. */
	const [megabytes, asked] = [emulator.megabytes(), sent];
	for (let round = 1; round <= turns; round++) {
		for (const each of subjects) await turn(each, true);
	}
	const atEnd = { megabytes: Math.round(emulator.megabytes()), requests: sent };
	await Promise.all([emulator.stop(), hono.stop()]);

	const base = at(subjects[0]?.rates ?? [], 0.5);
	const results = subjects.map(({ name, rates, cpu, times }) => ({
		name,
		perSecond: Math.round(at(rates, 0.5)),
		ofEmpty: Number((at(rates, 0.5) / base).toFixed(2)),
		cpuMicros: Math.round(at(cpu, 0.5)),
		p50Ms: Number(at(times, 0.5).toFixed(1)),
		p99Ms: Number(at(times, 0.99).toFixed(1)),
	}));
	console.table(results);
	console.log(
		"asked for: single reads 0.5 of empty, 500 pages/s, 1,000 writes/s, p99 under 20 ms, 300 MB, start under 2 s",
	);
	const report = { benchmark: "emulator", node: process.version, numbers: count, results };
	const memory = { megabytes: Math.round(megabytes), requests: asked, atEnd };
	console.log(JSON.stringify({ ...report, ...memory, startMs: Math.round(startMs) }));
} finally {
	rmSync(folder, { recursive: true, force: true });
}
