/**
 * Histories in which faults have been found, or planted: several steps that random lives hardly ever take in a row. They
 * come between the single steps, in whatever state those have left.
 */
import fc from "fast-check";
import type { FaultRequest } from "./account.mts";
import {
	argsOf,
	at,
	type Command,
	command,
	commands,
	declareAgain,
	index,
	labelled,
	ownArgs,
	removeOne,
	renameOne,
	throughCli,
} from "./commands.mts";
import { type Kind, kinds, type Operation } from "./kinds.mts";
import { type Declared, nextGeneration } from "./program.mts";
import type { Crash } from "./stack.mts";
import { fair, type Weather } from "./weather.mts";
import type { Model, Up, World } from "./world.mts";

const under = (faults: readonly FaultRequest[], readLagMs = 0, listLagMs = 0): Weather => ({
	faults,
	readLagMs,
	listLagMs,
});

const always = Array.from({ length: 30 }, (_, nth) => nth + 1);

/** How a write may go wrong, for all tries of it. */
const failing = (operation: Operation): fc.Arbitrary<readonly FaultRequest[]> =>
	fc.constantFrom<readonly FaultRequest[]>(
		[{ operation, nth: always, kind: "status", phase: "before", error: "forbidden" }],
		[{ operation, nth: always, kind: "status", phase: "after", error: "internal_error" }],
		[{ operation, nth: always, kind: "reset", phase: "after" }],
		[{ operation, nth: 1, kind: "status", phase: "before", error: "validation_failed" }],
		[{ operation, nth: 1, kind: "status", phase: "after", error: "bad_request" }],
		[
			// Carried out, the answer lost; the next try is refused.
			{ operation, nth: 1, kind: "html", phase: "after", status: 502 },
			{ operation, nth: 2, kind: "status", phase: "before", error: "forbidden" },
		],
	);

const cutAfter = (operation: Operation): Crash => ({ operations: [operation], nth: 1, phase: "after" });

const findIn = ({ program }: Model, name: string): Declared | undefined => program.find((each) => each.name === name);

const change = (model: Model, name: string, changed: (each: Declared) => Declared): void => {
	model.program = model.program.map((each) => (each.name === name ? changed(each) : each));
};

const label = (model: Model, name: string, text: string | undefined): void =>
	change(model, name, (each) => {
		const { label: _, ...args } = each.args;
		return { ...each, args: { ...args, ...labelled(each.kind, text) } };
	});

/** Asks for another number in its place. */
function replaceOne(model: Model, world: World, name: string): void {
	world.changed();
	change(model, name, (each) => ({ ...each, args: nextGeneration(each.args) }));
}

/** A new one of the kind, or one that there is. */
function one(
	model: Model,
	what: Kind,
	which: number,
	{ text = "a", country = "NL" }: { text?: string; country?: string } = {},
): string {
	const present = model.program.filter(({ kind, args }) => kind === what && args.adopt === undefined);
	if (model.program.length >= 7 && present.length > 0) return at(present, which).name;
	const name = `${what}${model.count++}`;
	const args = { ...argsOf(what, country, text, 1), ...ownArgs(model, what) };
	model.program = [...model.program, { kind: what, name, args }];
	return name;
}

const story = (text: string, told: (model: Model, world: World) => Promise<void>): Command =>
	command(text, () => true, told);

/** What the program has dropped and the service has refused to clear. */
const dropped = fc
	.tuple(index, failing("patchNumber"), fc.boolean(), fc.boolean())
	.map(([which, faults, isTrunk, reads]) =>
		story(
			`drop ${isTrunk ? "the trunk" : "the label"} of ${which}${reads ? ", with a refresh" : ""} ${JSON.stringify(faults)}`,
			async (model, world) => {
				const name = one(model, "number", which);
				if (isTrunk) {
					const trunk = one(model, "sipTrunk", which);
					// The engine makes the trunk first.
					const trunks = model.program.filter((each) => each.name === trunk);
					model.program = [...trunks, ...model.program.filter((each) => each.name !== trunk)];
					change(model, name, (each) => ({ ...each, trunk }));
				} else label(model, name, "a");
				await world.up(model);
				if (isTrunk) change(model, name, (each) => ({ ...each, trunk: undefined }));
				else label(model, name, undefined);
				await world.up(model, { weather: under(faults) });
				if (reads) await world.refresh();
				await world.up(model);
			},
		),
	);

