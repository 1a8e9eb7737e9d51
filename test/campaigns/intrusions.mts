/** Histories in which others write what the program holds, or decide about it. */
import fc from "fast-check";
import { index, removeOne } from "./commands.mts";
import { cutAfter, findIn, label, one, story } from "./steps.mts";

const reference = fc.constantFrom("foreign", "reference", "attempt" as const);

/** Another tool, or a run that nobody knows of, has written what the state holds. */
export const rewritten = fc
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
export const claimed = fc.tuple(index, reference).map(([which, what]) =>
	story(`kill the create of ${which}, and edit its ${what}`, async (model, world) => {
		const name = one(model, "number", which);
		await world.up(model, { crash: cutAfter("buyNumber"), parallel: 1 });
		await world.others.editOf(name, what);
		await world.up(model);
	}),
);

/** The papers of a new number are decided on while the run waits for it, or it goes on waiting. */
export const papers = fc.tuple(index, fc.constantFrom("reject", "expire", "approve" as const)).map(([which, decided]) =>
	story(`${decided} the papers of ${which}`, async (model, world) => {
		one(model, "number", which, { country: "DE" });
		await world.up(model, { decided });
		await world.up(model);
	}),
);
