/** Brings each template up against an emulator, runs its tests, and destroys it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, succeeds } from "../helpers/engine";
import { type Language, prepare } from "../helpers/languages";
import { install, must, pack } from "../helpers/packed";
import { files, read, repository } from "../helpers/repository";

const languages = ["typescript", "javascript", "yaml", "python", "go"] as const satisfies Language[];
const workspace = mkdtempSync(join(tmpdir(), "telephony-templates-"));
afterAll(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 3 }));

const manifest = (language: Language) =>
	JSON.parse(read(`templates/${language}/package.json`)) as {
		scripts: { test: string };
		dependencies?: object;
		devDependencies: object;
	};

/** Makes a project by `pulumi new`, with its state in the workspace. */
async function newProject(language: Language, env: Record<string, string | undefined>, ...args: string[]) {
	const folder = join(workspace, language);
	mkdirSync(join(workspace, "state"), { recursive: true });
	const template = join(repository, "templates", language);
	await must("pulumi", ["new", template, "--dir", folder, "--name", "office", "--yes", ...args], workspace, {
		...process.env,
		...env,
		PULUMI_BACKEND_URL: `file://${join(workspace, "state")}`,
		PULUMI_CONFIG_PASSPHRASE: "test",
		PULUMI_SKIP_UPDATE_CHECK: "true",
	});
	return folder;
}

const shared: { modules?: string } = {};

/** Makes a project. The first one installs its packages, which the others share. */
async function created(language: Language, env: Record<string, string | undefined>, context: Skipper): Promise<string> {
	const args = ["--no-audit", "--no-fund", "--ignore-scripts"];
	if (language !== "typescript") {
		const folder = await newProject(language, env, "--generate-only");
		if (shared.modules === undefined) context.skip("the packages could not be installed");
		symlinkSync(shared.modules as string, join(folder, "node_modules"));
		return folder;
	}
	const { file } = await pack();
	const folder = await newProject(language, env, "--stack", "dev");
	expect(readFileSync(join(folder, "Pulumi.dev.yaml"), "utf8")).toContain(
		"telephony:baseUrl: http://127.0.0.1:4010/v1",
	);
	await install(context, folder, "npm", [...args, file]);
	shared.modules = join(folder, "node_modules");
	return folder;
}

interface Skipper {
	skip(why: string): never;
}

const ofGo = "pulumi-telephony.example/pulumi-telephony/sdk";
const prepareGo = async (folder: string, env: Record<string, string | undefined>) => {
	const replaced = ["go", "go-testing"].map((name) => `-replace=${ofGo}/${name}=${join(repository, "sdk", name)}`);
	await must("go", ["mod", "edit", ...replaced], folder, env);
	await must("go", ["mod", "tidy"], folder, env);
};

const python = join(repository, "test/testing/python");
const emulator = useEmulator();

test.for(languages)(
	"brings the template for %s up, tests it, and destroys it",
	{
		// Go compiles Pulumi's SDK the first time.
		timeout: 15 * 60_000,
	},
	async (language, context) => {
		const given = await prepare(language, (why) => context.skip(why));
		const env = { ...process.env, ...given, PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined };
		const folder = await created(language, env, context);
		if (language === "go") await prepareGo(folder, env);
		// npm's scripts find the plugin in this folder.
		const PATH = [join(folder, "node_modules/.bin"), given.PATH ?? process.env.PATH].join(delimiter);
		const project = await createProject({ service: emulator, folder, env: { ...env, PATH } });
		await succeeds(project.up());
		const { numbers, trunks, webhooks } = emulator.control.state();
		expect({ numbers, trunks, webhooks }).toMatchObject({
			numbers: [{ label: "Front desk", routing: { type: "trunk", trunk_id: trunks[0]?.id } }],
			trunks: [{ capacity: 30 }],
			webhooks: [{ url: "https://hooks.example.com/telephony" }],
		});
		const outputs = await project.stackOutputs();
		expect(outputs).toMatchObject({ phoneNumber: numbers[0]?.number, sipDomain: trunks[0]?.sip_domain });
		expect(outputs.webhookSecret).toHaveProperty("ciphertext");
		await must("npm", ["test"], folder, project.env);
		// The template's own tests use only a part of the package for pytest.
		if (language === "python") await must("python", ["-m", "pytest", "-q", python], folder, project.env);
		await succeeds(project.destroy());
		expect(emulator.kinds()).toEqual(["purchase", "release"]);
	},
);

describe("every template", () => {
	it("asks for the address and for the key, a secret", () => {
		const asks = languages.map((language) => read(`templates/${language}/Pulumi.yaml`).split("\n  config:\n")[1]);
		expect(new Set(asks).size).toBe(1);
		expect(asks[0]).toMatch(/telephony:apiKey:\n.*emulator-key\n {6}secret: true/);
	});

	it("needs only packages of the first one", () => {
		const { dependencies, devDependencies } = manifest("typescript");
		const all = { ...dependencies, ...devDependencies };
		for (const language of languages)
			expect(all).toMatchObject({ ...manifest(language).dependencies, ...manifest(language).devDependencies });
	});

	it.each(languages)("%s has a README of one screen", (language) => {
		expect(files).toContain(`templates/${language}/README.md`);
		expect(read(`templates/${language}/README.md`).trim().split("\n").length).toBeLessThanOrEqual(40);
	});
});
