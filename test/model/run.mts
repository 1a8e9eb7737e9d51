/** What one run of the provider knows, and whether that proves the account: rule 2b, without lag or waits. */
import type { Identity } from "../../provider/ownership/claim.ts";
import type { Memory } from "../../provider/ownership/memory.ts";
import type { Rules } from "./parts.mts";
import { Refused } from "./refused.mts";
import type { Account, Key, Thing, Values, World } from "./world.mts";

/** The process is gone. */
export class Killed extends Error {}

export type Moment = "bought" | "written" | "deletes" | "deleted";

export interface Settings {
	readonly owner: string | undefined;
	readonly key: Key;
	/** The backend's URL. */
	readonly place: string;
	readonly release: readonly string[];
	readonly allGone: boolean;
	/** It is killed there. */
	readonly kill: Moment | undefined;
}

export interface Bought {
	readonly id: string;
	readonly urn: string;
	readonly account: Key;
	/** What diffs have shown before: entries of the state. */
	readonly known: readonly string[];
}

export type Claimable = "number" | "member" | "pool" | "trunk";

export const criteriaOf = ({ country, generation }: Values) => [country, "mobile", undefined, generation ?? 0];
const changedIn = (olds: Values, news: Values): string[] =>
	["country", "generation"].filter((key) => (olds[key] ?? 0) !== (news[key] ?? 0));

export class Run {
	readonly rules: Rules;
	readonly memory: Readonly<Record<"number" | "pool" | "trunk", Memory>>;
	readonly settings: Settings;
	/** What the ledger is told. */
	readonly bought: Bought[] = [];
	readonly released: string[] = [];
	/** Ids that warnings have named as kept. */
	readonly kept = new Set<string>();
	readonly world: World;
	readonly account: Account;
	readonly #proven = new Set<string>();
	readonly #made = {
		has: (id: string) => this.memory.number.made.has(id) || this.memory.trunk.made.has(id),
	};

	constructor(rules: Rules, world: World, settings: Settings) {
		const { Memory } = rules.memory;
		[this.rules, this.world, this.settings] = [rules, world, settings];
		this.memory = { number: new Memory(), pool: new Memory(), trunk: new Memory() };
		this.account = world.accounts[settings.key];
	}

	reach(moment: Moment): void {
		if (this.settings.kill === moment) throw new Killed(moment);
	}

	claim(kind: Claimable, values: Values): Identity {
		const criteria = kind === "number" || kind === "member" ? criteriaOf(values) : [];
		const { owner, place } = this.settings;
		const source = { kind, values: { resourceUrn: values.resourceUrn }, criteria, owner, places: [place] };
		return this.rules.claim.identityOf(source);
	}

	// ---- Check and diff -----------------------------------------------------------------------------------------------

	check(kind: "number" | "pool" | "trunk", olds: Values, inputs: Values): void {
		const hasEntry = Object.keys(olds).length > 0;
		this.memory[kind].declare({ token: this.claim(kind, inputs).token, inputs, hasEntry });
		if (kind === "trunk" || !hasEntry) return;
		if (olds.country !== inputs.country && inputs.allowReplacement !== true) throw new Refused("check", []);
		if (inputs.adopt !== undefined && olds.adopt !== inputs.adopt) throw new Refused("adopt", []);
	}

	note(kind: "number" | "trunk", id: string, outs: Values): void {
		if (outs.token !== undefined) this.memory[kind].note(id, outs);
	}

	diff(kind: "number" | "member", id: string, olds: Values, news: Values): { changes: boolean; replaces: boolean } {
		const memory = this.memory.number;
		const claim = this.claim(kind, news);
		const replaces = changedIn(olds, news).length > 0;
		const holder = replaces ? olds.token : claim.token;
		const taken = memory.isTaken(id, [claim.token, olds.token]);
		memory.found(id);
		if (typeof holder === "string" && holder !== "" && !taken) memory.setHolder(holder, id);
		return { changes: replaces || this.rules.ownership.isToBeClaimed(olds, claim) || taken, replaces };
	}

	diffTrunk(id: string, olds: Values, news: Values): boolean {
		const claim = this.claim("trunk", news);
		const taken = this.memory.trunk.isTaken(id, [claim.token, olds.token]);
		if (!taken) this.memory.trunk.setHolder(claim.token, id);
		return taken || this.rules.ownership.isToBeClaimed(olds, claim);
	}

	// ---- Whether it is this account: rule 2b --------------------------------------------------------------------------

	live(kind: "number" | "trunk"): Thing[] {
		return [...this.account.live.values()].filter((thing) => thing.kind === kind);
	}

	#see(shown: readonly Thing[]): void {
		const { provenBy } = this.rules.account;
		for (const each of shown)
			for (const { older } of [this.memory.number, this.memory.trunk])
				for (const word of provenBy(each, { older, made: this.#made })) this.#proven.add(word);
	}

	#unproven() {
		const kinds = [this.memory.number, this.memory.trunk];
		return kinds.flatMap((kind) => this.rules.account.unproven(kind, this.#proven));
	}

	#seeReleased(): void {
		for (const { older } of [this.memory.number, this.memory.trunk])
			for (const [id, word] of older) if (this.account.released.has(id)) this.#proven.add(word);
	}

	/** It, as it is now; undefined if it is certainly gone. */
	judge(kind: "number" | "trunk", id: string, word: string): Thing | undefined {
		const thing = this.account.live.get(id);
		if (thing !== undefined && thing.kind === kind) {
			this.#see([thing]);
			return thing;
		}
		const isProven = () => this.settings.allGone || this.#proven.has(word);
		if (isProven()) return undefined;
		if (this.#unproven().length > 0) this.#seeReleased();
		for (const each of ["number", "trunk"] as const) if (this.#unproven().length > 0) this.#see(this.live(each));
		if (!isProven()) throw new Refused("wrong-account", [id]);
		return undefined;
	}

	refuseStrange(claim: Identity, live: readonly Thing[]): string {
		this.#see(live);
		if (!this.settings.allGone) {
			for (const kind of ["number", "trunk"] as const)
				for (const [, ids] of this.rules.account.unproven(this.memory[kind], this.#proven))
					for (const id of [...ids].slice(0, 3)) this.#see(this.live(kind).filter((each) => each.id === id));
			if (this.#unproven().length > 0) this.#seeReleased();
			const [strange] = this.#unproven();
			if (strange !== undefined) throw new Refused("wrong-account", [...strange[1]]);
		}
		return this.#word(claim, live);
	}

	#word(claim: Identity, live: readonly Thing[]): string {
		const { parseReference } = this.rules.reference;
		const kinds = [this.memory.number, this.memory.trunk];
		const own = [...this.#proven].filter((word) => kinds.some(({ accounts }) => accounts.has(word)));
		const ours = live.find(({ id, reference }) => {
			const said = parseReference(reference);
			const isOurs = said !== undefined && !this.#made.has(id) && said.home === claim.home;
			return isOurs && this.rules.claim.isSameState(claim, said) && said.account;
		});
		const found = own.find((word) => word !== "") ?? own[0] ?? parseReference(ours?.reference)?.account;
		// One process has one fresh word.
		this.#fresh ??= `w${this.world.count++}`;
		return found ?? this.#fresh;
	}
	#fresh: string | undefined;

	// ---- Create -------------------------------------------------------------------------------------------------------
}
