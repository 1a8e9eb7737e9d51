/**
 * `npm run release -- [--repository URL] [--dry-run | --rehearse] [VERSION]`: packs all that a release publishes and tries it
 * as a user would; then, after a question, tags the commit, from which .github/workflows/release.yml publishes. `--dry-run`
 * ends with what it would do. `--rehearse` serves the release from this machine, and installs and runs it in every language.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { type Addresses, addressesOf, isExample } from "./generate/addresses.mts";
import {
	listBoms,
	npmFolders,
	packNpm,
	packPlugins,
	packWheels,
	pythons,
	type Release,
	type Row,
	writeSums,
} from "./release/artifacts.mts";
import { goModules, packGo, tryGo } from "./release/go.mts";
import { must } from "./release/process.mts";
import { cachePython, rehearse } from "./release/rehearsal.mts";
import { startSite } from "./release/server.mts";
import { makeStage, setRepository } from "./release/stage.mts";

const { tableText } = createRequire(import.meta.url)(
	"../dist/cli/report/terminal.js",
) as typeof import("../cli/report/terminal.ts");

const root = resolve(import.meta.dirname, "..");
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
const manifestOf = (folder: string) =>
	JSON.parse(textOf(join(folder, "package.json"))) as { version: string; repository: { url: string } };

const { values: options, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		"dry-run": { type: "boolean", default: false },
		rehearse: { type: "boolean", default: false },
		repository: { type: "string", default: manifestOf(".").repository.url },
		to: { type: "string", default: join(root, "release") },
	},
});
const target = resolve(options.to);
const work = mkdtempSync(join(tmpdir(), "telephony-release-"));
try {
	if (options.rehearse) await rehearseRelease();
	else await release();
} catch (error) {
	console.error((error as Error).message);
	process.exitCode = 1;
} finally {
	rmSync(work, { recursive: true, force: true, maxRetries: 3 });
}

async function release(): Promise<void> {
	const version = agreedVersion(positionals[0]);
	const addresses = addressesOf(options.repository);
	const doubts = [...doubtsOfPlace(addresses), ...(options["dry-run"] ? [] : doubtsOf(version))];
	if (doubts.length > 0) throw new Error(refusal(version, doubts));
	// Another address becomes a commit of its own, which the tags then name.
	if (!options["dry-run"] && setRepository(root, addresses.repository))
		must("git", ["commit", "--all", "--message", "Set the address of the repository"], root);
	const made = packAll(version, addresses);
	show(["What", "Where it goes", "Tried here"], made.rows);
	if (!options["dry-run"]) return await tag(version);
	for (const doubt of doubtsOf(version)) console.log(`A release would be refused now: ${doubt}`);
	console.log(`Dry run of ${version}: nothing was tagged, pushed or published.`);
}

/** Releases to a site of this machine, whose address is the repository's. */
async function rehearseRelease(): Promise<void> {
	const started = Date.now();
	const version = agreedVersion(positionals[0]);
	const site = await startSite();
	try {
		const path = new URL(addressesOf(options.repository).repository).pathname;
		const addresses = addressesOf(`${site.url}${path}`);
		const made = packAll(version, addresses);
		show(["What", "Where it goes", "Tried here"], made.rows);
		const [goProxy, pythonFolders] = [made.goProxy, [target, cachePython().folder]];
		site.publish({ page: target, repository: path, version, goProxy, pythonFolders, root });
		const users = await rehearse(root, made.release, addresses, site);
		show(["User", "Plugin that the engine fetched", "Install", "Run"], users);
		console.log(`Rehearsal of ${version}: all of it works, in ${Math.round((Date.now() - started) / 1000)} s.`);
	} finally {
		site.close();
	}
}

function packAll(version: string, { repository, goPath }: Addresses) {
	rmSync(target, { recursive: true, force: true });
	mkdirSync(target, { recursive: true });
	const release: Release = { version, target, work, goPath, stage: makeStage(root, work, repository) };
	const goProxy = packGo(release);
	const rows: Row[] = [
		...packNpm(release),
		...packWheels(release, cachePython().pip),
		...tryGo(release, `file://${goProxy}`),
		...packPlugins(release),
		...listBoms(release),
	];
	writeSums(release);
	return { release, goProxy, rows };
}

