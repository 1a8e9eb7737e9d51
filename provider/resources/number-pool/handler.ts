/** A pool: matching numbers as one resource. Each is bought, configured and released as a Number is. */
import { defined } from "../../api/json";
import { phaseOf } from "../../api/record";
import { changesOf, type ResourceValues } from "../../drift/changes";
import type { Condition } from "../../drift/condition";
import type { DriftDefinition, Observation, Part } from "../../drift/definition";
import { undeclaredLike } from "../../lifecycle/decide";
import { createRefusal, notReplaced } from "../../lifecycle/messages";
import { resolveOnDelete } from "../../lifecycle/on-delete";
import {
	checkResource,
	type DiffResult,
	type Handler,
	handler,
	InitError,
	identityFor,
	type Lifecycle,
	type ReadResult,
} from "../../lifecycle/resource";
import { parseUrn } from "../../ownership/claim";
import { openOutputs } from "../../properties/open";
import { changedProperties, declaredInputs, urnOf, type Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { foreignProfile } from "../kyc-profile/requirements";
import { number, numberDrift } from "../number/handler";
import { numberCondition } from "../number/kyc";
import { foreseePurchases, refusedByLimits } from "../number/limits";
import { changedCriteria, numberProperties } from "../number/properties";
import {
	driftedPaths,
	findingsIn,
	type Member,
	memberInputs,
	membersIn,
	membersOutputs,
	pick,
	titleOf,
} from "./members";
import { PoolNumbers } from "./numbers";
import { assertPossible, claimedByPool, isNamed, planOf, retainingExcluded, slotsOf } from "./plan";
import { listIn, memberClaim, poolClaim, poolOutputs, poolProperties } from "./properties";

export function numberPoolHandler(session: Session): Handler {
	const { number: numbers, pool: pools } = session.memory;
	const lifecycle: Lifecycle = {
		properties: poolProperties,
		check: (olds, news) => check(session, olds, news),
		diff: (_id, olds, news, isRefresh) => diff(session, olds, news, isRefresh),
		waitsIf: "waitForActive",
		condition: pendingIn,
		async create(inputs) {
			// The pool exists only in the state, so its id is its name.
			const id = parseUrn(urnOf(inputs)).name || "pool";
			await assertNotRenamed(session, inputs);
			const outs = await settle(session, id, {}, inputs);
			session.memory.pool.acquire(identityFor(poolClaim, inputs, await session.service()).token, id);
			return { id, outs };
		},
		read: (id, props) => read(session, id, props),
		update: async (id, olds, news) => ({ outs: await settle(session, id, olds, news) }),
		delete: (_id, props) => remove(session, props),
		remind: (_id, outs) => {
			const numbers = new PoolNumbers(session, outs, membersIn(outs));
			numbers.remind();
			numbers.showReports();
		},
		foresee: (inputs) => foreseePurchases(session, inputs),
	};
	return handler(session, lifecycle, {
		unfinished: pools.unfinished,
		clear: () => {
			numbers.clear();
			pools.clear();
		},
		note: (_id, outs) => {
			for (const member of membersIn(outs)) numbers.note(member.id, member.outs);
		},
	});
}

async function check(session: Session, olds: Values, news: Values) {
	const checking = { memory: session.memory.pool, source: poolClaim, properties: poolProperties };
	const { inputs, failures } = await checkResource(session, checking, olds, news);
	await resolveOnDelete(session, inputs, { isAdopted: false, isCharged: true });
	const refused = [...failures, ...foreignProfile(session, inputs)];
	if (refused.length > 0) return { inputs, failures: refused };
	const held = session.memory.pool.heldInputs(urnOf(news), olds);
	return { inputs, failures: await refusedByLimits(session, held, inputs) };
}

async function diff(session: Session, olds: Values, news: Values, isRefresh = false): Promise<DiffResult> {
	const changed = changedProperties(poolProperties, olds, news);
	// An unknown value must not replace anything: the engine would delete the numbers.
	const replaces = changedCriteria(olds, news);
	const members = membersIn(olds);
	const numbers = new PoolNumbers(session, news, members);
	const plan = planOf(members, olds, news);
	if (!isRefresh) {
		if (replaces.length === 0 && typeof news.count === "number") assertPossible(plan, members, olds, news);
		await numbers.declare(plan.staying, true);
	}
	let differs = false;
	for (const member of plan.staying) differs = (await numbers.differs(member)) || differs;
	return { changes: changed.length > 0 || differs, replaces, deleteBeforeReplace: false };
}

/** Works on a pool's numbers, and shows their warnings at the end. */
async function withNumbers<T>(
	session: Session,
	pool: Values,
	members: readonly Member[],
	work: (numbers: PoolNumbers) => Promise<T>,
): Promise<T> {
	const numbers = new PoolNumbers(session, pool, members);
	try {
		return await work(numbers);
	} finally {
		numbers.showReports();
	}
}

/** Brings the pool to what is declared. If anything fails, its numbers are saved, and the next run continues. */
async function settle(session: Session, id: string, olds: Values, news: Values): Promise<Values> {
	const members = membersIn(olds);
	const plan = planOf(members, olds, news);
	assertPossible(plan, members, olds, news);
	return withNumbers(session, news, members, async (numbers) => {
		try {
			await numbers.update(plan.staying);
			await numbers.release([...plan.leaving, ...plan.removing], "settle");
			if (plan.missing > 0) {
				const service = await session.service();
				const live = await service.numbers.all();
				await numbers.acquire(slotsOf(service, live, plan, { members, news, saved: session.memory.number.older }));
			}
			await numbers.waitForActive();
			return outputsOf(numbers, olds, news);
		} catch (error) {
			const isSame = members.every((member) => numbers.members.get(member.index) === member);
			// Without a write, the state needs no update.
			if (isSame && numbers.members.size === members.length) throw error;
			const open = openOutputs({ isDirty: true });
			// The next run removes surplus numbers as this one should have.
			const onDelete = olds.onDelete === "retain" ? "retain" : news.onDelete;
			const outs = outputsOf(numbers, olds, { ...news, onDelete });
			throw new InitError(id, { ...outs, ...open, __provider: news.__provider }, error);
		}
	});
}

function outputsOf({ members }: PoolNumbers, olds: Values, news: Values): Values {
	const declared = pick(news, Object.keys(poolProperties));
	const pool = { ...declared, __resourceUrn: news.__resourceUrn, organization: news.organization };
	const all = [...members.values()];
	// A number that couldn't be adopted isn't in the list, so the next run tries again.
	const isDone = (wanted: string) =>
		listIn(olds, "adopt").includes(wanted) || all.some((member) => isNamed(member, wanted));
	const adopt = news.adopt == null ? {} : { adopt: listIn(news, "adopt").filter(isDone) };
	return { ...pool, ...adopt, count: all.length, ...membersOutputs(pool, all) };
}

/** @throws TelephonyError if the pool was renamed, and the engine replaces it in the same run */
async function assertNotRenamed(session: Session, inputs: Values): Promise<void> {
	const { number: numbers, pool: pools } = session.memory;
	const service = await session.service();
	const saved = pools.held.get(urnOf(inputs));
	const isReplaced = pools.declaredLike(identityFor(poolClaim, inputs, service).token)?.hasState === true;
	if (!isReplaced || saved === undefined || changedCriteria(saved, inputs).length > 0) return;
	const live = await service.numbers.all();
	if (claimedByPool(service, live, inputs).size > 0) return;
	const claim = identityFor(memberClaim, memberInputs(inputs, 0), service);
	const records = undeclaredLike(claim, live, numbers);
	if (records.length > 0) throw createRefusal({ why: "renamed", records }, claim, number);
}

/** Removes the numbers of a deleted or replaced pool. Those that fail stay in the state with all the others. */
async function remove(session: Session, props: Values): Promise<void> {
	const { pool: memory } = session.memory;
	const { token } = identityFor(poolClaim, props, await session.service());
	const successor = memory.declaredLike(token)?.inputs;
	const isReplaced = successor !== undefined && changedCriteria(props, successor).length > 0;
	if (isReplaced && props.onDelete === "release" && memory.isUnreplaced(token))
		throw notReplaced("The numbers of the replaced pool stay");
	const members = retainingExcluded(membersIn(props), props, successor);
	// If the engine deletes before it creates, the create resumes these numbers.
	if (successor !== undefined && memory.idOf(token) === undefined)
		await new PoolNumbers(session, successor, []).declare(planOf(members, props, successor).staying, true);
	await withNumbers(session, props, members, (numbers) => numbers.release(members, "remove"));
}

async function read(session: Session, id: string, props: Values): Promise<ReadResult> {
	return withNumbers(session, props, [], async (numbers) => {
		const readMember = async (member: Member): Promise<Member[]> => {
			// A deleted number is bought again, even if it was adopted.
			const { adopt, ...outs } = member.outs;
			const lifecycle = numbers.lifecycleOf(titleOf(props, member), member.id);
			const found = await lifecycle.read(member.id, outs, true);
			return found.id ? [{ ...member, outs: { ...found.props, adopt } }] : [];
		};
		const found = (await Promise.all(membersIn(props).map(readMember))).flat();
		if (found.length === 0) return {};
		const findings = numbers.findings.length === 0 ? undefined : numbers.findings;
		const outs = defined({ ...props, count: found.length, ...membersOutputs(props, found), findings });
		const inputs = declaredInputs(poolProperties, outs);
		return { id, props: outs, inputs: session.memory.pool.heldInputs(urnOf(outs), inputs) };
	});
}

/** Returns the worst condition of the pending numbers. A drift report has a row for each number instead. */
function pendingIn(pool: Values): Condition | undefined {
	const isPending = (number: Values) => phaseOf(number) === "pending";
	// Most pools have no pending number, so their members aren't taken apart.
	if (!Array.isArray(pool.numbers) || !pool.numbers.some(isPending)) return undefined;
	const pending = membersIn(pool).filter(({ outs }) => isPending(outs));
	const conditions = pending.flatMap(({ outs }) => numberCondition(outs) ?? []);
	return conditions.find(({ kind }) => kind === "problem") ?? conditions[0];
}

export const poolDrift: DriftDefinition = {
	properties: poolProperties,
	outputs: poolOutputs,
	kept: ["members", "findings"],
	isBought: true,
	ifDeleted: () => ({
		consequence: "buys new numbers",
		fix: "ask the service to restore the deleted numbers, or run `pulumi up --refresh` to buy new ones",
	}),
	drifted: driftedPaths,
	parts: partsOf,
};

function partsOf({ declared, live, ...observation }: Observation): Part[] {
	const findings = findingsIn(live?.outputs ?? {});
	const found = new Map(live === undefined ? [] : membersIn(live.outputs).map((member) => [member.id, member]));
	const names = (declared.outputs.numbers ?? []) as readonly { readonly name: string }[];
	return membersIn(declared.outputs).map((member, at) => {
		const { name = "" } = names[at] ?? {};
		const current = found.get(member.id);
		const sides = { declared: valuesOf(member), live: current && valuesOf(current), ignored: [] };
		const codes = findings.get(member.id) ?? [];
		const differs = sides.live !== undefined && changesOf(numberDrift, { ...sides, live: sides.live }).length > 0;
		return {
			id: member.id,
			definition: numberDrift,
			seen: { ...observation, ...sides, name, codes, warnings: [], differs },
			accept: `name it in the pool's \`exclude\`, lower \`count\`, and declare it as a Number with \`adopt: ${JSON.stringify(member.id)}\``,
		};
	});
}

const valuesOf = ({ outs }: Member): ResourceValues => ({
	inputs: declaredInputs(numberProperties, outs),
	outputs: outs,
});
