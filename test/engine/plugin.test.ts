/** The native plugin on the real engine, from YAML programs: what the dynamic front can't do, and that both agree. */
import { expect, test, vi } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, flat, seenAt, stepsIn, succeeds } from "../helpers/engine";
import { startUp } from "../helpers/engine-running";
import { writeYaml as write, yamlProject } from "../helpers/yaml";
import { variations } from "../short.mts";

const emulator = useEmulator({ kyc: "immediate" });
const { kinds, number: row } = seenAt(emulator);

const yaml = (resources: string, name?: string) =>
	yamlProject({ service: emulator, ...(name === undefined ? {} : { name }) }, resources);

const number = (more = "") => `
  main:
    type: telephony:Number
    properties: { country: NL, type: mobile, label: Main${more} }
`;
const toTrunk = ', routing: { type: trunk, trunkId: "$' + '{pbx.id}" }';
const all = `${number(toTrunk)}
  pbx:
    type: telephony:SipTrunk
    properties: { auth: { mode: digest, username: office }, capacity: 10 }
  events:
    type: telephony:Webhook
    properties: { url: "https://hooks.example.com/x", events: ["*"] }
`;

const made = async (path: string, body: object) => (await emulator.call("POST", path, body)).body;

test("a program is previewed without a write, deployed, read, repaired and destroyed; secrets are secret", async () => {
	const stack = await yaml(all);
	const preview = await stack.preview();
	await succeeds(preview);
	expect(stepsIn(preview)).toMatchObject({ main: "create", pbx: "create", events: "create" });
	expect(emulator.control.requests().filter(({ method }) => method !== "GET")).toEqual([]);

	await succeeds(stack.up());
	await succeeds(stack.preview("--expect-no-changes"));
	await succeeds(stack.drift());
	const { main, pbx } = await stack.ids();
	expect(row(main)).toMatchObject({ label: "Main", routing: { type: "trunk", trunk_id: pbx } });
	const state = await stack.state();
	const secrets = Object.values(emulator.control.state())
		.flat()
		.flatMap((each) => {
			const { password, secret } = each as { password?: string; secret?: string };
			return [password, secret].filter((value) => typeof value === "string");
		});
	expect(secrets.length).toBeGreaterThan(0);
	for (const secret of [...secrets, emulator.apiKey]) expect(state).not.toContain(secret);

	emulator.control.patchNumber(main ?? "", { label: "by hand" });
	const drift = await stack.pulumi("refresh", "--preview-only", "--diff");
	expect(flat(drift)).toContain('~ label: "Main" => "by hand"');
	await succeeds(stack.up("--refresh"));
	expect(row(main)?.label).toBe("Main");
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
});

test("a preview shows that another country replaces, and refuses a typo", async () => {
	const stack = await yaml(number());
	await succeeds(stack.up());
	write(stack, number().replace("NL", "FR"));
	expect((await stack.preview()).output).toMatch(/main replace/);
	write(stack, number(", lable: x"));
	expect(flat(await stack.preview())).toContain("lable");
	expect(kinds()).toEqual(["purchase"]);
});

test.each(variations(["id", "E.164"]))(
	"a number is imported by its %s: the printed code is clean, and destroy keeps it",
	async (by) => {
		const { id } = await made("/numbers", { country: "DE", type: "mobile" });
		emulator.control.patchNumber(id, { label: "Berlin" });
		const stack = await yaml("");
		const name = by === "id" ? id : (row(id)?.number ?? "");
		const imported = await stack.pulumi("import", "telephony:index:Number", "berlin", name, "--yes", "--protect=false");
		await succeeds(imported);
		const [, code = ""] = /\nresources:\n([\s\S]*)$/.exec(imported.output) ?? [];
		expect(code).toContain("onDelete: retain");
		write(stack, code);
		await expectQuiet(stack);
		expect(row(id)?.reference).toBeNull();
		emulator.control.patchNumber(id, { label: "by hand" });
		await fails(stack.drift());
		emulator.control.patchNumber(id, { label: "Berlin" });
		await succeeds(stack.destroy());
		expect({ status: row(id)?.status, kinds: kinds() }).toEqual({ status: "active", kinds: ["purchase"] });
	},
);

