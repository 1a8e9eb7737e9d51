/** A phone number's properties: what is declared, what is shown, and what must not change. */
import { z } from "zod";
import { BuyNumber, numberTypes, type PurchaseRecord } from "../../api/contract";
import { showsStatus, statusOf } from "../../api/record";
import type { DriftDefinition } from "../../drift/definition";
import type { Claimant } from "../../lifecycle/resource";
import { canonicalE164 } from "../../properties/canonical";
import { urlForm } from "../../properties/form";
import { labels } from "../../properties/labels";
import { aCountry, boundsOf, seconds } from "../../properties/limits";
import { objectOf } from "../../properties/object";
import { aBoolean, aString, aTime, reasons, strings } from "../../properties/outputs";
import { deliverableUrl, idOfOther, routing } from "../../properties/routing";
import {
	isValid,
	liveOutputs,
	liveValues,
	neverDrift,
	type Outputs,
	type Properties,
	unknownValue,
	type Values,
} from "../../properties/table";
import { lagSays } from "../../session/staleness";
import { numberAdopt } from "./adopt";
import { type Criterion, criteriaKeys, criteriaOf, criterionOf, sameCriterion } from "./criteria";
import { numberCondition } from "./kyc";
import { portingCondition } from "./porting";

export { criteriaKeys, criteriaOf };

const longestArea = boundsOf(BuyNumber.shape.area).most;

/** Another one would be another number. */
const criterion = {
	fixed: true,
	change: { does: "replaces", words: "replaces the number: buys another one, then ends this one as `onDelete` says" },
} as const;

export const numberProperties: Properties = {
	country: {
		type: aCountry,
		description: "ISO 3166-1 alpha-2 in upper case, such as `NL`.",
		required: true,
		wire: "country",
		...criterion,
	},
	type: {
		type: z.enum(numberTypes, `must be one of ${numberTypes.join(", ")}`),
		description: "The kind of number.",
		example: "mobile",
		required: true,
		wire: "type",
		...criterion,
	},
	area: {
		type: z
			.string('must be a string, such as "20"')
			.min(1, "must not be empty")
			.max(longestArea, `must be an area code of at most ${longestArea} characters, such as "20"`),
		description: 'Area code within the country, such as `"20"`, with or without the trunk prefix (`"020"`).',
		wire: "area",
		isSame: (olds, news) => sameCriterion("area", olds, news),
		...criterion,
	},
	routing,
	smsWebhookUrl: {
		type: deliverableUrl,
		example: "https://hooks.example.com/sms",
		description:
			"https URL that gets inbound SMS, without credentials or fragment (plain http for loopback only). The number's `capabilities` must include sms.",
		wire: "sms_webhook_url",
		form: urlForm,
		severity: "high",
	},
	...labels,
	kycProfileId: {
		type: idOfOther,
		description: "The identity for regulated markets.",
		example: "kyc_01",
		wire: "kyc_profile_id",
		// It stands in `kyc`, which a service may drop once KYC is over.
		leftOut: true,
	},
	releaseProtection: {
		type: z.boolean(),
		description:
			"True if nothing may release the number: a delete leaves it on the account, and the service refuses a release.",
		otherwise: "`false`",
		wire: "release_protection",
		cleared: false,
	},
	waitForActive: { type: z.boolean(), description: "Whether `pulumi up` waits until KYC has cleared.", default: true },
	activationTimeoutSeconds: {
		type: seconds,
		description: "How long it waits, in seconds. Then the number is saved, and the next `up` goes on waiting.",
		default: 600,
	},
	onDelete: {
		type: z.enum(["release", "retain"], "must be release or retain"),
		description:
			"Decides what happens to the number when the resource is deleted: it is released, or stays on the account for the same resource to resume or any stack to adopt.",
		otherwise: "`telephony:onDelete` of the stack, `retain` without it; with `adopt`, `retain`",
		filled: true,
	},
	generation: {
		type: z.int("must be a whole number").min(0, "must not be negative"),
		description: "Another value asks for a different number with the same criteria.",
		default: 0,
		change: { does: "replaces", words: "replaces the number: buys another one, then ends this one as `onDelete` says" },
	},
	adopt: numberAdopt,
};

const money = objectOf(
	{
		amount: { ...aString, required: true, description: 'Decimal, such as `"1.50"`.' },
		currency: { ...aString, required: true, description: "ISO 4217." },
	},
	{ name: "Money", description: "An amount of money." },
);

