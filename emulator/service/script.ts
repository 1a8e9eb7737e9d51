import { z } from "zod";
import { PlaceCall } from "../../provider/api/contract";
import { notFound } from "../request/errors";
import { validate } from "../request/validate";
import type { Scripted } from "../store/store";

export const callFates = ["answered", "busy", "no_answer", "failed", "voicemail"] as const;
type CallFate = (typeof callFates)[number];

/** `slow`: the receipt comes after ten minutes. */
export const messageFates = ["delivered", "undelivered", "failed", "unconfirmed", "slow"] as const;
type MessageFate = (typeof messageFates)[number];

interface Fates {
	readonly call?: CallFate;
	readonly message?: MessageFate;
}

/** Numbers that decide the result of a call or SMS. docs/emulator/applications.md lists them. */
export const magicNumbers: Readonly<Record<string, Fates>> = {
	"+15005550001": { call: "busy" },
	"+15005550002": { call: "no_answer" },
	"+15005550003": { call: "voicemail" },
	"+15005550004": { call: "failed", message: "failed" },
	"+15005550005": { message: "undelivered" },
	"+15005550006": { message: "slow" },
	"+15005550007": { message: "unconfirmed" },
};

const seconds = z.number().int().min(1).max(86_400).optional();
const when = {
	from: PlaceCall.shape.from.optional(),
	to: PlaceCall.shape.to.optional(),
	every: z.literal(true).optional(),
	afterSeconds: seconds,
};

const Rule = z.discriminatedUnion("kind", [
	z.strictObject({ kind: z.literal("call"), fate: z.enum(callFates), ...when, talkSeconds: seconds }),
	z.strictObject({ kind: z.literal("message"), fate: z.enum(messageFates), ...when }),
]);

/** The result of the next matching call or SMS; with `every`, of all. */
export type ScriptRule = z.input<typeof Rule>;

/** A rule with the number of calls or SMS that it decided. */
export type ScriptReport = z.output<typeof Rule> & { readonly id: string; readonly used: number };

interface Leg {
	readonly from: string;
	readonly to: string;
}

/** Results that tests decide beforehand: the first matching rule counts, then magic numbers, then the settings. */
export class Script {
	readonly #rules = new Map<string, ScriptReport>();
	#count = 0;

	list(): ScriptReport[] {
		return structuredClone([...this.#rules.values()]);
	}

	add(sent: ScriptRule): ScriptReport {
		this.#count += 1;
		const rule = { ...validate(Rule, sent), id: `rule_${this.#count}`, used: 0 };
		this.#rules.set(rule.id, rule);
		return { ...rule };
	}

	/** Removes one rule, or all. */
	clear(id?: string): void {
		if (id === undefined) this.#rules.clear();
		else if (!this.#rules.delete(id)) throw notFound("rule", id);
	}

	/** Returns the result of a call or SMS; null leaves it to the settings. */
	decide(kind: keyof Fates, { from, to }: Leg): Scripted | null {
		const rule = this.#use(kind, { from, to });
		if (rule === undefined) {
			const fate = magicNumbers[to]?.[kind];
			return fate === undefined ? null : { fate, after_seconds: null, talk_seconds: null };
		}
		const talk_seconds = rule.kind === "call" ? (rule.talkSeconds ?? null) : null;
		return { fate: rule.fate, after_seconds: rule.afterSeconds ?? null, talk_seconds };
	}

	#use(kind: ScriptReport["kind"], { from, to }: Leg): ScriptReport | undefined {
		for (const [id, rule] of this.#rules) {
			if (rule.kind !== kind || (!rule.every && rule.used > 0)) continue;
			if ((rule.from ?? from) !== from || (rule.to ?? to) !== to) continue;
			const used = { ...rule, used: rule.used + 1 };
			this.#rules.set(id, used);
			return used;
		}
		return undefined;
	}
}
