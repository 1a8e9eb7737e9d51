/**
 * `node test/campaigns/reasons.mts [--trials N] [--seed S] [--replay SEED] [--short]`: the steps of test/model (renames,
 * moves, replacements, owners, other accounts, older states, a second stack, kills, targets) taken at random, with the real
 * handlers in this process, and judged by the ledger of the model. Numbers, pools and trunks. `--short`: what a run without
 * `--replace` does.
 */

import { type Step, stepsOf, type ThemeName, themes } from "../model/edits.mts";
import type { Command, Outcome } from "../model/engine.mts";
import { isMild, judge } from "../model/judge.mts";
import type { Refused } from "../model/provider.mts";
import { toldOf } from "../model/rules.mts";
import { type Kind, newWorld, type State, type Thing, urnOf, type World } from "../model/world.mts";
import { createEmulator, type Emulator, inTime, liveNumbers, type VirtualClock } from "./account.mts";
import { must, runCampaign, type Trial } from "./campaign.mts";
import { openProcess } from "./process.mts";
import { seeded } from "./random.mts";
import { destroy, type RealRun, refresh, up } from "./reasons-engine.mts";

const isShort = process.argv.includes("--short");
const kinds: readonly (readonly [Kind, Kind])[] = [
	["number", "number"],
	["number", "trunk"],
	["pool", "number"],
	["pool", "trunk"],
];
const names = (isShort ? ["names", "accounts"] : Object.keys(themes)) as readonly ThemeName[];

interface Room {
	readonly clock: InstanceType<typeof VirtualClock>;
	readonly accounts: Readonly<Record<"right" | "wrong", Emulator>>;
	readonly trial: Trial;
}

const crashes = {
	bought: { operation: "patchNumber", phase: "before" },
	written: { operation: "patchNumber", phase: "after" },
	deletes: { operation: "releaseNumber", phase: "before" },
	deleted: { operation: "releaseNumber", phase: "after" },
} as const;

/** What the accounts show goes into the world. */
function look({ accounts }: Room, world: World): void {
	for (const key of ["right", "wrong"] as const) {
		const { control } = accounts[key];
		const { live, released } = world.accounts[key];
		live.clear();
		const { numbers, trunks } = control.state();
		for (const { id } of numbers) released.add(id);
		for (const { id, country, reference, created_at } of liveNumbers(control))
			live.set(id, { id, kind: "number", country, reference: reference ?? "", created_at } satisfies Thing);
		for (const { id } of trunks) live.set(id, { id, kind: "trunk", country: "", reference: "", created_at: "" });
		for (const id of live.keys()) released.delete(id);
	}
}

const rowsOf = ({ control }: Emulator) => control.ledger();

async function run(room: Room, world: World, command: Command): Promise<Outcome> {
	const { clock, accounts, trial } = room;
	const service = accounts[world.key];
	const which = command.stack ?? "main";
	const { faults } = service.control;
	const crash = command.kill && crashes[command.kill];
	const fault = crash && faults.set({ ...crash, nth: 1, kind: "reset" }).id;
	const crashed = () => faults.list().some(({ id, fired }) => id === fault && fired > 0);
	const said: string[] = [];
	const host = openProcess({
		service,
		env: {
			PULUMI_BACKEND_URL: which === "main" ? "https://state.example" : "https://other.example",
			...(command.allGone ? { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } : {}),
		},
		config: {
			"telephony:owner": which === "main" ? world.owner : undefined,
			"telephony:release": command.release?.join(",") || undefined,
		},
		clock,
		crashed,
		pausing: () => {},
		say: (line) => void said.push(line),
	});
	const before = world[which];
	const sold = rowsOf(service).length;
	const real: RealRun = { world, host, command, errors: [], known: [], knownTo: new Map(), state: before, steps: 0 };
	await { up, refresh, destroy }[command.what](real);
	const killed = crashed();
	await host.kill();
	if (fault !== undefined) faults.clear(fault);
	world[which] = real.state;
	if (which === "main" && before !== real.state) world.older = before;
	look(room, world);
	const rows = rowsOf(service).slice(sold);
	const ids = (kind: string) => rows.flatMap((row) => (row.kind === kind ? [row.number_id] : []));
	const text = [...said, ...real.errors.map(({ message }) => message)].join("\n");
	const bought = ids("purchase").map((id) => {
		const urn = urnOfBought(before, real, id);
		// What is compared at the same time is waited for.
		const known = command.serial ? (real.knownTo.get(urn) ?? []) : real.known;
		return { id, urn, account: world.key, known };
	});
	const provider = {
		bought,
		released: ids("release"),
		kept: new Set(text.match(/(num|trk|trunk)_\w+/g) ?? []),
	};
	trial.count(killed ? "runs killed" : real.errors.length > 0 ? "runs refused" : "runs done");
	const { errors, steps, state: after } = real;
	return { provider, killed, errors: killed ? [] : errors, steps, before, after };
}

/** Whose it is; of what a killed run has bought, whose create was under way. */
function urnOfBought(before: State, { state, knownTo }: RealRun, id: string): string {
	const holder = state.entries.find(({ id: own, outs }) => own === id || JSON.stringify(outs).includes(id));
	const entryIn = (all: State, urn: string) => all.entries.find((each) => each.urn === urn);
	const isOpen = (urn: string) => entryIn(state, urn) === entryIn(before, urn);
	return holder?.urn ?? [...knownTo.keys()].find(isOpen) ?? `unknown ${id}`;
}

