/** A KYC profile: the person or company responsible for numbers in regulated markets, with documents. */
import type { CreateKycProfile, KycProfileRecord, PatchKycProfile } from "../../api/contract";
import { checkDocuments } from "../../documents/files";
import { withPaths } from "../../documents/properties";
import { submissionOutputs, writeAndSubmit } from "../../documents/upload";
import { keepAdopt } from "../../lifecycle/adopt";
import { configured, configuredDrift } from "../../lifecycle/configured";
import type { Definition, Run, WriteTarget } from "../../lifecycle/definition";
import { onceUnused } from "../../lifecycle/unused";
import type { Write } from "../../lifecycle/write";
import { freshLease } from "../../ownership/reference";
import { type CheckFailure, liveOutputs, liveValues, refusedChanges, type Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { kycProfileOutputs, kycProfileProperties } from "./properties";
import { requirementFailures } from "./requirements";
import {
	explained,
	isLocked,
	isRejected,
	lockedWarning,
	nameOf,
	profileCondition,
	untilApproved,
	warnIfRejected,
} from "./review";

export const kycProfile: Definition<KycProfileRecord> = {
	noun: "KYC profile",
	source: { kind: "KYC profile" },
	properties: kycProfileProperties,
	operations: ({ client: { kyc }, reads }) => ({
		reads: reads["KYC profile"],
		get: (id) => kyc.profiles.get(id),
		patch: (id, body) => kyc.profiles.patch(id, body as () => PatchKycProfile),
	}),
	...configured({
		create: ({ client: { kyc } }, body, options) => kyc.profiles.create(body as CreateKycProfile, options),
		remove: ({ session, service }, id) =>
			onceUnused(session, service, {
				inUse: "kyc_profile_in_use",
				isUsedBy: ({ kyc }) => kyc?.profile_id === id,
				remove: () => service.client.kyc.profiles.delete(id),
			}),
	}),
	lost: "creates a new profile, with another id, and submits it with its documents",
	nameOf,
	// The service shows only if there is an id number. A cleared one is sent again.
	live: ({ id_number_set, ...record }) =>
		liveValues(kycProfileProperties, { ...record, ...(id_number_set === false ? { id_number: null } : {}) }),
	computed: (record, entry) => ({
		...liveOutputs(kycProfileOutputs, record),
		reasons: record.reasons ?? [],
		...submissionOutputs(record, entry, isRejected(record)),
	}),
	isLocked,
	prepare: withPaths,
	failures,
	carryOut,
	explained,
	warn: warnIfRejected,
	warnOfChange: ({ progress }, changed, olds) => {
		const text = lockedWarning(changed.filter(isSent), olds);
		if (text !== undefined) progress.warn(String(olds.resourceUrn ?? ""), "kyc-locked", text);
	},
	waitsIf: "waitForApproval",
	condition: profileCondition,
};

export const kycProfileDrift = configuredDrift(kycProfile, {
	outputs: kycProfileOutputs,
	way: "`pulumi up --refresh` creates a new one, and gives its id to the numbers of this program",
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
		submit: ({ id }) => profiles.submit(id, { idempotencyKey: `ptel-${freshLease()}` }),
	});
	if (target.news.waitForApproval === true) await untilApproved(run, write, target.news);
	else warnIfRejected(run.session, write.record, target.news);
}

async function failures(
	olds: Values,
	inputs: Values,
	{ session }: { readonly session: Session },
): Promise<CheckFailure[]> {
	const mistakes = [
		...keepAdopt({ noun: "KYC profile" }, olds, inputs),
		...refusedChanges(kycProfileProperties, olds, inputs),
		...checkDocuments(session.cwd, kycProfileProperties, olds, inputs),
	];
	return mistakes.length > 0 ? mistakes : requirementFailures(session, inputs);
}

/** True if a change of the property is sent to the service. */
const isSent = (key: string): boolean => kycProfileProperties[key]?.wire !== undefined || key === "documents";
