/** Forecasts the next run by the provider's own decisions. Nothing is carried out. */
import type { Money, NumberRecord } from "../../provider/api/contract";
import { isTelephonyError } from "../../provider/api/errors";
import { pickBy } from "../../provider/api/json";
import type { MessageCode } from "../../provider/api/message-codes";
import { isOpenPort, phaseOf } from "../../provider/api/record";
import { decideAcquisition } from "../../provider/lifecycle/acquire";
import type { Definition, Run } from "../../provider/lifecycle/definition";
import { decideEnding, endingOf } from "../../provider/lifecycle/end";
import { decideWrite } from "../../provider/lifecycle/lifecycle";
import { retainReason } from "../../provider/lifecycle/messages";
import { objectOf } from "../../provider/lifecycle/resource";
import { type Identity, ownerName, type Referenced } from "../../provider/ownership/claim";
import { formatReference, freshLease, retainedLease } from "../../provider/ownership/reference";
import { writtenE164 } from "../../provider/properties/canonical";
import { changedProperties, unknownValue, type Values } from "../../provider/properties/table";
import { driftDefinition, resources } from "../../provider/resources";
import { matchesName } from "../../provider/resources/number/candidates";
import { number } from "../../provider/resources/number/handler";
import { isKnown } from "../../provider/resources/number/limits";
import { ordersOf } from "../../provider/resources/number/port";
import { criteriaOf, numberProperties } from "../../provider/resources/number/properties";
import { type Member, memberInputs, membersIn } from "../../provider/resources/number-pool/members";
import { PoolNumbers } from "../../provider/resources/number-pool/numbers";
import {
	assertPossible,
	planOf,
	retainingExcluded,
	type Slot,
	slotsOf,
} from "../../provider/resources/number-pool/plan";
import { memberClaim, nameIn } from "../../provider/resources/number-pool/properties";
import type { Service } from "../../provider/session/session";
import type { Facts } from "./facts";
import { type Former, formerSteps } from "./former";
import type { PlanStep } from "./steps";

/** `rename` and `move`: the program removes a resource of another name or parent. */
export type BuyReason = "new" | "deleted" | "replacement" | "generation" | "growth" | "rename" | "move";

export interface Purchase {
	readonly why: BuyReason;
	/** Name of the resource, or of the number in its pool. */
	readonly name: string;
	/** Values may be unknown. */
	readonly criteria: Values;
	/** True if the program names a KYC profile for it. */
	readonly hasProfile: boolean;
	/** For `rename` and `move`: the resource that is removed, and the alias that keeps its numbers. */
	readonly former?: Former | undefined;
	/** See `PlanStep.provider`. */
	readonly provider?: string | undefined;
	/** Name of the program's provider, which counts its purchases and releases by itself. */
	readonly process?: string | undefined;
	/** Unclaimed matching numbers. Under the idempotency key, the purchase may turn out to be one of them. */
	readonly candidates: readonly NumberRecord[];
}

/** An object that is on the account already. */
export interface FoundObject {
	readonly kind: Definition<Referenced>["noun"];
	/** Name of the resource, or of the number in its pool. */
	readonly name: string;
	readonly id: string;
	readonly e164?: string | undefined;
}

/** Criteria of a number, as far as they are known. */
export interface Criteria {
	readonly country?: string;
	readonly type?: string;
	readonly area?: string;
}

/** An object that the run removes from the state. */
export interface RemovedObject extends FoundObject, Criteria {
	readonly why: "removed" | "replacement" | "generation" | "shrinking" | "excluded";
	readonly monthly?: Money | undefined;
	/** See `Purchase.process`. */
	readonly process?: string | undefined;
}

export interface Change {
	readonly name: string;
	readonly type: string;
	readonly op: PlanStep["op"];
	/** The properties that an update changes. */
	readonly paths: readonly string[];
}

