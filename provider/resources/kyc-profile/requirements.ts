/** What the markets of a country ask for, compared with a declared profile: so that a preview names what is missing. */
import { type KycRequirementsRecord, numberTypes } from "../../api/contract";
import { documentsIn } from "../../documents/properties";
import { isUnset } from "../../properties/form";
import { type CheckFailure, failure, isValid, unknownValue, type Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { requirementsOf } from "../number/kyc-action";
import { kycProfileProperties } from "./properties";

type Requirement = KycRequirementsRecord["requirements"][number];

/** It never fails by itself: who can't be asked says nothing. */
export async function requirementFailures(session: Session, inputs: Values): Promise<CheckFailure[]> {
	const isKnown = (key: string) => isValid(kycProfileProperties, key, inputs) && inputs[key] !== unknownValue;
	// What was adopted or imported may have more than the program says.
	if (inputs.adopt !== undefined || !["entityType", "country", "documents", "idNumber"].every(isKnown)) return [];
	const markets = await marketsOf(session, String(inputs.country));
	if (markets.length === 0) return [];
	const warn = (text: string) => session.progress.warn(String(inputs.resourceUrn ?? ""), "kyc-requirements", text);
	if (markets.every(({ kyc_required }) => !kyc_required)) {
		warn(
			`country: ${inputs.country} requires no identity checks, so its numbers need no profile. You can remove this resource.`,
		);
		return [];
	}
	const lacking = new Map<string, { readonly asked: Requirement; readonly types: string[] }>();
	for (const { type, requirements } of markets)
		for (const asked of requirements.filter((each) => lacks(inputs, each))) {
			const known = lacking.get(asked.code) ?? { asked, types: [] };
			lacking.set(asked.code, { asked, types: [...known.types, type] });
		}
	return [...lacking.values()].flatMap(({ asked, types }) => {
		const property = propertyOf(asked);
		const isEverywhere = types.length === markets.length && property !== undefined;
		const which = types.length === markets.length ? "all" : types.join(" and ");
		const text = `${property ?? asked.code}: ${asked.code} is missing. It is required for ${which} numbers in ${inputs.country}: ${asked.description}`;
		if (isEverywhere) return [failure(text)];
		warn(text);
		return [];
	});
}

async function marketsOf(session: Session, country: string): Promise<KycRequirementsRecord[]> {
	const markets = await Promise.all(numberTypes.map((type) => requirementsOf(session, { country, type })));
	return markets.filter((market) => market !== undefined);
}

/** The property that would satisfy it; undefined if the program can't. */
function propertyOf({ code, kind }: Requirement): string | undefined {
	if (kind === "document") return "documents";
	return Object.entries(kycProfileProperties).find(([, { wire }]) => wire === code)?.[0];
}

function lacks(inputs: Values, asked: Requirement): boolean {
	if (!asked.holders.includes(String(inputs.entityType))) return false;
	if (asked.kind !== "document") return isUnset(inputs[propertyOf(asked) ?? asked.code]);
	const kinds = documentsIn(inputs).map(({ kind }) => kind);
	// A document that isn't known yet may be the missing one.
	return (
		inputs.documents !== unknownValue &&
		![asked.code, unknownValue, undefined].some((kind) => kinds.includes(kind as string))
	);
}
