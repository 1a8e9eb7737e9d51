/**
 * `node test/sim/planted.mts [--only NAME] [--list]` plants each fault of faults.mts, and tells stories of its profile until one
 * breaks a promise. The exit code is 1 if no story finds a fault, or if a story finds one without a fault.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "../helpers/host-process.mts";
import { faultOf, faults } from "./faults.mts";
import type { Report } from "./index.mts";

/** A fault may keep a story from ending. */
const longestMs = 300_000;

/** Tells stories in a process of their own; undefined if they don't end. */
async function tellStories(profile: string, trials: number, fault?: string): Promise<Report | undefined> {
	const options = ["--profile", profile, "--trials", String(trials), "--until-found"];
	const child = spawn(
		process.execPath,
		[join(repository, "test/sim/index.mts"), ...options, ...(fault === undefined ? [] : ["--fault", fault])],
		{ stdio: ["ignore", "pipe", "ignore"], timeout: longestMs, killSignal: "SIGKILL" },
	);
	let output = "";
	child.stdout.on("data", (text) => {
		output += String(text);
	});
	await new Promise((done) => child.once("close", done));
	const last = output.trim().split("\n").at(-1) ?? "";
	return last.startsWith("{") ? (JSON.parse(last) as Report) : undefined;
}

const { values } = parseArgs({
	options: { only: { type: "string", multiple: true }, list: { type: "boolean", default: false } },
});
const names = values.only ?? Object.keys(faults);
const profiles = new Set(names.map((name) => faultOf(name).profile));

if (values.list) {
	for (const name of names) console.log(`${name}: ${faultOf(name).profile}`);
} else {
	const missed: string[] = [];
	for (const profile of profiles) {
		const report = await tellStories(profile, 5);
		if (report === undefined || report.violations.length > 0) missed.push(`${profile} without a fault`);
	}
	console.log("| fault | profile | stories | seconds | found |\n|---|---|---|---|---|");
	for (const name of names) {
		const { profile, trials = 100 } = faultOf(name);
		const report = await tellStories(profile, trials, name);
		const [finding] = report?.violations ?? [];
		if (finding?.isBrokenPromise !== true) missed.push(name);
		const result = (finding?.message ?? "**no**").split("\n")[0]?.slice(0, 160);
		console.log(`| ${name} | ${profile} | ${report?.trials} | ${report?.seconds} | ${result} |`);
	}
	console.log(JSON.stringify({ faults: names.length, missed }));
	if (missed.length > 0) process.exitCode = 1;
}
