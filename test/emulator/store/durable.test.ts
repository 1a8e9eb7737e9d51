/** An emulator that keeps its state in a folder. test/sim/emulator.mts kills it during writes. */
import { once } from "node:events";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../../emulator";
import type { TestEmulator } from "../../helpers/emulator";
import { eventually } from "../../helpers/eventually";
import { say, useReceiver } from "../../helpers/receiver";
import { day, iso, mobile } from "../fixture";
import { buyAt, newFolder, open, start } from "../folders";

const receiver = useReceiver();
const buy = async ({ call }: TestEmulator, country = "US") => (await call("POST", "/numbers", mobile(country))).body;
const advance = ({ control }: TestEmulator, by: string) => {
	control.clock({ advance: by });
	return control.settled();
};

describe("a folder", () => {
	test("keeps its changes, unless an option differs from the last start", async () => {
		const data = newFolder();
		const started = async (options: EmulatorOptions) => {
			const emulator = await open({ data, ...options });
			const { kyc, settings } = emulator.control.state();
			return { emulator, seen: [kyc.policy, settings.features.trunks, emulator.control.clock().mode] };
		};
		const { emulator: first, seen } = await started({ kyc: "2h" });
		expect(seen).toEqual(["2h", true, "real"]);
		first.control.kyc("reject");
		first.control.settings({ features: { trunks: false } });
		first.control.clock({ mode: "virtual" });
		const buyByKey = ({ call }: typeof first) => call("POST", "/numbers", mobile(), { "Idempotency-Key": "key" });
		const { body: bought } = await buyByKey(first);
		first.control.deleteNumber(bought.id);
		const { body } = await first.call("POST", "/webhooks", { url: receiver.url, events: ["*"] });
		first.control.deleteWebhook(body.id);
		await first.close();
		const { emulator: second, seen: kept } = await started({ kyc: "2h" });
		expect(kept).toEqual(["reject", false, "virtual"]);
		expect(second.control.state()).toMatchObject({ webhooks: [], numbers: [{ status: "released" }] });
		expect((await buyByKey(second)).body).toEqual(bought);
		expect(second.kinds()).toEqual(["purchase", "release"]);
		await second.close();
		const { seen: changed } = await started({ kyc: "immediate", profile: "seed", clock: "virtual" });
		expect(changed).toEqual(["immediate", false, "virtual"]);
	});

	test("keeps its own time", async () => {
		const data = newFolder();
		const options = { data, startAt: "2027-01-01T00:00:00Z" };
		const emulator = await open(options);
		await advance(emulator, "5d");
		await emulator.close();
		const reopened = await open(options);
		expect(reopened.control.clock().now).toBe("2027-01-06T00:00:00.000Z");
	});

	test("is readable by its owner only, and ignored by Git", async () => {
		const data = newFolder();
		await open({ data });
		const names = ["", "state.sqlite", "state.sqlite-wal", "pid"];
		const modes = names.map((name) => fs.statSync(join(data, name)).mode & 0o777);
		expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
		expect(fs.readFileSync(join(data, ".gitignore"), "utf8")).toBe("*\n");
		const project = newFolder();
		fs.mkdirSync(project, { recursive: true });
		fs.writeFileSync(join(project, ".gitignore"), "dist\n");
		await open({ data: project });
		expect(fs.readFileSync(join(project, ".gitignore"), "utf8")).toBe("dist\n");
	});
});

/** One call has ended and its recording is processed, another rings, an SMS is queued, a delivery has failed once. */
const begin = async (emulator: TestEmulator) => {
	receiver.respond = say(500);
	const { call, control } = emulator;
	await call("POST", "/webhooks", { url: receiver.url, events: ["number.activated", "call.completed"] });
	const { number: from } = await buy(emulator);
	const leg = { from, to: "+14155550123" };
	for (const pause of ["33s", "1s"]) {
		await call("POST", "/calls", { ...leg, record: true });
		await advance(emulator, pause);
	}
	await call("POST", "/messages", { ...leg, text: "Hi" });
	control.kyc("10d");
	await buy(emulator, "DE");
	const { calls, messages, recordings, deliveries } = control.state();
	const statuses = [calls, messages, recordings, deliveries].map((rows) => rows.map(({ status }) => status));
	expect(statuses).toEqual([["completed", "ringing"], ["queued"], ["processing"], ["pending", "pending"]]);
};

