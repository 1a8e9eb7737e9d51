/** examples/plugin on the real engine: the same program in every language, each with the SDK that is made from schema.json. */
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, type Run, run } from "../helpers/engine";
import { files, repository } from "../helpers/repository";

const emulator = useEmulator({ kyc: "immediate" });

type Environment = Record<string, string | undefined>;
type Skip = (why: string) => never;
const minutes = 60_000;

/** What else a program needs, as the environment of its runs. */
const prepared: Readonly<Record<string, ((skip: Skip) => Promise<Environment>) | undefined>> = {
	/** The SDK, installed from a copy of this checkout: pip leaves files where it builds. */
	python: async (skip) => {
		const folder = mkdtempSync(join(tmpdir(), "telephony-python-"));
		onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
		const bin = join(folder, "venv/bin");
		const env = { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: "1", VIRTUAL_ENV: join(folder, "venv") };
		const made = await run("python3", ["-m", "venv", join(folder, "venv")], folder, env).catch(() => undefined);
		if (made?.code !== 0) return skip("python3 with venv isn't installed");
		const pip = (...args: string[]) => run(join(bin, "python"), ["-m", "pip", "install", "-q", ...args], folder, env);
		const others = await pip("pulumi", "parver", "semver");
		if (others.code !== 0) return skip(`Python's packages can't be had: ${lastLine(others)}`);
		for (const file of files.filter((each) => each.startsWith("sdk/python/")))
			cpSync(join(repository, file), join(folder, file));
		succeeds(await pip(join(folder, "sdk/python")));
		return { PATH: [bin, process.env.PATH].join(delimiter), VIRTUAL_ENV: env.VIRTUAL_ENV };
	},
	go: async (skip) => {
		const env = { ...process.env, GOWORK: "off" };
		const modules = await run("go", ["mod", "download"], exampleIn("go"), env).catch(() => undefined);
		if (modules === undefined) return skip("Go isn't installed");
		if (modules.code !== 0) return skip(`Go's modules can't be had: ${lastLine(modules)}`);
		return { GOWORK: "off", GOFLAGS: "-mod=readonly" };
	},
};

const exampleIn = (language: string) => join(repository, "examples/plugin", language);
const lastLine = ({ output }: Run) => output.trim().split("\n").at(-1) ?? "";
const succeeds = (done: Run) => expect(done.code, done.output).toBe(0);

test.for([
	["yaml", "yaml"],
	["javascript", "nodejs"],
	["typescript", "nodejs"],
	["python", "python"],
	["go", "go"],
] as const)(
	"a program in %s is deployed, its drift is found and repaired, and it is destroyed",
	{
		// The first time, Go compiles Pulumi's SDK, which takes minutes.
		timeout: 15 * minutes,
	},
	async ([language, host], context) => {
		const hostFile = join(process.env.PULUMI_BIN ?? "", `pulumi-language-${host}`);
		if (!existsSync(hostFile)) context.skip(`the engine on this machine has no ${hostFile}`);
		const env = (await prepared[language]?.((why) => context.skip(why))) ?? {};
		const project = await createProject({
			service: emulator,
			folder: exampleIn(language),
			// The plugin is found beside the program: nothing would have to be downloaded.
			env: { ...env, PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: undefined },
		});

		succeeds(await project.up());
		const { numbers, trunks, webhooks } = emulator.control.state();
		expect([numbers, trunks, webhooks].map((rows) => rows.length)).toEqual([1, 1, 1]);
		const { desk, office } = await project.ids();
		expect(numbers[0]).toMatchObject({ id: desk, label: "Front desk", routing: { type: "trunk", trunk_id: office } });
		expect(webhooks[0]).toMatchObject({ url: "https://hooks.example.com/sms", events: ["message.received"] });
		const { secret, ...outputs } = await project.outputs();
		expect(outputs).toEqual({ number: numbers[0]?.number, sipDomain: trunks[0]?.sip_domain });
		expect(secret).toMatch(/^whsec_/);
		expect(await project.state()).not.toContain(secret);
		succeeds(await project.preview("--expect-no-changes"));

		emulator.control.patchNumber(desk ?? "", { label: "by hand" });
		const drift = await project.drift("--diff");
		expect([drift.code === 0, drift.output.replaceAll(/\s+/g, " ")]).toEqual([
			false,
			expect.stringContaining('~ label: "Front desk" => "by hand"'),
		]);
		succeeds(await project.up("--refresh"));
		expect(emulator.control.state().numbers[0]?.label).toBe("Front desk");
		succeeds(await project.destroy());
		expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase", "release"]);
	},
);
