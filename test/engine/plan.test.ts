/** `telephony plan`: its plan is what the next `up` does at the account, and it changes nothing itself. */
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { PlanReport } from "../../cli/plan/report";
import { VirtualClock } from "../../emulator";
import { reportOf, withoutIds } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Project, plugin, succeeds } from "../helpers/engine";
import { read } from "../helpers/repository";
import { taint } from "../helpers/story";

vi.setConfig({ testTimeout: 600_000 });
// The provider waits for objects that are younger than a minute if they are missing.
const emulator = useEmulator({ kyc: "immediate", clock: new VirtualClock(Date.now() - 2 * 24 * 3_600_000) });

const planned = ({ folder, env }: Project, ...args: string[]) => reportOf<PlanReport>(["plan", ...args], folder, env);
const reasons = ({ buys }: PlanReport) => Object.fromEntries(buys.map(({ why, names }) => [why, [...names].sort()]));
/** Counts the kinds of rows that the ledger got since. */
const since = (before: number) => {
	const kinds = emulator.kinds().slice(before);
	return ["purchase", "release"].map((wanted) => kinds.filter((kind) => kind === wanted).length);
};

const office = (isLater: boolean) => `
	const number = (name, args) => new telephony.Number(name, { country: "NL", type: "mobile", onDelete: "release", ...args });
	number("same");
	number("changed", { label: ${isLater ? '"after"' : '"before"'} });
	number("again", { generation: ${isLater ? 1 : 0} });
	number("moved", { country: ${isLater ? '"SE"' : '"NL"'} });
	number("secret", { smsWebhookUrl: pulumi.secret("https://a.example.com/hush") });
	new telephony.NumberPool("support", { country: "US", type: "mobile", count: ${isLater ? 4 : 2} });
	const trunk = new telephony.SipTrunk("office", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: ${isLater ? 9 : 5} });
	${isLater ? `number("fresh", { country: "GB" }); number("routed", { country: "GB", routing: { type: "trunk", trunkId: trunk.id } });` : 'number("gone", { country: "CA" });'}
`;

test("plans every kind of change as `up --plan` does it", async () => {
	const stack = await createProject({ service: emulator, program: office(false) });
	await succeeds(stack.up());
	const ids = await stack.ids();
	stack.write(office(true));
	const [state, before] = [await stack.state(), emulator.kinds().length];
	const saved = join(stack.folder, "approved.json");
	const { report, markdown, ...done } = await planned(stack, "--save-plan", saved);
	expect(done.code, done.output).toBe(0);
	const [summary] = done.stdout.split("\n");
	expect(summary).toBe("plan: buys 6, releases 3, 4 unchanged, changes 3 resources, stack dev");
	const growth = ["support[2]", "support[3]"];
	expect(reasons(report)).toEqual({ new: ["fresh", "routed"], generation: ["again"], replacement: ["moved"], growth });
	const gone = [ids.again, ids.moved, ids.gone].sort();
	expect(report.releases.map(({ id }) => id).sort()).toEqual(gone);
	const monthly = (amount: string) => [{ amount, currency: "USD" }];
	expect(report).toMatchObject({ warnings: [], retains: [], over: [], monthlyChange: monthly("6.00") });
	expect(report.monthly).toEqual(monthly("12.00"));
	expect(markdown.split("\n")[0]).toBe(summary);
	expect(markdown + done.output + JSON.stringify(report)).not.toContain("hush");
	expect({ state: await stack.state(), since: since(before) }).toEqual({ state, since: [0, 0] });

	await succeeds(stack.up("--plan", saved));
	expect(since(before)).toEqual([6, 3]);
	expect(emulator.released().sort()).toEqual(gone);
	expect((await planned(stack)).stdout).toMatch(
		/^plan: buys 0, releases 0, 11 unchanged, stack dev\ncost: 0 setup, 0 a month; monthly bill \+0\n/,
	);
});