/** What was set and perhaps never confirmed, and is then wanted no more. */
const takenBack = fc.tuple(index, failing("patchNumber"), fc.boolean()).map(([which, faults, refreshes]) =>
	story(
		`take back the label of ${which}${refreshes ? ", with a refresh" : ""} ${JSON.stringify(faults)}`,
		async (model, world) => {
			const name = one(model, "number", which);
			label(model, name, undefined);
			await world.up(model);
			label(model, name, "b");
			await world.up(model, { weather: under(faults) });
			if (refreshes) await world.refresh();
			label(model, name, undefined);
			await world.up(model);
		},
	),
);

/** A write without an answer, and then the end. */
const ended = fc
	.tuple(index, failing("patchNumber"), fc.constantFrom("remove", "destroy", "generation", "refresh"))
	.map(([which, faults, end]) =>
		story(`write ${which}, then ${end} ${JSON.stringify(faults)}`, async (model, world) => {
			const name = one(model, "number", which);
			label(model, name, "a");
			await world.up(model);
			label(model, name, "c");
			await world.up(model, { weather: under(faults) });
			const declared = findIn(model, name);
			if (declared === undefined) return;
			if (end === "destroy") return void (await world.destroy());
			if (end === "refresh") return world.refresh();
			if (end === "remove") removeOne(model, world, declared);
			else replaceOne(model, world, name);
			await world.up(model);
		}),
	);

/** What a killed run has set is wanted no more. */
const killed = fc
	.tuple(index, fc.constantFrom("create", "update"), fc.constantFrom<Operation>("patchNumber", "buyNumber"))
	.map(([which, when, operation]) =>
		story(`kill the ${when} of ${which} after ${operation}`, async (model, world) => {
			const name = one(model, "number", which);
			if (when === "update") {
				label(model, name, undefined);
				await world.up(model);
				label(model, name, "b");
			}
			await world.up(model, { crash: cutAfter(operation), parallel: 1 });
			label(model, name, undefined);
			if (when === "update") await world.refresh();
			await world.up(model);
		}),
	);

/** The same of what costs nothing: a write without an answer, or a killed run, and then the end. */
const configured = fc
	.tuple(
		fc.constantFrom("sipTrunk", "webhook" as const),
		index,
		fc.option(failing("patchTrunk")),
		fc.constantFrom("change", "remove", "destroy", "replace"),
	)
	.map(([what, which, faults, end]) =>
		story(
			`${faults ? "write" : "kill"} ${what} ${which}, then ${end} ${JSON.stringify(faults)}`,
			async (model, world) => {
				const name = one(model, what, which);
				const set = (capacity: number) =>
					change(model, name, (each) => ({ ...each, args: argsOf(what, "", undefined, capacity) }));
				set(2);
				await world.up(model);
				set(3);
				const operation = kinds[what].operations.patch;
				if (faults === null) {
					await world.up(model, { crash: cutAfter(operation), parallel: 1 });
					await world.refresh();
				} else
					await world.up(model, { weather: under(faults.map((each) => ({ ...each, operation }) as FaultRequest)) });
				const declared = findIn(model, name);
				if (declared === undefined) return;
				if (end === "destroy") return void (await world.destroy());
				if (end === "remove") removeOne(model, world, declared);
				else set(2);
				await world.up(model, { replace: end === "replace" && !model.renamed.has(name) ? [name] : [] });
			},
		),
	);

const unreleased = fc
	.tuple(index, failing("releaseNumber"), fc.constantFrom("remove", "destroy", "generation"))
	.map(([which, faults, end]) =>
		story(`${end} ${which} ${JSON.stringify(faults)}`, async (model, world) => {
			const name = one(model, "number", which);
			await world.up(model);
			const declared = findIn(model, name);
			if (declared === undefined) return;
			if (end === "destroy") return void (await world.destroy({ weather: under(faults) }));
			if (end === "remove") removeOne(model, world, declared);
			else replaceOne(model, world, name);
			await world.up(model, { weather: under(faults) });
		}),
	);

