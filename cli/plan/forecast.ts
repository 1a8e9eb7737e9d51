/** Forecasts what the next run does with numbers, from the steps of a preview and the account's numbers, by the provider's rules. */
import type { Client } from "../../provider/api/client";
import type { Money, NumberRecord } from "../../provider/api/contract";
import { nameOf, phaseOf } from "../../provider/api/record";
import { expectedRemoval, type Removal } from "../../provider/lifecycle/removal";
import { type Claimant, identityFor, objectOf } from "../../provider/lifecycle/resource";
import { findOurs, type Identity, ownerName } from "../../provider/ownership/claim";
import { Memory } from "../../provider/ownership/memory";
import { isToBeClaimed } from "../../provider/ownership/ownership";
import { writtenE164 } from "../../provider/properties/canonical";
import { changedProperties, type Values } from "../../provider/properties/table";
import { driftDefinition } from "../../provider/resources";
import { adoptedNumber, isReferenced, matchesName } from "../../provider/resources/number/candidates";
import { isKnown } from "../../provider/resources/number/limits";
import { criteriaOf, numberClaim, numberProperties } from "../../provider/resources/number/properties";
import { retainedBecause } from "../../provider/resources/number/release";
import { type Member, memberInputs, membersIn } from "../../provider/resources/number-pool/members";
import { assertPossible, type Plan, planOf, slotsOf } from "../../provider/resources/number-pool/plan";
import { memberClaim, nameIn } from "../../provider/resources/number-pool/properties";
import type { Config } from "../../provider/session/config";
import { type Former, formerSteps } from "./former";
import { isReplacement, type PlanStep } from "./steps";

/** `rename` and `move`: the program removes a resource of another name or parent. */
export type BuyReason = "new" | "lost" | "replacement" | "generation" | "growth" | "rename" | "move";

export interface Purchase {
	readonly why: BuyReason;
	/** Name of the resource, or of the number in its pool. */
	readonly name: string;
	/** Values may be unknown. */
	readonly criteria: Values;
	/** For `rename` and `move`: the resource that is removed, and the alias that keeps its numbers. */
	readonly former?: Former | undefined;
	/** See `PlanStep.provider`. */
	readonly provider?: string | undefined;
}

/** A number that is on the account already. */
export interface FoundNumber {
	readonly name: string;
	readonly id: string;
	readonly e164?: string | undefined;
}

/** A number that the run removes from the state. `forgotten`: `retainOnDelete` makes the engine drop it. */
export interface RemovedNumber extends FoundNumber {
	readonly why: "removed" | "replacement" | "generation" | "shrinking" | "excluded";
	readonly criteria: Values;
	readonly monthly?: Money | undefined;
	readonly outcome: Exclude<Removal, "declared"> | "forgotten";
	/** Why the number is left. */
	readonly because: string | undefined;
	/** The owner of a claimed number. */
	readonly owner?: string | undefined;
}

export interface Change {
	readonly name: string;
	readonly type: string;
	readonly op: PlanStep["op"];
	/** The properties that an update changes. */
	readonly paths: readonly string[];
}

export interface Forecast {
	readonly purchases: readonly Purchase[];
	/** Numbers on the account that a resource without a number has claimed. */
	readonly resumes: readonly FoundNumber[];
	/** Numbers that `adopt` names. */
	readonly adopts: readonly { readonly name: string; readonly wanted: string }[];
	readonly removals: readonly RemovedNumber[];
	/** Errors at which the run fails. */
	readonly refusals: readonly { readonly name: string; readonly message: string }[];
	readonly changes: readonly Change[];
	/** The names of the pending numbers that the run waits for. */
	readonly waits: readonly string[];
	/** How many numbers the stack keeps. */
	readonly keeps: number;
	/** Pools whose `count` is unknown. */
	readonly uncounted: readonly string[];
}

export interface KnownAccount {
	readonly service: { readonly client: Client; readonly config: Config };
	/** The live numbers; undefined if the list wasn't read. */
	readonly live: readonly NumberRecord[] | undefined;
}

/** @param steps of a preview that succeeded */
export async function forecast(steps: readonly PlanStep[], account: KnownAccount): Promise<Forecast> {
	const run = new ForecastRun(steps, account);
	for (const step of steps) await run.declare(step);
	for (const step of steps) await run.create(step);
	for (const step of steps) await run.remove(step);
	return run.forecast;
}

