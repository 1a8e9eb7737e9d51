/** A user's project with this checkout's package: an office in one program, brought up and destroyed. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { TestEmulator } from "./emulator";
import { createProject, succeeds } from "./engine";
import type { Packed } from "./packed";
import { repository } from "./repository";

/** Returns the version in this checkout: with a newer one the test would test another project's release. */
const installed = (name: string): string =>
	(JSON.parse(readFileSync(join(repository, "node_modules", name, "package.json"), "utf8")) as { version: string })
		.version;

/** Writes package.json, Pulumi.yaml and the files, and keeps the packages that are installed there. */
export function projectIn(folder: string, packed: Packed, files: Record<string, string>, more: object): string {
	const name = "program";
	mkdirSync(folder, { recursive: true });
	for (const old of readdirSync(folder)) if (old !== "node_modules") rmSync(join(folder, old), { recursive: true });
	const dependencies = { "@pulumi/pulumi": installed("@pulumi/pulumi"), "pulumi-telephony": `file:${packed.file}` };
	const devDependencies = { typescript: installed("typescript"), "@types/node": installed("@types/node") };
	const all: Record<string, string> = {
		"package.json": JSON.stringify({ name, version: "1.0.0", private: true, ...more, dependencies, devDependencies }),
		"Pulumi.yaml": `name: ${name}\nruntime: nodejs\n`,
		...files,
	};
	for (const [file, text] of Object.entries(all)) writeFileSync(join(folder, file), text);
	return folder;
}

export const tsconfig = JSON.stringify({
	compilerOptions: { module: "nodenext", target: "es2022", strict: true, noEmit: true, types: ["node"] },
});

/** The parts of a program, as a module and for `require`. */
export const body = `
const trunk = new telephony.SipTrunk("office", {
	auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] },
	capacity: 30,
});
const number = new telephony.Number("desk", {
	country: "NL",
	type: "geographic",
	area: "20",
	routing: { type: "trunk", trunkId: trunk.id },
});
const webhook = new telephony.Webhook("sms", { url: "https://hooks.example.com/sms", events: ["message.received"] });
`;
export const imports = `import * as telephony from "pulumi-telephony";\n`;
export const required = `const telephony = require("pulumi-telephony");\n`;
export const exported = `export const e164 = number.phoneNumber;\nexport const secret = webhook.secret;\n`;

/** Runs `up` and `destroy` of the program in the folder. */
export async function upAndDestroy(
	emulator: TestEmulator,
	folder: string,
	env: Record<string, string | undefined> = {},
): Promise<void> {
	const project = await createProject({ program: "", folder, service: emulator, env });
	expect((await succeeds(project.up())).output).toContain("+ 4 created");
	const { numbers, trunks, webhooks } = emulator.control.state();
	expect({ numbers, trunks, webhooks }).toMatchObject({ numbers: [{}], trunks: [{}], webhooks: [{}] });
	expect((await project.stackOutputs()).e164).toBe(numbers[0]?.number);
	await succeeds(project.destroy());
	expect([emulator.live(), emulator.rows("sipTrunk"), emulator.rows("webhook")]).toEqual([[], [], []]);
}
