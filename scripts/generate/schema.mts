/** The package's Pulumi schema, from the tables of properties: what `pulumi package`, YAML and all SDKs read. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import type { FunctionDefinition } from "../../provider/functions/definition.ts";
import type { Field, Fields, Form } from "../../provider/properties/form.ts";
import type { Property } from "../../provider/properties/table.ts";
import { type Addresses, addressesOf, pluginDownloadUrl } from "./addresses.mts";
import { docOf, inputDoc } from "./classes.mts";
import { countries, isCountryType } from "./countries.mts";
import { examplesOf } from "./examples.mts";
import { type functions, type resources, typeOf } from "./tables.mts";
import { itemOf, kebab, knownWordsOf, summary, wordsOf } from "./words.mts";

type Spec = Record<string, unknown>;
type Value = Pick<Field, "type" | "form">;

const packageName = "telephony";
const pascal = (words: string): string =>
	words.replace(/(^|_)([a-z])/g, (_, _before, letter: string) => letter.toUpperCase());
const token = (name: string): string => `${packageName}:index:${name}`;

/** The schema's types, each once, while the properties that need them are described. */
class Types {
	readonly specs: Record<string, Spec> = {};

	/** @param name the name of a type that has none of its own */
	of(value: Value, name: string): Spec {
		const { form } = value;
		switch (form?.kind) {
			case "map":
				return { type: "object", additionalProperties: { type: "string" } };
			case "set":
			case "list":
				return { type: "array", items: this.of(itemOf(value), name.replace(/ies$/, "y").replace(/s$/, "")) };
			case "object":
				return form.variants === undefined ? this.#object(form, name) : this.#union(form);
		}
		if (form?.kind === "scalar" && form.isFile) return { oneOf: [{ type: "string" }, { $ref: "pulumi.json#/Asset" }] };
		if (isCountryType(value.type)) return this.#country();
		const type = typeOf(value);
		const words = wordsOf(type);
		if (words !== undefined) {
			const named = form?.named?.name ?? name;
			this.specs[token(named)] ??= {
				type: "string",
				...(form?.named === undefined ? {} : { description: form.named.description }),
				enum: words.map((word) => ({ name: word === "*" ? "All" : pascal(word.replaceAll(/\W/g, "_")), value: word })),
			};
			const constant = { type: "string", $ref: ref(named) };
			return knownWordsOf(type) === undefined ? constant : { oneOf: [{ type: "string" }, constant] };
		}
		if (type.def.type === "union") {
			const options = (type as z.ZodUnion<readonly z.ZodType[]>).def.options;
			return { oneOf: options.map((option) => this.of({ type: () => option }, name)) };
		}
		return { type: type.def.type === "number" ? numberOf(type) : type.def.type };
	}

	#object(form: Extract<Form, { kind: "object" }>, name: string): Spec {
		const named = form.named?.name ?? name;
		this.specs[token(named)] ??= {
			type: "object",
			...(form.named === undefined ? {} : { description: form.named.description }),
			...this.fields(form.fields, named),
		};
		return { $ref: ref(named) };
	}

	/** Named constants, beside any string: a code that is new here, or that a program works out. */
	#country(): Spec {
		this.specs[token("Country")] ??= {
			type: "string",
			description: "ISO 3166-1 alpha-2 codes by the countries' names.",
			enum: countries,
		};
		return { oneOf: [{ type: "string" }, { type: "string", $ref: ref("Country") }] };
	}

	#union({ named, variants, fields, tag = "" }: Extract<Form, { kind: "object" }>): Spec {
		const whole = named ?? variants;
		const variantFields = new Set([tag, ...Object.values(variants?.of ?? {}).flatMap(Object.keys)]);
		const common = Object.fromEntries(Object.entries(fields).filter(([key]) => !variantFields.has(key)));
		const kinds = Object.entries(variants?.of ?? {}).map(([kind, more]) => {
			const name = `${pascal(kind)}${whole?.name}`;
			const { properties, required } = this.fields({ ...more, ...common }, name);
			this.specs[token(name)] ??= {
				type: "object",
				description: whole?.description,
				properties: {
					[tag]: { type: "string", const: kind, description: fields[tag]?.description },
					...(properties as Spec),
				},
				required: [tag, ...(required as string[])],
			};
			return [kind, ref(name)] as const;
		});
		return {
			oneOf: kinds.map(([, $ref]) => ({ $ref })),
			discriminator: { propertyName: tag, mapping: Object.fromEntries(kinds) },
		};
	}

	/** Inputs as outputs, without the effect of a change, which the input describes. */
	asOutputs(fields: Fields, inputs: Record<string, Spec>): Spec {
		const described = (key: string) => ({ ...inputs[key], description: summary(fields[key]?.description ?? "") });
		return Object.fromEntries(Object.keys(fields).map((key) => [key, described(key)]));
	}

	fields(fields: Fields, name: string): Spec {
		return {
			properties: Object.fromEntries(
				Object.entries(fields).map(([key, field]) => [
					key,
					{
						...this.of(field, `${name}${pascal(key)}`),
						description: docOf(field).join("\n\n"),
						...(field.secret ? { secret: true } : {}),
					},
				]),
			),
			required: Object.keys(fields).filter((key) => fields[key]?.required && !fields[key].takesOptional),
		};
	}
}

