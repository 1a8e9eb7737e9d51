/** The packages that users install, and those that the bundles contain, as npm lists and audits them. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { must } from "./process.mts";

interface Locked {
	readonly version?: string;
	readonly dev?: boolean;
	readonly link?: boolean;
	readonly dependencies?: Readonly<Record<string, string>>;
}

/** Returns the bill of materials of a package: its dependencies, or those in its bundles. */
export const bomOf = (stage: string, folder: string, work: string): string =>
	must("npm", ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"], projectOf(stage, folder, work));

/**
 * Returns a folder with a manifest and a lockfile of a package's dependencies, or of those in its bundles. npm can't read a
 * checkout whose workspaces link to each other.
 */
export function projectOf(stage: string, folder: string, work: string): string {
	const textOf = (file: string) => readFileSync(join(stage, file), "utf8");
	const { packages, ...lock } = JSON.parse(textOf("package-lock.json")) as { packages: Record<string, Locked> };
	const { name, version, license, dependencies: declared } = JSON.parse(textOf(join(folder, "package.json")));
	const bundled = Object.entries(bundledIn(stage));
	// Others are needed by these, so npm finds them below them.
	const atTop = bundled.filter(([dependency, of]) => packages[`node_modules/${dependency}`]?.version === of);
	const dependencies = declared ?? Object.fromEntries(atTop);
	const manifest = { name, version, license, dependencies };
	const clean = mkdtempSync(join(work, "project-"));
	const needed = { "": manifest, ...neededBy(Object.keys(dependencies), packages) };
	writeFileSync(join(clean, "package.json"), JSON.stringify(manifest));
	writeFileSync(join(clean, "package-lock.json"), JSON.stringify({ ...lock, name, version, packages: needed }));
	return clean;
}

/** The packages whose code is in the bundles, with their versions. Their licenses are shipped with them. */
export function bundledIn(stage: string): Record<string, string> {
	const licenses = readFileSync(join(stage, "dist/bundle/licenses.txt"), "utf8");
	const heads = licenses.matchAll(/(?:^|\n---\n\n)(\S+) (\d\S*)\n/g);
	return Object.fromEntries([...heads].map(([, name = "", version = ""]) => [name, version]));
}

/** Entries of a lockfile for packages and all their dependencies, as packages that users need. */
function neededBy(names: readonly string[], packages: Readonly<Record<string, Locked>>): Record<string, Locked> {
	const found: Record<string, Locked> = {};
	const visit = (name: string, from: string): void => {
		const path = pathOf(name, from, packages);
		if (path === undefined || found[path] !== undefined) return;
		const { dev: _, ...entry } = packages[path] ?? {};
		found[path] = entry;
		for (const dependency of Object.keys(entry.dependencies ?? {})) visit(dependency, path);
	};
	for (const name of names) visit(name, "");
	return found;
}

/** The entry of a package that another one gets, as Node.js finds it from there. */
function pathOf(name: string, from: string, packages: Readonly<Record<string, Locked>>): string | undefined {
	const path = join(from, "node_modules", name).replaceAll("\\", "/");
	if (packages[path] !== undefined || from === "") return packages[path] && path;
	return pathOf(name, from.slice(0, Math.max(0, from.lastIndexOf("node_modules/") - 1)), packages);
}
