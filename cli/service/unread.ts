/** Findings about fields that the client leaves out of a record, because the service shows them in another type. */
import type { Description } from "../../provider/api/description/description";
import { recordOf } from "../../provider/api/description/records";
import type { ServiceDescription } from "../../provider/api/description/service-description";
import { isTelephonyError } from "../../provider/api/errors";
import { dialectOf, type Exchange, isOk, readAsClient } from "./exchange";
import { about, type Finding, isValid, mergedDescription } from "./finding";

type Form = NonNullable<Description["records"]>[string][string];

/** The last form says that the service doesn't have the field, so that a preview refuses it. */
const forms: readonly Form[] = [
	{ values: { true: 1, false: 0 } },
	{ values: { true: "yes", false: "no" } },
	{ values: { true: "on", false: "off" } },
	false,
];

/** A service that lacks the first has no protected numbers, and one that lacks the others makes no secrets. */
const neverAbsent: ReadonlySet<string> = new Set(["release_protection", "secret", "auth.password"]);

export function unreadFindings(exchanges: readonly Exchange[], description: Description): Finding[] {
	const findings = new Map<string, Finding>();
	const dialect = dialectOf(description);
	for (const exchange of exchanges.filter(isOk)) {
		const record = recordOf(exchange.name) ?? "";
		for (const field of unreadFields(exchange, dialect) ?? []) {
			const what = `${record}: ${field}`;
			if (!findings.has(what)) findings.set(what, findingOf(exchange, { what, record, field }, description));
		}
	}
	return [...findings.values()];
}

function findingOf(
	exchange: Exchange,
	{ what, record, field }: { readonly what: string; readonly record: string; readonly field: string },
	description: Description,
): Finding {
	const finding = about(what, field, { record, field });
	const possible = forms.filter((form) => form !== false || !neverAbsent.has(field));
	const lines = possible.map((form): Description => ({ records: { [record]: { [field]: form } } }));
	const line = lines.find((candidate) => {
		const merged = mergedDescription(description, candidate);
		return isValid(merged) && unreadFields(exchange, dialectOf(merged))?.includes(field) === false;
	});
	if (line === undefined)
		return finding.decide("another type", `set records.${record}.${field} to a place that shows it in our type`);
	const isAbsent = line.records?.[record]?.[field] === false;
	return finding.state("another type", line, isAbsent ? "the provider can't read its type" : undefined);
}

/** Returns the paths of these fields in our names; undefined if the client can't read the response. */
function unreadFields(exchange: Exchange, dialect: ServiceDescription): readonly string[] | undefined {
	const found: string[] = [];
	try {
		readAsClient(exchange, dialect, undefined, (fields) => found.push(...fields));
		return found;
	} catch (error) {
		if (isTelephonyError(error)) return undefined;
		throw error;
	}
}
