import { html } from "hono/html";
import type { z } from "zod";
import type { Feature } from "../../../provider/api/contract";
import { Settings } from "../../service/settings";
import { fieldOf, labelOf } from "../forms";
import { button, check, form, panel } from "../html";
import type { Section } from "../section";

/** In a form, null is an empty field and false is a box without a tick. */
const hintOf = (schema: z.ZodType): string => {
	const hint = (schema.description ?? "")
		.replace("; null is", "; empty is")
		.replace(/\. null is/, ". Empty is")
		.replace(/^false:/, "Off:");
	return schema.def.type === "array" ? `${hint} Separated by commas.` : hint;
};

const featureHints: Readonly<Record<Feature, string>> = {
	getById: "Reading one object by its id. Without it, there are only lists.",
	patchNumber: "Changing a number after its purchase.",
	release: "Releasing numbers.",
	trunks: "SIP trunks.",
	webhooks: "Webhooks.",
	idempotencyKey: "A repeated POST with the same Idempotency-Key is carried out once.",
	reference: "Objects keep a reference, and lists filter by it.",
	statusFilter: "Lists filter by status.",
	inventory: "Searching available numbers.",
	restore: "Restoring a released number during its quarantine.",
	ports: "Porting numbers from other carriers.",
	kyc: "KYC requirements, profiles and documents.",
	calls: "Calls and their recordings.",
	messages: "SMS.",
	billing: "Usage and invoices.",
	account: "The account of the API key.",
};

export const settings: Section = {
	title: "Settings",

	list: ({ service }) => {
		const { features, ...rest } = service.settings;
		const shape: Readonly<Record<string, z.ZodType>> = Settings.shape;
		const fields = Object.entries(rest).map(([name, value]) => ({ name, value, schema: shape[name] as z.ZodType }));
		// Fields that take a whole line come last, so that the others fill their lines.
		fields.sort((a, b) => Number(Array.isArray(a.value)) - Number(Array.isArray(b.value)));
		const inputs = (isSwitch: boolean) =>
			fields
				.filter(({ value }) => (typeof value === "boolean") === isSwitch)
				.map(({ name, schema, value }) => fieldOf(name, schema, value, hintOf(schema)));
		const offered = Object.entries(features).map(([name, isOn]) =>
			check(labelOf(name), name, isOn, featureHints[name as Feature]),
		);
		return {
			title: "Settings",
			about: "How the service behaves. A change applies from the next request.",
			body: html`<div class="columns"><div>${panel(
				"Switches and limits",
				form(
					"settings",
					html`${inputs(false)}<div class="checks">${inputs(true)}</div><div class="actions">${button("Save the settings", { variant: "main" })}</div>`,
					"grid",
				),
			)}</div><div>${panel(
				"Features",
				form(
					"settings/features",
					html`<div class="checks">${offered}</div><div class="actions">${button("Save the features", { variant: "main" })}</div>`,
					"grid",
				),
				"A feature that is off behaves as if it didn’t exist.",
			)}${panel("Reset", form("reset", button("Reset the emulator", { variant: "danger" })), "An empty account with the initial settings. Ids and numbers are not used again.")}</div></div>`,
		};
	},
};