export interface Forecast {
	readonly purchases: Purchase[];
	/** Objects that a resource without one has claimed. */
	readonly resumes: FoundObject[];
	/** Objects that `adopt` names. */
	readonly adopts: { readonly name: string; readonly wanted: string }[];
	readonly releases: RemovedObject[];
	/** Objects that stay on the account, with the reason. A later run recognizes only those with a reference. */
	readonly retains: (RemovedObject & { readonly because: string; readonly hasReference: boolean })[];
	/** Objects that another resource or stack has claimed: the state forgets them. */
	readonly forgets: (RemovedObject & { readonly owner: string })[];
	/** Errors at which the run fails. */
	readonly refusals: { readonly name: string; readonly code: MessageCode; readonly message: string }[];
	readonly changes: Change[];
	/** The names of the pending numbers that the run waits for. */
	readonly waits: string[];
	/** How many numbers of the stack stay as they are. */
	unchanged: number;
	/** Pools whose `count` is unknown. */
	readonly uncounted: string[];
}

interface Plan {
	readonly facts: Facts;
	readonly forecast: Forecast;
	readonly former: ReadonlyMap<string, Former>;
}

/** A resource of a step, or a number of its pool. */
interface Target {
	readonly step: PlanStep;
	readonly name: string;
	readonly definition: Definition<Referenced>;
}

export async function forecastOf(facts: Facts): Promise<Forecast> {
	const forecast: Forecast = {
		purchases: [],
		resumes: [],
		adopts: [],
		releases: [],
		retains: [],
		forgets: [],
		refusals: [],
		changes: [],
		waits: [],
		unchanged: 0,
		uncounted: [],
	};
	const plan = { facts, forecast, former: formerSteps(facts.steps) };
	const failed = new Set<string>();
	for (const step of facts.steps) {
		const refusedBefore = forecast.refusals.length;
		await attempt(plan, step.name, () => forecastWrite(plan, step));
		if (forecast.refusals.length > refusedBefore) failed.add(step.urn);
	}
	// The engine deletes last, and keeps a replaced resource if its replacement failed.
	for (const step of facts.steps)
		if (!failed.has(step.urn)) await attempt(plan, step.name, () => forecastDelete(plan, step));
	return forecast;
}

/** Collects the error at which the run would fail. */
async function attempt({ forecast }: Plan, name: string, work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		if (!isTelephonyError(error)) throw error;
		forecast.refusals.push({ name, code: error.messageCode, message: error.message });
	}
}

const numberDefinition = number as unknown as Definition<Referenced>;
const memberDefinition = { ...numberDefinition, source: memberClaim };

/** Undefined for a resource that stands for no object of its own. */
function definitionOf(type: PlanStep["type"]): Definition<Referenced> | undefined {
	const resource = resources[type];
	return "definition" in resource ? (resource.definition as unknown as Definition<Referenced>) : undefined;
}

/** A provider of the program has its own owner, not the stack's. */
const serviceFor = ({ service }: Facts, { process }: PlanStep): Service =>
	process === undefined ? service : { ...service, config: { ...service.config, owner: process.owner } };

function runOf(facts: Facts, { step, definition }: Pick<Target, "step" | "definition">): Run<Referenced> {
	const { session } = facts;
	const service = serviceFor(facts, step);
	const operations = definition.operations(service, session);
	return { session, service, memory: session.memory[definition.noun], definition, operations };
}

/** False for an object of another provider, whose account isn't read, and if the numbers can't be read. */
const isReadable = ({ facts }: Plan, { step, definition }: Target): boolean =>
	step.provider === undefined && (definition.noun !== "number" || facts.live !== undefined);

// ---- Creates and updates ----------------------------------------------------------------------------------------------

async function forecastWrite(plan: Plan, step: PlanStep): Promise<void> {
	const { type, op, name, old, news } = step;
	if (news === undefined) return;
	if (type === "NumberPool") return fillPool(plan, step, news);
	const definition = definitionOf(type);
	const isMade = op === "create" || op === "replace";
	if (definition === undefined) return op === "same" ? undefined : noteChange(plan, step);
	const target = { step, name, definition };
	// A number that is being ported has no object yet.
	const porting = old !== undefined && objectOf(old.id, old.outputs) === "" ? old.id : undefined;
	if (isMade) return acquire(plan, target, news);
	if (old === undefined) return;
	if (type === "Number") noteStaying(plan, step, [{ name, outs: old.outputs, news }]);
	if (op === "same") return;
	if (porting !== undefined) return acquire(plan, target, { ...news, adopt: news.adopt ?? porting });
	noteChange(plan, step);
	await update(plan, target, { id: objectOf(old.id, old.outputs), olds: old.outputs, news });
}

