/** The end of a number and of a pool, as provider/resources/number/release.ts and number-pool/end.ts have it. */

import type { Claimable, Provider } from "./provider.mts";
import { Refused } from "./provider.mts";
import type { Thing, Values } from "./world.mts";

export function releaseNumber(provider: Provider, kind: "number" | "member", id: string, props: Values): void {
	const { memory, rules } = provider;
	const record = provider.judge("number", id, String(props.account ?? ""));
	if (record === undefined) return;
	if (isTakenOver(provider, record, props)) return;
	const claim = provider.claim(kind as Claimable, props);
	if (!provider.mayRemove(claim, record, props)) return;
	if (memory.number.adopts((wanted) => wanted === id)) throw new Refused("kept", [id]);
	const verdict = rules.beside.decideRelease(factsOf(provider, kind, record, props));
	if (verdict !== "release") throw new Refused(verdict, [id]);
	memory.number.going.add(id);
	const successor = memory.number.declaredLike(String(props.token));
	// It waits for its successor, which names it.
	if (successor !== undefined && memory.number.idOf(successor.token) === undefined) {
		provider.kept.add(id);
		return;
	}
	provider.release(id);
}

function isTakenOver({ memory: { number: memory }, settings, kept }: Provider, { id }: Thing, props: Values): boolean {
	const taker = [memory.holderOf(id), props.token].find((each) => typeof each === "string" && memory.declares(each));
	if (typeof taker !== "string") return false;
	const other = memory.idOf(taker);
	if (other !== undefined && other !== id) {
		if (settings.release.includes(id)) return false;
		throw new Refused("duplicate", [id]);
	}
	kept.add(id);
	memory.setHolder(taker, id);
	return true;
}

function factsOf(provider: Provider, kind: "number" | "member", record: Thing, props: Values) {
	const { memory: memories, rules, settings } = provider;
	const memory = memories.number;
	const { declarationOf } = rules.claim;
	const { parseReference } = rules.reference;
	const isNamed = settings.release.includes(record.id);
	const successor = memory.declaredAt(props.resourceUrn) ?? memory.declaredLike(String(props.token));
	const claim = provider.claim(kind, props);
	const others = isNamed
		? []
		: provider.live("number").filter((other) => remembers(provider, claim, other, record, props));
	const tokenOf = (other: Thing) => parseReference(other.reference)?.token ?? memory.holderOf(other.id) ?? "";
	return {
		// Decided before.
		...{ isRetained: false, isOurs: true, isAdopted: false },
		isNamed,
		remembered: others.map((other) => ({
			isAllowed:
				declarationOf({ token: tokenOf(other) }) === declarationOf({ token: String(props.token) }) &&
				memory.declaredLike(tokenOf(other))?.inputs.allowReplacement === true,
			isLeaving: memory.going.has(other.id),
		})),
		successor: successor && {
			isAsked:
				successor.inputs.allowReplacement === true || (successor.inputs.generation ?? 0) !== (props.generation ?? 0),
			isSame: successor.inputs.country === props.country && (successor.inputs.generation ?? 0) === props.generation,
		},
		isProtected: false,
	};
}

function remembers(
	{ memory, rules }: Provider,
	claim: Parameters<typeof rules.claim.isSameState>[0],
	other: Thing,
	record: Thing,
	{ lease }: Values,
): boolean {
	if (other.id === record.id) return false;
	const said = rules.reference.parseReference(other.reference);
	const marks = said?.beside ?? memory.number.besides.get(other.id) ?? "";
	if (marks === "") return false;
	const isOurs = said === undefined || said.home === claim.home || rules.claim.isSameState(claim, said);
	const isOlder = !(Date.parse(other.created_at) <= Date.parse(record.created_at)) && other.country === record.country;
	const own = { id: record.id, lease: typeof lease === "string" ? lease : undefined };
	return isOurs && rules.beside.isMarked(marks, own, isOlder);
}

// ---- Pools, of one number each ------------------------------------------------------------------------------------------

export const memberInputs = (pool: Values): Values => ({
	country: pool.country,
	allowReplacement: pool.allowReplacement,
	generation: 0,
	pool: pool.resourceUrn,
	resourceUrn: `${String(pool.resourceUrn)}[0]`,
});

export const membersIn = ({ members }: Values): readonly Values[] => (members as readonly Values[] | undefined) ?? [];

export function declareMember(provider: Provider, pool: Values, hasEntry: boolean): void {
	const inputs = memberInputs(pool);
	provider.memory.number.declare({ token: provider.claim("member", inputs).token, inputs, hasEntry });
}

/** Whether an update is due, and whether the pool is replaced. */
export function diffPool(provider: Provider, olds: Values, news: Values): { changes: boolean; replaces: boolean } {
	let changes = false;
	for (const member of membersIn(olds)) {
		declareMember(provider, news, true);
		const inputs = memberInputs(news);
		changes = provider.diff("member", String(member.id), member, inputs).changes || changes;
	}
	return { changes, replaces: olds.country !== news.country };
}

/** Create and update. `members` are those that it has. */
export function settlePool(provider: Provider, news: Values, members: readonly Values[]): Values {
	const kept = members.map((member) => {
		declareMember(provider, news, true);
		const id = String(member.id);
		const { changes } = provider.diff("member", id, member, memberInputs(news));
		return changes ? { id, ...provider.update("member", id, member, memberInputs(news)) } : member;
	});
	if (kept.length === 0) {
		declareMember(provider, news, false);
		const { id, outs } = provider.create("member", memberInputs(news));
		kept.push({ id, ...outs });
	}
	provider.memory.pool.setHolder(provider.claim("pool", news).token, "pool");
	return { members: kept, country: news.country, resourceUrn: news.resourceUrn };
}

export function endPool(provider: Provider, props: Values): void {
	const { pool: pools, number: memory } = provider.memory;
	const { token } = provider.claim("pool", props);
	const successor = pools.declaredLike(token)?.inputs;
	for (const member of membersIn(props)) {
		if (successor === undefined) memory.undeclare(provider.claim("member", memberInputs(props)).token);
		else {
			if (pools.idOf(token) === undefined) declareMember(provider, successor, true);
			const isWanted = memory.declares(provider.claim("member", memberInputs(successor)).token);
			if (successor.country === props.country && !isWanted) throw new Refused("duplicate", [String(member.id)]);
		}
		releaseNumber(provider, "member", String(member.id), { ...member, pool: props.resourceUrn });
	}
}
