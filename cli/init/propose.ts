/** A description of a service, proposed from its OpenAPI document. */
import { itemOf, type Operation, type OperationName, operations } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { recordNames, recordOf } from "../../provider/api/description/records";
import { ServiceDescription } from "../../provider/api/description/service-description";
import type { Json } from "../../provider/api/json";
import { envelopeIn, errorFindings, headerFindings, itemsIn, listFindings } from "./answers";
import { joined, type Offered, offeredIn, ownOperations, type Shape, shapeAt } from "./document";
import { fieldFindings } from "./fields";
import { type Finding, isOpen, type Stated } from "./finding";
import { type Pairs, pairsIn, prefixOf } from "./operations";

export interface Proposal {
	readonly description: Description;
	readonly stated: readonly Stated[];
	/** Questions to a person. */
	readonly decisions: readonly string[];
}

const isList = (name: OperationName): boolean => {
	const { response }: Operation = operations[name];
	return response !== undefined && itemOf(response) !== undefined;
};

type Own = ReadonlyMap<OperationName, Offered>;

const ofRecord = (pairs: Pairs, record: string): (readonly [OperationName, Offered])[] =>
	[...pairs].filter(([name]) => recordOf(name) === record);

const all = (shapes: readonly (Shape | undefined)[]): Shape | undefined => {
	const [first, ...rest] = shapes.filter((shape) => shape !== undefined);
	return first && rest.reduce(joined, first);
};

/** The requests and answers of all operations of one record, as one shape. @param at finds the record in an answer or body */
const shapeOf = (
	pairs: readonly (readonly [OperationName, Offered])[],
	at: (part: "answer" | "body", name: OperationName, shape: Shape) => Shape | undefined,
): Shape | undefined =>
	all(
		pairs.flatMap(([name, { answer, body }]) => [
			answer && at("answer", name, answer),
			// The public description fixes the body of a purchase.
			name === "buyNumber" || body === undefined ? undefined : at("body", name, body),
		]),
	);

const ownShape = (own: Own, record: string): Shape | undefined =>
	shapeOf(ofRecord(own, record), (_, name, shape) =>
		isList(name) && shape.fields.has("data") ? shape.fields.get("data")?.item : shape,
	);

interface Places {
	readonly items: ReadonlyMap<OperationName, string | undefined>;
	readonly answer: string;
	readonly request: string;
	readonly findings: readonly Finding[];
}

/** The places of a record in answers, lists and requests. */
function placesOf(pairs: Pairs, record: string, own: Shape): Places {
	const here = ofRecord(pairs, record);
	const items = new Map(
		here.flatMap(([name, { answer }]) => (isList(name) && answer ? [[name, itemsIn(answer, own)] as const] : [])),
	);
	const single = here.flatMap(([name, { answer }]) =>
		isList(name) || !answer ? [] : [[name, envelopeIn(answer, own)] as const],
	);
	const sent = here.flatMap(([name, { body }]) => (body ? [[name, envelopeIn(body, own)] as const] : []));
	const said = (key: "answer" | "request", places: typeof single): { path: string; findings: Finding[] } => {
		const [[, path] = ["", ""] as const] = places;
		const other = places.filter(([, each]) => each !== path);
		const differ = `${key === "answer" ? "Answers" : "Requests"} have the ${record} at different places: ${places.map(([name, each]) => `${name} ${each === "" ? "at its top" : `at ${each}`}`).join(", ")}. A description has only one place.`;
		return {
			path,
			findings: [
				...(path === "" ? [] : [{ at: ["envelopes", record, key], value: path }]),
				...(other.length === 0 ? [] : [{ decide: differ }]),
			],
		};
	};
	const [answer, request] = [said("answer", single), said("request", sent)];
	return { items, answer: answer.path, request: request.path, findings: [...answer.findings, ...request.findings] };
}

function recordFindings(own: Own, pairs: Pairs, record: string): { items: Places["items"]; findings: Finding[] } {
	const ours = ownShape(own, record);
	if (ours === undefined) return { items: new Map(), findings: [] };
	const places = placesOf(pairs, record, ours);
	const theirs = shapeOf(ofRecord(pairs, record), (part, name, shape) => {
		if (part === "body") return shapeAt(shape, places.request);
		const items = places.items.get(name);
		return items === undefined ? shapeAt(shape, places.answer) : shapeAt(shape, items)?.item;
	});
	const fields = theirs === undefined || theirs.fields.size === 0 ? [] : fieldFindings(record, ours, theirs);
	return {
		items: places.items,
		findings: [...places.findings, ...fields, ...sendFindings(own, pairs, record, places)],
	};
}

/** Required fields of a request that none of our fields fills. */
function sendFindings(own: Own, pairs: Pairs, record: string, { request }: Places): Finding[] {
	return ofRecord(pairs, record).flatMap(([name, { body }]): Finding[] => {
		const shape = shapeAt(body, request);
		const known = own.get(name)?.body?.fields;
		return (shape?.required ?? []).flatMap((key): Finding[] => {
			const [only, ...others] = shape?.fields.get(key)?.words ?? [];
			if (known?.has(key) || only === undefined || others.length > 0) return [];
			return [{ at: ["send", name, key], value: only }];
		});
	});
}

/** The findings as a description; features are words of one text. */
function described(stated: readonly Stated[]): Description {
	const description: Record<string, unknown> = {};
	for (const { at, value } of stated) {
		if (at[0] === "features") {
			description.features = [description.features, value].filter(Boolean).join(" ");
			continue;
		}
		const [last = "", ...above] = at.toReversed();
		const into = above.toReversed().reduce<Record<string, unknown>>((inner, key) => {
			inner[key] ??= {};
			return inner[key] as Record<string, unknown>;
		}, description);
		into[last] = value;
	}
	return description;
}

export async function propose(document: Json): Promise<Proposal> {
	const own = await ownOperations();
	const found = offeredIn(document);
	const prefix = prefixOf(found);
	const theirs = found.flatMap((each) =>
		each.path.startsWith(`${prefix}/`) ? [{ ...each, path: each.path.slice(prefix.length) }] : [],
	);
	const { pairs, findings } = pairsIn(theirs);
	const records = recordNames.map((record) => recordFindings(own, pairs, record));
	const items = new Map(records.flatMap((each) => [...each.items]));
	const everything = [
		...(prefix === ""
			? []
			: [{ decide: `Paths begin with ${prefix}: end the address (telephony:baseUrl) with it, too.` }]),
		...findings,
		...records.flatMap((each) => each.findings),
		...listFindings(pairs, items),
		...errorFindings(pairs),
		...headerFindings(pairs),
	];
	const decisions = everything.filter(isOpen).map(({ decide }) => decide);
	return usable(
		everything.filter((finding): finding is Stated => !isOpen(finding)),
		decisions,
	);
}

/** The proposal without contradictions: these are decisions for a person. */
export function usable(stated: readonly Stated[], decisions: readonly string[]): Proposal {
	const description = described(stated);
	try {
		new ServiceDescription(description, "the OpenAPI document");
		return { description, stated, decisions };
	} catch (error) {
		const { message } = error as Error;
		const isWrong = ({ at }: Stated) => [": ", ".words"].some((end) => message.includes(` ${at.join(".")}${end}`));
		const wrong = stated.filter(isWrong);
		if (wrong.length === 0) throw error;
		const told = wrong.map(
			({ at, value }) => `Left out, because it contradicts the rest: ${at.join(".")}: ${JSON.stringify(value)}.`,
		);
		return usable(
			stated.filter((each) => !isWrong(each)),
			[...decisions, ...told],
		);
	}
}
