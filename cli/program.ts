/** An account as a program: what each object's resource declares, under names of its own, and how that is written. */
import { stringify } from "yaml";
import { importedInputs } from "../provider/lifecycle/import";
import type { Values } from "../provider/properties/table";
import { liveValues } from "../provider/properties/table";
import { flat, numberProperties } from "../provider/resources/number/properties";
import { sipTrunk } from "../provider/resources/sip-trunk/handler";
import { webhook } from "../provider/resources/webhook/handler";
import type { Owned } from "./account";

export interface Declared {
	readonly type: Owned["type"];
	/** Also of its variable: an identifier. */
	readonly name: string;
	readonly id: string;
	readonly inputs: Values;
}

/** The `id` of another resource of the program. */
class Reference {
	readonly name: string;

	constructor(name: string) {
		this.name = name;
	}
}

/** Trunks come first, as numbers refer to them. */
const order = ["SipTrunk", "Webhook", "Number"] as const;

export function declared(objects: readonly Owned[]): Declared[] {
	const taken = new Set<string>();
	const sorted = order.flatMap((type) => objects.filter((each) => each.type === type));
	const named = sorted.map((owned) => ({ owned, name: unique(nameFor(owned), taken) }));
	const trunks = new Map(
		named.flatMap(({ owned, name }) => (owned.type === "SipTrunk" ? [[owned.record.id, name]] : [])),
	);
	const inputs = (owned: Owned) => {
		const values = inputsOf(owned);
		return { ...values, ...(values.routing ? { routing: linked(values.routing as Values, trunks) } : {}) };
	};
	return named.map(({ owned, name }) => ({ type: owned.type, name, id: owned.record.id, inputs: inputs(owned) }));
}

/** As `pulumi import` would declare it. */
function inputsOf({ type, record }: Owned): Values {
	switch (type) {
		case "Number": {
			const live = liveValues(numberProperties, flat(record));
			return importedInputs({ properties: numberProperties, live, kept: { onDelete: "retain" } });
		}
		case "SipTrunk":
			return importedInputs({
				properties: sipTrunk.properties,
				live: sipTrunk.live(record),
				kept: { adopt: record.id },
			});
		case "Webhook":
			return importedInputs({ properties: webhook.properties, live: webhook.live(record), kept: { adopt: record.id } });
	}
}

function linked(routing: Values, trunks: ReadonlyMap<string, string>): Values {
	const name = trunks.get(String(routing.trunkId));
	return {
		...routing,
		...(name === undefined ? {} : { trunkId: new Reference(name) }),
		...(routing.failover ? { failover: linked(routing.failover as Values, trunks) } : {}),
	};
}

// ---- Names ------------------------------------------------------------------------------------------------------------

/** What a program may not call a variable, in either language. */
const reserved = new Set(
	"await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public pulumi return static super switch telephony this throw true try typeof var void while with yield arguments eval undefined module exports require".split(
		" ",
	),
);

function nameFor({ type, record }: Owned): string {
	switch (type) {
		case "Number":
			return identifier(record.label) ?? identifier(`number ${record.number ?? record.id}`) ?? "number";
		case "SipTrunk":
			return identifier(record.name) ?? identifier(`trunk ${record.id}`) ?? "trunk";
		case "Webhook": {
			const host = URL.canParse(record.url ?? "") ? new URL(record.url ?? "").hostname : undefined;
			return identifier(host) ?? identifier(`webhook ${record.id}`) ?? "webhook";
		}
	}
}

/** `Front desk (2nd)` becomes `frontDesk2nd`; undefined if too little is left. */
export function identifier(text: string | null | undefined): string | undefined {
	const words =
		(text ?? "")
			.normalize("NFKD")
			.replace(/\p{M}/gu, "")
			.match(/[A-Za-z0-9]+/g) ?? [];
	const [first = "", ...rest] = words;
	const name = [
		/^[A-Z0-9]+$/.test(first) ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1),
		...rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)),
	].join("");
	return /^[a-z]/.test(name) ? name.slice(0, 60) : undefined;
}

function unique(name: string, taken: Set<string>): string {
	let free = name;
	for (let number = 2; taken.has(free) || reserved.has(free); number++) free = `${name}${number}`;
	taken.add(free);
	return free;
}

// ---- Languages --------------------------------------------------------------------------------------------------------

export const importFile = (resources: readonly Declared[]): string =>
	`${JSON.stringify(
		{ resources: resources.map(({ type, name, id }) => ({ type: `telephony:index:${type}`, name, id })) },
		null,
		2,
	)}\n`;

const plugin = (path: string) => ({ providers: [{ name: "telephony", path }] });
const pluginPath = "node_modules/pulumi-telephony/bin";

/** Pulumi reads `$$` as `$`, and `${` as the start of an expression. */
const literal = (text: string): string => text.split("$").join("$$");

/** Files by their names. */
export function yamlFiles(name: string, resources: readonly Declared[]): Record<string, string> {
	const value = (each: unknown): unknown => {
		if (each instanceof Reference) return `\${${each.name}.id}`;
		if (typeof each === "string") return literal(each);
		if (Array.isArray(each)) return each.map(value);
		if (typeof each !== "object" || each === null) return each;
		return Object.fromEntries(Object.entries(each).map(([key, item]) => [literal(key), value(item)]));
	};
	const all = Object.fromEntries(
		resources.map(({ type, name, inputs }) => [name, { type: `telephony:${type}`, properties: value(inputs) }]),
	);
	const project = {
		name,
		runtime: "yaml",
		plugins: plugin(pluginPath),
		...(resources.length > 0 && { resources: all }),
	};
	return { "Pulumi.yaml": stringify(project, { lineWidth: 0 }) };
}

/** The classes that the plugin serves. */
export function typescriptFiles(name: string, resources: readonly Declared[]): Record<string, string> {
	const value = (each: unknown, indent: string): string => {
		if (each instanceof Reference) return `${each.name}.id`;
		if (Array.isArray(each)) return `[${each.map((item) => value(item, indent)).join(", ")}]`;
		if (typeof each !== "object" || each === null) return JSON.stringify(each);
		const deeper = `${indent}\t`;
		const lines = Object.entries(each).map(([key, item]) => `${deeper}${keyOf(key)}: ${value(item, deeper)},\n`);
		return `{\n${lines.join("")}${indent}}`;
	};
	const keyOf = (key: string) => (/^[a-z]\w*$/i.test(key) ? key : JSON.stringify(key));
	const statements = resources.map(
		({ type, name, inputs }) => `export const ${name} = new telephony.${type}("${name}", ${value(inputs, "")});\n`,
	);
	return {
		"Pulumi.yaml": stringify({ name, runtime: "nodejs", plugins: plugin(pluginPath) }),
		"index.ts": ['import * as telephony from "pulumi-telephony/plugin";\n', ...statements].join("\n"),
	};
}
