/** `telephony export` for the dynamic provider: 102 numbers of an account become a stack's, and nothing is bought. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, run, succeeds } from "../helpers/engine";
import { useFaultProxy } from "../helpers/fault-proxy";
import { content } from "../helpers/papers";
import { submitPort } from "../helpers/ports";
import { repository } from "../helpers/repository";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });
const proxy = useFaultProxy(emulator);
const made = async (path: string, body: object) => (await emulator.call("POST", path, body)).body.id;

const password = "a-Password-of-the-trunk-4711";

async function makeTrunks(): Promise<string> {
	emulator.control.settings({ acceptAnyAddress: true });
	const acl = { mode: "ip_acl", allowed_cidrs: ["198.51.100.0/24", "10.20.0.0/16"] };
	await made("/trunks", {
		name: "PBX",
		auth: { mode: "digest", username: "pbx", password },
		capacity: 1,
		enabled: false,
	});
	const target = { host: "SIP.Example.com", port: 5062, transport: "tcp", priority: 1, weight: 2 };
	return made("/trunks", { name: "Front desk", auth: acl, capacity: 5, codecs: ["opus"], targets: [target] });
}

/** Makes an approved profile of a person. */
async function makeProfile(): Promise<string> {
	const paper = (kind: string) =>
		made("/kyc/documents", {
			kind,
			filename: `${kind}.pdf`,
			media_type: "application/pdf",
			content: content("pdf", kind).toString("base64"),
		});
	const id = await made("/kyc/profiles", {
		holder: "individual",
		name: "Erika Mustermann",
		country: "DE",
		id_number: "L01X00T471",
		address: { street: "Heidestr. 17", city: "Berlin", postal_code: "10557", country: "DE" },
		document_ids: [await paper("identity"), await paper("proof_of_address")],
	});
	await made(`/kyc/profiles/${id}/submit`, {});
	return id;
}

/** Buys numbers for two pages of a list that no stack has, as in a dashboard, with every kind of value that numbers have. */
async function buyNumbers(trunk: string, profile: string): Promise<string[]> {
	const failover = { type: "forward", to: "+31201234567" };
	const settings: readonly object[] = [
		{ routing: { type: "trunk", trunk_id: trunk, ring_timeout_seconds: 20, failover } },
		{ label: 'Desk "é" \\', routing: { type: "sip_uri", uri: "sip:desk@pbx.example.com" } },
		{ routing: failover, release_protection: true },
		{ routing: { type: "webhook", url: "https://hooks.example.com/calls" }, metadata: { "cost centre": "$" + "{x}" } },
		{ routing: { type: "agent", agent_id: "agt_1" }, sms_webhook_url: "https://hooks.example.com/sms" },
		{ label: "Desk" },
		{},
	];
	const ids: string[] = [];
	for (let index = 0; index < 102; index += 1) {
		const area = index % 2 === 0 ? { type: "mobile" } : { type: "geographic", area: "20" };
		const id = await made("/numbers", index === 7 ? { country: "DE", type: "mobile" } : { country: "NL", ...area });
		emulator.control.patchNumber(id, settings[index % settings.length] ?? {});
		ids.push(id);
	}
	emulator.control.patchNumber(String(ids[7]), { kyc_profile_id: profile });
	return ids;
}

/** Makes a project of TypeScript, as docs/quick-start.md does. Its own program would buy a number. */
function createFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), "telephony-export-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	writeFileSync(join(folder, "Pulumi.yaml"), "name: desk\nruntime: nodejs\n");
	writeFileSync(join(folder, "package.json"), '{ "main": "index.ts" }\n');
	const buys = 'new telephony.Number("desk", { country: "NL", type: "mobile" });';
	writeFileSync(join(folder, "index.ts"), `import * as telephony from "pulumi-telephony";\n${buys}\n`);
	return folder;
}

/** Returns the objects without their references, and without the times of the writes that set them. */
function objectsNow(): unknown {
	const { numbers, trunks, webhooks, kycProfiles, portOrders } = emulator.control.state();
	return [numbers, trunks, webhooks, kycProfiles, portOrders].map((rows) =>
		rows.map((row) => ({ ...row, reference: null, updated_at: null })),
	);
}

test("adopts 102 numbers of an exported program, and writes only references", async () => {
	const trunk = await makeTrunks();
	const profile = await makeProfile();
	const ids = await buyNumbers(trunk, profile);
	const hook = await made("/webhooks", { url: "https://hooks.example.com/x?a=1", events: ["*"], description: "all" });
	await made("/webhooks", { url: "https://hooks.example.com/sms", events: ["message.received"], enabled: false });
	await submitPort(emulator, ["+31207654321"]);
	const foreign = await made("/numbers", { country: "NL", type: "mobile" });
	emulator.control.patchNumber(foreign, { reference: "crm/42" });
	// Another stack has retained it.
	const reference = "aaaaaaaaaaaaaaaaaaaaaa.bbbbbbbb.cccccccc.left~shop/prod";
	emulator.control.patchNumber(String(ids[100]), { reference });
	emulator.control.patchNumber(String(ids[101]), { status: "pending" });
	const [ledger, before, requests] = [emulator.kinds(), objectsNow(), emulator.requests().length];

	const desk = createFolder();
	const account = { TELEPHONY_API_KEY: proxy.apiKey, TELEPHONY_BASE_URL: proxy.url };
	const exporting = [telephony, "export", "--output", "exported"];
	const exported = await succeeds(run("node", exporting, desk, { ...process.env, ...account }));
	const folder = join(desk, "exported");
	const stack = await createProject({ folder, service: proxy });
	expect(exported.output).toContain("export: 108 of 109 objects, 1 left out");
	expect(exported.output).toContain(`left out the number ${foreign}, because another program`);
	const program = readFileSync(join(folder, "index.ts"), "utf8");
	expect(program).not.toContain(password);
	expect(program.match(/\tadopt: "/g)).toHaveLength(108);

	const preview = await succeeds(stack.preview("--diff"));
	expect(preview.output.match(/^ +adopt +: "/gm)).toHaveLength(108);
	const plan = await succeeds(run("node", [telephony, "plan"], folder, stack.env));
	expect(plan.output).toContain("adopts num_");
	expect(plan.output).toContain("plan: buys 0, releases 0");
	expect(emulator.writes(requests)).toEqual([]);

	const bodies: unknown[] = [];
	const noteBody = (body: unknown) => {
		bodies.push(body);
		return body;
	};
	proxy.plan = (_, method) => (method === "GET" ? undefined : { kind: "altered", alter: noteBody });
	const up = await succeeds(stack.up());
	expect(up.output).toContain("+ 109 created");
	expect(new Set(emulator.writes(requests).map((request) => request.split(" ")[0]))).toEqual(new Set(["PATCH"]));
	expect(bodies.map((body) => Object.keys(body as object))).toEqual(Array(108).fill(["reference"]));
	expect(emulator.kinds()).toEqual(ledger);
	expect(objectsNow()).toEqual(before);
	expect(Object.values(await stack.ids()).sort()).toEqual(
		expect.arrayContaining([...ids, hook, trunk, profile].sort()),
	);

	await succeeds(stack.preview("--expect-no-changes"));
	await succeeds(stack.drift());

	// The stack's configuration says `release`, which adopted numbers don't follow.
	await succeeds(stack.destroy());
	expect(emulator.kinds()).toEqual(ledger);
	expect(objectsNow()).toEqual(before);
});
