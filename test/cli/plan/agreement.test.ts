/** The forecast of `telephony plan` and the run that follows take the same actions, in random programs and accounts. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { factsOf } from "../../../cli/plan/facts";
import { type Forecast, forecastOf } from "../../../cli/plan/forecast";
import { type PlanStep, planStepsIn } from "../../../cli/plan/steps";
import { isTelephonyError } from "../../../provider/api/errors";
import { codeOf } from "../../../provider/api/message-codes";
import { InitError } from "../../../provider/lifecycle/resource";
import { parseReference, retainedLease } from "../../../provider/ownership/reference";
import type { Values } from "../../../provider/properties/table";
import { membersIn } from "../../../provider/resources/number-pool/members";
import { nameIn } from "../../../provider/resources/number-pool/properties";
import { useAccount } from "../../helpers/account";
import { previewOf } from "../../helpers/preview";
import { aNumber, aPool, type Provider } from "../../helpers/provider";
import { handlerOf, type ResourceState, type State } from "../../helpers/runs";

vi.setConfig({ testTimeout: 600_000 });
const { emulator, clock, open } = useAccount();

const minute = 60_000;
const hour = 60 * minute;

// ---- Worlds -----------------------------------------------------------------------------------------------------------

const names = ["n0", "n1", "n2", "n3"] as const;
const pools = ["p0", "p1"] as const;

const country = fc.constantFrom("NL", "NL", "NL", "SE");
const onDelete = fc.constantFrom("release", "retain");
/** Selects one of the account's numbers, or none. */
const adopt = fc.oneof(
	{ weight: 3, arbitrary: fc.constant(undefined) },
	{ weight: 1, arbitrary: fc.record({ at: fc.nat({ max: 20 }), isE164: fc.boolean() }) },
);
/** Both programs declare it: at a service without references, a changed label hides the number of a used key. */
const label = fc.constantFrom(undefined, undefined, "line");

const numberOf = fc.record({
	country,
	onDelete,
	generation: fc.constantFrom(0, 0, 0, 1),
	releaseProtection: fc.constantFrom(false, false, true),
	adopt,
});
const poolOf = fc.record({
	country,
	onDelete,
	count: fc.integer({ min: 1, max: 2 }),
	exclude: fc.subarray([0, 1], { maxLength: 1 }),
	adopt,
});
const declared = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof(fc.constant(undefined), arbitrary);

const program = fc.record({
	numbers: fc.tuple(declared(numberOf), declared(numberOf), declared(numberOf), declared(numberOf)),
	pools: fc.tuple(declared(poolOf), declared(poolOf)),
});
type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;
interface Program {
	readonly numbers: readonly (Drawn<typeof numberOf> | undefined)[];
	readonly pools: readonly (Drawn<typeof poolOf> | undefined)[];
}

/** An event at a resource, or at a number of the account, between the first run and the plan. */
const eventOf = (...what: readonly string[]) => fc.record({ what: fc.constantFrom(...what), at: fc.nat({ max: 20 }) });
const some = ["retained", "claimed", "retained by another stack", "released"] as const;
/** After the loss of both state and reference, a used key finds the number, which only the run can know. */
const events = fc.oneof(
	fc.array(eventOf(...some, "retained", "lost from the state", "tainted"), { maxLength: 4 }),
	fc.array(eventOf(...some, "cleared"), { maxLength: 4 }),
);

const world = fc.record({
	before: program,
	after: program,
	/** True for resources that the second program declares as the first one did. */
	isSame: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
	labels: fc.tuple(label, label, label, label),
	events,
	/** Numbers that nobody claims. */
	unclaimed: fc.array(fc.record({ country, label }), { maxLength: 2 }),
	/** An interrupted run may have bought a number that is younger than a day. */
	waited: fc.constantFrom(2 * minute, 2 * minute, 25 * hour),
	/** Features that the service doesn't have. */
	service: fc.constantFrom<string[]>([], [], [], ["idempotencyKey"], ["reference"], ["idempotencyKey", "reference"]),
});
type World = Drawn<typeof world>;