const ref = (name: string): string => `#/types/${token(name)}`;
const numberOf = (type: z.ZodType): string => ((type as z.ZodNumber).format?.includes("int") ? "integer" : "number");

const money = (description: string): Spec => ({
	oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
	description: `${description} An amount and its ISO 4217 currency, such as \`500EUR\`, or a list of them. A currency without an amount allows nothing.`,
});
const limits: Spec = {
	type: "object",
	description: "Limits of what one run may buy and release.",
	properties: {
		maxPurchases: { type: "integer", description: "Most numbers to buy." },
		maxReleases: { type: "integer", description: "Most numbers to release." },
		maxSetup: money("What all numbers that it buys may cost once."),
		maxMonthly: money("What all numbers that it buys may cost each month."),
		destroy: {
			type: "boolean",
			description: "True if `maxReleases` also applies to `pulumi destroy`. Default: false.",
		},
	},
};

/** `note` says which one wins: the setting, or the environment variable. */
const settings = (note: (variable: string) => string): Record<string, Spec> => ({
	apiKey: { type: "string", secret: true, description: `The API key. ${note("TELEPHONY_API_KEY")}` },
	baseUrl: {
		type: "string",
		description: `The service's address, with the version at the end. ${note("TELEPHONY_BASE_URL")}`,
	},
	account: {
		type: "string",
		description: `The account that the key must belong to: its id, or the E.164 or id of a number that it has. A run on another account fails before it writes anything. \`none\` pins nothing. ${note("TELEPHONY_ACCOUNT")}`,
	},
	owner: { type: "string", description: "Name of the state owner; set the same value wherever this stack runs." },
	onDelete: {
		type: "string",
		description:
			"Decides what happens to numbers that don't set `onDelete` themselves when they are deleted: `release`, or `retain` to leave them on the account. Default: `retain`.",
	},
	features: {
		type: "string",
		description: `Names of features that the service offers, or with \`-\` in front doesn't offer. ${note("TELEPHONY_FEATURES")}`,
	},
	limits: {
		$ref: ref("Limits"),
		description: "Limits of what one run may buy and release.",
	},
	service: {
		$ref: "pulumi.json#/Any",
		description: `Service description for a service with other names: the object, or the path of a file. ${note("TELEPHONY_SERVICE")}`,
	},
});
const ofStack = {
	...settings((variable) => `The environment's \`${variable}\` wins.`),
	allowHttp: {
		type: "string",
		description:
			"Exact names of hosts that may be asked over plain http, such as an emulator in another container: they get the key in clear. The environment's `TELEPHONY_ALLOW_HTTP` wins.",
	},
};
const ofProgram = settings((variable) => `Default: the environment's \`${variable}\`.`);

interface Manifest {
	readonly version: string;
	readonly description: string;
	readonly homepage: string;
	readonly license: string;
	readonly keywords: readonly string[];
	readonly repository: { readonly url: string };
	readonly engines: { readonly python: string };
	readonly peerDependencies: { readonly "@pulumi/pulumi": string };
}

