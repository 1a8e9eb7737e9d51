/**
 * Kills the durable emulator during 1,000 mixed writes, sometimes leaves a torn change, starts it again on the same folder,
 * and compares its objects with its responses.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { LedgerRow, State } from "../../emulator/index.ts";
import { must } from "./oracle.mts";
import { type Random, seeded } from "./random.mts";
import type { Setting } from "./world.mts";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const writes = 1_000;
const atOnce = 12;

type Kind = "numbers" | "trunks" | "webhooks";
type Row = Record<string, unknown>;

/** What was answered about an object. */
interface Known {
	readonly kind: Kind;
	/** Undefined: it is gone. */
	row: Row | undefined;
	/** A write without an answer: what it would make of the row. */
	asked?: Row | "gone";
	busy: boolean;
}

const bodies = {
	numbers: () => ({ country: "US", type: "mobile" }),
	trunks: (random: Random) => ({
		name: "t",
		auth: { mode: "ip_acl", allowed_cidrs: ["192.0.2.1"] },
		capacity: random.int(1, 99),
	}),
	webhooks: () => ({ url: "https://hooks.example.com/t", events: ["call.completed"] }),
};

const changes: Record<Kind, (random: Random) => Row> = {
	numbers: (random) => ({ label: `label ${random.int(0, 1e9)}` }),
	trunks: (random) => ({ capacity: random.int(100, 10_000) }),
	webhooks: (random) => ({ description: `description ${random.int(0, 1e9)}` }),
};

/** The properties that tell whether a row is the one that was answered. */
const shown = (row: Row, names: Iterable<string>): Row =>
	Object.fromEntries([...names].map((name) => [name, row[name] ?? null]));

const same = (one: Row, other: Row): boolean => JSON.stringify(one) === JSON.stringify(other);

type Call = [method: string, path: string, body?: object, key?: string];

class Life {
	readonly #random: Random;
	readonly #folder = mkdtempSync(join(tmpdir(), "telephony-kill-"));
	readonly #known = new Map<string, Known>();
	/** Keys of creations, with the id that was answered; undefined while nothing was. */
	readonly #keys = new Map<string, { kind: Kind; body: object; id: string | undefined }>();
	readonly #trial: Setting;
	#child: ChildProcess | undefined;
	#origin = "";
	#written = 0;

