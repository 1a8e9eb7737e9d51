/** What may happen in the life of a program: it changes, it is run, and others do what they do. */
import fc from "fast-check";
import type { Kind } from "./kinds.mts";
import { portArgs, portNumbers, profileArgs } from "./papers.mts";
import { type Declared, nextGeneration, relinked } from "./program.mts";
import type { Crash } from "./stack.mts";
import { described, weather } from "./weather.mts";
import { declareInPlace, type Model, type World } from "./world.mts";

export const throughCli = process.argv.includes("--cli");
/** Waits are real through the CLI. */
const [activationTimeoutSeconds, soon] = throughCli ? [3, "1s"] : [60, "30s"];

export type Command = fc.AsyncCommand<Model, World>;

export const command = (
	text: string,
	check: (model: Readonly<Model>) => boolean,
	run: (model: Model, world: World) => Promise<void> | void,
): Command => ({
	check,
	async run(model, world) {
		world.say(text);
		await run(model, world);
	},
	toString: () => text,
});

/** Of others, or of the service: at any time. */
const event = (text: string, run: (world: World) => unknown): Command => ({
	check: () => true,
	async run(_, world) {
		world.say(text);
		await run(world);
	},
	toString: () => text,
});

export const at = <T,>(from: readonly T[], index: number): T => from[index % from.length] as T;

export const index = fc.nat({ max: 20 });
const label = fc.constantFrom("a", "b", "c", undefined);
const kind = fc.constantFrom<Kind>(
	...(["number", "number", "number", "sipTrunk", "webhook"] as const),
	// Their papers are files in the program's folder, which the CLI's program doesn't have.
	...(throughCli ? [] : (["kycProfile", "portOrder"] as const)),
);
const crash: fc.Arbitrary<Crash | undefined> = fc.option(
	fc.record({
		operations: fc.subarray(
			[
				...(["buyNumber", "patchNumber", "releaseNumber", "getNumber", "createTrunk", "patchTrunk"] as const),
				...(["deleteTrunk", "createWebhook", "patchWebhook", "deleteWebhook", "rotateSecret"] as const),
				...(["createKycProfile", "createKycDocument", "submitKycProfile", "deleteKycProfile"] as const),
				...(["createPortOrder", "patchPortOrder", "submitPortOrder", "cancelPortOrder"] as const),
			],
			{ minLength: 2 },
		),
		nth: fc.constantFrom(1, 1, 2, 3),
		phase: fc.constantFrom("before", "after"),
	}),
	{ nil: undefined, freq: 2 },
);
const decision = fc.constantFrom("approve", "reject", "expire");

export const argsOf = (what: Kind, country: string, text: string | undefined, capacity: number) => ({
	...(what === "number" ? { country, type: "mobile", activationTimeoutSeconds } : {}),
	...(what === "sipTrunk" ? { auth: { mode: "digest", username: "office" }, capacity } : {}),
	...(what === "webhook" ? { url: `https://hooks.example.com/${capacity}`, events: ["message.received"] } : {}),
	...(what === "kycProfile" ? profileArgs(`Erika ${text}`, capacity) : {}),
	...(what === "portOrder" ? portArgs(`Example ${text}`, capacity) : {}),
	...labelled(what, text),
});

/** The label of a number, or the name of a trunk, which always has one. */
export const labelled = (what: Kind, text: string | undefined) => {
	if (what === "sipTrunk") return { name: text ?? "unnamed" };
	return text === undefined || what !== "number" ? {} : { label: text };
};

/** What a new one of the kind has for itself: two orders for one number are refused. */
export const ownArgs = (model: Model, what: Kind) => (what === "portOrder" ? portNumbers(model.count++) : {});

