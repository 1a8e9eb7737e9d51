/**
 * Keeps the limits of a run: what is to be bought or released is noted before its request, and what would break a limit is
 * refused. All processes of the run count together.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../api/clock";
import { nextStep, TelephonyError } from "../api/errors";
import { isDecimal } from "../api/money";
import type { Price } from "../reads/prices";
import { type Broken, brokenBy, type Deed, type Limits, limitsOf, nothing, type Total } from "./limits";
import { FileLog, type Line, MemoryLog, type RunLog } from "./run-log";

/** A place in the count, taken before the request. Without an answer to it, it stays taken. */
export interface Reservation {
	/** It was carried out, or may have been. `price` is the real one. */
	keep(price?: Price | null): void;
	/** It certainly wasn't. */
	giveBack(): void;
}

interface PricedDeed {
	readonly deed: Deed;
	/** The highest price that it may have. */
	readonly price?: Price;
}

export interface SpendingOptions {
	readonly clock: Clock;
	readonly ending: AbortSignal;
	/** The engine's address, if there is one. */
	engine(): string | undefined;
}

/** How long another process is waited for before its lines are looked at again, ms. */
const lookEveryMs = 100;
/** What a process that is gone wrote that long before this one began belongs to an earlier run with the same address, ms. */
const earlierMs = 600_000;

export class Spending {
	readonly #options: SpendingOptions;
	readonly #began = Date.now();
	#log: RunLog | undefined;
	/** What has been carried out. */
	#done = nothing();
	/** Requests without an answer so far, by id, in the order in which they were asked. */
	readonly #open = new Map<string, Line>();
	/** The requests of this process without an answer, and who waits for one. */
	readonly #own = new Set<string>();
	readonly #waiting: (() => void)[] = [];

	constructor(options: SpendingOptions) {
		this.#options = options;
	}

	/**
	 * Waits while only requests without an answer stand in the way: they may come to nothing.
	 * @throws TelephonyError Invalid, if a limit would be broken
	 */
	async reserve(wanted: PricedDeed, limits: Limits): Promise<Reservation> {
		for (;;) {
			const refused = this.#broken(wanted, limits, false);
			if (refused.length > 0) throw this.#refusal(wanted, refused);
			if (this.#broken(wanted, limits, true).length === 0) {
				const id = this.#ask(wanted);
				// Another process may have been faster.
				if (brokenBy(this.#total(true, id), limitsOf(wanted.deed, limits)).length === 0) return this.#reservation(id);
				this.#note(id, "returned");
			}
			await this.#change();
		}
	}

	/** Notes it for the limits of others, where this provider has none. */
	note(wanted: PricedDeed): Reservation | undefined {
		try {
			return this.#reservation(this.#ask(wanted));
		} catch {
			// Whoever has limits says that they can't be counted.
			return undefined;
		}
	}

	/** Begins again, for another operation in the same process. */
	clear(): void {
		if (this.#log instanceof FileLog) return;
		this.#log = undefined;
		this.#done = nothing();
		this.#open.clear();
	}

	#reservation(id: string): Reservation {
		this.#own.add(id);
		const settle = (is: "kept" | "returned", price?: Price) => {
			if (!this.#own.delete(id)) return;
			try {
				this.#note(id, is, price);
			} catch {
				// The purchase or release is done. Without a line that ends it, it counts.
			}
			for (const go of this.#waiting.splice(0)) go();
		};
		return {
			keep: (price) => settle("kept", price != null && isPrice(price) ? price : undefined),
			giveBack: () => settle("returned"),
		};
	}

	#ask({ deed, price }: PricedDeed): string {
		const id = randomUUID();
		this.#append({ id, is: "asked", deed, ...(price && { price }) });
		return id;
	}

	#note(id: string, is: "kept" | "returned", price?: Price): void {
		const asked = this.#open.get(id);
		if (asked === undefined) return;
		this.#append({ ...asked, is, ...(price && { price }) });
	}

	#append(line: Omit<Line, "pid" | "at">): void {
		this.#opened().append({ ...line, pid: process.pid, at: Date.now() });
		this.#look();
	}

	#opened(): RunLog {
		const engine = this.#options.engine();
		try {
			this.#log ??= engine === undefined ? new MemoryLog() : new FileLog(engine);
			return this.#log;
		} catch (cause) {
			throw new TelephonyError(
				"Config",
				`Nothing was bought or released: \`telephony:limits\` can't be enforced, because the run can't write its count to the temporary folder: ${(cause as Error).message}. Set TMPDIR to a writable folder.`,
				{ cause },
			);
		}
	}