const foreign = (lease: string) => `r.g.owner.${lease}~shop/prod`;
function declarationsOf(
	{ numbers, pools: declaredPools }: Program,
	labels: World["labels"],
	isFirst: boolean,
): Values[] {
	const live = emulator.live();
	const wantedBy = (wanted: { readonly at: number; readonly isE164: boolean } | undefined) => {
		if (wanted === undefined || isFirst) return undefined;
		const record = live[wanted.at % (live.length + 1)];
		return (wanted.isE164 ? record?.number : record?.id) ?? "num_nowhere";
	};
	const declarations: Values[] = [];
	for (const [index, args] of numbers.entries()) {
		if (args === undefined) continue;
		const adopts = wantedBy(args.adopt);
		declarations.push(aNumber({ ...args, adopt: adopts, label: labels[index] }, names[index]));
	}
	for (const [index, args] of declaredPools.entries()) {
		if (args === undefined) continue;
		const adopts = wantedBy(args.adopt);
		const exclude = isFirst ? [] : args.exclude.map((member) => `${pools[index]}[${member}]`);
		declarations.push(aPool({ ...args, exclude, adopt: adopts === undefined ? [] : [adopts] }, pools[index]));
	}
	return declarations.map((news) =>
		Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined)),
	);
}

/** Applies an event. Returns the URN of a tainted resource. */
async function happen(run: Provider, stack: State, { what, at }: World["events"][number]): Promise<string | undefined> {
	const urn = [...stack.keys()][at % Math.max(1, stack.size)];
	const resource = urn === undefined ? undefined : stack.get(urn);
	const record = emulator.live()[at % Math.max(1, emulator.live().length)];
	if (urn === undefined || resource === undefined || record === undefined) return undefined;
	switch (what) {
		case "lost from the state":
			stack.delete(urn);
			return undefined;
		case "retained":
			await handlerOf(run, resource.outs).delete(resource.id, { ...resource.outs, onDelete: "retain" });
			stack.delete(urn);
			return undefined;
		case "claimed":
			if (record.reference) emulator.edit("number", record.id, { reference: foreign("lease") });
			return undefined;
		case "retained by another stack":
			if (record.reference) emulator.edit("number", record.id, { reference: foreign(retainedLease) });
			return undefined;
		case "cleared":
			if (record.reference && idsIn(stack).includes(record.id)) emulator.edit("number", record.id, { reference: null });
			return undefined;
		case "released":
			emulator.remove("number", record.id);
			return undefined;
		default:
			return urn;
	}
}

const idsIn = (stack: State): string[] =>
	[...stack.values()].flatMap(({ id, outs }) => [id, ...membersIn(outs).map((member) => member.id)]);

// ---- The run ----------------------------------------------------------------------------------------------------------

interface Held {
	readonly name: string;
	readonly id: string;
	readonly outs: Values;
}

/** Returns the numbers of a resource. */
const numbersOf = ({ type, name }: PlanStep, { id, outs }: ResourceState): Held[] =>
	type === "NumberPool"
		? membersIn(outs).map((member) => ({ name: nameIn(outs, member.index), id: member.id, outs: member.outs }))
		: [{ name, id, outs }];

const codeIn = (error: unknown): string => {
	const code = codeOf((error as Error).message);
	if (code === undefined) throw error;
	return code;
};

/** Returns what became of a number that the state no longer has. */
function removalOf({ id, outs }: Held): string {
	const record = emulator.row(id);
	if (record?.status === "released") return "release";
	// A service without references shows no owner.
	if (!record?.reference) return "retain";
	const reference = parseReference(record.reference);
	return reference?.lease === retainedLease && reference.token === outs.token ? "retain" : "forget";
}

interface Performed {
	readonly run: Provider;
	readonly stack: State;
	/** Such as `release n0 num_01`. */
	readonly actions: string[];
	/** URNs of resources whose create or update failed. */
	readonly failed: Set<string>;
}

