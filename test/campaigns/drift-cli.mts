/**
 * `node test/campaigns/drift-cli.mts [--trials N] [--seed S] [--replay SEED] [--short]`: a large stack of the real CLI,
 * random edits behind its back, and a `telephony drift` that must name exactly those, by kind and property, reading only;
 * then an `up --refresh` that must put everything back and touch nothing else.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../../cli/report.ts";
import { createEmulator, type Emulator, VirtualClock } from "./account.mts";
import { must, runCampaign, type Trial } from "./campaign.mts";
import { createProject, type Project } from "./cli.mts";
import { driftProgram } from "./drift-program.mts";
import { bystanders, type Edited, editAtRandom } from "./edits.mts";
import { seeded } from "./random.mts";

const short = process.argv.includes("--short");
const size = short ? { numbers: 30, trunks: 5, webhooks: 3 } : { numbers: 1000, trunks: 20, webhooks: 5 };
const edits = short ? [8] : [0, 1, 10, 50, 50];
const total = size.numbers + size.trunks + size.webhooks;
const pageSize = 100;
/** Where the report names what the state keeps under another name. */
const told: Readonly<Record<string, string>> = {
	open: "reference",
	password: "passwordUpdatedAt",
	secret: "secretVersion",
};

// Nothing is killed here: the state need not be written after each step.
Object.assign(process.env, { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" });

class DriftStack {
	readonly #emulator: Emulator;
	readonly #clock: InstanceType<typeof VirtualClock>;
	readonly #project: Project;

	constructor(emulator: Emulator, clock: InstanceType<typeof VirtualClock>, project: Project) {
		[this.#emulator, this.#clock, this.#project] = [emulator, clock, project];
	}

	async up(...args: string[]): Promise<void> {
		const { code, output } = await this.#project.start("up", "--yes", "--skip-preview", ...args).ended;
		must(code === 0, () => `up ${args.join(" ")} ended with ${code}\n${output.slice(-4_000)}`);
	}

	async trial(trial: Trial): Promise<void> {
		const { control } = this.#emulator;
		const count = edits[trial.seed % edits.length] ?? 0;
		this.#clock.advance(3_600_000);
		const { entries: state } = await this.#project.state();
		const entries = [...state.values()];
		const edited = editAtRandom(control, entries, count, seeded(trial.seed));
		for (const { name, property = "gone", patch } of edited) {
			trial.say(`${name}: ${property} ${patch === undefined ? "" : JSON.stringify(patch)}`);
		}

		const start = control.requests().length;
		const file = join(this.#project.folder, "drift.json");
		const { code, output } = await this.#project.drift("--output", file).ended;
		const requests = control.requests().slice(start);
		must(code === (count > 0 ? 7 : 0), () => `drift ended with ${code}\n${output.slice(-4_000)}`);
		must(
			requests.every(({ method }) => method === "GET"),
			() => "drift wrote",
		);
		const pages = Math.ceil(size.numbers / pageSize);
		// Each of the three kinds has its own list.
		const bound = 2 * pages + 10 + 2 * 12;
		must(requests.length <= bound, () => `${requests.length} requests, ${bound} allowed`);
		trial.count(`${count} edits: ${String(requests.length).padStart(2, "0")} requests`);
		compare(edited, JSON.parse(readFileSync(file, "utf8")));

		this.#clock.advance(3_600_000);
		const before = control.requests().length;
		await this.up("--refresh");
		const writes = control
			.requests()
			.slice(before)
			.filter(({ method }) => method !== "GET");
		const others = bystanders(entries, edited);
		const strangers = writes.filter(({ path }) => path.split("/").some((part) => others.has(part)));
		must(strangers.length === 0, () => `up touched ${JSON.stringify(strangers.slice(0, 5))}`);
		const again = await this.#project.drift().ended;
		must(again.code === 0, () => `still different after up: ${again.code}\n${again.output.slice(-4_000)}`);
	}
}

/** Exactly what was edited, each by its property: nothing missed, nothing more. */
function compare(edited: readonly Edited[], report: Report): void {
	must(report.total === total, () => `${report.total} resources, and there are ${total}`);
	must(report.drifted === edited.length, () => `${report.drifted} drifted, ${edited.length} edited`);
	const found = new Map(report.resources.map((entry) => [entry.name, entry]));
	const extra = [...found.keys()].filter((name) => !edited.some((each) => each.name === name));
	must(extra.length === 0, () => `named, and nobody edited them: ${extra}`);
	for (const { name, id, property } of edited) {
		const entry = found.get(name);
		const paths = (entry?.changes ?? []).map(({ path }) => path.split(".")[0]);
		const right =
			property === undefined
				? entry?.kind === "missing"
				: entry?.kind === "changed" && paths.every((path) => path === (told[property] ?? property)) && paths.length > 0;
		must(
			right && entry?.id === id,
			() => `${name}: ${property ?? "removed"} was edited, and the report says ${JSON.stringify(entry ?? null)}`,
		);
	}
}

await runCampaign({
	name: "drift-cli",
	trials: edits.length,
	open: async () => {
		const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
		const emulator = await createEmulator({ clock, kyc: "immediate", seed: 1 });
		emulator.control.settings({ acceptUnknownProfiles: true });
		const project = await createProject(emulator);
		project.write(driftProgram(size, seeded(1)));
		const stack = new DriftStack(emulator, clock, project);
		await stack.up();
		return {
			trial: (trial) => stack.trial(trial),
			close: async () => {
				project.remove();
				await emulator.close();
			},
		};
	},
});
