/** Countries by their names in programs, such as `UnitedKingdom`: those whose numbers libphonenumber knows, as Unicode's CLDR calls them. */
import { createRequire } from "node:module";
import { getCountries } from "libphonenumber-js";
import type { Field } from "../../provider/properties/form.ts";

const require = createRequire(import.meta.url);
const { aCountry } =
	require("../../dist/provider/properties/limits.js") as typeof import("../../provider/properties/limits.ts");

const names = new Intl.DisplayNames("en", { type: "region" });

/** `Côte d’Ivoire` is `CoteDIvoire`. */
const wordOf = (name: string): string =>
	name
		.normalize("NFD")
		.replaceAll(/\p{M}/gu, "")
		.split(/[^A-Za-z]+/)
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join("");

export const countries: readonly { readonly name: string; readonly value: string }[] = getCountries()
	.map((value) => ({ name: wordOf(names.of(value) ?? value), value: String(value) }))
	.sort((a, b) => (a.name < b.name ? -1 : 1));

export const isCountryType = (type: Field["type"]): boolean => type === aCountry;

/** The SDK's constants. */
export const countryConstants = (): string =>
	`export const Country = {\n${countries.map(({ name, value }) => `${name}: "${value}",`).join("\n")}\n} as const;`;
