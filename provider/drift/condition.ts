/** Why an object isn't as wanted, and what to do about it. Both are data: only reports and warnings make them text. */
import type { MessageCode } from "../api/message-codes";
import { urnOf, type Values } from "../properties/table";
import type { Session } from "../session/session";
import type { Change } from "./changes";

/** The start of a fix in a report. */
const leads = {
	restore: "Restore it",
	accept: "Accept it",
	finish: "Finish it",
	act: "Act on it",
	wait: "Wait",
} as const;

export interface Fix {
	/** restore: the declared state. accept: the live one. finish: the last run. act: a person must. wait: only time helps. */
	readonly code: keyof typeof leads;
	/** Follows the code's words, without a full stop. */
	readonly text: string;
}

/** Returns `Restore it: run …`. */
export const fixText = ({ code, text }: Fix): string => `${leads[code]}: ${text}`;

/** Why an object isn't as wanted, although no declared property differs. */
export interface Condition {
	/** waiting: pending, no drift. problem: Pulumi can't fix it. */
	readonly kind: "waiting" | "problem";
	readonly code?: MessageCode;
	readonly change: Change;
	/** Follows a colon, without a full stop. */
	readonly reason: string;
	readonly fixes: readonly Fix[];
	/** True if `pulumi up` always acts on it, false if it never can. By default, it acts if the program waits. */
	readonly isDue?: boolean;
}

export type CodedCondition = Condition & { readonly code: MessageCode };

/** Warns of the condition. `name` names the object. */
export function warnOfCondition(
	{ progress }: Pick<Session, "progress">,
	outs: Values,
	name: string,
	{ kind, code, reason, fixes }: CodedCondition,
): void {
	const status = kind === "problem" ? "cannot be repaired by Pulumi" : "is waiting";
	const steps = fixes.map((fix) => `${fixText(fix)}.`).join(" ");
	progress.warn(urnOf(outs), code, `${name} ${status}: ${reason}. ${steps}`);
}

/** Returns the service's reasons: `The name differs. (name_mismatch)`. */
export const reasonsText = (reasons: readonly { readonly code: string; readonly message: string }[] = []): string =>
	reasons.map(({ code, message }) => `${message} (${code})`).join("; ");
