/** `telephony plan` on the real engine: its plan is what the next `up` does at the account, and it changes nothing. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { PlanReport } from "../../cli/plan-report";
import { telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Front, fronts, type Project, run, seenAt, succeeds } from "../helpers/engine";
import { variations } from "../short.mts";

const emulator = useEmulator({ kyc: "immediate" });
const { ledger, kinds, live } = seenAt(emulator);
const timeout = 5 * 60_000;

async function planned(stack: Project, ...args: string[]) {
	const [json, markdown] = [join(stack.folder, "plan-report.json"), join(stack.folder, "plan.md")];
	const done = await run(
		"node",
		[telephony, "plan", "--output", json, "--output", markdown, ...args],
		stack.folder,
		stack.env,
	);
	const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
	return { ...done, report: JSON.parse(read(json) || "{}") as PlanReport, markdown: read(markdown) };
}

const reasons = ({ buys }: PlanReport) => Object.fromEntries(buys.map(({ why, names }) => [why, [...names].sort()]));

/** How often each kind of entry has come to the ledger since. */
const countsSince = (before: number) => {
	const since = kinds().slice(before);
	return {
		purchases: since.filter((kind) => kind === "purchase").length,
		releases: since.filter((kind) => kind === "release").length,
	};
};

const program = (isLater: boolean, front: Front) => `
	const number = (name, args) => new telephony.Number(name, { country: "NL", type: "mobile", onDelete: "release", ...args });
	number("same");
	number("changed", { label: ${isLater ? '"after"' : '"before"'} });
	number("again", { generation: ${isLater ? 1 : 0} });
	number("moved", { country: ${isLater ? '"SE"' : '"NL"'} });
	number("secret", { smsWebhookUrl: pulumi.secret("https://a.example.com/hush-${front === fronts[0] ? "one" : "two"}") });
	new telephony.NumberPool("support", { country: "US", type: "mobile", count: ${isLater ? 4 : 2} });
	const trunk = new telephony.SipTrunk("office", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: ${isLater ? 9 : 5} });
	${isLater ? `number("fresh", { country: "GB" }); number("routed", { country: "GB", routing: { type: "trunk", trunkId: trunk.id } });` : 'number("gone", { country: "CA" });'}
`;

describe.each(variations(fronts))("with %s", (front) => {
	test("a stack of every kind of change: the plan equals the ledger after `up --plan`", { timeout }, async () => {
		const stack = await createProject({ service: emulator, front, program: program(false, front) });
		await succeeds(stack.up());
		const ids = await stack.ids();
		stack.write(program(true, front));
		const [state, before] = [await stack.state(), kinds().length];
		const saved = join(stack.folder, "approved.json");
		const { report, markdown, ...done } = await planned(stack, "--save-plan", saved);
		expect(done.code, done.output).toBe(0);
		expect(done.stdout.split("\n")[0]).toBe(
			"plan: buys 6, releases 3, keeps 5 numbers, changes 3 resources, stack dev",
		);
		expect(reasons(report)).toEqual({
			new: ["fresh", "routed"],
			generation: ["again"],
			replacement: ["moved"],
			growth: ["support[2]", "support[3]"],
		});
		const gone = [ids.again, ids.moved, ids.gone].sort();
		expect(report.releases.map(({ id }) => id).sort()).toEqual(gone);
		expect(report).toMatchObject({
			warnings: [],
			leaves: [],
			over: [],
			monthly: [{ amount: "12.00", currency: "USD" }],
		});
		expect(report.monthlyChange).toEqual([{ amount: "6.00", currency: "USD" }]);
		expect(markdown.split("\n")[0]).toBe(done.stdout.split("\n")[0]);
		expect(markdown + done.output + JSON.stringify(report)).not.toContain("hush");
		expect(await stack.state()).toBe(state);
		expect(kinds().slice(before)).toEqual([]);

		await succeeds(stack.up("--plan", saved));
		expect(countsSince(before)).toEqual({ purchases: 6, releases: 3 });
		expect(ledger("release").slice(-3).sort()).toEqual(gone);
		expect((await planned(stack)).stdout).toMatch(
			/^plan: buys 0, releases 0, keeps 11 numbers, stack dev\ncost: 0 setup, 0 a month; monthly bill \+0\n/,
		);
	});

	test("a rename buys and leaves, a rename back resumes, a taint keeps: as the plan says", {
		timeout: 2 * timeout,
	}, async () => {
		const one = (name: string) => `new telephony.Number("${name}", { country: "NL", type: "mobile" });`;
		const stack = await createProject({ service: emulator, front, program: one("old"), onDelete: null });
		await succeeds(stack.up());
		const before = kinds().length;

		stack.write(one("fresh"));
		const renamed = (await planned(stack)).report;
		expect(renamed.buys).toMatchObject([{ why: "rename", count: 1, names: ["fresh"], were: ["old"] }]);
		expect(renamed).toMatchObject({ releases: [], leaves: [{ name: "old", monthly: { amount: "2.00" } }] });
		expect(renamed.warnings).toEqual([expect.stringContaining('aliases: [{ name: "old" }]')]);
		await succeeds(stack.up());
		expect(countsSince(before)).toEqual({ purchases: 1, releases: 0 });

		stack.write(one("old"));
		const back = (await planned(stack)).report;
		expect(back).toMatchObject({ buys: [], resumes: [{ name: "old" }], leaves: [{ name: "fresh" }] });
		await succeeds(stack.up());
		expect(countsSince(before)).toEqual({ purchases: 1, releases: 0 });

		const [urn] = (await stack.resources()).map((resource) => resource.urn);
		await succeeds(stack.pulumi("state", "taint", urn ?? ""));
		const tainted = (await planned(stack)).report;
		expect(tainted).toMatchObject({ buys: [], resumes: [], releases: [], leaves: [], keeps: 1 });
		await succeeds(stack.up());
		expect(countsSince(before)).toEqual({ purchases: 1, releases: 0 });
	});

	test("a move into a component: the plan names the alias, and with it nothing is bought", { timeout }, async () => {
		const main = (options: string) => `new telephony.Number("main", { country: "NL", type: "mobile" }, ${options});`;
		const desk = 'const desk = new pulumi.ComponentResource("shop:index:Desk", "desk");';
		const stack = await createProject({ service: emulator, front, program: main("{}") });
		await succeeds(stack.up());
		const before = kinds().length;
		stack.write(`${desk} ${main("{ parent: desk }")}`);
		const { report } = await planned(stack);
		expect(report.buys).toMatchObject([{ why: "move", names: ["main"], were: ["main"] }]);
		const [alias] = /aliases: \[.*?\]/.exec(report.warnings.join()) ?? [];
		expect(alias).toBe("aliases: [{ parent: pulumi.rootStackResource }]");
		stack.write(`${desk} ${main(`{ parent: desk, ${alias} }`)}`);
		expect((await planned(stack)).report).toMatchObject({ buys: [], leaves: [], warnings: [], keeps: 1 });
		await succeeds(stack.up());

		stack.write(main("{}"));
		const out = (await planned(stack)).report;
		const [parent] = /aliases: \[.*?\]/.exec(out.warnings.join()) ?? [];
		expect(parent).toMatch(/parent: "urn:pulumi:dev::.*::desk"/);
		stack.write(main(`{ ${parent} }`));
		await succeeds(stack.up());
		expect(countsSince(before)).toEqual({ purchases: 0, releases: 0 });
	});
});

