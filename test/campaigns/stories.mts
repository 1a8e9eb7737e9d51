/**
 * Histories in which faults have been found, or planted: several steps that random lives hardly ever take in a row. They
 * come between the single steps, in whatever state those have left.
 */
import fc from "fast-check";
import type { FaultRequest } from "./account.mts";
import { argsOf, type Command, commands, declareAgain, index, removeOne, renameOne, throughCli } from "./commands.mts";
import { claimed, papers, rewritten } from "./intrusions.mts";
import { type Kind, kinds, type Operation } from "./kinds.mts";
import { always, change, cutAfter, failing, findIn, label, one, replaceOne, story, under } from "./steps.mts";
import { fair } from "./weather.mts";

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

/** What a killed run has made is taken over, and its secret can't be made anew at first. */
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
	...[lostAnswer, gateway, soldOut, namesake, anew],
];

const any = throughCli ? commands : [...commands, ...stories, ...stories];

/** The first run of a property is a small one otherwise, and each trial is a first run. */
export const lives = fc.noBias(fc.commands([...any], { maxCommands: throughCli ? 12 : 20, size: "max" }));
