/** The world of the model: accounts, states, a program, and the ledger that judges. Plain data, copied for each step. */
import { createHash } from "node:crypto";
import type { Rules } from "./parts.mts";

export type Kind = "number" | "pool" | "trunk";
export type Key = "right" | "wrong";

export interface Thing {
	readonly id: string;
	readonly kind: "number" | "trunk";
	readonly country: string;
	/** Empty until its first write. */
	readonly reference: string;
	/** The order of purchases, as times. */
	readonly created_at: string;
}

export interface Account {
	readonly live: Map<string, Thing>;
	/** By the key of a purchase, what it bought. */
	readonly keys: Map<string, string>;
	readonly released: Set<string>;
}

export type Values = Readonly<Record<string, unknown>>;

export interface Entry {
	readonly urn: string;
	readonly kind: Kind;
	readonly id: string;
	readonly inputs: Values;
	readonly outs: Values;
	/** `pulumi state taint`. */
	readonly tainted?: boolean;
}

export interface State {
	readonly entries: readonly Entry[];
	/** Replaced, and still to be deleted. */
	readonly pending: readonly Entry[];
}

export interface Declared {
	readonly kind: Kind;
	readonly name: string;
	/** Inside a component. */
	readonly inside: boolean;
	/** The URN that it had before, if `aliases` names it. */
	readonly alias?: string | undefined;
	readonly country: string;
	readonly generation: number;
	readonly allow: boolean;
	readonly adopt?: string | undefined;
}

/** What remembers what: `held` was live and had no declaration of its own when `bought` was bought, and no one said why. */
export interface Pair {
	readonly held: string;
	readonly bought: string;
}

export interface World {
	readonly accounts: Readonly<Record<Key, Account>>;
	main: State;
	/** Of a stack of the same name, kept elsewhere. */
	second: State;
	/** `main` before the last run that changed it. */
	older: State | undefined;
	/** Of `a`. */
	readonly kind: Kind;
	a: Declared | undefined;
	b: Declared | undefined;
	/** Adopts what was refused: a way out. */
	c: Declared | undefined;
	owner: string | undefined;
	key: Key;
	/** What the model itself knows of numbers that must stay. */
	pairs: readonly Pair[];
	count: number;
}

export const none: State = { entries: [], pending: [] };

const newAccount = (): Account => ({ live: new Map(), keys: new Map(), released: new Set() });

export const newWorld = (a: Kind, b: Kind): World => ({
	accounts: { right: newAccount(), wrong: newAccount() },
	main: none,
	second: none,
	older: undefined,
	kind: a,
	a: declared(a, "a"),
	b: declared(b, "b"),
	c: undefined,
	owner: undefined,
	key: "right",
	pairs: [],
	count: 0,
});

export const declared = (kind: Kind, name: string): Declared => ({
	kind,
	name,
	inside: false,
	country: "NL",
	generation: 0,
	allow: false,
});

const copyOf = ({ live, keys, released }: Account): Account => ({
	live: new Map(live),
	keys: new Map(keys),
	released: new Set(released),
});

export const copyWorld = (world: World): World => ({
	...world,
	accounts: { right: copyOf(world.accounts.right), wrong: copyOf(world.accounts.wrong) },
});

const types: Record<Kind, string> = { number: "Number", pool: "NumberPool", trunk: "SipTrunk" };

export const urnOf = ({ kind, name, inside }: Pick<Declared, "kind" | "name" | "inside">): string =>
	`urn:pulumi:dev::shop::${inside ? "shop:Office$" : ""}telephony:index:${types[kind]}::${name}`;

export const names = ["a", "a2", "a3"] as const;

export const allOf = ({ entries, pending }: State): Entry[] => [...entries, ...pending];

/** The numbers and trunks of an entry: a pool has several. */
export const idsOf = ({ kind, id, outs }: Entry): string[] =>
	kind === "pool" ? ((outs.numbers ?? outs.members ?? []) as readonly Values[]).map((each) => String(each.id)) : [id];

/** Equal for worlds that nothing can tell apart: names of ids, leases and words don't matter. */
export function keyOf(world: World, { reference, beside }: Rules): string {
	const labels = new Map<string, number>();
	const label = (text: unknown) => {
		if (typeof text !== "string" || text === "") return text;
		const known = labels.get(text) ?? labels.size;
		labels.set(text, known);
		return known;
	};
	const leased: { id: string; lease: string }[] = [];
	const outsOf = (id: string, outs: Values): unknown => {
		if (typeof outs.lease === "string") leased.push({ id, lease: outs.lease });
		const { members } = outs as { members?: readonly Values[] };
		const own = [outs.token, label(outs.lease), label(outs.account), outs.open, outs.resourceUrn, outs.country];
		return [...own, outs.generation, members?.map((each) => [label(each.id), outsOf(String(each.id), each)])];
	};
	const entryOf = (entry: Entry): unknown => [
		entry.urn,
		label(entry.id),
		[entry.inputs.country, entry.inputs.generation, entry.inputs.allowReplacement, entry.inputs.adopt],
		outsOf(entry.id, entry.outs),
		entry.tainted === true,
		Object.values(world.accounts).map(({ released }) => idsOf(entry).map((id) => released.has(id))),
	];
	const stateOf = ({ entries, pending }: State): unknown => [entries.map(entryOf), pending.map(entryOf)];
	const states = [stateOf(world.main), stateOf(world.second), world.older && stateOf(world.older)];
	const accounts = Object.values(world.accounts).map(({ live, keys }) => {
		for (const { id, reference: text } of live.values())
			leased.push({ id, lease: reference.parseReference(text)?.lease ?? "" });
		return [...live.values()].map((thing) => {
			const said = reference.parseReference(thing.reference);
			const marked = leased.filter((each) => said && beside.isMarked(said.beside, each, false));
			const marks = [...new Set(marked.map(({ id, lease }) => `${label(id)}/${label(lease)}`))].sort();
			const bought = [...keys].flatMap(([key, id]) => (id === thing.id ? [key] : []));
			const own = [label(thing.id), thing.country, said?.token, said?.state, said && label(said.lease)];
			return [...own, said && label(said.account), said?.beside === "*", marks, thing.reference ? [] : bought];
		});
	});
	const pairs = world.pairs.map(({ held, bought }) => `${label(held)}<${label(bought)}`).sort();
	const text = JSON.stringify([states, accounts, world.a, world.b, world.owner, world.key, pairs]);
	// There are hundreds of thousands.
	return createHash("sha1").update(text).digest("base64url");
}
