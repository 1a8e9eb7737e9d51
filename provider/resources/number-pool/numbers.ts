/** Brings the numbers of a pool to what the program declares: a loop over the lifecycle of a Number. */
import pLimit from "p-limit";
import type { NumberRecord } from "../../api/contract";
import { isAbsent, isNotFound, isTelephonyError, TelephonyError } from "../../api/errors";
import type { MessageCode } from "../../api/message-codes";
import { phaseOf, showsStatus } from "../../api/record";
import { InitError, type Lifecycle, messageOf, plannedIdentity } from "../../lifecycle/resource";
import { losses } from "../../ownership/ownership";
import { listed } from "../../properties/display";
import { urnOf, type Values } from "../../properties/table";
import type { Reports } from "../../session/progress";
import type { Session } from "../../session/session";
import { deleted, untilActive } from "../activation/members";
import { numberLifecycle } from "../number/handler";
import { isWaiting } from "../number/kyc";
import { computed } from "../number/properties";
import { type Finding, type Member, memberInputs, recordOf, titleOf } from "./members";
import type { Slot } from "./plan";
import { memberClaim, nameIn } from "./properties";

/** Numbers in progress at a time, so that few purchases are under way when one is refused. */
const concurrency = 16;
/** Failures after which no other number is started: their cause is probably shared. */
const mostFailures = 10;

/** settle: the pool gets the numbers that the program declares. remove: it gets rid of all. */
type PoolOperation = "settle" | "remove";

const nextSteps: Readonly<Record<PoolOperation, string>> = {
	settle: "The state keeps these numbers, and the next `pulumi up` continues.",
	remove: "The state keeps these numbers, and the next run removes them.",
};

/** How far an operation came before it failed. */
interface Progressed {
	readonly operation: PoolOperation;
	/** Numbers in the state. */
	readonly count: number;
	readonly wanted: unknown;
}

/** Codes of numbers that are deleted, or that other stacks have. */
const reported: ReadonlySet<MessageCode> = new Set(["claimed", ...Object.values(losses).map(({ code }) => code)]);

interface Failed {
	readonly name: string;
	/** The name, with the number if there is one. */
	readonly title: string;
	readonly error: unknown;
}

export class PoolNumbers {
	/** The numbers as they are now, by index. */
	readonly members: Map<number, Member>;
	readonly #session: Session;
	readonly #pool: Values;
	readonly #urn: string;
	readonly #warnings = new Map<MessageCode, string[]>();
	readonly #notes = new Map<MessageCode, string[]>();
	/** Pending numbers that the service refuses to configure, by index. They stop no other number. */
	readonly #refused = new Map<number, Failed>();
	/** Numbers with a warning that a drift report needs. A warning names ten numbers at most. */
	readonly findings: Finding[] = [];

