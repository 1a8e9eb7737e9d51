/** The part of JSON Schema that describes the carriers' requests and responses. */
export interface Schema {
	readonly type: string | readonly string[];
	readonly description?: string;
	readonly enum?: readonly unknown[];
	readonly pattern?: string;
	readonly maxLength?: number;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly items?: Schema;
	readonly minItems?: number;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	/** Schema of the values of a map, or false if only `properties` are allowed. */
	readonly additionalProperties?: Schema | false;
}

export const text = (maxLength: number): Schema => ({ type: "string", maxLength });

/** An object without unknown fields. Every field is required unless `required` lists fewer. */
export function object(properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema {
	return { type: "object", properties, required, additionalProperties: false };
}

export function nullable(schema: Schema): Schema {
	return { ...schema, type: [schema.type, "null"].flat() };
}

function typesOf(value: unknown): string[] {
	if (value === null) return ["null"];
	if (Array.isArray(value)) return ["array"];
	return Number.isInteger(value) ? ["integer", "number"] : [typeof value];
}

function faultOfText(schema: Schema, value: string, at: string): string | undefined {
	if ([...value].length > (schema.maxLength ?? Infinity)) return `${at} has more than ${schema.maxLength} characters`;
	if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) return `${at} is malformed`;
	return undefined;
}

function faultOfNumber({ minimum = -Infinity, maximum = Infinity }: Schema, value: number, at: string) {
	return value < minimum || value > maximum ? `${at} is out of range` : undefined;
}

function faultOfArray({ items, minItems = 0 }: Schema, value: readonly unknown[], at: string): string | undefined {
	if (value.length < minItems) return `${at} is empty`;
	const faults = value.map((item, index) => items && faultOf(items, item, `${at}[${index}]`));
	return faults.find((fault) => fault !== undefined);
}

function faultOfObject(schema: Schema, value: Record<string, unknown>, at: string): string | undefined {
	const missing = schema.required?.find((name) => !Object.hasOwn(value, name));
	if (missing !== undefined) return `${at}.${missing} is missing`;
	const { properties = {} } = schema;
	for (const [name, part] of Object.entries(value)) {
		const described = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
		if (described === false) return `${at}.${name} is unknown`;
		const fault = described && faultOf(described, part, `${at}.${name}`);
		if (fault !== undefined) return fault;
	}
	return undefined;
}

/** Returns the first reason why a value doesn't fit. */
export function faultOf(schema: Schema, value: unknown, at: string): string | undefined {
	if (!typesOf(value).some((type) => [schema.type].flat().includes(type))) return `${at} must be ${schema.type}`;
	if (value === null) return undefined;
	if (schema.enum !== undefined && !schema.enum.includes(value)) return `${at} has no value ${value}`;
	if (typeof value === "string") return faultOfText(schema, value, at);
	if (typeof value === "number") return faultOfNumber(schema, value, at);
	if (Array.isArray(value)) return faultOfArray(schema, value, at);
	return typeof value === "object" ? faultOfObject(schema, value as Record<string, unknown>, at) : undefined;
}
