/** The memory of the next run, as far as a preview's steps tell it, with what it buys. */
import type { Money, NumberRecord } from "../provider/api/contract";
import { nameOf, phaseOf } from "../provider/api/record";
import { identityFor, type KnownService, objectOf } from "../provider/lifecycle/resource";
import type { Verdict } from "../provider/ownership/beside";
import { findOurs, type Identity, isSameState, ownerName } from "../provider/ownership/claim";
import { Memory } from "../provider/ownership/memory";
import { parseReference } from "../provider/ownership/reference";
import { writtenE164 } from "../provider/properties/canonical";
import { changedProperties, type Values } from "../provider/properties/table";
import { driftDefinition } from "../provider/resources";
import { contradiction } from "../provider/resources/number/adopt";
import { type Buyer, matchesName } from "../provider/resources/number/beside";
import { isKnown } from "../provider/resources/number/limits";
import { criteriaOf, numberClaim } from "../provider/resources/number/properties";
import { refuseOthers } from "../provider/resources/number/purchase";
import { foundIndices } from "../provider/resources/number-pool/found";
import { type Member, memberInputs, membersIn } from "../provider/resources/number-pool/members";
import { freeIndices, type Plan, planOf, refusePlan } from "../provider/resources/number-pool/plan";
import { memberClaim, nameIn, poolClaim } from "../provider/resources/number-pool/properties";
import { forEachKind } from "../provider/session/kinds";
import { nameIn as nameInUrn } from "./engine";
import type { PlanStep } from "./plan-steps";

/** Why a number is bought. */
export type BuyReason = "new" | "lost" | "replacement" | "generation" | "growth" | "rename";

export interface Purchase {
	readonly why: BuyReason;
	/** Of the resource, or of the number in its pool. */
	readonly name: string;
	/** Some may not be known yet. */
	readonly criteria: Values;
	/** Whose name it seems to have had. */
	readonly was?: string;
	/** See `PlanStep.provider`. */
	readonly provider?: string;
}

/** A number that the run goes on with, instead of buying one. */
export interface TakeOver {
	readonly name: string;
	readonly id: string;
	readonly e164?: string;
}

/** What becomes of a number whose entry goes. */
export type Fate = Exclude<Verdict, "release"> | "released" | "gone" | "forgotten" | "excluded" | "superseded";

/** The run ends in an error because of these. */
const refusedFates: readonly Fate[] = [
	"replaced",
	"duplicate",
	"remembered",
	"protected",
	"unasked",
	"adopted",
	"superseded",
];
export const isRefused = ({ fate }: Pick<Ending, "fate">): boolean => refusedFates.includes(fate);

export interface Ending {
	readonly why: "removed" | "replacement" | "generation" | "shrinking";
	readonly name: string;
	readonly id: string;
	readonly e164?: string;
	readonly criteria: Values;
	readonly monthly?: Money;
	readonly fate: Fate;
	/** The purchases that stand for it, by name. */
	readonly instead: readonly string[];
	/** It may end otherwise: by the order of the run's steps, or because the run ends in an error before. */
	readonly doubt?: "order" | "error";
}

export interface Change {
	readonly name: string;
	readonly type: string;
	readonly op: PlanStep["op"];
	/** Of an update. */
	readonly paths: readonly string[];
}

export interface Deeds {
	readonly purchases: readonly Purchase[];
	readonly takeOvers: readonly TakeOver[];
	/** What `adopt` names. */
	readonly adopts: readonly { readonly name: string; readonly wanted: string }[];
	readonly endings: readonly Ending[];
	/** What the run refuses, and why. */
	readonly refusals: readonly { readonly name: string; readonly message: string }[];
	readonly changes: readonly Change[];
	/** The names of the pending numbers that the run waits for. */
	readonly waits: readonly string[];
	/** How many numbers the stack keeps. */
	readonly keeps: number;
	/** Pools whose `count` isn't known yet. */
	readonly uncounted: readonly string[];
}

/** What is known of the account. */
export interface Known {
	readonly service: KnownService;
	/** The live numbers; undefined if nobody has looked, or nobody could. */
	readonly live: readonly NumberRecord[] | undefined;
}

/** A number that the run buys, or takes over as its own purchase. */
interface Bought extends Buyer {
	readonly id: string;
	readonly name: string;
	/** Its own resource had another one. */
	readonly isSuccessor: boolean;
}