/** Counts the numbers that stay as they are, and names the pending ones that the run waits for. */
function noteStaying(
	{ forecast }: Plan,
	{ op, news: resource }: PlanStep,
	numbers: readonly { readonly name: string; readonly outs: Values; readonly news: Values }[],
): void {
	for (const { name, outs, news } of numbers) {
		if (op === "same" || changedProperties(numberProperties, outs, news).length === 0) forecast.unchanged += 1;
		if (resource?.waitForActive !== false && phaseOf(outs) === "pending") forecast.waits.push(name);
	}
}

function noteChange({ forecast }: Plan, { type, name, op, old, news }: PlanStep): void {
	const properties = driftDefinition(type)?.properties ?? {};
	const paths = op === "update" && old && news ? changedProperties(properties, old.outputs, news) : [];
	const isWaiting = paths.length === 0 && forecast.waits.some((pending) => pending.replace(/\[\d+\]$/, "") === name);
	if (!isWaiting) forecast.changes.push({ name, type, op, paths });
}

/** Adopts, resumes or makes an object. */
async function acquire(plan: Plan, target: Target, inputs: Values): Promise<void> {
	const { facts, forecast } = plan;
	const { step, name, definition } = target;
	const wanted = typeof inputs.adopt === "string" ? inputs.adopt : undefined;
	if (wanted !== undefined && (await isComing(plan, target, wanted))) {
		forecast.adopts.push({ name, wanted });
		return;
	}
	if (!isReadable(plan, target) || (definition.noun === "number" && !isKnown(inputs)))
		return make(plan, target, inputs, []);
	const run = runOf(facts, target);
	const {
		target: decided,
		action,
		candidates,
	} = await decideAcquisition(run, inputs, (id) => run.operations.reads.read(id));
	if (action.do === "make") {
		make(plan, target, inputs, candidates);
		run.memory.acquire(decided.claim.token, `new ${name}`);
		return;
	}
	write(run, decided.claim, action.record, freshLease());
	// After a taint or `--replace`, the resource's own number is found.
	if (idsIn(step).includes(action.record.id)) forecast.unchanged += definition.noun === "number" ? 1 : 0;
	else if (action.do === "resume") forecast.resumes.push(foundObject(target, action.record));
	else forecast.adopts.push({ name, wanted: wanted ?? action.record.id });
}

/** Returns the ids of the objects that the step's resource has. */
const idsIn = ({ old }: PlanStep): string[] =>
	old === undefined ? [] : [objectOf(old.id, old.outputs), ...membersIn(old.outputs).map(({ id }) => id)];

/** True if it is unknown what `adopt` names: the value isn't known yet, or a port order may bring the number. */
async function isComing({ facts }: Plan, { step }: Target, wanted: string): Promise<boolean> {
	const { live, service, steps } = facts;
	if (wanted === unknownValue) return true;
	const e164 = step.type === "Number" ? writtenE164(wanted) : undefined;
	if (e164 === undefined || live?.some((record) => matchesName(record, wanted))) return false;
	if (live === undefined || step.provider !== undefined) return true;
	return steps.some((planned) => mayPort(planned, e164)) || (await ordersOf(service, e164)).some(isOpenPort);
}

/** True if the program's port order is new or changes, and may then name the number. An unchanged one is on the account. */
function mayPort({ type, op, old, news }: PlanStep, e164: string): boolean {
	if (type !== "PortOrder" || news === undefined || op === "same") return false;
	if (op === "update" && !isOpenPort(old?.outputs ?? {})) return false;
	const { numbers } = news;
	return (
		!Array.isArray(numbers) || numbers.some((number) => number === unknownValue || writtenE164(String(number)) === e164)
	);
}

