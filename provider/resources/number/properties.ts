/** A phone number's properties, outputs and criteria. */
import { z } from "zod";
import { BuyNumber, numberTypes, type PurchaseRecord } from "../../api/contract";
import { withoutAbsent } from "../../api/json";
import { isReleaseProtected, showsStatus, statusOf } from "../../api/record";
import { adoptProperty } from "../../lifecycle/adopt";
import type { Claimant } from "../../ownership/claim";
import { canonicalArea, canonicalNumber, isCountry, nationalOf } from "../../properties/canonical";
import { isShown, urlForm } from "../../properties/form";
import { labels } from "../../properties/labels";
import { aCountry, boundsOf } from "../../properties/limits";
import { objectOf } from "../../properties/object";
import { aBoolean, aString, aTime, lagSays, reasons, stepTime, strings } from "../../properties/outputs";
import { numberName, numberNameForm } from "../../properties/phone";
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
import { byState, waitLimit } from "../rows";

/** A change needs another number. */
const criterion = {
	fixed: true,
	change: {
		does: "replaces",
		words: "replaces the number: buys another, then retains or releases the old number by its saved `onDelete`",
	},
} as const;

export const numberProperties: Properties = {
	country: {
		type: aCountry,
		description: "ISO 3166-1 alpha-2 in upper case, such as `NL`.",
		required: true,
		wire: "country",
		isSame: (olds, news) => sameCriterion("country", olds, news),
		...criterion,
	},
	type: {
		type: () => z.enum(numberTypes, `must be one of ${numberTypes.join(", ")}`),
		description: "The kind of number.",
		example: "mobile",
		required: true,
		wire: "type",
		isSame: (olds, news) => sameCriterion("type", olds, news),
		...criterion,
	},
	area: {
		type: () => {
			const { most } = boundsOf(BuyNumber.shape.area);
			return z
				.string('must be a string, such as "20"')
				.min(1, "must not be empty")
				.max(most, `must be an area code of at most ${most} characters, such as "20"`);
		},
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
			"https URL that receives inbound SMS, without credentials or fragment (plain http for loopback only). The number must have the capability `sms`.",
		wire: "sms_webhook_url",
		form: urlForm,
		severity: "high",
	},
	...labels,
	kycProfileId: {
		type: idOfOther,
		description: "Id of the KYC profile that regulated markets require.",
		example: "kyc_01",
		wire: "kyc_profile_id",
		// Responses have it in `kyc`, which a service may leave out once KYC is over.
		leftOut: true,
	},
	releaseProtection: {
		type: () => z.boolean(),
		description:
			"True if the number is protected from release: a delete retains it, and the service refuses to release it.",
		otherwise: "`false`",
		wire: "release_protection",
		cleared: false,
		isGuard: true,
	},
	waitForActive: {
		type: () => z.boolean(),
		description: "True if `pulumi up` waits until the number is active.",
		default: true,
	},
	activationTimeoutSeconds: waitLimit,
	onDelete: {
		type: () => z.enum(["release", "retain"], "must be release or retain"),
		description:
			"Effect of deleting the resource: `release` gives the number back to the service. `retain` leaves it on the account, where the same resource can resume it and any stack can adopt it.",
		otherwise: "`telephony:onDelete` of the stack, `retain` without it; with `adopt`, `retain`",
		filled: true,
	},
	generation: {
		type: () => z.int("must be a whole number").min(0, "must not be negative"),
		description: "Change this value to get another number of the same country, type and area.",
		default: 0,
		change: criterion.change,
	},
	adopt: {
		...adoptProperty(
			"number",
			`Id or E.164 of an unclaimed or retained number on the account, with the declared country, type and area. The resource adopts this number instead of buying another. \`onDelete\` is \`retain\` by default.

To adopt a number of an open port order once it arrives, name its E.164.

Read only when the resource is created. Another number replaces the resource.`,
			"the id of a number, or its E.164",
			numberNameForm,
		),
		type: () => numberName("must be the id of a number, or its E.164"),
	},
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
		description: "E.164; undefined until the carrier assigns a number.",
		drift: "never drift; undefined until the carrier assigns it",
	},
	status: {
		...aString,
		required: true,
		moves: true,
		description:
			"`pending`, `active`, `suspended`, `porting_out`, or the service's own value for active. For a number that `adopt` names: `porting` while a port order is in progress, `ported` until `up` adopts it, `not_porting` if no open order names it, `not_adoptable` if `up` refuses it.",
		drift: byState,
	},
	kycRequired: { ...aBoolean, required: true, description: "True in regulated markets.", drift: neverDrift },
	kyc: {
		...objectOf(
			{
				status: {
					...aString,
					required: true,
					description:
						"`not_required`, `action_required`, `in_review`, `approved`, `rejected`, `expired`, or a value unknown to this version.",
				},
				reasons: { ...reasons, required: true, description: "Reasons why KYC isn't approved." },
				deadline: {
					...aString,
					description: "RFC 3339; the number may fail if KYC isn't complete by then.",
				},
			},
			{ name: "Kyc", description: "State of the identity checks." },
		),
		moves: true,
		description: "State of the identity checks; undefined in open markets.",
		drift: byState,
	},
	capabilities: {
		...strings,
		description: "From voice, sms, mms, fax; sorted.",
		drift: neverDrift,
	},
	price: {
		...objectOf({
			setup: { ...money, required: true, description: "Setup price, billed once." },
			monthly: { ...money, required: true, description: "Price of each month." },
		}),
		wire: "price",
		description: "Price of the number. A changed price isn't drift.",
		drift: neverDrift,
	},
	source: { ...aString, wire: "source", description: "`purchase` or `port`.", drift: neverDrift },
	createdAt: { ...aTime, wire: "created_at", drift: neverDrift },
	updatedAt: { ...aTime, moves: true, wire: "updated_at", drift: lagSays },
	activatedAt: stepTime("activated_at", "undefined while the number is pending."),
};

