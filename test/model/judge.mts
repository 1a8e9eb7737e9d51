/** The ledger of the model: which releases have a reason, what may not be lost, and where nothing may be bought. */
import type { Command, Outcome } from "./engine.mts";
import type { Bought } from "./provider.mts";
import { allOf, type Declared, type Entry, idsOf, type Pair, type State, urnOf, type World } from "./world.mts";

export interface Finding {
	/**
	 * The last two break no promise: a refusal without a reason that the ledger knows, and a purchase on another account
	 * than the state's by a run that was shown nothing of the state.
	 */
	readonly rule: "released" | "lost" | "bought" | "stuck" | "needless" | "blind";
	readonly text: string;
}

const numbersOf = (entry: Entry): string[] => (entry.kind === "trunk" ? [] : idsOf(entry));
const heldIn = (state: State, id: string): Entry | undefined =>
	state.entries.find((entry) => idsOf(entry).includes(id));

/** The declaration that an entry of this state belongs to, by its name, or by an alias where nothing has the name. */
const ownerOf = ({ a, b, c }: World, { entries }: State, { urn }: Entry): Declared | undefined =>
	[a, b, c].find((each) => {
		if (each === undefined || urnOf(each) === urn) return each !== undefined;
		return each.alias === urn && !entries.some((other) => other.urn === urnOf(each));
	});

/** Whether the program says that what the entry had may go. */
const asks = ({ allow, generation, kind }: Declared, { inputs }: Entry): boolean =>
	allow || (kind === "number" && generation !== inputs.generation);

/** What a purchase leaves without a declaration of its own, and without a word that it may go. */
const leftBy = (world: World, before: State, bought: Bought): Pair[] =>
	allOf(before).flatMap((entry) =>
		numbersOf(entry)
			.filter((held) => isLeft(world, before, bought, { held, entry }))
			.map((held) => ({ held, bought: bought.id })),
	);

function isLeft(
	world: World,
	before: State,
	{ urn, id, account }: Bought,
	{ held, entry }: { readonly held: string; readonly entry: Entry },
): boolean {
	const { live } = world.accounts[account];
	const thing = live.get(held);
	if (thing === undefined || held === id) return false;
	const own = urn.replace(/\[0\]$/, "");
	const holder = heldIn(before, held) ?? entry;
	const by = ownerOf(world, before, holder);
	if (by !== undefined && urnOf(by) === own) return !asks(by, holder);
	// It has its own; or what is bought stands for what its own resource had.
	if (by !== undefined || before.entries.some((each) => each.urn === own)) return false;
	return thing.country === live.get(id)?.country;
}

/** A successor takes over what its predecessor remembers. */
const inherited = ({ pairs }: World, before: State, { urn, id }: Bought): Pair[] => {
	const own = before.entries.find((entry) => entry.urn === urn.replace(/\[0\]$/, ""));
	return own === undefined
		? []
		: pairs.filter(({ bought }) => idsOf(own).includes(bought)).map(({ held }) => ({ held, bought: id }));
};

/** What breaks no promise. */
export const isMild = ({ rule }: Pick<Finding, "rule">): boolean => rule === "needless" || rule === "blind";

export function judge(world: World, command: Command, outcome: Outcome): Finding[] {
	const { provider, before } = outcome;
	const made = provider.bought.flatMap((each) => [...leftBy(world, before, each), ...inherited(world, before, each)]);
	const pairs = [...world.pairs, ...made];
	const isLive = (id: string) => Object.values(world.accounts).some(({ live }) => live.has(id));
	const findings = [
		...released(world, command, outcome, pairs),
		...(command.allGone ? [] : lost(outcome, isLive)),
		...bought(world, command, outcome),
		...needless(world, command, outcome, pairs),
	];
	const isDeclared = (id: string) => {
		const holder = heldIn(world.main, id);
		return command.what === "up" && holder !== undefined && ownerOf(world, world.main, holder) !== undefined;
	};
	const left = pairs.filter(({ held, bought: id }) => isLive(held) && isLive(id) && !isDeclared(held));
	world.pairs = [...new Map(left.map((pair) => [`${pair.held} ${pair.bought}`, pair])).values()];
	return findings;
}

