/** The registries and the release's page of a rehearsal, on one port of this machine. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";

export interface Site {
	readonly url: string;
	/** Paths of the files that were downloaded. */
	readonly downloads: string[];
	/** Sets what is served. Without it, every request gets 404. */
	publish(files: Published): void;
	close(): void;
}

export interface Published {
	/** Folder with the files of the release's page. */
	readonly page: string;
	/** Path of the repository. */
	readonly repository: string;
	readonly version: string;
	/** Folder of the Go proxy's files. */
	readonly goProxy: string;
	/** Folders of Python packages. */
	readonly pythonFolders: readonly string[];
	/** Folder whose node_modules has the packages that npm finds beside ours. */
	readonly root: string;
}

interface Served extends Published {
	/** Packages of npm by name. */
	readonly npm: ReadonlyMap<string, readonly Packed[]>;
}

type Response = string | Buffer | undefined;

export async function startSite(): Promise<Site> {
	const downloads: string[] = [];
	let served: Served | undefined;
	const server: Server = createServer((request, response) => {
		const path = decodeURIComponent(new URL(request.url ?? "", "http://site").pathname);
		const body = served && responseTo(path, served, `http://${request.headers.host}`);
		response.statusCode = body === undefined ? 404 : 200;
		response.setHeader("content-type", contentType(path, body));
		if (body !== undefined) downloads.push(path);
		response.end(body);
	});
	await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		downloads,
		publish: (files) => {
			served = { ...files, npm: npmPackages(files) };
		},
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}

function contentType(path: string, body: Response): string {
	if (typeof body !== "string") return "application/octet-stream";
	return path.startsWith("/npm/") ? "application/json" : "text/html";
}

function responseTo(path: string, files: Served, origin: string): Response {
	const [, registry = "", rest = ""] = /^\/(npm|pypi|go)\/(.*)$/.exec(path) ?? [];
	if (registry === "npm") return npmResponse(rest, files, `${origin}/npm`);
	if (registry === "pypi") return pythonResponse(rest, files);
	if (registry === "go") return fileIn(files.goProxy, rest);
	const page = `${files.repository}/releases/download/v${files.version}/`;
	return path.startsWith(page) ? fileIn(files.page, path.slice(page.length)) : undefined;
}

function fileIn(folder: string, name: string): Response {
	const file = join(folder, name);
	return name !== "" && file.startsWith(folder) && existsSync(file) ? readFileSync(file) : undefined;
}

// ---- npm ----------------------------------------------------------------------------------------------------------------

/** A package of the registry: a tarball of the release, or a folder of the checkout that is packed when npm wants it. */
interface Packed {
	readonly manifest: { readonly name: string; readonly version: string };
	readonly tarball: () => Buffer;
}

function npmResponse(path: string, { npm }: Served, url: string): Response {
	const [name = "", version] = path.split("/-/");
	const all = npm.get(name);
	if (version !== undefined) return all?.find(({ manifest }) => manifest.version === version)?.tarball();
	if (all === undefined) return undefined;
	const versions = all.map(({ manifest }) => {
		const dist = { tarball: `${url}/${name}/-/${manifest.version}` };
		return [manifest.version, { ...manifest, dist }];
	});
	return JSON.stringify({ name, "dist-tags": { latest: versions[0]?.[0] }, versions: Object.fromEntries(versions) });
}

function npmPackages({ page, root }: Published): Map<string, Packed[]> {
	const found = new Map<string, Packed[]>();
	const add = (packed: Packed) => {
		const { name } = packed.manifest;
		found.set(name, [...(found.get(name) ?? []), packed]);
	};
	const tarballs = readdirSync(page).filter((file) => file.endsWith(".tgz"));
	for (const file of tarballs) {
		const text = execFileSync("tar", ["-xOzf", join(page, file), "package/package.json"], { encoding: "utf8" });
		add({ manifest: JSON.parse(text), tarball: () => readFileSync(join(page, file)) });
	}
	const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
		packages: Record<string, object>;
	};
	for (const [path, { link }] of Object.entries(lock.packages) as [string, { link?: boolean }][]) {
		const folder = join(root, path);
		if (!path.startsWith("node_modules/") || link === true || !existsSync(join(folder, "package.json"))) continue;
		add({
			manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
			tarball: () => packFolder(folder),
		});
	}
	return found;
}

/** Packs an installed package, without the packages inside it. */
function packFolder(folder: string): Buffer {
	const name = basename(folder);
	const options = ["--exclude", `${name}/node_modules`, "--transform", `s,^${name},package,`];
	return execFileSync("tar", ["-C", join(folder, ".."), ...options, "-cz", name], { maxBuffer: 1 << 28 });
}

// ---- Python ---------------------------------------------------------------------------------------------------------

/** PEP 503: a page with links for each project. */
function pythonResponse(path: string, { pythonFolders }: Published): Response {
	const [, kind, name = ""] = /^(simple|files)\/(.+?)\/?$/.exec(path) ?? [];
	if (kind === "files") return pythonFolders.map((folder) => fileIn(folder, name)).find(Boolean);
	const normal = (project: string) => project.toLowerCase().replaceAll(/[-_.]+/g, "-");
	const files = pythonFolders
		.flatMap((folder) => readdirSync(folder))
		.filter((file) => /\.(whl|tar\.gz)$/.test(file) && normal(projectOf(file)) === normal(name));
	const links = files.map((file) => `<a href="../../files/${file}">${file}</a>`);
	return links.length === 0 ? undefined : `<!doctype html><html><body>${links.join("\n")}</body></html>`;
}

/** The project of a wheel or a source archive. */
function projectOf(file: string): string {
	return file.endsWith(".whl") ? file.slice(0, file.indexOf("-")) : file.replace(/-\d[^-]*\.tar\.gz$/, "");
}
