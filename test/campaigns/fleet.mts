/**
 * `node test/campaigns/fleet.mts [--numbers N] [--approve-after SECONDS]`: a fleet in a regulated market through the real
 * CLI, waited for by one Activation. Leaves with 1 if a number is bought twice or the wait asks more than it needs.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createEmulator } from "./account.mts";
import { createProject } from "./cli.mts";

const { values } = parseArgs({
	options: {
		numbers: { type: "string", default: "200" },
		"approve-after": { type: "string", default: "60" },
	},
});
const [count, approveAfter] = [Number(values.numbers), Number(values["approve-after"])];
const pageSize = 100;

const emulator = await createEmulator();
const { control } = emulator;
const project = await createProject(emulator);
const numbers = () => control.state().numbers;
writeFileSync(
	join(project.folder, "index.js"),
	`const telephony = require("pulumi-telephony");
	const numbers = Array.from({ length: ${count} }, (_, n) => new telephony.Number("n" + n, {
		country: "DE", type: "geographic", area: "30", waitForActive: false,
	}));
	new telephony.Activation("fleet", { numberIds: numbers.map(({ id }) => id), timeout: 600 });`,
);
const started = performance.now();
const seconds = () => Math.round((performance.now() - started) / 100) / 10;
try {
	const run = project.start("up", "--yes", "--skip-preview");
	while (!run.over && numbers().length < count) await sleep(50);
	const bought = seconds();
	process.stderr.write(`${count} numbers bought after ${bought} s\n`);
	while (!run.over && seconds() < approveAfter) await sleep(50);
	const approved = seconds();
	for (const { id } of numbers()) control.decide(id, "approve");
	process.stderr.write(`approved after ${approved} s\n`);
	const { code, output } = await run.ended;
	const ended = seconds();

	const requests = control.requests();
	const lastWrite = requests.findLastIndex(({ method }) => method !== "GET");
	const waiting = requests.slice(lastWrite + 1);
	const polls = waiting.filter(({ path }) => /\/numbers\?/.test(path) && !path.includes("cursor=")).length;
	const allowed = polls * Math.ceil(count / pageSize) + 10;
	const purchases = control.ledger().filter(({ kind }) => kind === "purchase").length;
	const good = code === 0 && purchases === count && waiting.length <= allowed;
	const report = { numbers: count, purchases, bought, approved, ended, polls, waiting: waiting.length, allowed, code };
	console.log(JSON.stringify(report));
	if (!good) console.error(output);
	process.exitCode = good ? 0 : 1;
} finally {
	project.remove();
	await emulator.close();
}