/** Part of the service is away, or it lags, right after it has been written to. */
const refreshed = fc
	.tuple(
		fc.constantFrom<Kind>("number", "sipTrunk", "webhook"),
		index,
		fc.constantFrom(["are away", 503, 0, 60_000], ["find no service", 404, 0, 60_000], [
			"lag",
			0,
			2_000,
			2_000,
		] as const),
	)
	.map(([what, which, [text, status, readLagMs, listLagMs]]) =>
		story(`refresh what is new (${what}), while reads ${text}`, async (model, world) => {
			const name = one(model, what, which);
			label(model, name, what === "webhook" ? undefined : `at ${which}`);
			await world.up(model);
			const fault: FaultRequest = {
				operation: kinds[what].operations.get,
				nth: always,
				kind: "html",
				phase: "before",
				status,
			};
			await world.refresh(under(status === 0 ? [] : [fault], readLagMs, listLagMs));
		}),
	);

/** The next run resumes what a killed run made, and its secret can't be made anew at first. */
const unknownSecret = fc
	.tuple(fc.constantFrom("sipTrunk", "webhook" as const), index, failing("rotateSecret"))
	.map(([what, which, faults]) =>
		story(`kill the create of ${what} ${which}, then ${JSON.stringify(faults)}`, async (model, world) => {
			one(model, what, which);
			await world.up(model, { crash: cutAfter(kinds[what].operations.create), parallel: 1 });
			const sky = under(faults.map((each) => ({ ...each, operation: kinds[what].rotate }) as FaultRequest));
			await world.up(model, { weather: sky });
			await world.up(model);
		}),
	);

/** An answer to a creation is lost, and reads lag. */
const lostAnswer = fc
	.tuple(fc.constantFrom<Kind>("sipTrunk", "webhook", "number"), index, fc.constantFrom(0, 2_000))
	.map(([what, which, lagMs]) =>
		story(`lose the answer to a ${what}, reads lag ${lagMs}`, async (model, world) => {
			one(model, what, which);
			const fault: FaultRequest = { operation: kinds[what].operations.create, nth: 1, kind: "reset", phase: "after" };
			await world.up(model, { weather: under([fault], lagMs, lagMs) });
		}),
	);

/** A gateway knows nothing of the first write, which carries the reference alone. */
const gateway = fc.tuple(index, fc.constantFrom([1], always)).map(([which, nth]) =>
	story(`a gateway's 404 to the first write of ${which}, ${nth.length} times`, async (model, world) => {
		const name = one(model, "number", which);
		label(model, name, undefined);
		await world.up(model, {
			weather: under([{ operation: "patchNumber", nth, kind: "html", phase: "before", status: 404 }]),
		});
		await world.up(model);
	}),
);

const soldOut = index.map((which) =>
	story(`nothing to buy for ${which}`, async (model, world) => {
		one(model, "number", which);
		await world.up(model, { weather: { ...fair, soldOut: true } });
		await world.up(model);
	}),
);

/** An old name is given to a new resource, beside the one that had it or in its place. */
const namesake = fc
	.tuple(
		fc.constantFrom<Kind>("number", "number", "sipTrunk", "webhook"),
		index,
		fc.boolean(),
		fc.constantFrom(0, 2_000),
		fc.constantFrom(1, 4),
	)
	.map(([what, which, stays, lagMs, parallel]) =>
		story(
			`give the name of ${what} ${which} to a new one${stays ? "" : ", in its place"}, lists lag ${lagMs}, -p ${parallel}`,
			async (model, world) => {
				const name = one(model, what, which);
				await world.up(model);
				const declared = findIn(model, name);
				if (declared === undefined || model.renamed.has(name)) return;
				const next = renameOne(model, world, declared);
				if (!stays) {
					await world.up(model);
					const renamed = findIn(model, next);
					if (renamed !== undefined) removeOne(model, world, renamed);
				}
				declareAgain(model, world, name, "NL");
				await world.up(model, { parallel, weather: under([], 0, lagMs) });
			},
		),
	);

