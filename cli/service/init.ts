/** `telephony service init`: a first service description from an OpenAPI document. */
import type { Description } from "../../provider/api/description/description";
import type { Json } from "../../provider/api/json";
import { contractOffers, operationsIn } from "./document";
import { about, descriptionOf, type Finding, resolved } from "./finding";
import { namingFindings } from "./naming";
import { pairOperations, prefixOf } from "./pairs";

export interface Proposal {
	readonly description: Description;
	/** Lines of the description, and questions to a person. */
	readonly findings: readonly Finding[];
}

export async function propose(document: Json): Promise<Proposal> {
	const ours = await contractOffers();
	const operations = operationsIn(document);
	const prefix = prefixOf(operations);
	const relative = operations
		.filter(({ path }) => path.startsWith(`${prefix}/`))
		.map((operation) => ({ ...operation, path: operation.path.slice(prefix.length) }));
	const { offers, findings: requests } = pairOperations(relative);
	const names = namingFindings({ ours, theirs: offers, given: {} });
	const all: Finding[] = [];
	if (prefix !== "")
		all.push(about("address", "without a prefix").decide(prefix, `end telephony:baseUrl with ${prefix}`));
	all.push(...requests, ...names);
	const findings = resolved(all, {});
	return {
		description: descriptionOf(findings),
		findings: findings.filter(({ verdict }) => verdict === "state" || verdict === "decide"),
	};
}
