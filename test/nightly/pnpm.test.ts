/** The package as pnpm installs it: each package finds only its declared dependencies. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails } from "../helpers/engine";
import { install, must, type Packed, pack } from "../helpers/packed";
import { repository } from "../helpers/repository";
import { body, exported, imports, projectIn, required, tsconfig, upAndDestroy } from "../helpers/user-project";

const workspace = mkdtempSync(join(tmpdir(), "telephony-pnpm-"));
afterAll(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 3 }));
const emulator = useEmulator();
let packed: Packed;
beforeAll(async () => {
	packed = await pack();
});

const pnpm = join(repository, "node_modules/.bin/pnpm");
/** protobufjs is a dependency of @pulumi/pulumi that needs no build script. pnpm wants a decision. */
const allowBuilds = "allowBuilds:\n  protobufjs: false\n";
const pnpmOptions = ["--reporter=append-only", "--config.fetch-retries=1", "--config.fetch-retry-mintimeout=1000"];

test("serves a TypeScript program without undeclared packages", async (context) => {
	const folder = projectIn(
		join(workspace, "program"),
		packed,
		{ "index.ts": imports + body + exported, "tsconfig.json": tsconfig, "pnpm-workspace.yaml": allowBuilds },
		{ main: "index.ts" },
	);
	await install(context, folder, pnpm, pnpmOptions);
	expect(existsSync(join(folder, "node_modules/undici"))).toBe(false);
	await upAndDestroy(emulator, folder);
});

test("serves a component, or names the missing package", async (context) => {
	const root = projectIn(
		join(workspace, "workspace"),
		packed,
		{ "pnpm-workspace.yaml": `packages: [component]\n${allowBuilds}` },
		{},
	);
	const component = projectIn(
		join(workspace, "workspace/component"),
		packed,
		{ "index.js": `${required}exports.office = () => {${body}return number.phoneNumber;\n};\n` },
		{ name: "office" },
	);
	const write = (dependencies: object) =>
		writeFileSync(
			join(root, "package.json"),
			JSON.stringify({ name: "workspace", private: true, main: "index.js", dependencies }),
		);
	const { dependencies } = JSON.parse(readFileSync(join(component, "package.json"), "utf8"));
	const { "pulumi-telephony": ours, ...others } = dependencies;
	const needed = { ...others, office: "workspace:*" };
	writeFileSync(join(root, "index.js"), `exports.e164 = require("office").office();\n`);
	write(needed);
	await install(context, root, pnpm, pnpmOptions);
	const project = await createProject({ program: "", folder: root, service: emulator });
	await fails(project.up(), "provider-missing");
	expect(emulator.control.state().trunks).toEqual([]);
	write({ ...needed, "pulumi-telephony": ours });
	await install(context, root, pnpm, [...pnpmOptions, "--no-frozen-lockfile"]);
	await upAndDestroy(emulator, root);
});

const jestTest = `
const pulumi = require("@pulumi/pulumi");
const { mocks, startAccount } = require("pulumi-telephony/testing");
let telephony;
beforeEach(async () => {
	telephony = await mocks();
	await pulumi.runtime.setMocks(telephony);
});
afterEach(() => telephony.close());
for (const front of ["pulumi-telephony", "pulumi-telephony/plugin"])
	test(front, async () => {
		const desk = new (require(front).Number)("desk", { country: "NL", type: "mobile" });
		expect(await new Promise((resolve) => desk.phoneNumber.apply(resolve))).toMatch(/^\\+31/);
	});
test("a mistake", async () => {
	new (require("pulumi-telephony").Number)("desk", { country: "UK", type: "mobile" });
	await expect(telephony.failure).rejects.toThrow("Did you mean GB?");
});
test("an account", async () => {
	const account = await startAccount();
	expect(account.ledger()).toEqual([]);
	await account.close();
});
`;

test("runs the testing kit in jest without flags", async (context) => {
	const folder = projectIn(join(workspace, "jest"), packed, { "desk.test.js": jestTest }, {});
	await install(context, folder, pnpm, [...pnpmOptions, "--ignore-scripts", "jest@30"]);
	expect((await must(join(folder, "node_modules/.bin/jest"), [], folder)).output).toContain("4 passed");
});