export const numberOutputs: Outputs = {
	phoneNumber: {
		...aString,
		description: "E.164; undefined until the carrier has assigned one.",
		drift: "shown; undefined until the carrier assigns it",
	},
	status: {
		...aString,
		required: true,
		moves: true,
		description:
			"`pending`, `active`, `suspended`, `porting_out`, or the service's own word for active. Of a number that `adopt` names: `porting` while a port order is to bring it, `ported` until `up` takes it over, `not_porting` if no open order names it.",
		drift:
			"`porting` and `ported` are no drift, `not_porting` is a warning; `pending` is no drift: where the program waits for active, it shows as an update with the classes, and the next `pulumi up` goes on waiting; `pending` becoming `active` is progress; `suspended` or `porting_out` is a warning; `released`, `ported_out` and `failed` mean that the number is gone",
	},
	kycRequired: { ...aBoolean, required: true, description: "True in regulated markets.", drift: neverDrift },
	kyc: {
		...objectOf(
			{
				status: {
					...aString,
					required: true,
					description:
						"`not_required`, `action_required`, `in_review`, `approved`, `rejected`, `expired`, or one this version doesn't know.",
				},
				reasons: { ...reasons, required: true, description: "Why it isn't approved." },
				deadline: { ...aString, description: "RFC 3339; when the service gives up waiting." },
			},
			{ name: "Kyc", description: "The state of the identity checks." },
		),
		moves: true,
		description: "The state of the identity checks; undefined in open markets.",
		drift:
			"`rejected` and `expired` are a warning with the service's reasons, and an update where the program waits; all else is progress",
	},
	capabilities: {
		...strings,
		description: "From voice, sms, mms, fax; sorted.",
		drift: neverDrift,
	},
	price: {
		...objectOf({
			setup: { ...money, required: true, description: "Once." },
			monthly: { ...money, required: true, description: "Each month." },
		}),
		wire: "price",
		description: "What it costs. Never compared: prices change.",
		drift: neverDrift,
	},
	source: { ...aString, wire: "source", description: "`purchase` or `port`.", drift: neverDrift },
	createdAt: { ...aTime, wire: "created_at", drift: neverDrift },
	updatedAt: { ...aTime, moves: true, wire: "updated_at", drift: lagSays },
	activatedAt: {
		...aString,
		moves: true,
		wire: "activated_at",
		description: "RFC 3339; undefined while the number is pending.",
		drift: neverDrift,
	},
};

export const numberDrift: DriftDefinition = {
	properties: numberProperties,
	outputs: numberOutputs,
	kept: ["token", "lease", "foundId"],
	isBought: true,
	lost: ({ adopt }) => {
		const back = "ask the service to restore the lost one; otherwise";
		return adopt === undefined
			? { consequence: "buys a new number", way: `${back} \`pulumi up --refresh\` buys a new number` }
			: {
					consequence: "buys a new number once you remove `adopt`, which names the lost one",
					way: `${back} remove \`adopt\` from the program, then \`pulumi up --refresh\` buys a new number`,
				};
	},
	condition: (outputs) => portingCondition(outputs) ?? numberCondition(outputs),
};

/** The criteria whose change needs another number. An adopted number's area may be declared later; update checks it. */
export const fixedCriteria = ({ adopt, area }: Values): readonly Criterion[] =>
	adopt == null || area != null ? criteriaKeys : criteriaKeys.filter((key) => key !== "area");

/** Which of these and `generation` differ. An unknown value is compared once it is known, a wrong one once it is right. */
export const changedCriteria = (olds: Values, inputs: Values): string[] =>
	[
		...fixedCriteria(olds).filter((key) => inputs[key] !== unknownValue && !sameCriterion(key, olds, inputs)),
		...(inputs.generation !== unknownValue && (olds.generation ?? 0) !== (inputs.generation ?? 0)
			? ["generation"]
			: []),
	].filter((key) => isValid(numberProperties, key, inputs));

/** Which declaration a number belongs to: if one of these values differs, another number is wanted. */
export const numberClaim: Claimant = {
	kind: "number",
	criteria: (inputs) => [...criteriaKeys.map((key) => criterionOf(key, inputs)), inputs.generation ?? 0],
};

/** Answers have the profile's id inside `kyc`, requests have it at the top level. */
export const flat = (record: PurchaseRecord): Values => ({ ...record, kyc_profile_id: record.kyc?.profile_id });

const withoutAbsent = (values: Values) =>
	Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));

/** An answer without a status, or without a word on KYC, says nothing of it: the entry's stands. */
export function computed(record: PurchaseRecord, entry: Values = {}): Values {
	const { kyc } = record;
	return withoutAbsent({
		...liveOutputs(numberOutputs, record),
		phoneNumber: record.number == null ? undefined : (canonicalE164(record.number) ?? record.number),
		status: (showsStatus(record) ? undefined : entry.status) ?? statusOf(record),
		kycRequired: record.kyc_required ?? entry.kycRequired ?? false,
		kyc: kyc && withoutAbsent({ status: kyc.status, reasons: kyc.reasons ?? [], deadline: kyc.deadline }),
		capabilities: record.capabilities === undefined ? undefined : [...record.capabilities].sort(),
	});
}

/** The outputs of a number that a program only reads. */
export const lookedUp = (record: PurchaseRecord): Values => ({
	...withoutAbsent(liveValues(numberProperties, flat(record))),
	...computed(record),
});