/** Carries the steps out in the plan's order, and deletes last, as the engine does. Returns the actions. */
async function perform(run: Provider, steps: readonly PlanStep[], stack: State): Promise<string[]> {
	const performed: Performed = { run, stack, actions: [], failed: new Set() };
	for (const step of steps)
		if (step.news !== undefined && step.op !== "same") await performWrite(performed, step, step.news);
	const declared = new Set(steps.filter(({ news }) => news !== undefined).map(({ urn }) => urn));
	for (const step of steps) {
		// The engine keeps a replaced resource if its replacement failed.
		if (step.op !== "delete" || step.old === undefined || performed.failed.has(step.urn)) continue;
		if (!declared.has(step.urn)) stack.delete(step.urn);
		await performDelete(performed, step, { id: step.old.id, outs: step.old.outputs });
	}
	return performed.actions;
}

async function performWrite({ run, stack, actions, failed }: Performed, step: PlanStep, news: Values): Promise<void> {
	const { urn, name, op } = step;
	const purchases = emulator.purchases().length;
	const live = liveIds();
	const before = stack.get(urn);
	const held = before === undefined ? [] : numbersOf(step, before);
	try {
		stack.set(urn, { ...(await write(run, step, news)), inputs: news });
	} catch (error) {
		failed.add(urn);
		actions.push(`refuse ${name} ${codeIn(error)}`);
		if (error instanceof InitError) stack.set(urn, { id: error.id, outs: error.properties, inputs: news });
	}
	const after = stack.get(urn);
	const bought = emulator.purchases().slice(purchases);
	const acquired = (after === undefined ? [] : numbersOf(step, after)).map((number) => {
		if (bought.some(({ number_id }) => number_id === number.id))
			return `buy ${number.name} ${emulator.row(number.id)?.country}`;
		const action = number.outs.adopt === undefined ? "resume" : "adopt";
		return held.some(({ id }) => id === number.id) ? "" : `${action} ${number.name} ${number.id}`;
	});
	actions.push(...acquired.filter((action) => action !== ""));
	if (op === "update") actions.push(...removalsOf(held, live, stack));
}

async function performDelete(
	{ run, stack, actions }: Performed,
	step: PlanStep,
	resource: ResourceState,
): Promise<void> {
	const live = liveIds();
	try {
		await handlerOf(run, resource.outs).delete(resource.id, resource.outs);
		actions.push(...removalsOf(numbersOf(step, resource), live, stack));
	} catch (error) {
		actions.push(`refuse ${step.name} ${codeIn(error)}`);
	}
}

const liveIds = (): ReadonlySet<string> => new Set(emulator.live().map(({ id }) => id));

/** Returns what became of numbers that were live before, and that no resource of the state has now. */
const removalsOf = (numbers: readonly Held[], live: ReadonlySet<string>, stack: State): string[] =>
	numbers
		.filter(({ id }) => live.has(id) && !idsIn(stack).includes(id))
		.map((number) => `${removalOf(number)} ${number.name} ${number.id}`);

async function write(run: Provider, { op, old }: PlanStep, news: Values): Promise<ResourceState> {
	const handler = handlerOf(run, news);
	if (op === "update" && old !== undefined) return { id: old.id, ...(await handler.update(old.id, old.outputs, news)) };
	// Before a replacement, the engine checks once more without old inputs.
	if (op === "replace") await handler.check({}, news);
	return handler.create(news);
}

// ---- The plan ---------------------------------------------------------------------------------------------------------

function actionsOf(forecast: Forecast): string[] {
	const live = emulator.live();
	const idOf = (wanted: string) => live.find(({ id, number }) => [id, number].includes(wanted))?.id;
	return [
		...forecast.purchases.map(({ name, criteria }) => `buy ${name} ${criteria.country}`),
		...forecast.resumes.map(({ name, id }) => `resume ${name} ${id}`),
		...forecast.adopts.map(({ name, wanted }) => `adopt ${name} ${idOf(wanted)}`),
		...forecast.releases.map(({ name, id }) => `release ${name} ${id}`),
		...forecast.retains.map(({ name, id }) => `retain ${name} ${id}`),
		...forecast.forgets.map(({ name, id }) => `forget ${name} ${id}`),
		...forecast.refusals.map(({ name, code }) => `refuse ${name.replace(/\[\d+\]$/, "")} ${code}`),
	];
}

