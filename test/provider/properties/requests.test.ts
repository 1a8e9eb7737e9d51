/** Laws of a write: it sends what the program declares, and nothing that the program never named. */
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
	patchBody,
	type Values,
} from "../../../provider/properties/table";
import { resources } from "../../../provider/resources";
import { allKinds } from "../../helpers/kinds";

const isSet = (value: unknown) => value !== undefined && value !== null;

/** Every text in a declared value, with its form and what is sent in its place. */
function* textsIn(
	form: Form,
	written: unknown,
	sent: unknown,
): Generator<[form: Form, written: string, sent: unknown]> {
	if (typeof written === "string") yield [form, written, sent];
	if (form.kind === "set" || form.kind === "list")
		for (const [index, value] of (written as unknown[]).entries())
			yield* textsIn(form.item, value, (sent as unknown[])[index]);
	if (form.kind === "object")
		for (const [key, value] of Object.entries(written as Values))
			yield* textsIn(form.fields[key]?.form ?? scalar, value, (sent as Values)[snake(key)]);
}

describe.each(allKinds)("a write of a $noun", ({ type, args }) => {
	const { properties } = resources[type].drift;
	const patched = Object.entries(properties).filter(([, { wire, fixed }]) => wire !== undefined && !fixed);
	const formOf = (key: string) => properties[key]?.form ?? scalar;
	/** The service's record of an object for which nothing was declared. */
	const empty = Object.fromEntries(patched.map(([, { wire = "", cleared }]) => [wire, cleared ?? null]));
	const isCleared = (key: string, value: unknown) =>
		sameDeclaration(formOf(key), value, liveValues(properties, empty)[key]);

	test("brings the service from any state to the declared values", () =>
		fc.assert(
			fc.property(args, args, args, (olds, news, externalEdit) => {
				const before = { ...empty, ...createBody(properties, externalEdit) };
				const body = patchBody(properties, { olds, news, live: liveValues(properties, before) });
				const live = liveValues(properties, { ...before, ...body });
				for (const [key, { wire, writeOnly }] of patched) {
					if (isSet(news[key])) expect(writeOnly || covers(formOf(key), news[key], live[key]), key).toBe(true);
					else if (isSet(olds[key])) expect(isCleared(key, live[key]), key).toBe(true);
					else expect(Object.keys(body)).not.toContain(wire);
				}
				expect(patchBody(properties, { olds: news, news, live })).toEqual({});
			}),
		));

	test("sends text as written, unless the service needs another spelling", () =>
		fc.assert(
			fc.property(args, (news) => {
				const body = createBody(properties, news);
				for (const [key, { wire = "" }] of patched.filter(([, { wire = "" }]) => wire in body))
					for (const [form, written, sent] of textsIn(formOf(key), news[key], body[wire])) {
						const isAccepted = (text: unknown) =>
							form.kind !== "scalar" || (form.accepted?.().safeParse(text).success ?? true);
						expect([isAccepted(sent), sameDeclaration(form, written, sent)], key).toEqual([true, true]);
						if (isAccepted(written)) expect(sent, key).toBe(written);
					}
			}),
		));

	test("sends a changed value even if the list already shows it", () =>
		fc.assert(
			fc.property(args, args, (olds, news) => {
				const live = liveValues(properties, createBody(properties, news));
				const body = patchBody(properties, { olds, news, live });
				for (const [key, { wire }] of patched)
					if (isSet(news[key]) && isSet(olds[key]) && !covers(formOf(key), news[key], olds[key]))
						expect(Object.keys(body)).toContain(wire);
			}),
		));

	test("sends doubtful properties", () =>
		fc.assert(
			fc.property(args, (news) => {
				const live = liveValues(properties, createBody(properties, news));
				const doubtful = patched.map(([key]) => key).filter((key) => isSet(news[key]));
				const body = patchBody(properties, { olds: news, news, live }, doubtful);
				expect(Object.keys(body).sort()).toEqual(doubtful.map((key) => properties[key]?.wire).sort());
			}),
		));

	test("clears undeclared properties of a resumed object", () =>
		fc.assert(
			fc.property(args, args, (earlier, news) => {
				const before = { ...empty, ...createBody(properties, earlier) };
				const live = liveValues(properties, before);
				const body = patchBody(properties, { olds: allDeclared(properties), news, live });
				const after = liveValues(properties, { ...before, ...body });
				for (const [key, { isGuard }] of patched)
					if (!isSet(news[key]) && !isGuard) expect(isCleared(key, after[key]), key).toBe(true);
			}),
		));

	test("clears dropped properties, unless the program declares them again", () =>
		fc.assert(
			fc.property(args, (news) => {
				const body = clearedBody(properties, news, [...Object.keys(properties), "gone"]);
				const wires = Object.entries(properties).flatMap(([key, { wire }]) =>
					wire !== undefined && !isSet(news[key]) ? [wire] : [],
				);
				expect(Object.keys(body).sort()).toEqual(wires.sort());
			}),
		));

	test("stores the declared properties, and a read returns them", () =>
		fc.assert(
			fc.property(args, (news) => {
				const outputs = declaredOutputs(properties, news, liveValues(properties, createBody(properties, news)));
				expect(outputs).toEqual(news);
				const resource = { ...outputs, __resourceUrn: "urn", __provider: "p", id: "x", lease: "l" };
				expect(declaredInputs(properties, resource)).toEqual({ ...news, __resourceUrn: "urn", __provider: "p" });
			}),
		));
});