	constructor(trial: Setting) {
		[this.#trial, this.#random] = [trial, seeded(trial.seed)];
	}

	async run(): Promise<void> {
		try {
			await this.#start();
			while (this.#written < writes) {
				const torn = await this.#writeUntil(this.#written + this.#random.int(1, writes / 3));
				const told = await this.#start();
				// The kill itself may cut a change short that nobody had an answer to.
				must(!torn || told.includes("are left out, and kept in"), () => `torn, but it said: ${told}`);
				await this.#check();
				await this.#repeat();
			}
		} finally {
			this.#child?.kill("SIGKILL");
			rmSync(this.#folder, { recursive: true, force: true });
		}
	}

	async #start(): Promise<string> {
		const data = join(this.#folder, "data");
		const args = ["bin/telephony", "emulator", "--port", "0", "--data", data];
		const child = spawn(process.execPath, args, { cwd: root });
		this.#child = child;
		let told = "";
		child.stderr.on("data", (text) => {
			told += String(text);
		});
		const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), once(child, "close")])) as [
			unknown,
		];
		const origin = /listening on (http:\/\/[^/\s]+)/.exec(String(line))?.[1];
		must(origin !== undefined, () => `it does not start again: ${told}`);
		this.#origin = origin;
		return told;
	}

	async #send(...[method, path, body, key]: Call): Promise<{ status: number; body: Row }> {
		const headers = {
			Authorization: "Bearer emulator-key",
			"Content-Type": "application/json",
			...(key === undefined ? {} : { "Idempotency-Key": key }),
		};
		const answer = await fetch(this.#origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
		const text = await answer.text();
		return { status: answer.status, body: JSON.parse(text === "" ? "{}" : text) as Row };
	}

	/** Answers whether a torn change was left, too. */
	async #writeUntil(last: number): Promise<boolean> {
		let dead = false;
		const kill = () => {
			dead = true;
			this.#child?.kill("SIGKILL");
		};
		const worker = async () => {
			while (!dead) {
				await this.#write(() => dead);
				if (this.#written >= last) kill();
			}
		};
		await Promise.all(Array.from({ length: atOnce }, worker));
		await new Promise((done) =>
			(this.#child?.exitCode ?? this.#child?.signalCode) === null ? this.#child?.once("close", done) : done(undefined),
		);
		this.#trial.count("kill during writes");
		this.#trial.say(`killed after ${this.#written} writes`);
		if (!this.#random.chance(0.3)) return false;
		const log = join(this.#folder, "data", "state.sqlite-wal");
		const frame = readFileSync(log).subarray(-4120);
		appendFileSync(log, frame.subarray(0, this.#random.int(1, frame.length - 1)));
		this.#trial.count("torn records");
		return true;
	}

	async #write(dead: () => boolean): Promise<void> {
		const free = [...this.#known].filter(([, { busy, row }]) => !busy && row !== undefined);
		if (free.length < 5 || this.#random.chance(0.5)) return this.#create(dead);
		const [id, known] = this.#random.pick(free);
		known.busy = true;
		try {
			if (this.#random.chance(0.3)) await this.#end(id, known, dead);
			else await this.#change(id, known, dead);
		} finally {
			known.busy = false;
		}
	}

	/** The answer; undefined if the emulator was killed before it came. */
	async #answer(dead: () => boolean, ...call: Call): Promise<Row | undefined> {
		const answer = await this.#send(...call).catch((error: unknown) => {
			if (dead()) return undefined;
			throw error;
		});
		if (answer === undefined) return undefined;
		must(answer.status < 300, () => `${call[0]} ${call[1]}: ${answer.status} ${JSON.stringify(answer.body)}`);
		this.#written += 1;
		return answer.body;
	}

	async #create(dead: () => boolean): Promise<void> {
		const kind = this.#random.pick<Kind>(["numbers", "trunks", "webhooks"]);
		const [key, body] = [`key-${this.#keys.size}`, bodies[kind](this.#random)];
		this.#keys.set(key, { kind, body, id: undefined });
		const made = await this.#answer(dead, "POST", `/v1/${kind}`, body, key);
		if (made) this.#learn(key, kind, body, made);
	}

	#learn(key: string, kind: Kind, body: object, made: Row): void {
		const id = String(made.id);
		must(!this.#known.has(id), () => `${id} came twice`);
		this.#keys.set(key, { kind, body, id });
		const told = { numbers: ["number", "status"], trunks: ["capacity"], webhooks: ["url", "secret"] }[kind];
		this.#known.set(id, { kind, row: shown(made, told), busy: false });
	}

	async #change(id: string, known: Known, dead: () => boolean): Promise<void> {
		const change = changes[known.kind](this.#random);
		known.asked = { ...known.row, ...change };
		if ((await this.#answer(dead, "PATCH", `/v1/${known.kind}/${id}`, change)) === undefined) return;
		known.row = known.asked;
		delete known.asked;
	}

	async #end(id: string, known: Known, dead: () => boolean): Promise<void> {
		known.asked = "gone";
		if ((await this.#answer(dead, "DELETE", `/v1/${known.kind}/${id}`)) === undefined) return;
		known.row = undefined;
		delete known.asked;
	}

	/** What was answered is there, and what was not is as it was, or as it was asked to be. */
	async #check(): Promise<void> {
		const state = (await this.#send("GET", "/_emulator/state")).body as unknown as State;
		const live = new Map<string, Row>();
		for (const kind of ["numbers", "trunks", "webhooks"] as const) {
			for (const row of state[kind]) if (row.status !== "released") live.set(row.id, { ...row });
		}
		for (const [id, known] of this.#known) {
			const found = live.get(id);
			const { row, asked } = known;
			const isAt = (wanted: Row | undefined) =>
				wanted === undefined || found === undefined
					? wanted === found
					: same(shown(found, Object.keys(wanted)), wanted);
			const after = asked === "gone" ? undefined : asked;
			must(
				isAt(row) || (asked !== undefined && isAt(after)),
				() => `${id} is ${JSON.stringify(found)}, answered was ${JSON.stringify(row)}, asked ${JSON.stringify(asked)}`,
			);
			if (!isAt(row)) known.row = after;
			delete known.asked;
			live.delete(id);
		}
		const unanswered = [...this.#keys.values()].filter(({ id }) => id === undefined).length;
		must(live.size <= unanswered, () => `${live.size} objects were invented: ${[...live.keys()].join(" ")}`);
	}

	/** A creation without an answer is repeated with its key, one with an answer says the same again: nothing is there twice. */
	async #repeat(): Promise<void> {
		const all = [...this.#keys];
		const answered = all.filter(([, { id }]) => id !== undefined);
		const repeated = [...all.filter(([, { id }]) => id === undefined), ...answered.slice(-5), ...answered.slice(0, 5)];
		for (const [key, { kind, body, id }] of repeated) {
			const again = await this.#answer(() => false, "POST", `/v1/${kind}`, body, key);
			if (id === undefined) this.#learn(key, kind, body, again ?? {});
			else must(again?.id === id, () => `the key of ${id} now gives ${again?.id}`);
		}
		const ledger = (await this.#send("GET", "/_emulator/ledger")).body.data as LedgerRow[];
		const bought = new Set(ledger.filter(({ kind }) => kind === "purchase").map(({ number_id }) => number_id));
		const wanted = [...this.#known].filter(([, { kind }]) => kind === "numbers").map(([id]) => id);
		must(
			bought.size === wanted.length && wanted.every((id) => bought.has(id)),
			() => `${wanted.length} numbers were asked for, ${bought.size} bought`,
		);
	}
}

/** Performs one trial. @throws Violation */
export const playEmulator = (setting: Setting): Promise<void> => new Life(setting).run();
