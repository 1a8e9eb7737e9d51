/** The property `adopt`, which names an object that is on the account already. */
import { z } from "zod";
import { type Form, sameDeclaration, words } from "../properties/form";
import {
	type CheckFailure,
	failure,
	type Properties,
	type Property,
	unknownValue,
	type Values,
} from "../properties/table";

/** Returns the property `adopt` of one kind of object. `form` decides which spellings name the same object. */
export const adoptProperty = (
	noun: string,
	description: string,
	named = `the id of a ${noun}`,
	form: Form = words,
): Property => ({
	type: () => z.string().trim().min(1, `must be ${named}`),
	description,
	change: {
		does: "replaces",
		words: `replaces the ${noun}, unless \`adopt\` names the current ${noun}; removing \`adopt\` changes nothing`,
	},
	form,
});

const withArticle = (noun: string): string => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;

/** Returns the property `adopt` of a kind of objects that cost nothing. */
export const adoptFree = (noun: string, rules = "Read only when the resource is created."): Property =>
	adoptProperty(
		noun,
		`Id of ${withArticle(noun)} that is on the account and that no other stack claims. The resource adopts the ${noun} instead of creating another, and \`destroy\` retains it.

${rules}`,
	);

/**
 * Keeps `adopt` in the inputs if the program drops it, as only create reads it. `olds` are the inputs of the last write.
 * `inputs` are completed in place. `changed` are the other properties whose change replaces the object.
 */
export function keepAdopt(noun: string, olds: Values, inputs: Values, changed: readonly string[] = []): CheckFailure[] {
	if (olds.__resourceUrn === undefined || olds.adopt === undefined) return [];
	if (inputs.adopt == null && changed.length === 0) inputs.adopt = olds.adopt;
	if (inputs.adopt !== olds.adopt) return [];
	return changed.map((key) =>
		failure(`${key}: this change replaces the ${noun}, but \`adopt\` names the current one. Remove \`adopt\` too`),
	);
}

export function adoptsAnother(form: Form, id: string, names: readonly unknown[], { adopt }: Values): boolean {
	if (adopt == null || adopt === unknownValue) return false;
	return ![id, ...names].some((name) => typeof name === "string" && sameDeclaration(form, name, adopt));
}

/** True if `adopt` names an object that the state doesn't have yet. */
export const isAdopting = ({ adopt }: Properties, olds: Values, news: Values): boolean =>
	typeof news.adopt === "string" && !sameDeclaration(adopt?.form ?? words, olds.adopt, news.adopt);
