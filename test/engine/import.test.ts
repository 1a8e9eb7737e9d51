/** Objects that exist already: imported, or exported as a program. */
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, run, succeeds } from "../helpers/engine";
import { repository } from "../helpers/repository";
import { writeYaml, yamlProject } from "../helpers/yaml";

vi.setConfig({ testTimeout: 600_000 });
const emulator = useEmulator({ kyc: "immediate" });
const made = async (path: string, body: object) => (await emulator.call("POST", path, body)).body;
const mobile = { country: "NL", type: "mobile" };
const acl = { mode: "ip_acl", allowed_cidrs: ["198.51.100.0/24"] };

test("imports by id and E.164, keeps what it imported, and claims on request", async () => {
	const [{ id: byId }, { id: claimed }] = [await made("/numbers", mobile), await made("/numbers", mobile)];
	const { id: byNumber, number } = await made("/numbers", { country: "DE", type: "mobile" });
	emulator.control.patchNumber(byNumber, { label: "Berlin" });
	// The trunk has a range that check refuses in a new declaration.
	emulator.control.settings({ acceptAnyAddress: true });
	const auth = { ...acl, allowed_cidrs: ["10.20.0.0/16"] };
	const { id: trunk } = await made("/trunks", { name: "old", auth, capacity: 5, targets: [{ host: "pbx_1.example" }] });
	const stack = await yamlProject({ service: emulator }, "");
	const imports = { main: byId, berlin: String(number), claimed, old: trunk };
	const code: Record<string, string> = {};
	for (const [name, id] of Object.entries(imports)) {
		const type = `telephony:index:${name === "old" ? "SipTrunk" : "Number"}`;
		const imported = await succeeds(stack.pulumi("import", type, name, id, "--yes", "--protect=false"));
		expect(imported.output).not.toMatch(/fail|bug/i);
		code[name] = /\nresources:\n([\s\S]*)$/.exec(imported.output)?.[1] ?? "";
	}
	const program = () => Object.values(code).join("");
	expect(program().match(/onDelete: retain/g)).toHaveLength(3);
	writeYaml(stack, program());
	await expectQuiet(stack);
	expect(await stack.ids()).toEqual({ ...imports, berlin: byNumber });
	expect(emulator.live().map(({ reference }) => reference)).toEqual([null, null, null]);
	emulator.edit("number", byNumber, { label: "by hand" });
	await fails(stack.drift());
	emulator.edit("number", byNumber, { label: "Berlin" });

	// The first update claims a number, and without `retain` the stack releases it.
	code.claimed = code.claimed?.replace(/^ *onDelete: retain\n/m, "") ?? "";
	writeYaml(stack, program());
	await succeeds(stack.up());
	expect(emulator.row(claimed)?.reference).toBeTruthy();
	const otherStack = await yamlProject({ service: emulator, name: "other" }, "");
	await fails(otherStack.pulumi("import", "telephony:index:Number", "main", claimed, "--yes"), "claimed");
	writeYaml(otherStack, `\n  theirs:\n    type: telephony:Number\n    get: { id: ${claimed} }\n`, "other");
	await succeeds(otherStack.up());
	await succeeds(otherStack.destroy());
	await succeeds(stack.destroy());
	expect(emulator.released()).toEqual([claimed]);
	expect(emulator.rows("sipTrunk").map(({ id }) => id)).toEqual([trunk]);
});

test("exports an account as a program that its import leaves unchanged", async () => {
	const { id: trunk } = await made("/trunks", {
		name: "Front desk",
		auth: acl,
		capacity: 5,
		targets: [{ host: "sip.example.com" }],
	});
	await made("/webhooks", { url: "https://hooks.example.com/x?a=$" + "{b}", events: ["*"], description: "it's `one`" });
	const { id } = await made("/numbers", mobile);
	const routing = { type: "trunk", trunk_id: trunk, failover: { type: "forward", to: "+31201234567" } };
	emulator.control.patchNumber(id, { label: 'class "é" \\', routing, metadata: { "0X1F": "$" + "{x} $$" } });
	const { id: claimed } = await made("/numbers", mobile);
	emulator.control.patchNumber(claimed, { reference: "crm/42" });
	const before = emulator.requests().length;

	const stack = await createProject({ service: emulator, name: "exported" });
	const folder = join(stack.folder, "exported");
	const args = ["export", "--language", "yaml", "--output", folder];
	const written = await succeeds(run("node", [telephony, ...args], stack.folder, stack.env));
	expect(written.output).toContain(`left out the number ${claimed}`);
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	const project = join(folder, "Pulumi.yaml");
	// A checkout has no package in node_modules/pulumi-telephony/bin but through its own link.
	const bin = JSON.stringify(join(repository, "bin"));
	writeFileSync(project, readFileSync(project, "utf8").replace("node_modules/pulumi-telephony/bin", bin));
	const pulumi = (...more: string[]) => run("pulumi", [...more, "--non-interactive"], folder, stack.env);
	const options = ["--generate-code=false", "--protect=false", "--yes", "--skip-preview"];
	expect((await succeeds(pulumi("import", "--file", "import.json", ...options))).output).toContain("3 imported");
	await succeeds(pulumi("preview", "--diff", "--expect-no-changes"));
	expect(emulator.writes(before)).toEqual([]);
});
