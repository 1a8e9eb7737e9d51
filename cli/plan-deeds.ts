/**
 * What the next run buys and releases, by the steps of a preview and by what the account shows: the same rules that the run
 * itself goes by, asked before it.
 */
import type { Money, NumberRecord } from "../provider/api/contract";
import { isReleasedOrFailed } from "../provider/api/record";
import { objectOf } from "../provider/lifecycle/resource";
import { decideRelease, isMarked, marksOf } from "../provider/ownership/beside";
import { declarationOf } from "../provider/ownership/claim";
import { ownership } from "../provider/ownership/ownership";
import { parseReference } from "../provider/ownership/reference";
import type { Values } from "../provider/properties/table";
import { isLeft, isLike, isOwn, remembering, writesOf } from "../provider/resources/number/beside";
import { criteriaOf, numberClaim } from "../provider/resources/number/properties";
import { factsOf, type Leaving, rememberedOf } from "../provider/resources/number/release";
import { membersIn } from "../provider/resources/number-pool/members";
import {
	type Deeds,
	type Ending,
	type Fate,
	ForeseenRun,
	type Going,
	isRefused,
	type Known,
	type Purchase,
} from "./plan-run";
import type { PlanStep } from "./plan-steps";

/** @param steps of a preview that succeeded */
export function deedsOf(steps: readonly PlanStep[], known: Known): Deeds {
	const run = new ForeseenRun(known);
	for (const step of steps) run.declare(step);
	for (const step of steps) run.buy(step);
	for (const step of steps) if (step.op === "delete" && step.old) end(run, step, step.old.outputs);
	// A pool gives its numbers up before anything else goes.
	const [early, late] = [run.going.filter(({ isOfPool }) => isOfPool), run.going.filter(({ isOfPool }) => !isOfPool)];
	const endings = doubted(
		[early, late].flatMap((all) => endingsOf(run, all)),
		run.deeds,
	);
	return { ...run.deeds, endings, purchases: renamed(run.deeds.purchases, endings) };
}

/** What becomes of all that go at the same time. */
function endingsOf(run: ForeseenRun, all: readonly Going[]): Ending[] {
	const { going } = run.memory.number;
	// What really goes frees what it remembers.
	for (let before = -1; before < going.size; ) {
		before = going.size;
		for (const each of all) if (fateOf(run, each).fate === "released") going.add(each.id);
	}
	return all.map((each) => endingOf(run, each));
}

/** A pool gives its numbers up while others are bought; all others go at the end, unless the run has failed before. */
function doubted(endings: readonly Ending[], { refusals, purchases, takeOvers }: Deeds): Ending[] {
	const mayRace = purchases.length + takeOvers.length > 0;
	const hasError = refusals.length > 0 || endings.some(isRefused);
	return endings.map((ending) => {
		const { fate, why } = ending;
		if (why === "shrinking" && mayRace && (fate === "released" || fate === "remembered"))
			return { ...ending, doubt: "order" };
		return hasError && fate === "released" ? { ...ending, doubt: "error" } : ending;
	});
}

/** Such a purchase may be meant for the number of a resource that has had another name. */
function renamed(purchases: readonly Purchase[], endings: readonly Ending[]): Purchase[] {
	const left = endings.filter(({ why, fate }) => why === "removed" && fate === "remembered");
	return purchases.map((purchase) => {
		const at = left.findIndex(({ instead }) => instead.includes(purchase.name));
		const [before] = purchase.why !== "new" || at < 0 ? [] : left.splice(at, 1);
		return before === undefined ? purchase : { ...purchase, why: "rename", was: before.name };
	});
}

