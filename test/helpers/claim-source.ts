/** A declaration with a claim. */
import { type Identity, identityFrom } from "../../provider/ownership/claim";

export const dynamic = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/telephony:Number::main";

const plain = {
	kind: "number",
	criteria: ["NL", "mobile", undefined, 0] as readonly unknown[],
	owner: undefined as string | undefined,
	place: "https://state.example" as string | undefined,
	values: {},
};
export type Change = Partial<typeof plain>;

export function identity(change: Change = {}, __resourceUrn = dynamic): Identity {
	const { kind, criteria, values, ...settings } = { ...plain, ...change };
	return identityFrom({ kind, criteria: () => criteria }, { __resourceUrn, ...values }, settings);
}
