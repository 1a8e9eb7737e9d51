/** Finds the operations of an OpenAPI document that read and write one property, such as `PUT /numbers/{id}/voice`. */
import { routeTypes } from "../../provider/api/contract";
import type { Description } from "../../provider/api/description/description";
import { defined } from "../../provider/api/json";
import { fold } from "../../provider/api/names";
import type { Offered, Offers } from "./document";
import { about, type Finding } from "./finding";
import { mayMean, otherNames } from "./names";
import { type Shape, shapeAt } from "./shape";

type Fields = NonNullable<NonNullable<Description["records"]>[string]>;

/** The field of each kind of routing. */
const targets = { trunk: "trunk_id", sip_uri: "uri", forward: "to", webhook: "url", agent: "agent_id" } as const;
/** Values of a service that stand for no routing. */
const none = /^(off|none|no|disabled|unset|ninguno|nothing)$/i;
/** Fields that hold the target of any kind of routing. */
const targetNames = ["target", "value", "destination", "address", "to"];

const methods = ["PUT", "PATCH", "POST"];

/** @param theirs the document's operations @param offers those that are paired with ours */
export function ownFindings(theirs: readonly Offered[], offers: Offers): Finding[] {
	const paired = new Set(offers.values());
	const writes = theirs.filter(
		(operation) =>
			methods.includes(operation.method) &&
			/^\/numbers\/\{[^}]*\}\/[^/{]+$/.test(operation.path) &&
			!paired.has(operation),
	);
	const paths = new Set<string>();
	const routings: Finding[] = [];
	for (const write of writes) {
		const fields = routingFields(write, offers);
		if (fields === undefined) continue;
		paths.add(write.path);
		const rival = about("number: routing", "one operation").decide(textOf(write), "which of them is it?");
		routings.push(routings.length > 0 ? rival : routingFinding(write, fields, theirs));
	}
	const unknown = writes.filter(({ path, body }) => body !== undefined && !paths.has(path));
	const hint = "if it writes one of our properties, set records.number.<property>: { write, read }";
	return [...routings, ...unknown.map((write) => about(textOf(write), "none of ours").decide("not used", hint))];
}

const textOf = ({ method, path }: Offered): string => `${method} ${path.replace(/\{[^}]*\}/, "{id}")}`;

interface RoutingFields {
	readonly fields: Fields;
	/** The value that stands for no routing. */
	readonly empty: Readonly<Record<string, unknown>> | undefined;
	/** Required fields of the request that not every routing has. */
	readonly open: readonly string[];
}

/** Returns the places of the routing in the operation's body; undefined if the body holds something else. */
function routingFields({ body }: Offered, offers: Offers): RoutingFields | undefined {
	const all = [...(body?.fields ?? [])];
	const meaning = (word: string) => routeTypes.find((type) => mayMean(word, type));
	const tag = all.find(([, { values }]) => values.filter((word) => meaning(word) !== undefined).length > 1);
	if (body === undefined || tag === undefined) return undefined;
	const [tagName, { values }] = tag;
	const words = new Map<string, string>();
	for (const word of values) {
		const type = meaning(word);
		if (type !== undefined) words.set(type, word);
	}
	const isNamed = (name: string, ours: string) => [fold(ours), ...otherNames("number", ours)].includes(fold(name));
	const shared = all.find(([name]) => targetNames.includes(fold(name)));
	const ring = all.find(([name]) => isNamed(name, "ring_timeout_seconds"));
	const places = Object.entries(targets).map(([type, field]) => {
		const place =
			all.find(([name, shape]) => name !== tagName && shape !== shared?.[1] && isNamed(name, field)) ?? shared;
		const isOffered = words.has(type) && place !== undefined;
		return [`routing.${field}`, isOffered ? targetForm(field, place, offers) : false] as const;
	});
	const off = values.find((word) => none.test(word));
	const empty: Record<string, unknown> = { [tagName]: off };
	if (shared !== undefined) empty[shared[0]] = null;
	const filled = [tagName, shared?.[0], ring?.[0]];
	return {
		fields: {
			"routing.type": { at: tagName, values: Object.fromEntries(words) },
			...Object.fromEntries(places),
			"routing.ring_timeout_seconds": ring?.[0] ?? false,
			"routing.failover": false,
		},
		empty: off === undefined ? undefined : empty,
		open: body.required.filter((name) => !filled.includes(name) || name === ring?.[0]),
	};
}

/** The target of a trunk is a number if trunks have numbers as ids; that of a forward has the form of the account's numbers. */
function targetForm(field: string, [place, shape]: readonly [string, Shape], offers: Offers) {
	const items = offers.get("listTrunks")?.response;
	const trunks = [...(items?.fields.values() ?? [])].find(({ kind }) => kind === "list")?.item;
	const isNumeric = shape.isNumeric === true && shapeAt(trunks, "id")?.kind === "number";
	if (field === "trunk_id" && isNumeric) return { at: place, as: "number" as const };
	if (field === "to" && /\bdigits\b/i.test(shape.about)) return { at: place, as: "digits" as const };
	return place;
}

function routingFinding(write: Offered, { fields, empty, open }: RoutingFields, theirs: readonly Offered[]): Finding {
	const read = theirs.find(({ method, path }) => method === "GET" && path === write.path);
	const clear = theirs.find(({ method, path }) => method === "DELETE" && path === write.path);
	const request = textOf(write);
	const routing = defined({
		// A write of the whole also sends the fields that a routing doesn't have.
		write: open.length > 0 && read !== undefined ? { request, whole: true } : request,
		read: read && textOf(read),
		clear: clear && textOf(clear),
		empty: clear === undefined ? empty : undefined,
	});
	const hints = [
		"by its values: check records.number.routing",
		open.length > 0 && read === undefined && `it requires ${open.join(", ")}`,
	];
	return about("number: routing", "in PATCH /numbers/{id}").state(
		request,
		{ records: { number: { routing, ...fields } } },
		hints.filter(Boolean).join("; "),
	);
}
