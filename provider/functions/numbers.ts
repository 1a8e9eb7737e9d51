/** Numbers that the account has, whoever manages them. */
import { z } from "zod";
import { unreadableIn } from "../api/answer";
import { type NumberRecord, numberStatuses } from "../api/contract";
import { TelephonyError } from "../api/errors";
import { isReleasedOrFailed, nameOf, statusOf } from "../api/record";
import { sameDeclaration, scalar } from "../properties/form";
import { objectOf } from "../properties/object";
import { aString } from "../properties/outputs";
import type { Property, Values } from "../properties/table";
import { idByE164 } from "../resources/number/adopt";
import { lookedUp, numberOutputs, numberProperties } from "../resources/number/properties";
import type { Service } from "../session/session";
import { answerOf, type FunctionDefinition, type ObjectForm, shownFields } from "./definition";

const accountNumber = objectOf(shownFields(numberProperties, numberOutputs), {
	name: "AccountNumber",
	description: "A number as the account has it, whoever manages it.",
});

const shown = (record: NumberRecord): Values => ({ id: record.id, ...lookedUp(record) });

/** The criteria of a number, none of which must be given. */
export const criterion = (key: "country" | "type" | "area", description: string): Property => {
	const { type, form } = numberProperties[key] as Property;
	return { type, description, ...(form && { form }) };
};

export const getNumber: FunctionDefinition = {
	description: "Reads a number that the account has, whoever manages it. It changes nothing.",
	example: '{ id: "+31201234567" }',
	inputs: {
		id: {
			type: z.string().min(1),
			description: "The service's id, such as `num_01`, or the number in E.164.",
			required: true,
		},
	},
	outputs: accountNumber.form as ObjectForm,
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
	type: criterion("type", "What kind of number."),
	area: criterion("area", 'Area code within the country, such as `"20"`.'),
	status: {
		type: z.enum(numberStatuses, `must be one of ${numberStatuses.join(", ")}`),
		description: "Where it stands.",
		otherwise: "all that the account has: not those that were released, were ported out or failed",
	},
	label: { ...aString, description: "The whole label.", form: numberProperties.label?.form ?? scalar },
	metadata: {
		type: numberProperties.metadata?.type ?? z.never(),
		description: "Entries that it has, perhaps among others.",
		form: { kind: "map" },
	},
} as const satisfies Record<string, Property>;

export const getNumbers: FunctionDefinition = {
	description:
		"Lists the numbers that the account has, whoever manages them: those that fit all the filters, or all of them.",
	example: '{ country: "NL", metadata: { team: "support" } }',
	inputs: filters,
	outputs: answerOf({
		numbers: {
			type: z.array(accountNumber.type),
			form: { kind: "list", item: accountNumber.form },
			required: true,
			description: "In the order of the account's list.",
		},
	}),
	run: async (service, args) => ({ numbers: (await numbersThatFit(service, args)).map(shown) }),
};

/** @throws TelephonyError ContractMismatch for a number that can't be read, and may be one of them */
async function numbersThatFit({ client }: Service, args: Values): Promise<NumberRecord[]> {
	const status = typeof args.status === "string" ? args.status : undefined;
	const asked = status !== undefined && client.offers("statusFilter") ? { status } : {};
	const found: NumberRecord[] = [];
	for await (const page of client.numbers.pages(asked)) {
		const [odd] = unreadableIn(page);
		if (odd !== undefined) throw odd.error;
		for (const listed of page) {
			const [isHere, needsMore] = fits(args, listed);
			if (!isHere || (status === undefined && isReleasedOrFailed(listed))) continue;
			// A list may show less than a single read.
			const record = needsMore ? await client.numbers.get(listed.id) : listed;
			if (fits(args, record)[0]) found.push(record);
		}
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
		if (key !== "metadata") return sameDeclaration(form(key), wanted, live[key]);
		return Object.entries(wanted as Values).every(([name, value]) => (live[key] as Values | null)?.[name] === value);
	});
	return [isHere, asked.some(isHidden)];
}

const form = (key: string) => (filters as Record<string, Property>)[key]?.form ?? scalar;
