/**
 * A missing or wrong key, another account's key, and an address that leads nowhere: no run loses a resource, buys a number or
 * takes one out of the state.
 */
import { expect, test, vi } from "vitest";
import { VirtualClock } from "../../emulator";
import { drift, reported, telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import {
	classes,
	createProject,
	expectQuiet,
	type Front,
	fails,
	fronts,
	plugin,
	type Run,
	run,
	succeeds,
} from "../helpers/engine";
import { urnOf } from "../helpers/story";
import { inTurn } from "../short.mts";

vi.setConfig({ testTimeout: 600_000 });
// The provider waits for objects that are younger than a minute if they are missing.
const right = useEmulator({ kyc: "immediate", clock: new VirtualClock(Date.now() - 2 * 24 * 3_600_000) });
const wrong = useEmulator({ kyc: "immediate" });

const number = (name: string, options = "{}") =>
	`const ${name} = new telephony.Number("${name}", { country: "NL", type: "mobile" }, ${options});\n`;
const trunk = (name: string) =>
	`const ${name} = new telephony.SipTrunk("${name}", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] }, capacity: 3 });\n`;
const pool = (count: number) =>
	`new telephony.NumberPool("desk", { country: "NL", type: "mobile", count: ${count} });\n`;

async function stackOf(front: Front, program: string) {
	const stack = await createProject({ program, service: right, front });
	await succeeds(stack.up());
	const kept = async () => [await stack.ids(), right.kinds(), wrong.kinds(), wrong.writes()];
	const before = await kept();
	return {
		...stack,
		on: (env: Readonly<Record<string, string | undefined>>) => Object.assign(stack.env, env),
		/** Each run fails, the state keeps all, and neither account has changed. */
		refused: async (running: Promise<Run>, error?: string) => {
			const printed = await fails(running, error);
			expect(await kept(), printed).toEqual(before);
			return printed;
		},
	};
}

const office = trunk("office");
const dependent = number("a", "{ dependsOn: office }");
test.each([
	["numbers", classes, "8", office + dependent + number("b"), "a", office + dependent],
	["a trunk and a pool", plugin, "1", office + pool(2), "desk", office + pool(3)],
] as const)("keeps %s of another account: %s, --parallel %s", async (_, front, parallel, program, name, smaller) => {
	const stack = await stackOf(front, program);
	const parallelism = ["--parallel", parallel];
	stack.on({ TELEPHONY_BASE_URL: wrong.url });
	for (const command of [stack.refresh, stack.destroy]) await stack.refused(command(...parallelism), "wrong-account");
	await stack.refused(stack.destroy("--target", await urnOf(stack, name), ...parallelism), "wrong-account");
	for (const changed of [program + number("later"), number("sooner") + program, smaller]) {
		stack.write(changed);
		await stack.refused(stack.up(...parallelism), "wrong-account");
	}
	stack.write(program);
	stack.on({ TELEPHONY_BASE_URL: right.url });
	await expectQuiet(stack);
	await succeeds(stack.destroy());
	expect(await stack.ids()).toEqual({});
});

test("says what to set for a missing key and a wrong key", async () => {
	const stack = await stackOf(classes, number("a"));
	stack.on({ TELEPHONY_API_KEY: undefined });
	expect(await stack.refused(stack.preview())).toContain(
		"There is no API key: set one with `export TELEPHONY_API_KEY=…` or `pulumi config set --secret telephony:apiKey …`",
	);
	stack.on({ TELEPHONY_API_KEY: "wrong-key-of-mine" });
	for (const command of [stack.refresh, stack.destroy]) {
		const printed = await stack.refused(command());
		expect(printed).toMatch(/HTTP 401, request_id req_\w+\)\. .*TELEPHONY_API_KEY.* \[telephony:rejected-key\]/);
		expect(printed).not.toContain("wrong-key-of-mine");
	}
	stack.on({ TELEPHONY_API_KEY: right.apiKey, TELEPHONY_BASE_URL: "http://127.0.0.1:9/v1" });
	expect(await stack.refused(stack.refresh())).not.toMatch(/delete/);
});

test("uses the last up's key in a refresh, and a new one in drift", async () => {
	const stack = await createProject({ program: number("desk") });
	const config = async (...args: string[]) => await succeeds(stack.pulumi("config", "set", ...args));
	await config("telephony:baseUrl", right.url);
	await config("--secret", "telephony:apiKey", "old-key-of-mine");
	// As if the service had taken the old one then.
	stack.env.TELEPHONY_API_KEY = right.apiKey;
	await succeeds(stack.up());
	delete stack.env.TELEPHONY_API_KEY;
	expect((await drift(stack)).code).toBe(3);
	await config("--secret", "telephony:apiKey", right.apiKey);
	// Neither of them is the stack's until an `up`, so they aren't drift.
	await config("telephony:owner", "acme");
	await config("telephony:features", "inventory,-restore");

	const refused = await fails(stack.refresh());
	expect(refused).toContain("`pulumi refresh` and `destroy` use the key of the last `up`");
	const fix = "TELEPHONY_API_KEY=$(pulumi config get telephony:apiKey)";
	await succeeds(run("sh", ["-c", `${fix} pulumi refresh --yes --skip-preview`], stack.folder, stack.env));

	const clean = await succeeds(reported(stack));
	expect(clean.stdout).toMatch(/^drift: 0 of 1 resource, stack dev\naccount http:\S+\/v1 · owner acme · \S+Z\n$/);
	expect(clean.report).toMatchObject({ account: right.url, owner: "acme" });
	expect(clean.output + clean.markdown + JSON.stringify(clean.report)).not.toContain(right.apiKey);
	// The environment wins.
	expect((await drift(stack, [], { TELEPHONY_API_KEY: "wrong" })).code).toBe(3);
	expect((await drift(stack, [], { TELEPHONY_FEATURES: "telepathy" })).output).toContain(
		'TELEPHONY_FEATURES) names "telepathy"',
	);
	await succeeds(stack.up());
	await succeeds(stack.refresh());
});

