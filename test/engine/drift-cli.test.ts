/** `telephony drift`: what it prints and writes, its exit codes, and that it changes nothing. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { drift, kindsIn, pathsIn, reported, telephony, withoutIds } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, succeeds } from "../helpers/engine";
import { start } from "../helpers/engine-running";
import { eventually } from "../helpers/eventually";
import { read } from "../helpers/repository";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });

const deskProgram = `new telephony.Number("desk", { country: "SE", type: "mobile", label: "Desk" });`;
const office = (lookedUp: string) => `
	const trunk = new telephony.SipTrunk("office", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 30 });
	new telephony.SipTrunk("digest", { auth: { mode: "digest", username: "desk-1" }, capacity: pulumi.secret(5) });
	new telephony.SipTrunk("own", { auth: { mode: "digest", username: "desk-2", password: "declared-password-1" }, capacity: pulumi.secret(6) });
	const hook = new telephony.Webhook("hook", { url: "https://a.example.com/sms", events: ["message.received"] });
	for (const name of ["main", "lost", "stopped", "kept"]) {
		new telephony.Number(name, { country: "US", type: "mobile", label: name, smsWebhookUrl: hook.url, routing: { type: "trunk", trunkId: trunk.id } });
	}
	new telephony.Number("waits", { country: "DE", type: "mobile", waitForActive: false });
	new telephony.Number("ignored", { country: "US", type: "mobile", label: "a", metadata: { desk: "1", floor: "2" } },
		{ ignoreChanges: ["metadata.desk", 'metadata["added"]', "label"] });
	telephony.Number.get("lookedUp", "${lookedUp}");
`;

test("names exactly what others changed, and writes nothing", async () => {
	const { control } = emulator;
	const { id: lookedUp } = (await emulator.call("POST", "/numbers", { country: "SE", type: "mobile" })).body;
	control.kyc("manual");
	const stack = await createProject({ program: office(lookedUp), service: emulator });
	await succeeds(stack.up());
	const ids = await stack.ids();
	const id = (name: string) => ids[name] ?? "";
	const clean = await succeeds(reported(stack));
	expect(clean.stdout).toMatch(/^drift: 0 of 10 resources \(1 waiting\), stack dev\n/);
	expect(kindsIn(clean.report)).toEqual({ waits: "waiting" });

	control.patchTrunk(id("office"), { auth: { mode: "ip_acl", allowed_cidrs: ["0.0.0.0/0"] } });
	control.patchTrunk(id("digest"), { auth: { mode: "digest", username: "desk-1", password: "somebody-elses-1" } });
	control.patchTrunk(id("own"), { capacity: 77 });
	control.patchWebhook(id("hook"), { rotate_secret: true });
	control.patchNumber(id("main"), { routing: null, label: "Main" });
	control.patchNumber(id("lost"), { status: "released" });
	control.patchNumber(id("stopped"), { status: "suspended" });
	control.decide(id("waits"), "reject", [{ code: "blurred", message: "The scan is blurred" }]);
	control.patchNumber(id("ignored"), { label: "b", metadata: { desk: "2", floor: "2", added: "x" } });
	control.patchNumber(lookedUp, { label: "theirs", status: "suspended" });
	const [state, before] = [await stack.state(), emulator.requests().length];

	const files = { GITHUB_STEP_SUMMARY: join(stack.folder, "summary"), GITHUB_OUTPUT: join(stack.folder, "output") };
	writeFileSync(files.GITHUB_OUTPUT, "earlier=1\n");
	const drifted = await reported(stack, files);
	expect(drifted.code, drifted.output).toBe(7);
	const summary = "drift: 8 of 10 resources (5 changed, 1 deleted, 2 problem), stack dev";
	expect([drifted.stdout, drifted.markdown].map((text) => text.split("\n")[0])).toEqual([summary, summary]);
	expect(drifted.report).toMatchObject({ stack: "dev", total: 10, drifted: 8 });
	expect(kindsIn(drifted.report)).toEqual({
		...{ office: "changed", digest: "changed", own: "changed", hook: "changed", main: "changed" },
		lost: "deleted",
		stopped: "problem",
		waits: "problem",
	});
	expect(pathsIn(drifted.report)).toEqual({
		...{ office: ["auth.allowedCidrs"], digest: ["passwordUpdatedAt"], own: ["capacity"], hook: ["secretVersion"] },
		...{ main: ["routing", "label"], lost: ["status"], stopped: ["status"], waits: ["kyc.status"] },
	});
	const line = readFileSync(join(stack.folder, "index.js"), "utf8").split('"office"')[0]?.split("\n").length;
	for (const text of [drifted.stdout, drifted.markdown]) expect(text).toContain(`index.js:${line}`);
	const resourceOf = (name: string) => drifted.report.resources.find((resource) => resource.name === name);
	expect(resourceOf("office")?.position).toBe(`index.js:${line}`);
	expect(resourceOf("lost")).toMatchObject({
		id: id("lost"),
		severity: "high",
		repair: "buy",
	});
	expect(resourceOf("waits")?.consequence).toContain("The scan is blurred (blurred)");
	expect(resourceOf("own")?.changes).toEqual([{ path: "capacity", declared: "[secret]", live: "[secret]" }]);

	expect(await stack.state()).toBe(state);
	expect(emulator.writes(before)).toEqual([]);
	const secrets = /declared-password|somebody-elses|whsec_|\b77\b/;
	expect(drifted.output + drifted.markdown + JSON.stringify(drifted.report)).not.toMatch(secrets);
	expect(readFileSync(files.GITHUB_STEP_SUMMARY, "utf8")).toBe(`${drifted.markdown}\n`);
	expect(readFileSync(files.GITHUB_OUTPUT, "utf8")).toBe(
		"earlier=1\nresult=drift\ntotal=10\ndrifted=8\ndeleted=1\nproblem=2\nchanged=5\nwaiting=0\n",
	);

	// Ignored properties stay as others made them, and a refresh accepts the rest.
	control.patchNumber(id("stopped"), { status: "active" });
	control.decide(id("waits"), "approve");
	control.patchNumber(id("ignored"), { metadata: { desk: "2", floor: "3", added: "x" } });
	expect(pathsIn((await reported(stack)).report)).toMatchObject({ ignored: ["metadata.floor"] });
	await succeeds(stack.refresh());
	expect(pathsIn((await reported(stack)).report)).toMatchObject({ hook: ["secret"] });
	await succeeds(stack.up("--refresh"));
	const repaired = await succeeds(reported(stack));
	expect(repaired.stdout).toMatch(/^drift: 0 of 10 resources, stack dev\naccount \S+ · \S+Z\n$/);
	expect(emulator.row(id("ignored"))).toMatchObject({ label: "b", metadata: { desk: "2", floor: "2", added: "x" } });
	expect(emulator.row(lookedUp)).toMatchObject({ label: "theirs", status: "suspended" });
});

test("reports in one sentence what it can't find out", async () => {
	const stack = await createProject({
		program: deskProgram,
		service: emulator,
		env: { PULUMI_CONFIG_PASSPHRASE: "of this stack" },
	});
	await succeeds(stack.up());
	const elsewhere = dirname(stack.folder);
	const outputs = join(stack.folder, "outputs");
	const cases: readonly (readonly [string[], Record<string, string | undefined>, number, RegExp])[] = [
		[[], { PULUMI_CONFIG_PASSPHRASE: undefined }, 1, /the stack's passphrase is missing: set PULUMI_CONFIG_PASSPHRASE/],
		[[], { PULUMI_CONFIG_PASSPHRASE: "wrong" }, 1, /the stack's passphrase is wrong.* \[telephony:engine\]$/],
		[[], { TELEPHONY_API_KEY: "wrong" }, 3, /HTTP 401, request_id req_.* \[telephony:rejected-key\]$/],
		[[], { TELEPHONY_API_KEY: undefined }, 1, /There is no API key: set one with.* \[telephony:config\]$/],
		[[], { TELEPHONY_BASE_URL: "http://127.0.0.1:9/v1" }, 1, /\[telephony:unavailable\]$/],
		[[], { PATH: dirname(process.execPath) }, 1, /the engine is missing: there is no `pulumi` on the PATH/],
		[["--cwd", elsewhere], {}, 1, /there is no Pulumi project here: name its folder with --cwd/],
		[["--cwd", join(elsewhere, "nowhere")], {}, 2, /there is no folder .*nowhere/],
	];
	for (const [args, env, code, sentence] of cases) {
		const done = await drift(stack, args, { ...env, GITHUB_OUTPUT: outputs });
		const lines = done.output.split("\n").filter((line) => line !== "" && !line.startsWith("reading "));
		expect({ code: done.code, lines, stdout: done.stdout }).toEqual({
			...{ code, lines: [expect.stringMatching(sentence)], stdout: "" },
		});
		expect(lines[0]).toMatch(/^telephony: /);
	}
	const nowhere = join(elsewhere, "nowhere/file");
	const unread = await drift(stack, ["--cwd", nowhere], { GITHUB_OUTPUT: nowhere });
	expect(unread.output).toMatch(
		/^telephony: warning: the report can't be passed to the job: ENOENT.*\ntelephony: there is no folder .*\n$/,
	);
});

test("runs beside a locked stack, and ends its engine at Ctrl-C", async () => {
	const { control } = emulator;
	const stack = await createProject({ program: deskProgram, service: emulator });
	await succeeds(stack.up());
	control.kyc("manual");
	stack.write(`${deskProgram}\nnew telephony.Number("berlin", { country: "DE", type: "mobile" });`);
	const running = stack.up();
	await eventually(() => expect(emulator.live()).toHaveLength(2));
	control.patchNumber((await stack.ids()).desk ?? "", { label: "desk" });
	const drifted = await reported(stack);
	expect(drifted.code, drifted.output).toBe(7);
	expect(pathsIn(drifted.report)).toEqual({ desk: ["label"] });
	control.decide(emulator.live().at(-1)?.id ?? "", "approve");
	await succeeds(running);

	const { id } = control.faults.set({ operation: "*", every: true, kind: "hold" });
	const { folder, env } = stack;
	const { child, code, output } = start(["node", telephony, "drift"], folder, env);
	const held = () => control.faults.list().find((rule) => rule.id === id)?.held;
	await eventually(() => expect(held()).toBeGreaterThan(0));
	child.kill("SIGINT");
	expect(await code).toBe(130);
	expect(output()).toMatch(/^(reading .*\n)*$/);
	// The provider's process doesn't outlive the engine.
	await eventually(() => expect(held()).toBe(0));
});

const supportDesk = `
	const office = new telephony.SipTrunk("office", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 30 });
	new telephony.Webhook("sms", { url: "https://hooks.example.com/sms", events: ["message.received"] });
	const routing = { type: "trunk", trunkId: office.id };
	new telephony.Number("amsterdam", { country: "NL", type: "geographic", area: "20", routing });
	new telephony.Number("berlin", { country: "DE", type: "geographic", area: "30", waitForActive: false });
`;

test("prints what docs/drift.md shows", async () => {
	const { control } = emulator;
	control.kyc("manual");
	const stack = await createProject({ program: supportDesk, service: emulator });
	stack.env.PULUMI_STACK = "prod";
	await stack.pulumi("stack", "init", "prod", "--no-select");
	await succeeds(stack.up());
	const ids = await stack.ids();
	control.patchTrunk(ids.office ?? "", { auth: { mode: "ip_acl", allowed_cidrs: ["0.0.0.0/0"] }, capacity: 7 });
	control.patchWebhook(ids.sms ?? "", { rotate_secret: true });
	control.patchNumber(ids.amsterdam ?? "", { status: "released" });
	const { markdown } = await reported(stack);
	const documented = /<!-- a real run -->\n([\s\S]*?)<!-- its end -->/.exec(read("docs/drift.md"))?.[1] ?? "";
	expect(withoutIds(documented)).toBe(withoutIds(markdown));
});
