/**
 * The committed output of Pulumi's own generators for schema.json: the SDKs in sdk/nodejs, sdk/python and sdk/go, and the code
 * that an import prints. Generating takes Go. Checking that they are up to date doesn't: sdk/generated.sha256 has
 * the hash of all inputs and outputs.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const sums = "sdk/generated.sha256";
const objects = "test/fixtures/imported/objects.json";
/** The input of the generators. */
const sources = [
	"sdk/schema.json",
	objects,
	"scripts/generate/sdks.mts",
	"tools/engine/codegen/main.go",
	"tools/engine/codegen/imported.go",
	"tools/engine/go.mod",
];
const folders = ["sdk/nodejs", "sdk/python", "sdk/go", "test/fixtures/imported"];
/** Left out: files of a separate package, as the Node.js SDK is part of ours. */
const dropped = /^nodejs\/(package\.json|tsconfig\.json|README\.md|\.gitignore)$/;
/** Hand-written files among the generated ones. */
const byHand = /^sdk\/go\/go\.(mod|sum)$|^test\/fixtures\/imported\/objects\.json$/;

/** Files that a Python installation leaves in its source folder. */
const leftOver = /__pycache__|\.egg-info\/|^sdk\/python\/(build|dist)\//;

/** The stale files in a line; undefined if there are none. */
export function staleSdks(root: string): string | undefined {
	const lines = existsSync(join(root, sums))
		? readFileSync(join(root, sums), "utf8").matchAll(/^(\w+) {2}(.+)$/gm)
		: [];
	const recorded = new Map([...lines].map(([, hash = "", file = ""]) => [file, hash]));
	const present = [...sources, ...generatedIn(root)];
	const stale = [...new Set([...recorded.keys(), ...present])].filter(
		(file) => !existsSync(join(root, file)) || recorded.get(file) !== hashOf(readFileSync(join(root, file))),
	);
	return stale.length === 0 ? undefined : `the SDKs in sdk/ (${stale.slice(0, 3).join(", ")}${stale[3] ? " …" : ""})`;
}

/** @throws if Go is missing, or refuses */
export function writeSdks(root: string): void {
	const made = sdksOf(root);
	for (const file of generatedIn(root)) if (!made.has(file)) rmSync(join(root, file));
	for (const [file, text] of made) {
		mkdirSync(dirname(join(root, file)), { recursive: true });
		writeFileSync(join(root, file), text);
	}
	const all = [...sources.map((file) => [file, readFileSync(join(root, file))] as const), ...made];
	writeFileSync(join(root, sums), all.map(([file, text]) => `${hashOf(text)}  ${file}\n`).join(""));
}

/** Every file of the SDKs, by its path in the repository. */
export function sdksOf(root: string): Map<string, string> {
	const folder = mkdtempSync(join(tmpdir(), "telephony-sdks-"));
	try {
		// As the engine is built, so that Go compiles each package once.
		const flags = ["-mod=readonly", "-trimpath", "-tags=osusergo,grpcnotrace"];
		const { status, stderr, error } = spawnSync(
			"go",
			["run", ...flags, "./codegen", join(root, "sdk/schema.json"), join(root, objects), folder],
			{ cwd: join(root, "tools/engine"), env: { ...process.env, GOWORK: "off", CGO_ENABLED: "0" }, encoding: "utf8" },
		);
		if (status !== 0) throw new Error(`The SDKs are made with Go >= 1.25.11: ${error?.message ?? stderr}`);
		const files = filesIn(folder).filter((file) => !dropped.test(file));
		const made = new Map(
			files.map((file) => [placeOf(file), textOf(file, readFileSync(join(folder, file), "utf8"))] as const),
		);
		// The engine's host looks for the plugin's address at the root of a Go module.
		return made.set("sdk/go/pulumi-plugin.json", made.get("sdk/go/telephony/pulumi-plugin.json") ?? "");
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** pyproject.toml expects its README in the same folder. */
const placeOf = (file: string): string =>
	file.startsWith("imported/")
		? `test/fixtures/${file}`
		: `sdk/${file.replace("python/pulumi_telephony/README.md", "python/README.md")}`;

/** The Node.js SDK is part of our package: package.json is three folders above dist/sdk/nodejs, its base class one. */
function textOf(file: string, text: string): string {
	if (file === "nodejs/utilities.ts") return text.replace("'./package.json'", "'../../../package.json'");
	if (!file.startsWith("nodejs/") || !text.includes(" extends pulumi.CustomResource ")) return text;
	return text
		.replace(" extends pulumi.CustomResource ", " extends UntracedResource ")
		.replace('import * as utilities from "./utilities";\n', '$&import { UntracedResource } from "../resource";\n');
}

const generatedIn = (root: string): string[] =>
	folders
		.flatMap((folder) => filesIn(join(root, folder)).map((file) => `${folder}/${file}`))
		.filter((file) => !byHand.test(file) && !leftOver.test(file));

const filesIn = (folder: string): string[] =>
	existsSync(folder)
		? readdirSync(folder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
				.sort()
		: [];

const hashOf = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
