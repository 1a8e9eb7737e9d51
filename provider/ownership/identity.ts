/**
 * Tells the object of a resource state from another object with the same id: at some services, ids are small numbers that
 * every account has. docs/guarantees.md says what follows.
 */
import { numberTypes } from "../api/contract";
import { canonicalE164, canonicalHost, canonicalUrl, compareTimes, withoutSlash } from "../properties/canonical";
import type { Values } from "../properties/table";
import type { Identity, Referenced } from "./claim";
import { ownership } from "./ownership";

export type Verdict =
	/** The reference, or everything that can't change, is as the state has it. */
	| "same"
	/** A value that can't change differs. */
	| "other"
	/** The id is the same, and nothing that is the same tells the object from another account's. */
	| "unknown";

/** An object as the service shows it, and the saved outputs of the resource with its id. */
export interface Comparison {
	/** The noun of the kind, such as `number`. */
	readonly kind: string;
	readonly record: Referenced;
	readonly saved: Values;
}

/** A value that an object keeps for life. */
interface FixedValue {
	/** The field of the service's record. */
	readonly wire: string;
	readonly output: string;
	/** True if no two accounts have objects with the same value. */
	readonly isUnique?: boolean;
	/** The value from which this one follows. If that is the same, this one may differ: a service may sell what wasn't ordered. */
	readonly follows?: FixedValue;
	/** Returns undefined if the texts can't be compared. */
	isSame(live: string, saved: string): boolean | undefined;
}

/** Compares canonical forms. A text without one says nothing, except that it equals itself. */
const sameForm =
	(canonical: (text: string) => string | undefined) =>
	(live: string, saved: string): boolean | undefined => {
		if (live === saved) return true;
		const liveForm = canonical(live);
		const savedForm = canonical(saved);
		return liveForm === undefined || savedForm === undefined ? undefined : liveForm === savedForm;
	};

function sameTime(live: string, saved: string): boolean | undefined {
	const order = compareTimes(live, saved);
	return Number.isNaN(order) ? undefined : order === 0;
}

const countryCode = (text: string) => (/^[a-z]{2}$/i.test(text) ? text.toUpperCase() : undefined);
const contractType = (text: string) => numberTypes.find((type) => type === text.toLowerCase());
const urlForm = (text: string) => {
	const url = canonicalUrl(text);
	return url === undefined ? undefined : withoutSlash(url);
};

const creationTime: FixedValue = { wire: "created_at", output: "createdAt", isUnique: true, isSame: sameTime };

const phoneNumber: FixedValue = {
	wire: "number",
	output: "phoneNumber",
	isUnique: true,
	isSame: sameForm(canonicalE164),
};

const fixedValues: Readonly<Record<string, readonly FixedValue[]>> = {
	number: [
		phoneNumber,
		{ wire: "country", output: "country", follows: phoneNumber, isSame: sameForm(countryCode) },
		{ wire: "type", output: "type", follows: phoneNumber, isSame: sameForm(contractType) },
		creationTime,
	],
	trunk: [{ wire: "sip_domain", output: "sipDomain", isSame: sameForm(canonicalHost) }, creationTime],
};

/** A webhook has no fixed value besides the time of its creation, so an equal URL counts if that is unknown. */
const webhookUrl: FixedValue = { wire: "url", output: "url", isSame: sameForm(urlForm) };

/** Returns the verdict about an object with the id of a resource state. Properties that can be edited never decide. */
export function identify(claim: Identity, comparison: Comparison): Verdict {
	if (isReferenced(claim, comparison)) return "same";
	const { kind } = comparison;
	const fixed = fixedOf(kind);
	if (fixed.some((value) => contradicts(value, comparison))) return "other";
	const same = (kind === "webhook" ? [...fixed, webhookUrl] : fixed).filter((value) => compare(value, comparison));
	if (same.some(({ isUnique }) => isUnique)) return "same";
	return same.length > 0 && !isDoubtful(claim, comparison) ? "same" : "unknown";
}

/** True if another owner has the object, its claim is lost, or it doesn't show the E.164 that the state has. */
function isDoubtful({ kept }: Identity, { kind, record, saved }: Comparison): boolean {
	const isLost = kept && record.reference !== undefined && Boolean(saved.lease);
	const isHidden = kind === "number" && textOf(saved, "phoneNumber") !== "" && textOf(record, "number") === "";
	return (kept && Boolean(record.reference)) || isLost || isHidden;
}

/** Returns true if the reference is one that this state has sent, or names its declaration and owner. */
export function isReferenced(claim: Identity, { record, saved }: Omit<Comparison, "kind">): boolean {
	if (!record.reference) return false;
	const owner = ownership(claim, record, saved);
	return owner === "ours" || owner === "superseded";
}

/** Returns the fixed value in which the two differ, as both sides show it. */
export function findDifference(
	comparison: Comparison,
): { readonly output: string; readonly live: string; readonly saved: string } | undefined {
	const value = fixedOf(comparison.kind).find((fixed) => contradicts(fixed, comparison));
	return (
		value && {
			output: value.output,
			live: textOf(comparison.record, value.wire),
			saved: textOf(comparison.saved, value.output),
		}
	);
}

const fixedOf = (kind: string): readonly FixedValue[] => fixedValues[kind] ?? [creationTime];

const contradicts = (value: FixedValue, comparison: Comparison): boolean =>
	compare(value, comparison) === false && (value.follows === undefined || compare(value.follows, comparison) !== true);

function compare({ wire, output, isSame }: FixedValue, { record, saved }: Comparison): boolean | undefined {
	const liveText = textOf(record, wire);
	const savedText = textOf(saved, output);
	return liveText === "" || savedText === "" ? undefined : isSame(liveText, savedText);
}

/** Returns "" for a value that isn't shown. */
function textOf(values: object, key: string): string {
	const value = (values as Values)[key];
	return typeof value === "string" ? value : "";
}