type Gathered<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

/** Plays the next run on a memory like the provider's. */
class ForecastRun {
	readonly forecast: Gathered<Forecast> = {
		...{ purchases: [], resumes: [], adopts: [], removals: [], refusals: [] },
		...{ changes: [], waits: [], keeps: 0, uncounted: [] },
	};
	readonly #account: KnownAccount;
	readonly #numbers = new Memory();
	/** Declared inputs by URN. */
	readonly #declared: ReadonlyMap<string, Values>;
	readonly #former: ReadonlyMap<string, Former>;

	constructor(steps: readonly PlanStep[], account: KnownAccount) {
		this.#account = account;
		this.#declared = new Map(steps.flatMap(({ urn, news }) => (news === undefined ? [] : [[urn, news]])));
		this.#former = formerSteps(steps);
	}

	#claimOf(source: Claimant, values: Values): Identity {
		return identityFor(source, values, this.#account.service);
	}

	/** The account of another provider isn't read. */
	#liveFor({ provider }: PlanStep): readonly NumberRecord[] | undefined {
		return provider === undefined ? this.#account.live : undefined;
	}

	/** Collects the error at which the run would fail. */
	async #attempt({ name }: PlanStep, work: () => void | Promise<void>): Promise<void> {
		try {
			await work();
		} catch (error) {
			this.forecast.refusals.push({ name, message: (error as Error).message });
		}
	}

	// ---- Declarations -----------------------------------------------------------------------------------------------------

	/** Records the declaration and the state of a step. */
	async declare(step: PlanStep): Promise<void> {
		if (step.type === "Number") this.#declareNumber(step);
		if (step.type === "NumberPool") await this.#attempt(step, () => this.#declarePool(step));
		this.#noteChange(step);
	}

	#declareNumber(step: PlanStep): void {
		const { op, old, news, name } = step;
		const claim = news && isKnown(news) ? this.#claimOf(numberClaim, news) : undefined;
		if (news && claim) this.#numbers.declare({ token: claim.token, inputs: news, hasEntry: old !== undefined });
		if (old === undefined || op === "delete") return;
		const token = isReplacement(step) ? old.outputs.token : claim?.token;
		const id = objectOf(old.id, old.outputs);
		if (id !== "" && typeof token === "string") this.#numbers.setHolder(token, id);
		if (op === "update") this.#refuseMissing(step, [{ id, name }]);
		if (op === "update" || op === "same") this.#keep(news, [{ name, outs: old.outputs }]);
	}

	#declarePool(step: PlanStep): void {
		const { op, old, news } = step;
		if (news === undefined) return;
		const members = old === undefined ? [] : membersIn(old.outputs);
		const { staying } = planOf(members, old?.outputs ?? {}, news);
		for (const { id, index, outs } of staying) {
			const inputs = memberInputs(news, index, outs.adopt);
			const { token } = this.#claimOf(memberClaim, inputs);
			this.#numbers.declare({ token, inputs, hasEntry: true });
			this.#numbers.setHolder(isReplacement(step) ? String(outs.token) : token, id);
		}
		const written = staying.filter((member) => this.#isWritten(member, news));
		if (op === "update")
			this.#refuseMissing(
				step,
				written.map(({ id, index }) => ({ id, name: nameIn(news, index) })),
			);
		if (op === "update" || op === "same")
			this.#keep(
				news,
				staying.map(({ index, outs }) => ({ name: nameIn(news, index), outs })),
			);
	}

	#isWritten({ index, outs }: Member, news: Values): boolean {
		const inputs = memberInputs(news, index, outs.adopt);
		const olds = { ...outs, onDelete: inputs.onDelete };
		const isChanged = changedProperties(numberProperties, olds, inputs).length > 0;
		return isChanged || isToBeClaimed(outs, this.#claimOf(memberClaim, inputs));
	}

	/** An update fails at a number that is no longer on the account. */
	#refuseMissing(step: PlanStep, numbers: readonly Pick<FoundNumber, "id" | "name">[]): void {
		const live = this.#liveFor(step);
		const missing = numbers.filter(({ id }) => id !== "" && live?.every((each) => each.id !== id));
		for (const { id, name } of live === undefined ? [] : missing)
			this.forecast.refusals.push({
				name,
				message: `its number ${id} is not on the account. \`telephony plan --refresh\` shows the effect of a refresh.`,
			});
	}

	#keep(news: Values | undefined, numbers: readonly { readonly name: string; readonly outs: Values }[]): void {
		this.forecast.keeps += numbers.length;
		if (news?.waitForActive === false) return;
		this.forecast.waits.push(...numbers.filter(({ outs }) => phaseOf(outs) === "pending").map(({ name }) => name));
	}

	#noteChange({ type, name, op, old, news }: PlanStep): void {
		const isNumber = type === "Number" || type === "NumberPool";
		if (op === "same" || (isNumber && op !== "update")) return;
		const properties = driftDefinition(type)?.properties ?? {};
		const paths = op === "update" && old && news ? changedProperties(properties, old.outputs, news) : [];
		const isWaiting = paths.length === 0 && this.forecast.waits.some((each) => each.replace(/\[\d+\]$/, "") === name);
		if (!isWaiting) this.forecast.changes.push({ name, type, op, paths });
	}

	// ---- Creates ----------------------------------------------------------------------------------------------------------

	async create(step: PlanStep): Promise<void> {
		const { type, op, name, news = {} } = step;
		const isMade = op === "create" || op === "replace";
		if (type === "Number" && isMade)
			await this.#attempt(step, () => this.#acquire(step, { name, inputs: news, source: numberClaim }));
		if (type === "NumberPool" && (isMade || op === "update")) await this.#attempt(step, () => this.#fillPool(step));
	}

	/** Adopts, resumes or buys one number, in the provider's order. */
	async #acquire(
		step: PlanStep,
		{ name, inputs, source }: { readonly name: string; readonly inputs: Values; readonly source: Claimant },
	): Promise<void> {
		if (!isKnown(inputs)) return this.#purchase(step, name, inputs);
		const claim = this.#claimOf(source, inputs);
		const live = this.#liveFor(step);
		if (typeof inputs.adopt === "string") return this.#adopt(name, { claim, inputs, adopt: inputs.adopt }, live);
		const found = this.#findOurs(claim, live);
		const holder = found && this.#numbers.holderOf(found.id);
		if (found === undefined || ![undefined, claim.token].includes(holder)) {
			this.#purchase(step, name, inputs);
			this.#numbers.acquire(claim.token, `new ${name}`);
			return;
		}
		// After a taint or `--replace`, the resource's own number is found.
		if (holder === undefined) this.forecast.resumes.push(foundNumber(name, found));
		else this.forecast.keeps += 1;
		this.#numbers.acquire(claim.token, found.id);
	}

	#findOurs(
		claim: Identity,
		live: readonly NumberRecord[] | undefined,
	): Pick<NumberRecord, "id" | "number"> | undefined {
		const held = this.#numbers.idOf(claim.token);
		if (live === undefined) return held === undefined ? undefined : { id: held };
		return isReferenced(this.#account, live)
			? findOurs(claim, live, "number", nameOf)
			: live.find(({ id }) => id === held);
	}

	/** @throws TelephonyError if the number can't be adopted */
	async #adopt(
		name: string,
		{ claim, inputs, adopt }: { readonly claim: Identity; readonly inputs: Values; readonly adopt: string },
		live: readonly NumberRecord[] | undefined,
	): Promise<void> {
		// While a port is in progress, the number isn't listed; `adopt` has its E.164.
		const isComing = writtenE164(adopt) !== undefined && !live?.some((each) => matchesName(each, adopt));
		if (live !== undefined && !isComing) {
			const session = { memory: { number: this.#numbers } };
			const adopting = { session, service: this.#account.service, claim, criteria: criteriaOf(inputs) };
			const { id } = await adoptedNumber(adopting, adopt, live);
			this.#numbers.acquire(claim.token, id);
		}
		this.forecast.adopts.push({ name, wanted: adopt });
	}

	#purchase(step: PlanStep, name: string, inputs: Values): void {
		const why = reasonOf(step);
		const former = why === "new" ? this.#former.get(step.urn) : undefined;
		const isMove = former?.name === step.name;
		const index = /\[\d+\]$/.exec(name)?.[0] ?? "";
		this.forecast.purchases.push({
			why: former === undefined ? why : isMove ? "move" : "rename",
			name,
			criteria: criteriaOf(inputs),
			former: former && { ...former, name: `${former.name}${index}` },
			provider: step.provider,
		});
	}

	/** Also removes the members that the pool gives up, which it does in the same step. */
	async #fillPool(step: PlanStep): Promise<void> {
		const { op, old, news = {} } = step;
		if (typeof news.count !== "number") {
			this.forecast.uncounted.push(step.name);
			return;
		}
		const members = op === "update" ? membersIn(old?.outputs ?? {}) : [];
		const before = members.length === 0 ? {} : (old?.outputs ?? {});
		const plan = planOf(members, before, news);
		assertPossible(plan, members, before, news);
		for (const member of plan.leaving) this.#removeMember(step, member, "excluded");
		if (plan.missing > 0) await this.#growPool(step, news, members, plan);
		for (const member of plan.removing) this.#removeMember(step, member, "shrinking");
	}

	async #growPool(step: PlanStep, news: Values, members: readonly Member[], plan: Plan): Promise<void> {
		const live = isKnown(news) ? (this.#liveFor(step) ?? []) : [];
		for (const { index, adopt } of slotsOf(this.#account.service, live, plan, members, news)) {
			const inputs = memberInputs(news, index, adopt);
			const { token } = this.#claimOf(memberClaim, inputs);
			this.#numbers.declare({ token, inputs, hasEntry: false });
			await this.#acquire(step, { name: nameIn(news, index), inputs, source: memberClaim });
		}
	}

	// ---- Deletes ----------------------------------------------------------------------------------------------------------

	async remove(step: PlanStep): Promise<void> {
		const { type, op, old, urn, name } = step;
		if (op !== "delete" || old === undefined) return;
		const successor = this.#declared.get(urn);
		if (type === "NumberPool")
			await this.#attempt(step, () => {
				for (const member of membersIn(old.outputs))
					this.#removeMember(step, member, successor === undefined ? "removed" : "replacement");
			});
		if (type !== "Number") return;
		const props = old.outputs;
		const isNext = (successor?.generation ?? 0) !== (props.generation ?? 0);
		const why = successor === undefined ? "removed" : isNext ? "generation" : "replacement";
		this.#removeNumber(step, {
			id: objectOf(old.id, props),
			name,
			why,
			props,
			claim: this.#claimOf(numberClaim, props),
		});
	}

	#removeMember(step: PlanStep, { index, id, outs }: Member, why: RemovedNumber["why"]): void {
		const pool = step.news ?? step.old?.outputs ?? {};
		const claim = this.#claimOf(memberClaim, outs);
		if (why !== "replacement") this.#numbers.undeclare(claim.token);
		this.#removeNumber(step, { id, name: nameIn(pool, index), why, props: outs, claim });
	}

	#removeNumber(
		step: PlanStep,
		{ id, name, why, props, claim }: Pick<RemovedNumber, "id" | "name" | "why"> & { props: Values; claim: Identity },
	): void {
		const live = this.#liveFor(step);
		const listed = live?.find((each) => each.id === id);
		if (id === "" || (live !== undefined && listed === undefined)) return;
		const record = listed ?? { id };
		const because = retainedBecause(this.#numbers, record, props);
		const removal = expectedRemoval(this.#numbers, { claim, record, outs: props }, because !== undefined);
		const outcome = step.isForgotten ? "forgotten" : removal;
		if (outcome === "declared") return;
		const { monthly } = (props.price ?? listed?.price ?? {}) as { readonly monthly?: Money };
		this.forecast.removals.push({
			...foundNumber(name, { id, number: typeof props.phoneNumber === "string" ? props.phoneNumber : listed?.number }),
			...{ why, criteria: criteriaOf(props), outcome, because, monthly },
			owner: outcome === "claimed" ? ownerName(listed?.reference, claim) : undefined,
		});
	}
}

const foundNumber = (name: string, { id, number }: Pick<NumberRecord, "id" | "number">): FoundNumber => ({
	name,
	id,
	e164: number ?? undefined,
});

function reasonOf({ type, op, keys, isLost }: PlanStep): BuyReason {
	if (op === "update") return "growth";
	if (op === "create") return isLost ? "lost" : "new";
	return type === "Number" && keys.length === 1 && keys[0] === "generation" ? "generation" : "replacement";
}
