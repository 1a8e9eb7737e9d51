/** Each profile in its short form; `node test/sim/index.mts --profile NAME --trials N --seed S` tells more stories. */
import { execFileSync } from "node:child_process";
import { afterAll, expect, test, vi } from "vitest";
import { usedKinds } from "../../provider/api/contract";
import { repository } from "../helpers/host-process.mts";
import { variations } from "../short.mts";
import { simulate } from "./index.mts";
import { kindNames, kinds } from "./kinds/index.mts";
import { profileNames, profileOf } from "./profiles.mts";
import { closeProcesses } from "./world.mts";

vi.setConfig({ testTimeout: 600_000 });
afterAll(closeProcesses);

test.each(profileNames)("keeps every promise in the stories of %s", async (profile) => {
	const { violations, trials } = await simulate(profile, {
		driver: "in-process",
		seed: 1,
		trials: profileOf(profile).trials,
	});
	expect(violations).toEqual([]);
	expect(trials).toBe(profileOf(profile).trials);
});

test("tells stories of every kind", () => {
	const declared: readonly string[] = profileNames.flatMap((name) => profileOf(name).plot?.kinds ?? []);
	const missing = kindNames.filter((kind) => !declared.includes(kind));
	expect(missing, "add them to a profile in test/sim/profiles.mts").toEqual([]);
});

test("links numbers to all objects that they use", () => {
	const linked = Object.values(kinds.number.links ?? {}).map(({ to }) => kinds[to].table);
	expect(linked).toEqual(expect.arrayContaining([...usedKinds]));
});

// `npm run sim` kills the CLI each night; test/engine/interrupted.test.ts kills it here.
const drivers = variations(["plugin", "dynamic"] as const);
test.each(drivers)("keeps every promise if the %s is killed", async (driver) => {
	const { violations, counts } = await simulate("kill", { driver, seed: 1, trials: 1 });
	expect(violations).toEqual([]);
	expect(Object.keys(counts).some((what) => what.startsWith("kill at"))).toBe(true);
});

test("finds planted faults", () => {
	const names = ["numbers are bought on any account", "numbers are forgotten on any account"];
	const only = names.flatMap((name) => ["--only", name]);
	const printed = execFileSync("node", ["test/sim/planted.mts", ...only], { cwd: repository, encoding: "utf8" });
	expect(printed).toContain('{"faults":2,"missed":[]}');
});