	#look(): void {
		for (const line of this.#opened().more()) {
			if (this.#isEarlier(line)) continue;
			this.#open.delete(line.id);
			if (line.is === "asked") this.#open.set(line.id, line);
			if (line.is === "kept") add(this.#done, line);
		}
	}

	/** What it would break, with or without the requests that have no answer yet. */
	#broken(wanted: PricedDeed, limits: Limits, withAsked: boolean): Broken[] {
		const total = this.#total(withAsked);
		add(total, wanted);
		return brokenBy(total, limitsOf(wanted.deed, limits));
	}

	/** With the requests that have no answer yet, up to `last`, or with what is certain alone. */
	#total(withAsked: boolean, last?: string): Total {
		this.#look();
		const total = nothing();
		total.purchases = this.#done.purchases;
		total.releases = this.#done.releases;
		total.setup.addAll(this.#done.setup);
		total.monthly.addAll(this.#done.monthly);
		for (const line of this.#open.values()) {
			// Whether a process that is gone has bought it, nobody knows.
			if (withAsked || !isAlive(line.pid)) add(total, line);
			if (line.id === last) break;
		}
		return total;
	}

	#isEarlier({ pid, at }: Line): boolean {
		return at < this.#began - earlierMs && !isAlive(pid);
	}

	async #change(): Promise<void> {
		const { clock, ending } = this.#options;
		if (ending.aborted)
			throw new TelephonyError("Interrupted", `Nothing was bought or released: ${String(ending.reason)}.`, {
				nextStep: nextStep("Interrupted"),
			});
		if (this.#own.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
		else await clock.sleep(lookEveryMs, ending);
	}

	#refusal({ deed, price }: PricedDeed, broken: readonly Broken[]): TelephonyError {
		const { purchases, releases, setup, monthly } = this.#total(false);
		const so = `this run has bought ${purchases} so far (setup ${setup}, monthly ${monthly}) and released ${releases}`;
		const cost = price && broken.some(({ name }) => name === "maxSetup" || name === "maxMonthly");
		const its = cost ? ` It would cost ${text(price)}.` : "";
		return new TelephonyError(
			"Invalid",
			`${deed === "purchase" ? "Nothing was bought for this resource" : "Nothing was released for this resource"}: \`telephony:limits\` allows ${broken.map(({ name, limit }) => `${name} ${limit}`).join(" and ")}, and ${so}.${its} ${raised(broken)}`,
			{ messageCode: "limit" },
		);
	}
}

/** How to raise what is broken. */
export const raised = (broken: readonly Broken[]): string =>
	`To allow it, run ${[...new Map(broken.map(({ name, setting }) => [name, setting]))]
		.map(([name, setting]) => `\`pulumi config set --path telephony:limits.${name} ${setting}\``)
		.join(", ")}, or raise \`limits\` of the provider in the program.`;

export const text = ({ setup, monthly }: Price): string =>
	`${setup.amount} ${setup.currency} setup, ${monthly.amount} ${monthly.currency} a month`;

const isPrice = ({ setup, monthly }: Price): boolean => isDecimal(setup.amount) && isDecimal(monthly.amount);

function add(total: Total, { deed, price }: PricedDeed): void {
	if (deed === "release") {
		total.releases += 1;
		return;
	}
	total.purchases += 1;
	if (price === undefined) return;
	total.setup.add(price.setup);
	total.monthly.add(price.monthly);
}

function isAlive(pid: number): boolean {
	if (pid === process.pid) return true;
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		// It is there, and another user's.
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
