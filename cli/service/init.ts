/** `telephony service init`: a first service description from an OpenAPI document. */
import type { Description } from "../../provider/api/description/description";
import type { Json } from "../../provider/api/json";
import { contractOffers, operationsIn } from "./document";
import { about, descriptionOf, type Finding, resolved } from "./finding";
import { namingFindings } from "./naming";
import { ownFindings } from "./own-operations";
import { codeFindings, constantFindings, pairOperations, prefixOf } from "./pairs";

export interface Proposal {
	readonly description: Description;
	/** Lines of the description, and questions to a person. */
	readonly findings: readonly Finding[];
}

export async function propose(document: Json): Promise<Proposal> {
	const ours = await contractOffers();
	const all = operationsIn(document);
	const prefix = prefixOf(all);
	const relative = all.flatMap((each) =>
		each.path.startsWith(`${prefix}/`) ? [{ ...each, path: each.path.slice(prefix.length) }] : [],
	);
	const { offers, findings: requests } = pairOperations(relative);
	const properties = ownFindings(relative, offers);
	const names = [...properties, ...namingFindings({ ours, theirs: offers, given: descriptionOf(properties) })];
	const description = descriptionOf(names);
	const refusals = [...offers.values()].flatMap((each) => each.refusals);
	const errors =
		refusals.length === 0
			? [about("an error", "error, message").decide("none", "set errors.code and errors.message")]
			: codeFindings(refusals, description.errors?.code ?? "error");
	const address = about("address", "without a prefix");
	const findings = resolved(
		[
			...(prefix === "" ? [] : [address.decide(prefix, `end telephony:baseUrl with ${prefix}`)]),
			...requests,
			...names,
			...constantFindings(ours, offers, description),
			...errors,
		],
		{},
	);
	return {
		description: descriptionOf(findings),
		findings: findings.filter(({ verdict }) => verdict === "state" || verdict === "decide"),
	};
}
