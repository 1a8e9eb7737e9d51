/** Findings from the exchanges of a checkup. */
import type { OperationName } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { isObject } from "../../provider/api/json";
import type { Offered, Offers } from "./document";
import { type Exchange, type Exchanges, isOk, Observations } from "./exchange";
import { featureFindings } from "./features";
import { descriptionOf, type Finding, resolved } from "./finding";
import { namingFindings } from "./naming";
import { outcomeFindings } from "./outcomes";
import { pagingFindings, requestFindings } from "./requests";
import { joinedAll, shapeOfValue } from "./shape";
import type { Step } from "./steps";
import { unreadFindings } from "./unread";

interface Source extends Exchanges {
	readonly contract: Offers;
	readonly given: Description;
}

export function findingsOf(source: Source): Finding[] {
	const { exchanges, contract, given } = source;
	const findings: Finding[] = [];
	const stages: readonly ((observations: Observations) => Finding[])[] = [
		requestFindings,
		({ description }) => namingFindings({ ours: contract, theirs: offersIn(exchanges), given: description }),
		pagingFindings,
		unreadFindings,
		featureFindings,
		outcomeFindings,
	];
	for (const stage of stages) {
		const observations = new Observations(source, descriptionOf(findings, given));
		findings.push(...resolved(stage(observations), observations.description));
	}
	return findings;
}

/** Steps whose response is a list or a record in the usual place. */
const regular: readonly Step[] = [
	...(["list", "listWithoutLimit", "listAfter", "account", "trunks", "webhooks"] as const),
	...(["single", "trunk", "webhook", "buy", "replay", "change", "after", "createTrunk", "createWebhook"] as const),
];

/** Returns the operations of the responses, with the shapes of these. */
function offersIn(exchanges: readonly Exchange[]): Offers {
	const offers = new Map<OperationName, Offered>();
	const errors = (["wrongKey", "unknown"] as const).flatMap((step) => {
		const exchange = exchanges.findLast((each) => each.step === step);
		return exchange !== undefined && !isOk(exchange) && isObject(exchange.json) ? [exchange] : [];
	});
	const responses = exchanges.filter((each) => regular.includes(each.step) && isOk(each) && each.json !== undefined);
	for (const { name } of [...responses, ...errors]) {
		const answer = joinedAll(responses.filter((each) => each.name === name).map(({ json }) => shapeOfValue(json)));
		const refusals = errors
			.filter((each) => each.name === name)
			.map(({ answer: { status }, json }) => ({ status, shape: shapeOfValue(json), examples: [json] }));
		offers.set(name, { method: "", path: "", parameters: [], body: undefined, answer, headers: [], refusals });
	}
	return offers;
}
