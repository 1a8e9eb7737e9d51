/** Functions that read numbers of the account, managed by this stack or not. */
import { z } from "zod";
import { type NumberRecord, numberStatuses } from "../api/contract";
import { isGone, TelephonyError } from "../api/errors";
import { isReleasedOrFailed, nameOf, statusOf } from "../api/record";
import { unreadableIn } from "../api/response";
import { sameDeclaration, scalar } from "../properties/form";
import { objectOf } from "../properties/object";
import { aString } from "../properties/outputs";
import { numberName } from "../properties/phone";
import type { Property, Values } from "../properties/table";
import { idByName } from "../resources/number/candidates";
import { lookedUp, numberOutputs, numberProperties, sameCriterion } from "../resources/number/properties";
import type { Service } from "../session/session";
import { answerOf, type FunctionDefinition, shownFields, type Warn } from "./definition";

const accountNumber = objectOf(shownFields(numberProperties, numberOutputs), {
	name: "AccountNumber",
	description: "A number of the account, managed by this stack or not.",
});

const resultOf = (record: NumberRecord): Values => ({ id: record.id, ...lookedUp(record) });

/** A criterion of numbers, which a caller may omit. */
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
	async run(service, args) {
		const id = await idByName(service, String(args.id));
		const record = await service.client.numbers.get(id).catch((error) => {
			throw isGone(error) ? missing(error.text) : error;
		});
		if (!isReleasedOrFailed(record)) return resultOf(record);
		throw missing(`The number ${nameOf(record)} is ${statusOf(record)}.`);
	},
};

function missing(text: string): TelephonyError {
	const nextStep = "Name a number that the account has by its id, or by its E.164 with the `+`.";
	return new TelephonyError("NotFound", text, { nextStep });
}

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
	run: async (service, args, warn) => ({ numbers: (await matchingNumbers(service, args, warn)).map(resultOf) }),
};

/** Finds the numbers that match every filter. Warns of a number that may match and can't be read. */
async function matchingNumbers({ client }: Service, args: Values, warn: Warn): Promise<NumberRecord[]> {
	const { status } = args;
	const query = typeof status === "string" && client.offers("statusFilter") ? { status } : {};
	const found: NumberRecord[] = [];
	for await (const page of client.numbers.pages(query)) {
		warnUnreadable(page, args, warn);
		for (const listed of page.filter((record) => mayMatch(args, record))) {
			// A list may show less than a single read.
			const record = isPartial(args, listed) ? await client.numbers.get(listed.id).catch(undefinedIfGone) : listed;
			if (record !== undefined && mayMatch(args, record)) found.push(record);
		}
	}
	return found;
}

function warnUnreadable(page: readonly NumberRecord[], args: Values, warn: Warn): void {
	for (const { id, fields, error } of unreadableIn(page)) {
		if (!mayMatch(args, fields as unknown as NumberRecord)) continue;
		const what = id === undefined ? "a number without a readable id" : `the number ${id}`;
		warn("unreadable-answer", `getNumbers omitted ${what}, which can't be read: ${error.text}`);
	}
}

const filtersIn = (args: Values): string[] => Object.keys(filters).filter((key) => args[key] != null);

const liveOf = (record: NumberRecord): Values => ({ ...record, status: record.status ?? record.state });

const isPartial = (args: Values, record: NumberRecord): boolean =>
	filtersIn(args).some((key) => liveOf(record)[key] === undefined);

/** True if every filter matches the values that the record shows. */
function mayMatch(args: Values, record: NumberRecord): boolean {
	const live = liveOf(record);
	const isListed = args.status != null || !isReleasedOrFailed(record);
	return isListed && filtersIn(args).every((key) => live[key] === undefined || matches(key, args, live));
}

function matches(key: string, args: Values, live: Values): boolean {
	if (key === "area") return sameCriterion(key, args, live);
	if (key !== "metadata")
		return sameDeclaration((filters as Record<string, Property>)[key]?.form ?? scalar, args[key], live[key]);
	return Object.entries(args[key] as Values).every(([name, item]) => (live[key] as Values | null)?.[name] === item);
}

function undefinedIfGone(error: unknown): undefined {
	if (!isGone(error)) throw error;
}
