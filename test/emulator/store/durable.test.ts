import { once } from "node:events";
import {
	appendFileSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../../emulator";
import { day, digest, refusal } from "../fixture";
import { buyAt, everything, mobile, newFolder, open, start } from "../folders";

describe("a folder", () => {
	test("brings everything back", async () => {
		const data = newFolder();
		const first = await open({ data });
		const key = { "Idempotency-Key": "k-1" };
		const number = (await first.call("POST", "/numbers", mobile("DE"), key)).body;
		const gone = (await first.call("POST", "/numbers", mobile("US"))).body;
		const trunk = (await first.call("POST", "/trunks", { name: "office", auth: digest, capacity: 30 })).body;
		const unused = (await first.call("POST", "/trunks", { name: "unused", auth: digest, capacity: 1 })).body;
		await first.call("POST", "/webhooks", { url: "https://a.example/t", events: ["message.received"] });
		await first.call("PATCH", `/numbers/${number.id}`, { routing: { type: "trunk", trunk_id: trunk.id } });
		await first.call("DELETE", `/numbers/${gone.id}`);
		await first.call("DELETE", `/trunks/${unused.id}`);
		first.control.decide(number.id, "reject");
		first.control.kyc("immediate");
		first.control.settings({ pageSize: 7, features: { statusFilter: false } });
		const before = everything(first);
		await first.close();

		const second = await open({ data });
		expect(everything(second)).toEqual(before);
		const replayed = await second.call("POST", "/numbers", mobile("DE"), key);
		expect(replayed).toMatchObject({ status: 201, body: { id: number.id, status: "pending" } });
		expect(replayed.headers.get("Idempotent-Replayed")).toBe("true");
		expect(await second.call("POST", "/numbers", mobile("US"), key)).toMatchObject(
			refusal(422, "idempotency_key_reused"),
		);
	});

	test("never lets an id or a number come again, not after a reset either", async () => {
		const data = newFolder();
		const seen: unknown[] = [];
		for (let starts = 0; starts < 3; starts++) {
			const emulator = await open({ data, seed: 1 });
			const { id, number } = (await emulator.call("POST", "/numbers", mobile("US"))).body;
			const trunk = (await emulator.call("POST", "/trunks", { name: "t", auth: digest, capacity: 1 })).body;
			await emulator.call("DELETE", `/trunks/${trunk.id}`);
			emulator.control.reset();
			seen.push(id, number, trunk.id);
			await emulator.close();
		}
		expect(new Set(seen).size).toBe(9);
	});

	test("sets up again what falls due, on a clock that stands where it stood", async () => {
		const data = newFolder();
		const options = { data, kyc: "10d", clock: "virtual" } as const;
		const first = await open(options);
		const { id, created_at } = (await first.call("POST", "/numbers", mobile("DE"))).body;
		first.control.clock({ advance: "9d" });
		const { now } = first.control.clock();
		await first.close();

		const second = await open(options);
		expect(second.control.clock()).toEqual({ mode: "virtual", now });
		expect((await second.call("GET", `/numbers/${id}`)).body.status).toBe("pending");
		second.control.clock({ advance: "2d" });
		expect((await second.call("GET", `/numbers/${id}`)).body).toMatchObject({
			status: "active",
			activated_at: new Date(Date.parse(String(created_at)) + 10 * day).toISOString(),
		});
	});

	test("lets nothing wait longer for the real time, over a start too", async () => {
		const data = newFolder();
		const first = await open({ data, kyc: "1s", clock: "virtual" });
		first.control.clock({ advance: "10d" });
		const { id } = (await first.call("POST", "/numbers", mobile("DE"))).body;
		first.control.clock({ mode: "real" });
		await first.close();
		const second = await open({ data, kyc: "1s", clock: "virtual" });
		const status = async () => (await second.call("GET", `/numbers/${id}`)).body.status;
		await vi.waitFor(async () => expect(await status()).toBe("active"), { timeout: 10_000 });
	});

	test("keeps what was changed since the start, unless the next start asks for something else than this one", async () => {
		const data = newFolder();
		const kept = async (options: EmulatorOptions) => {
			const emulator = await open({ data, ...options });
			const { kyc, settings } = emulator.control.state();
			const { mode } = emulator.control.clock();
			return { emulator, seen: [kyc.policy, settings.features.trunks, mode] };
		};
		const { emulator: first, seen } = await kept({ kyc: "2h" });
		expect(seen).toEqual(["2h", true, "real"]);
		first.control.kyc("reject");
		first.control.settings({ features: { trunks: false } });
		first.control.clock({ mode: "virtual" });
		await first.close();
		const { emulator: second, seen: same } = await kept({ kyc: "2h" });
		expect(same).toEqual(["reject", false, "virtual"]);
		second.control.reset();
		expect(second.control.state().kyc.policy).toBe("2h");
		await second.close();
		const { emulator: third, seen: other } = await kept({ kyc: "immediate", profile: "seed", clock: "virtual" });
		expect(other).toEqual(["immediate", false, "virtual"]);
		await third.close();
		expect((await kept({ kyc: "immediate", profile: "full", clock: "real" })).seen).toEqual([
			"immediate",
			true,
			"real",
		]);
	});

	test("is for its owner only, and for no repository", async () => {
		const data = newFolder();
		await open({ data });
		const modes = ["", "state.sqlite", "state.sqlite-wal", "pid"].map(
			(name) => statSync(join(data, name)).mode & 0o777,
		);
		expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
		expect(readFileSync(join(data, ".gitignore"), "utf8")).toBe("*\n");
	});

	test("stays small however often it changes", async () => {
		const data = newFolder();
		const first = await open({ data });
		for (let turn = 0; turn < 10; turn++) {
			for (let change = 0; change < 1_000; change++) first.control.settings({ pageSize: 1 + (change % 100) });
			expect((await first.call("POST", "/numbers", mobile("US"))).status).toBe(201);
		}
		for (const name of readdirSync(data)) expect(statSync(join(data, name)).size).toBeLessThan(6e6);
		const whole = everything(first);
		await first.close();
		expect(everything(await open({ data }))).toEqual(whole);
	});

	test("brings back rows that were made long ago and changed just now, for reads that lag", async () => {
		const data = newFolder();
		const options = { data, clock: "virtual" } as const;
		const first = await open(options);
		const { id } = (await first.call("POST", "/numbers", mobile("US"))).body;
		first.control.clock({ advance: "1h" });
		await first.call("PATCH", `/numbers/${id}`, { label: "new" });
		first.control.settings({ readLagMs: 10_000 });
		await first.close();
		const { data: listed } = (await (await open(options)).call("GET", "/numbers")).body;
		expect(listed).toMatchObject([{ id, label: "new" }]);
	});
});

describe("a folder that is damaged", () => {
	/** What a process leaves that was killed after two purchases. */
	const killed = async () => {
		const data = newFolder();
		const { child, url } = await start(["--data", data]);
		for (let count = 0; count < 2; count++) expect((await buyAt(url)).status).toBe(201);
		child.kill("SIGKILL");
		await once(child, "close");
		return { data, log: join(data, "state.sqlite-wal") };
	};
	/** What a process leaves that was stopped after two purchases. */
	const stopped = async () => {
		const data = newFolder();
		const emulator = await open({ data });
		for (const country of ["US", "GB"]) await emulator.call("POST", "/numbers", mobile(country));
		await emulator.close();
		return { data, file: join(data, "state.sqlite") };
	};
	const inDatabase = (file: string, sql: string) => {
		const database = new DatabaseSync(file);
		database.exec(sql);
		database.close();
	};

	test.each([
		[
			"a change that is cut",
			2,
			/cut short by a crash/,
			(log: string) => appendFileSync(log, readFileSync(log).subarray(-4000)),
		],
		[
			"a change that lacks its end",
			1,
			/cut short by a crash/,
			(log: string) => truncateSync(log, statSync(log).size - 1),
		],
		[
			"a change with a hole",
			1,
			/may have been acknowledged/,
			(log: string) =>
				writeFileSync(log, readFileSync(log).fill(255, statSync(log).size - 2000, statSync(log).size - 1900)),
		],
	])(
		"by %s at its end starts without it, keeps it aside, and says what it may be",
		async (_, numbers, said, damage) => {
			const { data, log } = await killed();
			damage(log);
			const emulator = await open({ data });
			expect(emulator.control.state().numbers).toHaveLength(numbers);
			expect(emulator.data?.note).toMatch(said);
			const [aside = ""] = readdirSync(data).filter((name) => name.startsWith("state.sqlite-wal.damaged-"));
			expect(emulator.data?.note).toContain(aside);
			expect(statSync(join(data, aside)).mode & 0o777).toBe(0o600);
			await emulator.call("POST", "/numbers", mobile("US"));
			await emulator.close();
			const again = await open({ data });
			expect(again.data?.note).toBeUndefined();
			expect(again.control.ledger()).toHaveLength(numbers + 1);
		},
	);

	test.each([
		[
			"in a value",
			(file: string) => writeFileSync(file, readFileSync(file, "latin1").replace(/"US"/, '"UX"'), "latin1"),
			/is damaged \(/,
		],
		["in a page", (file: string) => writeFileSync(file, readFileSync(file).fill(0, 4096, 4196)), /is damaged \(/],
		["in its header", (file: string) => writeFileSync(file, readFileSync(file).fill(0, 0, 50)), /is damaged \(/],
		["at its end", (file: string) => truncateSync(file, statSync(file).size / 2), /is damaged \(/],
		["in the whole", (file: string) => writeFileSync(file, ""), /is damaged \(it is empty/],
		[
			"by a value without its row",
			(file: string) => inDatabase(file, "UPDATE entries SET key = 'other' WHERE key = 'epoch'"),
			/is damaged \(account other/,
		],
		[
			"by another version",
			(file: string) => inDatabase(file, "PRAGMA user_version = 9"),
			/another version of the emulator/,
		],
	])("%s stops the start, says what to do, and stays as it is", async (_, damage, said) => {
		const { data, file } = await stopped();
		damage(file);
		const before = readFileSync(file);
		for (let count = 0; count < 2; count++) await expect(open({ data })).rejects.toThrow(said);
		await expect(open({ data })).rejects.toThrow(/put back a copy of the folder, or move it away to start empty/);
		expect(readFileSync(file)).toEqual(before);
	});

	test("by losing its file does not start empty", async () => {
		const { data, log } = await killed();
		rmSync(join(data, "state.sqlite"));
		await expect(open({ data })).rejects.toThrow(/has lost state\.sqlite.*put back a copy of the folder/);
		expect(statSync(log).size).toBeGreaterThan(0);
	});

	test("to this version, because an earlier one wrote it, stops the start", async () => {
		const { data, file } = await stopped();
		rmSync(file);
		writeFileSync(join(data, "state.log"), "");
		await expect(open({ data })).rejects.toThrow(/kept its state in state\.log.*move the folder away/);
	});
});

describe("a second emulator", () => {
	test("on the same folder is refused, in this process and in another, until the first ends", async () => {
		const data = newFolder();
		const first = await open({ data });
		await expect(open({ data })).rejects.toThrow(/is in use by another emulator in this process: stop that emulator/);
		const { child, told } = await start(["--data", data]);
		await vi.waitFor(() => expect(child.exitCode).toBe(1), { timeout: 30_000 });
		expect(told()).toContain(`telephony: ${data} is in use by process ${process.pid}: stop that emulator`);
		const other = join(dirname(data), "other");
		symlinkSync(data, other);
		await expect(open({ data: other })).rejects.toThrow(/is in use by another emulator in this process/);
		vi.resetModules();
		const copy = await vi.importActual<{ createEmulator: typeof createEmulator }>("../../../emulator");
		await expect(copy.createEmulator({ data })).rejects.toThrow(/is in use by another emulator in this process/);
		await first.close();
		await (await open({ data })).close();
	});

	test("keeps the folder when the first is closed once more", async () => {
		const data = newFolder();
		const first = await createEmulator({ data });
		await first.close();
		await open({ data });
		await first.close();
		await expect(open({ data })).rejects.toThrow(/is in use/);
	});

	test("takes the folder over from one that was killed, with all that was answered", async () => {
		const data = newFolder();
		const { child, url, told } = await start(["--data", data]);
		expect(told()).toContain(`state is kept in ${data}`);
		const { id } = (await (await buyAt(url)).json()) as { id: string };
		child.kill("SIGKILL");
		await once(child, "close");
		const second = await open({ data });
		expect(second.control.state().numbers).toMatchObject([{ id, status: "active" }]);
	});

	test("that can't listen leaves the folder free", async () => {
		const data = newFolder();
		const { url } = await open({});
		await expect(open({ data, port: Number(new URL(url).port) })).rejects.toThrow(/EADDRINUSE/);
		await open({ data });
	});

	test("that can't write any more answers nothing it can't keep, and the next one has the rest", async () => {
		const data = newFolder();
		// In blocks of 1024 bytes: the limit stands for a full disk.
		const { url, child } = await start(["--data", data], ["bash", "-c", 'ulimit -f 256 && exec "$0" "$@"']);
		const answers: { status: number; body: { id?: string; message?: string } }[] = [];
		while (answers.at(-1)?.status !== 500) {
			const answer = await buyAt(url);
			answers.push({ status: answer.status, body: (await answer.json()) as { id?: string } });
		}
		expect(answers.at(-1)?.body.message).toMatch(/can't write to .*state\.sqlite \(.*start it again/);
		const reset = { method: "POST", redirect: "manual" } as const;
		expect((await fetch(`${url.replace(/v1$/, "_console")}/reset`, reset)).status).toBe(500);
		expect((await fetch(`${url.replace(/v1$/, "_emulator")}/state`)).status).toBe(500);
		child.kill("SIGKILL");
		await once(child, "close");
		const { control } = await open({ data });
		const bought = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
		expect(bought.length).toBeGreaterThan(5);
		expect(control.state().numbers.map(({ id }) => id)).toEqual(bought);
	});

	test("says what to do where no folder can be", async () => {
		const data = newFolder();
		writeFileSync(data, "a file");
		await expect(open({ data })).rejects.toThrow(/can't be used \(.*\): choose another folder \(--data DIR\)/);
	});
});
