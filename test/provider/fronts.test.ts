/**
 * Both fronts do what the handlers do: each story is told three times, by the handlers in this process and by the
 * spawned processes of both fronts, and all answers are compared field by field.
 */
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createEmulator, type Emulator } from "../../emulator";
import { unknownValue } from "../../provider/properties/table";
import { withCalls } from "../helpers/emulator";
import { openRun, type Run, textFor, type Way, ways } from "../helpers/fronts";
import { type Engine, openEngine } from "../helpers/host-process.mts";
import { InitFailed, type Values } from "../helpers/protocol.mts";
import { aNumber, aTrunk, aWebhook } from "../helpers/provider";

vi.setConfig({ hookTimeout: 600_000 });

type Answers = Record<string, unknown>;
interface Teller extends Run {
	readonly emulator: Emulator;
	/** What earlier chapters have left. */
	readonly kept: Record<string, { id: string; inputs: Values; props: Values }>;
	/** Checks and creates; keeps it under that name. */
	made(name: string, news: object): Promise<unknown>;
}
/** One provider process after the other; absent answers are kept by nobody. */
type Story = readonly ((run: Teller) => Promise<Answers>)[];

const outcome = async (work: Promise<unknown>): Promise<unknown> => {
	try {
		return (await work) ?? "done";
	} catch (error) {
		if (error instanceof InitFailed)
			return { saved: error.id, code: error.code, reasons: error.reasons, props: error.props };
		return { refused: (error as Error).message };
	}
};
const of = (run: Teller, name: string) => {
	const entry = run.kept[name];
	if (entry === undefined) throw new Error(`nothing is kept as ${name}`);
	return entry;
};
const digest = { mode: "digest", username: "office" };
const german = (name: string, more: object = {}) =>
	aNumber({ country: "DE", activationTimeoutSeconds: 1, ...more }, name) as Values;

/** What most resources go through. */
const life = (name: string, news: object, changed: object, drift: (run: Teller, id: string) => void): Story => [
	async (run) => {
		const created = await run.made(name, news);
		const { id, inputs, props } = of(run, name);
		const read = await run.read(id, props, inputs);
		const checked = await run.check(changed as Values, inputs);
		const { changes, replaces } = await run.diff(id, props, checked.inputs);
		const same = (await run.diff(id, props, inputs)).changes;
		const updated = await run.update(id, props, checked.inputs);
		run.kept[name] = { id, inputs: checked.inputs, props: updated };
		return {
			created,
			read,
			same,
			checked,
			differs: { changes, replaces },
			updated,
			kept: await outcome(run.delete(id, updated)),
		};
	},
	async (run) => {
		const { id, inputs, props } = of(run, name);
		drift(run, id);
		const drifted = await run.read(id, props, inputs);
		const compared = await run.diff(id, drifted.props, inputs);
		return { drifted, compared: compared.changes };
	},
	async (run) => {
		const { id, props } = of(run, name);
		return {
			deleted: await outcome(run.delete(id, props)),
			gone: await run.read(id, props).then((read) => read.id),
			again: await outcome(run.delete(id, props)),
		};
	},
];

