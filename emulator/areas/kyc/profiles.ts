import { ServiceError } from "../../request/errors";
import { edit, findRow, type Service, timeOf } from "../../service/service";
import type { KycProfileRow, KycReason, NumberRow } from "../../store/store";
import { parseDuration, timestamp } from "../../time/clock";
import { numberChanged } from "../webhooks/events";
import { type Decision, decideKyc, defaultReasons } from "./kyc";

/** True if a decision on the profile changes the number. */
const awaits = ({ status, kyc }: NumberRow): boolean =>
	status === "pending" || (status === "suspended" && kyc !== null && kyc.status !== "approved");

/** Applies the state of its profile to a pending or suspended number. */
export const followProfile = (service: Service, row: NumberRow): NumberRow => {
	const profile = service.store.kycProfiles.get(row.kyc?.profile_id ?? "");
	// With `acceptUnknownProfiles`, a profile may be missing.
	if (profile === undefined || !awaits(row)) return row;
	if (profile.status === "approved") return decideKyc(service, row.id, "approve");
	if (profile.status === "rejected") return decideKyc(service, row.id, "reject", profile.reasons);
	if (profile.status !== "in_review" || row.kyc?.status === "in_review") return row;
	const reviewed = edit(service, "numbers", row, (draft) => {
		if (draft.kyc !== null) draft.kyc = { ...draft.kyc, status: "in_review", reasons: [] };
	});
	return numberChanged(service, row, reviewed);
};

const change = (service: Service, row: KycProfileRow, apply: (draft: KycProfileRow) => void): KycProfileRow => {
	const changed = edit(service, "kycProfiles", row, apply);
	for (const number of service.store.numbers) {
		if (number.kyc?.profile_id === row.id) followProfile(service, number);
	}
	return changed;
};

export const decidableProfiles: Readonly<Record<Decision, readonly string[]>> = {
	approve: ["draft", "in_review", "rejected", "expired"],
	reject: ["draft", "in_review"],
	expire: ["approved"],
};

/** Decides on a profile and on all numbers that use it. */
export const decideKycProfile = (
	service: Service,
	id: string,
	decision: Decision,
	reasons: readonly KycReason[] = defaultReasons,
): KycProfileRow => {
	const row = findRow(service, "kycProfiles", id);
	if (!decidableProfiles[decision].includes(row.status)) {
		throw new ServiceError("bad_request", `KYC profile ${id} is ${row.status}: ${decision} is not possible.`);
	}
	if (decision === "expire") {
		for (const { id: number, kyc, status } of service.store.numbers) {
			const concerned = kyc?.profile_id === id && ["pending", "active", "suspended"].includes(status);
			if (concerned) decideKyc(service, number, "expire");
		}
	}
	return change(service, row, (draft) => {
		draft.status = { approve: "approved", reject: "rejected", expire: "expired" }[decision];
		draft.reasons = decision === "reject" ? [...reasons] : [];
		draft.decided_at = timeOf(service);
		draft.next_at = null;
	});
};

/** Submits a profile, which the policy may decide. */
export const submitKycProfile = (service: Service, row: KycProfileRow): KycProfileRow => {
	const duration = parseDuration(service.kycPolicy);
	const submitted = change(service, row, (draft) => {
		draft.status = "in_review";
		draft.reasons = [];
		draft.submitted_at = timeOf(service);
		draft.decided_at = null;
		draft.next_at = duration === undefined ? null : timestamp(service.clock.now() + duration);
	});
	if (service.kycPolicy === "immediate") return decideKycProfile(service, row.id, "approve");
	if (service.kycPolicy === "reject") return decideKycProfile(service, row.id, "reject");
	return submitted;
};

/** Approves a profile by the policy, unless it was decided or edited meanwhile. */
export const approveProfileByPolicy = (service: Service, { id, status }: KycProfileRow): void => {
	if (status === "in_review") decideKycProfile(service, id, "approve");
};
