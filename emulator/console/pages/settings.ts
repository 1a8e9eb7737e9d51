import { html } from "hono/html";
import { z } from "zod";
import type { Feature } from "../../../provider/api/contract";
import { Settings } from "../../service/settings";
import { button, check, form, type Html, input, panel, same, select } from "../html";
import type { Section } from "./page";

const abbreviations = /\b(cidr|kyc|url)\b/gi;

/** `shuffleArrays` as a person would write it. */
const words = (name: string): string =>
	name
		.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
		.replace(/^./, (letter) => letter.toUpperCase())
		.replace(abbreviations, (word) => word.toUpperCase());

/** In a form, null is an empty field, and false is a box without a tick. */
const here = (sentence: string): string =>
	sentence
		.replace("; null is", "; empty is")
		.replace(/\. null is/, ". Empty is")
		.replace(/^false:/, "Off:");

/** What each feature offers; it is gone when the feature is off. */
const featureWords: Readonly<Record<Feature, string>> = {
	getById: "One object is read by its id; otherwise lists only.",
	patchNumber: "A number is configured after its purchase.",
	release: "A number is given back.",
	trunks: "SIP trunks are made, changed and deleted.",
	webhooks: "Webhooks are made, changed and deleted.",
	idempotencyKey: "A POST that is repeated under its key is carried out once.",
	reference: "Objects keep a text of their owner's, and lists filter by it.",
	statusFilter: "Lists filter by status.",
	inventory: "What can be bought is searched first.",
	restore: "A released number comes back during its quarantine.",
	ports: "Numbers come from other carriers.",
	kyc: "KYC requirements are read, profiles and documents submitted.",
	calls: "Calls are placed and read, with their recordings.",
	messages: "SMS are sent and read.",
	billing: "Usage and invoices are read.",
};

/** The input that fits a setting's schema, so that a new setting shows up here by itself. */
const control = (name: string, schema: z.ZodType, value: unknown): Html => {
	const hint = here(schema.description ?? "");
	const inner = schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : schema;
	if (inner instanceof z.ZodBoolean) return check(words(name), name, value === true, hint);
	if (inner instanceof z.ZodEnum)
		return select(words(name), name, { value: String(value), options: same(inner.options.map(String)), hint });
	if (inner instanceof z.ZodNumber) {
		return input(words(name), name, value === null ? "" : Number(value), {
			type: "number",
			placeholder: value === null ? "no limit" : "",
			hint,
		});
	}
	if (inner instanceof z.ZodArray) {
		const between = "With commas between.";
		return input(words(name), name, (value as string[]).join(", "), {
			wide: true,
			placeholder: "none",
			hint: `${hint} ${between}`,
		});
	}
	return input(words(name), name, JSON.stringify(value), { wide: true, hint });
};

export const settings: Section = {
	title: "Behaviour",

	list: ({ service }) => {
		const { features, ...rest } = service.settings;
		const shape: Readonly<Record<string, z.ZodType>> = Settings.shape;
		const fields = Object.entries(rest).map(([name, value]) => ({ name, value, schema: shape[name] as z.ZodType }));
		// Fields that take a whole line come last, so that the others fill their lines.
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
					html`<div class="checks">${Object.entries(features).map(([name, on]) => check(words(name), name, on, featureWords[name as Feature]))}</div><div class="actions">${button("Save the offer", { look: "main" })}</div>`,
					"grid",
				),
				"A feature switched off behaves as if it had never existed.",
			)}${panel("Start again", form("reset", button("Reset the emulator", { look: "danger" })), "An empty account with the settings of the start. Ids and numbers handed out before don’t come again.")}</div></div>`,
		};
	},
};
