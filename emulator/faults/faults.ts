import { found } from "../request/errors";
import type { Reply } from "../store/idempotency";
import { seededRandom } from "../store/random";
import { type Attempt, type Fault, fail } from "./fault-effects";
import {
	type DeliveryFault,
	type FaultRequest,
	type FaultRule,
	isDeliveryFault,
	parseRule,
	suits,
} from "./fault-rules";

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

const endAll = ({ stopped }: Entry, continues: boolean): void => {
	for (const end of stopped) end(continues);
};

const report = ({ id, rule, matched, fired, stopped }: Entry): FaultReport =>
	structuredClone({ id, ...rule, matched, fired, held: stopped.size });

/** Rules for requests and deliveries that fail. At most one applies: of those due, the first that was set. */
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

	/** Lets the requests continue that a rule holds now. The rule still stops later ones. */
	release(id: string): FaultReport {
		const entry = this.#find(id);
		endAll(entry, true);
		return report(entry);
	}

	/** Removes one rule, or all. The requests that they hold continue. */
	clear(id?: string): void {
		for (const entry of id === undefined ? [...this.#entries.values()] : [this.#find(id)]) {
			this.#entries.delete(entry.id);
			endAll(entry, true);
		}
	}

	/** Removes all rules. Held requests belong to the old account, so they are dropped. */
	reset(): void {
		for (const entry of this.#entries.values()) endAll(entry, false);
		this.#entries.clear();
	}

	/** Carries a request out, with the fault that applies, if any. Undefined: there is no response. */
	async attempt(attempt: Attempt): Promise<Reply | undefined> {
		const { operation } = attempt;
		const entry = this.#choose(
			(rule) =>
				!isDeliveryFault(rule) && (rule.operation === "*" || rule.operation === operation) && suits(rule, operation),
		);
		if (entry !== undefined) return fail(entry, attempt);
		const reply = await attempt.work();
		attempt.settle();
		return reply;
	}

	/** The fault that applies to the delivery of an event, if any. */
	ofDelivery(event: string): DeliveryFault | undefined {
		const rule = this.#choose((rule) => isDeliveryFault(rule) && (rule.event === "*" || rule.event === event))?.rule;
		return rule && isDeliveryFault(rule) ? rule : undefined;
	}

	#choose(applies: (rule: FaultRule) => boolean): Entry | undefined {
		let chosen: Entry | undefined;
		for (const entry of this.#entries.values()) {
			if (!applies(entry.rule)) continue;
			entry.matched += 1;
			// Each rule rolls its dice, so that they don't depend on the other rules.
			if (isDue(entry)) chosen ??= entry;
		}
		if (chosen) chosen.fired += 1;
		return chosen;
	}

	#find(id: string): Entry {
		return found(this.#entries.get(id), "fault", id);
	}
}
