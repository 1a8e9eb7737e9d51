/** A service that names everything otherwise, on the real engine: both fronts, told by the stack or by the environment. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { dialects } from "../helpers/dialects";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, type Project, seenAt, stepsIn, succeeds } from "../helpers/engine";
import { yamlProject } from "../helpers/yaml";

const service = dialects.everything;
const emulator = useEmulator({ kyc: "immediate", service });
const { writes } = seenAt(emulator);

const program = `
	const pbx = new telephony.SipTrunk("pbx", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] }, capacity: 10 });
	new telephony.Number("main", { country: "NL", type: "mobile", label: "Main", routing: { type: "trunk", trunkId: pbx.id } });
	new telephony.Webhook("events", { url: "https://hooks.example.com/x", events: ["message.received"] });
`;
const resources = `
  pbx:
    type: telephony:SipTrunk
    properties: { auth: { mode: ip_acl, allowedCidrs: ["198.51.100.7"] }, capacity: 10 }
  main:
    type: telephony:Number
    properties: { country: NL, type: mobile, label: Main, routing: { type: trunk, trunkId: "$\{pbx.id}" } }
  events:
    type: telephony:Webhook
    properties: { url: "https://hooks.example.com/x", events: ["message.received"] }
`;
const fronts = {
	dynamic: () => createProject({ program, service: emulator }),
	plugin: () => yamlProject({ service: emulator }, resources),
};

/** As a person writes it into the stack's file, or into the project's for all of its stacks. */
function configure(stack: Project, value: unknown, file = "Pulumi.dev.yaml"): void {
	const path = join(stack.folder, file);
	const { config, ...settings } = parse(readFileSync(path, "utf8"));
	writeFileSync(path, stringify({ ...settings, config: { ...config, "telephony:service": value } }));
}

function file(): string {
	const folder = mkdtempSync(join(tmpdir(), "service-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const path = join(folder, "service.yaml");
	writeFileSync(path, stringify(service));
	return path;
}

test.each([
	["dynamic", "the stack"],
	["plugin", "TELEPHONY_SERVICE"],
] as const)(
	"%s, told by %s: made, left alone, drift found and repaired, destroyed",
	async (front, by) => {
		const stack = await fronts[front]();
		if (by === "the stack") configure(stack, service);
		else stack.env.TELEPHONY_SERVICE = file();

		await succeeds(stack.up());
		const { main = "", pbx = "", events = "" } = await stack.ids();
		const row = () => emulator.control.state().numbers[0];
		expect(row()).toMatchObject({ id: main, label: "Main", routing: { type: "trunk", trunk_id: pbx } });

		const before = writes();
		await expectQuiet(stack);
		expect(writes()).toBe(before);

		emulator.control.patchNumber(main, { label: "by hand", routing: null });
		emulator.control.patchTrunk(pbx, { capacity: 3 });
		emulator.control.patchWebhook(events, { enabled: false });
		await fails(stack.drift());
		await succeeds(stack.refresh());
		const repair = await stack.up();
		await succeeds(repair);
		expect(stepsIn(repair)).toEqual({ main: "update", pbx: "update", events: "update" });
		expect(row()).toMatchObject({ label: "Main", routing: { type: "trunk", trunk_id: pbx } });
		expect(emulator.control.state()).toMatchObject({ trunks: [{ capacity: 10 }], webhooks: [{ enabled: true }] });
		await succeeds(stack.preview("--expect-no-changes"));

		await succeeds(stack.destroy());
		const left = emulator.control.state();
		expect(left.trunks).toEqual([]);
		expect(left.webhooks).toEqual([]);
		expect(left.numbers.map(({ status }) => status)).toEqual(["released"]);
		expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase", "release"]);
	},
	300_000,
);

test("a mistake in it, and a property that the service has not, are said at preview", async () => {
	const stack = await fronts.plugin();
	configure(stack, { ...service, records: { ...service?.records, number: { lable: "x" } } });
	const wrong = await fails(stack.preview());
	expect(wrong).toContain("records.number.lable: there is no such field. Did you mean label?");
	stack.env.TELEPHONY_SERVICE = JSON.stringify({ records: { trunk: { capacity: false } } });
	const unkept = await fails(stack.preview());
	expect(unkept).toContain("capacity: the service doesn't have this property");
	expect(emulator.control.requests()).toEqual([]);
});

test("told by the project: a wait for KYC is cut short and gone on with, and what is gone is bought again", async () => {
	emulator.control.kyc("manual");
	const stack = await createProject({
		program: `
				new telephony.Number("main", { country: "NL", type: "mobile" });
				new telephony.Number("berlin", { country: "DE", type: "mobile", activationTimeoutSeconds: 1 });`,
		service: emulator,
	});
	configure(stack, { value: service }, "Pulumi.yaml");

	await fails(stack.up("--continue-on-error"), "kyc-pending");
	const ids = await stack.ids();
	emulator.control.decide(ids.berlin ?? "", "approve");
	await succeeds(stack.up());
	expect(await stack.ids()).toEqual(ids);
	expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase", "purchase"]);

	// What is gone in its first minute is looked for a while longer.
	emulator.control.clock({ mode: "virtual", advance: "2m" });
	emulator.control.patchNumber(ids.main ?? "", { status: "released" });
	const refresh = await stack.refresh();
	await succeeds(refresh);
	expect(stepsIn(refresh)).toEqual({ main: "delete" });
	expect(await stack.ids()).toEqual({ berlin: ids.berlin });
	const again = await stack.up();
	await succeeds(again);
	expect(stepsIn(again)).toEqual({ main: "create" });
	expect(
		emulator.control
			.state()
			.numbers.map(({ status }) => status)
			.sort(),
	).toEqual(["active", "active", "released"]);
	await succeeds(stack.preview("--expect-no-changes"));
});
