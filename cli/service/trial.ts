/** A trial changes the account. Everything that it makes is removed, whatever happens in between. */
import { constants } from "node:os";
import { UsageError } from "../report/usage";
import type { Checkup } from "./checkup";
import { refusalOf } from "./exchange";
import { kinds, type Made } from "./kinds";
import { removeAll } from "./removal";

export type Print = (text: string) => void;

export interface Trial {
	readonly checkup: Checkup;
	readonly print: Print;
	/** Objects to remove. */
	readonly made: Made[];
	/** True after a signal. */
	readonly isInterrupted: () => boolean;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs the trial and removes what it made.
 * @param settle replaces the trial's error after the removal
 * @throws UsageError, which names what couldn't be removed
 */
export async function withRemoval(
	checkup: Checkup,
	print: Print,
	work: (trial: Trial) => Promise<void>,
	settle = async (failure: Error | undefined) => failure,
): Promise<void> {
	const made: Made[] = [];
	let signal: NodeJS.Signals | undefined;
	const onSignal = (name: NodeJS.Signals) => {
		signal = name;
		print(`${name}: the check removes first what it has made, please wait`);
	};
	for (const name of signals) process.on(name, onSignal);
	try {
		const trial = { checkup, print, made, isInterrupted: () => signal !== undefined };
		const failure = await work(trial).then(() => undefined, toError);
		const kept = await removeAll(checkup, print, made);
		const settled = await settle(failure);
		if (kept.length > 0) throw notRemoved(checkup, kept, settled);
		if (settled !== undefined) throw settled;
	} finally {
		for (const name of signals) process.off(name, onSignal);
	}
	if (signal === undefined) return;
	const exitCode = 128 + constants.signals[signal];
	throw new UsageError("interrupted", `${signal} ended the check. Everything that it made is removed.`, exitCode);
}

/** @param failure an error of the trial, which may name other objects */
function notRemoved(checkup: Checkup, kept: readonly Made[], failure: Error | undefined): UsageError {
	const numbers = kept.filter(({ kind }) => kind === kinds.number).map(({ name }) => name);
	const others = kept.filter(({ kind }) => kind !== kinds.number).map(({ name }) => name);
	const texts = [
		numbers.length > 0 &&
			`NOT RELEASED: ${numbers.join(", ")}. This check bought it, and the service doesn't show that it is released. You are billed for it while it is on the account: release it in the service's dashboard.`,
		others.length > 0 &&
			`NOT DELETED: ${others.join(", ")}. This check created it, and the service doesn't show that it is deleted: delete it in the service's dashboard.`,
		...new Set(kept.map((object) => removalRefusal(checkup, object))),
		failure !== undefined && textOf(failure),
	];
	return new UsageError("retained", texts.filter(Boolean).join(" "));
}

/** Returns the service's last refusal to remove the object; undefined if it accepted that. */
function removalRefusal(checkup: Checkup, { kind, id }: Made): string | undefined {
	const last = checkup.exchanges.findLast((exchange) => exchange.name === kind.remove && exchange.id === id);
	return last?.failed && refusalOf(last);
}

export const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Returns the message without its code. */
export const textOf = ({ message }: Error): string => message.replace(/ \[telephony:[a-z-]+\]$/, "");
