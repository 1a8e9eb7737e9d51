/** Finds removed resources that a created one replaces: a rename or a move without `aliases`. */
import { parseUrn } from "../../provider/ownership/claim";
import { unknownValue, type Values } from "../../provider/properties/table";
import { criteriaKeys, sameCriterion } from "../../provider/resources/number/properties";
import type { PlanStep } from "./steps";

export interface Former {
	readonly name: string;
	/** The option that keeps its numbers, such as `aliases: [{ name: "old" }]`. */
	readonly alias: string;
}

/** Returns, by the URN of each created resource, the removed one whose numbers it could keep. */
export function formerSteps(steps: readonly PlanStep[]): ReadonlyMap<string, Former> {
	const declared = new Set(steps.flatMap(({ urn, news }) => (news === undefined ? [] : [urn])));
	const removed = new Set(steps.filter(({ op, urn, old }) => op === "delete" && old && !declared.has(urn)));
	const former = new Map<string, Former>();
	const created = steps.filter(
		({ op, type, news, isDeleted }) => op === "create" && isBought(type, news) && !isDeleted,
	);
	for (const isFit of [isSameName, () => true])
		for (const step of created) {
			if (former.has(step.urn)) continue;
			const found = [...removed].find((old) => isLike(step, old) && isFit(step, old));
			if (found === undefined) continue;
			removed.delete(found);
			former.set(step.urn, { name: found.name, alias: aliasOf(step, found) });
		}
	return former;
}

const isBought = (type: string, news: Values | undefined): boolean =>
	type === "NumberPool" || (type === "Number" && news?.adopt === undefined);

const isSameName = (step: PlanStep, old: PlanStep): boolean => step.name === old.name;

const isLike = ({ type, news }: PlanStep, removed: PlanStep): boolean =>
	type === removed.type &&
	criteriaKeys.every(
		(key) => news?.[key] !== unknownValue && sameCriterion(key, news ?? {}, removed.old?.inputs ?? {}),
	);

/** Returns the option of the new resource, with the changed parts of its identity. */
function aliasOf(step: PlanStep, { urn, name, old }: PlanStep): string {
	const { parents: formerParents } = parseUrn(urn);
	const parts: string[] = [];
	if (step.name !== name) parts.push(`name: ${literal(name)}`);
	if (parseUrn(step.urn).parents !== formerParents) {
		const parent = literal(old?.parent ?? "URN of its former parent");
		parts.push(`parent: ${formerParents === "" ? "pulumi.rootStackResource" : parent}`);
	}
	return `aliases: [{ ${parts.join(", ")} }]`;
}

/** Quotes a text for JavaScript, without the sign that ends a code span. */
const literal = (text: string): string => JSON.stringify(text).replaceAll("`", "\\u0060");
