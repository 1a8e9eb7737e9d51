import { found } from "../request/errors";
import type { Reply } from "../store/idempotency";
import { seededRandom } from "../store/random";
import { carryOut, type Fault, fail, type Meeting } from "./fault-effects";
import { type DeliveryFault, type FaultRequest, type FaultRule, isOfDelivery, parseRule, suits } from "./fault-rules";

/** A rule with its counts: requests it could apply to, requests it applied to, requests it holds now. */
export type FaultReport = FaultRule & {
	readonly id: string;
	readonly matched: number;
	readonly fired: number;
	readonly held: number;
};

interface Entry extends Fault {
	readonly id: string;
	matched: number;
	fired: number;
	/** From 0 to 1. */
	readonly dice: () => number;
}

const isDue = ({ rule, matched, dice }: Entry): boolean => {
	if (rule.probability !== undefined) return dice() < rule.probability;
	return rule.every ?? [rule.nth ?? 1].flat().includes(matched);
};

const endAll = ({ stopped }: Entry, goOn: boolean): void => {
	for (const end of stopped) end(goOn);
};

const report = ({ id, rule, matched, fired, stopped }: Entry): FaultReport =>
	structuredClone({ id, ...rule, matched, fired, held: stopped.size });

/** What goes wrong on purpose, with requests and with deliveries. At most one rule applies to a request: of those due, the first one set. */
export class Faults {
	readonly #entries = new Map<string, Entry>();
	#count = 0;

	list(): FaultReport[] {
		return [...this.#entries.values()].map(report);
	}

	set(sent: FaultRequest): FaultReport {
		const rule = parseRule(sent);
		this.#count += 1;
		const random = seededRandom(String(rule.seed ?? 0));
		const dice = () => random(4).readUInt32BE() / 2 ** 32;
		const entry: Entry = { id: `flt_${this.#count}`, rule, matched: 0, fired: 0, dice, stopped: new Set() };
		this.#entries.set(entry.id, entry);
		return report(entry);
	}

	/** Lets the requests go on that a rule holds now. The rule still stops later ones. */
	release(id: string): FaultReport {
		const entry = this.#find(id);
		endAll(entry, true);
		return report(entry);
	}

	/** Removes one rule, or all. The requests that they hold go on. */
	clear(id?: string): void {
		for (const entry of id === undefined ? [...this.#entries.values()] : [this.#find(id)]) {
			this.#entries.delete(entry.id);
			endAll(entry, true);
		}
	}

	/** Removes all. Held requests belong to an account that is gone, so they are not carried out. */
	reset(): void {
		for (const entry of this.#entries.values()) endAll(entry, false);
		this.#entries.clear();
	}

	/** Answers a request, with the fault that applies, if any. Undefined: there is no answer to send. */
	async meet(meeting: Meeting): Promise<Reply | undefined> {
		const { operation, cursor } = meeting;
		const entry = this.#choose(
			(rule) =>
				!isOfDelivery(rule) &&
				(rule.operation === "*" || rule.operation === operation) &&
				suits(rule, operation) &&
				(rule.kind !== "expired_cursor" || cursor !== undefined),
		);
		return entry === undefined ? carryOut(meeting) : fail(entry, meeting);
	}

	/** The fault that applies to the delivery of an event, if any. */
	ofDelivery(event: string): DeliveryFault | undefined {
		const rule = this.#choose((rule) => isOfDelivery(rule) && (rule.event === "*" || rule.event === event))?.rule;
		return rule && isOfDelivery(rule) ? rule : undefined;
	}

	#choose(applies: (rule: FaultRule) => boolean): Entry | undefined {
		let chosen: Entry | undefined;
		for (const entry of this.#entries.values()) {
			if (!applies(entry.rule)) continue;
			entry.matched += 1;
			// Asked even if another rule is chosen already, so that a rule's dice don't depend on the other rules.
			if (isDue(entry)) chosen ??= entry;
		}
		if (chosen) chosen.fired += 1;
		return chosen;
	}

	#find(id: string): Entry {
		return found(this.#entries.get(id), "fault", id);
	}
}
