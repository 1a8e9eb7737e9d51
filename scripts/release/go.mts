/** The Go modules of a release, which a proxy's files stand for until they are tagged. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Release, Row } from "./artifacts.mts";
import { type Environment, must, tell } from "./process.mts";

export const goModules = [
	{ folder: "sdk/go", name: "telephony", use: "NewNumber" },
	{ folder: "sdk/go-testing", name: "telephonytest", use: "NewAccount" },
] as const;

/** Writes what a Go proxy serves of the modules, as GOPROXY's protocol has it. Returns its folder. */
export function packGo({ version, stage, work, goPath }: Release): string {
	const proxy = join(work, "goproxy");
	for (const { folder } of goModules) {
		const path = `${goPath}/${basename(folder)}`;
		const versions = join(proxy, path, "@v");
		mkdirSync(versions, { recursive: true });
		const file = (ending: string) => join(versions, `v${version}.${ending}`);
		writeFileSync(join(versions, "list"), `v${version}\n`);
		writeFileSync(file("info"), JSON.stringify({ Version: `v${version}`, Time: new Date().toISOString() }));
		cpSync(join(stage, folder, "go.mod"), file("mod"));
		// Go takes the repository's license into each module.
		const prefix = [`--prefix=${path}@v${version}/`, "--add-file=LICENSE"];
		must("git", ["archive", "--format=zip", ...prefix, `--output=${file("zip")}`, `HEAD:${folder}`], stage);
	}
	return proxy;
}

/** @param proxy address of a Go proxy with the modules */
export function tryGo({ version, stage, work, goPath }: Release, proxy: string): Row[] {
	// A cache of its own, as that of this machine may have this version from an earlier try.
	const variables = { ...goVariables(goPath, proxy), GOMODCACHE: join(work, "gomod") };
	return goModules.map(({ folder, name, use }) => {
		tell(`using the Go module of ${folder}`);
		// It downloads the modules that this one needs, unless this machine has them.
		must("go", ["mod", "tidy"], join(stage, folder), { GOFLAGS: "-modcacherw", GOWORK: "off" });
		const path = `${goPath}/${basename(folder)}`;
		const consumer = mkdtempSync(join(work, "consumer-"));
		const [, go = ""] = /^go (\S+)/m.exec(readFileSync(join(stage, folder, "go.mod"), "utf8")) ?? [];
		writeFileSync(join(consumer, "go.mod"), `module consumer\n\ngo ${go}\n\nrequire ${path} v${version}\n`);
		const program = `package consumer\n\nimport "${path}/${name}"\n\nvar Use = ${name}.${use}\n`;
		writeFileSync(join(consumer, "consumer.go"), program);
		must("go", ["vet", `${path}/...`, "."], consumer, variables);
		return [`${path} v${version}`, `the tag ${folder}/v${version}`, "go vet, and built into another module"];
	});
}

/** Variables with which Go finds our modules at the address, and others in the cache of this machine. */
export function goVariables(goPath: string, proxy: string): Environment {
	const [modules = "", builds = ""] = must("go", ["env", "GOMODCACHE", "GOCACHE"], ".").trim().split("\n");
	const cached = `file://${join(modules, "cache/download")}`;
	return {
		...goEnvironment(goPath),
		GOPROXY: `${proxy},${cached}`,
		GOCACHE: builds,
		GOSUMDB: "off",
		GOTOOLCHAIN: "local",
	};
}

/** Flags with which the engine is built too, so that Go compiles each package once. */
const goFlags = "-mod=mod -modcacherw -trimpath -tags=osusergo,grpcnotrace";

/** The checksum database doesn't know the modules yet. */
const goEnvironment = (goPath: string): Environment => ({
	GOFLAGS: goFlags,
	GOWORK: "off",
	CGO_ENABLED: "0",
	GONOSUMDB: goPath,
});
