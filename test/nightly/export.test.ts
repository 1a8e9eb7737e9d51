/** `telephony export`: the program and the import file that it writes, imported by the engine and previewed. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { telephony } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, run, succeeds } from "../helpers/engine";
import { exampleIn, type Language, prepare } from "../helpers/languages";
import { content } from "../helpers/papers";
import { submitPort } from "../helpers/ports";
import { repository } from "../helpers/repository";

const emulator = useEmulator({ kyc: "immediate" });
const { writes } = emulator;
const made = async (path: string, body: object) => (await emulator.call("POST", path, body)).body.id;

const paper = (kind: string) =>
	made("/kyc/documents", {
		...{ kind, filename: `${kind}.pdf`, media_type: "application/pdf" },
		content: content("pdf", kind).toString("base64"),
	});

/** A profile that has been approved. */
async function profiled() {
	const id = await made("/kyc/profiles", {
		...{ holder: "individual", name: "Erika: Mustermann", country: "DE", id_number: "L01X00T471" },
		address: { street: "Heidestr. 17", city: "Berlin", postal_code: "10557", country: "DE" },
		document_ids: [await paper("identity"), await paper("proof_of_address")],
	});
	await made(`/kyc/profiles/${id}/submit`, {});
	return id;
}

/** As the guide says. */
const installed: Partial<Record<Language, (folder: string) => void>> = {
	typescript: (folder) => writeFileSync(join(folder, "package.json"), '{ "main": "index.ts" }\n'),
	go: (folder) => {
		for (const file of ["go.mod", "go.sum"]) cpSync(join(exampleIn("go"), file), join(folder, file));
		const module = join(folder, "go.mod");
		writeFileSync(module, readFileSync(module, "utf8").replace("../../../sdk/go", join(repository, "sdk/go")));
	},
};

test.for<Language>(["yaml", "typescript", "python", "go"])(
	"exports a program in %s that its import leaves unchanged",
	// The first time, Go compiles Pulumi's SDK, which takes minutes.
	{ timeout: 15 * 60_000 },
	async (language, context) => {
		const env = await prepare(language, (why) => context.skip(why));
		const auth = { mode: "ip_acl", allowed_cidrs: ["198.51.100.0/24"] };
		const trunk = await made("/trunks", {
			name: "Front desk",
			auth,
			capacity: 5,
			targets: [{ host: "sip.example.com" }],
		});
		await made("/trunks", {
			name: "Digest",
			auth: { mode: "digest", username: "office" },
			capacity: 1,
			enabled: false,
		});
		await made("/webhooks", {
			url: "https://hooks.example.com/x?a=$" + "{b}",
			events: ["*"],
			description: "it's `one`",
		});
		const routing = { type: "trunk", trunk_id: trunk, failover: { type: "forward", to: "+31201234567" } };
		for (const more of [
			{ label: "Front desk", routing, metadata: { ["cost $" + "{centre}"]: "$" + "{x} $$", class: "a" } },
			{ label: 'class "é" \\', release_protection: true, metadata: { "0X1F": "1e1_0", on: "2024_01" } },
			{ label: null, sms_webhook_url: "https://hooks.example.com/sms" },
		])
			emulator.control.patchNumber(await made("/numbers", { country: "NL", type: "mobile" }), more);
		emulator.control.patchNumber(await made("/numbers", { country: "DE", type: "mobile" }), {
			kyc_profile_id: await profiled(),
		});
		await submitPort(emulator, ["+31201234567", "+31201234568"]);
		const claimed = await made("/numbers", { country: "NL", type: "mobile" });
		emulator.control.patchNumber(claimed, { reference: "crm/42" });
		const before = writes();

		const stack = await createProject({ service: emulator, name: "exported", env });
		const folder = join(stack.folder, "exported");
		const args = ["export", "--provider", "plugin", "--language", language, "--output", folder];
		const written = await succeeds(run("node", [telephony, ...args], stack.folder, stack.env));
		expect(written.output).toContain("export: 9 of 10 objects, 1 left out");
		expect(written.output).toContain(`left out the number ${claimed}`);
		const repeated = await run("node", [telephony, ...args], stack.folder, stack.env);
		expect(repeated.output).toContain("exists: name another folder");
		expect(repeated.code, repeated.output).toBe(2);

		symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
		installed[language]?.(folder);
		const project = join(folder, "Pulumi.yaml");
		// A checkout has no package in node_modules/pulumi-telephony/bin but through its own link.
		writeFileSync(
			project,
			readFileSync(project, "utf8").replace(
				"node_modules/pulumi-telephony/bin",
				JSON.stringify(join(repository, "bin")),
			),
		);
		const pulumi = (...args: string[]) => run("pulumi", [...args, "--non-interactive"], folder, stack.env);
		const imported = await succeeds(
			pulumi(
				...["import", "--file", "import.json", "--generate-code=false", "--protect=false", "--yes", "--skip-preview"],
			),
		);
		expect(imported.output).toContain("9 imported");
		const preview = await succeeds(pulumi("preview", "--diff", "--expect-no-changes"));
		// The stack itself is one more.
		expect(preview.output).toContain("10 unchanged");
		expect(writes()).toEqual(before);
		expect(emulator.control.ledger().filter(({ kind }) => kind === "release")).toEqual([]);
	},
);
