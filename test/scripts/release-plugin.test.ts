/** The plugin that `npm run release:plugin` packs, installed by `pulumi` on a machine without the package. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, run, succeeds } from "../helpers/engine";
import { read, repository } from "../helpers/repository";
import { listen } from "../helpers/servers";

const emulator = useEmulator({ kyc: "immediate" });
const { version } = JSON.parse(read("package.json")) as { version: string };
const folder = mkdtempSync(join(tmpdir(), "telephony-release-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
const archives = join(folder, "release");
const system = `${process.platform}-${process.arch}`.replace("win32", "windows").replace("x64", "amd64");

beforeAll(async () => {
	const script = join(repository, "scripts/release-plugin.mts");
	await succeeds(run("node", [script, `--to=${archives}`, `--only=${system}`], repository, process.env));
});

test("packs an archive with the name that Pulumi downloads, and its checksum", () => {
	const name = `pulumi-resource-telephony-v${version}-${system}.tar.gz`;
	const sums = `pulumi-telephony_${version}_checksums.txt`;
	expect(readdirSync(archives).sort()).toEqual([name, sums]);
	const hash = createHash("sha256")
		.update(readFileSync(join(archives, name)))
		.digest("hex");
	expect(readFileSync(join(archives, sums), "utf8")).toBe(`${hash}  ${name}\n`);
});

test("installs from any server, and runs a program without Node.js", async () => {
	const requested: string[] = [];
	const server = createServer((request, response) => {
		const name = basename(request.url ?? "");
		requested.push(name);
		response.end(readFileSync(join(archives, name)));
	});
	const from = await listen(server);
	onTestFinished(() => void server.close());

	const program = join(folder, "program");
	mkdirSync(program);
	writeFileSync(
		join(program, "Pulumi.yaml"),
		`name: released
runtime: yaml
resources:
  main:
    type: telephony:Number
    properties: { country: NL, type: mobile }
`,
	);
	const home = join(folder, "home");
	const shell = join(folder, "shell");
	mkdirSync(shell);
	symlinkSync("/bin/sh", join(shell, "sh"));
	const stack = await createProject({
		service: emulator,
		folder: program,
		// The launcher is a shell script, and needs nothing else.
		env: { PULUMI_HOME: home, PULUMI_IGNORE_AMBIENT_PLUGINS: "true", PATH: `${process.env.PULUMI_BIN}:${shell}` },
	});
	await succeeds(stack.pulumi("plugin", "install", "resource", "telephony", `v${version}`, "--server", from));
	expect(requested).toEqual([expect.stringMatching(/^pulumi-resource-telephony-v.*\.tar\.gz$/)]);
	expect(readdirSync(join(home, "plugins"))).toContain(`resource-telephony-v${version}`);

	await succeeds(stack.up());
	expect(emulator.control.state().numbers).toEqual([expect.objectContaining({ country: "NL", status: "active" })]);
	await succeeds(stack.destroy());
	expect(emulator.control.ledger().map(({ kind }) => kind)).toEqual(["purchase", "release"]);
});
