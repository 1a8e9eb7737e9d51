/** Functions that read objects of the account, managed by this stack or not, without their secrets. */
import { z } from "zod";
import { type NumberRecord, numberStatuses } from "../api/contract";
import { isNotFound, TelephonyError } from "../api/errors";
import { isReleasedOrFailed, nameOf, statusOf } from "../api/record";
import { unreadableIn } from "../api/response";
import type { Definition } from "../lifecycle/definition";
import { lookedUp } from "../lifecycle/lifecycle";
import type { Referenced } from "../ownership/claim";
import { isShown, sameDeclaration, scalar } from "../properties/form";
import { objectOf } from "../properties/object";
import { aString } from "../properties/outputs";
import { numberName } from "../properties/phone";
import type { Outputs, Property, Values } from "../properties/table";
import { unless } from "../reads/shared";
import { idByName } from "../resources/number/candidates";
import { number } from "../resources/number/handler";
import { criteriaKeys, numberOutputs, numberProperties, sameCriterion } from "../resources/number/properties";
import { sipTrunk } from "../resources/sip-trunk/handler";
import { sipTrunkOutputs } from "../resources/sip-trunk/properties";
import { webhook } from "../resources/webhook/handler";
import { webhookOutputs } from "../resources/webhook/properties";
import { kinds } from "../session/kinds";
import type { Service } from "../session/session";
import { type FunctionDefinition, resultWith, shownFields, type Warn } from "./definition";

const accountNumber = objectOf(shownFields(numberProperties, numberOutputs), {
	name: "AccountNumber",
	description: "A number on the account, even if this stack doesn't manage it.",
});

const resultOf = <R extends Referenced>(definition: Definition<R>, record: R): Values => ({
	id: record.id,
	...lookedUp(definition, record),
});

/** A criterion of numbers, which a caller may omit. */
export const criterion = (key: "country" | "type" | "area", description: string): Property => {
	const { type, form } = numberProperties[key] as Property;
	return { type, description, ...(form && { form }) };
};

export const getNumber: FunctionDefinition = {
	description: "Reads one number on the account, even if this stack doesn't manage it.",
	example: '{ id: "+31201234567" }',
	inputs: {
		id: {
			type: () => numberName("must not be empty"),
			description: "The service's id, such as `num_01`, or the number in E.164.",
			required: true,
		},
	},
	outputs: accountNumber.form,
	async run(service, args) {
		const id = await idByName(service, String(args.id));
		const record = await service.client.numbers.get(id).catch((error) => {
			throw isNotFound(error) ? missing(error.text) : error;
		});
		if (!isReleasedOrFailed(record)) return resultOf(number, record);
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
		type: () => z.enum(numberStatuses, `must be one of ${numberStatuses.join(", ")}`),
		description: "Status of the number.",
		otherwise: "every number that the account still has",
	},
	label: { ...aString, description: "Exact label.", form: numberProperties.label?.form ?? scalar },
	metadata: {
		type: numberProperties.metadata?.type ?? z.never,
		description: "Key-value pairs that the number must have.",
		form: { kind: "map" },
	},
} as const satisfies Record<string, Property>;

export const getNumbers: FunctionDefinition = {
	description: "Lists the numbers on the account that match every filter, even if this stack doesn't manage them.",
	example: '{ country: "NL", metadata: { team: "support" } }',
	inputs: filters,
	outputs: resultWith("numbers", accountNumber, "Numbers in the order of the account's list."),
	run: async (service, args, warn) => ({
		numbers: (await matchingNumbers(service, args, warn)).map((record) => resultOf(number, record)),
	}),
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
			const record = isPartial(args, listed) ? await unless(isNotFound, client.numbers.get(listed.id)) : listed;
			if (record !== undefined && mayMatch(args, record)) found.push(record);
		}
	}
	return found;
}

function warnUnreadable(page: readonly NumberRecord[], args: Values, warn: Warn): void {
	for (const { id, fields, error } of unreadableIn(page)) {
		if (!mayMatch(args, fields as unknown as NumberRecord)) continue;
		const what = id === undefined ? "a number without a readable id" : `the number ${id}`;
		warn("unreadable-response", `getNumbers omitted ${what}, which can't be read: ${error.text}`);
	}
}

const filtersIn = (args: Values): string[] => Object.keys(filters).filter((key) => args[key] != null);

const liveOf = (record: NumberRecord): Values => ({ ...record, status: record.status ?? record.state });

/** Every number has a country, a type and an area. Null clears any other field. */
const isHidden = (key: string, live: Values): boolean =>
	(criteriaKeys as readonly string[]).includes(key) ? !isShown(live[key]) : live[key] === undefined;

const isPartial = (args: Values, record: NumberRecord): boolean =>
	filtersIn(args).some((key) => isHidden(key, liveOf(record)));

/** True if every filter matches the values that the record shows. */
function mayMatch(args: Values, record: NumberRecord): boolean {
	const live = liveOf(record);
	const isListed = args.status != null || !isReleasedOrFailed(record);
	return isListed && filtersIn(args).every((key) => isHidden(key, live) || matches(key, args, live));
}

function matches(key: string, args: Values, live: Values): boolean {
	if (key === "area") return sameCriterion(key, args, live);
	if (key !== "metadata")
		return sameDeclaration((filters as Record<string, Property>)[key]?.form ?? scalar, args[key], live[key]);
	return Object.entries(args[key] as Values).every(([name, item]) => (live[key] as Values | null)?.[name] === item);
}

// ---- Trunks and webhooks -----------------------------------------------------------------------------------------------

/** @param secret the output that isn't shown */
const reading = <R extends Referenced>(
	definition: Definition<R>,
	outputs: Outputs,
	secret: string,
	example: string,
): FunctionDefinition => ({
	description: `Reads one ${definition.noun} on the account, even if this stack doesn't manage it. The result doesn't include the ${secret}.`,
	example: `{ id: "${example}" }`,
	inputs: {
		id: { type: () => z.string().min(1), description: `The service's id, such as \`${example}\`.`, required: true },
	},
	outputs: objectOf(shownFields(definition.properties, outputs)).form,
	async run(service, { id }) {
		const record = (await kinds[definition.noun](service.client).get(String(id).trim())) as unknown as R;
		return resultOf(definition, record);
	},
});

export const getTrunk = reading(sipTrunk, sipTrunkOutputs, "password", "trk_01");
export const getWebhook = reading(webhook, webhookOutputs, "secret", "whk_01");