function show(titles: readonly string[], rows: readonly (readonly string[])[]): void {
	const columns = titles.map((title) => ({ title }));
	console.log(`\n${tableText({ columns, rows })}\n`);
}

// ---- What must hold -----------------------------------------------------------------------------------------------------

/** @throws if files disagree about the version, or if another one was asked for */
function agreedVersion(asked: string | undefined): string {
	const found: Readonly<Record<string, string | undefined>> = {
		...Object.fromEntries(npmFolders.map((folder) => [join(folder, "package.json"), manifestOf(folder).version])),
		"package-lock.json": JSON.parse(textOf("package-lock.json")).version,
		"sdk/schema.json": JSON.parse(textOf("sdk/schema.json")).version,
		...Object.fromEntries(
			pythons
				.map(({ folder }) => `${folder}/pyproject.toml`)
				.map((file) => [file, /^ *version = "(.*)"$/m.exec(textOf(file))?.[1]]),
		),
		"sdk/go/telephony/pulumi-plugin.json": JSON.parse(textOf("sdk/go/telephony/pulumi-plugin.json")).version,
		"CHANGELOG.md": /^## (\d\S*)/m.exec(textOf("CHANGELOG.md"))?.[1],
	};
	const wanted = asked ?? manifestOf(".").version;
	const others = Object.entries(found).filter(([, version]) => version !== wanted);
	if (others.length === 0) return wanted;
	throw new Error(
		`${wanted} can't be released: ${others.map(([file, version]) => `${file} says ${version}`).join(", ")}. Set the version in each package.json and at the top of CHANGELOG.md, run \`npm install\` and \`npm run generate\`, and commit.`,
	);
}

/** Returns why nobody could publish from or install from the address. */
function doubtsOfPlace(addresses: Addresses): string[] {
	const { repository } = addresses;
	if (isExample(addresses))
		return [`${repository} is an example: set the real address with \`--repository https://github.com/OWNER/NAME\`.`];
	if (!repository.startsWith("https:")) return [`${repository} isn't https.`];
	const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
	if (name === undefined || repository === `${server}/${name}`) return [];
	return [`npm would refuse the provenance, as this workflow runs in ${server}/${name}, not in ${repository}.`];
}

/** Returns the problems that stop a release. A dry run only prints them. */
function doubtsOf(version: string): string[] {
	const git = (...args: string[]) => must("git", args, root).trim();
	return [
		...(git("status", "--porcelain") === "" ? [] : ["the tree has changes that aren't committed."]),
		...(git("branch", "--show-current") === "main" ? [] : ["the branch isn't main."]),
		...(git("tag", "--list", `v${version}`) === "" ? [] : [`the tag v${version} is there already.`]),
		...(textOf("CHANGELOG.md").includes(`## ${version} (unreleased)`)
			? [`CHANGELOG.md calls ${version} unreleased: write the date.`]
			: []),
		...(process.stdin.isTTY ? [] : ["there is no terminal on which to confirm it."]),
	];
}

function refusal(version: string, doubts: readonly string[]): string {
	return [
		`${version} can't be released:`,
		...doubts,
		"`--dry-run` tries the rest, and `--rehearse` tries all of it on this machine.",
	].join("\n  ");
}

// ---- The release itself ------------------------------------------------------------------------------------------------

async function tag(version: string): Promise<void> {
	const tags = [`v${version}`, ...goModules.map(({ folder }) => `${folder}/v${version}`)];
	const terminal = createInterface({ input: process.stdin, output: process.stdout });
	const answer = await terminal.question(`Tag this commit ${tags.join(" and ")}, and push? Type ${version}: `);
	terminal.close();
	if (answer.trim() !== version) return console.log("Nothing was tagged or pushed.");
	for (const name of tags) must("git", ["tag", "--annotate", "--message", `pulumi-telephony ${version}`, name], root);
	must("git", ["push", "--atomic", "origin", ...tags], root);
	console.log(`Pushed ${tags.join(" and ")}: the workflow "release" publishes.`);
}