export function schemaOf(manifest: Manifest, all: typeof resources, callable: typeof functions): string {
	const types = new Types();
	const described = Object.entries(all).map(([type, { drift }]) => {
		const { properties, outputs } = drift;
		const inputs = Object.fromEntries(
			Object.entries(properties).map(([key, property]) => [key, inputSpec(types, property, `${type}${pascal(key)}`)]),
		);
		const outputSpecs = types.fields(outputs, type);
		const isThere = ({ required, filled, default: value }: Property) =>
			required === true || filled === true || value !== undefined;
		return [
			token(type),
			{
				description: descriptionOf(type) + examplesOf(type),
				inputProperties: inputs,
				requiredInputs: Object.keys(properties).filter((key) => properties[key]?.required),
				properties: { ...types.asOutputs(properties, inputs), ...(outputSpecs.properties as Spec) },
				required: [
					...Object.keys(properties).filter((key) => isThere(properties[key] as Property)),
					...(outputSpecs.required as string[]),
				],
				aliases: [{ type: `pulumi-nodejs:dynamic/telephony:${type}` }],
			},
		];
	});
	const addresses = addressesOf(manifest.repository.url);
	const schema = {
		name: packageName,
		displayName: "Telephony",
		version: manifest.version,
		description: manifest.description,
		keywords: manifest.keywords,
		homepage: manifest.homepage,
		license: manifest.license,
		repository: addresses.repository,
		pluginDownloadURL: pluginDownloadUrl(addresses, manifest.version),
		publisher: "pulumi-telephony",
		meta: { moduleFormat: "(.*)" },
		config: { variables: ofStack },
		provider: { description: "One account at the service.", inputProperties: ofProgram },
		resources: Object.fromEntries(described),
		functions: Object.fromEntries(
			Object.entries(callable).map(([name, definition]) => [token(name), functionSpec(types, definition, name)]),
		),
		types: { ...types.specs, [token("Limits")]: limits },
		language: languages(addresses, manifest),
	};
	return `${byLine(schema)}\n`;
}

/** The names and requirements of the packages, for the generators of the languages. */
const languages = ({ goPath }: Addresses, { engines, peerDependencies }: Manifest) => ({
	nodejs: { packageName: "pulumi-telephony/plugin", respectSchemaVersion: true },
	python: {
		packageName: "pulumi_telephony",
		pyproject: { enabled: true },
		pythonRequires: engines.python,
		// Both SDKs have the same versions.
		requires: { pulumi: `${peerDependencies["@pulumi/pulumi"].replace("^", ">=")},<4.0.0` },
		readme: "The Python SDK of pulumi-telephony, made by `npm run generate`.\n",
		respectSchemaVersion: true,
	},
	go: {
		importBasePath: `${goPath}/go/telephony`,
		respectSchemaVersion: true,
	},
});

/** A line for each resource and type, as it is shipped. */
function byLine(schema: Spec): string {
	const lines = (values: Spec, text: (value: unknown) => string | undefined) =>
		`{\n${Object.entries(values)
			.map(([key, value]) => `${JSON.stringify(key)}:${text(value)}`)
			.join(",\n")}\n}`;
	const parts = new Set<unknown>([schema.resources, schema.functions, schema.types]);
	return lines(schema, (value) => (parts.has(value) ? lines(value as Spec, JSON.stringify) : JSON.stringify(value)));
}

const inputSpec = (types: Types, property: Property, name: string): Spec => ({
	...types.of(property, name),
	description: inputDoc(property).join("\n\n"),
	...(property.secret ? { secret: true } : {}),
	...(property.change?.does === "replaces" && property.default !== undefined ? { willReplaceOnChanges: true } : {}),
});

function functionSpec(types: Types, { description, inputs, outputs }: FunctionDefinition, name: string): Spec {
	const properties = Object.entries(inputs).map(([key, property]) => [
		key,
		{ ...types.of(property, `${pascal(name)}${pascal(key)}`), description: docOf(property).join("\n\n") },
	]);
	const named = outputs.named?.name ?? pascal(name);
	const result = types.fields(outputs.fields, named);
	return {
		description,
		inputs: {
			type: "object",
			properties: Object.fromEntries(properties),
			required: Object.keys(inputs).filter((key) => inputs[key]?.required),
		},
		outputs: { type: "object", ...result, properties: withoutChoices(result.properties as Record<string, Spec>) },
	};
}

/** A word as the service has it: Python's class of a result refuses a choice of types. */
const withoutChoices = (properties: Record<string, Spec>): Spec =>
	Object.fromEntries(
		Object.entries(properties).map(([key, spec]) => {
			const { oneOf: [first] = [], ...rest } = spec as { oneOf?: Spec[] };
			return [key, first?.type === "string" ? { ...first, ...rest } : spec];
		}),
	);

/** Returns the first paragraph of the comment on a resource's class. */
function descriptionOf(type: string): string {
	const file = `sdk/${kebab(type)}.ts`;
	const source = readFileSync(join(import.meta.dirname, "../..", file), "utf8");
	const [before = ""] = source.split(`\nexport class ${type} `);
	const comment = before.slice(before.lastIndexOf("/**"));
	const [paragraph = ""] = comment.replace(/^\/\*\*\s*(?:\* )?/, "").split(/\n \*\s*(?:\n|\/|@)/);
	if (paragraph === "") throw new Error(`${file} has no comment on the class ${type}, which is its description.`);
	return paragraph.replaceAll("\n * ", " ");
}
