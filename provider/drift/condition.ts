/** Why an object isn't as wanted, as data. Only this file makes it the text of an error, a warning or a drift report. */
import { type ErrorKind, nextStep, TelephonyError } from "../api/errors";
import type { MessageCode } from "../api/message-codes";
import { requestIdOf } from "../api/response";
import { listed, sentence } from "../properties/display";
import { urnOf, type Values } from "../properties/table";
import type { WaitEnd } from "../reads/poller";
import type { Session } from "../session/session";
import { duration } from "../session/wait";
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

export const keepWaiting: Fix = { code: "wait", text: "`pulumi up` changes nothing until the service has decided" };

/** Why an object isn't as wanted, although no declared property differs. */
export interface Condition {
	/** waiting: pending, no drift. problem: Pulumi can't fix it. */
	readonly kind: "waiting" | "problem";
	readonly code?: MessageCode;
	/** The status that the program wants, such as `active`. */
	readonly goal: string;
	/** The present status: a value of the service, or words in its place. */
	readonly status: string;
	/** The part of the object that has this status. Absent if the whole object has it. */
	readonly part?: "KYC";
	/** When a scheduled status takes effect. */
	readonly date?: string | null | undefined;
	readonly reasons?: readonly { readonly code: string; readonly message: string }[] | undefined;
	/** The service waits until then. */
	readonly deadline?: string | null | undefined;
	readonly fixes: readonly Fix[];
	/** The difference in a report. Default: `status`, from the goal to the status. */
	readonly change?: Change;
	/** True if `pulumi up` always acts on it, false if it never can. By default, it acts if the program waits. */
	readonly isDue?: boolean;
}

export type CodedCondition = Condition & { readonly code: MessageCode };

/** The end of a run that needed the object. */
interface RunEnd {
	/** The service's record: its request id helps support to explain a problem. */
	readonly record?: object | undefined;
	/** The part of the work that is done, such as `bought and saved`. */
	readonly done?: string;
	readonly wait?: { readonly ending: WaitEnd; readonly timeoutMs: number };
	/** The property that makes the program wait. */
	readonly waitsIf?: string;
	/** True if only the state shows the condition, so that it may have changed. */
	readonly isSaved?: boolean;
}

/** Returns a status value of the service in words, and words as they are. */
export const inWords = (status: string): string => (/\s/.test(status) ? status : status.replaceAll("_", " "));

/** Returns `Restore it: run …`. */
export const fixText = ({ code, text }: Fix): string => `${leads[code]}: ${text}`;

/** Returns the difference that a report shows. */
export const changeOf = ({ goal, status, change }: Condition): Change =>
	change ?? { path: "status", declared: goal, live: status };

/** Returns `KYC rejected: The name differs. (name_mismatch)`, or `scheduled for 2026-12-01T09:00:00Z`. */
export function statusText({ part, status, date, reasons = [] }: Omit<Condition, "kind" | "goal" | "fixes">): string {
	const words = [part, inWords(status), date && `for ${date}`].filter(Boolean).join(" ");
	const texts = reasons.map(({ code, message }) => `${message} (${code})`).join("; ");
	return texts === "" ? words : `${words}: ${texts}`;
}

/** Returns the status and the deadline, without a full stop. */
export function conditionText(condition: Condition): string {
	const { deadline } = condition;
	return `${statusText(condition)}${deadline == null ? "" : `; the service waits until ${deadline}`}`;
}

/** Returns `+31201234567 (num_01) is not active yet: KYC in review`. */
export function conditionOf(name: string, condition: Condition, { record, done, wait, isSaved }: RunEnd = {}): string {
	const { kind, goal } = condition;
	const before = done === undefined ? "" : `${done}, but `;
	const yet = kind === "waiting" ? " yet" : "";
	const time = wait?.ending === "late" ? ` after ${duration(wait.timeoutMs)}` : "";
	const requestId = kind === "problem" && record !== undefined ? requestIdOf(record) : undefined;
	const request = requestId === undefined ? "" : ` (request_id ${requestId})`;
	const verb = isSaved ? "was" : "is";
	const since = isSaved ? " when the provider last read it" : "";
	return `${name} ${verb} ${before}not ${goal}${yet}${time}${since}: ${conditionText(condition)}${request}`;
}

/** Warns of the condition, with all fixes. `outs` are the outputs of the resource that has the object. */
export function warnOfCondition(
	{ progress }: Pick<Session, "progress">,
	outs: Values,
	name: string,
	condition: CodedCondition,
	latest: Pick<RunEnd, "record" | "isSaved"> = {},
): void {
	const steps = condition.fixes.map((fix) => `${fixText(fix)}.`);
	if (latest.isSaved) steps.push("`pulumi up --refresh` reads it again.");
	progress.warn(urnOf(outs), condition.code, `${conditionOf(name, condition, latest)}.\n${steps.join(" ")}`);
}

/** Warns of a problem, and of a wait that needs a person or has a deadline. */
export function warnIfUrgent(
	session: Pick<Session, "progress">,
	outs: Values,
	name: string,
	condition: Condition | undefined,
	latest: Pick<RunEnd, "record" | "isSaved">,
): void {
	if (condition?.code === undefined) return;
	const { kind, code, deadline, fixes } = condition;
	const isUrgent = kind === "problem" || Boolean(deadline) || fixes.some((fix) => fix.code === "act");
	if (isUrgent) warnOfCondition(session, outs, name, { ...condition, code }, latest);
}

const errorKinds: Partial<Record<MessageCode, ErrorKind>> = {
	"kyc-pending": "KycPending",
	"kyc-rejected": "KycRefused",
};

/** Returns the error of a run that needed the object, with the steps that make it as wanted. */
export function conditionError(
	{ ending }: Pick<Session, "ending">,
	name: string,
	condition: CodedCondition,
	outcome: RunEnd = {},
): TelephonyError {
	const { code } = condition;
	const { wait, waitsIf } = outcome;
	const reason = wait?.ending === "stopped" ? `; ${ending.reason}` : "";
	return new TelephonyError(errorKinds[code] ?? "Conflict", `${conditionOf(name, condition, outcome)}${reason}.`, {
		messageCode: code,
		nextStep: stepsOf([condition], waitsIf),
	});
}

/** Returns the steps that make the objects as wanted, as sentences. Objects that need the same share a step. */
export function stepsOf(conditions: readonly Condition[], waitsIf?: string): string {
	const steps = new Set<string>();
	for (const { fixes } of conditions)
		for (const { code, text } of fixes) if (code === "act" || code === "restore") steps.add(sentence(text));
	if (conditions.every(({ kind }) => kind === "waiting")) {
		steps.add(nextStep("KycPending"));
		if (waitsIf !== undefined) steps.add(`(To skip the wait, set \`${waitsIf}: false\`.)`);
	}
	return listed([...steps], " ");
}
