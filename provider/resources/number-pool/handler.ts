/** A pool: like numbers as one resource, each bought, configured and released as a Number is. */
import { TelephonyError } from "../../api/errors";
import { phaseOf } from "../../api/record";
import type { Condition } from "../../drift/definition";
import {
	checkResource,
	type Handler,
	handler,
	InitError,
	identityFor,
	type ReadResult,
} from "../../lifecycle/resource";
import { parseUrn } from "../../ownership/claim";
import { changedProperties, declaredInputs, type Values } from "../../properties/table";
import { unfinishedOutputs } from "../../properties/unfinished";
import type { Session } from "../../session/session";
import { numberCondition } from "../number/kyc";
import { changedCriteria, refusedChanges } from "../number/properties";
import { endOf } from "./end";
import { foundIndices } from "./found";
import { type Member, membersIn, membersOutputs } from "./members";
import { doneLists, freeIndices, planOf, refusePlan, surplusOf, titleOf } from "./plan";
import { poolClaim, poolProperties, refusedShrinking, refusedValues } from "./properties";
import { Gathered } from "./reports";
import { Work } from "./work";

export function numberPoolHandler(session: Session): Handler {
	const { number: memory, pool: pools } = session.memory;
	const lifecycle: Parameters<typeof handler>[1] = {
		// ---- Check ------------------------------------------------------------------------------------------------------

		async check(olds, news) {
			const checking = { memory: pools, source: poolClaim, properties: poolProperties };
			const { inputs, failures } = await checkResource(session, checking, olds, news);
			const refused = [
				...refusedChanges(olds, inputs, { other: "other numbers", present: "all of these" }),
				...refusedShrinking(olds, inputs),
			];
			return { inputs, failures: [...failures, ...refusedValues(inputs), ...refused] };
		},

		// ---- Diff -------------------------------------------------------------------------------------------------------

		async diff(_id, olds, news) {
			const changed = changedProperties(poolProperties, olds, news);
			const members = membersIn(olds);
			const work = new Work(session, silent(session), news, members);
			// After a write that failed, the engine compares with what that write has left.
			const left = news.members === undefined ? [] : membersIn(news);
			let differs = false;
			for (const member of planOf(members, olds, news).staying) {
				const target = left.find(({ index }) => index === member.index);
				differs = (await work.differs(member, target?.outs)) || differs;
			}
			return {
				changes: changed.length > 0 || differs,
				// What isn't known yet must not replace anything: the engine would delete the numbers.
				replaces: changedCriteria(olds, news),
				deleteBeforeReplace: false,
			};
		},

		awaited: (outs, { waitForActive }) => (waitForActive === false ? undefined : pendingIn(outs)),

		// ---- Create -----------------------------------------------------------------------------------------------------

		async create(inputs) {
			// It exists only in the state, so any name will do.
			const id = parseUrn(String(inputs.resourceUrn)).name || "pool";
			const outs = await settle(id, {}, inputs, []);
			return { id, outs };
		},

		// ---- Read -------------------------------------------------------------------------------------------------------

		async read(id, props) {
			if (props.members === undefined)
				throw new TelephonyError(
					"NotFound",
					`A pool exists only in the state of its program, so ${id} can't be looked up. Look its numbers up one by one.`,
				);
			const members = membersIn(props);
			const reports = new Gathered(session.progress, String(props.resourceUrn));
			const read = async (member: Member): Promise<Member[]> => {
				const { adopted, pool: _, ...known } = member.outs;
				const lifecycle = new Work(session, reports, props, []).as(titleOf(props, member));
				const found: ReadResult = await lifecycle.read(member.id, known);
				return found.id ? [{ ...member, outs: { ...found.props, ...(adopted ? { adopted } : {}) } }] : [];
			};
			try {
				const found = (await Promise.all(members.map(read))).flat();
				if (found.length === 0) return {};
				const { unfinished: _, ...declared } = props;
				const outs = { ...declared, count: found.length, ...membersOutputs(props, found) };
				return { id, props: outs, inputs: declaredInputs(poolProperties, outs) };
			} finally {
				reports.tell();
			}
		},

		// ---- Update -----------------------------------------------------------------------------------------------------

		async update(id, olds, news) {
			return { outs: await settle(id, olds, news, membersIn(olds)) };
		},

		// ---- Delete -----------------------------------------------------------------------------------------------------

		delete: (_id, props) => endOf(session, props),
	};
	const both = {
		clear: () => {
			memory.clear();
			pools.clear();
		},
		note: (_id: string, outs: Values) => {
			for (const member of membersIn(outs)) memory.note(member.id, member.outs);
		},
	};
	return handler(session, lifecycle, both);

	// ---- Helpers: the steps of create and update --------------------------------------------------------------------

	/** Brings the pool to what is declared. What exists is saved, whatever fails, and the next run does the rest. */
	async function settle(id: string, olds: Values, news: Values, members: readonly Member[]): Promise<Values> {
		const service = await session.service();
		const isNew = members.length === 0;
		const plan = planOf(members, olds, news);
		refusePlan(plan, members, isNew ? news : olds, news);
		const reports = new Gathered(session.progress, String(news.resourceUrn));
		const work = new Work(session, reports, news, members);
		const outs = (): Values => {
			const now = [...work.members.values()];
			const declared = Object.fromEntries(
				Object.keys(poolProperties).flatMap((key) => (news[key] == null ? [] : [[key, news[key]]])),
			);
			const pool = { ...declared, resourceUrn: news.resourceUrn, organization: news.organization };
			return { ...pool, ...doneLists(now, olds, news), count: now.length, ...membersOutputs(pool, now) };
		};
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
			// Earlier runs may have bought more than this program declares, and nobody has said which may go.
			work.doubt(surplusOf([...work.members.values()], members, news));
			const now = [...work.members.values()];
			refusePlan(planOf(now, news, news), now, news, news);
			pools.setHolder(identityFor(poolClaim, news, service).token, id);
			return outs();
		} catch (error) {
			if (work.members.size === 0 && isNew) throw error;
			const marked = { ...outs(), ...unfinishedOutputs([], {}, error), __provider: news.__provider };
			throw new InitError(id, marked, error);
		} finally {
			reports.tell();
		}
	}
}

// ---- Helpers ----------------------------------------------------------------------------------------------------------

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