test.each(inTurn(fronts))("buys nothing on another account than the pinned one: %s", async (front) => {
	const stack = await createProject({ program: number("a"), service: right, front });
	const { account } = right.control.state();
	expect((await succeeds(stack.up())).output).toContain(`pulumi config set telephony:account ${account.id}`);
	await succeeds(stack.pulumi("config", "set", "telephony:account", account.id));
	await succeeds(stack.up());
	const old = await urnOf(stack, "a");
	const before = [await stack.ids(), right.kinds()];
	stack.env.TELEPHONY_BASE_URL = wrong.url;
	const late = `module.exports = async () => {
			new telephony.Number("b", { country: "NL", type: "mobile" });
			await new Promise((resolve) => setTimeout(resolve, 1_000));
			new telephony.Number("a", { country: "NL", type: "mobile" });
		};\n`;
	for (const [program, ...options] of [
		[number("a") + number("b"), "--target", old.replace(/a$/, "b")],
		[number("a") + number("b"), "--exclude", old],
		[number("b") + number("a"), "--parallel", "1"],
		[late],
	] as const) {
		stack.write(program);
		await fails(stack.up(...options), "wrong-account");
	}
	for (const command of [stack.refresh, stack.destroy]) await fails(command(), "wrong-account");
	expect((await drift(stack)).code).toBe(1);
	expect([await stack.ids(), right.kinds(), wrong.kinds(), wrong.writes()]).toEqual([...before, [], []]);
	stack.env.TELEPHONY_BASE_URL = right.url;
	await succeeds(stack.destroy());
});

test("refuses commands on another account than a stack's pin", async () => {
	const stack = await createProject({ service: wrong });
	const pin = right.control.state().account.id;
	await succeeds(stack.pulumi("stack", "init", "open", "--no-select"));
	await succeeds(stack.pulumi("config", "set", "telephony:account", pin));
	const command = (...args: string[]) => run("node", [telephony, ...args], stack.folder, stack.env);
	for (const args of [
		["service", "check"],
		["service", "check", "--stack", "dev", "--buy", "NL/mobile", "--yes"],
		["orphans", "--stack", "open", "dev"],
		["bill", "--stack", "open", "dev"],
	])
		await fails(command(...args), "wrong-account");
	expect(wrong.writes()).toEqual([]);
	// The environment wins, another stack has no pin, and a stack's pin is of the stack's service.
	await succeeds(command("orphans", "--stack", "open"));
	expect((await command("service", "check", "--stack", "open")).code).toBe(7);
	await succeeds(stack.pulumi("config", "set", "telephony:baseUrl", "https://api.example.com/v1"));
	expect((await command("service", "check")).code).toBe(7);
	await succeeds(stack.pulumi("config", "set", "telephony:baseUrl", `${wrong.url}/`));
	await fails(command("service", "check"), "wrong-account");
	stack.env.TELEPHONY_ACCOUNT = "none";
	expect((await command("service", "check")).code).toBe(7);
});

/** A stack whose number is retained, and whose configuration needs a passphrase. */
async function retainedStack() {
	const program = `new telephony.Number("main", { country: "NL", type: "mobile" });`;
	const env = { PULUMI_CONFIG_PASSPHRASE: "other" };
	const stack = await createProject({ service: right, onDelete: "retain", program, env });
	await succeeds(stack.up());
	await succeeds(stack.pulumi("config", "set", "--secret", "telephony:apiKey", "k"));
	await succeeds(stack.destroy());
	const release = (name: string, more: NodeJS.ProcessEnv = {}) =>
		run("node", [telephony, "release", "--retained", "--yes", "--stack", name], stack.folder, {
			...stack.env,
			...more,
		});
	return { ...stack, release };
}

test("releases nothing for a stack whose pin can't be read", async () => {
	const stack = await retainedStack();
	await succeeds(stack.pulumi("config", "set", "telephony:account", "acc_other"));
	for (const PULUMI_CONFIG_PASSPHRASE of ["other", "wrong", undefined])
		expect((await stack.release("dev", { PULUMI_CONFIG_PASSPHRASE })).code).not.toBe(0);
	expect(right.released()).toEqual([]);
});

test("releases the retained numbers of a stack that is named in full", async () => {
	const stack = await retainedStack();
	expect((await stack.release("organization/telephony-test/dev")).code).toBe(0);
	expect(right.released()).toHaveLength(1);
});
