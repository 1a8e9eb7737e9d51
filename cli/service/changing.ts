/** Changes of the number that the check has bought. */
import type { OperationName } from "../../provider/api/contract";
import { isObject, type Json } from "../../provider/api/json";
import type { Checkup } from "./checkup";
import type { Change, Exchange } from "./exchange";
import { kinds } from "./removal";
import type { Trial } from "./trial";

/** Values of the first change. */
export const changedValues = { label: "telephony check", reference: "telephony-check" } as const;

/** Our references have 64 characters. */
export const longReference = `${"c".repeat(22)}.${"c".repeat(8)}.check.check~telephony/${"check-".repeat(3)}`.slice(
	0,
	64,
);
export const longLabel = "telephony-check_".repeat(4);
/** Lengths to try after a label is refused, characters. */
const shorterLabels = [40, 32, 20] as const;

export const route = { type: "sip_uri", uri: "sip:check@example.com" } as const;

/** A strict service refuses a field that it doesn't know, too. */
export const isMalformed = ({ answer: { status } }: Exchange): boolean => status === 400 || status === 422;

export async function changeNumber({ checkup, isInterrupted }: Trial, id: string): Promise<void> {
	const lacks = (field: string) => checkup.known.dialect.lacks("number", field);
	const change = (step: Change, body: Json) => changeObject(checkup, { step, name: "patchNumber", id, body });
	const steps: readonly (() => Promise<unknown>)[] = [
		async () => {
			const both = await change("change", changedValues);
			if (isMalformed(both)) await change("change", { label: changedValues.label });
		},
		async () => {
			if (lacks("reference") || checkup.known.offers("reference") === false) return;
			await change("longReference", { reference: longReference });
		},
		async () => {
			if (lacks("label")) return;
			const long = await change("longLabel", { label: longLabel });
			for (const length of isMalformed(long) ? shorterLabels : [])
				if (!isMalformed(await change("longLabel", { label: longLabel.slice(0, length) }))) return;
		},
		async () => {
			if (!lacks("routing") && !lacks("routing.uri")) await change("routing", { routing: route });
		},
		async () => {
			const routed = checkup.known.last("routing");
			if (routed !== undefined && checkup.known.isAccepted(routed)) await change("unrouted", { routing: null });
		},
	];
	for (const step of steps) if (!isInterrupted() && checkup.known.allows("patchNumber", "patchNumber")) await step();
}

/** A service may show a change late. */
const reads = 3;

interface ObjectChange {
	readonly step: Change;
	readonly name: OperationName;
	readonly id: string;
	readonly body: Json;
}

/** Changes an object and reads it, unless the response shows the object. */
export async function changeObject(checkup: Checkup, { step, name, id, body }: ObjectChange): Promise<Exchange> {
	const kind = Object.values(kinds).find(({ noun }) => name.toLowerCase() === `patch${noun}`) ?? kinds.number;
	const alternatives = kind.noun === "number" ? ["PUT /numbers/{id}"] : [];
	const request = { segment: id, body, last: lastRecord(checkup, kind.noun, id) };
	const sent = await checkup.askAny(step, name, alternatives, request);
	if (!checkup.known.isAccepted(sent) || !checkup.known.allows(kind.read, kind.feature)) return sent;
	for (let read = 1; read <= reads && !shows(checkup.known.shown(step), body); read++) {
		if (read > 1) await checkup.clock.sleep(1_000);
		await checkup.ask("shown", kind.read, { segment: id, of: step });
	}
	return sent;
}

const shows = (record: Json | undefined, body: Json): boolean =>
	record !== undefined && Object.entries(body).every(([key, value]) => isShown(record[key], value));

/** Returns true if a value is shown as sent. An object may show more fields, and an absent one may be left out. */
export function isShown(shown: unknown, sent: unknown): boolean {
	if (sent === null) return shown === null || shown === undefined;
	if (!isObject(sent)) return JSON.stringify(shown) === JSON.stringify(sent);
	return isObject(shown) && Object.entries(sent).every(([key, value]) => isShown(shown[key], value));
}

/** Returns the record as it was read last, in the service's names. */
function lastRecord({ exchanges, known: { dialect } }: Checkup, noun: string, id: string): unknown {
	for (const { name, json } of exchanges.toReversed()) {
		if (!name.toLowerCase().endsWith(noun)) continue;
		const record = dialect.responseIn(name, json).records.get(id);
		if (record !== undefined) return record;
	}
	return undefined;
}
