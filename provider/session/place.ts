/** Where a state is kept, which distinguishes stacks of the same name. */
import { readFileSync, realpathSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** How the engine calls the file of a project. */
export const projectFiles = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"] as const;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The backend's URL. For a file backend, the machine and the path, as another machine may have the same path. The first
 * one is canonical: without credentials, and without options that change while the state stays. Any others are how version
 * 0.1 spelled the same place: recognised, but never written.
 */
export function statePlaces(env: Environment, cwd: string): readonly string[] {
	const url = env.PULUMI_BACKEND_URL || projectBackend(cwd) || loggedInBackend(env);
	if (url === undefined) return [];
	const address = /^file:/i.test(url)
		? folderOf(withoutOptions(url), cwd, hostname().toLowerCase(), homeOfUser(), realPath)
		: canonicalPlace(url);
	const canonical = address + placingOptions(url, env);
	return [
		...new Set([
			canonical,
			url.startsWith("file:") ? folderOf(url, cwd, hostname(), homedir()) : url.replace(/\/+$/, ""),
		]),
	];
}

/**
 * The options that name another place. All others say how to reach it: one bucket or database may hold the states of several
 * teams under a prefix or in a table each, and a container's name is unique in its storage account alone.
 */
function placingOptions(url: string, env: Environment): string {
	// A password may contain a question mark.
	const [, query = ""] = /\?([^#]*)/.exec(url.replace(/^.*@(?=[^@?]*\?)/s, "")) ?? [];
	const given = new URLSearchParams(query);
	const named = new URLSearchParams();
	const name = (option: string, value: string | null | undefined) => {
		if (value) named.set(option, value);
	};
	name("prefix", given.get("prefix"));
	if (/^azblob:/i.test(url)) name("storage_account", given.get("storage_account") || env.AZURE_STORAGE_ACCOUNT);
	if (/^postgres/i.test(url)) {
		for (const option of ["dbname", "host", "port"]) name(option, given.get(option));
		if (given.get("table") !== "pulumi_state") name("table", given.get("table"));
	}
	return named.size === 0 ? "" : `?${named}`;
}

const withoutOptions = (url: string): string => url.replace(/[?#].*$/s, "");

/** As the system has it. The CLI looks there whatever `HOME` says, which container jobs of CI set to another folder. */
function homeOfUser(): string {
	try {
		return userInfo().homedir;
	} catch {
		// The system doesn't know the user.
		return homedir();
	}
}

/** Resolves symbolic links, also above a folder that doesn't exist yet. */
function realPath(path: string): string {
	try {
		return realpathSync.native(path);
	} catch {
		return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
	}
}

function folderOf(url: string, cwd: string, machine: string, home: string, real = (path: string) => path): string {
	const path = url.replace(/^file:(\/\/)?/i, "");
	const absolute = path.startsWith("~")
		? join(home, path.slice(1))
		: path.startsWith("/")
			? fileURLToPath(`file://${path}`)
			: resolve(cwd, path);
	return `file://${machine}${real(resolve(absolute))}`;
}

/** Scheme, host, port and path. */
function canonicalPlace(text: string): string {
	if (!URL.canParse(text)) {
		// A password may contain what no URL may. Removes all between the scheme and the last @, and a query or fragment.
		const [, scheme = "", rest = ""] = /^([^:]*:\/\/)?(.*)$/s.exec(text) ?? [];
		return `${scheme.toLowerCase()}${withoutOptions(rest.replace(/^.*@/s, ""))}`.replace(/\/+$/, "");
	}
	const { protocol, host, pathname } = new URL(text);
	// A URL leaves out the default ports of http and https by itself.
	const place = /^postgres/.test(protocol) ? host.replace(/:5432$/, "") : host;
	return `${protocol}//${place.toLowerCase()}${pathname}`.replace(/\/+$/, "");
}

function projectBackend(cwd: string): string | undefined {
	for (let folder = cwd; ; folder = dirname(folder)) {
		for (const name of projectFiles) {
			const project = readYaml(join(folder, name)) as { backend?: { url?: unknown } } | undefined;
			if (typeof project?.backend?.url === "string") return project.backend.url;
		}
		if (dirname(folder) === folder) return undefined;
	}
}

function loggedInBackend(env: Environment): string | undefined {
	const home = env.PULUMI_HOME || join(homeOfUser(), ".pulumi");
	const credentials = readYaml(join(home, "credentials.json")) as { current?: unknown } | undefined;
	return typeof credentials?.current === "string" ? credentials.current : undefined;
}

function readYaml(file: string): unknown {
	// A run that is told its backend reads no file, and needs no parser.
	const { parse } = require("yaml") as typeof import("yaml");
	try {
		// JSON is YAML.
		return parse(readFileSync(file, "utf8"));
	} catch {
		return undefined;
	}
}
