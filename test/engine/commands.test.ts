/** A run that is still buying keeps its number, and a plan counts each provider of the program alone. */
import { expect, test, vi } from "vitest";
import type { OrphansReport } from "../../cli/orphans/report";
import type { PlanReport } from "../../cli/plan/report";
import { reportOf, telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, fronts, type Project, plugin, run, succeeds } from "../helpers/engine";
import { crash, startUp } from "../helpers/engine-running";
import { eventually } from "../helpers/eventually";
import { inTurn } from "../short.mts";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator();
const market = useEmulator({ kyc: "immediate" });

const waiting = `new telephony.Number("berlin", { country: "DE", type: "geographic", area: "30", label: "held" });`;

test.each(inTurn(fronts))("%s: release and orphans leave the number of a run that waits", async (front) => {
	const stack = await createProject({ program: waiting, service: emulator, front });
	const running = startUp(stack);
	await eventually(() => {
		expect(emulator.labels()).toEqual(["held"]);
		expect(running.output()).toMatch(/KYC action required/);
	});
	const [{ id = "" } = {}] = emulator.live();
	const orphans = await reportOf<OrphansReport>(["orphans", "--stack", "dev"], stack.folder, stack.env);
	const released = await run("node", [telephony, "release", id, "--stack", "dev", "--yes"], stack.folder, stack.env);
	const live = emulator.live().map((record) => record.id);
	await running.end("SIGINT");
	expect(live, released.output).toEqual([id]);
	expect(released.code).toBe(1);
	expect(JSON.stringify(orphans.report.orphans)).not.toContain("telephony release");
	expect(await stack.ids()).toEqual({ berlin: id });
});

test("a killed run's number is released after the operation is cleared", async () => {
	const stack = await createProject({ program: waiting, service: emulator });
	const running = startUp(stack);
	await eventually(() => {
		expect(emulator.labels()).toEqual(["held"]);
		expect(running.output()).toMatch(/KYC action required/);
	});
	await crash(running);
	const [{ id = "" } = {}] = emulator.live();
	const release = () => run("node", [telephony, "release", id, "--stack", "dev", "--yes"], stack.folder, stack.env);
	expect((await release()).output).toContain("pulumi refresh --clear-pending-creates");
	await succeeds(stack.pulumi("cancel", "--yes"));
	await succeeds(stack.refresh("--clear-pending-creates"));
	await succeeds(release());
	expect(emulator.live()).toEqual([]);
});

const planned = ({ folder, env }: Project) => reportOf<PlanReport>(["plan"], folder, env);

test("a plan resumes the number that a provider with an owner has retained", async () => {
	const program = (has: boolean) => `
	const eu = new telephony.Provider("eu", { owner: "eu" });
	${has ? 'new telephony.Number("a", { country: "NL", type: "mobile" }, { provider: eu });' : ""}
	new telephony.Number("b", { country: "NL", type: "mobile" });`;
	const stack = await createProject({ service: market, front: plugin, program: program(true), onDelete: null });
	await succeeds(stack.up());
	stack.write(program(false));
	await succeeds(stack.up());
	stack.write(program(true));
	const back = await planned(stack);
	await succeeds(stack.up());
	expect(market.purchases().length).toBe(2);
	expect(back.report).toMatchObject({ buys: [], resumes: [{ name: "a" }] });
});

test("a plan applies the stack's limits to each provider alone", async () => {
	const program = `
	const eu = new telephony.Provider("eu", { onDelete: "retain" });
	new telephony.Number("a", { country: "NL", type: "mobile" }, { provider: eu });
	new telephony.Number("b", { country: "NL", type: "mobile" });`;
	const stack = await createProject({ service: market, front: plugin, program, onDelete: null });
	await succeeds(stack.pulumi("config", "set", "--path", "telephony:limits.maxPurchases", "1"));
	const plan = await planned(stack);
	const up = await stack.up();
	expect([plan.code, up.code]).toEqual([0, 0]);
});

test("a plan applies the limits of a provider", async () => {
	const program = `
	const eu = new telephony.Provider("eu", { limits: { maxMonthly: "1USD" } });
	new telephony.Number("a", { country: "NL", type: "mobile" }, { provider: eu });`;
	const stack = await createProject({ service: market, front: plugin, program, onDelete: null });
	const plan = await planned(stack);
	const up = await stack.up();
	expect([plan.code, up.code]).toEqual([5, 1]);
});
