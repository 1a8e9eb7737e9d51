import { html } from "hono/html";
import { z } from "zod";
import { Settings } from "../../settings";
import { button, check, form, type Html, input, panel, same, select } from "../html";
import type { Section } from "./page";

const abbreviations = /\b(cidr|kyc|url)\b/gi;

/** `shuffleArrays` as a person would write it. */
const words = (name: string): string =>
	name
		.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
		.replace(/^./, (letter) => letter.toUpperCase())
		.replace(abbreviations, (word) => word.toUpperCase());

/** The input that fits a setting's schema: a new setting shows up here by itself. */
const control = (name: string, schema: z.ZodType, value: unknown): Html => {
	const inner = schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : schema;
	if (inner instanceof z.ZodBoolean) return check(words(name), name, value === true);
	if (inner instanceof z.ZodEnum) return select(words(name), name, String(value), same(inner.options.map(String)));
	if (inner instanceof z.ZodNumber) {
		return input(words(name), name, value === null ? "" : Number(value), {
			type: "number",
			placeholder: value === null ? "no limit" : "",
		});
	}
	if (inner instanceof z.ZodArray) {
		const of =
			inner.element instanceof z.ZodEnum ? `Any of ${inner.element.options.join(", ")}.` : "With commas between.";
		return input(words(name), name, (value as string[]).join(", "), { wide: true, placeholder: "none", hint: of });
	}
	return input(words(name), name, JSON.stringify(value), { wide: true });
};

export const settings: Section = {
	title: "Behaviour",

	list: ({ service }) => {
		const { features, ...rest } = service.settings;
		const shape: Readonly<Record<string, z.ZodType>> = Settings.shape;
		const fields = Object.entries(rest).map(([name, value]) => ({ name, value, schema: shape[name] as z.ZodType }));
		// What takes a whole line comes last, so that the others fill theirs.
		fields.sort((one, other) => Number(Array.isArray(one.value)) - Number(Array.isArray(other.value)));
		const of = (boolean: boolean) => fields.filter(({ value }) => (typeof value === "boolean") === boolean);
		return {
			title: "Behaviour",
			about: "How the service behaves, where services differ. Each change holds from the next request on.",
			body: html`<div class="columns"><div>${panel(
				"Switches and limits",
				form(
					"settings",
					html`${of(false).map(({ name, schema, value }) => control(name, schema, value))}<div class="checks">${of(true).map(({ name, schema, value }) => control(name, schema, value))}</div><div class="actions">${button("Save the behaviour", { look: "main" })}</div>`,
					"grid",
				),
			)}</div><div>${panel(
				"What the service offers",
				form(
					"settings/features",
					html`<div class="checks">${Object.entries(features).map(([name, on]) => check(words(name), name, on))}</div><div class="actions">${button("Save the offer", { look: "main" })}</div>`,
					"grid",
				),
				"A feature switched off behaves as if it had never existed.",
			)}${panel("Start again", form("reset", button("Reset the emulator", { look: "danger" })), "An empty account with the settings of the start. Ids and numbers handed out before don’t come again.")}</div></div>`,
		};
	},
};
