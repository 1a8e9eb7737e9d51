/** What is no drift on the real engine: the user's own edits half-way, what is only read, what the program ignores. */
import { beforeEach, expect, test } from "vitest";
import { drift, kindsIn, pathsIn, reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, stepsIn, succeeds } from "../helpers/engine";

const emulator = useEmulator();
beforeEach(() => emulator.control.kyc("immediate"));

test("an edit whose wait for KYC timed out is no drift, and what somebody changed since is", async () => {
	emulator.control.kyc("manual");
	const berlin = (label: string, wait: string) =>
		`new telephony.Number("berlin", { country: "DE", type: "mobile", label: "${label}", metadata: { desk: "${label}" }, ${wait} });`;
	const stack = await createProject({ program: berlin("old", "waitForActive: false"), service: emulator });
	await succeeds(stack.up());
	stack.write(berlin("new", "activationTimeoutSeconds: 1"));
	expect((await stack.up()).output).toContain("is bought and saved, but not active yet after 1 s");
	const { berlin: id = "" } = await stack.ids();

	const waits = await succeeds(reported(stack));
	expect(kindsIn(waits.report)).toEqual({ berlin: "waiting" });
	expect(pathsIn(waits.report)).toEqual({ berlin: ["status"] });

	emulator.control.patchNumber(id, { label: "somebody's" });
	const found = await reported(stack);
	expect(found.code, found.output).toBe(7);
	expect(found.report.resources).toMatchObject([
		{ kind: "changed", changes: [{ path: "label", declared: "new", live: "somebody's" }] },
	]);
	emulator.control.patchNumber(id, { label: "new" });

	// Active by itself: nothing is left that an update would have to do.
	emulator.control.decide(id, "approve");
	await succeeds(stack.drift());

	// A refresh that is written forgets nothing that the program wants.
	await succeeds(stack.refresh());
	stack.write(berlin("old", "activationTimeoutSeconds: 1"));
	await succeeds(stack.up());
	expect(emulator.control.state().numbers[0]).toMatchObject({ label: "old", metadata: { desk: "old" } });
	await succeeds(stack.drift());
});

test("an edit that ended half-way is no drift: a secret that was not made, or whose answer never came", async () => {
	const program = (round: string, capacity: number) => `
		new telephony.SipTrunk("digest", { auth: { mode: "digest", username: "desk-1" }, capacity: ${capacity}, passwordRotation: "${round}" });
		new telephony.Webhook("hook", { url: "https://${round}.example.com/sms", events: ["*"], secretRotation: "${round}" });
	`;
	const { control } = emulator;
	const stack = await createProject({ program: program("a", 5), service: emulator });
	await succeeds(stack.up());
	const trunk = () => control.state().trunks[0];
	control.faults.set({ operation: "rotatePassword", kind: "status", every: true, status: 400, error: "bad_request" });
	control.faults.set({ operation: "rotateSecret", kind: "reset", every: true, phase: "after" });
	stack.write(program("b", 6));
	await fails(stack.up("--continue-on-error"));
	control.faults.clear();
	expect((await stack.resources()).map(({ initErrors }) => initErrors?.length)).toEqual([1, 1]);
	expect(trunk()?.capacity).toBe(6);

	await succeeds(stack.drift());
	const found = await succeeds(reported(stack));
	expect(kindsIn(found.report)).toEqual({ digest: "waiting", hook: "waiting" });
	expect(found.markdown).toContain("the last `pulumi up` did not finish this resource");

	// What somebody else has changed since is told.
	control.patchTrunk(trunk()?.id ?? "", { capacity: 77 });
	const changed = await reported(stack);
	expect(changed.code, changed.output).toBe(7);
	expect(pathsIn(changed.report)).toMatchObject({ digest: ["capacity"] });
	expect(changed.report.resources[0]?.changes).toEqual([{ path: "capacity", declared: 6, live: 77 }]);
	await succeeds(stack.up("--refresh"));
	expect(trunk()?.capacity).toBe(6);
});

test("an edit whose answer got lost is no drift, and is taken back by a program that takes it back", async () => {
	const program = (capacity: number) =>
		`new telephony.SipTrunk("digest", { auth: { mode: "digest", username: "desk-1" }, capacity: ${capacity} });`;
	const { control } = emulator;
	const stack = await createProject({ program: program(6), service: emulator });
	await succeeds(stack.up());
	const trunk = () => control.state().trunks[0];
	control.faults.set({ operation: "patchTrunk", kind: "reset", every: true, phase: "after" });
	stack.write(program(8));
	await fails(stack.up());
	control.faults.clear();
	expect(trunk()?.capacity).toBe(8);
	const written = await succeeds(reported(stack));
	expect(kindsIn(written.report)).toEqual({ digest: "waiting" });
	await succeeds(stack.drift());

	stack.write(program(6));
	await succeeds(stack.up("--refresh"));
	expect(trunk()?.capacity).toBe(6);
	await succeeds(stack.drift());
});