const declare = fc
	.tuple(
		kind,
		fc.constantFrom("NL", "NL", "DE", "FR"),
		label,
		fc.integer({ min: 1, max: 9 }),
		fc.option(index),
		fc.boolean(),
		fc.constantFrom({}, {}, {}, { onDelete: "retain" }),
	)
	.map(([what, country, text, capacity, trunk, waits, end]) =>
		command(
			`declare ${what} ${what === "number" ? country : capacity} ${text} ${waits} ${"onDelete" in end ? end.onDelete : ""}`,
			({ program }) => program.length < 7,
			(model) => {
				const trunks = model.program.filter((each) => each.kind === "sipTrunk");
				const profiles = model.program.filter((each) => each.kind === "kycProfile");
				const args = {
					...argsOf(what, country, text, capacity),
					...ownArgs(model, what),
					...(what !== "number" || waits ? {} : { waitForActive: false }),
					...(what === "number" ? end : {}),
				};
				const name = `${what}${model.count++}`;
				const needed = (of: readonly Declared[]) =>
					what === "number" && trunk !== null && of.length > 0 ? at(of, trunk).name : undefined;
				const [to, profile] = [needed(trunks), needed(profiles)];
				// What numbers need stands before them.
				const rest = model.program;
				model.program =
					what === "number"
						? [...rest, { kind: what, name, args, trunk: to, profile }]
						: [{ kind: what, name, args }, ...rest];
			},
		),
	);

const change = fc.tuple(index, label, fc.integer({ min: 1, max: 9 })).map(([which, text, capacity]) =>
	command(
		`change ${which} ${text} ${capacity}`,
		({ program }) => program.length > 0,
		(model) => {
			const chosen = at(model.program, which);
			const { label: _, ...fixed } = chosen.args;
			const { country, type: __, activationTimeoutSeconds: ___, ...args } = argsOf(chosen.kind, "", text, capacity);
			model.program = model.program.map((each) => (each === chosen ? { ...each, args: { ...fixed, ...args } } : each));
		},
	),
);

/** One that is bought: an adopted one is what it is. */
const isBought = ({ kind: what, args }: Declared) => what === "number" && args.adopt === undefined;

const hasNumbers = ({ program }: Readonly<Model>) => program.some(isBought);
const isDeclared = ({ program }: Readonly<Model>) => program.length > 0;

/** One number's declaration changes, so that it stands for another one. */
const redeclare = (
	model: Model,
	world: World,
	which: number,
	changed: (args: Declared["args"]) => Declared["args"],
) => {
	const chosen = at(model.program.filter(isBought), which);
	model.program = model.program.map((each) => (each === chosen ? { ...each, args: changed(each.args) } : each));
	world.changed();
};

const generation = index.map((which) =>
	command(`new generation ${which}`, hasNumbers, (model, world) => redeclare(model, world, which, nextGeneration)),
);

const criteria = fc
	.tuple(index, fc.constantFrom("NL", "DE", "FR"))
	.map(([which, country]) =>
		command(`${country} for ${which}`, hasNumbers, (model, world) =>
			redeclare(model, world, which, (args) => ({ ...args, country })),
		),
	);

/** What a later delete does with the number. */
const onDelete = fc.tuple(index, fc.constantFrom("release", "retain", undefined)).map(([which, end]) =>
	command(`onDelete of ${which}: ${end}`, hasNumbers, (model) => {
		const chosen = at(model.program.filter(isBought), which);
		const { onDelete: _, ...args } = chosen.args;
		const changed = { ...chosen, args: end === undefined ? args : { ...args, onDelete: end } };
		model.program = model.program.map((each) => (each === chosen ? changed : each));
	}),
);

/** That resources once had, and none has now. */
const freeNames = ({ former, program }: Readonly<Model>): string[] =>
	[...former.keys()].filter((name) => program.every((each) => each.name !== name));

export function declareAgain(model: Model, world: World, name: string, country: string): void {
	const what = model.former.get(name) ?? "number";
	model.program = [
		...model.program,
		{ kind: what, name, args: { ...argsOf(what, country, "a", 1), ...ownArgs(model, what) } },
	];
	world.changed();
}

/** A new resource under the name of an old one, whose key has been used. */
const again = fc.tuple(index, fc.constantFrom("NL", "DE")).map(([which, country]) =>
	command(
		`declare ${which} again ${country}`,
		(model) => freeNames(model).length > 0,
		(model, world) => declareAgain(model, world, at(freeNames(model), which), country),
	),
);

export function removeOne(model: Model, world: World, { kind: what, name }: Declared): void {
	model.former.set(name, what);
	model.program = model.program.filter((each) => each.name !== name).map((each) => relinked(each, name, undefined));
	world.changed();
}

const remove = index.map((which) =>
	command(`remove ${which}`, isDeclared, (model, world) => removeOne(model, world, at(model.program, which))),
);