/** It is wanted, this run has nothing to say of it, or it is remembered itself. What no entry has stands for nothing. */
function isToStay(world: World, command: Command, outcome: Outcome, pairs: readonly Pair[], id: string): boolean {
	const { before, after, provider } = outcome;
	const entry = allOf(after).find((each) => numbersOf(each).includes(id));
	if (entry === undefined || provider.released.includes(id)) return false;
	const isMeant = !command.target || (world.a !== undefined && entry.urn === urnOf(world.a));
	if (command.what === "destroy") return !isMeant;
	const holder = heldIn(after, id);
	if (!isMeant || (holder !== undefined && ownerOf(world, before, holder) !== undefined)) return true;
	return pairs.some(({ held, bought: other }) => held === id && isToStay(world, command, outcome, pairs, other));
}

function released(world: World, command: Command, outcome: Outcome, pairs: readonly Pair[]): Finding[] {
	const { what, release = [] } = command;
	const { provider, before, after } = outcome;
	const why = (id: string): string | undefined => {
		const entry = heldIn(before, id) ?? before.pending.find((each) => numbersOf(each).includes(id));
		if (entry === undefined) return "no entry of this state had it";
		const holder = heldIn(after, id);
		if (what === "up" && holder !== undefined && ownerOf(world, after, holder)) return "a declared entry has it";
		if (release.includes(id)) return undefined;
		const by = ownerOf(world, before, entry);
		const isAllowed = (bought: string) => {
			const other = heldIn(after, bought) ?? heldIn(before, bought);
			const to = other && ownerOf(world, after, other);
			return to?.allow === true && to === by;
		};
		const stays = (bought: string): boolean => isToStay(world, command, outcome, pairs, bought);
		const open = pairs.find((pair) => pair.held === id && stays(pair.bought) && !isAllowed(pair.bought));
		if (open !== undefined) return `${open.bought} was bought while it had no declaration, and stays`;
		if (what === "destroy" || by === undefined || asks(by, entry)) return undefined;
		return "its resource is declared, and nobody has said that it may go";
	};
	return provider.released.flatMap((id) => {
		const text = why(id);
		return text === undefined ? [] : [{ rule: "released", text: `${id} was released: ${text}` }];
	});
}

function lost({ provider, before, after }: Outcome, isLive: (id: string) => boolean): Finding[] {
	const left = new Set(allOf(after).flatMap(idsOf));
	return allOf(before)
		.flatMap(idsOf)
		.filter((id) => !left.has(id) && isLive(id) && !provider.kept.has(id))
		.map((id) => ({ rule: "lost", text: `${id} is live, and its entry is gone without a word` }));
}

function bought({ accounts }: World, { allGone }: Command, { provider, before }: Outcome): Finding[] {
	if (allGone) return [];
	return provider.bought.flatMap(({ id, account, known }): Finding[] => {
		const { live, released: gone } = accounts[account];
		const isStrange = (each: string) => !live.has(each) && !gone.has(each) && isElsewhere(accounts, each);
		const text = `${id} was bought on the ${account} account, where what the state has isn't`;
		if (known.some(isStrange)) return [{ rule: "bought", text }];
		const all = allOf(before).flatMap(idsOf);
		return known.length === 0 && all.some(isStrange) && !all.some((each) => live.has(each))
			? [{ rule: "blind", text }]
			: [];
	});
}

const isElsewhere = (accounts: World["accounts"], id: string): boolean =>
	Object.values(accounts).some(({ live }) => live.has(id));

function needless(world: World, { what }: Command, { errors, before }: Outcome, pairs: readonly Pair[]): Finding[] {
	return errors.flatMap(({ code, ids: [id = ""] }) => {
		if (code !== "remembered" || pairs.some(({ held }) => held === id)) return [];
		const entry = heldIn(before, id);
		const isRemoved = entry !== undefined && ownerOf(world, before, entry) === undefined;
		return isRemoved || what === "destroy"
			? [{ rule: "needless", text: `${id} was not released, and nothing stands for it` }]
			: [];
	});
}
