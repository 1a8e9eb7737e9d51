/** The criteria of a purchase. They never change in place. */
import type { BuyNumber } from "../../api/contract";
import { canonicalArea } from "../../properties/canonical";
import { unknownValue, type Values } from "../../properties/table";

export const criteriaKeys = ["country", "type", "area"] as const;

export type Criterion = (typeof criteriaKeys)[number];

/** Returns the criterion in canonical form: purchases with one idempotency key must be the same request. */
export const criterionOf = (key: Criterion, values: Values): unknown =>
	key === "area" && typeof values.area === "string" ? canonicalArea(values.area, values.country) : values[key];

export function criteriaOf(values: Values): BuyNumber {
	const { country, type, area } = values;
	return { country, type, ...(area === undefined ? {} : { area: criterionOf("area", values) }) } as BuyNumber;
}

const isKnown = ({ country }: Values): boolean => country != null && country !== unknownValue;

/** True if both have the same criterion. If one country is unknown, both areas are read as the other country's. */
export function sameCriterion(key: Criterion, a: Values, b: Values): boolean {
	if (key !== "area") return (a[key] ?? null) === (b[key] ?? null);
	const areaOf = (values: Values, fallback: Values) =>
		criterionOf("area", isKnown(values) ? values : { ...values, country: fallback.country });
	return (areaOf(a, b) ?? null) === (areaOf(b, a) ?? null);
}

/** True if the number meets the criteria, as far as both are known. */
export const isLikeCriteria = (criteria: Values, record: Values): boolean =>
	criteriaKeys.every((key) => criteria[key] == null || record[key] == null || sameCriterion(key, criteria, record));
