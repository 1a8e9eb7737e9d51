/** Compares a declared profile with the requirements of the country's markets, so that a preview names what is missing. */
import { type KycRequirementsRecord, numberTypes } from "../../api/contract";
import { documentsIn } from "../../documents/properties";
import { isUnset } from "../../properties/form";
import { type CheckFailure, failure, isValid, unknownValue, urnOf, type Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { requirementsOf } from "../number/kyc";
import { kycProfileProperties } from "./properties";

type Requirement = KycRequirementsRecord["requirements"][number];

/** Finds nothing if the service can't be read. */
export async function requirementFailures(session: Session, inputs: Values): Promise<CheckFailure[]> {
	const isKnown = (key: string) => isValid(kycProfileProperties, key, inputs) && inputs[key] !== unknownValue;
	// An adopted or imported profile may have more than the program declares.
	if (inputs.adopt !== undefined || !["entityType", "country", "documents", "idNumber"].every(isKnown)) return [];
	const country = String(inputs.country);
	const read = await Promise.all(numberTypes.map((type) => requirementsOf(session, { country, type })));
	const markets = read.filter((market) => market !== undefined);
	if (markets.length === 0) return [];
	const warn = (text: string) => session.progress.warn(urnOf(inputs), "kyc-requirements", text);
	if (markets.every(({ kyc_required }) => !kyc_required)) {
		warn(
			`country: ${inputs.country} requires no identity checks, so its numbers need no profile. You can remove this resource.`,
		);
		return [];
	}
	const lacking = markets.flatMap(({ type, requirements }) =>
		requirements.filter((requirement) => lacks(inputs, requirement)).map((requirement) => ({ type, requirement })),
	);
	const byCode = new Map(lacking.map(({ requirement }) => [requirement.code, requirement]));
	return [...byCode.values()].flatMap(({ code, kind, description }) => {
		const types = lacking.filter(({ requirement }) => requirement.code === code).map(({ type }) => type);
		const property = propertyOf({ code, kind });
		const isEverywhere = types.length === markets.length;
		const text = `${property ?? code}: ${code} is missing. It is required for ${isEverywhere ? "all" : types.join(" and ")} numbers in ${inputs.country}: ${description}`;
		if (isEverywhere && property !== undefined) return [failure(text)];
		warn(text);
		return [];
	});
}

function propertyOf({ code, kind }: Pick<Requirement, "code" | "kind">): string | undefined {
	if (kind === "document") return "documents";
	return Object.entries(kycProfileProperties).find(([, { wire }]) => wire === code)?.[0];
}

function lacks(inputs: Values, requirement: Requirement): boolean {
	const { code, kind, holders } = requirement;
	if (!holders.includes(String(inputs.entityType))) return false;
	if (kind !== "document") return isUnset(inputs[propertyOf(requirement) ?? code]);
	const kinds = documentsIn(inputs).map(({ kind }) => kind);
	// A document that isn't known yet may be the missing one.
	return (
		inputs.documents !== unknownValue && ![code, unknownValue, undefined].some((kind) => kinds.includes(kind as string))
	);
}

/** Refuses numbers whose KYC profile is for another country, as far as this run has seen the profile. */
export function foreignProfile({ memory }: Session, { country, kycProfileId }: Values): CheckFailure[] {
	const profiles = memory["KYC profile"];
	const profileCountry = profiles.declaredLike(profiles.holderOf(String(kycProfileId)) ?? "")?.inputs.country;
	if (profileCountry === undefined || profileCountry === country || [profileCountry, country].includes(unknownValue))
		return [];
	return [
		failure(
			`kycProfileId: the profile ${kycProfileId} is for numbers in ${profileCountry}, not ${country}. Declare a KycProfile with \`country\` ${country}, and use its id`,
		),
	];
}
