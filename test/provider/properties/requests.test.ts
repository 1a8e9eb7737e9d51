/** What a write sends: enough that the service has what the program declares, and nothing that the program never named. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { covers, type Form, sameDeclaration, scalar, snake } from "../../../provider/properties/form";
import {
	allDeclared,
	clearedBody,
	createBody,
	declaredInputs,
	declaredOutputs,
	liveValues,
	type Properties,
	patchBody,
	sentProperties,
	type Values,
} from "../../../provider/properties/table";
import { numberProperties } from "../../../provider/resources/number/properties";
import { portOrderProperties } from "../../../provider/resources/port-order/properties";
import { sipTrunkProperties } from "../../../provider/resources/sip-trunk/properties";
import { webhookProperties } from "../../../provider/resources/webhook/properties";
import * as any from "../../helpers/arbitraries";

type Args = fc.Arbitrary<Values>;
const isSet = (value: unknown) => value !== undefined && value !== null;

interface Sent {
	readonly form: Form;
	readonly written: string;
	readonly sent: unknown;
}

/** Every text in the inputs with what is sent in its place. */
function* textsOf(properties: Properties, news: Values): Generator<[path: string, Sent]> {
	const body = createBody(properties, news);
	for (const [key, { wire, form = scalar }] of Object.entries(properties))
		if (wire !== undefined && isSet(news[key]) && wire in body) yield* textsIn(key, form, news[key], body[wire]);
}

function* textsIn(path: string, form: Form, written: unknown, sent: unknown): Generator<[path: string, Sent]> {
	if (typeof written === "string") yield [path, { form, written, sent }];
	if (form.kind === "set" || form.kind === "list")
		for (const [index, each] of (written as unknown[]).entries())
			yield* textsIn(`${path}[${index}]`, form.item, each, (sent as unknown[])[index]);
	if (form.kind === "object")
		for (const [key, each] of Object.entries(written as Values))
			yield* textsIn(`${path}.${key}`, form.fields[key]?.form ?? scalar, each, (sent as Values)[snake(key)]);
}

describe.each([
	["number", numberProperties, any.numberArgs as Args],
	["trunk", sipTrunkProperties, any.trunkArgs as Args],
	["webhook", webhookProperties, any.webhookArgs as Args],
	["port order", portOrderProperties, any.portOrderArgs as Args],
] as [string, Properties, Args][])("a write of a %s", (_, properties, args) => {
	const patched = Object.entries(properties).filter(([, { wire, fixed }]) => wire !== undefined && !fixed);
	const formOf = (key: string) => properties[key]?.form ?? scalar;

	/** What the service has of an object for which nothing was declared. */
	const empty = Object.fromEntries(patched.map(([, { wire = "", cleared }]) => [wire, cleared ?? null]));
	const isCleared = (key: string, value: unknown) =>
		sameDeclaration(formOf(key), value, liveValues(properties, empty)[key]);

	test("brings the service to what the program declares, whatever it had, and has then nothing more to send", () =>
		fc.assert(
			fc.property(args, args, args, (olds, news, somebody) => {
				const before = { ...empty, ...createBody(properties, somebody) };
				const body = patchBody(properties, { olds, news, live: liveValues(properties, before) });
				const after = { ...before, ...body };
				const live = liveValues(properties, after);
				for (const [key, { wire }] of patched) {
					if (isSet(news[key]))
						expect({ key, covers: covers(formOf(key), news[key], live[key]) }).toEqual({ key, covers: true });
					else if (isSet(olds[key]))
						expect({ key, isCleared: isCleared(key, live[key]) }).toEqual({ key, isCleared: true });
					else expect(Object.keys(body)).not.toContain(wire);
				}
				expect(patchBody(properties, { olds: news, news, live })).toEqual({});
			}),
		));

	test("sends text as written, unless the service needs another spelling", () =>
		fc.assert(
			fc.property(args, (news) => {
				for (const [key, value] of textsOf(properties, news)) {
					const [written, sent] = [value.written, value.sent];
					const isRequired = value.form.kind === "scalar" && value.form.accepted?.safeParse(written).success === false;
					if (isRequired)
						expect({ key, same: sameDeclaration(value.form, written, sent) }).toEqual({ key, same: true });
					else expect({ key, sent }).toEqual({ key, sent: written });
				}
			}),
		));

	test("sends what the program changed, though the list already shows it, as a later read may not", () =>
		fc.assert(
			fc.property(args, args, (olds, news) => {
				const live = liveValues(properties, createBody(properties, news));
				const body = patchBody(properties, { olds, news, live });
				for (const [key, { wire }] of patched)
					if (isSet(news[key]) && isSet(olds[key]) && !covers(formOf(key), news[key], olds[key]))
						expect(Object.keys(body)).toContain(wire);
			}),
		));

	test("sends what is in doubt even if nothing else calls for it, and says which properties a request has", () =>
		fc.assert(
			fc.property(args, (news) => {
				const live = liveValues(properties, createBody(properties, news));
				const doubtful = patched.map(([key]) => key).filter((key) => isSet(news[key]));
				const body = patchBody(properties, { olds: news, news, live }, doubtful);
				expect(sentProperties(properties, body).sort()).toEqual(doubtful.sort());
			}),
		));

	test("that takes an object over clears all that this program doesn't declare", () =>
		fc.assert(
			fc.property(args, args, (earlier, news) => {
				const before = { ...empty, ...createBody(properties, earlier) };
				const live = liveValues(properties, before);
				const body = patchBody(properties, { olds: allDeclared(properties), news, live });
				const after = liveValues(properties, { ...before, ...body });
				for (const [key] of patched)
					if (!isSet(news[key]))
						expect({ key, isCleared: isCleared(key, after[key]) }).toEqual({ key, isCleared: true });
			}),
		));

	test("that is owed clears what it names, and never what the program declares again", () =>
		fc.assert(
			fc.property(args, (news) => {
				const keys = [...Object.keys(properties), "gone"];
				const body = clearedBody(properties, news, keys);
				const wires = Object.entries(properties).flatMap(([key, { wire }]) =>
					wire !== undefined && !isSet(news[key]) ? [wire] : [],
				);
				expect(Object.keys(body).sort()).toEqual(wires.sort());
			}),
		));

	test("leaves a state with the declared properties alone, in the program's spelling, and a read gives back just these", () =>
		fc.assert(
			fc.property(args, (news) => {
				const outputs = declaredOutputs(properties, news, liveValues(properties, createBody(properties, news)));
				expect(outputs).toEqual(news);
				const entry = { ...outputs, resourceUrn: "urn", __provider: "p", id: "x", lease: "l" };
				expect(declaredInputs(properties, entry)).toEqual({ ...news, resourceUrn: "urn", __provider: "p" });
			}),
		));
});
