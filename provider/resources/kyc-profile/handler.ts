/** A KYC profile: the person or company responsible for numbers in regulated markets, with documents. */
import { randomUUID } from "node:crypto";
import type { KycProfileRecord } from "../../api/contract";
import { isTelephonyError, TelephonyError } from "../../api/errors";
import { checkDocuments } from "../../documents/files";
import { sentIn, withPaths } from "../../documents/properties";
import { submissionOutputs, writeAndSubmit } from "../../documents/upload";
import { type CodedCondition, conditionError, inWords, keepWaiting, statusText } from "../../drift/condition";
import { configured, configuredDrift } from "../../lifecycle/configured";
import type { Context, Definition, Run, WriteTarget } from "../../lifecycle/definition";
import { onceUnused } from "../../lifecycle/unused";
import type { Write } from "../../lifecycle/write";
import {
	type CheckFailure,
	changedProperties,
	liveOutputs,
	liveValues,
	urnOf,
	type Values,
} from "../../properties/table";
import type { Session } from "../../session/session";
import { waitForOne } from "../../session/wait";
import { kycProfileOutputs, kycProfileProperties } from "./properties";
import { requirementFailures } from "./requirements";

type Reviewed = Pick<KycProfileRecord, "status" | "reasons">;

const nameOf = ({ name, id }: KycProfileRecord): string => `${name ?? "KYC profile"} (${id})`;

const isRejected = ({ status }: Reviewed): boolean => status === "rejected" || status === "expired";

const lockedFixes: Readonly<Record<string, string>> = {
	approved:
		"The service refuses changes to an approved profile. Declare a second KycProfile with the new values, set `kycProfileId` of the numbers to its id, then remove this one. Or restore the old values.",
	in_review:
		"The service is reviewing it. Wait for the decision, then run `pulumi up` again. Or restore the old values.",
};

const isLocked = ({ status }: Reviewed): boolean => lockedFixes[String(status)] !== undefined;

export const kycProfile: Definition<KycProfileRecord> = {
	...configured(
		"KYC profile",
		{ properties: kycProfileProperties, outputs: kycProfileOutputs },
		({ kyc }) => kyc.profiles,
	),
	remove: (run, record) =>
		onceUnused(run, record, "kycProfiles", () => run.service.client.kyc.profiles.delete(record.id)),
	ifDeleted: "creates a new profile, with another id, and submits it with its documents",
	nameOf,
	// The service shows only if there is an id number. A cleared one is sent again.
	live: ({ id_number_set, ...record }) =>
		liveValues(kycProfileProperties, { ...record, ...(id_number_set === false ? { id_number: null } : {}) }),
	computed: (record, saved) => ({
		...liveOutputs(kycProfileOutputs, record),
		reasons: record.reasons ?? [],
		...submissionOutputs(record, saved, isRejected(record)),
	}),
	isLocked,
	prepare: withPaths,
	failures,
	carryOut,
	explained,
	warnOfChange: warnOfLocked,
	waitsIf: "waitForApproval",
	condition: profileCondition,
};

export const kycProfileDrift = configuredDrift(kycProfile, {
	outputs: kycProfileOutputs,
	fix: "`pulumi up --refresh` creates a new one, and gives its id to the numbers of this program",
	kept: ["uploaded", "unsubmitted"],
});

async function carryOut(
	run: Run<KycProfileRecord>,
	write: Write<KycProfileRecord>,
	target: WriteTarget<KycProfileRecord>,
): Promise<void> {
	const { profiles } = run.service.client.kyc;
	await writeAndSubmit<KycProfileRecord>(run, write, target, {
		isDraft: ({ status }) => status === undefined || status === "draft",
		isRejected,
		// Each submission has a key of its own.
		submit: ({ id }) => profiles.submit(id, { idempotencyKey: `ptel-${randomUUID()}` }),
	});
	if (target.news.waitForApproval === true) await untilApproved(run, write, target.news);
}

async function failures(olds: Values, inputs: Values, { session }: Context<KycProfileRecord>): Promise<CheckFailure[]> {
	const mistakes = checkDocuments(session.cwd, kycProfileProperties, olds, inputs);
	return mistakes.length > 0 ? mistakes : requirementFailures(session, inputs);
}

