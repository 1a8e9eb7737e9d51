/** The review of a KYC profile: its status, the wait for the decision, and changes that the service refuses. */
import type { KycProfileRecord } from "../../api/contract";
import { isTelephonyError, nextStep, TelephonyError } from "../../api/errors";
import type { Condition } from "../../drift/states";
import type { Run } from "../../lifecycle/definition";
import type { Write } from "../../lifecycle/write";
import type { Values } from "../../properties/table";
import { duration, waitForOne } from "../../session/wait";
import { reasonWords, requestText } from "../number/kyc";

export const nameOf = ({ name, id }: KycProfileRecord): string => `${name ?? "KYC profile"} (${id})`;

type Reviewed = Pick<KycProfileRecord, "status" | "reasons">;

export const isRejected = ({ status }: Reviewed): boolean => status === "rejected" || status === "expired";

/** `rejected: The scan is blurred. (blurred)` */
function statusText({ status = "unknown", reasons }: Reviewed): string {
	const why = reasonWords(reasons);
	return `${status.replaceAll("_", " ")}${why && ": "}${why}`;
}

const correct = ({ status }: Reviewed): string =>
	status === "expired"
		? "replace expired values in the program, such as `documents`: `pulumi up` submits the profile again"
		: "correct the profile or its documents in the program: `pulumi up` submits it again";

/** Why the profile can't be used for numbers yet. */
export function profileCondition(outputs: Values): Condition | undefined {
	const profile = outputs as Reviewed;
	if (isRejected(profile))
		return {
			kind: "problem",
			change: { path: "status", declared: "approved", live: profile.status },
			consequence: `cannot be repaired by Pulumi: the status is ${statusText(profile)}`,
			ways: [
				`restore it: ${correct(profile)}`,
				"accept it: remove it from the program, and give its numbers another `kycProfileId`",
			],
		};
	const isDraft = profile.status === "draft";
	if (!isDraft && profile.status !== "in_review") return undefined;
	return {
		kind: "waiting",
		...(isDraft && { isDue: true }),
		change: { path: "status", declared: "approved", live: profile.status },
		consequence: `nothing to repair: the profile is ${isDraft ? "not submitted yet" : "in review"}`,
		ways: [
			isDraft
				? "finish it: run `pulumi up` to submit it"
				: "wait: `pulumi up` continues to wait and changes nothing else",
		],
	};
}

/** @throws TelephonyError KycPending, KycRefused */
export async function untilApproved(
	{ session, service, operations }: Run<KycProfileRecord>,
	write: Write<KycProfileRecord>,
	{ resourceUrn, approvalTimeoutSeconds }: Values,
): Promise<void> {
	const timeoutMs = Number(approvalTimeoutSeconds ?? 600) * 1000;
	const { record, ending } = await waitForOne<KycProfileRecord>(session, service, {
		urn: String(resourceUrn ?? ""),
		start: write.record,
		reads: operations.reads,
		poller: service.waits["KYC profile"],
		timeoutMs,
		isDone: ({ status }) => status !== "in_review" && status !== "draft",
		keep: (latest) => {
			write.record = latest;
		},
		text: statusText,
	});
	if (isRejected(record)) throw rejectionOf(record);
	if (ending === "done") return;
	const why = ending === "late" ? ` after ${duration(timeoutMs)}` : `; ${session.ending.reason}`;
	throw new TelephonyError(
		"KycPending",
		`The KYC profile ${nameOf(record)} is submitted and saved, but not approved yet: ${statusText(record)}${why}. ${nextStep("KycPending")} (To skip the wait, set \`waitForApproval: false\`.)`,
	);
}

/** Reports why the profile was rejected, and the fix. */
function rejectionOf(record: KycProfileRecord): TelephonyError {
	return new TelephonyError(
		"KycRefused",
		`The KYC profile ${nameOf(record)} was not approved: ${statusText(record)}. To continue, ${correct(record)}.${requestText(record)}`,
	);
}

export function warnIfRejected(
	{ progress }: Run<KycProfileRecord>["session"],
	record: KycProfileRecord,
	{ resourceUrn }: Values,
): void {
	if (isRejected(record)) progress.warn(String(resourceUrn ?? ""), "kyc-rejected", rejectionOf(record).text);
}

const lockedFixes: Readonly<Record<string, string>> = {
	approved:
		"The service refuses changes to an approved profile. Declare a second KycProfile with the new values, set `kycProfileId` of the numbers to its id, then remove this one. Or restore the old values.",
	in_review:
		"The service is reviewing it. Wait for the decision, then run `pulumi up` again. Or restore the old values.",
};

export const isLocked = ({ status }: Reviewed): boolean => lockedFixes[String(status)] !== undefined;

/** The warning of a preview before a change that the service will refuse. */
export function lockedWarning(changed: readonly string[], { status, name }: Values): string | undefined {
	const fix = changed.length === 0 ? undefined : lockedFixes[String(status)];
	return fix && `${changed.join(", ")}: the KYC profile ${name} is ${String(status).replaceAll("_", " ")}. ${fix}`;
}

/** Adds the fix to the error of such a change. */
export function explained(error: unknown, start: KycProfileRecord): unknown {
	const fix = lockedFixes[String(start.status)];
	if (fix === undefined || !isTelephonyError(error) || error.errorCode !== "kyc_profile_locked") return error;
	return new TelephonyError(error.kind, `The KYC profile ${nameOf(start)} was not changed: ${error.text} ${fix}`, {
		messageCode: "kyc-locked",
		cause: error,
	});
}