	constructor(session: Session, pool: Values, members: readonly Member[]) {
		[this.#session, this.#pool, this.#urn] = [session, pool, urnOf(pool)];
		this.members = new Map(members.map((member) => [member.index, member]));
	}

	/** The lifecycle of one number. Its reports carry the name. `id` is that of a number of the state. */
	lifecycleOf(name: string, id?: string): Lifecycle {
		const { progress } = this.#session;
		const reports: Reports = {
			...progress,
			status: (_, text) => progress.status(this.#urn, `${name}: ${text}`),
			warn: (_, code, text) => {
				this.#warnings.set(code, [...(this.#warnings.get(code) ?? []), `${name}: ${text}`]);
				if (id !== undefined && reported.has(code)) this.findings.push({ id, code });
			},
			inform: (code, text) => void this.#notes.set(code, [...(this.#notes.get(code) ?? []), text]),
		};
		return numberLifecycle(this.#session.reporting(reports), memberClaim);
	}

	/** Shows the warnings and notes of all numbers, in one for each code. */
	showReports(): void {
		for (const [code, texts] of this.#notes) this.#session.progress.inform(code, listed(texts, " "));
		for (const [code, texts] of this.#warnings) this.#session.progress.warn(this.#urn, code, listed(texts, "\n"));
	}

	/** Notes that this run declares these numbers, so that no delete of the run removes them. */
	async declare(slots: readonly Pick<Slot, "index">[], hasState: boolean): Promise<void> {
		for (const { index } of slots) {
			const inputs = memberInputs(this.#pool, index);
			const claim = await plannedIdentity(this.#session, memberClaim, inputs);
			if (claim !== undefined) this.#session.memory.number.declare({ token: claim.token, inputs, hasState });
		}
	}

	/** Returns the values that an update compares. `onDelete` is compared for the pool as a whole. */
	#sidesOf({ index, outs }: Member): [olds: Values, news: Values] {
		const news = memberInputs(this.#pool, index, outs.adopt);
		return [{ ...outs, onDelete: news.onDelete }, news];
	}

	/** True if the next update writes the number. */
	async differs(member: Member): Promise<boolean> {
		return (await this.lifecycleOf("").diff(member.id, ...this.#sidesOf(member))).changes;
	}

	async update(members: readonly Member[]): Promise<void> {
		await this.declare(members, true);
		const differing: Member[] = [];
		for (const member of members) if (await this.differs(member)) differing.push(member);
		await this.#each(differing, mostFailures, (member) => {
			const { id, index } = member;
			const lifecycle = this.lifecycleOf(titleOf(this.#pool, member));
			return this.#save(index, async () => ({ id, ...(await lifecycle.update(id, ...this.#sidesOf(member))) }));
		});
	}

	/** Resumes, adopts and buys numbers. If one can't be resumed or adopted, nothing is bought in its place. */
	async acquire(slots: readonly Slot[]): Promise<void> {
		await this.declare(slots, false);
		const isBought = ({ adopt, isClaimed }: Slot) => adopt === undefined && !isClaimed;
		for (const some of [slots.filter((slot) => !isBought(slot)), slots.filter(isBought)])
			await this.#each(some, 1, ({ index, adopt }) => {
				const lifecycle = this.lifecycleOf(nameIn(this.#pool, index));
				return this.#save(index, () => lifecycle.create(memberInputs(this.#pool, index, adopt)));
			});
	}

	/** Removes each number by its saved `onDelete`. */
	async release(members: readonly Member[], operation: PoolOperation): Promise<void> {
		const work = async (member: Member) => {
			await this.lifecycleOf(titleOf(this.#pool, member)).delete(member.id, member.outs);
			this.members.delete(member.index);
		};
		await this.#each(members, mostFailures, work, operation);
	}

	/** Warns of steps that wait for a person, by the saved outputs. */
	remind(): void {
		for (const member of this.members.values())
			this.lifecycleOf(titleOf(this.#pool, member)).remind?.(member.id, member.outs);
	}

	/**
	 * Waits for all pending numbers together, then configures those that the service configures only once they are active.
	 * A number that the service has stopped isn't waited for.
	 */
	async waitForActive(): Promise<void> {
		const members = [...this.members.values()].filter(({ outs }) => !["stopped", "unknown"].includes(phaseOf(outs)));
		const waiting = members.filter(({ outs }) => phaseOf(outs) !== "active");
		const late =
			this.#pool.waitForActive === false || waiting.length === 0 ? undefined : await this.#wait(members, waiting);
		const failed = [...this.#refused.values()];
		if (late !== undefined) throw late.error;
		if (failed.length > 0)
			throw failureOf(failed, { operation: "settle", count: this.members.size, wanted: this.#pool.count });
	}

	/** Returns the error with which the wait ended; undefined if all numbers are active. */
	async #wait(
		members: readonly Member[],
		waiting: readonly Member[],
	): Promise<{ readonly error: unknown } | undefined> {
		const timeoutMs = Number(this.#pool.activationTimeoutSeconds ?? 600) * 1000;
		const records = new Map(members.map((member) => [member.id, recordOf(member)]));
		for (const [id, record] of await this.#latest(waiting)) records.set(id, record);
		const wait = untilActive(this.#session, { urn: this.#urn, members: records, timeoutMs });
		const late = await wait.then(
			() => undefined,
			(error: unknown) => ({ error }),
		);
		const changed = waiting.flatMap((member) => {
			const record = records.get(member.id);
			if (record === undefined || record.status === deleted) return [];
			const latest = { ...member, outs: { ...member.outs, ...computed(record, member.outs) } };
			this.members.set(member.index, latest);
			return latest;
		});
		const active = changed.filter(({ outs }) => phaseOf(outs) === "active");
		// The wait is over, and a write that the service has ignored while the number was pending is repeated now.
		if (late === undefined) for (const code of ["kyc-pending", "not-applied"] as const) this.#warnings.delete(code);
		await this.update(active);
		return late;
	}

	/** Reads numbers that aren't waited for by the state: what has stopped them may be over. */
	async #latest(members: readonly Member[]): Promise<[string, NumberRecord][]> {
		const { numbers } = await this.#session.service();
		const read = async (member: Member): Promise<[string, NumberRecord]> => {
			const { id } = member;
			const saved = recordOf(member);
			const isPartial = (record: NumberRecord) => !showsStatus(record) && showsStatus(saved);
			try {
				return [id, await numbers.read(id, { isPartial })];
			} catch (error) {
				if (!isAbsent(error)) throw error;
				return [id, isNotFound(error) ? { ...saved, status: deleted } : saved];
			}
		};
		return Promise.all(members.filter((member) => !isWaiting(recordOf(member))).map(read));
	}

	/** Keeps the result of a write, even of one that failed. */
	async #save(index: number, write: () => Promise<{ id: string; outs: Values }>): Promise<void> {
		this.#refused.delete(index);
		try {
			const { id, outs } = await write();
			this.members.set(index, { index, id, outs });
		} catch (error) {
			if (!(error instanceof InitError)) throw error;
			const member = { index, id: error.id, outs: error.properties };
			this.members.set(index, member);
			if (!isTooEarly(member, error)) throw error;
			this.#refused.set(index, { name: nameIn(this.#pool, index), title: titleOf(this.#pool, member), error });
		}
	}

	/** Works on several numbers at a time. @throws TelephonyError that names all failures */
	async #each<T extends Pick<Member, "index">>(
		items: readonly T[],
		mostFailed: number,
		work: (item: T) => Promise<void>,
		operation: PoolOperation = "settle",
	): Promise<void> {
		const { ending, progress } = this.#session;
		const failed: Failed[] = [];
		let done = 0;
		const start = async (item: T) => {
			if (failed.length >= mostFailed || ending.aborted) return;
			const member = this.members.get(item.index);
			try {
				await work(item);
				done += 1;
				progress.status(this.#urn, `${done} of ${items.length} numbers done`);
			} catch (error) {
				const name = nameIn(this.#pool, item.index);
				failed.push({ name, title: member ? titleOf(this.#pool, member) : name, error });
			}
		};
		const limit = pLimit(concurrency);
		await Promise.all(items.map((item) => limit(() => start(item))));
		const progressed = { operation, count: this.members.size, wanted: this.#pool.count };
		if (failed.length > 0) throw failureOf(failed, progressed);
		if (ending.aborted && items.length > 0)
			throw new TelephonyError("Interrupted", `${countText(progressed)}: ${String(ending.reason)}.`, {
				values: progressed,
				nextStep: nextSteps[operation],
			});
	}
}

/** True if the service configures the number only once it is active. */
const isTooEarly = ({ outs }: Member, { cause }: InitError): boolean =>
	isTelephonyError(cause) && cause.errorCode === "number_not_active" && phaseOf(outs) === "pending";

const countText = ({ operation, count, wanted }: Progressed): string =>
	operation === "remove"
		? `${count} numbers of the pool aren't removed yet`
		: `The pool has ${count} of ${String(wanted)} numbers`;

function failureOf(failed: readonly Failed[], progressed: Progressed): TelephonyError {
	// A number that exists and isn't as declared has the reason as its cause.
	const causes = failed.map(({ error }) => (error instanceof InitError ? error.cause : error));
	const texts = failed.map(({ title }, at) => `${title}: ${messageOf(causes[at])}`);
	const first = causes.find((cause) => isTelephonyError(cause));
	return new TelephonyError(first?.kind ?? "Unavailable", `${countText(progressed)}.\n${listed(texts, "\n")}\n`, {
		cause: first,
		...(first === undefined ? {} : { messageCode: first.messageCode }),
		values: { ...progressed, failed: failed.map(({ name }) => name) },
		nextStep: nextSteps[progressed.operation],
	});
}