async function step(room: Room, world: World, each: Step): Promise<readonly Refused[]> {
	each.edit.change(world);
	const outcome = await run(room, world, each.run);
	const findings = judge(world, each.run, outcome);
	room.trial.say(toldOf(each, outcome));
	for (const { message } of outcome.errors) room.trial.say(`  ${message.slice(0, 300)}`);
	for (const finding of findings.filter(isMild)) room.trial.count(finding.rule);
	const [broken] = findings.filter((finding) => !isMild(finding));
	must(broken === undefined, () => `${broken?.rule}: ${broken?.text}`);
	return outcome.errors;
}

const edit = (name: string, change: (world: World) => void = () => {}): Step["edit"] => ({ name, change });

function releaseByHand({ accounts, trial }: Room, id: string): void {
	const { control } = accounts.right;
	if (!liveNumbers(control).some((row) => row.id === id)) return;
	trial.say(`${id} is released by hand`);
	control.deleteNumber(id);
}

/** With its reference goes what it remembered. */
function clearByHand({ accounts }: Room, world: World, id: string): void {
	const { control } = accounts.right;
	if (liveNumbers(control).some((row) => row.id === id)) control.patchNumber(id, { reference: null });
	world.pairs = world.pairs.filter(({ bought }) => bought !== id);
}

/** What others have claimed stays, and is taken back by a resource that names it. */
function forgetAndAdopt(world: World, ids: readonly string[]): void {
	const { entries } = world.main;
	const lost = entries.find(
		({ id, urn }) => ids.includes(id) && [world.a && urnOf(world.a), world.a?.alias].includes(urn),
	);
	if (lost === undefined || world.a === undefined) return;
	world.main = { ...world.main, entries: entries.filter((each) => each !== lost) };
	world.a = { ...world.a, adopt: lost.id };
}

/** What errors ask of the program and its settings. */
function declareAnew(
	world: World,
	{ is, ids, round }: { is: (code: string) => boolean; ids: readonly string[]; round: number },
): void {
	if (world.a !== undefined && is("replacement-refused")) world.a = { ...world.a, allow: true };
	if (is("another-state")) world.owner = `own${round}`;
	// Of a killed run, that with another owner knows more.
	else if (is("claimed") && round < 3) world.owner = ["x", "y", undefined][round];
	else if (is("claimed")) forgetAndAdopt(world, ids);
}

/** "Release all but one": all but the first that a message names. */
const tooMany = (errors: readonly Refused[]): string[] =>
	errors
		.flatMap(({ message }) => message.match(/Several \w+s on the account belong to this resource: .*?\. /g) ?? [])
		.flatMap((several) => (several.match(/num_\w+/g) ?? []).slice(1));

/** Does what errors name, and answers the errors of an `up` after it. */
async function heed(room: Room, world: World, errors: readonly Refused[], round: number): Promise<readonly Refused[]> {
	const is = (code: string) => errors.some((error) => error.code === code || error.message.includes(code));
	const ids = [...new Set(errors.flatMap((error) => error.ids))];
	// Some ask for a minute's patience.
	room.clock.advance(61_000);
	const allGone = is("wrong-account");
	const change = edit("what errors name", (each) => declareAnew(each, { is, ids, round }));
	// "Clear its reference in the service's dashboard": the only way for a pool's.
	if (is("clear its reference") || (is("claimed") && round > 3)) for (const id of ids) clearByHand(room, world, id);
	for (const id of tooMany(errors)) releaseByHand(room, id);
	// What a refresh can't take back is released by hand.
	if (is("another-attempt") && round > 0) for (const id of ids) releaseByHand(room, id);
	else if (is("another-attempt") || is("not-found"))
		await step(room, world, { edit: edit("no edit"), run: { what: "refresh", allGone } });
	return step(room, world, { edit: change, run: { what: "up", release: ids, allGone } });
}

/** Does what errors name, until an `up` has nothing to do; then everything goes. */
async function finish(room: Room, world: World): Promise<void> {
	const right = edit("right key", (each) => {
		each.key = "right";
	});
	let errors = await step(room, world, { edit: right, run: { what: "up" } });
	for (let round = 0; round < 8 && errors.length > 0; round++) errors = await heed(room, world, errors, round);
	must(errors.length === 0, () => `no way out: ${errors.map(({ message }) => message).join("; ")}`);
	const again = await run(room, world, { what: "up" });
	must(again.steps === 0 && again.errors.length === 0, () => "an up after an up without errors has something to do");
}

/** Somebody else's number: it proves nothing. */
async function stranger({ url, apiKey }: Emulator): Promise<void> {
	const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
	const body = JSON.stringify({ country: "NL", type: "mobile" });
	const { ok } = await fetch(`${url}/numbers`, { method: "POST", headers, body });
	must(ok, () => "nothing to buy for somebody else");
}

async function walk(trial: Trial, clock: Room["clock"]): Promise<void> {
	const random = seeded(trial.seed);
	const [right, wrong] = await Promise.all([
		createEmulator({ clock, seed: trial.seed }),
		createEmulator({ clock, seed: trial.seed + 1 }),
	]);
	const room: Room = { clock, accounts: { right, wrong }, trial };
	try {
		const world = newWorld(...random.pick(kinds));
		const theme = themes[random.pick(names)];
		for (const account of [right, wrong]) account.control.kyc("immediate");
		await stranger(wrong);
		await step(room, world, { edit: edit(`${world.kind}, ${world.b?.kind}`), run: { what: "up" } });
		world.older = undefined;
		for (let count = 0; count < 5; count++) {
			const steps = [...stepsOf(world, theme)];
			const chosen = random.pick([...new Set(steps.map((each) => each.edit.name))]);
			await step(room, world, random.pick(steps.filter((each) => each.edit.name === chosen)));
		}
		await finish(room, world);
	} finally {
		await Promise.all([right.close(), wrong.close()]);
	}
}

await runCampaign({
	name: "reasons",
	trials: 200,
	trial: (trial) => inTime((clock) => walk(trial, clock)),
});
