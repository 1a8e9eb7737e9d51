/**
 * `node test/campaigns/lifecycle.mts [--sequences N] [--seed S] [--replay SEED] [--cli]`: random lives of a program against
 * a pure model: changes, replacements, edits behind Pulumi's back, KYC, crashes. In process and in virtual time, or, some
 * thousand times slower and so with shorter lives, through the real CLI.
 */
import fc from "fast-check";
import { runCampaign, type Trial, Violation } from "./campaign.mts";
import { createProject } from "./cli.mts";
import { createEmulator, VirtualClock } from "./oracle.mts";
import type { Kind } from "./program.mts";
import { CliStack } from "./stack-cli.mts";
import { InProcessStack } from "./stack-in-process.mts";
import { type Crash, type Model, World } from "./world.mts";

const throughCli = process.argv.includes("--cli");
/** Waits are real through the CLI. */
const [activationTimeout, soon, longest] = throughCli ? [3, "1s", 20] : [60, "30s", 40];

type Command = fc.AsyncCommand<Model, World>;

const command = (
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

const at = <T,>(from: readonly T[], index: number): T => from[index % from.length] as T;

const index = fc.nat({ max: 20 });
const label = fc.constantFrom("a", "b", "c", undefined);
const kind = fc.constantFrom<Kind>("number", "number", "number", "sipTrunk", "webhook");
const crash: fc.Arbitrary<Crash | undefined> = fc.option(
	fc.record({
		operations: fc.subarray(
			[
				...(["buyNumber", "patchNumber", "releaseNumber", "getNumber", "createTrunk", "patchTrunk"] as const),
				...(["deleteTrunk", "createWebhook", "patchWebhook", "deleteWebhook", "rotateSecret"] as const),
			],
			{ minLength: 2 },
		),
		nth: fc.constantFrom(1, 1, 2, 3),
		phase: fc.constantFrom("before", "after"),
	}),
	{ nil: undefined, freq: 2 },
);
const decision = fc.constantFrom("approve", "reject", "expire");

const argsOf = (what: Kind, country: string, text: string | undefined, capacity: number) => ({
	...(what === "number" ? { country, type: "mobile", activationTimeout } : {}),
	...(what === "sipTrunk" ? { auth: { mode: "digest", username: "office" }, capacity } : {}),
	...(what === "webhook" ? { url: `https://hooks.example.com/${capacity}`, events: ["message.received"] } : {}),
	...(text === undefined || what === "webhook" ? {} : { label: text }),
});

const declare = fc
	.tuple(
		kind,
		fc.constantFrom("NL", "NL", "DE", "FR"),
		label,
		fc.integer({ min: 1, max: 9 }),
		fc.option(index),
		fc.boolean(),
	)
	.map(([what, country, text, capacity, trunk, waits]) =>
		command(
			`declare ${what} ${what === "number" ? country : capacity} ${text} ${waits}`,
			({ program }) => program.length < 7,
			(model) => {
				const trunks = model.program.filter((each) => each.kind === "sipTrunk");
				const args = {
					...argsOf(what, country, text, capacity),
					...(what !== "number" || waits ? {} : { waitForActive: false }),
				};
				const name = `${what}${model.count++}`;
				const to = what === "number" && trunk !== null && trunks.length > 0 ? at(trunks, trunk).name : undefined;
				// A trunk stands before the numbers that point to it.
				const rest = model.program;
				model.program =
					what === "number" ? [...rest, { kind: what, name, args, trunk: to }] : [{ kind: what, name, args }, ...rest];
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
			const { country, type: __, activationTimeout: ___, ...args } = argsOf(chosen.kind, "", text, capacity);
			model.program = model.program.map((each) => (each === chosen ? { ...each, args: { ...fixed, ...args } } : each));
		},
	),
);

const isNumber = ({ kind: what }: { kind: Kind }) => what === "number";

// What a crash left unsettled must be settled before its declaration goes: a known limit, see docs/guarantees.md.
const settledWith = (model: Readonly<Model>, numbers: boolean) =>
	model.unsettled === 0 && model.program.some((each) => !numbers || isNumber(each));

const generation = index.map((which) =>
	command(
		`new generation ${which}`,
		(model) => settledWith(model, true),
		(model) => {
			const chosen = at(model.program.filter(isNumber), which);
			const next = { ...chosen, args: { ...chosen.args, generation: Number(chosen.args.generation ?? 0) + 1 } };
			model.program = model.program.map((each) => (each === chosen ? next : each));
			model.unsettled = 1;
		},
	),
);

const remove = index.map((which) =>
	command(
		`remove ${which}`,
		(model) => settledWith(model, false),
		(model) => {
			const { name } = at(model.program, which);
			model.program = model.program
				.filter((each) => each.name !== name)
				.map((each) => (each.trunk === name ? { ...each, trunk: undefined } : each));
			model.unsettled = 1;
		},
	),
);

const rename = index.map((which) =>
	command(
		`rename ${which}`,
		(model) => settledWith(model, false),
		(model, world) => {
			const { name } = at(model.program, which);
			const next = `${name}r`;
			world.rename(name, next);
			model.unsettled = 1;
			model.program = model.program.map((each) => ({
				...each,
				name: each.name === name ? next : each.name,
				...(each.trunk === name ? { trunk: next } : {}),
			}));
		},
	),
);

const up = fc
	.tuple(
		crash,
		fc.option(fc.array(index, { minLength: 1, maxLength: 3 }), { nil: [], freq: 3 }),
		fc.option(decision, { nil: undefined }),
		fc.constantFrom(1, 4),
	)
	.map(([cut, indexes, decided, parallel]) =>
		command(
			`up ${cut ? `crashing ${cut.phase} ${cut.operations} ${cut.nth}` : ""} ${indexes.length > 0 ? `--replace ${indexes}` : ""} ${decided ?? ""} -p ${parallel}`,
			() => true,
			async (model, world) => {
				const replace =
					model.program.length === 0 ? [] : [...new Set(indexes.map((which) => at(model.program, which).name))];
				// Of a new generation or name, a replacement on top is a known limit.
				await world.up(model, { crash: cut, replace: model.unsettled === 0 ? replace : [], decided, parallel });
			},
		),
	);

const edit = fc.tuple(index, fc.constantFrom("label", "reference", "foreign", "routing")).map(([which, what]) =>
	command(
		`edit ${which} ${what}`,
		// A reference that somebody takes away from a number that is to go keeps it: by design, with a warning.
		({ unsettled }) => unsettled === 0 || what === "label" || what === "routing",
		(model, world) => world.edit(model, which, what),
	),
);

// As often as they are named here: an edit needs a number, and of some kinds one that is settled.
const commands = [
	declare,
	declare,
	declare,
	declare,
	change,
	generation,
	remove,
	rename,
	up,
	up,
	up,
	up,
	up,
	up,
	edit,
	edit,
	edit,
	edit,
	fc.constant(
		command(
			"refresh",
			() => true,
			(model, world) => world.refresh(model),
		),
	),
	index.map((which) =>
		command(
			`release ${which} outside`,
			() => true,
			(model, world) => world.release(model, which),
		),
	),
	fc.tuple(index, decision).map(([which, what]) =>
		command(
			`${what} ${which}`,
			() => true,
			(model, world) => world.decide(model, which, what),
		),
	),
	fc.constantFrom("manual", "immediate", "reject", soon, "2h").map((policy) =>
		command(
			`kyc ${policy}`,
			() => true,
			(_, world) => world.policy(policy),
		),
	),
	crash.map((cut) =>
		command(
			`destroy ${cut?.operations ?? ""}`,
			({ unsettled }) => unsettled === 0,
			(model, world) => world.destroy(model, cut),
		),
	),
];

// The first run of a property is a small one otherwise, and each trial is a first run.
const lives = fc.noBias(fc.commands(commands, { maxCommands: longest, size: "max" }));

async function sequence(trial: Trial): Promise<void> {
	const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
	const emulator = await createEmulator({ ...(throughCli ? {} : { clock }), seed: trial.seed });
	const open = async () => {
		if (!throughCli) return { stack: new InProcessStack(emulator, clock, trial), close: () => {} };
		const project = await createProject(emulator);
		return { stack: new CliStack(emulator, project, trial), close: project.remove };
	};
	try {
		const property = fc.asyncProperty(lives, async (cmds) => {
			trial.say("— a new account");
			emulator.control.reset();
			const { stack, close } = await open();
			try {
				const world = new World(emulator.control, stack, trial);
				const model: Model = { program: [], count: 0, unsettled: 0 };
				await fc.asyncModelRun(() => ({ model, real: world }), cmds);
				await world.finish(model);
			} finally {
				close();
			}
		});
		const limit = throughCli
			? { interruptAfterTimeLimit: 900_000, endOnFailure: true }
			: { interruptAfterTimeLimit: 120_000 };
		const result = await fc.check(property, { seed: trial.seed, numRuns: 1, ...limit });
		if (!result.failed) return;
		const reason = result.errorInstance instanceof Error ? result.errorInstance : undefined;
		const why = reason instanceof Violation ? reason.message : (reason?.stack ?? "ran out of time");
		throw new Violation(`${why}\n  after: ${String(result.counterexample)}`);
	} finally {
		await emulator.close();
	}
}

await runCampaign({
	name: "lifecycle",
	trials: 100,
	workers: 1,
	open: async () => ({ trial: sequence, close: async () => {} }),
});