/** A number whose entry goes. */
export interface Going {
	readonly step: PlanStep;
	readonly why: Ending["why"];
	readonly name: string;
	readonly id: string;
	/** The entry's outputs. */
	readonly props: Values;
	readonly claim: Identity;
	/** The pool that gives it up goes on: others may be bought at the same time. */
	readonly isOfPool?: "shrinking" | "excluding";
}

type Gathered<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

export class ForeseenRun {
	readonly known: Known;
	readonly memory = { ...forEachKind(() => new Memory()), pool: new Memory() };
	readonly bought: Bought[] = [];
	readonly going: Going[] = [];
	readonly deeds: Gathered<Deeds> = {
		...{ purchases: [], takeOvers: [], adopts: [], endings: [], refusals: [] },
		...{ changes: [], waits: [], keeps: 0, uncounted: [] },
	};
	/** The word of the account that the state's entries have. */
	account = "";

	constructor(known: Known) {
		this.known = known;
	}

	/** What the provider would refuse here, the run refuses too. */
	tried({ name }: PlanStep, work: () => void): void {
		try {
			work();
		} catch (error) {
			this.deeds.refusals.push({ name, message: (error as Error).message });
		}
	}

	/** The account of another provider is not looked at. */
	liveFor = ({ provider }: PlanStep) => (provider === undefined ? this.known.live : undefined);

	claimOf = (source: Parameters<typeof identityFor>[0], values: Values): Identity =>
		identityFor(source, values, this.known.service);

	// ---- What the steps say -----------------------------------------------------------------------------------------------

	/** Takes in what a step declares, and what its entry holds. */
	declare(step: PlanStep): void {
		if (step.type === "Number") this.#declareNumber(step);
		if (step.type === "NumberPool") this.tried(step, () => this.#declarePool(step));
		const { old, type } = step;
		if (old && type === "SipTrunk") this.memory.trunk.note(old.id, old.outputs);
		if (old && type === "Webhook") this.memory.webhook.note(old.id, old.outputs);
		this.#noteChange(step);
	}

	#declareNumber(step: PlanStep): void {
		const { op, keys, old, news } = step;
		const numbers = this.memory.number;
		const claim = news && isKnown(news) ? this.claimOf(numberClaim, news) : undefined;
		const isReplaced = op === "replace" && keys.length > 0;
		// After a taint and with `--replace`, the engine keeps the old inputs back.
		const hasEntry = old !== undefined && (op !== "replace" || isReplaced);
		if (news && claim) numbers.declare({ token: claim.token, inputs: news, hasEntry });
		if (old === undefined) return;
		const id = objectOf(old.id, old.outputs);
		this.#note(id, old.outputs);
		const holder = isReplaced ? old.outputs.token : claim?.token;
		if (op !== "delete" && id !== "" && typeof holder === "string") numbers.setHolder(holder, id);
		if (op === "update") this.#refuseGone(step, [{ id, name: step.name }]);
		if (op === "update" || op === "same")
			this.#keep(news, [{ name: nameInUrn(String(news?.resourceUrn)), outs: old.outputs }]);
	}

