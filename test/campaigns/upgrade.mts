/**
 * `node test/campaigns/upgrade.mts [--trials N] [--seed S] [--replay SEED]`: the states that each released version has left,
 * in the hands of this one. Nothing is replaced or bought, nothing differs that nobody changed, what somebody changed is
 * seen and put right, and all of it can be removed.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { State as Account } from "../../emulator/index.ts";
import { must, runCampaign, type Trial } from "./campaign.mts";
import { type Host, InitFailed, repository, type Values } from "./host.mts";
import { openProcess } from "./process.mts";
import { seeded } from "./random.mts";
import { bought, inRoom, type Room } from "./room.mts";

interface Resource {
	readonly type: string;
	readonly urn: string;
	readonly id: string;
	readonly external?: boolean;
	readonly inputs: Values;
	readonly outputs: Values;
}

interface Fixture {
	readonly service: Account;
	readonly stack: { readonly deployment: { readonly resources: readonly Resource[] } };
}

const folder = join(repository, "test/fixtures");
/** Pools, open writes and the plugin: test/provider/state.test.ts. */
const fixtures = readdirSync(folder).filter((name) => /^state-[\d.]+\.json$/.test(name));
/** Their secrets were left out. */
const webhookSecret = "whsec_MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw";
const ownPassword = "correct-horse-battery";
const secretMark = "4dabf18193072939515e22adb298388d";

/** Encrypted values, as the engine hands them on. */
function opened(value: unknown, key = ""): unknown {
	if (typeof value !== "object" || value === null) return value;
	if (secretMark in value) return key === "secret" ? webhookSecret : ownPassword;
	if (Array.isArray(value)) return value.map((each) => opened(each, key));
	return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, opened(each, name)]));
}

/** What check fills in: the program said none of it, perhaps. */
const defaults: Values = {
	waitForActive: true,
	activationTimeout: 600,
	allowReplacement: false,
	generation: 0,
	enabled: true,
};

async function life(room: Room, fixture: Fixture, trial: Trial): Promise<void> {
	const random = seeded(trial.seed);
	const { emulator, clock } = room;
	const { control } = emulator;
	const table = <Row extends { readonly id: string }>(rows: readonly Row[]): [string, Row][] =>
		rows.map((row) => [row.id, row]);
	const { numbers, trunks, webhooks } = fixture.service;
	control.restore({
		format: 1,
		tables: {
			numbers: table(numbers),
			trunks: table(trunks),
			webhooks: table(webhooks.map((row) => ({ ...row, secret: webhookSecret }))),
		},
	});
	let host: Host | undefined;
	/** Each run is a process of its own. */
	const run = async <T,>(work: (host: Host) => Promise<T>): Promise<T> => {
		host = openProcess({ service: emulator, clock, crashed: () => false, pausing: () => {}, say: trial.say });
		const answer = await work(host);
		await host.kill();
		return answer;
	};
	const resources = fixture.stack.deployment.resources
		.filter(({ type, external }) => type.includes("telephony:") && external !== true)
		.map((each) => ({ ...each, inputs: opened(each.inputs) as Values, outputs: opened(each.outputs) as Values }));
	const nameOf = ({ type, urn }: Resource) => `${type.split(":").at(-1)} ${urn.split("::").at(-1)}`;
	/** It shows where the program says something else. */
	const editByHand = async (each: Resource, label: string, checked: Values, outputs: Values) => {
		const patch = each.type.endsWith("Number") ? control.patchNumber : control.patchTrunk;
		patch(each.id, { label });
		const found = await run((process) => process.read(each.id, outputs, checked));
		must("label" in checked === (found.props.label === label), () => `${nameOf(each)}: label ${found.props.label}`);
	};
	const order = random.some(resources, 1).sort(() => random.next() - 0.5);
	for (const each of order) {
		const dropped = Object.entries(defaults).filter(([key, value]) => each.inputs[key] === value && random.chance(0.5));
		const news = { ...each.inputs, ...Object.fromEntries(dropped.map(([key]) => [key, undefined])) };
		const declared = JSON.parse(JSON.stringify(news)) as Values;
		const checked = await run(async (process) => {
			const { inputs, failures } = await process.check(declared, each.inputs);
			must(failures.length === 0, () => `${nameOf(each)}: ${failures.join("; ")}`);
			const { changes, replaces } = await process.diff(each.id, each.outputs, inputs);
			must(!changes && !replaces, () => `${nameOf(each)} differs, and nobody has changed it`);
			return inputs;
		});
		let { outputs } = each;
		const seen = await run((process) => process.read(each.id, outputs, checked));
		must(seen.id === each.id, () => `${nameOf(each)} is read as ${seen.id || "gone"}`);
		// As a refresh asks.
		const { changes } = await run((process) => process.diff(each.id, seen.props, checked));
		must(!changes, () => `${nameOf(each)}: a refresh finds a change`);
		if (random.chance(0.5)) outputs = seen.props;
		if (!each.type.endsWith("Webhook") && random.chance(0.6)) {
			const label = `label ${random.int(0, 999)}`;
			const byHand = random.chance(0.5);
			if (byHand) await editByHand(each, label, checked, outputs);
			const wanted = { ...checked, label: "Front desk 2" };
			outputs = await run((process) => process.update(each.id, outputs, wanted)).catch((error: unknown) => {
				throw error instanceof InitFailed ? new Error(error.message) : error;
			});
			const row = [...control.state().numbers, ...control.state().trunks].find(({ id }) => id === each.id);
			must(row?.label === "Front desk 2", () => `${nameOf(each)}: label ${row?.label} after the update`);
			trial.count(byHand ? "edits put right" : "updates");
		}
		trial.count(`read: ${nameOf(each)}`);
		Object.assign(each, { outputs });
	}
	const stages = [/Number$/, /SipTrunk$|Webhook$/];
	await run(async (process) => {
		for (const stage of stages)
			for (const each of order.filter(({ type }) => stage.test(type))) await process.delete(each.id, each.outputs);
	});
	const { state } = control;
	const left = state().numbers.filter(({ status }) => status !== "released");
	must(
		left.length + state().trunks.length + state().webhooks.length === 0,
		() => `left: ${[...left, ...state().trunks, ...state().webhooks].map(({ id }) => id)}`,
	);
	must(bought(emulator) === 0, () => "an upgrade bought a number");
}

await runCampaign({
	name: "upgrade",
	trials: 50,
	async trial(trial) {
		for (const name of fixtures) {
			const fixture = JSON.parse(readFileSync(join(folder, name), "utf8")) as Fixture;
			await inRoom(trial, { kyc: "immediate" }, (room) => life(room, fixture, trial));
		}
	},
});
