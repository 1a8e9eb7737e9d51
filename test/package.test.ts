import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { resources } from "../provider/resources";
import { useEmulator } from "./helpers/emulator";
import { createProject, succeeds } from "./helpers/engine";
import { start } from "./helpers/engine-running";
import { install, must, type Packed, pack } from "./helpers/packed";
import { body, exported, imports, projectIn, required, tsconfig, upAndDestroy } from "./helpers/user-project";

const repository = resolve(__dirname, "..");
const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
	version: string;
	dependencies?: Record<string, string>;
	exports: Record<string, unknown>;
};

const workspace = mkdtempSync(join(tmpdir(), "telephony-package-"));
afterAll(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 3 }));

const tool = (name: string) => join(repository, "node_modules/.bin", name);

let packed: Packed;

beforeAll(async () => {
	packed = await pack();
});

describe("the tarball", () => {
	it("has the files that users run and read, and no others", () => {
		expect(packed.paths).toEqual(
			expect.arrayContaining([
				"LICENSE",
				"README.md",
				"CHANGELOG.md",
				"bin/telephony",
				"bin/pulumi-resource-telephony",
				"bin/pulumi-resource-telephony.cmd",
				"dist/sdk/index.d.ts",
			]),
		);
		const wanted =
			/^(bin\/[\w-]+(\.cmd)?|dist\/(bundle\b.*|sdk\b.*|provider\/node-version)\.js|dist\/zod\/.*(\.d\.cts|LICENSE)|dist\/(sdk|provider|emulator|cli)\b.*\.d\.ts)$/;
		const papers = [
			"dist/bundle/licenses.txt",
			"package.json",
			"LICENSE",
			"README.md",
			"CHANGELOG.md",
			"sdk/schema.json",
		];
		expect(packed.paths.filter((path) => !wanted.test(path) && !papers.includes(path))).toEqual([]);
		expect(packed.paths.filter((path) => /\btests?\b|\bscripts\b|tsbuildinfo|\.map$/.test(path))).toEqual([]);
	});

	it("leaves no record of a build, so the next build writes all files", () => {
		expect(packed.buildRecords).toEqual([]);
	});

	it("shows no option that passes on unredacted responses", async () => {
		const { stdout } = await must("tar", ["xzOf", packed.file, "package/dist/provider/api/transport.d.ts"], workspace);
		expect(stdout).toContain("redacted line per request");
		expect(stdout).not.toMatch(/observe/i);
	});

	it("takes less than 4.8 megabytes, with everything that it needs", () => {
		expect(packed.unpackedSize).toBeLessThan(4_800_000);
	});

	it("has a README with whole addresses, and leaves the checkout's as it is", async () => {
		const { stdout } = await must("tar", ["xzOf", packed.file, "package/README.md"], workspace);
		const links = [...stdout.matchAll(/(?:\]\(|src(?:set)?=")([^)\s"]+)/g)].map(([, link = ""]) => link);
		expect(links.length).toBeGreaterThan(10);
		expect(links.filter((link) => !/^(https:|#)/.test(link))).toEqual([]);
		const readme = readFileSync(join(dirname(packed.file), "stage/README.md"), "utf8");
		expect(readme).toBe(readFileSync(join(repository, "README.md"), "utf8"));
	});

	it("installs no packages, as its bundles contain them", () => {
		expect(manifest.dependencies).toBeUndefined();
	});

	it("satisfies publint", async () => {
		const { output } = await must(tool("publint"), [packed.file, "--strict"], workspace);
		expect(output).toContain("All good!");
	});

	it("resolves to its types in each module system, by attw", async () => {
		await must(tool("attw"), [packed.file], workspace);
	});
});

/** Returns the folder of all npm projects, with other files. */
async function npmProject(
	context: { skip(why: string): never },
	files: Record<string, string>,
	more: object,
): Promise<string> {
	const folder = projectIn(join(workspace, "npm-program"), packed, files, more);
	if (!existsSync(join(folder, "node_modules")))
		await install(context, folder, "npm", ["--no-audit", "--no-fund", "--ignore-scripts"]);
	return folder;
}

it("runs the emulator without its peer dependency, as in the container", async () => {
	const folder = join(workspace, "image");
	const modules = join(folder, "node_modules");
	mkdirSync(modules, { recursive: true });
	await must("tar", ["xzf", packed.file, "-C", modules], folder);
	renameSync(join(modules, "package"), join(modules, "pulumi-telephony"));
	const command = [join(modules, "pulumi-telephony/bin/telephony"), "emulator", "--memory", "--port", "0"];
	const { printed, end } = start([process.execPath, ...command], folder, process.env);
	onTestFinished(() => void end("SIGTERM"));
	const address = await printed(/^listening on (\S+)\/v1/m);
	expect(await (await fetch(`${address}/_console`)).text()).toContain("telephony emulator");
	expect(await (await fetch(`${address}/_console/idiomorph.js`)).text()).toContain("Idiomorph");
});

describe("installed into an empty project", () => {
	const emulator = useEmulator();

	it("serves a TypeScript program, and types each entry point", async (context) => {
		const doors = Object.keys(manifest.exports).filter((door) => door !== "./package.json");
		const uses = doors
			.map((door, index) => `import * as door${index} from "pulumi-telephony${door.slice(1)}";\n`)
			.concat(`export const doors: object[] = [${doors.map((_, index) => `door${index}`).join()}];\n`)
			.join("");
		const folder = await npmProject(
			context,
			{ "index.ts": imports + body + exported, "tsconfig.json": tsconfig, "doors.cts": uses, "doors.mts": uses },
			{ main: "index.ts" },
		);
		await must(join(folder, "node_modules/.bin/tsc"), ["-p", "."], folder);
		await upAndDestroy(emulator, folder);
	});

	it("has types for the tsconfig.json of Pulumi's template", async (context) => {
		const doors = Object.keys(manifest.exports).filter((door) => door !== "./package.json");
		const uses = (names: readonly string[]) =>
			names.map((door, index) => `export * as door${index} from "pulumi-telephony${door.slice(1)}";\n`).join("");
		const wrong = `import { mocks } from "pulumi-telephony/testing";\n// @ts-expect-error\nmocks({ kyc: 1 });\n`;
		const options = {
			...{ strict: true, outDir: "bin", target: "es2020", module: "commonjs", moduleResolution: "node" },
			...{ sourceMap: true, experimentalDecorators: true, noFallthroughCasesInSwitch: true, noImplicitReturns: true },
			...{ forceConsistentCasingInFileNames: true, ignoreDeprecations: "6.0" },
		};
		const project = (files: string[], more: object = {}) =>
			JSON.stringify({ compilerOptions: { ...options, types: ["node"], ...more }, files });
		const folder = await npmProject(
			context,
			{
				"index.ts": imports + body + exported + uses(["./plugin"]),
				"all.ts": uses(doors) + wrong,
				"tsconfig.json": project(["index.ts"]),
				// zod's declarations don't compile without esModuleInterop.
				"tsconfig.all.json": project(["all.ts"], { skipLibCheck: true }),
			},
			{ main: "index.ts" },
		);
		const tsc = join(folder, "node_modules/.bin/tsc");
		for (const file of ["tsconfig.json", "tsconfig.all.json"]) await must(tsc, ["--noEmit", "-p", file], folder);
	});

	it("serves a JavaScript program, each entry point and the command", async (context) => {
		const program = `${required}${body}exports.e164 = number.phoneNumber;\n`;
		const folder = await npmProject(context, { "index.js": program }, { main: "index.js" });
		const classes = Object.keys(resources);
		const expected: Record<string, readonly string[]> = {
			"pulumi-telephony": classes,
			"pulumi-telephony/plugin": [...classes, "Provider"],
			"pulumi-telephony/provider": ["activation", "number", "sipTrunk", "webhook"],
			"pulumi-telephony/client": ["createClient", "TelephonyError"],
			"pulumi-telephony/emulator": ["createEmulator"],
			"pulumi-telephony/testing": ["mocks", "startAccount"],
		};
		const doors = Object.keys(manifest.exports).map((door) => `pulumi-telephony${door.slice(1)}`);
		expect(Object.keys(expected).sort()).toEqual(doors.filter((door) => !door.endsWith(".json")).sort());
		for (const [door, names] of Object.entries(expected)) {
			const common = await must("node", ["-p", `Object.keys(require("${door}")).join()`], folder);
			expect(common.stdout.trim().split(",")).toEqual(expect.arrayContaining([...names]));
			const named = `import { ${names.join(", ")} } from "${door}"; console.log([${names.join()}].every(Boolean))`;
			const esm = await must("node", ["--input-type=module", "-e", named], folder);
			expect(esm.output.trim()).toBe("true");
		}
		const bin = join(folder, "node_modules/.bin/telephony");
		const help = await must(bin, ["--help"], folder, { ...process.env, NODE_COMPILE_CACHE: undefined });
		expect(help.stdout).toContain("emulator");
		expect(existsSync(join(folder, "node_modules/pulumi-telephony/dist/.cache"))).toBe(true);
		await upAndDestroy(emulator, folder);
		const version = await must(bin, ["--version"], folder);
		expect(version.stdout.trim()).toBe(manifest.version);
	});

	it("serves an ESM program", async (context) => {
		const more = { main: "index.js", type: "module" };
		const folder = await npmProject(context, { "index.js": imports + body + exported }, more);
		const { preview } = await createProject({ folder, service: emulator });
		expect((await succeeds(preview())).output).toContain("+ 4 to create");
	});
});
