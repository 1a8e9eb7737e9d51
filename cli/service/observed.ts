/** Exchanges with what is known about them, and records and items in their responses. */
import type { Feature } from "../../provider/api/contract";
import { type Description, fieldOf } from "../../provider/api/description/description";
import type { ServiceDescription } from "../../provider/api/description/service-description";
import { at, isObject, type Json } from "../../provider/api/json";
import type { Exchange, Step } from "./checkup";

/** Exchanges, with a description that includes earlier findings. */
export interface Observations {
	readonly exchanges: readonly Exchange[];
	readonly description: Description;
	readonly dialect: ServiceDescription;
	/** Returns the last exchange of a step. */
	readonly last: (step: Step) => Exchange | undefined;
	/** Returns what the configuration or the description declares about a feature. */
	readonly offers: (feature: Feature) => boolean | undefined;
}

/** Returns the service's place of our field. */
export const placeOf = ({ records }: Description, record: string, field: string): string => {
	const stated = records?.[record]?.[field];
	return (stated === undefined ? undefined : fieldOf(stated)?.at) ?? field;
};

export const itemsOf = (exchange: Exchange | undefined, { lists }: Description): readonly Json[] => {
	const items = at(exchange?.json, lists?.items ?? "data");
	return Array.isArray(items) ? items.filter(isObject) : [];
};

/** Returns the record of a response. */
export function findRecord({ json }: Exchange, record: string, { envelopes }: Description): Json | undefined {
	const envelope = envelopes?.[record]?.answer;
	const found = envelope === undefined ? json : at(json, envelope);
	return isObject(found) ? found : undefined;
}

export function findId(record: Json | undefined, kind: string, description: Description): string | undefined {
	const id = at(record, placeOf(description, kind, "id"));
	return (typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : undefined;
}
