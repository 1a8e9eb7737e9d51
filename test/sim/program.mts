/** A simulated program: plain data that the engine turns into calls of the provider. */
import type { Values } from "../helpers/protocol.mts";
import { type Args, type Kind, kinds } from "./kinds.mts";

export interface Declared {
	readonly kind: Kind;
	/** Default: the kind's. */
	readonly type?: "NumberPool";
	readonly name: string;
	readonly args: Args;
	/** Names of resources whose ids this one uses: a number's trunk and KYC profile, an adopted number's port order. */
	readonly trunk?: string | undefined;
	readonly profile?: string | undefined;
	readonly port?: string | undefined;
}

export type Program = readonly Declared[];

const links = ["trunk", "profile", "port"] as const;

/** Returns the names of the resources that this one depends on. */
export const needsOf = (declared: Declared): string[] => links.flatMap((link) => declared[link] ?? []);

/** Returns the resource with its links to `from` pointing at `to`, or removed. */
export const relinked = (declared: Declared, from: string, to: string | undefined): Declared =>
	Object.assign({ ...declared }, ...links.map((link) => (declared[link] === from ? { [link]: to } : {})));

/** The emulator requires a profile in Germany only. */
export const hasKyc = ({ country }: Args): boolean => country === "DE";

/** Returns what the SDK registers for a resource. */
export function newsOf(declared: Declared, idOf: (name: string) => string): Values {
	const { kind, type = kinds[kind].type, name, args, trunk, profile } = declared;
	const handler = type.replace(/^./, (first) => first.toLowerCase());
	return {
		...args,
		...(trunk === undefined ? {} : { routing: { type: "trunk", trunkId: idOf(trunk) } }),
		...(profile === undefined || !hasKyc(args) ? {} : { kycProfileId: idOf(profile) }),
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

export const passwordsIn = (program: Program): string[] =>
	program.flatMap(({ args }) => (args.auth as { readonly password?: string } | undefined)?.password ?? []);