/** Takes in what a step deletes. */
function end(run: ForeseenRun, step: PlanStep, props: Values): void {
	if (step.type === "NumberPool")
		run.tried(step, () => {
			for (const member of membersIn(props)) run.giveUp(step, member, props);
		});
	if (step.type !== "Number") return;
	const successor = run.memory.number.declaredAt(props.resourceUrn);
	const isOther = successor !== undefined && (successor.inputs.generation ?? 0) !== (props.generation ?? 0);
	const why = successor === undefined ? "removed" : isOther ? "generation" : "replacement";
	const id = objectOf(step.old?.id ?? "", props);
	run.going.push({ step, why, name: step.name, id, props, claim: run.claimOf(numberClaim, props) });
}

interface Outcome {
	readonly fate: Fate;
	readonly record?: NumberRecord;
	readonly instead: readonly string[];
}

function endingOf(run: ForeseenRun, going: Going): Ending {
	const { why, name, id, props } = going;
	const { fate, record, instead } = fateOf(run, going);
	const { monthly } = ((props.price ?? record?.price) as { monthly?: Money } | null | undefined) ?? {};
	return {
		...{ why, name, id, criteria: criteriaOf(props), fate, instead },
		...(typeof props.number === "string" ? { e164: props.number } : {}),
		...(monthly === undefined ? {} : { monthly }),
	};
}

function fateOf(run: ForeseenRun, { step, id, props, claim, isOfPool }: Going): Outcome {
	const live = run.liveFor(step);
	const shown = live?.find((each) => each.id === id);
	if (id === "" || (live !== undefined && (shown === undefined || isReleasedOrFailed(shown))))
		return { fate: "gone", instead: [] };
	const record = shown ?? { id, ...criteriaOf(props) };
	if (step.isForgotten) return { fate: "forgotten", record, instead: [] };
	if (isOfPool === "excluding") return { fate: "excluded", record, instead: [] };
	return decided(run, { session: run, service: run.known.service, claim, record, props });
}

function decided(run: ForeseenRun, leaving: Leaving): Outcome {
	const { claim, record, props } = leaving;
	const numbers = run.memory.number;
	const facts = factsOf(leaving);
	const early = decideRelease(facts);
	if (early === "not ours" && ownership(claim, record, props) !== "foreign")
		return { fate: "superseded", record, instead: [] };
	if (early !== "look") return { fate: early === "release" ? "released" : early, record, instead: [] };
	const buyers = buyersOf(run, leaving);
	const others = (run.known.live ?? []).filter(remembering(numbers, claim, record, props));
	const isOwnPurchase = (token: string) => declarationOf({ token }) === declarationOf({ token: String(props.token) });
	const bought = buyers.map(({ claim: { token } }) => ({
		isAllowed: isOwnPurchase(token) && numbers.declaredLike(token)?.inputs.allowReplacement === true,
		isLeaving: false,
	}));
	const verdict = decideRelease({ ...facts, remembered: [...rememberedOf(leaving, others), ...bought] });
	// The service refuses it too.
	const isKept = verdict === "release" && record.release_protection === true;
	const fate = isKept ? "protected" : verdict === "release" ? "released" : verdict;
	return { fate, record, instead: buyers.map(({ name }) => name) };
}

/** The purchases of this run that remember it: rule 2a. */
function buyersOf(run: ForeseenRun, { record, props, claim }: Leaving): ForeseenRun["bought"] {
	const numbers = run.memory.number;
	const writes = writesOf(claim, record, props);
	const isUndeclared = !(numbers.declaredAt(props.resourceUrn) ?? numbers.declaredLike(String(props.token)));
	return run.bought.filter((buyer) => {
		if (buyer.id === record.id) return false;
		// A purchase takes over what its own resource's numbers remember.
		const marks = (run.known.live ?? []).flatMap(({ reference }) => {
			const said = parseReference(reference);
			return said !== undefined && isOwn(buyer.claim, said) ? [said.beside] : [];
		});
		const isLikely = isLike(buyer.criteria, record);
		const isInherited = writes.some((each) => isMarked(marksOf([], marks), each, isLikely));
		if (isInherited || buyer.isSuccessor) return isInherited;
		return (isUndeclared && isLikely) || isLeft(buyer, run.account, buyer.criteria, record);
	});
}