test("what somebody has released is bought again after a refresh; only a target is planned", {
	timeout,
}, async () => {
	const two = ["one", "two"].map(
		(name) => `new telephony.Number("${name}", { country: "NL", type: "mobile", onDelete: "release" });`,
	);
	const stack = await createProject({ service: emulator, program: two.join("\n") });
	await succeeds(stack.up());
	// What is gone in its first minute is looked for a while longer.
	emulator.control.clock({ mode: "virtual", advance: "2m" });
	emulator.control.patchNumber((await stack.ids()).one ?? "", { status: "released" });
	expect((await planned(stack)).report.buys).toEqual([]);
	expect(reasons((await planned(stack, "--refresh")).report)).toEqual({ lost: ["one"] });
	stack.write(two.join("\n").replaceAll("{ country", '{ generation: 1, onDelete: "retain", country'));
	const { report } = await planned(stack, "--target", "**two");
	expect(reasons(report)).toEqual({ generation: ["two"] });
	expect(report.releases.map(({ name }) => name)).toEqual(["two"]);
});

test("limits end it with 8, a rejected key with 3, what can't be previewed with 1, each in one sentence", {
	timeout,
}, async () => {
	const three = `new telephony.NumberPool("support", { country: "NL", type: "mobile", count: 3 });`;
	const stack = await createProject({ service: emulator, program: three });
	const over = await planned(stack, "--max-purchases", "2", "--max-monthly", "5.99USD");
	expect(over.code, over.output).toBe(5);
	expect(over.report.over.map(({ limit }) => limit)).toEqual(["--max-purchases 2", "--max-monthly 5.99 USD"]);
	expect(over.stdout).toContain("Over a limit: `--max-purchases 2`, and it comes to 3.");
	expect((await planned(stack, "--max-purchases", "3", "--max-monthly", "6USD")).code).toBe(0);

	await succeeds(stack.pulumi("config", "set", "--path", "telephony:limits.maxPurchases", "1"));
	const config = await planned(stack);
	expect(config.code, config.output).toBe(5);
	expect(config.output).toMatch(/telephony: .*allows maxPurchases 1.* \[telephony:limit\]\n$/);
	await succeeds(stack.pulumi("config", "rm", "--path", "telephony:limits.maxPurchases"));

	Object.assign(stack.env, { TELEPHONY_API_KEY: "wrong" });
	const rejected = await planned(stack);
	expect(rejected.code, rejected.output).toBe(3);
	Object.assign(stack.env, { TELEPHONY_API_KEY: emulator.apiKey });
	stack.write('new telephony.Number("main", { country: "nowhere", type: "mobile" });');
	const wrong = await planned(stack);
	expect(wrong.code).toBe(1);
	expect(wrong.output).toMatch(/telephony: the plan is not known, as its preview failed: .*country.*\n$/);
	expect(live()).toEqual([]);
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

/** The service makes ids and numbers up, and each run has a time and an address. */
const withoutIds = (text: string) =>
	text
		.replace(/^account .*Z$/m, "account …")
		.replace(/\bnum_\w+/g, "num_…")
		.replace(/\+\d{8,15}/g, "+…");

test("docs/guides/costs.md shows the Markdown of this run", { timeout }, async () => {
	const stack = await createProject({ service: emulator, program: supportDesk(false), onDelete: null });
	emulator.control.kyc("manual");
	await succeeds(stack.up());
	stack.write(supportDesk(true));
	emulator.control.settings({ exhausted: ["FR"] });
	const { markdown } = await planned(stack);
	const page = readFileSync(resolve(__dirname, "../../docs/guides/costs.md"), "utf8");
	const shown = /<!-- a real plan -->\n([\s\S]*?)<!-- its end -->/.exec(page)?.[1] ?? "";
	expect(withoutIds(shown).trim()).toBe(withoutIds(markdown).trim());
});
