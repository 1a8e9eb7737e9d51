import { notFound, ServiceError } from "../../request/errors";
import { edit, type Service, timeOf } from "../../service/service";
import type { Kyc, KycReason, NumberRow } from "../../store/store";
import { parseDuration, timestamp } from "../../time/clock";
import { numberChanged } from "../webhooks/events";

/** The policy for new numbers: `manual` waits for a decision, a duration approves after it. */
export const isKycPolicy = (policy: string): boolean =>
	["manual", "immediate", "reject"].includes(policy) || parseDuration(policy) !== undefined;

export const kycPolicyHint = "manual, immediate, reject or a duration such as 30s, 10m, 2h, 10d";

const daysToAct = 14;

const deadline = (service: Service): string => timestamp(service.clock.now() + daysToAct * 86_400_000);

export const defaultReasons: KycReason[] = [
	{ code: "document_unreadable", message: "The proof of address can't be read: send a sharper copy." },
];

export const beginKyc = (service: Service): Kyc => {
	const begun = (status: string, reasons: KycReason[], until: string | null): Kyc => ({
		status,
		profile_id: null,
		reasons,
		deadline: until,
	});
	switch (service.kycPolicy) {
		case "manual":
			return begun("action_required", [], deadline(service));
		case "immediate":
			return begun("approved", [], null);
		case "reject":
			return begun("rejected", defaultReasons, deadline(service));
		default:
			return begun("in_review", [], null);
	}
};

/** Returns when the policy approves a new number; null if it doesn't. */
export const kycDueAt = (service: Service): string | null => {
	const duration = parseDuration(service.kycPolicy);
	return duration === undefined ? null : timestamp(service.clock.now() + duration);
};

/** Approves a number by the policy, unless it was decided or edited meanwhile. */
export const approveByPolicy = (service: Service, row: NumberRow): void => {
	if (row.kyc?.status === "in_review" && isDecidable(row, "approve")) decideKyc(service, row.id, "approve");
};

export type Decision = "approve" | "reject" | "expire";

export const isDecidable = ({ status }: NumberRow, decision: Decision): boolean =>
	["pending", "suspended"].includes(status) || (status === "active" && decision !== "reject");

export const decideKyc = (
	service: Service,
	id: string,
	decision: Decision,
	reasons: readonly KycReason[] = defaultReasons,
): NumberRow => {
	const row = service.store.numbers.get(id);
	if (row === undefined || row.status === "released") throw notFound("number", id);
	if (row.kyc === null) {
		throw new ServiceError("bad_request", `Number ${id} is in an open market: it has no KYC to decide on.`);
	}
	if (!isDecidable(row, decision)) {
		throw new ServiceError("bad_request", `Number ${id} is ${row.status}: ${decision} is not possible.`);
	}
	const decided = edit(service, "numbers", row, (draft) => {
		draft.next_at = null;
		const profile_id = draft.kyc?.profile_id ?? null;
		if (decision === "approve") {
			draft.kyc = { status: "approved", profile_id, reasons: [], deadline: null };
			draft.status = "active";
			draft.activated_at ??= timeOf(service);
		} else if (decision === "reject") {
			draft.kyc = { status: "rejected", profile_id, reasons: [...reasons], deadline: deadline(service) };
		} else {
			draft.kyc = { status: "expired", profile_id, reasons: [], deadline: draft.kyc?.deadline ?? null };
			// An active number is suspended.
			draft.status = draft.status === "pending" ? "failed" : "suspended";
		}
	});
	return numberChanged(service, row, decided);
};