const stories: Readonly<Record<string, Story>> = {
	"a number's life": life(
		"desk",
		aNumber({ label: "a", metadata: { team: "x" }, routing: { type: "forward", to: "+49 30 901820" } }, "desk"),
		aNumber({ label: "b", smsWebhookUrl: "https://a.example.com/" }, "desk"),
		({ emulator }, id) => emulator.control.patchNumber(id, { label: "by hand" }),
	),
	"a trunk's life, with a password of the service's": life(
		"pbx",
		aTrunk({ auth: digest, targets: [{ host: "PBX.example.com" }] }),
		aTrunk({ auth: digest, capacity: 11, passwordRotation: 1 }),
		({ emulator }, id) => emulator.control.patchTrunk(id, { capacity: 99 }),
	),
	"a trunk's life, with a password of the program's": life(
		"own",
		aTrunk({ auth: { ...digest, password: "correct-horse-1" } }, "own"),
		aTrunk({ auth: { ...digest, password: "another-horse-1" } }, "own"),
		({ emulator }, id) => emulator.control.patchTrunk(id, { label: "by hand" }),
	),
	"a webhook's life": life(
		"events",
		aWebhook(),
		aWebhook({ description: "b", secretRotation: 1 }),
		({ emulator }, id) => emulator.control.patchWebhook(id, { description: "by hand", rotate_secret: true }),
	),
	"a run whose answer got lost: the next one takes over what it bought": [
		async (run) => ({ created: await run.made("replay", aNumber({ label: "a" }, "replay")) }),
		async (run) => ({ taken: await run.made("replay", aNumber({ label: "a" }, "replay")) }),
	],
	"a taint: the number stays": [
		async (run) => ({ created: await run.made("replaced", aNumber({}, "replaced")) }),
		async (run) => {
			const { id, props } = of(run, "replaced");
			return {
				created: await run.made("replaced", aNumber({}, "replaced")),
				deleted: await outcome(run.delete(id, props)),
			};
		},
	],
	"another generation: another number": [
		async (run) => ({ created: await run.made("next", aNumber({}, "next")) }),
		async (run) => {
			const { id, inputs, props } = of(run, "next");
			const news = (await run.check(aNumber({ generation: 1 }, "next") as Values, inputs)).inputs;
			const { changes, replaces } = await run.diff(id, props, news);
			return {
				changes,
				replaces,
				created: await run.made("next", aNumber({ generation: 1 }, "next")),
				released: await outcome(run.delete(id, props)),
			};
		},
	],
	"a number that is pending at the end of its time, and then active": [
		async (run) => ({ created: await run.made("berlin", german("berlin")) }),
		async (run) => {
			const { id, inputs, props } = of(run, "berlin");
			run.emulator.control.decide(id, "approve");
			const { changes } = await run.diff(id, props, inputs);
			return { changes, updated: await outcome(run.update(id, props, inputs)) };
		},
	],
	"a number that is rejected": [
		async (run) => ({ created: await run.made("refused", german("refused", { waitForActive: false })) }),
		async (run) => {
			const { id, props } = of(run, "refused");
			run.emulator.control.decide(id, "reject", [{ code: "document_expired", message: "The document has expired." }]);
			const news = (await run.check(german("refused"))).inputs;
			return { updated: await outcome(run.update(id, props, news)) };
		},
	],
	"a number that is adopted, and stays": [
		async (run) => {
			const { body } = await withCalls(run.emulator).call("POST", "/numbers", { country: "US", type: "mobile" });
			const created = await run.made("adopted", aNumber({ country: "US", adopt: body.id }, "adopted"));
			return { created };
		},
		async (run) => {
			const { id, inputs, props } = of(run, "adopted");
			const news = (await run.check(aNumber({ country: "US", adopt: "num_other" }, "adopted") as Values, inputs))
				.inputs;
			const { replaces } = await run.diff(id, props, news);
			return { replaces, deleted: await outcome(run.delete(id, props)) };
		},
	],
	"a number that another stack has claimed": [
		async (run) => ({ created: await run.made("claimed", aNumber({}, "claimed")) }),
		async (run) => {
			const { id, inputs, props } = of(run, "claimed");
			run.emulator.control.patchNumber(id, { reference: "order 4711" });
			return {
				read: await outcome(run.read(id, props, inputs)),
				updated: await outcome(run.update(id, props, inputs)),
				deleted: await outcome(run.delete(id, props)),
			};
		},
	],
	"a service that refuses": [
		async (run) => {
			const { settings } = run.emulator.control;
			settings({ inventoryLeft: 0 });
			const refused = await run.made("none", aNumber({}, "none"));
			settings({ inventoryLeft: null });
			return { refused };
		},
	],
	"what check refuses": [
		async (run) => ({
			typo: await run.check(aNumber({ lable: "x" }, "wrong") as Values),
			types: await run.check(
				aTrunk({ capacity: "10", auth: { mode: "digst", password: "hunter2-hunter2" } }) as Values,
			),
			unknown: await run.check(aNumber({ label: unknownValue, routing: unknownValue }, "wrong") as Values),
		}),
	],
	"numbers that are waited for together": [
		async (run) => {
			await run.made("one", aNumber({}, "one"));
			const news = { numberIds: [of(run, "one").id], timeoutSeconds: 1, ...sharedOf("Activation", "all") };
			return { created: await run.made("all", news) };
		},
		async (run) => {
			const { id, inputs, props } = of(run, "all");
			return { read: await run.read(id, props, inputs), same: (await run.diff(id, props, inputs)).changes };
		},
	],
};

