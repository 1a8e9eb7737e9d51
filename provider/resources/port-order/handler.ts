/** A port order: moves numbers from another carrier to the account. It is created and submitted once. */
import type { PortOrderRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { isOpenPort, portPhaseOf } from "../../api/record";
import { checkDocuments } from "../../documents/files";
import { sentIn, withPaths } from "../../documents/properties";
import { submissionOutputs, writeAndSubmit } from "../../documents/upload";
import { type CodedCondition, conditionError, inWords, statusText } from "../../drift/condition";
import { configured, configuredDrift } from "../../lifecycle/configured";
import { confirmRemoval } from "../../lifecycle/confirm";
import type { Definition, Run, WriteTarget } from "../../lifecycle/definition";
import { MustStay } from "../../lifecycle/end";
import { removalFix } from "../../lifecycle/on-delete";
import type { Write } from "../../lifecycle/write";
import { losses } from "../../ownership/ownership";
import { isRetained } from "../../ownership/reference";
import { instantOf } from "../../properties/canonical";
import { listed } from "../../properties/display";
import { changedProperties, liveOutputs, urnOf, type Values } from "../../properties/table";
import type { Service, Session } from "../../session/session";
import { type WaitForOne, waitForOne } from "../../session/wait";
import { portOrderOutputs, portOrderProperties } from "./properties";

const nameOf = ({ id, numbers = [] }: PortOrderRecord) =>
	numbers.length === 0 ? id : `${id} (${listed(numbers, ", ")})`;

const isRejected = (record: PortOrderRecord): boolean => portPhaseOf(record) === "exception";

/** True once the carriers have the order, or it has ended. */
const isLocked = (record: PortOrderRecord): boolean => !["draft", "exception"].includes(portPhaseOf(record));

export const portOrder: Definition<PortOrderRecord> = {
	...configured(
		"port order",
		{ properties: portOrderProperties, outputs: portOrderOutputs },
		({ portOrders }) => portOrders,
	),
	remove: cancel,
	stays: completedStays,
	isPast,
	ifDeleted: "creates and submits another port order",
	nameOf,
	labelOf: ({ numbers = [] }) => listed(numbers, ", "),
	failures: (olds, inputs, { session }) => checkDocuments(session.cwd, portOrderProperties, olds, inputs),
	computed: (record, saved) => ({
		...liveOutputs(portOrderOutputs, record),
		...submissionOutputs(record, saved, isRejected(record)),
	}),
	prepare: withPaths,
	isLocked,
	carryOut,
	ended: (record) => (portPhaseOf(record) === "cancelled" ? "cancelled" : undefined),
	warnOfChange: warnOfLocked,
	lossOf: (status = "removed") => ({ code: losses.removed.code, word: status }),
	waitsIf: "waitForCompletion",
	condition: portCondition,
};

/** A retained order that is complete is resumed only by a declaration of its numbers. */
function isPast(record: PortOrderRecord, inputs: Values): boolean {
	if (record.status === "cancel_pending") return true;
	if (!isRetained(record.reference) || portPhaseOf(record) !== "completed") return false;
	return changedProperties(portOrderProperties, portOrder.live(record), inputs).includes("numbers");
}

export const portOrderDrift = configuredDrift(portOrder, {
	outputs: portOrderOutputs,
	fix: "`pulumi up --refresh` creates and submits another one",
	kept: ["uploaded", "unsubmitted"],
});

/** Warns in a preview of a change that the service will refuse. */
function warnOfLocked({ progress }: Session, changed: readonly string[], outs: Values): void {
	const sent = sentIn(changed, portOrderProperties);
	const { numbers, status } = outs as Pick<PortOrderRecord, "numbers" | "status">;
	if (sent.length === 0 || !isLocked({ id: "", status })) return;
	const text = `${sent.join(", ")}: the port order of ${numbersOf({ id: "", numbers })} was ${inWords(String(status))} when the provider last read it, and the service then refuses changes. Restore the earlier values. If the carriers have objected since, run \`pulumi up --refresh\`.`;
	progress.warn(urnOf(outs), "in-use", text);
}

function portCondition(outputs: Values): CodedCondition | undefined {
	const phase = portPhaseOf(outputs);
	if (phase === "completed") return partialCondition(outputs);
	if (phase === "cancelled") return undefined;
	const { status, scheduledAt: scheduled_at, exceptions } = outputs as Values & Pick<PortOrderRecord, "exceptions">;
	const stage = stageOf({ ...{ status, scheduled_at }, exceptions } as Stage);
	if (phase === "exception")
		return {
			kind: "problem",
			code: "port-exception",
			goal: "completed",
			...stage,
			fixes: [
				{ code: "restore", text: "correct the program, then run `pulumi up` to submit the order again" },
				removalFix(outputs, "cancels"),
			],
		};
	const waiting = { kind: "waiting", code: "port-pending", goal: "completed", ...stage } as const;
	return phase === "draft"
		? { ...waiting, isDue: true, fixes: [{ code: "finish", text: "run `pulumi up` to submit it" }] }
		: { ...waiting, fixes: [{ code: "wait", text: "`pulumi up --refresh` shows the progress" }] };
}

/** Returns the problem of a completed order that shows fewer ids than numbers. One without ids shows nothing. */
function partialCondition({ status, numbers, numberIds }: Values): CodedCondition | undefined {
	const [wanted, brought] = [numbers, numberIds].map((list) => (Array.isArray(list) ? new Set(list).size : 0));
	if (wanted === undefined || !brought || brought >= wanted) return undefined;
	return {
		kind: "problem",
		code: "port-exception",
		goal: "completed",
		change: { path: "status", declared: "completed", live: status },
		status: `it has brought ${brought} of ${wanted} numbers`,
		fixes: [
			{ code: "restore", text: "declare another port order for the others" },
			{ code: "accept", text: "remove the order from the program; its numbers stay on the account" },
		],
	};
}

async function carryOut(
	run: Run<PortOrderRecord>,
	write: Write<PortOrderRecord>,
	target: WriteTarget<PortOrderRecord>,
): Promise<void> {
	const { session, service } = run;
	const { news } = target;
	const urn = urnOf(news);
	await writeAndSubmit<PortOrderRecord>(run, write, target, {
		isDraft: (record) => portPhaseOf(record) === "draft",
		isRejected,
		submit: ({ id }) => service.client.portOrders.submit(id),
	});
	session.progress.status(urn, `port order ${portStage(write.record)}`);
	if (news.waitForCompletion === true) await complete(run, write, news);
}

/** @throws TelephonyError Conflict, if the order isn't completed then */
async function complete(
	{ session, service }: Run<PortOrderRecord>,
	write: Write<PortOrderRecord>,
	news: Values,
): Promise<void> {
	await waitForPort(session, service, write.record, {
		urn: urnOf(news),
		timeoutMs: Number(news.completionTimeoutSeconds ?? 600) * 1000,
		keep: (latest) => {
			write.record = latest;
		},
	});
	const { record } = write;
	const name = `Port order ${nameOf(record)}`;
	if (portPhaseOf(record) === "cancelled")
		throw new TelephonyError("Conflict", `${name} is cancelled.`, {
			messageCode: "removed-outside",
			nextStep: "`pulumi up --refresh` creates and submits another one.",
		});
	const condition = portCondition(outputsOf(write, news));
	if (condition !== undefined && portPhaseOf(record) !== "completed")
		throw conditionError(session, name, condition, { record, waitsIf: "waitForCompletion" });
}

const outputsOf = (write: Write<PortOrderRecord>, news: Values): Values =>
	write.outputs(portOrder.computed(write.record, news));

const isCancelled = ({ status }: PortOrderRecord) => status === "cancelled" || status === "cancel_pending";

/** @throws MustStay if it is too late to cancel the order */
async function cancel(run: Run<PortOrderRecord>, { id, ...order }: PortOrderRecord): Promise<void> {
	const { session, service, operations } = run;
	try {
		await confirmRemoval<PortOrderRecord>(session, {
			what: `port order ${nameOf({ id, ...order })}`,
			remove: () => service.client.portOrders.cancel(id),
			read: () => operations.reads.readCurrent(id),
			isOver: isCancelled,
		});
	} catch (error) {
		if (!isTelephonyError(error) || error.errorCode !== "port_not_cancellable") throw error;
		const record = await operations.reads.readCurrent(id);
		// It was cancelled outside Pulumi, or an earlier response was lost.
		if (isCancelled(record)) return;
		throw new MustStay(
			`the service can't cancel it, because it is ${portStage(record)}. It brings ${numbersOf(record)} to the account, and you will be billed for them.`,
		);
	}
}

const numbersOf = ({ numbers = [] }: PortOrderRecord): string => listed(numbers, ", ");

function completedStays(record: PortOrderRecord): string | undefined {
	if (portPhaseOf(record) !== "completed") return undefined;
	return `Removed the completed port order ${record.id} from the state. Its numbers stay on the account, and you are still billed for them: ${numbersOf(record)}. Release numbers that no program has adopted in the service's dashboard.`;
}

// ---- Stages and the wait, also of a number that an order is to bring ---------------------------------------------------

type Stage = Pick<PortOrderRecord, "status" | "scheduled_at" | "exceptions">;

function stageOf({ status = "unknown", scheduled_at, exceptions }: Stage) {
	const phase = portPhaseOf({ status });
	const reasons = phase === "exception" ? exceptions : undefined;
	return { status, reasons, date: phase === "under way" ? scheduled_at : undefined };
}

/** Returns `scheduled for 2026-12-01T09:00:00Z` or `in review`. */
export const portStage = (stage: Stage): string => statusText(stageOf(stage));

interface PortWait extends Pick<WaitForOne<PortOrderRecord>, "urn" | "timeoutMs" | "keep"> {
	/** True once the wait has another reason to end. @default never */
	isOver?(): boolean;
}

/** Waits until the order has ended, needs a correction, or is scheduled for a time after the wait. */
export async function waitForPort(
	session: Session,
	service: Service,
	start: PortOrderRecord,
	{ urn, timeoutMs, keep, isOver }: PortWait,
): Promise<PortOrderRecord> {
	const until = service.client.now() + timeoutMs;
	const isTooLate = ({ scheduled_at }: PortOrderRecord) => instantOf(scheduled_at) > until;
	const { record } = await waitForOne<PortOrderRecord>(session, service, {
		...{ urn, start, timeoutMs, keep },
		reads: service.reads["port order"],
		poller: service.waits["port order"],
		// An exception at the start may be corrected by this run.
		isDone: (latest) =>
			isOver?.() ||
			!isOpenPort(latest) ||
			isTooLate(latest) ||
			(latest !== start && portPhaseOf(latest) === "exception"),
		text: (latest) => `port order ${portStage(latest)}`,
	});
	return record;
}
