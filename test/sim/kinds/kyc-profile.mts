/** KYC profiles, filed with documents. */
import { documentOf, documentOperations, secretMark } from "../documents.mts";
import type { Decision } from "../troubles.mts";
import { labels, ofContract, type SimulatedKind } from "./kind.mts";

export const kycProfile: SimulatedKind = {
	...ofContract("kycProfiles"),
	besides: ["submitKycProfile", ...documentOperations],
	sameNamed: ["name", "country"],
	computed: ["submittedAt", "decidedAt", "reasons"],
	locked: ["kyc_profile_locked"],
	decisions: {
		when: { approve: ["in_review"], reject: ["in_review"], expire: ["approved"] },
		good: "approve",
		take(control, { id }, what) {
			control.decideProfile(id, what as Decision);
			// The numbers of the profile follow it.
			const numbers = control.state().numbers.filter(({ kyc }) => kyc?.profile_id === id && what !== "approve");
			return [id, ...numbers.map((number) => number.id)];
		},
	},
	configuration(random) {
		const version = random.int(0, 2);
		return {
			entityType: "individual",
			name: `Erika ${random.pick(labels)}`,
			country: "DE",
			idNumber: `L01-${secretMark}`,
			address: { street: "Heidestr. 17", city: "Berlin", postalCode: "10557", country: "DE" },
			documents: [documentOf("identity", version), documentOf("proof_of_address", version + 1)],
		};
	},
};
