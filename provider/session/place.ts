/** The place of a state, which distinguishes stacks of the same name. */
import { readFileSync, realpathSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseText } from "../api/json";

export const projectFiles = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"] as const;

/**
 * Returns the backend's URL, without credentials and without options that may change while the state stays. A file
 * backend's has the machine and the path, as another machine may have the same path.
 */
export function statePlace(env: NodeJS.ProcessEnv, cwd: string): string | undefined {
	const url = env.PULUMI_BACKEND_URL || projectBackend(cwd) || loggedInBackend(env);
	if (url === undefined) return undefined;
	return (/^file:/i.test(url) ? folderOf(withoutOptions(url), cwd) : canonicalPlace(url)) + placingOptions(url, env);
}

/**
 * Returns the options that name another place. One bucket or database may hold the states of several teams, each under a
 * prefix or in a table. A container's name is unique only in its storage account. All other options say how to connect.
 */
function placingOptions(url: string, env: NodeJS.ProcessEnv): string {
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

/** Returns the home folder that the system knows, as the CLI does. Container jobs of CI set `HOME` to another folder. */
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

function folderOf(url: string, cwd: string): string {
	const path = url.replace(/^file:(\/\/)?/i, "");
	const absolute = path.startsWith("~")
		? join(homeOfUser(), path.slice(1))
		: path.startsWith("/")
			? fileURLToPath(`file://${path}`)
			: resolve(cwd, path);
	return `file://${hostname().toLowerCase()}${realPath(resolve(absolute))}`;
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
			const project = readIf("backend", join(folder, name)) as { backend?: { url?: unknown } } | undefined;
			if (typeof project?.backend?.url === "string") return project.backend.url;
		}
		if (dirname(folder) === folder) return undefined;
	}
}

function loggedInBackend(env: NodeJS.ProcessEnv): string | undefined {
	const home = env.PULUMI_HOME || join(homeOfUser(), ".pulumi");
	const credentials = readIf("current", join(home, "credentials.json")) as { current?: unknown } | undefined;
	return typeof credentials?.current === "string" ? credentials.current : undefined;
}

/** Reads a file that has this word, as JSON or YAML. Loading a parser of YAML takes longer than a request. */
function readIf(word: string, file: string): unknown {
	try {
		const text = readFileSync(file, "utf8");
		if (!text.includes(word)) return undefined;
		if (file.endsWith(".json")) return parseText(text);
		const { parse } = require("yaml") as typeof import("yaml");
		return parse(text);
	} catch {
		return undefined;
	}
}