// ---- The review: its status, the wait for the decision, and changes that the service refuses ---------------------------

/** Returns why the profile can't be used for numbers yet; undefined if it can. */
function profileCondition(outputs: Values): CodedCondition | undefined {
	const { status = "unknown", reasons } = outputs as Reviewed;
	if (isRejected({ status }))
		return {
			kind: "problem",
			code: "kyc-rejected",
			goal: "approved",
			status,
			reasons,
			fixes: [
				{
					code: "restore",
					text: "correct the profile or its documents in the program, then run `pulumi up` to submit it again",
				},
				{ code: "accept", text: "remove it from the program, and give its numbers another `kycProfileId`" },
			],
		};
	const waiting = { kind: "waiting", code: "kyc-pending", goal: "approved", status } as const;
	if (status === "draft")
		return { ...waiting, isDue: true, fixes: [{ code: "finish", text: "run `pulumi up` to submit it" }] };
	return status === "in_review" ? { ...waiting, fixes: [keepWaiting] } : undefined;
}

/** @throws TelephonyError KycPending, KycRefused */
async function untilApproved(
	{ session, service, operations }: Run<KycProfileRecord>,
	write: Write<KycProfileRecord>,
	news: Values,
): Promise<void> {
	const timeoutMs = Number(news.approvalTimeoutSeconds ?? 600) * 1000;
	const { record, ending } = await waitForOne<KycProfileRecord>(session, service, {
		urn: urnOf(news),
		start: write.record,
		reads: operations.reads,
		poller: service.waits["KYC profile"],
		timeoutMs,
		isDone: ({ status }) => status !== "in_review" && status !== "draft",
		keep: (latest) => {
			write.record = latest;
		},
		text: ({ status = "unknown", reasons }) => statusText({ status, reasons }),
	});
	const condition = profileCondition({ ...record });
	if (condition === undefined) return;
	throw conditionError(session, `KYC profile ${nameOf(record)}`, condition, {
		record,
		done: "submitted and saved",
		wait: { ending, timeoutMs },
		waitsIf: "waitForApproval",
	});
}

const keptIdNumber =
	"Remove `idNumber` from the program. The profile keeps the one that it has, if any, and the service doesn't show it.";

/** Returns how to resolve a change that the service refuses; undefined if it accepts changes. */
function lockedFix(sent: readonly string[], { status, idNumber }: Values): string | undefined {
	const fix = lockedFixes[String(status)];
	const [only, ...more] = sent.filter((key) => key !== "documents");
	const isOnlyAdded = only === "idNumber" && more.length === 0 && idNumber === undefined;
	return fix !== undefined && isOnlyAdded ? keptIdNumber : fix;
}

/** Warns in a preview of a change that the service will refuse. */
function warnOfLocked({ progress }: Session, changed: readonly string[], outs: Values): void {
	const { status, name } = outs;
	const sent = sentIn(changed, kycProfileProperties);
	const fix = lockedFix(sent, outs);
	if (sent.length === 0 || fix === undefined) return;
	const text = `${sent.join(", ")}: the KYC profile${name == null ? "" : ` ${name}`} is ${inWords(String(status))}. ${fix}`;
	progress.warn(urnOf(outs), "kyc-locked", text);
}

/** Adds the fix to the error of such a change. */
function explained(error: unknown, { start, olds, news }: WriteTarget<KycProfileRecord>): unknown {
	if (!isTelephonyError(error) || error.errorCode !== "kyc_profile_locked") return error;
	const outs = { ...olds, ...kycProfile.live(start), status: start.status };
	const changed = changedProperties(kycProfileProperties, outs, news);
	const fix = lockedFix(sentIn(changed, kycProfileProperties), outs);
	if (fix === undefined) return error;
	return new TelephonyError(error.kind, `The KYC profile ${nameOf(start)} was not changed. ${fix}\n${error.text}`, {
		messageCode: "kyc-locked",
		cause: error,
	});
}