/** Answers the new name. */
export function renameOne(model: Model, world: World, { kind: what, name }: Declared): string {
	// Of two names in a row, nobody knows the first one again where only a killed run has written it.
	if (model.renamed.has(name)) return name;
	model.former.set(name, what);
	let next = `${name}r`;
	// An entry of such a name may still be there, to be removed.
	while (model.former.has(next) || model.program.some((each) => each.name === next)) next += "r";
	world.rename(name, next);
	model.renamed.add(next);
	model.program = model.program.map((each) => ({
		...relinked(each, name, next),
		name: each.name === name ? next : each.name,
	}));
	return next;
}

const rename = index.map((which) =>
	command(`rename ${which}`, isDeclared, (model, world) => {
		renameOne(model, world, at(model.program, which));
	}),
);

const bare = index.map((which) =>
	command(`rename ${which} without aliases`, isDeclared, (model, world) => {
		const chosen = at(model.program, which);
		if (model.renamed.has(chosen.name)) return;
		declareInPlace(model, chosen);
		world.changed();
	}),
);

const up = fc
	.tuple(
		crash,
		fc.option(fc.array(index, { minLength: 1, maxLength: 3 }), { nil: [], freq: 3 }),
		fc.option(decision, { nil: undefined }),
		fc.constantFrom(1, 4),
		weather,
	)
	.map(([cut, indexes, decided, parallel, sky]) =>
		command(
			`up ${cut ? `crashing ${cut.phase} ${cut.operations} ${cut.nth}` : ""} ${indexes.length > 0 ? `--replace ${indexes}` : ""} ${decided ?? ""} -p ${parallel} ${described(sky)}`,
			() => true,
			async (model, world) => {
				const replace =
					model.program.length === 0 ? [] : [...new Set(indexes.map((which) => at(model.program, which).name))];
				// Of a new name, a replacement on top is a known limit.
				await world.up(model, {
					crash: cut,
					replace: replace.filter((name) => !model.renamed.has(name)),
					decided,
					parallel,
					weather: sky,
				});
			},
		),
	);

/** A run uses the key of an account that has nothing of this stack. */
const astray = fc.constantFrom("up", "refresh", "destroy" as const).map((what) =>
	command(
		`${what} on another account`,
		() => !throughCli,
		(model, world) => world.astray(model, what),
	),
);

const edit = fc
	.tuple(index, fc.constantFrom("label", "reference", "foreign", "attempt", "routing" as const))
	.map(([which, what]) => event(`edit ${which} ${what}`, (world) => world.others.edit(which, what)));

const buyers = fc.constantFrom("NL", "DE", "FR");

const times = <T,>(count: number, each: T): T[] => Array<T>(count).fill(each);

/** As often as they are named here. */
export const commands = [
	...[...times(4, declare), ...times(2, change), generation, criteria, onDelete, remove, rename, bare, astray, again],
	...[...times(6, up), ...times(2, edit)],
	weather.map((sky) => event(`refresh ${described(sky)}`, (world) => world.refresh(sky))),
	fc
		.constantFrom(["two minutes", 120_000], ["a day and an hour", 25 * 3_600_000] as const)
		.map(([text, ms]) => event(`${text} later`, (world) => world.pass(ms))),
	buyers.map((country) => event(`somebody buys in ${country}`, (world) => world.others.buy(country))),
	index.map((which) => event(`release ${which} outside`, (world) => world.others.release(which))),
	index.map((which) => event(`restore ${which}`, (world) => world.others.restore(which))),
	fc
		.tuple(index, decision)
		.map(([which, what]) => event(`${what} ${which}`, (world) => world.others.decide(which, what))),
	...(throughCli
		? []
		: [
				fc
					.tuple(index, decision)
					.map(([which, what]) =>
						event(`${what} profile ${which}`, (world) => world.others.decideProfile(which, what)),
					),
				fc
					.tuple(index, fc.constantFrom("advance", "advance", "reject", "complete", "cancel" as const))
					.map(([which, what]) => event(`${what} port ${which}`, (world) => world.others.decidePort(which, what))),
			]),
	fc
		.constantFrom("manual", "immediate", "reject", soon, "2h")
		.map((policy) => event(`kyc ${policy}`, (world) => world.others.policy(policy))),
	fc
		.tuple(crash, weather)
		.map(([cut, sky]) =>
			event(`destroy ${cut?.operations ?? ""} ${described(sky)}`, (world) =>
				world.destroy({ crash: cut, weather: sky }),
			),
		),
];