	#declarePool(step: PlanStep): void {
		const { op, keys, old, news } = step;
		const numbers = this.memory.number;
		const members = old === undefined ? [] : membersIn(old.outputs);
		for (const { id, outs } of members) this.#note(id, outs);
		if (news === undefined) return;
		const isReplaced = op === "replace" && keys.length > 0;
		this.memory.pool.declare({
			token: this.claimOf(poolClaim, news).token,
			inputs: news,
			hasEntry: old !== undefined,
		});
		const { staying } = planOf(members, old?.outputs ?? {}, news);
		for (const { id, index, outs } of staying) {
			const inputs = memberInputs(news, index, outs.adopted === true);
			const { token } = this.claimOf(memberClaim, inputs);
			if (op !== "replace" || isReplaced) numbers.declare({ token, inputs, hasEntry: true });
			numbers.setHolder(isReplaced ? String(outs.token) : token, id);
		}
		const isWritten = ({ index, outs }: Member) =>
			JSON.stringify(memberInputs(news, index)) !==
				JSON.stringify(memberInputs({ ...old?.outputs, resourceUrn: news.resourceUrn }, index)) ||
			outs.lease === undefined;
		if (op === "update")
			this.#refuseGone(
				step,
				staying.filter(isWritten).map(({ id, index }) => ({ id, name: nameIn(news, index) })),
			);
		if (op === "update" || op === "same")
			this.#keep(
				news,
				staying.map(({ index, outs }) => ({ name: nameIn(news, index), outs })),
			);
	}

	/** An update of a number that is gone fails; a refresh takes it out of the state. */
	#refuseGone(step: PlanStep, numbers: readonly { readonly id: string; readonly name: string }[]): void {
		const live = this.liveFor(step);
		const [gone] = numbers.filter(({ id }) => id !== "" && live?.every((each) => each.id !== id));
		if (live === undefined || gone === undefined) return;
		const message = `its number ${gone.id} is gone, and is to be changed: look at the plan with --refresh.`;
		this.deeds.refusals.push({ name: gone.name, message });
	}

	#note(id: string, outputs: Values): void {
		if (id === "") return;
		this.memory.number.note(id, outputs);
		if (typeof outputs.account === "string") this.account ||= outputs.account;
	}

	#keep(news: Values | undefined, numbers: readonly { readonly name: string; readonly outs: Values }[]): void {
		this.deeds.keeps += numbers.length;
		if (news?.waitForActive === false) return;
		this.deeds.waits.push(...numbers.filter(({ outs }) => phaseOf(outs) === "pending").map(({ name }) => name));
	}

	#noteChange({ type, name, op, old, news }: PlanStep): void {
		const isNumber = type === "Number" || type === "NumberPool";
		if (op === "same" || (isNumber && op !== "update")) return;
		const properties = driftDefinition(type)?.properties ?? {};
		const paths = op === "update" && old && news ? changedProperties(properties, old.outputs, news) : [];
		const isWaiting = paths.length === 0 && this.deeds.waits.some((each) => each.replace(/\[\d+\]$/, "") === name);
		if (!isWaiting) this.deeds.changes.push({ name, type, op, paths });
	}

	// ---- Purchases --------------------------------------------------------------------------------------------------------

	buy(step: PlanStep): void {
		const isMade = step.op === "create" || step.op === "replace";
		if (step.type === "Number" && isMade) this.tried(step, () => this.#buyNumber(step));
		if (step.type === "NumberPool" && (isMade || step.op === "update")) this.tried(step, () => this.#fillPool(step));
	}

	#buyNumber(step: PlanStep): void {
		const { name, news = {} } = step;
		if (typeof news.adopt === "string") {
			this.#adopt(step, name, news.adopt, news);
			return;
		}
		const purchase = { why: reasonOf(step), name, criteria: criteriaOf(news) };
		if (!isKnown(news)) {
			this.#purchase(step, purchase);
			return;
		}
		const claim = this.claimOf(numberClaim, news);
		const ours = findOurs(claim, this.liveFor(step) ?? [], "number", nameOf);
		const isFree = ours !== undefined && [undefined, claim.token].includes(this.memory.number.holderOf(ours.id));
		if (isFree) this.#takeOver(name, claim, news, ours);
		else this.#purchase(step, purchase, { claim, inputs: news });
	}

	/** @throws Error if it certainly can't be taken over */
	#adopt(step: PlanStep, name: string, wanted: string, news: Values): void {
		const record = this.liveFor(step)?.find((each) => matchesName(each, wanted));
		const isMissing = this.liveFor(step) !== undefined && record === undefined;
		// What a port order is to bring is named by its E.164, and isn't there yet.
		if (isMissing && writtenE164(wanted) === undefined)
			throw new Error(`adopt: there is no number ${wanted} on the account.`);
		const wrong = record && contradiction(criteriaOf(news), record);
		if (record && wrong !== undefined) throw new Error(`adopt: ${nameOf(record)} ${wrong}`);
		const [claim, said] = [this.claimOf(numberClaim, news), parseReference(record?.reference)];
		if (record?.reference && said?.token !== claim.token && !(said && isSameState(claim, said)))
			throw new Error(`adopt: ${nameOf(record)} is claimed by ${ownerName(record.reference, claim)}.`);
		this.deeds.adopts.push({ name, wanted });
	}

	/** Also takes in what a pool gives up: it does that in the same step. */
	#fillPool(step: PlanStep): void {
		const { op, old, news = {} } = step;
		if (typeof news.count !== "number") {
			this.deeds.uncounted.push(step.name);
			return;
		}
		const members = op === "update" ? membersIn(old?.outputs ?? {}) : [];
		const before = members.length === 0 ? {} : (old?.outputs ?? {});
		const plan = planOf(members, before, news);
		refusePlan(plan, members, members.length === 0 ? news : before, news);
		const gone = (isOfPool: "shrinking" | "excluding") => (member: Member) => this.giveUp(step, member, news, isOfPool);
		plan.going.forEach(gone("shrinking"));
		plan.leaving.forEach(gone("excluding"));
		if (plan.missing > 0) this.#acquire(step, news, members, plan);
	}

	#acquire(step: PlanStep, news: Values, members: readonly Member[], { missing, adopting }: Plan): void {
		const live = isKnown(news) ? (this.liveFor(step) ?? []) : [];
		const found = foundIndices(this.known.service, live, news);
		const taken = new Set(members.map(({ index }) => index));
		const isNamed = (record: NumberRecord) => adopting.some((each) => matchesName(record, each));
		const wanted = adopting.filter((each) => ![...found.values()].some((record) => matchesName(record, each)));
		const indices = freeIndices(missing, taken, news, [...found.keys()]);
		if (indices.length > missing) {
			const message = `interrupted runs bought ${indices.length - missing} numbers more for this pool than its \`count\` says, and nobody has said which may go: raise \`count\`, or name them in \`release\` or \`exclude\` once it has them.`;
			this.deeds.refusals.push({ name: step.name, message });
		}
		for (const index of indices) {
			const [name, inputs, record] = [nameIn(news, index), memberInputs(news, index), found.get(index)];
			const claim = this.claimOf(memberClaim, inputs);
			this.memory.number.declare({ token: claim.token, inputs, hasEntry: false });
			const adopted = record === undefined ? wanted.shift() : isNamed(record) ? record.id : undefined;
			if (adopted !== undefined) this.#adopt(step, name, adopted, news);
			else if (record !== undefined) this.#takeOver(name, claim, inputs, record);
			else this.#purchase(step, { why: reasonOf(step), name, criteria: criteriaOf(news) }, { claim, inputs });
		}
	}

	giveUp(step: PlanStep, { index, id, outs }: Member, pool: Values, isOfPool?: Going["isOfPool"]): void {
		const own = memberInputs(pool, index, outs.adopted === true);
		const props = { ...outs, onDelete: own.onDelete, pool: own.pool };
		const claim = this.claimOf(memberClaim, props);
		const isReplaced = isOfPool === undefined && this.memory.pool.declaredAt(pool.resourceUrn) !== undefined;
		if (!isReplaced) this.memory.number.undeclare(claim.token);
		const why = isReplaced ? "replacement" : isOfPool === undefined ? "removed" : "shrinking";
		this.going.push({ step, why, name: nameIn(pool, index), id, props, claim, ...(isOfPool && { isOfPool }) });
	}

	#takeOver(name: string, claim: Identity, inputs: Values, record: NumberRecord): void {
		const { id, number } = record;
		if (this.memory.number.holderOf(id) === undefined) refuseOthers({ session: this, inputs }, record);
		this.deeds.takeOvers.push({ name, id, ...(number == null ? {} : { e164: number }) });
		this.#remember(id, name, { claim, inputs });
	}

	#purchase(
		{ provider }: PlanStep,
		purchase: Purchase,
		of?: { readonly claim: Identity; readonly inputs: Values },
	): void {
		this.deeds.purchases.push({ ...purchase, ...(provider === undefined ? {} : { provider }) });
		if (of !== undefined) this.#remember(`new ${purchase.name}`, purchase.name, of);
	}

	#remember(id: string, name: string, { claim, inputs }: { readonly claim: Identity; readonly inputs: Values }): void {
		const numbers = this.memory.number;
		const isSuccessor = numbers.hasOther(claim.token);
		this.bought.push({ id, name, claim, inputs, criteria: criteriaOf(inputs), isSuccessor, session: this });
		numbers.acquire(claim.token, id);
	}
}

function reasonOf({ type, op, keys, isLost }: PlanStep): BuyReason {
	if (op === "update") return "growth";
	if (op === "create") return isLost ? "lost" : "new";
	return type === "Number" && keys.length === 1 && keys[0] === "generation" ? "generation" : "replacement";
}
