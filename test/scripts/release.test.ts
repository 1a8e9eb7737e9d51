/** `npm run release`: the dry run goes to its end, and a release is refused where something is not as it must be. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../helpers/engine";
import { read, repository } from "../helpers/repository";

const { version } = JSON.parse(read("package.json")) as { version: string };
const release = (...args: string[]) =>
	run("node", [join(repository, "scripts/release.mts"), ...args], repository, process.env);

test("the dry run packs and tries everything, and tags nothing", { timeout: 15 * 60_000 }, async (context) => {
	for (const tool of [
		["python3", "--version"],
		["go", "version"],
		["npm", "ping", "--fetch-retries=0"],
	]) {
		const [command = "", ...args] = tool;
		const there = await run(command, args, repository, process.env).catch(() => undefined);
		if (there?.code !== 0) context.skip(`\`${tool.join(" ")}\` fails here`);
	}
	const folder = mkdtempSync(join(tmpdir(), "telephony-dry-run-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
	const tags = async () => (await run("git", ["tag"], repository, process.env)).stdout;
	const before = await tags();
	const { code, output } = await release("--dry-run", `--to=${folder}`, version);
	expect(code, output).toBe(0);
	expect(await tags()).toBe(before);

	const files = readdirSync(folder);
	const named = [...readFileSync(join(folder, "SHA256SUMS"), "utf8").matchAll(/^[0-9a-f]{64} {2}(.+)$/gm)];
	expect(named.map(([, file]) => file).sort()).toEqual(files.filter((file) => file !== "SHA256SUMS").sort());
	expect(files).toEqual(
		expect.arrayContaining([
			`pulumi-telephony-${version}.tgz`,
			`pulumi-telephony-policy-${version}.tgz`,
			`pulumi_telephony-${version}-py3-none-any.whl`,
			`pulumi_telephony_testing-${version}-py3-none-any.whl`,
			`pulumi-resource-telephony-v${version}-linux-amd64.tar.gz`,
		]),
	);
	const bom = JSON.parse(readFileSync(join(folder, `pulumi-telephony-${version}.cdx.json`), "utf8"));
	const components = (bom.components as { name: string }[]).map(({ name }) => name);
	expect(components).toEqual(expect.arrayContaining(["undici", "zod", "@pulumi/pulumi"]));
	expect(components).not.toContain("vitest");
});

test("a version that the files don't have is refused, with the files that say another", async () => {
	const { code, output } = await release("--dry-run", "99.0.0");
	expect(code).toBe(1);
	for (const file of ["policy/package.json", "schema.json", "sdk/python/pyproject.toml", "CHANGELOG.md"])
		expect(output).toContain(file);
});

test("without a terminal, nothing is released", async () => {
	const { code, output } = await release();
	expect(code).toBe(1);
	expect(output).toContain("no terminal");
});