/** A number is left on the account, and declared again: it is resumed, however old the key is. */
const left = fc
	.tuple(index, fc.constantFrom("remove", "destroy"), fc.constantFrom(0, 25 * 3_600_000))
	.map(([which, end, ms]) =>
		story(`leave ${which} by ${end}, and declare it again after ${ms} ms`, async (model, world) => {
			const name = one(model, "number", which);
			change(model, name, (each) => ({ ...each, args: { ...each.args, onDelete: "retain" } }));
			await world.up(model);
			const declared = findIn(model, name);
			if (declared === undefined) return;
			if (end === "destroy") await world.destroy();
			else {
				removeOne(model, world, declared);
				await world.up(model);
				if (model.program.length < 7)
					model.program = [...model.program, { ...declared, trunk: undefined, profile: undefined }];
			}
			world.pass(ms);
			await world.up(model);
		}),
	);

const anew = fc.tuple(index, fc.constantFrom("destroy", "release")).map(([which, end]) =>
	story(`${end} what is two minutes old, and up again`, async (model, world) => {
		one(model, "number", which);
		await world.up(model);
		world.pass(120_000);
		if (end === "destroy") await world.destroy();
		else {
			await world.others.release(which);
			await world.refresh();
		}
		await world.up(model);
	}),
);

// ---- Others write what the program holds, or decide about it ---------------------------------------------------------

const reference = fc.constantFrom("foreign", "reference", "attempt" as const);

/** Another tool, or a run that nobody knows of, has written what the state holds. */
const rewritten = fc
	.tuple(index, reference, fc.boolean(), fc.constantFrom("remove", "destroy", "change", "replace"))
	.map(([which, what, reads, end]) =>
		story(`edit the ${what} of ${which}${reads ? ", with a refresh" : ""}, then ${end}`, async (model, world) => {
			const name = one(model, "number", which);
			await world.up(model);
			await world.others.editOf(name, what);
			if (reads) await world.refresh();
			const declared = findIn(model, name);
			if (declared === undefined) return;
			if (end === "destroy") return void (await world.destroy());
			if (end === "remove") removeOne(model, world, declared);
			else label(model, name, `b${which}`);
			await world.up(model, { replace: end === "replace" && !model.renamed.has(name) ? [name] : [] });
		}),
	);

/** What a killed run has bought and not claimed is somebody else's by now. */
const claimed = fc.tuple(index, reference).map(([which, what]) =>
	story(`kill the create of ${which}, and edit its ${what}`, async (model, world) => {
		const name = one(model, "number", which);
		await world.up(model, { crash: cutAfter("buyNumber"), parallel: 1 });
		await world.others.editOf(name, what);
		await world.up(model);
	}),
);

/** The papers of a new number are decided on while the run waits for it, or it goes on waiting. */
const papers = fc.tuple(index, fc.constantFrom("reject", "expire", "approve" as const)).map(([which, decided]) =>
	story(`${decided} the papers of ${which}`, async (model, world) => {
		one(model, "number", which, { country: "DE" });
		await world.up(model, { decided });
		await world.up(model);
	}),
);

/** How a run may be disturbed while it hands something in: cut short after an operation, or refused there. */
const disturbed = (operations: readonly Operation[]): fc.Arbitrary<Up> =>
	fc.oneof(
		fc.constantFrom(...operations).map((operation) => ({ crash: cutAfter(operation), parallel: 1 })),
		fc.tuple(fc.constantFrom(...operations), failing("patchNumber")).map(([operation, faults]) => ({
			weather: under(faults.map((each) => ({ ...each, operation }) as FaultRequest)),
		})),
		fc.constantFrom({}, { weather: under([], 0, 2_000) }),
	);

const filings = {
	kycProfile: ["createKycProfile", "createKycDocument", "patchKycProfile", "submitKycProfile"],
	portOrder: ["createPortOrder", "createKycDocument", "patchPortOrder", "submitPortOrder"],
} as const satisfies Partial<Record<Kind, readonly Operation[]>>;

type Filing = keyof typeof filings;
const filingSteps = ["refresh first", "reject", "leave", "wait", "correct", "refresh after", "day after"] as const;
const waits = { kycProfile: "waitForApproval", portOrder: "waitForCompletion" } as const;
type FilingStep = (typeof filingSteps)[number];