test("what a program only reads never counts, whatever moves, and its disappearance is a warning", async () => {
	const call = async (path: string, body: unknown) => String((await emulator.call("POST", path, body)).body.id);
	const trunk = await call("/trunks", {
		name: "t",
		auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.0/24"] },
		capacity: 3,
	});
	const hook = await call("/webhooks", { url: "https://a.example.com/", events: ["*"] });
	const [number, lost] = [
		await call("/numbers", { country: "SE", type: "mobile" }),
		await call("/numbers", { country: "SE", type: "mobile" }),
	];
	const program = (more = "") => `
		const trunk = telephony.SipTrunk.get("trunk", "${trunk}");
		telephony.Webhook.get("hook", "${hook}");
		const number = telephony.Number.get("number", "${number}");
		exports.seen = pulumi.all([trunk.numbersCount, number.label]);
		new telephony.Number("own", { country: "SE", type: "mobile", routing: { type: "trunk", trunkId: trunk.id } });
		${more}
	`;
	const stack = await createProject({
		program: program(`telephony.Number.get("lost", "${lost}");`),
		service: emulator,
	});
	await succeeds(stack.up());
	// What is gone in its first minute is looked for a while longer.
	emulator.control.clock({ mode: "virtual", advance: "2m" });
	emulator.control.patchTrunk(trunk, { capacity: 9, label: "theirs" });
	emulator.control.patchWebhook(hook, { description: "theirs", rotate_secret: true });
	emulator.control.patchNumber(number, { label: "theirs", status: "suspended" });
	emulator.control.patchNumber(lost, { status: "released" });

	await succeeds(stack.drift());
	const report = await succeeds(reported(stack));
	expect(report.report).toMatchObject({ total: 1, drifted: 0, resources: [] });
	expect(report.output).toMatch(
		new RegExp(`warning: The number \\S+ \\(${lost}\\), which this program reads with \`.get\`, no longer exists`),
	);

	const failed = await stack.up();
	expect(failed.output.replaceAll(/\s+/g, " ")).toContain("`.get` needs the id of an existing object.");

	// The next `up` reads anew.
	stack.write(program());
	await succeeds(stack.up("--refresh"));
	expect(await stack.outputs()).toMatchObject({ seen: [1, "theirs"] });
});

test("what the program ignores is neither drift nor said to be put back", async () => {
	const stack = await createProject({
		program: `
			new telephony.Number("all", { country: "SE", type: "mobile", label: "a" }, { ignoreChanges: ["label"] });
			new telephony.Number("some", { country: "SE", type: "mobile", label: "a", metadata: { desk: "1", floor: "2" },
				routing: { type: "forward", to: "+46812345678" } }, { ignoreChanges: ["metadata.desk", 'metadata["added"]', "label"] });
			new telephony.SipTrunk("secret", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity: pulumi.secret(4), name: "a" }, { ignoreChanges: ["capacity"] });
		`,
		service: emulator,
	});
	await succeeds(stack.up());
	const ids = await stack.ids();
	emulator.control.patchNumber(ids.all ?? "", { label: "b" });
	emulator.control.patchNumber(ids.some ?? "", { label: "b", metadata: { desk: "2", floor: "2", added: "x" } });
	emulator.control.patchTrunk(ids.secret ?? "", { capacity: 5 });
	const ignored = await succeeds(reported(stack));
	expect(ignored.report).toMatchObject({ total: 3, drifted: 0, resources: [] });

	emulator.control.patchNumber(ids.some ?? "", {
		metadata: { desk: "2", floor: "3", added: "x" },
		routing: { type: "forward", to: "+46887654321" },
	});
	const found = await reported(stack);
	expect(found.code, found.output).toBe(7);
	expect(pathsIn(found.report)).toEqual({ some: ["routing.to", "metadata.floor"] });
	await succeeds(stack.up("--refresh"));
	expect(emulator.control.state().numbers.find(({ id }) => id === ids.some)).toMatchObject({
		label: "b",
		metadata: { desk: "2", floor: "2", added: "x" },
		routing: { type: "forward", to: "+46812345678" },
	});
	expect(emulator.control.state().numbers.find(({ id }) => id === ids.all)?.label).toBe("b");
});

test("where all that differs is beyond Pulumi, the way out isn't `up --refresh`", async () => {
	emulator.control.kyc("manual");
	const stack = await createProject({
		program: `
			new telephony.Number("stopped", { country: "SE", type: "mobile", label: "Desk" });
			new telephony.Number("waits", { country: "DE", type: "mobile", waitForActive: false });
			new telephony.Number("taken", { country: "GB", type: "mobile" });
			new telephony.Number("moved", { country: "US", type: "mobile" });`,
		service: emulator,
	});
	await succeeds(stack.up());
	const ids = await stack.ids();
	emulator.control.patchNumber(ids.stopped ?? "", { status: "suspended" });
	emulator.control.patchNumber(ids.taken ?? "", { reference: "somebody else's" });
	emulator.control.decide(ids.waits ?? "", "reject", [{ code: "blurred", message: "The scan is blurred" }]);
	const problems = await drift(stack);
	expect(problems.code, problems.output).toBe(7);
	expect(problems.stdout).not.toContain("up --refresh");
	expect(problems.stdout).toContain("check the number in the service's dashboard");
	expect(problems.stdout).toContain("submit the missing documents");
	expect(problems.stdout).toContain("[telephony:claimed]");
	emulator.control.patchNumber(ids.stopped ?? "", { status: "active", label: "desk" });
	emulator.control.patchNumber(ids.moved ?? "", { status: "ported_out" });
	const both = await drift(stack);
	expect(both.stdout).toContain("`pulumi up --refresh`");
	expect(both.stdout).toContain('status: "active" → "ported out"');
	expect(both.stdout).toContain("submit the missing documents");
	expect(stepsIn(await stack.preview("--refresh"))).toMatchObject({ stopped: "update" });
});
