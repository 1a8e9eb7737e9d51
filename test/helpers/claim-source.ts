/** A declaration with a claim. */
import type { IdentitySource } from "../../provider/ownership/claim";

export const dynamic = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/telephony:Number::main";

export const source = (change: Partial<IdentitySource> = {}, resourceUrn = dynamic): IdentitySource => ({
	kind: "number",
	criteria: ["NL", "mobile", undefined, 0],
	owner: undefined,
	place: "https://state.example",
	...change,
	values: { resourceUrn, ...change.values },
});