/** Notes a write of the claim, so that later decisions of this plan see it. */
function write({ operations }: Run<Referenced>, claim: Identity, record: Referenced, lease: string): void {
	const isKept = claim.kept && record.reference !== undefined;
	operations.reads.wrote(record.id, isKept ? { ...record, reference: formatReference(claim, lease) } : record);
}

function make(plan: Plan, { step, name, definition }: Target, inputs: Values, candidates: readonly Referenced[]): void {
	if (definition.noun !== "number") {
		noteChange(plan, step);
		return;
	}
	const reason = reasonOf(step);
	const former = reason === "new" ? plan.former.get(step.urn) : undefined;
	const index = /\[\d+\]$/.exec(name)?.[0] ?? "";
	plan.forecast.purchases.push({
		why: former === undefined ? reason : former.name === step.name ? "move" : "rename",
		name,
		criteria: criteriaOf(inputs),
		hasProfile: inputs.kycProfileId != null,
		former: former && { ...former, name: `${former.name}${index}` },
		provider: step.provider,
		process: step.process?.name,
		candidates: candidates as readonly NumberRecord[],
	});
}

function reasonOf({ type, op, keys, isDeleted }: PlanStep): BuyReason {
	if (op === "update") return "growth";
	if (op === "create") return isDeleted ? "deleted" : "new";
	return type === "Number" && keys.length === 1 && keys[0] === "generation" ? "generation" : "replacement";
}

interface Update {
	readonly id: string;
	readonly olds: Values;
	readonly news: Values;
}

/** @throws TelephonyError if the provider refuses the update */
async function update(plan: Plan, target: Target, change: Update): Promise<void> {
	if (!isReadable(plan, target)) return;
	const run = runOf(plan.facts, target);
	await decideWrite(run, change, () => run.operations.reads.read(change.id));
}

// ---- Pools ------------------------------------------------------------------------------------------------------------

/** Updates, removes and acquires numbers in the pool's order. The provider stops at the part that fails. */
async function fillPool(plan: Plan, step: PlanStep, news: Values): Promise<void> {
	const { facts, forecast } = plan;
	const { name, op, old } = step;
	const olds = op === "update" || op === "same" ? (old?.outputs ?? {}) : {};
	const members = membersIn(olds);
	const poolPlan = planOf(members, olds, news);
	const nameOf = ({ index }: Pick<Member, "index">) => nameIn(news, index);
	const inputsOf = (member: Member) => memberInputs(news, member.index, member.outs.adopt);
	noteStaying(
		plan,
		step,
		poolPlan.staying.map((member) => ({ name: nameOf(member), outs: member.outs, news: inputsOf(member) })),
	);
	if (op === "same") return;
	if (op === "update") noteChange(plan, step);
	if (typeof news.count !== "number") {
		forecast.uncounted.push(name);
		return;
	}
	assertPossible(poolPlan, members, olds, news);
	const refusedBefore = forecast.refusals.length;
	const forEach = async <T extends Pick<Member, "index">>(items: readonly T[], work: (item: T) => Promise<void>) => {
		if (forecast.refusals.length > refusedBefore) return;
		for (const item of items) await attempt(plan, nameOf(item), () => work(item));
	};
	const targetOf = (slot: Pick<Member, "index">): Target => ({
		step,
		name: nameOf(slot),
		definition: memberDefinition,
	});
	const numbers = new PoolNumbers(facts.session, news, members);
	await forEach(poolPlan.staying, async (member) => {
		if (await numbers.differs(member))
			await update(plan, targetOf(member), { id: member.id, olds: member.outs, news: inputsOf(member) });
	});
	await forEach(poolPlan.leaving, (member) => remove(plan, targetOf(member), member, "excluded"));
	await forEach(poolPlan.removing, (member) => remove(plan, targetOf(member), member, "shrinking"));
	if (poolPlan.missing === 0) return;
	const isRead = isKnown(news) && isReadable(plan, { step, name, definition: memberDefinition });
	const live = isRead ? await facts.service.numbers.all() : [];
	const slots = slotsOf(serviceFor(facts, step), live, poolPlan, {
		members,
		news,
		saved: facts.session.memory.number.older,
	});
	await numbers.declare(slots, false);
	const acquireSlot = (slot: Slot) => acquire(plan, targetOf(slot), memberInputs(news, slot.index, slot.adopt));
	const isBought = ({ adopt, isClaimed }: Slot) => adopt === undefined && !isClaimed;
	await forEach(
		slots.filter((slot) => !isBought(slot)),
		acquireSlot,
	);
	await forEach(slots.filter(isBought), acquireSlot);
}

