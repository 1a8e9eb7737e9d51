/** A service that names everything otherwise, on the real engine: both fronts, told by the stack or by the environment. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { dialects } from "../helpers/dialects";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Project, type Run, stepsIn } from "../helpers/engine";
import { yamlProject } from "../helpers/yaml";

const service = dialects.everything;
const emulator = useEmulator({ kyc: "immediate", service });
const succeeds = (run: Run) => expect(run.code, run.output).toBe(0);
const writes = () => emulator.control.requests().filter(({ method }) => method !== "GET").length;

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
const fronts: Readonly<Record<string, () => Promise<Project>>> = {
	dynamic: () => createProject({ program, service: emulator }),
	plugin: () => yamlProject({ service: emulator }, resources),
};

/** As a person writes it into the stack's file. */
const configure = (stack: Project, value: unknown) =>
	appendFileSync(join(stack.folder, "Pulumi.dev.yaml"), stringify({ config: { "telephony:service": value } }));

function file(): string {
	const folder = mkdtempSync(join(tmpdir(), "service-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const path = join(folder, "service.yaml");
	writeFileSync(path, stringify(service));
	return path;
}

test.each([
	["dynamic", "the stack"],
	["plugin", "the stack"],
	["dynamic", "TELEPHONY_SERVICE"],
])("%s, told by %s: made, left alone, drift found and repaired, destroyed", async (front, by) => {
	const stack = await (fronts[front] as () => Promise<Project>)();
	if (by === "the stack") configure(stack, service);
	else stack.env.TELEPHONY_SERVICE = file();

	succeeds(await stack.up());
	const { main = "", pbx = "", events = "" } = await stack.ids();
	const row = () => emulator.control.state().numbers[0];
	expect(row()).toMatchObject({ id: main, label: "Main", routing: { type: "trunk", trunk_id: pbx } });

	const before = writes();
	succeeds(await stack.preview("--expect-no-changes"));
	succeeds(await stack.drift());
	expect(writes()).toBe(before);

	emulator.control.patchNumber(main, { label: "by hand", routing: null });
	emulator.control.patchTrunk(pbx, { capacity: 3 });
	emulator.control.patchWebhook(events, { enabled: false });
	const drift = await stack.drift();
	expect(drift.code, drift.output).not.toBe(0);
	succeeds(await stack.refresh());
	const repair = await stack.up();
	succeeds(repair);
	expect(stepsIn(repair)).toEqual({ main: "update", pbx: "update", events: "update" });
	expect(row()).toMatchObject({ label: "Main", routing: { type: "trunk", trunk_id: pbx } });
	expect(emulator.control.state()).toMatchObject({ trunks: [{ capacity: 10 }], webhooks: [{ enabled: true }] });
	succeeds(await stack.preview("--expect-no-changes"));

	succeeds(await stack.destroy());
	const left = emulator.control.state();
	expect([left.trunks, left.webhooks, left.numbers.map(({ status }) => status)]).toEqual([[], [], ["released"]]);
	expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase", "release"]);
});

test.each(Object.keys(fronts))(
	"%s: a mistake in it, and what the service has not, are said at preview",
	async (front) => {
		const stack = await (fronts[front] as () => Promise<Project>)();
		configure(stack, { ...service, records: { ...service?.records, number: { lable: "x" } } });
		const wrong = await stack.preview();
		expect(wrong.code).not.toBe(0);
		expect(wrong.output.replaceAll(/\s+/g, " ")).toContain(
			"records.number.lable: there is no such field. Did you mean label?",
		);
		stack.env.TELEPHONY_SERVICE = JSON.stringify({ records: { trunk: { capacity: false } } });
		const unkept = await stack.preview();
		expect(unkept.code).not.toBe(0);
		expect(unkept.output.replaceAll(/\s+/g, " ")).toContain("capacity: the service has none");
		expect(emulator.control.requests()).toEqual([]);
	},
);
