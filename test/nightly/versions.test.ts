/** A program with the oldest and the newest versions of Node.js, TypeScript and the Pulumi SDK that we support. */
import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createFolder } from "../helpers/folders";
import { install, must, pack } from "../helpers/packed";
import { read } from "../helpers/repository";
import { body, exported, imports, projectIn, tsconfig, upAndDestroy } from "../helpers/user-project";

const emulator = useEmulator({ kyc: "immediate" });
const { engines, peerDependencies } = JSON.parse(read("package.json")) as {
	readonly engines: { readonly node: string; readonly typescript: string };
	readonly peerDependencies: Readonly<Record<string, string>>;
};
const oldest = (range = ""): string => range.replace(/^[>=^~]+/, "");

test.for([
	{
		age: "oldest",
		packages: [
			`node@${oldest(engines.node)}`,
			`typescript@${oldest(engines.typescript)}`,
			`@pulumi/pulumi@${oldest(peerDependencies["@pulumi/pulumi"])}`,
		],
	},
	// The SDK's peer range ends before TypeScript 7.
	{ age: "newest", packages: ["node@latest", "typescript@<7", "@pulumi/pulumi@latest"] },
])("compiles and runs a program with the $age versions", { timeout: 10 * 60_000 }, async ({ packages }, context) => {
	const packed = await pack();
	const folder = join(createFolder(), "program");
	mkdirSync(folder);
	const files = { "index.ts": imports + body + exported, "tsconfig.json": tsconfig };
	projectIn(folder, packed, files, { allowScripts: { node: true } });
	await install(context, folder, "npm", [...packages, "--no-audit", "--no-fund"]);
	const bin = join(folder, "node_modules/.bin");
	const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
	const { stdout } = await must("node", ["--version"], folder, env);
	expect(packages[0]).toMatch(/latest/.test(packages[0] ?? "") ? /latest/ : new RegExp(stdout.slice(1, 6)));
	await must("tsc", ["-p", "."], folder, env);
	await upAndDestroy(emulator, folder, { PATH: env.PATH });
});
