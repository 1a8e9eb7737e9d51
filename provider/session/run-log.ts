/**
 * What all processes of one run have bought and released: lines that each of them appends to one file. The run is known by
 * the address of its engine, which every process of it gets from the engine, and no other run has at the same time.
 */
import {
	constants,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readSync,
	rmSync,
	writeSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { hash } from "../ownership/reference";
import type { Price } from "../reads/prices";
import type { Deed } from "./limits";

/** `asked` before the request, `kept` or `returned` after its answer. */
export interface Line {
	/** The same for all lines of one request. */
	readonly id: string;
	readonly is: "asked" | "kept" | "returned";
	readonly deed: Deed;
	/** What it costs, as far as is known. */
	readonly price?: Price;
	readonly pid: number;
	/** Milliseconds, by the system's clock. */
	readonly at: number;
}

export interface RunLog {
	append(line: Line): void;
	/** The lines since the last call. */
	more(): readonly Line[];
}

/** For a run of one process, without an engine. */
export class MemoryLog implements RunLog {
	#lines: Line[] = [];

	append(line: Line): void {
		this.#lines.push(line);
	}

	more(): readonly Line[] {
		return this.#lines.splice(0);
	}
}

/** No run lasts that long without a line. */
const keptMs = 7 * 86_400_000;

export class FileLog implements RunLog {
	readonly #file: number;
	#read = 0;
	#rest = "";

	/** @throws Error if the folder for temporary files can't be used */
	constructor(engine: string) {
		const folder = ownFolder();
		// A container's processes have an address like this machine's.
		const path = join(folder, `${hash(22, engine, hostname())}.jsonl`);
		const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;
		this.#file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
		sweep(folder);
	}

	/** A short line arrives whole, and after all that were there. */
	append(line: Line): void {
		writeSync(this.#file, `${JSON.stringify(line)}\n`);
	}

	more(): readonly Line[] {
		const size = fstatSync(this.#file).size - this.#read;
		if (size <= 0) return [];
		const bytes = Buffer.alloc(size);
		const count = readSync(this.#file, bytes, 0, size, this.#read);
		this.#read += count;
		const lines = (this.#rest + bytes.toString("utf8", 0, count)).split("\n");
		this.#rest = lines.pop() ?? "";
		return lines.map((line) => JSON.parse(line) as Line);
	}
}

/** A folder that only this user can use: what another one wrote there could stop a run. */
function ownFolder(): string {
	const uid = process.getuid?.();
	const folder = join(tmpdir(), `pulumi-telephony-${uid ?? "runs"}`);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const found = lstatSync(folder);
	const isOurs = uid === undefined || (found.uid === uid && (found.mode & 0o077) === 0);
	if (!found.isDirectory() || !isOurs) throw new Error(`${folder} is not a folder of this user alone`);
	return folder;
}

/** What earlier runs have left. */
function sweep(folder: string): void {
	for (const name of readdirSync(folder)) {
		try {
			if (Date.now() - lstatSync(join(folder, name)).mtimeMs > keptMs) rmSync(join(folder, name));
		} catch {
			// Another process has swept it.
		}
	}
}
