/** From raw answers to the rows of the report. */
import type { Feature } from "../provider/api/contract";
import { checkedDescription, type Description } from "../provider/api/description/description";
import { dialectOf, type Seen, type Stated, type Step } from "./service-checkup";
import { lineOf, mergedDescription } from "./service-description";
import { lookAtErrors } from "./service-errors";
import { lookAtFit, lookAtOffer, lookAtReadings } from "./service-offer";
import { lookAtBuying } from "./service-purchase";
import { lookAtLists, lookAtPages, lookAtRecords, lookAtWords } from "./service-records";
import type { Look, Row } from "./service-rows";

const looks: readonly Look[] = [
	lookAtErrors,
	lookAtLists,
	lookAtPages,
	lookAtRecords,
	lookAtWords,
	lookAtReadings,
	lookAtOffer,
	lookAtBuying,
	lookAtFit,
];

export function findings(all: readonly Seen[], given: Description = {}, stated: Stated = new Map()): readonly Row[] {
	const rows: Row[] = [];
	let description = given;
	for (const look of looks) {
		const dialect = dialectOf(description);
		const says = (feature: Feature) => stated.get(feature) ?? dialect.features.get(feature);
		const last = (step: Step) => all.findLast((each) => each.step === step);
		for (const row of look({ all, last, description, dialect, says })) {
			const usable = settled(description, row);
			rows.push(usable);
			if (usable.state !== undefined) description = mergedDescription(description, usable.state);
		}
	}
	return rows;
}

/** Two findings may contradict each other: a person has to resolve that. */
function settled(description: Description, row: Row): Row {
	if (row.state === undefined) return row;
	try {
		checkedDescription(mergedDescription(description, row.state), "what the answers show");
		return row;
	} catch {
		const { state, ...rest } = row;
		return { ...rest, verdict: "decide", hint: `contradicts what is stated or found elsewhere: ${lineOf(state)}` };
	}
}
