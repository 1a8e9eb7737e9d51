/** `telephony drift` on the real engine: what it prints and writes, how it exits, and that it changes nothing. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { drift, kindsIn, pathsIn, reported, telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, run, succeeds } from "../helpers/engine";

const emulator = useEmulator();
beforeEach(() => emulator.control.kyc("immediate"));

type Env = Record<string, string | undefined>;

const one = `new telephony.Number("desk", { country: "SE", type: "mobile", label: "Desk" });`;

const office = `
	const trunk = new telephony.SipTrunk("office", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 30 });
	new telephony.SipTrunk("digest", { auth: { mode: "digest", username: "desk-1" }, capacity: pulumi.secret(5) });
	new telephony.SipTrunk("own", { auth: { mode: "digest", username: "desk-2", password: "declared-password-1" }, capacity: pulumi.secret(6) });
	const hook = new telephony.Webhook("hook", { url: "https://a.example.com/sms", events: ["message.received"] });
	for (const name of ["main", "lost", "stopped", "kept"]) {
		new telephony.Number(name, { country: "US", type: "mobile", label: name, smsWebhookUrl: hook.url, routing: { type: "trunk", trunkId: trunk.id } });
	}
	new telephony.Number("waits", { country: "DE", type: "mobile", waitForActive: false });
`;

test("names exactly what was changed, with kind, paths and ways out, and writes nothing to the state or the service", async () => {
	const stack = await createProject({ program: office, service: emulator });
	emulator.control.kyc("manual");
	await succeeds(stack.up());
	const ids = await stack.ids();
	const id = (name: string) => ids[name] ?? "";
	const clean = await succeeds(reported(stack));
	expect(clean.stdout).toMatch(/^drift: 0 of 9 resources \(1 waiting\), stack dev\n/);
	expect(kindsIn(clean.report)).toEqual({ waits: "waiting" });

	const { control } = emulator;
	control.patchTrunk(id("office"), { auth: { mode: "ip_acl", allowed_cidrs: ["0.0.0.0/0"] } });
	control.patchTrunk(id("digest"), { auth: { mode: "digest", username: "desk-1", password: "somebody-elses-1" } });
	control.patchTrunk(id("own"), { capacity: 77 });
	control.patchWebhook(id("hook"), { rotate_secret: true });
	control.patchNumber(id("main"), { routing: null, label: "Main" });
	control.patchNumber(id("lost"), { status: "released" });
	control.patchNumber(id("stopped"), { status: "suspended" });
	control.decide(id("waits"), "reject", [{ code: "blurred", message: "The scan is blurred" }]);
	const [state, before] = [await stack.state(), control.requests().length];

	const files = { GITHUB_STEP_SUMMARY: join(stack.folder, "summary"), GITHUB_OUTPUT: join(stack.folder, "output") };
	writeFileSync(files.GITHUB_OUTPUT, "earlier=1\n");
	const found = await reported(stack, files);
	expect(found.code, found.output).toBe(7);
	expect(found.stdout.split("\n")[0]).toBe("drift: 8 of 9 resources (5 changed, 1 missing, 2 problem), stack dev");
	expect(found.report).toMatchObject({ stack: "dev", total: 9, drifted: 8 });
	expect(kindsIn(found.report)).toEqual({
		office: "changed",
		digest: "changed",
		own: "changed",
		hook: "changed",
		main: "changed",
		lost: "missing",
		stopped: "problem",
		waits: "problem",
	});
	const line = readFileSync(join(stack.folder, "index.js"), "utf8").split('"office"')[0]?.split("\n").length;
	expect(found.report.resources.find(({ name }) => name === "office")?.position).toBe(`index.js:${line}`);
	for (const text of [found.stdout, found.markdown]) expect(text).toContain(`index.js:${line}`);
	expect(pathsIn(found.report)).toEqual({
		office: ["auth.allowedCidrs"],
		digest: ["passwordUpdatedAt"],
		own: ["capacity"],
		hook: ["secretVersion"],
		main: ["routing", "label"],
		lost: ["status"],
		stopped: ["status"],
		waits: ["kyc.status"],
	});
	const entry = (name: string) => found.report.resources.find((each) => each.name === name);
	expect(entry("lost")).toMatchObject({ id: id("lost"), severity: "high", e164: expect.stringMatching(/^\+1\d{10}$/) });
	expect(entry("lost")?.consequence).toMatch(/^buys a new number/);
	expect(entry("lost")?.changes).toEqual([{ path: "status", declared: "active", live: "released" }]);
	expect(entry("waits")?.consequence).toContain("The scan is blurred (blurred)");
	expect(entry("own")?.changes).toEqual([{ path: "capacity", declared: "[secret]", live: "[secret]" }]);

	// Read only, and no secret anywhere.
	expect(await stack.state()).toBe(state);
	expect(control.requests().slice(before)).toEqual(
		control
			.requests()
			.slice(before)
			.map((request) => ({ ...request, method: "GET" })),
	);
	const secrets = /declared-password|somebody-elses|whsec_|\b77\b/;
	expect(found.output + found.markdown + JSON.stringify(found.report)).not.toMatch(secrets);

	expect(found.markdown.split("\n")[0]).toBe(found.stdout.split("\n")[0]);
	expect(readFileSync(files.GITHUB_STEP_SUMMARY, "utf8")).toBe(`${found.markdown}\n`);
	expect(readFileSync(files.GITHUB_OUTPUT, "utf8")).toBe(
		"earlier=1\nresult=drift\ntotal=9\ndrifted=8\nmissing=1\nproblem=2\nchanged=5\nwaiting=0\n",
	);
});

test("after up --refresh nothing is left but what Pulumi can't repair; a plain refresh accepts what is live", async () => {
	const stack = await createProject({
		program: `${one}
			new telephony.Number("lost", { country: "SE", type: "mobile" });
			new telephony.Webhook("hook", { url: "https://a.example.com/", events: ["*"] });`,
		service: emulator,
	});
	await succeeds(stack.up());
	const before = await stack.ids();
	// What is gone in its first minute is looked for a while longer.
	emulator.control.clock({ mode: "virtual", advance: "2m" });
	emulator.control.patchNumber(before.desk ?? "", { label: "desk" });
	emulator.control.patchWebhook(before.hook ?? "", { rotate_secret: true });
	emulator.control.patchNumber(before.lost ?? "", { status: "released" });

	expect((await drift(stack, ["--fail-on", "replace"])).code).toBe(7);
	await succeeds(stack.refresh());
	// What is live counts as declared now; only the secret that is no longer valid, and the program, tell of it.
	const after = await reported(stack);
	expect(pathsIn(after.report)).toEqual({ hook: ["secret"] });
	expect(after.report.total).toBe(2);
	const preview = await stack.preview("--expect-no-changes");
	expect(preview.output).toMatch(/desk update \[diff: ~label\]/);

	await succeeds(stack.up("--refresh"));
	const repaired = await reported(stack);
	expect(repaired.stdout, repaired.output).toMatch(/^drift: 0 of 3 resources, stack dev\naccount \S+ · \S+Z\n$/);
	expect(repaired.markdown).toContain("The service has what the program declares.");
	expect(repaired.code).toBe(0);
	expect((await stack.ids()).lost).not.toBe(before.lost);
});

test("what can't be found out is said in one sentence, with its exit code, and never taken for drift", async () => {
	const stack = await createProject({ program: one, service: emulator });
	await succeeds(stack.up());
	const nobody = (await import("node:net")).createServer();
	await new Promise<void>((done) => nobody.listen(0, "127.0.0.1", done));
	const { port } = nobody.address() as { port: number };
	await new Promise((done) => nobody.close(done));
	const elsewhere = dirname(stack.folder);
	const cases: readonly (readonly [readonly string[], Env, number, RegExp])[] = [
		[["--stack", "nope"], {}, 6, /there is no stack nope: `pulumi stack ls`/],
		[[], { PULUMI_CONFIG_PASSPHRASE: undefined }, 1, /the stack's passphrase is missing: set PULUMI_CONFIG_PASSPHRASE/],
		[[], { PULUMI_CONFIG_PASSPHRASE: "wrong" }, 1, /the stack's passphrase is wrong.* \[telephony:engine\]$/],
		[
			[],
			{ TELEPHONY_API_KEY: "wrong" },
			3,
			/the service rejects the API key: .*HTTP 401, request_id req_.* \[telephony:rejected-key\]$/,
		],
		[[], { TELEPHONY_API_KEY: undefined }, 1, /There is no API key: set one with.* \[telephony:config\]$/],
		[
			[],
			{ TELEPHONY_BASE_URL: `http://127.0.0.1:${port}/v1` },
			1,
			/the service could not be read: .*got no response.* \[telephony:unavailable\]$/,
		],
		[[], { PATH: dirname(process.execPath) }, 1, /the engine is missing: there is no `pulumi` on the PATH/],
		[["--cwd", elsewhere], {}, 1, /there is no Pulumi project here: name its folder with --cwd/],
		[["--cwd", join(elsewhere, "nowhere")], {}, 2, /there is no folder .*nowhere/],
		[["--output", join(elsewhere, "nowhere/x.json")], {}, 2, /x\.json can't be written.* \[telephony:usage\]$/],
		[["--output", elsewhere], {}, 2, /end the file.s name in .json or .md/],
		[["--output", "a.md", "--output", "./a.md"], {}, 2, /a\.md is named twice: give each output a file of its own/],
		[["--stack", ""], {}, 2, /--stack is empty: give it a value, or leave it out/],
		[["--fail-on", "sometimes"], {}, 2, /Allowed choices are changed, missing, replace/],
	];
	for (const [args, env, code, sentence] of cases) {
		const outputs = join(stack.folder, "outputs");
		const done = await drift(stack, args, { ...env, GITHUB_OUTPUT: outputs });
		const [said = "", ...more] = done.output.split("\n").filter((line) => line !== "" && !line.startsWith("reading "));
		expect({ args, env, code: done.code, more, said }).toEqual({
			args,
			env,
			code,
			more: [],
			said: expect.stringMatching(sentence),
		});
		expect(said).toMatch(/^telephony: /);
		expect(done.stdout).toBe("");
	}
	expect(emulator.control.requests().every(({ method }) => method !== "DELETE")).toBe(true);
});

test("a job that can't be told hides no reason", async () => {
	const nowhere = join(dirname(telephony), "nowhere/file");
	const done = await run("node", [telephony, "drift", "--cwd", nowhere], dirname(telephony), {
		...process.env,
		GITHUB_OUTPUT: nowhere,
	});
	expect(done.code).toBe(2);
	expect(done.output).toMatch(
		/^telephony: warning: the report can't be passed to the job: ENOENT.*\ntelephony: there is no folder .*\n$/,
	);
});

test("another run that holds the stack's lock is no hindrance: nothing is written", async () => {
	const stack = await createProject({ program: one, service: emulator });
	await succeeds(stack.up());
	emulator.control.kyc("manual");
	stack.write(`${one}\nnew telephony.Number("berlin", { country: "DE", type: "mobile" });`);
	const running = stack.up();
	await vi.waitFor(() => expect(emulator.control.state().numbers).toHaveLength(2), 60_000);
	expect((await stack.up()).output).toContain("the stack is currently locked");
	emulator.control.patchNumber((await stack.ids()).desk ?? "", { label: "desk" });
	const found = await reported(stack);
	expect(found.code, found.output).toBe(7);
	expect(pathsIn(found.report)).toEqual({ desk: ["label"] });
	emulator.control.decide(emulator.control.state().numbers.at(-1)?.id ?? "", "approve");
	await succeeds(running);
});

test("Ctrl-C stops the engine and what it has started, and leaves 130", async () => {
	const stack = await createProject({ program: one, service: emulator });
	await succeeds(stack.up());
	const { id } = emulator.control.faults.set({ operation: "*", every: true, kind: "hold" });
	const { folder, env } = stack;
	const child = spawn("node", [telephony, "drift"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
	let output = "";
	child.stdout.on("data", (text) => {
		output += text;
	});
	const ended = new Promise<number | null>((done) => child.once("close", done));
	const held = () => emulator.control.faults.list().find((rule) => rule.id === id)?.held;
	await vi.waitFor(() => expect(held()).toBeGreaterThan(0), 60_000);
	child.kill("SIGINT");
	expect(await ended).toBe(130);
	expect(output).toBe("");
	// Its connections are gone with the provider's process, which doesn't outlive the engine.
	await vi.waitFor(() => expect(held()).toBe(0));
});

const supportDesk = `
	const office = new telephony.SipTrunk("office", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: 30 });
	const sms = new telephony.Webhook("sms", { url: "https://hooks.example.com/sms", events: ["message.received"] });
	const routing = { type: "trunk", trunkId: office.id };
	new telephony.Number("amsterdam", { country: "NL", type: "geographic", area: "20", routing });
	new telephony.Number("support", { country: "US", type: "toll_free", routing, label: "Support", smsWebhookUrl: sms.url });
	new telephony.Number("sales", { country: "GB", type: "mobile", routing });
	new telephony.Number("berlin", { country: "DE", type: "geographic", area: "30", waitForActive: false });
`;

/** The service makes ids and numbers up, and each run has a time and an address. */
const withoutIds = (text: string) =>
	text
		.replace(/^account .*Z$/m, "account …")
		.replace(/\b(num|trk|whk)_\w+/g, "$1_…")
		.replace(/\+\d{8,15}/g, "+…");

test("docs/drift.md shows the Markdown of this run", async () => {
	emulator.control.kyc("manual");
	const stack = await createProject({ program: supportDesk, service: emulator });
	stack.env.PULUMI_STACK = "prod";
	await stack.pulumi("stack", "init", "prod", "--no-select");
	await succeeds(stack.up());
	const ids = await stack.ids();
	emulator.control.patchTrunk(ids.office ?? "", {
		auth: { mode: "ip_acl", allowed_cidrs: ["0.0.0.0/0"] },
		capacity: 7,
	});
	emulator.control.patchWebhook(ids.sms ?? "", { rotate_secret: true });
	emulator.control.patchNumber(ids.support ?? "", { label: "Support (old)" });
	emulator.control.patchNumber(ids.sales ?? "", { routing: { type: "forward", to: "+3225550123" } });
	emulator.control.patchNumber(ids.amsterdam ?? "", { status: "released" });
	const { markdown } = await reported(stack);
	const page = readFileSync(resolve(__dirname, "../../docs/drift.md"), "utf8");
	const shown = /<!-- a real run -->\n([\s\S]*?)<!-- its end -->/.exec(page)?.[1] ?? "";
	expect(withoutIds(shown).trim()).toBe(withoutIds(markdown).trim());
});
