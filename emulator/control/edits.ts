/** The control API's functions and routes that edit and remove objects. */
import { z } from "zod";
import { type KindName, kinds } from "../../provider/api/contract";
import { pascal } from "../http/openapi/schemas";
import { merge } from "../request/merge";
import { withNewWords } from "../request/new-words";
import { validateUrls } from "../request/plain-urls";
import { edit, findRow, type Service } from "../service/service";
import type { Rows, Stored } from "../store/store";
import { type KindsRules, rulesOf } from "./kinds";

type With<Rule extends string> = {
	[Name in KindName]: KindsRules[Name] extends Readonly<Record<Rule, unknown>> ? Name : never;
}[KindName];
type PatchOf<Name extends KindName> = KindsRules[Name] extends { readonly patch: infer Patch extends z.ZodObject }
	? z.output<Patch>
	: never;

type Pascal<Text extends string> = Text extends `${infer Head}_${infer Tail}`
	? `${Capitalize<Head>}${Pascal<Tail>}`
	: Capitalize<Text>;
type Title<Name extends KindName> = Pascal<(typeof kinds)[Name]["name"]>;

/** One function for each kind that can be edited, such as `patchTrunk`, and each that can be removed. */
export type Edits = {
	readonly [Name in With<"patch"> as `patch${Title<Name>}`]: (id: string, sent: PatchOf<Name>) => Rows[Name];
} & {
	readonly [Name in With<"remove"> as `delete${Title<Name>}`]: (id: string) => void;
};

/** The changes of an object of any kind that can be edited. */
export type Edit = { [Name in With<"patch">]: PatchOf<Name> }[With<"patch">];

type Rule = "patch" | "remove";

const withRule = (rule: Rule): readonly KindName[] =>
	(Object.keys(kinds) as KindName[]).filter((name) => rulesOf(name)[rule] !== undefined);

/** Returns the name of a kind's function, which exists if the kind has the rule. */
export const functionOf = (rule: Rule, name: KindName) =>
	`${rule === "patch" ? "patch" : "delete"}${pascal(kinds[name].name)}` as keyof Edits;

/** The functions of all edits and removals, by the routes of the control API. */
export const editRoutes = (edits: Edits): Readonly<Record<string, Edits[keyof Edits]>> => {
	const routes = (method: string, rule: Rule) =>
		withRule(rule).map((name) => [`${method} ${kinds[name].path}/{id}`, edits[functionOf(rule, name)]] as const);
	return Object.fromEntries([...routes("PATCH", "patch"), ...routes("DELETE", "remove")]);
};

export const createEdits = (service: Service): Edits => {
	const find = (name: KindName, id: string) =>
		(rulesOf(name).find?.(service, id) ?? findRow(service, name, id)) as never;
	const change = (name: KindName, id: string, sent: unknown): Stored => {
		const { patch = z.never(), change = setProperties(name) } = rulesOf(name);
		const accept = (value: unknown) => validateUrls(patch, value, service.post, true);
		const checked = service.settings.acceptNewWords ? withNewWords(patch, sent, accept) : accept(sent);
		return structuredClone(change(service, find(name, id), checked as never));
	};
	const remove = (name: KindName, id: string): void => {
		rulesOf(name).remove?.(service, find(name, id));
	};
	const changes = withRule("patch").map((name) => [
		functionOf("patch", name),
		(id: string, sent: unknown) => change(name, id, sent),
	]);
	const removals = withRule("remove").map((name) => [functionOf("remove", name), (id: string) => remove(name, id)]);
	return Object.fromEntries([...changes, ...removals]) as Edits;
};

const setProperties =
	(name: KindName) =>
	(service: Service, row: Stored, patch: object): Stored =>
		edit(service, name, row as never, (draft: Stored) => {
			Object.assign(draft, merge(draft, patch));
		});