test("an imported number is claimed by its first update, and released once the program says so", async () => {
	const { id } = await made("/numbers", { country: "DE", type: "mobile" });
	const stack = await yaml("");
	await succeeds(stack.pulumi("import", "telephony:index:Number", "berlin", id, "--yes", "--protect=false"));
	write(stack, "\n  berlin:\n    type: telephony:Number\n    properties: { country: DE, type: mobile }\n");
	await succeeds(stack.up());
	expect(row(id)?.reference).toBeTruthy();
	await succeeds(stack.destroy());
	expect(row(id)?.status).toBe("released");
});

test("a trunk is imported as one to adopt, and destroy leaves it", async () => {
	const auth = { mode: "ip_acl", allowed_cidrs: ["198.51.100.0/24"] };
	const { id } = await made("/trunks", { name: "old", auth, capacity: 5 });
	const stack = await yaml("");
	const imported = await stack.pulumi("import", "telephony:index:SipTrunk", "old", id, "--yes", "--protect=false");
	await succeeds(imported);
	write(stack, /\nresources:\n([\s\S]*)$/.exec(imported.output)?.[1] ?? "");
	await expectQuiet(stack);
	await succeeds(stack.destroy());
	expect(emulator.control.state().trunks.map((each) => each.id)).toEqual([id]);
});

test("what another stack has claimed can be read, but not imported", async () => {
	const owner = await yaml(number());
	await succeeds(owner.up());
	const { main } = await owner.ids();
	const other = await yaml("", "other");
	const refused = await other.pulumi("import", "telephony:index:Number", "main", main ?? "", "--yes");
	expect(refused.code, refused.output).not.toBe(0);
	expect(flat(refused)).toContain("[telephony:claimed]");
	write(other, `\n  theirs:\n    type: telephony:Number\n    get: { id: ${main} }\n`, "other");
	await succeeds(other.up());
	await succeeds(other.drift());
	await succeeds(other.destroy());
	expect(row(main)?.status).toBe("active");
});

test("a number waits for its papers as long as customTimeouts says; Ctrl-C ends a wait, and the next up goes on", async () => {
	emulator.control.kyc("manual");
	const german = "\n  berlin:\n    type: telephony:Number\n    properties: { country: DE, type: mobile }\n";
	const stack = await yaml(`${german}    options: { customTimeouts: { create: 2s } }\n`);
	const late = await stack.up();
	expect(late.code, late.output).not.toBe(0);
	expect(flat(late)).toMatch(/not active yet after 2 s.*\[telephony:kyc-pending\]/);
	const [entry] = await stack.resources();
	expect(entry?.initErrors).toHaveLength(1);
	// Waiting is no drift, and a refresh that is written forgets nothing.
	await succeeds(stack.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes"));

	write(stack, german);
	const running = startUp(stack);
	const looks = emulator.control.requests().length;
	await vi.waitFor(() => expect(emulator.control.requests().length).toBeGreaterThan(looks + 1), 30_000);
	// The CLI that npm installs is started by a process that passes no signal on.
	process.kill(-(running.child.pid ?? Number.NaN), "SIGINT");
	await running.code;
	expect((await stack.deployment()).pending_operations ?? []).toEqual([]);
	emulator.control.decide(entry?.id ?? "", "approve");
	await succeeds(stack.up());
	expect({ ids: await stack.ids(), kinds: kinds() }).toEqual({ ids: { berlin: entry?.id }, kinds: ["purchase"] });
	await succeeds(stack.preview("--expect-no-changes"));
});

test("a stack of the dynamic front goes on with the plugin: nothing is bought, replaced or changed", async () => {
	const stack = await createProject({
		program: `new telephony.Number("main", { country: "NL", type: "mobile", label: "Main" });
			new telephony.SipTrunk("pbx", { auth: { mode: "digest", username: "office" }, capacity: 10 });`,
		service: emulator,
	});
	await succeeds(stack.up());
	const ids = await stack.ids();
	const trunk = all.slice(all.indexOf("\n  pbx:"), all.indexOf("\n  events:"));
	write(stack, `${number()}${trunk}\n`);
	const writes = emulator.control.requests().filter(({ method }) => method !== "GET").length;
	const moved = await stack.up();
	await succeeds(moved);
	expect({ ids: await stack.ids(), kinds: kinds() }).toEqual({ ids, kinds: ["purchase"] });
	expect(emulator.control.requests().filter(({ method }) => method !== "GET")).toHaveLength(writes);
	await succeeds(stack.preview("--expect-no-changes"));
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(["purchase", "release"]);
});
