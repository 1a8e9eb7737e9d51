/** Values between the engine and the handlers: nothing is lost on the way, and no secret goes back unmarked. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { opened, sealed } from "../../../provider/plugin/values";
import { unknownValue, type Values } from "../../../provider/properties/table";
import { sipTrunkOutputs, sipTrunkProperties } from "../../../provider/resources/sip-trunk/properties";

const mark = "4dabf18193072939515e22adb298388d";
const asSecret = (value: unknown) => ({ [mark]: "1b47061264138c4ac30d75fd1eb44270", value });

test("what is sealed and opened again is what it was", () => {
	const shapes = { ...sipTrunkProperties, ...sipTrunkOutputs };
	const auth = fc.record({ mode: fc.constant("digest"), username: fc.string(), password: fc.string() });
	const values = fc.record(
		{ auth, password: fc.string(), capacity: fc.integer(), targets: fc.array(fc.record({ host: fc.string() })) },
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(values, (each) => {
			const sent = sealed(shapes, each);
			expect(opened(sent)).toEqual(each);
			if (each.password !== undefined) expect(sent.password).toEqual(asSecret(each.password));
			if (each.auth !== undefined) expect((sent.auth as Values).password).toEqual(asSecret(each.auth.password));
		}),
	);
});

test("secrets are opened and unknown values of all kinds are alike, at any depth", () => {
	const unknownList = "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2";
	const output = { [mark]: "d0e6a833031e9bbcd3f4e8bde6ca49a4" };
	expect(
		opened({ a: asSecret({ b: [asSecret("x")] }), c: unknownList, d: [output], e: { ...output, value: 1 } }),
	).toEqual({ a: { b: ["x"] }, c: unknownValue, d: [unknownValue], e: 1 });
});
