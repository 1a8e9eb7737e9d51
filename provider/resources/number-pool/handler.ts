/** A pool: like numbers as one resource, each bought, configured and released as a Number is. */
import { TelephonyError } from "../../api/errors";
import { phaseOf } from "../../api/record";
import type { Condition } from "../../drift/states";
import { resolveOnDelete } from "../../lifecycle/removal";
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
import { changedProperties, declaredInputs, type Values } from "../../properties/table";
import type { Session } from "../../session/session";
import { foreignProfile } from "../kyc-profile/countries";
import { numberCondition } from "../number/kyc";
import { warnOfMarket } from "../number/kyc-action";
import { refusedByLimits, showPrice } from "../number/limits";
import { changedCriteria } from "../number/properties";
import { endOf } from "./end";
import { foundIndices, plannedPool } from "./found";
import { type Member, membersIn, membersOutputs } from "./members";
import { doneLists, freeIndices, planOf, refusePlan, titleOf } from "./plan";
import { listIn, poolClaim, poolProperties, refusedExclusion, refusedValues } from "./properties";
import { Gathered } from "./reports";
import { Work } from "./work";

export function numberPoolHandler(session: Session): Handler {
	const { number: numbers, pool: pools } = session.memory;
	const lifecycle: Lifecycle = {
		properties: poolProperties,
		check: (olds, news) => check(session, olds, news),
		diff: (_id, olds, news) => diff(session, olds, news),
		waitsIf: "waitForActive",
		condition: pendingIn,
		async create(inputs) {
			// It exists only in the state, so any name will do.
			const id = parseUrn(String(inputs.resourceUrn)).name || "pool";
			return { id, outs: await settle(session, id, {}, inputs) };
		},
		read: (id, props) => read(session, id, props),
		update: async (id, olds, news) => ({ outs: await settle(session, id, olds, news) }),
		delete: (_id, props) => endOf(session, props),
		foresee: async (inputs) => {
			const count = Number(inputs.count) - listIn(inputs, "adopt").length;
			await Promise.all([showPrice(session, inputs, count), warnOfMarket(session, inputs)]);
		},
	};
	return handler(session, lifecycle, {
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
	const refused = [...refusedValues(inputs), ...refusedExclusion(olds, inputs)];
	const own = [...failures, ...refused, ...foreignProfile(session, inputs)];
	if (own.length > 0) return { inputs, failures: own };
	return {
		inputs,
		failures: await refusedByLimits(session, inputs.resourceUrn, async () => plannedPool(session, olds, inputs)),
	};
}

async function diff(session: Session, olds: Values, news: Values): Promise<DiffResult> {
	const changed = changedProperties(poolProperties, olds, news);
	const members = membersIn(olds);
	const work = new Work(session, silent(session), news, members);
	let differs = false;
	for (const member of planOf(members, olds, news).staying) differs = (await work.differs(member)) || differs;
	return {
		changes: changed.length > 0 || differs,
		// An unknown value must not replace anything: the engine would delete the numbers.
		replaces: changedCriteria(olds, news),
		deleteBeforeReplace: false,
	};
}

async function read(session: Session, id: string, props: Values): Promise<ReadResult> {
	if (props.members === undefined)
		throw new TelephonyError(
			"NotFound",
			`The service has no pools, so \`.get\` can't read ${id}. Read the pool's numbers one by one.`,
		);
	const reports = new Gathered(session.progress, String(props.resourceUrn));
	const readMember = async (member: Member): Promise<Member[]> => {
		const { adopted, ...known } = member.outs;
		const lifecycle = new Work(session, reports, props, []).as(titleOf(props, member));
		const found = await lifecycle.read(member.id, known, true);
		return found.id ? [{ ...member, outs: { ...found.props, ...(adopted ? { adopted } : {}) } }] : [];
	};
	try {
		const found = (await Promise.all(membersIn(props).map(readMember))).flat();
		if (found.length === 0) return {};
		const outs = { ...props, count: found.length, ...membersOutputs(props, found) };
		return { id, props: outs, inputs: declaredInputs(poolProperties, outs) };
	} finally {
		reports.tell();
	}
}

/** Brings the pool to what is declared. Whatever fails, what exists is saved, and the next run does the rest. */
async function settle(session: Session, id: string, olds: Values, news: Values): Promise<Values> {
	const service = await session.service();
	const members = membersIn(olds);
	const isNew = members.length === 0;
	const plan = planOf(members, olds, news);
	refusePlan(plan, members, isNew ? news : olds, news);
	const reports = new Gathered(session.progress, String(news.resourceUrn));
	const work = new Work(session, reports, news, members);
	const outs = () => outputsOf(work, olds, news);
	try {
		await work.declare(plan.staying);
		await work.update(plan.staying);
		await work.giveUp(plan.leaving);
		if (plan.missing > 0) {
			const live = await service.numbers.all();
			const found = foundIndices(service, live, news);
			const taken = new Set(members.map(({ index }) => index));
			await work.acquire(freeIndices(plan.missing, taken, news, [...found.keys()]), found, plan.adopting);
		}
		await work.dismiss(plan.going);
		await work.wait();
		session.memory.pool.setHolder(identityFor(poolClaim, news, service).token, id);
		return outs();
	} catch (error) {
		if (work.members.size === 0 && isNew) throw error;
		const saved = { ...outs(), ...openOutputs({ isDirty: true }), __provider: news.__provider };
		throw new InitError(id, saved, error);
	} finally {
		reports.tell();
	}
}

function outputsOf(work: Work, olds: Values, news: Values): Values {
	const now = [...work.members.values()];
	const declared = Object.fromEntries(
		Object.keys(poolProperties).flatMap((key) => (news[key] == null ? [] : [[key, news[key]]])),
	);
	const pool = { ...declared, resourceUrn: news.resourceUrn, organization: news.organization };
	return { ...pool, ...doneLists(now, olds, news), count: now.length, ...membersOutputs(pool, now) };
}

function pendingIn(pool: Values): Condition | undefined {
	const isPending = (number: Values) => phaseOf(number) === "pending";
	// Most pools have none, and each comparison asks: their members aren't taken apart once more.
	if (!Array.isArray(pool.numbers) || !pool.numbers.some(isPending)) return undefined;
	const members = membersIn(pool);
	const pending = members.filter(({ outs }) => isPending(outs));
	const conditions = pending.flatMap(({ outs }) => numberCondition(outs) ?? []);
	const [first] = conditions;
	const change = { path: "numbers", declared: "all active", live: `${pending.length} of ${members.length} pending` };
	return conditions.find(({ kind }) => kind === "problem") ?? (first && { ...first, change });
}

/** A comparison reports nothing. */
const silent = ({ progress }: Session): Gathered => new Gathered({ ...progress, warn: () => {} }, "");