// ---- Deletes ----------------------------------------------------------------------------------------------------------

async function forecastDelete(plan: Plan, step: PlanStep): Promise<void> {
	const { type, op, old, urn, name } = step;
	if (op !== "delete" || old === undefined) return;
	const successor = plan.facts.steps.find((candidate) => candidate.urn === urn && candidate.news !== undefined)?.news;
	const isNext = type === "Number" && (successor?.generation ?? 0) !== (old.outputs.generation ?? 0);
	const why = successor === undefined ? "removed" : isNext ? "generation" : "replacement";
	const definition = type === "NumberPool" ? memberDefinition : definitionOf(type);
	if (definition === undefined) {
		noteChange(plan, step);
		return;
	}
	const objects =
		type === "NumberPool"
			? retainingExcluded(membersIn(old.outputs), old.outputs, successor).map((member) => ({
					...member,
					name: nameIn(old.outputs, member.index),
				}))
			: [{ name, id: objectOf(old.id, old.outputs), outs: old.outputs }];
	// Objects of the state prove that the account is the right one.
	for (const { id, outs } of objects) plan.facts.session.memory[definition.noun].note(id, outs);
	for (const object of objects)
		if (object.id !== "")
			await attempt(plan, object.name, () => remove(plan, { step, name: object.name, definition }, object, why));
}

/** Forecasts if an object ends or stays on the account. */
async function remove(
	plan: Plan,
	target: Target,
	{ id, outs }: Pick<Member, "id" | "outs">,
	why: RemovedObject["why"],
): Promise<void> {
	const { step, definition } = target;
	const { releases, retains, forgets } = plan.forecast;
	const run = runOf(plan.facts, target);
	const ending = isReadable(plan, target)
		? await decideEnding(run, { id, outs }, () => run.operations.reads.read(id))
		: endingOf(run, { id }, outs);
	if (ending === undefined) return;
	const { record, action, stays } = ending;
	const { claim } = ending.target;
	const removed = removedObject(target, { id, outs }, record, why);
	if (step.isForgotten) {
		retains.push({ ...removed, because: "`retainOnDelete` is set", hasReference: claim.kept });
		return;
	}
	if (action.do === "forget") forgets.push({ ...removed, owner: ownerName(record.reference, claim) });
	else if (action.do === "retain") {
		const because = why === "excluded" ? "`exclude` names it" : (stays ?? retainReason[action.why]);
		retains.push({ ...removed, because, hasReference: claim.kept });
		write(run, claim, record, retainedLease);
		run.memory.forget(id);
	} else if (action.do === "end") {
		if (definition.noun === "number") releases.push(removed);
		else noteChange(plan, step);
		run.operations.reads.wrote(id);
		run.memory.forget(id);
	}
}

/** Returns the criteria that are known. */
export const knownCriteria = (values: Values): Criteria =>
	pickBy(criteriaOf(values), (value) => value !== undefined && value !== unknownValue);

const foundObject = (
	{ name, definition }: Target,
	record: Referenced & { readonly number?: unknown },
): FoundObject => ({
	kind: definition.noun,
	name,
	id: record.id,
	e164: typeof record.number === "string" ? record.number : undefined,
});

function removedObject(
	target: Target,
	{ id, outs }: Pick<Member, "id" | "outs">,
	record: Referenced & Partial<Pick<NumberRecord, "number" | "price">>,
	why: RemovedObject["why"],
): RemovedObject {
	const { monthly } = (outs.price ?? record.price ?? {}) as { readonly monthly?: Money };
	const found = foundObject(target, { id, number: outs.phoneNumber ?? record.number });
	const process = target.step.process?.name;
	return { why, ...found, ...(found.kind === "number" && knownCriteria(outs)), monthly, process };
}
