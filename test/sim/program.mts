/** A simulated program: plain data that the engine turns into calls of the provider. */
import type { Values } from "../helpers/protocol.mts";
import { type Args, type Kind, kinds, type Link, typeOf } from "./kinds/index.mts";

/** Names of the resources to which a resource refers, by the names of its kind's links. */
export type Links = Readonly<Record<string, string | undefined>>;

export interface Declared {
	readonly kind: Kind;
	/** Default: the kind's. */
	readonly type?: "NumberPool";
	readonly name: string;
	readonly args: Args;
	readonly links?: Links | undefined;
}

export type Program = readonly Declared[];

/** Returns the names of the resources that this one depends on. */
export const needsOf = ({ links = {} }: Declared): string[] => Object.values(links).flatMap((name) => name ?? []);

/** True for a kind whose resources depend on others: they are created last, and deleted first. */
export const hasLinks = (kind: Kind): boolean => kinds[kind].links !== undefined;

/** Returns the resource with its links to `from` pointing at `to`, or removed. */
export function relinked(declared: Declared, from: string, to: string | undefined): Declared {
	const links = Object.entries(declared.links ?? {}).map(([link, name]) => [link, name === from ? to : name]);
	return { ...declared, links: Object.fromEntries(links) };
}

/** Returns the kind's links that the arguments leave a place for, each with the name of the other resource. */
export function linksOf(declared: Declared): readonly (readonly [link: Link, name: string | undefined])[] {
	const links = Object.entries(kinds[declared.kind].links ?? {});
	return links
		.filter(([, { isUsed }]) => isUsed?.(declared.args) !== false)
		.map(([key, link]) => [link, declared.links?.[key]]);
}

/** Returns the arguments with the ids of linked resources. */
export function argsOf(declared: Declared, idOf: (name: string) => string): Args {
	const linked = linksOf(declared).map(([{ args }, name]) => (name === undefined ? {} : args?.(idOf(name))));
	return Object.assign({ ...declared.args }, ...linked);
}

/** Returns what the SDK registers for a resource. */
export function newsOf(declared: Declared, idOf: (name: string) => string): Values {
	const { kind, type = typeOf(kind), name } = declared;
	const handler = type.replace(/^./, (first) => first.toLowerCase());
	return {
		...argsOf(declared, idOf),
		__provider: `exports.handler = () => require("pulumi-telephony/provider").${handler};`,
		__resourceUrn: `urn:pulumi:dev::campaign::pulumi-nodejs:dynamic/telephony:${type}::${name}`,
	} as Values;
}

/** Returns the properties that replace a number, as one text. */
export const criteriaOf = ({ country, type, area, generation, adopt }: Args): string =>
	JSON.stringify([country, type, area, generation ?? 0, adopt]);

/** True if the number that a resource adopts isn't on the account yet. */
export const isComing = ({ status }: Values): boolean =>
	["porting", "ported", "not_porting", "not_adoptable"].includes(String(status));

/** Returns the secrets that resources declare. */
export const passwordsIn = (program: Program): string[] =>
	program.flatMap(({ kind, args }) => kinds[kind].secret?.declaredIn?.(args) ?? []);
