/** Where the project lives. `repository` in package.json decides it, and every other address follows from it. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Addresses {
	/** The repository's page, without a slash at the end. */
	readonly repository: string;
	/** The site, with a slash at the end. */
	readonly homepage: string;
	/** Path of the Go modules' folder. A path has no port. */
	readonly goPath: string;
}

/** Hosts of repositories that serve sites from another host. */
const siteHosts: Readonly<Record<string, string>> = { "github.com": "github.io", "gitlab.com": "gitlab.io" };

/** @param repository as package.json has it, or the address of its page */
export function addressesOf(repository: string): Addresses {
	const url = new URL(repository.replace(/^git\+/, "").replace(/(\.git)?\/?$/, ""));
	const siteHost = siteHosts[url.hostname];
	const [owner, ...names] = url.pathname.slice(1).split("/");
	const isPage = /^https?:$/.test(url.protocol) && !!owner && !names.includes("") && url.search === "";
	if (!isPage || (siteHost !== undefined && names.length === 0))
		throw new Error(`The repository must be like https://github.com/OWNER/NAME, not ${repository}.`);
	return {
		repository: url.href,
		homepage: siteHost === undefined ? `${url.origin}/` : `https://${owner}.${siteHost}/${names.join("/")}/`,
		goPath: `${url.hostname}${url.pathname}/sdk`,
	};
}

/**
 * Returns the address from which the engine downloads a version of the plugin: the files of a release on GitHub, Gitea and
 * Forgejo. Without `${VERSION}`, because `pulumi import` reads that as an expression of the code that it writes, and fails.
 */
export const pluginDownloadUrl = ({ repository }: Addresses, version: string): string =>
	`${repository}/releases/download/v${version}`;

/** True if nobody can publish there (RFC 2606). */
export const isExample = ({ repository }: Addresses): boolean =>
	/(^|\.)(example|invalid|test|localhost|example\.(com|net|org))$/.test(new URL(repository).hostname);

const manifests = ["package.json", "policy/package.json"];

interface Manifest {
	homepage: string;
	readonly repository: { url: string };
	readonly bugs: { url: string };
}

/** Makes all tracked files name the repository of package.json. */
export function moveRepository(root: string): void {
	const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
	const to = addressesOf(repository.url);
	const from = addressesOf((JSON.parse(readFileSync(join(root, "sdk/schema.json"), "utf8")) as typeof to).repository);
	if (to.repository !== from.repository) rewrite(root, from, to);
	for (const file of manifests) {
		const text = readFileSync(join(root, file), "utf8");
		const made = manifestFor(text, to);
		if (made !== text) writeFileSync(join(root, file), made);
	}
}

/** The files whose addresses don't follow from the repository. */
export function strayAddresses(root: string): string[] {
	const textOf = (file: string) => readFileSync(join(root, file), "utf8");
	const addresses = addressesOf((JSON.parse(textOf("package.json")) as Manifest).repository.url);
	const modules = ["go", "go-testing"].map((name) => [`sdk/${name}/go.mod`, `module ${addresses.goPath}/${name}\n`]);
	return [
		...manifests.filter((file) => manifestFor(textOf(file), addresses) !== textOf(file)),
		...modules.flatMap(([file = "", line = ""]) => (textOf(file).startsWith(line) ? [] : [file])),
	];
}

function manifestFor(text: string, { repository, homepage }: Addresses): string {
	const manifest = JSON.parse(text) as Manifest;
	manifest.homepage = homepage;
	manifest.repository.url = `git+${repository}.git`;
	manifest.bugs.url = `${repository}/issues`;
	return `${JSON.stringify(manifest, undefined, "\t")}\n`;
}

function rewrite(root: string, from: Addresses, to: Addresses): void {
	const pairs = [
		[from.repository, to.repository],
		[from.homepage, to.homepage],
		[from.goPath, to.goPath],
	] as const;
	const pattern = new RegExp(pairs.map(([old]) => old.replaceAll(/[.?+]/g, "\\$&")).join("|"), "g");
	const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
	for (const file of tracked) {
		const path = join(root, file);
		const text = readFileSync(path, "utf8");
		// In one pass, so that no new address is replaced again.
		const made = text.replaceAll(pattern, (found) => pairs.find(([old]) => old === found)?.[1] ?? found);
		if (made !== text) writeFileSync(path, made);
	}
}