export const criteriaKeys = ["country", "type", "area"] as const;

type Criterion = (typeof criteriaKeys)[number];

/**
 * Returns the criterion in canonical form: purchases with one idempotency key must be the same request. A service may show
 * countries and types in another letter case, and an area as an empty text where there is none.
 */
function criterionOf(key: Criterion, values: Values): unknown {
	const value = values[key];
	if (typeof value !== "string") return value;
	const text = value.trim();
	if (text === "") return undefined;
	if (key === "country") return text.toUpperCase();
	return key === "type" ? text.toLowerCase() : canonicalArea(value, criterionOf("country", values));
}

export const criteriaOf = (values: Values): BuyNumber =>
	Object.fromEntries(
		criteriaKeys.filter((key) => values[key] !== undefined).map((key) => [key, criterionOf(key, values)]),
	) as BuyNumber;

/** True if both have the same criterion. If one country is unknown, both areas are read as the other country's. */
export function sameCriterion(key: Criterion, a: Values, b: Values): boolean {
	if (key !== "area") return (criterionOf(key, a) ?? null) === (criterionOf(key, b) ?? null);
	const isKnown = ({ country }: Values) => country != null && country !== unknownValue;
	const areaOf = (values: Values, fallback: Values) =>
		criterionOf("area", isKnown(values) ? values : { ...values, country: fallback.country });
	return (areaOf(a, b) ?? null) === (areaOf(b, a) ?? null);
}

/** Returns the criteria in which the number differs. One that the record doesn't show is none of them. */
export const differentCriteria = (criteria: Values, record: Values): readonly Criterion[] =>
	criteriaKeys.filter(
		(key) =>
			isShown(criteria[key]) &&
			isShown(record[key]) &&
			!sameCriterion(key, criteria, record) &&
			!(key === "area" && isAreaByNumber(criteria, record)),
	);

/** Returns the criteria that the number contradicts. The service's own word, such as `NLD` or `local`, contradicts nothing. */
export const contradictedCriteria = (criteria: Values, record: Values): readonly Criterion[] =>
	differentCriteria(criteria, record).filter(
		(key) => !isKnownWord(key, criterionOf(key, criteria)) || isKnownWord(key, criterionOf(key, record)),
	);

function isKnownWord(key: Criterion, word: unknown): boolean {
	if (key === "country") return isCountry(String(word));
	return key === "area" || numberTypes.some((type) => type === word);
}

/**
 * True for an area that isn't shown as a code, but as a city or the first digits of the E.164. The phone number, if shown,
 * has the wanted area.
 */
function isAreaByNumber(criteria: Values, record: Values): boolean {
	const country = criterionOf("country", isShown(record.country) ? record : criteria);
	const areaOf = (values: Values) => String(criterionOf("area", { ...values, country }));
	const text = areaOf(record);
	const wanted = areaOf(criteria);
	const number = typeof record.number === "string" ? canonicalNumber(record.number) : "";
	const national = nationalOf(number, country) ?? canonicalArea(number, country);
	const isPlain = /^\d+$/.test(text) && (national.startsWith(text) || !number.startsWith(`+${text}`));
	return !isPlain && (number === "" || national.startsWith(wanted));
}

/** Returns the criteria whose change needs another number. The area of an adopted number may be declared later. */
export const fixedCriteria = ({ adopt, area }: Values): readonly Criterion[] =>
	adopt == null || area != null ? criteriaKeys : criteriaKeys.filter((key) => key !== "area");

/** Returns which of these and `generation` differ. Unknown and invalid values don't. */
export const changedCriteria = (olds: Values, inputs: Values): string[] =>
	[
		...fixedCriteria(olds).filter((key) => inputs[key] !== unknownValue && !sameCriterion(key, olds, inputs)),
		...(inputs.generation !== unknownValue && (olds.generation ?? 0) !== (inputs.generation ?? 0)
			? ["generation"]
			: []),
	].filter((key) => isValid(numberProperties, key, inputs));

/** The values that identify a declaration: if one differs, the declaration needs another number. */
export const numberClaim: Claimant = {
	kind: "number",
	criteria: (inputs) => [...criteriaKeys.map((key) => criterionOf(key, inputs)), inputs.generation ?? 0],
};

/** True if a delete retains the number, because the program or the service protects it. */
export const isProtected = (record: PurchaseRecord, { releaseProtection }: Values): boolean =>
	releaseProtection === true || isReleaseProtected(record);

/** Puts the profile's id where requests have it: responses have it in `kyc`. */
export const flat = (record: PurchaseRecord): Values => ({ ...record, kyc_profile_id: record.kyc?.profile_id });

/** Returns the outputs. If the record shows no status or KYC, they come from `before`, the earlier outputs. */
export function computed(record: PurchaseRecord, before: Values = {}): Values {
	const { kyc } = record;
	return withoutAbsent({
		...liveOutputs(numberOutputs, record),
		phoneNumber: record.number == null ? undefined : canonicalNumber(record.number),
		status: (showsStatus(record) ? undefined : before.status) ?? statusOf(record),
		kycRequired: record.kyc_required ?? before.kycRequired ?? false,
		kyc: kyc && withoutAbsent({ status: kyc.status, reasons: kyc.reasons ?? [], deadline: kyc.deadline }),
		capabilities: record.capabilities === undefined ? undefined : [...record.capabilities].sort(),
	});
}

/** Returns the outputs of a number that a program only reads. */
export const lookedUp = (record: PurchaseRecord): Values => ({
	...withoutAbsent(liveValues(numberProperties, flat(record))),
	...computed(record),
});
