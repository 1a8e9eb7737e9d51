/** The steps that bring the numbers of a pool to what is declared, each number by the lifecycle of a Number. */
import pLimit from "p-limit";
import type { NumberRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { phaseOf } from "../../api/record";
import { InitError, identityFor, type Lifecycle, messageOf, plannedIdentity } from "../../lifecycle/resource";
import { listed } from "../../properties/display";
import type { Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { type AwaitedNumber, look, untilActive } from "../activation/members";
import { matchesName } from "../number/adopt";
import { numberLifecycle } from "../number/handler";
import { notHereYet, orderFor } from "../number/port";
import { computed } from "../number/properties";
import { type Member, memberInputs, recordOf } from "./members";
import { titleOf } from "./plan";
import { memberClaim, nameIn } from "./properties";
import type { Gathered } from "./reports";

/** As many as requests are sent at once, so that few purchases are under way when one is refused. */
const atOnce = 16;
/** Nothing new is started after this many failures: their cause is probably shared. */
const mostFailures = 10;
const tellEveryMs = 1_000;

interface Failed {
	readonly what: string;
	readonly error: unknown;
}

export class Work {
	/** As they are now, by their index. */
	readonly members: Map<number, Member>;
	readonly #session: Session;
	readonly #reports: Gathered;
	readonly #news: Values;
	/** Bought, and not to be configured before they are active. */
	readonly #early = new Set<number>();
	#toldAt: number;

	constructor(session: Session, reports: Gathered, news: Values, members: readonly Member[]) {
		this.#session = session;
		this.#reports = reports;
		this.#news = news;
		this.#toldAt = session.clock.now();
		this.members = new Map(members.map((member) => [member.index, member]));
	}

	/** The lifecycle of one number. `what` names it in reports. */
	as(what: string): Lifecycle {
		return numberLifecycle(this.#session.reporting(this.#reports.of(what)), memberClaim);
	}

	/** Notes that this run wants them, whatever happens to the pool's entry. */
	async declare(members: readonly Pick<Member, "index">[], hasEntry = true): Promise<void> {
		for (const { index } of members) {
			const inputs = memberInputs(this.#news, index);
			const claim = await plannedIdentity(this.#session, memberClaim, inputs);
			if (claim !== undefined) this.#session.memory.number.declare({ token: claim.token, inputs, hasEntry });
		}
	}

	/** Returns true if the next update writes the number. */
	async differs(member: Member): Promise<boolean> {
		await this.declare([member]);
		const news = this.#inputs(member);
		return (await this.as("").diff(member.id, ownOf(member.outs, news), news)).changes;
	}

	/** Writes what differs. Without a difference there is no request. */
	async update(members: readonly Member[]): Promise<void> {
		const due: Member[] = [];
		for (const member of members) if (await this.differs(member)) due.push(member);
		await this.#each(due, mostFailures, (member) => this.#update(member));
	}

	/**
	 * Takes over or buys. What `adopt` names comes first: if it isn't there, nothing is bought in its place.
	 * @throws TelephonyError port-pending, at the end, if a port order is still to bring some of it
	 */
	async acquire(
		indices: readonly number[],
		found: ReadonlyMap<number, NumberRecord>,
		adopting: readonly string[],
	): Promise<void> {
		await this.declare(
			indices.map((index) => ({ index })),
			false,
		);
		// An earlier run bought these: each waits until no other entry can hold it.
		const earlier = indices.filter((index) => found.has(index));
		const records = earlier.map((index) => found.get(index) as NumberRecord);
		const wanted = adopting.filter((each) => !records.some((record) => matchesName(record, each)));
		const bought = indices.filter((index) => !found.has(index));
		const adopted = bought.splice(0, wanted.length);
		const isAdopted = (index: number) => adopting.some((each) => matchesName(found.get(index) as NumberRecord, each));
		const named = (index: number) => (isAdopted(index) ? { adopt: found.get(index)?.id } : {});
		await this.#each(earlier, 1, (index) => this.#create(index, named(index), isAdopted(index)), 1_000);
		const late: TelephonyError[] = [];
		await this.#each(adopted, 1, async (index) => {
			const adopt = String(wanted[adopted.indexOf(index)]);
			const order = await orderFor(this.#session, adopt, this.#news);
			if (order === undefined) await this.#create(index, { adopt }, true);
			else late.push(notHereYet(adopt, order));
		});
		await this.#each(bought, 1, (index) => this.#create(index));
		if (late[0] !== undefined) throw late[0];
	}

	/** Leaves them on the account, for any stack to adopt. */
	async giveUp(members: readonly Member[]): Promise<void> {
		await this.dismiss(members.map((member) => ({ ...member, outs: { ...member.outs, onDelete: "retain" } })));
	}

	/** A comparison or a growth of this run may have wanted them before. */
	async dismiss(members: readonly Member[]): Promise<void> {
		const service = await this.#session.service();
		for (const member of members)
			this.#session.memory.number.undeclare(identityFor(memberClaim, this.#inputs(member), service).token);
		await this.release(members);
	}

	/** Ends each as its saved `onDelete` says. */
	async release(members: readonly Member[]): Promise<void> {
		await this.#each(members, mostFailures, async (member) => {
			await this.as(titleOf(this.#news, member)).delete(member.id, member.outs);
			this.members.delete(member.index);
		});
	}

	/** Waits for all pending numbers together, then configures the ones that had to wait for it. */
	async wait(): Promise<void> {
		const { waitForActive, activationTimeoutSeconds, resourceUrn } = this.#news;
		const pending = [...this.members.values()].filter(({ outs }) => phaseOf(outs) === "pending");
		if (waitForActive === false || pending.length === 0) return;
		const seen: Map<string, AwaitedNumber> = new Map(
			[...this.members.values()]
				.filter(({ outs }) => ["active", "pending"].includes(phaseOf(outs)))
				.map((member) => [member.id, recordOf(member, this.#news)]),
		);
		for (const [id, record] of await look(
			this.#session,
			pending.map(({ id }) => id),
		))
			seen.set(id, record);
		const ids = new Map(pending.map((member) => [member.id, member.index]));
		try {
			await untilActive(this.#session, {
				urn: String(resourceUrn),
				members: seen,
				timeoutMs: Number(activationTimeoutSeconds ?? 600) * 1000,
			});
		} finally {
			for (const [id, record] of seen) {
				const member = this.members.get(ids.get(id) ?? -1);
				if (member === undefined || record === "gone") continue;
				this.members.set(member.index, { ...member, outs: { ...member.outs, ...computed(record) } });
			}
		}
		const early = [...this.members.values()].filter(({ index }) => this.#early.has(index));
		await this.#each(early, mostFailures, (member) => this.#update(member));
	}

	// ---- One number -----------------------------------------------------------------------------------------------------

	#inputs = ({ index, outs }: Member): Values => memberInputs(this.#news, index, outs.adopted === true);

	async #create(index: number, more: Values = {}, adopted = false): Promise<void> {
		const inputs = { ...memberInputs(this.#news, index, adopted), ...more };
		await this.#saved(index, adopted, async () => this.as(nameIn(this.#news, index)).create(inputs));
	}

	async #update(member: Member): Promise<void> {
		const { index, id } = member;
		const news = this.#inputs(member);
		await this.#saved(index, member.outs.adopted === true, async () => ({
			id,
			...(await this.as(titleOf(this.#news, member)).update(id, ownOf(member.outs, news), news)),
		}));
	}

	/** Keeps what a write has left, also one that failed. */
	async #saved(index: number, isAdopted: boolean, write: () => Promise<{ id: string; outs: Values }>): Promise<void> {
		const keep = (id: string, outs: Values) =>
			this.members.set(index, { index, id, outs: { ...outs, ...(isAdopted ? { adopted: true } : {}) } });
		try {
			const { id, outs } = await write();
			keep(id, outs);
			this.#early.delete(index);
		} catch (error) {
			if (!(error instanceof InitError)) throw error;
			keep(error.id, error.properties);
			const isEarly = isRefusedEarly(error) && this.#news.waitForActive !== false && !this.#early.has(index);
			if (!isEarly) throw error;
			this.#early.add(index);
		}
	}

	#tellProgress(done: number, all: number): void {
		const now = this.#session.clock.now();
		if (now - this.#toldAt < tellEveryMs) return;
		this.#toldAt = now;
		this.#session.progress.status(String(this.#news.resourceUrn), `${done} of ${all} numbers done`);
	}

	/** Several at once; starts nothing new after `mostFailed` failures. @throws TelephonyError that names all failures */
	async #each<T extends number | Member>(
		items: readonly T[],
		mostFailed: number,
		work: (item: T) => Promise<void>,
		concurrency = atOnce,
	): Promise<void> {
		const failed: Failed[] = [];
		let done = 0;
		const limit = pLimit(concurrency);
		const one = async (item: T) => {
			if (failed.length >= mostFailed || this.#session.ending.aborted) return;
			try {
				await work(item);
				this.#tellProgress(++done, items.length);
			} catch (error) {
				const what = typeof item === "number" ? nameIn(this.#news, item) : titleOf(this.#news, item);
				failed.push({ what, error });
			}
		};
		await Promise.all(items.map((item) => limit(() => one(item))));
		if (failed.length > 0) throw failureOf(failed, this.members.size, this.#news);
		if (this.#session.ending.aborted && items.length > 0)
			throw new TelephonyError(
				"Interrupted",
				`The pool has ${this.members.size} numbers so far: ${String(this.#session.ending.reason)}. The next \`pulumi up\` continues from here.`,
			);
	}
}

/** What the pool says of itself, and not of each number, needs no write. */
const ownOf = (outs: Values, { onDelete }: Values): Values => ({ ...outs, onDelete });

/** Some services refuse to configure a number that is still pending. */
const isRefusedEarly = (error: unknown): boolean =>
	error instanceof Error &&
	((isTelephonyError(error) && error.errorCode === "number_not_active") || isRefusedEarly(error.cause));

function failureOf(failed: readonly Failed[], count: number, { count: wanted }: Values): TelephonyError {
	const texts = failed.map(({ what, error }) => `${what}: ${textOf(error)}`);
	const first = failed.map(({ error }) => causeOf(error)).find((error) => isTelephonyError(error));
	return new TelephonyError(
		first?.kind ?? "Unavailable",
		`The pool has ${count} of ${String(wanted)} numbers. ${listed(texts, " ")} These numbers are kept, and the next run buys the rest.`,
		{ cause: first, ...(first === undefined ? {} : { messageCode: first.messageCode }) },
	);
}

/** A number that exists and isn't as wanted has its reason as its cause. */
const causeOf = (error: unknown): unknown => (error instanceof InitError ? error.cause : error);
const textOf = (error: unknown): string => messageOf(causeOf(error));
