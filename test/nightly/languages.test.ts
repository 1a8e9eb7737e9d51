/**
 * The examples for the plugin, in every language, on the real engine. One stack goes through all steps, as each command
 * costs seconds.
 */
import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, flat, type Run, succeeds } from "../helpers/engine";
import { addProgram, copyOfExample, type Language, prepare, programFile } from "../helpers/languages";
import { read, repository } from "../helpers/repository";

const emulator = useEmulator({ kyc: "immediate" });
const eu = useEmulator({ kyc: "immediate", apiKey: "key-of-eu" });
const us = useEmulator({ kyc: "immediate", apiKey: "key-of-us" });

const kinds = ({ control } = emulator) => control.ledger().map(({ kind }) => kind);

/** Creates the objects of imported.json, and returns the file for `pulumi import --file`. */
async function objects() {
	const made = async (path: string, body: object) => (await emulator.call("POST", path, body)).body.id;
	const [trunk, number, hook] = [
		await made("/trunks", {
			name: "old",
			auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.0/24"] },
			capacity: 5,
			targets: [{ host: "sip.example.com" }],
		}),
		await made("/numbers", { country: "DE", type: "geographic", area: "30" }),
		await made("/webhooks", { url: "https://hooks.example.com/old", events: ["message.received", "number.activated"] }),
	];
	emulator.control.patchNumber(number, {
		label: "Berlin",
		metadata: { team: "sales" },
		routing: { type: "sip_uri", uri: "sip:a@b.example.com", failover: { type: "forward", to: "+31201234567" } },
	});
	const ids = { old: trunk, berlin: number, events: hook };
	const types = { old: "SipTrunk", berlin: "Number", events: "Webhook" } as const;
	const resources = Object.entries(types).map(([name, type]) => ({
		type: `telephony:index:${type}`,
		name,
		id: ids[name as keyof typeof ids],
	}));
	return { ids, json: JSON.stringify({ resources }) };
}

/** Returns the code that Pulumi prints after an import. Older language hosts can't print it: then the fixture's code. */
function printedBy(imported: Run, printed: string, file: string, ids: Record<string, string>): string {
	if (imported.code === 0) return readFileSync(printed, "utf8");
	expect(imported.output).toContain("unknown method GenerateProgram");
	const code = read(`test/fixtures/imported/${file.replace("index.js", "index.ts")}`);
	return Object.entries(ids).reduce((text, [name, id]) => text.replaceAll(`id_of_${name}`, id), code);
}

test.for<Language>(["yaml", "javascript", "typescript", "python", "go"])(
	"runs a program in %s through its whole life, with two accounts",
	{
		// The first time, Go compiles Pulumi's SDK, which takes minutes.
		timeout: 15 * 60_000,
	},
	async (language, context) => {
		const env = await prepare(language, (why) => context.skip(why));
		const folder = copyOfExample(`plugin/${language}`);
		const [file, add] = [programFile[language], addProgram[language]];
		const project = await createProject({
			service: emulator,
			folder,
			// The engine finds the plugin beside the program.
			env: { ...env, PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined },
		});

		await succeeds(project.up());
		const { numbers, trunks, webhooks } = emulator.control.state();
		expect([numbers, trunks, webhooks].map((rows) => rows.length)).toEqual([4, 1, 1]);
		const { desk = "", office } = await project.ids();
		const row = () => emulator.control.state().numbers.find(({ id }) => id === desk);
		expect(row()).toMatchObject({ label: "Front desk", routing: { type: "trunk", trunk_id: office } });
		expect(webhooks[0]).toMatchObject({ url: "https://hooks.example.com/sms", events: ["message.received"] });
		const { secret, ...outputs } = await project.stackOutputs();
		const outputOf = ({ id, number, status }: (typeof numbers)[number]) => ({ id, phoneNumber: number, status });
		const pooled = numbers.filter(({ label }) => label?.startsWith("support-"));
		const support = pooled.map((member) => ({ ...outputOf(member), name: member.label?.replace(/-(\d)$/, "[$1]") }));
		support.sort((a, b) => String(a.name).localeCompare(String(b.name)));
		const active = numbers.filter(({ id }) => id === desk).map(outputOf);
		expect(outputs).toEqual({ number: row()?.number, active, sipDomain: trunks[0]?.sip_domain, lines: support });
		expect(secret).toHaveProperty("ciphertext");
		expect(await project.state()).not.toContain(webhooks[0]?.secret);

		const before = await objects();
		writeFileSync(join(folder, "import.json"), before.json);
		const imported = await project.pulumi(
			...["import", "--file", "import.json", "--out", "printed", "--protect=false", "--yes", "--skip-preview"],
		);
		add(folder, "imported", printedBy(imported, join(folder, "printed"), file, before.ids));
		const clean = await project.preview("--expect-no-changes", "--diff");
		await succeeds(clean);
		expect(await project.ids()).toMatchObject(before.ids);

		emulator.control.patchNumber(desk, { label: "by hand" });
		const refresh = await project.refresh("--diff");
		await succeeds(refresh);
		expect(flat(refresh)).toContain('~ label: "Front desk" => "by hand"');
		const saved = (await project.resources()).find((resource) => resource.id === desk);
		expect(saved?.outputs?.label).toBe("by hand");
		expect(row()?.label).toBe("by hand");

		add(folder, "accounts", read(`examples/accounts/${language}/${file}`));
		const settings = { euKey: eu.apiKey, euUrl: eu.url, usKey: us.apiKey, usUrl: us.url };
		const lines = Object.entries(settings).map(([key, value]) => `  telephony-${language}:${key}: ${value}\n`);
		appendFileSync(join(folder, `Pulumi.${project.env.PULUMI_STACK}.yaml`), lines.join(""));
		await succeeds(project.up());
		expect(row()?.label).toBe("Front desk");
		const countries = [eu, us].map(({ control }) => control.state().numbers.map(({ country }) => country));
		expect(countries).toEqual([["NL"], ["US"]]);
		const state = await project.state();
		for (const { apiKey } of [emulator, eu, us]) expect(state).not.toContain(apiKey);

		// The examples of docs/reference that no program above contains.
		for (const documents of ["kyc-profile/documents", "port-order/documents"])
			cpSync(join(repository, "examples", documents), join(folder, "documents"), { recursive: true });
		add(folder, "reference", read(`examples/reference/${language}/${file}`));
		const declared = await project.preview();
		await succeeds(declared);
		for (const name of ["company", "branch", "move"]) expect(declared.output).toContain(` ${name} create`);

		await succeeds(project.destroy());
		const released = ["purchase", "release"];
		const all = [...Array(5).fill("purchase"), ...Array(4).fill("release")];
		expect(kinds(eu)).toEqual(released);
		expect(kinds(us)).toEqual(released);
		expect(kinds()).toEqual(all);
		// Imported objects stay.
		const account = emulator.control.state();
		const rows = [...account.numbers.filter((row) => row.status === "active"), ...account.trunks, ...account.webhooks];
		expect(rows.map((row) => row.id).sort()).toEqual(Object.values(before.ids).sort());
	},
);
