/** The check of the plugin's archives, of which five don't run on this machine. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkArchives } from "../../scripts/release/archives.mts";
import { createFolder } from "../helpers/folders";

/** The start of a program of each system, as its format has it. */
const programs = {
	"linux-amd64": elf(0x3e),
	"linux-arm64": elf(0xb7),
	"darwin-amd64": machO(0x1000007),
	"darwin-arm64": machO(0x100000c),
	"windows-amd64": pe(0x8664),
	"windows-arm64": pe(0xaa64),
};

function elf(machine: number): Buffer {
	const program = Buffer.alloc(64);
	program.write("\x7fELF", "latin1");
	program.writeUInt16LE(machine, 18);
	return program;
}

function machO(cpu: number): Buffer {
	const program = Buffer.alloc(64);
	program.writeUInt32LE(0xfeedfacf);
	program.writeUInt32LE(cpu, 4);
	return program;
}

function pe(machine: number): Buffer {
	const program = Buffer.alloc(256);
	program.write("MZ");
	program.writeUInt32LE(128, 0x3c);
	program.write("PE", 128);
	program.writeUInt16LE(machine, 132);
	return program;
}

interface Change {
	/** Programs by the archive's system. */
	readonly programs?: Readonly<Record<string, Buffer>>;
	readonly without?: string;
}

/** Packs an archive for each system, and checks them. */
function check({ programs: changed = {}, without }: Change = {}): void {
	const target = createFolder();
	for (const [system, program] of Object.entries({ ...programs, ...changed })) {
		const folder = join(target, system);
		mkdirSync(join(folder, "sdk"), { recursive: true });
		const [node, ending] = system.startsWith("windows") ? ["node.exe", ".cmd"] : ["node", ""];
		const names = ["main.js", "sdk/schema.json", "LICENSE", "LICENSE-node", `pulumi-resource-telephony${ending}`];
		for (const name of names.filter((file) => file !== without)) writeFileSync(join(folder, name), "");
		writeFileSync(join(folder, node), program);
		const archive = join(target, `pulumi-resource-telephony-v1.0.0-${system}.tar.gz`);
		execFileSync("tar", ["-czf", archive, "-C", folder, "."]);
	}
	checkArchives({ target, version: "1.0.0" });
}

test("passes archives with the Node.js of their systems", () => {
	expect(() => check()).not.toThrow();
});

test("finds the Node.js of another system", () => {
	const wrong = { "darwin-arm64": programs["darwin-amd64"] };
	expect(() => check({ programs: wrong })).toThrow(
		"The Node.js of pulumi-resource-telephony-v1.0.0-darwin-arm64.tar.gz is for darwin-amd64.",
	);
});

test("finds a program of no system", () => {
	const wrong = { "linux-amd64": Buffer.from("#!/bin/sh\nexec node\n") };
	expect(() => check({ programs: wrong })).toThrow("linux-amd64.tar.gz is for another machine.");
});

test("finds a file that is missing", () => {
	expect(() => check({ without: "LICENSE-node" })).toThrow("linux-amd64.tar.gz lacks ./LICENSE-node.");
});