test("calls, SMS and deliveries continue from a snapshot and a restart", async () => {
	const data = newFolder();
	const first = await open({ data, clock: "virtual" });
	await begin(first);
	const snapshot = first.control.snapshot();
	first.control.reset();
	first.control.restore(snapshot);
	await first.close();
	const emulator = await open({ data, clock: "virtual" });
	receiver.respond = say(200);
	await advance(emulator, "1h");
	const { calls, messages, recordings, deliveries } = emulator.control.state();
	const completed = { status: "completed" };
	expect([calls, recordings]).toMatchObject(Array(2).fill([completed, completed]));
	expect(calls[1]?.ended_at).toBe(iso(Date.parse(calls[1]?.created_at ?? "") + 34_000));
	expect(messages).toMatchObject([{ status: "delivered" }]);
	expect(deliveries.map(({ status }) => status)).toEqual(["delivered", "delivered", "delivered"]);
	await advance(emulator, "10d");
	const [, german] = emulator.control.state().numbers;
	expect(german?.activated_at).toBe(iso(Date.parse(german?.created_at ?? "") + 10 * day));
});

describe("a damaged folder", () => {
	const query = (sql: string) => (file: string) => {
		const database = new DatabaseSync(file);
		database.exec(sql);
		database.close();
	};
	const zero = (from: number, to: number) => (file: string) =>
		fs.writeFileSync(file, fs.readFileSync(file).fill(0, from, to));
	test.each<[string, (file: string) => void]>([
		["page", zero(4096, 4196)],
		["header", zero(0, 50)],
		["version", query("PRAGMA user_version = 9")],
	])("doesn't start with a wrong %s", async (_, damage) => {
		const data = newFolder();
		const emulator = await open({ data });
		await buy(emulator);
		await emulator.close();
		damage(join(data, "state.sqlite"));
		await expect(open({ data })).rejects.toThrow(data);
	});

	test("starts without a change that a crash cut short", async () => {
		const data = newFolder();
		const { child, url } = await start(["--data", data]);
		for (let count = 0; count < 2; count++) await buyAt(url);
		child.kill("SIGKILL");
		await once(child, "close");
		const log = join(data, "state.sqlite-wal");
		fs.truncateSync(log, fs.statSync(log).size - 1);
		expect((await open({ data })).live()).toHaveLength(1);
	});
});

test("a folder in use is refused to others until it is closed", async () => {
	const data = newFolder();
	const first = await createEmulator({ data });
	await expect(open({ data })).rejects.toThrow("in use");
	const { child, stderr } = await start(["--data", data]);
	await eventually(() => expect(child.exitCode).toBe(1));
	expect(stderr()).toContain(String(process.pid));
	const link = join(dirname(data), "other");
	fs.symlinkSync(data, link);
	await expect(open({ data: link })).rejects.toThrow("in use");
	await first.close();
	const second = await open({ data });
	await first.close();
	await expect(open({ data })).rejects.toThrow("in use");
	await second.close();
	const port = Number(new URL((await open()).url).port);
	await expect(open({ data, port })).rejects.toThrow("EADDRINUSE");
	await open({ data });
});

describe("a folder that can't be written", () => {
	test("fails when the disk is full, and keeps what it confirmed", async () => {
		const data = newFolder();
		// The limit, in blocks of 1024 bytes, stands for a full disk.
		const { url, child } = await start(["--data", data], ["bash", "-c", 'ulimit -f 256 && exec "$0" "$@"']);
		const bought: string[] = [];
		for (;;) {
			const response = await buyAt(url);
			if (response.status === 500) break;
			bought.push(((await response.json()) as { id: string }).id);
		}
		for (const path of ["/_emulator/state", "/v1/numbers", "/_console"])
			expect((await fetch(new URL(path, url), { headers: { authorization: "Bearer emulator-key" } })).status).toBe(500);
		child.kill("SIGKILL");
		await once(child, "close");
		const { control } = await open({ data });
		expect(bought.length).toBeGreaterThan(5);
		expect(control.state().numbers.map(({ id }) => id)).toEqual(bought);
	});

	test.each<[string, (path: string) => void]>([
		["is a file", (path) => fs.writeFileSync(path, "")],
		["links to nothing", (path) => fs.symlinkSync(`${path}-gone`, path)],
	])("is refused where its path %s", async (_, create) => {
		const data = newFolder();
		create(data);
		await expect(open({ data })).rejects.toThrow(data);
	});
});
