/**
 * `node test/campaigns/faults.mts [--filings] [--trials N] [--seed S] [--replay SEED]`: each kind of failure that a service or a gateway
 * has, before and after the request is carried out, at each operation in turn. Every run comes to an end, says what is
 * wrong by a code, sends nothing before the time that it was asked to wait for, and two more runs put everything right.
 */

import type { FaultRequest } from "./account.mts";
import { must, runCampaign, type Trial } from "./campaign.mts";
import { Filings, refuseFilings } from "./filings.mts";
import { Oracle } from "./oracle.mts";
import { changeAll, firstProgram, newGenerations, type Program, removeSome } from "./program.mts";
import { type Random, seeded } from "./random.mts";
import { inRoom, type Room } from "./room.mts";

const operations = [
	...(["listNumbers", "buyNumber", "patchNumber", "releaseNumber", "getNumber"] as const),
	...(["createTrunk", "patchTrunk", "deleteTrunk", "createWebhook", "patchWebhook", "deleteWebhook"] as const),
];
/** Of profiles, papers and orders. */
const filings = [
	...(["listKycProfiles", "createKycProfile", "patchKycProfile", "deleteKycProfile", "submitKycProfile"] as const),
	...(["listKycDocuments", "createKycDocument", "listPortOrders", "createPortOrder", "patchPortOrder"] as const),
	...(["submitPortOrder", "cancelPortOrder", "getKycProfile", "getPortOrder"] as const),
];
const statuses = [408, 409, 425, 429, 500, 502, 503, 504];
const phases = ["before", "after"] as const;

/** Without the operation and how often. */
type Shape = Readonly<Record<string, unknown>> & { readonly kind: string };
const shapes: readonly Shape[] = [
	...statuses.flatMap((status) => phases.map((phase) => ({ kind: "status", status, phase }))),
	...[429, 503].map((status) => ({ kind: "status", status, phase: "before", retryAfter: 40 })),
	...[200, 404, 502].flatMap((status) => phases.map((phase) => ({ kind: "html", status, phase }))),
	...phases.flatMap((phase) => ["reset", "blackhole"].map((kind) => ({ kind, phase }))),
	{ kind: "reset", phase: "mid" },
	{ kind: "truncated", phase: "mid" },
	{ kind: "drip", phase: "mid" },
	{ kind: "duplicate", phase: "after" },
	{ kind: "empty_page", phase: "after" },
	{ kind: "expired_cursor", phase: "before" },
];

const suits = (operation: string, { kind, phase }: { kind: string; phase?: unknown }) =>
	(["duplicate", "empty_page", "expired_cursor"].includes(kind) ? operation.startsWith("list") : true) &&
	(phase !== "mid" || !/^(release|delete)/.test(operation));

/** Spread, so that a few trials meet a bit of each. */
const casesOf = (of: readonly string[]) =>
	shapes
		.flatMap((shape) => of.filter((operation) => suits(operation, shape)).map((operation) => ({ ...shape, operation })))
		.map((each, index) => ({ each, place: (index * 7_919) % 1_009 }))
		.sort((one, other) => one.place - other.place)
		.map(({ each }) => each);
const [cases, filingCases] = [casesOf(operations), casesOf(filings)];

/** What is sent in the same moment as the refusal was under way before. */
function judgeQuiet({ control }: Room["emulator"], refused: number, seconds: number): void {
	const rows = control.requests();
	for (const [index, { at, status }] of rows.entries()) {
		if (status !== refused) continue;
		const [from, until] = [Date.parse(at), Date.parse(at) + seconds * 1_000];
		const early = rows.slice(index + 1).find((row) => Date.parse(row.at) > from && Date.parse(row.at) < until);
		must(
			early === undefined,
			() => `refused at ${at} for ${seconds} s, and ${early?.method} ${early?.path} came at ${early?.at}`,
		);
	}
}

/** With `--filings`, at the operations of profiles, papers and orders. */
const isOfFilings = process.argv.includes("--filings");
const chosen = isOfFilings ? filingCases : cases;
const sizes = isOfFilings
	? ([
			{ numbers: 0, trunks: 1, webhooks: 0, profiles: 2, ports: 2 },
			{ numbers: 0, trunks: 0, webhooks: 0, profiles: 1, ports: 1 },
		] as const)
	: ([
			{ numbers: 3, trunks: 1, webhooks: 1 },
			{ numbers: 1, trunks: 1, webhooks: 1 },
		] as const);

async function life(room: Room, random: Random, trial: Trial): Promise<void> {
	const { control } = room.emulator;
	const filed = new Filings(control);
	const stack = room.stack();
	const oracle = new Oracle(control);
	// Small pages, so that a scan has several.
	control.settings({ pageSize: random.pick([null, 2]) });
	const up = async (program: Program) => {
		const state = await stack.state();
		oracle.expect(state, program);
		const { errors, said } = await stack.up(program, { parallel: random.pick([1, 4]) });
		oracle.look(state, program);
		filed.after(await stack.state(), said, errors.length === 0);
		for (const error of errors) {
			trial.say(`  error: ${error}`);
			must(/\[telephony:[a-z-]+\]|waits for \w+, which failed/.test(error), () => `an error without a code: ${error}`);
		}
		return errors;
	};
	const first = firstProgram(sizes[0], random);
	must((await up(first)).length === 0, () => "a fair run failed");
	refuseFilings(control);
	const { operation, ...shape }: Shape & { operation: string } = chosen[trial.seed % chosen.length] ?? {
		operation: "buyNumber",
		kind: "reset",
	};
	// What is never answered takes five seconds of real time.
	const isSlow = ["blackhole", "drip"].includes(shape.kind);
	const nth = random.pick<number | number[]>(isSlow ? [1, 2] : [1, 1, 2, [1, 2], [1, 2, 3, 4, 5, 6, 7, 8]]);
	const rule = { ...shape, operation, nth } as FaultRequest;
	trial.say(JSON.stringify(rule));
	const { id } = control.faults.set(rule);
	const more = firstProgram(sizes[1], random).map(({ name, ...each }) => ({
		...each,
		name: `more-${name}`,
		trunk: undefined,
	}));
	const second = [...newGenerations(changeAll(removeSome(first, random), random), random), ...more];
	const errors = await up(second);
	const fired = control.faults.list().find((each) => each.id === id)?.fired ?? 0;
	control.faults.clear(id);
	trial.count(`${fired > 0 ? "struck" : "not met"}: ${operation}`);
	trial.count(errors.length > 0 ? "runs that failed" : "runs that came through");
	if (typeof shape.retryAfter === "number") judgeQuiet(room.emulator, Number(shape.status), shape.retryAfter);
	// Whatever was not told of the failed run shows in a refresh.
	await up(second);
	await stack.refresh();
	const last = await up(second);
	must(last.length === 0, () => `two more runs, and still: ${last.join("; ")}`);
	const { changed } = await stack.refresh();
	// Each run shows how far an order is.
	const isUnderWay = (step: string) =>
		second.some(({ kind, name }) => kind === "portOrder" && step === `update ${name}`);
	const steps = (await stack.preview(second)).filter((step) => !isUnderWay(step));
	must(changed.length + steps.length === 0, () => `not settled: ${[...changed, ...steps].join("; ")}`);
	oracle.settled(await stack.state(), second);
	filed.settled(await stack.state());
}

await runCampaign({
	name: "faults",
	trials: chosen.length * 5,
	trial: (trial) =>
		inRoom(trial, { kyc: isOfFilings ? "manual" : "immediate", patienceMs: 5_000 }, (room) =>
			life(room, seeded(trial.seed), trial),
		),
});
