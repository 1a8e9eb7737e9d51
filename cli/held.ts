/** The objects that stacks hold: by the name of a stack, or in a file that `pulumi stack export` wrote. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { objectOf } from "../provider/lifecycle/resource";
import type { Owned, Unreadable } from "./account";
import { nameIn, outputOf } from "./engine";
import { parsed } from "./json";
import { addressIn } from "./origin";
import { assertStarted } from "./refusals";
import { printable, shortType } from "./report";
import { UsageError } from "./usage";

/** A resource of a state, with an object at the service. */
export interface Holding {
	readonly stack: string;
	/** The last part of its token, such as `Number`. */
	readonly type: string;
	readonly name: string;
	/** Of the object; of a number that is still being ported, its E.164. */
	readonly id: string;
	/** Which declaration it is; absent if the state doesn't say. */
	readonly token?: string;
	/** Of a number, as the last run saw it; absent if the state doesn't say. */
	readonly price?: z.infer<typeof Price>;
}

/** A provider that a program gives its own key or address: it may be another account's. */
export interface OwnProvider {
	readonly stack: string;
	readonly name: string;
	/** Its address; absent where the environment or the stack's configuration gives it. */
	readonly account?: string;
}

/** The content of a state. */
export interface Held {
	readonly holdings: readonly Holding[];
	readonly providers: readonly OwnProvider[];
	/** Of any resource, which names project and stack; absent if the state is empty. */
	readonly urn?: string;
	/** The organization that a resource's outputs name. */
	readonly organization?: string;
}

const Money = z.object({ amount: z.string(), currency: z.string() });
const Price = z.object({ setup: Money, monthly: Money });

const Resources = z.object({
	resources: z
		.array(
			z.object({
				urn: z.string(),
				type: z.string(),
				id: z.string().optional(),
				external: z.boolean().optional(),
				inputs: z.object({ apiKey: z.unknown().optional(), baseUrl: z.unknown().optional() }).loose().optional(),
				outputs: z.record(z.string(), z.unknown()).optional(),
			}),
		)
		.optional(),
});
/** As `pulumi stack export` writes it, and as a backend keeps it. */
const State = z.union([
	z.object({ deployment: Resources.nullable() }).transform(({ deployment }) => deployment?.resources ?? []),
	z
		.object({ checkpoint: z.object({ latest: Resources.nullish() }) })
		.transform(({ checkpoint }) => checkpoint.latest?.resources ?? []),
]);

/** Whether a value of `--stack` names a file. */
export const isFile = (stack: string): boolean => statSync(stack, { throwIfNoEntry: false })?.isFile() ?? false;

/** @throws UsageError if the state can't be read: then its objects are not known */
export async function heldBy(stack: string, cwd: string): Promise<Held> {
	const text = isFile(stack) ? readFileSync(resolve(stack), "utf8") : await exported(stack, cwd);
	const found = State.safeParse(parsed(text));
	if (!found.success)
		throw new UsageError(
			"usage",
			`${stack} holds no state: name a stack, or a file that \`pulumi stack export\` wrote.`,
		);
	const holdings = found.data.flatMap(({ urn, type: token, id, external, outputs }) => {
		const type = shortType(token);
		// An object that a program only looks up is somebody else's.
		if (type === token || external === true || !id) return [];
		if (type === "NumberPool") return numbersOf(stack, outputs);
		const own = typeof outputs?.token === "string" ? { token: outputs.token } : {};
		const price = Price.safeParse(outputs?.price);
		const known = price.success ? { ...own, price: price.data } : own;
		return [{ stack, type, name: nameIn(urn), id: objectOf(id, outputs ?? {}) || id, ...known }];
	});
	const providers = found.data.flatMap(({ urn, type, inputs: { apiKey, baseUrl } = {} }) => {
		const name = nameIn(urn);
		// The engine makes the ones called default, from the stack's configuration.
		if (type !== "pulumi:providers:telephony" || /^default(_|$)/.test(name) || (apiKey ?? baseUrl) === undefined)
			return [];
		const account = typeof baseUrl === "string" ? addressIn(baseUrl) : undefined;
		return [{ stack, name, ...(account === undefined ? {} : { account }) }];
	});
	const [urn] = found.data.map((resource) => resource.urn);
	const [organization] = found.data.flatMap(({ outputs }) =>
		typeof outputs?.token === "string" && typeof outputs.organization === "string" ? [outputs.organization] : [],
	);
	return { holdings, providers, ...(urn && { urn }), ...(organization && { organization }) };
}

const Pool = z.object({
	numbers: z.array(z.object({ name: z.string(), id: z.string() })),
	members: z.array(z.object({ token: z.string().optional() })),
});

/** Each number of a pool is held. @throws UsageError if the state doesn't name them */
function numbersOf(stack: string, outputs: unknown): Holding[] {
	const pool = Pool.safeParse(outputs);
	if (!pool.success) throw new UsageError("usage", `the state of ${stack} doesn't say which numbers a NumberPool has.`);
	const { numbers, members } = pool.data;
	return numbers.map(({ name, id }, at) => {
		const { token } = members[at] ?? {};
		return { stack, type: "Number", name, id, ...(token === undefined ? {} : { token }) };
	});
}

/** Finds who holds an object; the first of several. */
export function holders(holdings: readonly Holding[]): (object: Owned | Unreadable) => Holding | undefined {
	const all = new Map(holdings.toReversed().map((holding) => [`${holding.type} ${holding.id}`, holding]));
	return (object) => {
		const { type } = object;
		if (!("record" in object)) return all.get(`${type} ${object.id}`);
		const found = all.get(`${type} ${object.record.id}`);
		// A resource that waits for a port is named by its number.
		return found ?? (object.type === "Number" ? all.get(`Number ${object.record.number}`) : undefined);
	};
}

async function exported(stack: string, cwd: string): Promise<string> {
	if (stack.endsWith(".json"))
		throw new UsageError(
			"usage",
			`there is no file ${stack}: name a stack, or a file that \`pulumi stack export\` wrote.`,
		);
	const { text, code, stderr } = await outputOf(["stack", "export"], { cwd, stack });
	if (code === 0) return text;
	assertStarted(stderr);
	const said = /^error: (.*)$/m.exec(stderr)?.[1] ?? `the engine ended with exit code ${code}`;
	throw new UsageError("engine", `the state of stack ${stack} can't be read: ${printable(said)}`);
}
