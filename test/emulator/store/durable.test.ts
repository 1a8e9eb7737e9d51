import { once } from "node:events";
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../../emulator";
import { encode } from "../../../emulator/store/records";
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

	test("and its files are for their owner only, and for no repository", async () => {
		const data = newFolder();
		await open({ data });
		const modes = ["", "state.log", "lock"].map((name) => statSync(join(data, name)).mode & 0o777);
		expect(modes).toEqual([0o700, 0o600, 0o600]);
		expect(readFileSync(join(data, ".gitignore"), "utf8")).toBe("*\n");
	});

	test("is rewritten when most of it is past, while answers go on", async () => {
		const data = newFolder();
		const first = await open({ data });
		const size = () => statSync(join(data, "state.log")).size;
		for (let turn = 0; turn < 25_000; turn++) first.control.kyc("manual");
		await first.call("GET", "/numbers");
		const before = size();
		const buying = Array.from({ length: 50 }, () => first.call("POST", "/numbers", mobile("US")));
		await Promise.all(buying);
		await vi.waitFor(() => expect(size()).toBeLessThan(before / 2), { timeout: 30_000 });
		const whole = everything(first);
		await first.close();
		expect(everything(await open({ data }))).toEqual(whole);
	});
});

describe("a record", () => {
	const filled = async () => {
		const data = newFolder();
		const emulator = await open({ data });
		for (const country of ["US", "GB"]) await emulator.call("POST", "/numbers", mobile(country));
		const before = everything(emulator);
		await emulator.close();
		return { data, file: join(data, "state.log"), before };
	};

	test.each([
		["cut in its middle", (line: string) => line.slice(0, line.length / 2), /cut short by a crash/],
		["without its end", (line: string) => line.slice(0, -1), /cut short by a crash/],
		["with a hole", (line: string) => line.replace(/\+4\d/, "\0\0\0"), /may have been acknowledged/],
	])("that is the last and %s is left out, kept aside, and said for what it may be", async (_, tear, said) => {
		const { data, file, before } = await filled();
		const line = readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "";
		appendFileSync(file, tear(`${line}\n`));
		const emulator = await open({ data });
		expect(emulator.data?.note).toMatch(said);
		expect(everything(emulator)).toEqual(before);
		const [aside = ""] = readdirSync(data).filter((name) => name.startsWith("state.log.damaged-"));
		expect(emulator.data?.note).toContain(aside);
		expect(readFileSync(join(data, aside), "utf8")).toBe(tear(`${line}\n`));
		await emulator.call("POST", "/numbers", mobile("US"));
		await emulator.close();
		const again = await open({ data });
		expect(again.data?.note).toBeUndefined();
		expect(again.control.ledger()).toHaveLength(3);
	});

	test("that is missing in the middle stops the start, and nothing is changed", async () => {
		const { data, file } = await filled();
		const lines = readFileSync(file, "utf8").split("\n");
		const without = [...lines.slice(0, 2), ...lines.slice(3)].join("\n");
		writeFileSync(file, without);
		await expect(open({ data })).rejects.toThrow(/state\.log has lost line 3: .*put back a copy of the file/);
		expect(readFileSync(file, "utf8")).toBe(without);
	});

	test("that is broken with others behind it stops the start, and nothing is changed", async () => {
		const { data, file } = await filled();
		const broken = readFileSync(file, "utf8").replace(/"US"/, '"UX"');
		writeFileSync(file, broken);
		await expect(open({ data })).rejects.toThrow(
			/state\.log is damaged in line \d+\. .*put back a copy of the file, or move the folder away/,
		);
		expect(readFileSync(file, "utf8")).toBe(broken);
	});

	test("of another format stops the start", async () => {
		const { data, file } = await filled();
		writeFileSync(file, encode(0, { format: 9 }));
		await expect(open({ data })).rejects.toThrow(/another version of the emulator/);
		writeFileSync(file, "");
		await expect(open({ data })).rejects.toThrow(/is damaged in line 1/);
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
		expect(existsSync(join(data, "lock"))).toBe(true);
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
		const { url, child } = await start(["--data", data], ["bash", "-c", 'ulimit -f 32 && exec "$0" "$@"']);
		const answers: { status: number; body: { id?: string; message?: string } }[] = [];
		while (answers.at(-1)?.status !== 500) {
			const answer = await buyAt(url);
			answers.push({ status: answer.status, body: (await answer.json()) as { id?: string } });
		}
		expect(answers.at(-1)?.body.message).toMatch(/can't write to .*state\.log \(EFBIG.*start it again/);
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
