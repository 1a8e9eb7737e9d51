/** Where a record's fields are: in its responses, in its requests, and in those of operations of their own. */
import { type FieldDescription, fieldOf, type RecordDescription } from "./description";
import { fieldsOf } from "./records";

/** Responses, or requests. */
export type Side = "theirs" | "sent";

/** A field with its places. */
export interface Placed {
	readonly ours: string;
	/** In responses; undefined if they don't have it. */
	readonly theirs: string | undefined;
	/** In requests; undefined if they don't have it. */
	readonly sent: string | undefined;
	readonly description: FieldDescription;
	/** True for a field that the description doesn't name. */
	readonly isDefault?: true;
}

/** A property that is read or written by an operation of its own. "" is the place of a whole body. */
export interface OwnPlaces {
	readonly ours: string;
	readonly description: FieldDescription;
	/** In the response of its read. */
	readonly readPlace: string;
	/** In the body of its write. */
	readonly written: string;
	/** The fields inside it, with places relative to its own; none for a property without fields. */
	readonly fields: readonly Placed[];
}

export interface RecordPlaces {
	readonly main: readonly Placed[];
	readonly ownPlaces: readonly OwnPlaces[];
}

/** True for the currency of an amount. */
export const isCurrency = (path: string): boolean => path.endsWith(".currency");

export const isInside = (path: string, outer: string): boolean => path.startsWith(`${outer}.`);
const joined = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(".");

const hasOwnOperation = (field: FieldDescription | undefined): field is FieldDescription =>
	field?.write !== undefined || field?.read !== undefined;

/** Returns the properties with operations of their own. */
export const ownIn = (described: RecordDescription): readonly string[] =>
	Object.keys(described).filter((ours) => hasOwnOperation(fieldOf(described[ours])));

export function placesOf(record: string, described: RecordDescription): RecordPlaces {
	const ownNames = ownIn(described);
	const main = Object.entries(described)
		.filter(([ours]) => !ownNames.some((outer) => isInside(ours, outer)))
		.map(([ours, field]) => mainPlace(ours, fieldOf(field)));
	return { main, ownPlaces: ownNames.map((ours) => placesOfOwn(record, ours, described)) };
}

function mainPlace(ours: string, field: FieldDescription | undefined): Placed {
	if (field === undefined) return { ours, theirs: undefined, sent: undefined, description: {} };
	if (field.is !== undefined) return { ours, theirs: undefined, sent: undefined, description: field };
	const { at = ours, sent, read, write } = field;
	const place = read === undefined ? at : ours;
	return {
		ours,
		theirs: read === undefined ? at : undefined,
		sent: write === undefined ? (sent ?? place) : undefined,
		description: field,
	};
}

function placesOfOwn(record: string, ours: string, described: RecordDescription): OwnPlaces {
	const description = fieldOf(described[ours]) ?? {};
	const { at, sent, read, write } = description;
	const response = typeof read === "object" ? read.response : undefined;
	const within = typeof write === "object" ? write.in : undefined;
	const fields = innerPlaces(record, ours, described);
	const isSimple = fields.length === 0;
	/** Its own name, unless the description names the place around it. */
	const name = (outer: string | undefined) => (isSimple && outer === undefined ? ours.split(".").at(-1) : undefined);
	return {
		ours,
		description,
		fields,
		readPlace: joined(response, at ?? name(response)),
		written: joined(within, sent ?? (isSimple || read !== undefined ? at : undefined) ?? name(within)),
	};
}

/** The described fields inside a property, and the others directly inside it, under their own names. */
function innerPlaces(record: string, outer: string, described: RecordDescription): readonly Placed[] {
	const inner = [...fieldsOf(record).keys()].filter((path) => isInside(path, outer));
	return inner.flatMap((ours): Placed[] => {
		const name = ours.slice(outer.length + 1);
		const field = described[ours];
		if (field === undefined)
			return name.includes(".") ? [] : [{ ours, theirs: name, sent: name, description: {}, isDefault: true }];
		const description = fieldOf(field);
		if (description === undefined || description.is !== undefined)
			return [{ ours, theirs: undefined, sent: undefined, description: description ?? {} }];
		const { at = name, sent = at } = description;
		return [{ ours, theirs: at, sent, description }];
	});
}
