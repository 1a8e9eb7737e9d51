/** Functions that read the service's inventory and the KYC requirements of a market. */
import { z } from "zod";
import type { SearchNumbersOptions } from "../api/client";
import { type AvailableNumberRecord, capabilities } from "../api/contract";
import { withoutAbsent } from "../api/json";
import { canonicalArea, canonicalNumber } from "../properties/canonical";
import { scalar, setOf } from "../properties/form";
import { objectOf } from "../properties/object";
import { aBoolean, aString, strings } from "../properties/outputs";
import type { Output } from "../properties/table";
import { numberOutputs } from "../resources/number/properties";
import { criterion } from "./account";
import { type FunctionDefinition, required, resultWith } from "./definition";

const most = 1000;
const whole = `must be a whole number from 1 to ${most}`;
const outputs = numberOutputs as Readonly<Record<"price" | "capabilities", Output>>;
const country = { ...criterion("country", "ISO 3166-1 alpha-2 in upper case, such as `NL`."), required: true } as const;
const type = criterion("type", "Kind of number.");

const available = objectOf(
	{
		phoneNumber: required(aString, "E.164."),
		country: { ...aString, description: "ISO 3166-1 alpha-2." },
		type: { ...aString, description: "Kind of number." },
		area: { ...aString, description: "Area code within the country." },
		capabilities: outputs.capabilities,
		kycRequired: required(aBoolean, "True in regulated markets."),
		price: { ...outputs.price, description: "Price." },
	},
	{ name: "AvailableNumber", description: "An available number." },
);

export const getAvailableNumbers: FunctionDefinition = {
	description:
		"Lists available numbers, the next purchase first. Availability can change before you buy, and a purchase can't select a number.",
	example: '{ country: "NL", type: "mobile", limit: 5 }',
	inputs: {
		country,
		type: { ...type, otherwise: "all types, one after the other" },
		area: criterion("area", 'Area code within the country, such as `"20"`.'),
		contains: {
			type: () => z.string().regex(/^\d{1,15}$/, "must be 1 to 15 digits"),
			description: "1 to 15 consecutive digits of the number.",
		},
		capabilities: {
			type: () => z.array(z.enum(capabilities, `must be one of ${capabilities.join(", ")}`)),
			form: setOf(scalar),
			description: "Capabilities that the number must have.",
		},
		limit: {
			type: () => z.int(whole).min(1, whole).max(most, whole),
			description: "Maximum count of numbers in the result.",
			default: 20,
		},
	},
	outputs: resultWith("numbers", available, "Available numbers. The first is the next purchase."),
	async run({ client }, { limit, ...query }) {
		const numbers = [];
		const area = typeof query.area === "string" ? canonicalArea(query.area, query.country) : undefined;
		const criteria = { ...query, ...(area !== undefined && { area }) };
		for await (const record of client.numbers.search(criteria as unknown as SearchNumbersOptions)) {
			numbers.push(offered(record));
			if (numbers.length === limit) break;
		}
		return { numbers };
	},
};

const offered = ({ kyc_required, ...record }: AvailableNumberRecord) =>
	withoutAbsent({
		phoneNumber: canonicalNumber(record.number),
		country: record.country,
		type: record.type,
		area: record.area,
		capabilities: record.capabilities === undefined ? undefined : [...record.capabilities].sort(),
		kycRequired: kyc_required ?? false,
		price: record.price,
	});

const requirement = objectOf(
	{
		code: required(aString, "The kind of a document, or the name of a property of the profile."),
		kind: required(aString, "`document` or `text`."),
		entityTypes: required(strings, "Entity types whose profile needs the requirement: `individual`, `business`."),
		description: required(aString, "Human-readable text."),
	},
	{ name: "KycRequirement", description: "A document or a text that a market requires." },
);

export const getKycRequirements: FunctionDefinition = {
	description: "Returns the KYC requirements of a market.",
	example: '{ country: "DE", type: "geographic" }',
	inputs: { country, type: { ...type, required: true } },
	outputs: resultWith("requirements", requirement, "The documents to submit; empty in open markets.", {
		country: required(aString, "ISO 3166-1 alpha-2."),
		type: required(aString, "Kind of number."),
		kycRequired: required(aBoolean, "True in regulated markets."),
	}),
	async run({ client }, { country: where, type: what }) {
		const query = { country: where, type: what } as Parameters<typeof client.kyc.requirements>[0];
		const { requirements, kyc_required: kycRequired, ...market } = await client.kyc.requirements(query);
		return {
			country: market.country,
			type: market.type,
			kycRequired,
			requirements: requirements.map(({ code, kind, holders, description }) => ({
				...{ code, kind, description },
				entityTypes: holders,
			})),
		};
	},
};