/** Handed in, refused with reasons, left as it is, and corrected with another paper. */
async function file(
	model: Model,
	world: World,
	what: Filing,
	which: number,
	skies: readonly [Up, Up],
	steps: readonly FilingStep[],
): Promise<string> {
	const name = one(model, what, which);
	const loose = await world.looseOf(what);
	await world.up(model, skies[0]);
	if (skies[0].crash !== undefined) await world.upHolding(model, what, loose);
	const take: Readonly<Record<FilingStep, () => unknown>> = {
		"refresh first": () => world.refresh(),
		reject: async () => {
			await world.up(model);
			await world.others.settleOf(name, "reject");
		},
		leave: () => world.up(model),
		// A wait sends nothing: what was refused stays so, and is said.
		wait: async () => {
			const before = findIn(model, name)?.args ?? {};
			change(model, name, (each) => ({ ...each, args: { ...each.args, [waits[what]]: true } }));
			await world.up(model);
			change(model, name, (each) => ({ ...each, args: before }));
		},
		correct: () => {
			change(model, name, (each) => ({ ...each, args: { ...each.args, ...argsOf(what, "", "b", which + 1) } }));
			return world.up(model, skies[1]);
		},
		"refresh after": () => world.refresh(),
		"day after": () => world.pass(25 * 3_600_000),
	};
	for (const step of steps) await take[step]();
	return name;
}

const filed = fc
	.constantFrom<Filing>("kycProfile", "portOrder")
	.chain((what) =>
		fc.tuple(
			fc.constant(what),
			fc.tuple(disturbed(filings[what]), disturbed(filings[what])),
			fc.subarray([...filingSteps]),
			fc.constantFrom("accept", "accept", "remove", "destroy", "drop", "replace"),
			index,
		),
	)
	.map(([what, skies, steps, end, which]) =>
		story(`file a ${what}: ${steps}, then ${end} ${JSON.stringify(skies)}`, async (model, world) => {
			const name = await file(model, world, what, which, skies, steps);
			const declared = findIn(model, name);
			if (declared === undefined) return;
			if (end === "destroy") return void (await world.destroy());
			if (end === "remove") removeOne(model, world, declared);
			if (end === "accept" || end === "drop") await world.others.settleOf(name, end);
			await world.up(model, { replace: end === "replace" && !model.renamed.has(name) ? [name] : [] });
		}),
	);

const adoptedSteps = ["refresh first", "advance", "leave", "complete", "refresh", "up", "relabel"] as const;
type AdoptedStep = (typeof adoptedSteps)[number];

/** The first number of a new order, which nobody else adopts. */
function adoptOne(model: Model, port: string, waitForActive: boolean): string | undefined {
	const [adopt] = (findIn(model, port)?.args.numbers ?? []) as readonly string[];
	if (model.program.length >= 7 || model.program.some(({ args }) => args.adopt === adopt)) return undefined;
	const name = `number${model.count++}`;
	const args = { country: "NL", type: "geographic", adopt, label: "a", activationTimeoutSeconds: 60, waitForActive };
	model.program = [...model.program, { kind: "number", name, args, port }];
	return name;
}

const adoptionEnds = ["remove", "remove order", "drop", "destroy", "replace", "rename", "none"] as const;

async function endAdoption(
	model: Model,
	world: World,
	{ port, name }: { readonly port: string; readonly name: string },
	end: (typeof adoptionEnds)[number],
): Promise<void> {
	const declared = findIn(model, end === "remove order" ? port : name);
	if (declared === undefined || end === "none") return;
	if (end === "destroy") return void (await world.destroy());
	if (end === "drop") await world.others.settleOf(port, "drop");
	if (end === "rename") renameOne(model, world, declared);
	if (end.startsWith("remove")) removeOne(model, world, declared);
	await world.up(model, { replace: end === "replace" && !model.renamed.has(name) ? [name] : [] });
}