test("plans a rename, a move, a taint, a loss and a target", async () => {
	const number = (name: string, options = "{}", args = {}) =>
		`new telephony.Number("${name}", ${JSON.stringify({ country: "NL", type: "mobile", ...args })}, ${options});`;
	const desk = 'const desk = new pulumi.ComponentResource("shop:index:Desk", "desk");';
	const stack = await createProject({ service: emulator, front: plugin, program: number("old"), onDelete: null });
	await succeeds(stack.up());
	const before = emulator.kinds().length;
	const plan = async (program: string, ...args: string[]) => {
		stack.write(program);
		return (await planned(stack, ...args)).report;
	};
	const aliasIn = ({ buys }: PlanReport) => buys[0]?.alias ?? "";

	const renamed = await plan(number("fresh"));
	expect(renamed.buys).toMatchObject([{ why: "rename", count: 1, names: ["fresh"], formerNames: ["old"] }]);
	expect(renamed).toMatchObject({ releases: [], retains: [{ name: "old", monthly: { amount: "2.00" } }] });
	expect(aliasIn(renamed)).toBe('aliases: [{ name: "old" }]');
	await succeeds(stack.up());
	const resumed = { buys: [], resumes: [{ name: "old" }], retains: [{ name: "fresh" }] };
	expect(await plan(number("old"))).toMatchObject(resumed);
	await succeeds(stack.up());
	expect(since(before)).toEqual([1, 0]);
	await taint("old")(stack);
	expect(await plan(number("old"))).toMatchObject({ buys: [], resumes: [], releases: [], retains: [], unchanged: 1 });
	await succeeds(stack.up());

	const into = await plan(`${desk} ${number("old", "{ parent: desk }")}`);
	expect(into.buys).toMatchObject([{ why: "move", names: ["old"], formerNames: ["old"] }]);
	expect(aliasIn(into)).toBe("aliases: [{ parent: pulumi.rootStackResource }]");
	const moved = await plan(`${desk} ${number("old", `{ parent: desk, ${aliasIn(into)} }`)}`);
	expect(moved).toMatchObject({ buys: [], retains: [], warnings: [], unchanged: 1 });
	await succeeds(stack.up());
	const parent = aliasIn(await plan(number("old")));
	expect(parent).toMatch(/parent: "urn:pulumi:dev::.*::desk"/);
	stack.write(number("old", `{ ${parent} }`) + number("two"));
	await succeeds(stack.up());
	expect(since(before)).toEqual([2, 0]);

	emulator.control.patchNumber((await stack.ids()).old ?? "", { status: "released" });
	const both = number("old") + number("two");
	expect((await plan(both)).buys).toEqual([]);
	expect(reasons(await plan(both, "--refresh"))).toEqual({ deleted: ["old"] });
	const rebought = ["old", "two"].map((name) => number(name, "{}", { generation: 1 })).join("\n");
	expect(reasons(await plan(rebought, "--target", "**two"))).toEqual({ generation: ["two"] });
});

test("exits with a code and one sentence if it refuses", async () => {
	const three = `new telephony.NumberPool("support", { country: "NL", type: "mobile", count: 3 });`;
	const stack = await createProject({ service: emulator, program: three });
	const over = await planned(stack, "--max-purchases", "2", "--max-monthly", "5.99USD");
	expect(over.code, over.output).toBe(5);
	expect(over.report.over.map(({ limit }) => limit)).toEqual(["--max-purchases 2", "--max-monthly 5.99 USD"]);
	expect(over.stdout).toContain("Limit exceeded: `--max-purchases 2` (this run would use 3).");
	expect((await planned(stack, "--max-purchases", "3", "--max-monthly", "6USD")).code).toBe(0);

	await succeeds(stack.pulumi("config", "set", "--path", "telephony:limits.maxPurchases", "1"));
	const config = await planned(stack);
	expect(config.code, config.output).toBe(5);
	expect(config.output).toMatch(/telephony: .*allows maxPurchases 1.* \[telephony:limit\]\n$/);
	await succeeds(stack.pulumi("config", "rm", "--path", "telephony:limits.maxPurchases"));
	Object.assign(stack.env, { TELEPHONY_API_KEY: "wrong" });
	expect((await planned(stack)).code).toBe(3);
	Object.assign(stack.env, { TELEPHONY_API_KEY: emulator.apiKey });
	stack.write('new telephony.Number("main", { country: "nowhere", type: "mobile" });');
	const wrong = await planned(stack);
	expect(wrong.code).toBe(1);
	expect(wrong.output).toMatch(/telephony: .*preview failed.*country.*\n$/s);
	expect(emulator.live()).toEqual([]);
});

const supportDesk = (isLater: boolean) => `
	const number = (name, args) => new telephony.Number(name, { country: "NL", type: "mobile", ...args });
	number("${isLater ? "reception" : "desk"}", { country: "SE" });
	number("sales", { onDelete: "release", generation: ${isLater ? 1 : 0} });
	number("berlin", { country: "DE", type: "geographic", area: "30", waitForActive: ${isLater} });
	new telephony.NumberPool("support", { country: "US", type: "toll_free", count: ${isLater ? 5 : 3} });
	new telephony.SipTrunk("office", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: ${isLater ? 60 : 30} });
	${isLater ? 'number("paris", { country: "FR", type: "national" });' : 'number("leeds", { country: "GB", onDelete: "release" });'}
`;

test("prints the lines that docs/guides/costs.md shows", async () => {
	const stack = await createProject({ service: emulator, program: supportDesk(false), onDelete: null });
	emulator.control.kyc("manual");
	await succeeds(stack.up());
	stack.write(supportDesk(true));
	emulator.control.settings({ exhausted: ["FR"] });
	const { markdown } = await planned(stack);
	const documented = /<!-- a real plan -->\n([\s\S]*?)<!-- its end -->/.exec(read("docs/guides/costs.md"))?.[1] ?? "";
	const printed = withoutIds(markdown).split("\n");
	const lines = withoutIds(documented).split("\n");
	expect(lines.length).toBeGreaterThan(10);
	expect(lines.filter((line) => !printed.includes(line))).toEqual([]);
});