const sharedOf = (type: string, name: string) => {
	const { __provider, resourceUrn } = aNumber({}, name);
	return {
		__provider: String(__provider).replace("0;", 'require("pulumi-telephony/provider").activation;'),
		resourceUrn: String(resourceUrn).replace(":Number::", `:${type}::`),
	};
};

/** What differs from one telling to the next is named by the order in which it came. */
function told(answers: unknown): unknown {
	const names = new Map<string, string>();
	const named = (kind: string) => (text: string) => {
		if (!names.has(text))
			names.set(text, `${kind} ${[...names.values()].filter((each) => each.startsWith(kind)).length}`);
		return names.get(text) ?? "";
	};
	const text = JSON.stringify(answers, (key, value: unknown) => (/^leases?$/.test(key) ? "lease" : value))
		.replaceAll(/\b(num|trk|whk|req)_[A-Za-z0-9]+/g, named("id"))
		.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
		.replaceAll(/pulumi-nodejs:dynamic\/telephony:|telephony:index:/g, "")
		.replaceAll(/\+\d{8,15}/g, named("number"))
		.replaceAll(/whsec_[A-Za-z0-9+/=]+/g, named("secret"))
		.replaceAll(/[\w-]+\.sip\.[\w.-]+/g, named("domain"));
	return JSON.parse(text, (key, value: unknown) =>
		key === "password" && !/-horse-/.test(String(value)) ? "password" : key === "secretHint" ? "hint" : value,
	);
}

describe("each story is the same", () => {
	const results = {} as Record<Way, Record<string, unknown>>;
	beforeAll(async () => {
		const engine = await openEngine(() => {});
		for (const way of ways) results[way] = await tell(way, engine);
		engine.kill();
	});

	test.each(Object.keys(stories))("%s", (name) => {
		const { "in process": expected, dynamic, plugin } = results;
		expect(dynamic[name]).toEqual(expected[name]);
		expect(plugin[name]).toEqual(expected[name]);
	});
});

/** All stories, chapter by chapter: each chapter is one provider process. */
async function tell(way: Way, engine: Engine): Promise<Record<string, unknown>> {
	const emulator = await createEmulator({ kyc: "manual" });
	const kept: Record<string, Teller["kept"]> = {};
	const answers: Record<string, Answers[]> = {};
	const chapters = Math.max(...Object.values(stories).map(({ length }) => length));
	for (let chapter = 0; chapter < chapters; chapter++) {
		const run = await openRun(way, emulator, engine);
		const one = async ([name, story]: [string, Story]) => {
			const mine = kept[name] ?? {};
			kept[name] = mine;
			const teller: Teller = {
				...run,
				check: (news, olds) => run.check(textFor(news), olds),
				emulator,
				kept: mine,
				async made(as, news) {
					const { inputs, failures } = await run.check(textFor(news as Values));
					if (failures.length > 0) return { failures };
					const made = await outcome(run.create(inputs));
					const { id, saved, props } = made as { id?: string; saved?: string; props?: Values };
					const known = id ?? saved;
					if (known !== undefined && props !== undefined) mine[as] = { id: known, inputs, props };
					return made;
				},
			};
			const said = await story[chapter]?.(teller);
			if (said !== undefined) answers[name] = [...(answers[name] ?? []), said];
		};
		// What is gone is looked for a while, as a service may lag.
		if (chapter === 2) await Promise.all(Object.entries(stories).map(one));
		else for (const each of Object.entries(stories)) await one(each);
		await run.close();
	}
	await emulator.close();
	return Object.fromEntries(Object.entries(answers).map(([name, each]) => [name, told(each)]));
}
