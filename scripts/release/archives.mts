/** Checks the plugin's archives, of which only one runs on this machine. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Release } from "./artifacts.mts";

/** The machine of a program, in the three formats of programs. */
const machines: Readonly<Record<string, string>> = {
	"ELF 3e": "linux-amd64",
	"ELF b7": "linux-arm64",
	"Mach-O 1000007": "darwin-amd64",
	"Mach-O 100000c": "darwin-arm64",
	"PE 8664": "windows-amd64",
	"PE aa64": "windows-arm64",
};

/** @throws if an archive lacks a file, or has the Node.js of another system */
export function checkArchives({ target, version }: Pick<Release, "target" | "version">): void {
	for (const system of Object.values(machines)) {
		const name = `pulumi-resource-telephony-v${version}-${system}.tar.gz`;
		const archive = join(target, name);
		const isWindows = system.startsWith("windows");
		const node = isWindows ? "./node.exe" : "./node";
		const launcher = `./pulumi-resource-telephony${isWindows ? ".cmd" : ""}`;
		const listed = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" }).split("\n");
		const needed = [node, launcher, "./main.js", "./sdk/schema.json", "./LICENSE", "./LICENSE-node"];
		const missing = needed.filter((file) => !listed.includes(file));
		if (missing.length > 0) throw new Error(`${name} lacks ${missing.join(", ")}.`);
		const program = execFileSync("tar", ["-xOzf", archive, node], { maxBuffer: 1 << 28 });
		const found = machines[machineOf(program)];
		if (found !== system) throw new Error(`The Node.js of ${name} is for ${found ?? "another machine"}.`);
	}
}

function machineOf(program: Buffer): string {
	const start = program.readUInt32LE(0);
	if (start === 0x464c457f) return `ELF ${program.readUInt16LE(18).toString(16)}`;
	if (start === 0xfeedfacf) return `Mach-O ${program.readUInt32LE(4).toString(16)}`;
	if (program.readUInt16LE(0) !== 0x5a4d) return "unknown";
	return `PE ${program.readUInt16LE(program.readUInt32LE(0x3c) + 4).toString(16)}`;
}