/** A number that an order of the same program brings: nothing is bought, and what was taken over stays at the end. */
const adopted = fc
	.tuple(
		disturbed(["createPortOrder", "submitPortOrder", "listPortOrders", "patchNumber", "listNumbers"]),
		disturbed(["patchNumber", "getNumber", "listNumbers", "getPortOrder"]),
		fc.subarray([...adoptedSteps]),
		fc.constantFrom(...adoptionEnds),
		fc.boolean(),
		index,
	)
	.map(([first, later, steps, end, waitForActive, which]) =>
		story(
			`adopt what a port brings: ${steps}, then ${end} ${waitForActive} ${JSON.stringify([first, later])}`,
			async (model, world) => {
				const port = one(model, "portOrder", which);
				const name = adoptOne(model, port, waitForActive);
				if (name === undefined) return;
				await world.up(model, first);
				const take: Readonly<Record<AdoptedStep, () => unknown>> = {
					"refresh first": () => world.refresh(),
					advance: () => world.pass(2 * 3_600_000),
					leave: () => world.up(model),
					complete: () => world.others.settleOf(port, "accept"),
					refresh: () => world.refresh(),
					up: () => world.up(model, later),
					relabel: () => {
						label(model, name, "b");
						return world.up(model, later);
					},
				};
				for (const step of steps) await take[step]();
				await endAdoption(model, world, { port, name }, end);
			},
		),
	);

const profiledSteps = ["refresh", "approve", "up", "reject", "expire", "another"] as const;

/** The profile stands before the number that names it. */
function answerFor(model: Model, number: string, profile: string): void {
	const isProfile = ({ kind }: Declared) => kind === "kycProfile";
	model.program = [...model.program.filter(isProfile), ...model.program.filter((each) => !isProfile(each))];
	change(model, number, (each) => ({ ...each, profile }));
}

/** A number whose profile is of the same program: what goes first, and what stays as long as it is needed. */
const profiled = fc
	.tuple(
		disturbed(["createKycProfile", "submitKycProfile", "buyNumber", "patchNumber"]),
		disturbed(["deleteKycProfile", "patchNumber", "releaseNumber", "getKycProfile"]),
		fc.subarray([...profiledSteps]),
		fc.constantFrom<"destroy" | "replace" | readonly Kind[]>(
			...(["destroy", "replace"] as const),
			...([["kycProfile", "number"], ["kycProfile"], ["number"]] as const),
		),
		index,
	)
	.map(([first, later, steps, end, which]) =>
		story(`a number and its profile: ${steps}, then ${end} ${JSON.stringify([first, later])}`, async (model, world) => {
			const profile = one(model, "kycProfile", which);
			const name = one(model, "number", which, { country: "DE" });
			answerFor(model, name, profile);
			await world.up(model, first);
			const take: Readonly<Record<(typeof profiledSteps)[number], () => unknown>> = {
				refresh: () => world.refresh(),
				approve: () => world.others.settleOf(profile, "accept"),
				up: () => world.up(model),
				reject: () => world.others.settleOf(profile, "reject"),
				expire: () => world.others.decideProfile(which, "expire"),
				another: () => answerFor(model, name, one(model, "kycProfile", which + 1)),
			};
			for (const step of steps) await take[step]();
			if (end === "destroy") return void (await world.destroy(later.weather && { weather: later.weather }));
			for (const each of [profile, name].flatMap((declared) => findIn(model, declared) ?? []))
				if (end.includes(each.kind)) removeOne(model, world, each);
			const replace = end === "replace" && !model.renamed.has(profile) ? [profile] : [];
			await world.up(model, { ...later, replace });
			await world.up(model);
		}),
	);

const stories: readonly fc.Arbitrary<Command>[] = [
	...[
		dropped,
		takenBack,
		ended,
		killed,
		configured,
		configured,
		unreleased,
		refreshed,
		rewritten,
		rewritten,
		claimed,
		unknownSecret,
		papers,
	],
	...[lostAnswer, gateway, soldOut, namesake, anew, left],
	// Of the newest kinds: after the rest, so that a seed chooses among as much as it may.
	...[filed, filed, filed, adopted, adopted, profiled, profiled],
];

const any = throughCli ? commands : [...commands, ...stories, ...stories];

/** The first run of a property is a small one otherwise, and each trial is a first run. */
export const lives = fc.noBias(fc.commands([...any], { maxCommands: throughCli ? 12 : 20, size: "max" }));
