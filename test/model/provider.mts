/**
 * The provider of one run, in small: create, update, read and delete as provider/ has them, without lag, waits or
 * configuration. What decides is the product's own: `Rules`.
 */
import type { Identity } from "../../provider/ownership/claim.ts";
import type { Memory } from "../../provider/ownership/memory.ts";
import type { Bonds } from "../../provider/ownership/reference.ts";
import type { Rules } from "./parts.mts";
import type { Account, Key, Thing, Values, World } from "./world.mts";

/** A refusal, as a run prints it. `ids` are those that it names. */
export class Refused extends Error {
	readonly code: string;
	readonly ids: readonly string[];
	constructor(code: string, ids: readonly string[], message = code) {
		super(message);
		[this.code, this.ids] = [code, ids];
	}
}

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

const criteriaOf = ({ country, generation }: Values) => [country, "mobile", undefined, generation ?? 0];
const changedIn = (olds: Values, news: Values): string[] =>
	["country", "generation"].filter((key) => (olds[key] ?? 0) !== (news[key] ?? 0));

/** What it knows, and whether that proves the account: rule 2b. */
class Run {
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
}

export class Provider extends Run {
	create(kind: "number" | "member", inputs: Values): { id: string; outs: Values } {
		const claim = this.claim(kind, inputs);
		const live = this.live("number");
		const account = this.refuseStrange(claim, live);
		const { record, earlier } = this.#acquire(claim, inputs, live);
		this.memory.number.setHolder(claim.token, record.id);
		if (!earlier && inputs.adopt === undefined) this.memory.number.made.add(record.id);
		const isBought = inputs.adopt === undefined && !record.reference;
		const bonds = isBought
			? this.#bondsOfPurchase(claim, inputs, record, account)
			: { ...this.rules.ownership.bondsOf(record, {}), account };
		return { id: record.id, outs: this.#write(claim, record, {}, inputs, bonds) };
	}

	#acquire(claim: Identity, inputs: Values, live: readonly Thing[]): { record: Thing; earlier: boolean } {
		if (typeof inputs.adopt === "string") return { record: this.#adopted(claim, inputs.adopt, live), earlier: false };
		const ours = this.rules.claim.findOurs(claim, live, "number", ({ id }) => id);
		const holder = ours && this.memory.number.holderOf(ours.id);
		if (ours !== undefined && (holder === undefined || holder === claim.token)) return { record: ours, earlier: true };
		for (let counter = 0; ; counter++) {
			const key = this.rules.claim.purchaseKey(claim, counter);
			const before = this.account.keys.get(key);
			if (before === undefined) return { record: this.#buy(key, inputs), earlier: false };
			const record = this.#boughtBefore(claim, before);
			if (record !== undefined) return { record, earlier: true };
		}
	}

	/** What a key has bought, if it is to be had; otherwise the next key tells. */
	#boughtBefore(claim: Identity, id: string): Thing | undefined {
		const other = this.memory.number.holderOf(id);
		const record = this.account.live.get(id);
		if ((other !== undefined && other !== claim.token) || record === undefined) return undefined;
		const state = this.rules.ownership.ownership(claim, record);
		if (state === "vacant" || state === "superseded") return record;
		const said = this.rules.reference.parseReference(record.reference);
		if (said === undefined || !this.rules.claim.isSameState(claim, said)) throw new Refused("claimed", [id]);
		return undefined;
	}

	#buy(key: string, inputs: Values): Thing {
		const id = `num_${this.world.count++}`;
		const time = new Date(this.world.count * 60_000).toISOString();
		const thing: Thing = { id, kind: "number", country: String(inputs.country), reference: "", created_at: time };
		this.account.live.set(id, thing);
		this.account.keys.set(key, id);
		const known = [...this.memory.number.older.keys(), ...this.memory.trunk.older.keys()];
		this.bought.push({ id, urn: String(inputs.resourceUrn), account: this.settings.key, known });
		this.reach("bought");
		return thing;
	}

