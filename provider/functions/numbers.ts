/** Numbers that the account has, whoever manages them. */
import { z } from "zod";
import { type NumberRecord, numberStatuses } from "../api/contract";
import { isGone, isTelephonyError, TelephonyError } from "../api/errors";
import { isReleasedOrFailed, nameOf, statusOf } from "../api/record";
import { unreadableIn } from "../api/response";
import { sameDeclaration, scalar } from "../properties/form";
import { objectOf } from "../properties/object";
import { aString } from "../properties/outputs";
import { numberName } from "../properties/phone";
import type { Property, Values } from "../properties/table";
import { idByE164 } from "../resources/number/adopt";
import { sameCriterion } from "../resources/number/criteria";
import { lookedUp, numberOutputs, numberProperties } from "../resources/number/properties";
import type { Service } from "../session/session";
import { answerOf, type FunctionDefinition, shownFields, type Warn } from "./definition";

const accountNumber = objectOf(shownFields(numberProperties, numberOutputs), {
	name: "AccountNumber",
	description: "A number of the account, managed by this stack or not.",
});

const shown = (record: NumberRecord): Values => ({ id: record.id, ...lookedUp(record) });

/** The criteria of a number, none of which must be given. */
export const criterion = (key: "country" | "type" | "area", description: string): Property => {
	const { type, form } = numberProperties[key] as Property;
	return { type, description, ...(form && { form }) };
};

export const getNumber: FunctionDefinition = {
	description: "Reads any number of the account, managed by this stack or not. Changes nothing.",
	example: '{ id: "+31201234567" }',
	inputs: {
		id: {
			type: numberName("must not be empty"),
			description: "The service's id, such as `num_01`, or the number in E.164.",
			required: true,
		},
	},
	outputs: accountNumber.form,
	async run(service, { id: asked }) {
		const name = String(asked).trim();
		const id = name.startsWith("+") ? await idByE164(service, name) : name;
		const record = await service.client.numbers.get(id);
		if (!isReleasedOrFailed(record)) return shown(record);
		throw new TelephonyError("NotFound", `The number ${nameOf(record)} is ${statusOf(record)}.`, {
			nextStep: "Name a number that the account has.",
		});
	},
};

/** The filters, and how each is compared. */
const filters = {
	country: criterion("country", "ISO 3166-1 alpha-2 in upper case, such as `NL`."),
	type: criterion("type", "Kind of number."),
	area: criterion("area", 'Area code within the country, such as `"20"`.'),
	status: {
		type: z.enum(numberStatuses, `must be one of ${numberStatuses.join(", ")}`),
		description: "Status of the number.",
		otherwise: "every number that isn't released, ported out or failed",
	},
	label: { ...aString, description: "Exact label.", form: numberProperties.label?.form ?? scalar },
	metadata: {
		type: numberProperties.metadata?.type ?? z.never(),
		description: "Key-value pairs that the number must have.",
		form: { kind: "map" },
	},
} as const satisfies Record<string, Property>;

export const getNumbers: FunctionDefinition = {
	description: "Lists the numbers of the account that match every filter, managed by this stack or not.",
	example: '{ country: "NL", metadata: { team: "support" } }',
	inputs: filters,
	outputs: answerOf({
		numbers: {
			type: z.array(accountNumber.type),
			form: { kind: "list", item: accountNumber.form },
			required: true,
			description: "Numbers in the order of the account's list.",
		},
	}),
	run: async (service, args, warn) => ({ numbers: (await numbersThatFit(service, args, warn)).map(shown) }),
};

/** A number that can't be read, and may be one of them, is left out with a warning. */
async function numbersThatFit({ client }: Service, args: Values, warn: Warn): Promise<NumberRecord[]> {
	const status = typeof args.status === "string" ? args.status : undefined;
	const asked = status !== undefined && client.offers("statusFilter") ? { status } : {};
	const isHere = (record: NumberRecord) =>
		fits(args, record)[0] && (status !== undefined || !isReleasedOrFailed(record));
	const leaveOut = (id: string | undefined, { text }: TelephonyError) =>
		warn(
			"unreadable-answer",
			`getNumbers omitted ${id === undefined ? "a number without a readable id" : `the number ${id}`}, which can't be read: ${text}`,
		);
	const read = async (listed: NumberRecord): Promise<NumberRecord[]> => {
		try {
			// A list may show less than a single read.
			const record = fits(args, listed)[1] ? await client.numbers.get(listed.id) : listed;
			return isHere(record) ? [record] : [];
		} catch (error) {
			if (isTelephonyError(error, "ContractMismatch")) leaveOut(listed.id, error);
			else if (!isGone(error)) throw error;
			return [];
		}
	};
	const found: NumberRecord[] = [];
	for await (const page of client.numbers.pages(asked)) {
		const odd = unreadableIn(page).filter(({ fields }) => isHere(fields as unknown as NumberRecord));
		for (const { id, error } of odd) leaveOut(id, error);
		for (const listed of page.filter(isHere)) found.push(...(await read(listed)));
	}
	return found;
}

/** Whether it fits as far as it is shown, and whether something that is asked for isn't shown. */
function fits(args: Values, record: NumberRecord): [boolean, boolean] {
	const live: Values = { ...record, status: record.status ?? record.state };
	const asked = Object.entries(args).filter(([key, value]) => key in filters && value != null);
	const isHidden = ([key]: [string, unknown]) => live[key] === undefined;
	const isHere = asked.every(([key, wanted]) => {
		if (live[key] === undefined) return true;
		if (key === "area") return sameCriterion(key, args, live);
		if (key !== "metadata") return sameDeclaration(form(key), wanted, live[key]);
		return Object.entries(wanted as Values).every(([name, value]) => (live[key] as Values | null)?.[name] === value);
	});
	return [isHere, asked.some(isHidden)];
}

const form = (key: string) => (filters as Record<string, Property>)[key]?.form ?? scalar;
