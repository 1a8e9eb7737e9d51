/** Types of outputs, which nothing checks. */
import { z } from "zod";
import { scalar, setOf } from "./form";

export const aString = { type: z.string() };
export const aNumber = { type: z.number() };
export const aBoolean = { type: z.boolean() };
export const aTime = { ...aString, description: "RFC 3339." };
/** In no order that means anything. */
export const strings = { type: z.array(aString.type), form: setOf(scalar) };