	#adopted(claim: Identity, wanted: string, live: readonly Thing[]): Thing {
		const record = live.find(({ id }) => id === wanted);
		if (record === undefined) throw new Refused("adopt", [wanted]);
		const { parseReference } = this.rules.reference;
		const isOurs = (said: ReturnType<typeof parseReference>) =>
			said !== undefined && said.token === claim.token && this.rules.claim.isSameState(claim, said);
		if (live.some((each) => each.id !== wanted && isOurs(parseReference(each.reference))))
			throw new Refused("adopt", [wanted]);
		if (this.memory.number.isTaken(wanted, [claim.token])) throw new Refused("shared-object", [wanted]);
		const said = parseReference(record.reference);
		const isOwn = said?.token === claim.token || (said !== undefined && said.token === claim.earlier?.token);
		if (!isOwn && record.reference && (said === undefined || !this.rules.claim.isSameState(claim, said)))
			throw new Refused("claimed", [wanted]);
		if (!isOwn && said !== undefined && this.memory.number.declares(said.token))
			throw new Refused("shared-object", [wanted]);
		this.memory.number.setHolder(claim.token, wanted);
		return record;
	}

	/** Rule 2a: what the purchase may have left behind. */
	#bondsOfPurchase(claim: Identity, inputs: Values, bought: Thing, account: string): Bonds {
		const { parseReference } = this.rules.reference;
		const memory = this.memory.number;
		const isSuccessor = memory.hasOther(claim.token);
		const live = this.live("number");
		const left = live.filter(
			(each) => !isSuccessor && each.id !== bought.id && this.#isLeft(claim, inputs, account, each),
		);
		const own = live.flatMap(({ id, reference }) => {
			const said = parseReference(reference);
			return id !== bought.id && said !== undefined && this.#isOwn(claim, said.token) ? [said.beside] : [];
		});
		const marks = left.map(({ id, reference }) => ({ id, lease: parseReference(reference)?.lease }));
		const beside = this.rules.beside.marksOf(marks, own);
		const doubted = own.some((each) => each !== "") ? [] : left;
		memory.remember(
			bought.id,
			beside,
			doubted.map(({ id }) => id),
		);
		return { account, beside };
	}

	#isLeft(claim: Identity, inputs: Values, account: string, record: Thing): boolean {
		const { claim: claims, reference } = this.rules;
		const memory = this.memory.number;
		const said = reference.parseReference(record.reference);
		if (memory.made.has(record.id) || this.#isDeclared(record, said?.token)) return false;
		if (said === undefined) return false;
		const isSame = claims.isSameState(claim, said);
		const isOfStack = (account !== "" && said.account === account) || (isSame && said.home === claim.home);
		if (!isOfStack) return false;
		if (!this.#isOwn(claim, said.token)) return record.country === inputs.country || !isSame;
		const isAsked =
			inputs.allowReplacement === true || !claims.isFor(said, criteriaOf({ ...inputs, country: record.country }));
		return !isAsked;
	}

	#isOwn(claim: Identity, token: string): boolean {
		const { declarationOf } = this.rules.claim;
		return [claim, claim.earlier].some(
			(each) => each !== undefined && declarationOf(each) === declarationOf({ token }),
		);
	}

	#isDeclared({ id }: Thing, token: string | undefined): boolean {
		const memory = this.memory.number;
		const holder = memory.holderOf(id);
		if (holder !== undefined && memory.declares(holder)) return true;
		if (token !== undefined && memory.declares(token)) return true;
		if (memory.adopts((wanted) => wanted === id)) return true;
		return token !== undefined && memory.declaredLike(token)?.hasEntry === true;
	}

	// ---- Write --------------------------------------------------------------------------------------------------------

	#write(claim: Identity, record: Thing, olds: Values, news: Values, bonds: Bonds): Values {
		const { ownership, leasesOf } = this.rules.ownership;
		const isOurs = ownership(claim, record, olds) === "ours" && olds.open === undefined;
		let lease = leasesOf(olds)[0] ?? "";
		if (!(isOurs && lease !== "" && olds.token === claim.token)) {
			lease = `l${this.world.count++}`;
			const reference = this.rules.reference.formatReference(claim, lease, bonds);
			this.account.live.set(record.id, { ...record, reference });
		}
		this.memory.number.onceDeclared(record.id, async () => {
			const now = this.account.live.get(record.id);
			const reference = this.rules.reference.formatReference(claim, lease, { account: bonds.account, beside: "" });
			if (now !== undefined) this.account.live.set(record.id, { ...now, reference });
		});
		this.reach("written");
		const { country, generation, resourceUrn } = news;
		return {
			...{ token: claim.token, lease, account: bonds.account, country, generation, resourceUrn },
			...(news.pool === undefined ? {} : { pool: news.pool }),
		};
	}

	update(kind: "number" | "member", id: string, olds: Values, news: Values): Values {
		const record = this.account.live.get(id);
		if (record === undefined) throw new Refused("gone", [id]);
		const claim = this.claim(kind, news);
		this.#refuseClaimed("number", claim, record, olds);
		return this.#write(claim, record, olds, news, this.rules.ownership.bondsOf(record, olds));
	}

	#refuseClaimed(kind: "number" | "trunk", claim: Identity, record: Thing, entry: Values): void {
		try {
			this.rules.claimed.refuseClaimed(this.memory[kind], { claim, record, entry, what: record.id });
		} catch (error) {
			throw new Refused("claimed", [record.id], (error as Error).message);
		}
	}

	// ---- Read ---------------------------------------------------------------------------------------------------------

	/** Its outputs; undefined if it is gone. */
	read(kind: Claimable, id: string, props: Values): Values | undefined {
		const what = kind === "trunk" ? "trunk" : "number";
		const record = this.judge(what, id, String(props.account ?? ""));
		if (record === undefined) return undefined;
		this.memory[what].setHolder(String(props.token), id);
		const { open: _, ...known } = props;
		const state = this.rules.claimed.ownershipRead(this.claim(kind, props), record, props);
		return state === "vacant" || state === "superseded" ? { ...known, open: { verdict: state } } : known;
	}

	// ---- Trunks -------------------------------------------------------------------------------------------------------

	createTrunk(inputs: Values): { id: string; outs: Values } {
		const claim = this.claim("trunk", inputs);
		const live = this.live("trunk");
		const account = this.refuseStrange(claim, live);
		const ours = this.rules.claim.findOurs(claim, live, "trunk", ({ id }) => id);
		const holder = ours && this.memory.trunk.holderOf(ours.id);
		const isFree = ours !== undefined && (holder === undefined || holder === claim.token);
		const id = isFree ? ours.id : `trk_${this.world.count++}`;
		const lease = `l${this.world.count++}`;
		const reference = this.rules.reference.formatReference(claim, lease);
		const { live: things } = this.account;
		things.set(id, { id, kind: "trunk", country: "", reference, created_at: "" });
		this.memory.trunk.setHolder(claim.token, id);
		if (!isFree) this.memory.trunk.made.add(id);
		return { id, outs: { token: claim.token, lease, account, resourceUrn: inputs.resourceUrn } };
	}

	updateTrunk(id: string, olds: Values, news: Values): Values {
		const record = this.account.live.get(id);
		if (record === undefined) throw new Refused("gone", [id]);
		const claim = this.claim("trunk", news);
		this.#refuseClaimed("trunk", claim, record, olds);
		const lease = `l${this.world.count++}`;
		const bonds = { account: String(olds.account ?? ""), beside: "" };
		this.account.live.set(id, { ...record, reference: this.rules.reference.formatReference(claim, lease, bonds) });
		return { ...olds, token: claim.token, lease, resourceUrn: news.resourceUrn, open: undefined };
	}

	deleteTrunk(id: string, props: Values): void {
		const record = this.judge("trunk", id, String(props.account ?? ""));
		if (record === undefined || this.memory.trunk.holderOf(id) !== undefined) return;
		if (this.mayRemove(this.claim("trunk", props), record, props)) this.account.live.delete(id);
	}

	mayRemove(claim: Identity, record: Thing, entry: Values): boolean {
		const session = { progress: { warn: () => this.kept.add(record.id) } } as never;
		try {
			return this.rules.claimed.mayRemove(session, { claim, record, entry, what: record.id });
		} catch (error) {
			throw new Refused("another-attempt", [record.id], (error as Error).message);
		}
	}

	/** The service has let it go. */
	release(id: string): void {
		this.account.live.delete(id);
		this.account.released.add(id);
		this.released.push(id);
		this.memory.number.forget(id);
		this.reach("deleted");
	}
}