/** A pool fails once, with the code of the first of its numbers. */
const compared = (actions: readonly string[]): string[] => [...new Set(actions)].sort();

/** How often the programs led to each action. */
const occurrences = new Map<string, number>();

async function play(drawn: World): Promise<void> {
	const { before, labels, service } = drawn;
	const after = {
		numbers: drawn.after.numbers.map((args, index) => (drawn.isSame[index] ? before.numbers[index] : args)),
		pools: drawn.after.pools.map((args, index) => (drawn.isSame[index + 4] ? before.pools[index] : args)),
	};
	emulator.control.reset();
	const features = Object.fromEntries(["idempotencyKey", "reference"].map((name) => [name, !service.includes(name)]));
	emulator.control.settings({ features });
	const config: Record<string, string> =
		service.length === 0 ? {} : { "telephony:features": service.map((name) => `-${name}`).join(",") };
	const providers: Provider[] = [];
	const another = () => {
		const provider = open({ clock, config });
		providers.push(provider);
		return provider;
	};
	try {
		const stack: State = new Map();
		const first = another();
		await perform(first, planStepsIn(await previewOf(first, stack, declarationsOf(before, labels, true))), stack);
		const tainted = await happenings(another(), stack, drawn);
		const program = declarationsOf(after, labels, false);
		const steps = await findSteps(another(), stack, program, tainted);
		if (steps === undefined) return;
		const planned = compared(actionsOf(await forecastOf(await factsOf(steps, another().session))));
		const run = another();
		await previewOf(run, stack, program, tainted);
		expect(compared(await perform(run, steps, stack))).toEqual(planned);
		for (const action of planned) count(action);
	} finally {
		for (const { session } of providers) await (await session.service()).client.close();
	}
}

/** Lets other people and interrupted runs change the account and the state. Returns the URNs of tainted resources. */
async function happenings(run: Provider, stack: State, { events: drawn, unclaimed, waited, service }: World) {
	const tainted = new Set<string>();
	for (const event of drawn) {
		const urn = await happen(run, stack, event);
		if (urn !== undefined) tainted.add(urn);
	}
	for (const args of unclaimed) {
		const { body } = await emulator.call("POST", "/numbers", { country: args.country, type: "mobile" });
		emulator.edit("number", body.id, { label: args.label ?? null });
	}
	// Without references, only the run can know whose number a used key finds. Keys are forgotten after a day.
	const isKeyOnly = service.includes("reference") && !service.includes("idempotencyKey");
	await clock.sleep(isKeyOnly ? 25 * hour : waited);
	return tainted;
}

/** Returns the steps of the preview; undefined if it refuses the program, so that there is no plan. */
async function findSteps(run: Provider, stack: State, program: readonly Values[], tainted: ReadonlySet<string>) {
	try {
		return planStepsIn(await previewOf(run, stack, program, tainted));
	} catch (error) {
		if (isTelephonyError(error) || (error as Error).name === "AssertionError") return undefined;
		throw error;
	}
}

function count(action: string): void {
	const [kind = "", , code = ""] = action.split(" ");
	const key = kind === "refuse" ? `refuse ${code}` : kind;
	occurrences.set(key, (occurrences.get(key) ?? 0) + 1);
}

const numRuns = Math.min(Number(process.env.FC_RUNS ?? 100), 300);

test("agrees with the run that follows, action by action", async () => {
	await fc.assert(fc.asyncProperty(world, play), { numRuns });
	// Fewer programs may miss a rare action.
	if (numRuns < 300) return;
	const refusals = ["adopt-refused", "claimed", "purchase-unknown", "shared-object"].map((code) => `refuse ${code}`);
	expect([...occurrences.keys()]).toEqual(
		expect.arrayContaining(["buy", "resume", "adopt", "release", "retain", "forget", ...refusals]),
	);
});
