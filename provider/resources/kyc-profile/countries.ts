/** Refuses numbers whose KYC profile is for another country, as far as this run has seen the profile. */
import { type CheckFailure, failure, unknownValue, type Values } from "../../properties/table";
import type { Session } from "../../session/session";

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
