/** Types of outputs. They aren't checked. */
import { z } from "zod";
import { listOf, scalar, setOf, typeOf } from "./form";
import { objectOf } from "./object";
import { neverDrift, type Output, type Outputs } from "./table";

export const aString = { type: () => z.string() };
export const aNumber = { type: () => z.number() };
export const aBoolean = { type: () => z.boolean() };
export const aTime = { ...aString, description: "RFC 3339." };
/** The drift of the output `updatedAt`, in words. */
export const lagSays = "never drift; an older response is read again for up to 10 s";
/** The times of an object that costs nothing. */
export const times = {
	createdAt: { ...aTime, required: true, wire: "created_at", drift: neverDrift },
	updatedAt: { ...aTime, required: true, moves: true, wire: "updated_at", drift: lagSays },
} satisfies Outputs;
/** The time of a step that the service carries out later. */
export const stepTime = (wire: string, description: string): Output => ({
	...aString,
	moves: true,
	wire,
	description: `RFC 3339; ${description}`,
	drift: neverDrift,
});
/** Their order has no meaning. */
export const strings = { type: () => z.array(typeOf(aString)), form: setOf(scalar) };

const reason = objectOf({
	code: { ...aString, required: true, description: "Machine-readable code." },
	message: { ...aString, required: true, description: "Human-readable text." },
});
export const reasons = { type: () => z.array(typeOf(reason)), form: listOf(reason.form) };
