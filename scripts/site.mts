/**
 * `npm run site`: builds the site of docs/ into site/dist and serves it on port 4020 (`-- --port N`); `-- --build` only builds.
 * The site's packages are its own, and are installed when its lockfile has changed.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { delimiter, extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { takeLock } from "./lock.mjs";

const site = resolve(import.meta.dirname, "../site");
export const built = join(site, "dist");

/** Builds the site; shows the tools' output only if they fail. */
export async function buildSite(): Promise<void> {
	const installed = join(site, "node_modules/.installed");
	const lockfile = readFileSync(join(site, "package-lock.json"), "utf8");
	const lock = join(site, ".lock");
	await takeLock(lock, () => {});
	try {
		if (!existsSync(installed) || readFileSync(installed, "utf8") !== lockfile) {
			run("npm", "ci", "--ignore-scripts");
			writeFileSync(installed, lockfile);
		}
		run("npm", "run", "build");
	} finally {
		rmSync(lock, { force: true });
	}
}

function run(command: string, ...args: readonly string[]): void {
	// The variables that vitest sets would make Astro build the site for development, without a search.
	const { DEV, MODE, PROD, SSR, ...outer } = process.env;
	// No telemetry for Astro, and this Node is first on the PATH.
	const env = {
		...outer,
		NODE_ENV: "production",
		ASTRO_TELEMETRY_DISABLED: "1",
		PATH: [join(process.execPath, ".."), process.env.PATH].join(delimiter),
	};
	// npm is a script on Windows, which only a shell runs. The root's packages, such as cross-spawn, may not be installed.
	const shell = process.platform === "win32";
	const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: site, env, encoding: "utf8", shell });
	if (status !== 0)
		throw new Error(`site/: \`${[command, ...args].join(" ")}\` failed: ${error?.message ?? ""}\n${stdout}${stderr}`);
}

const types: Readonly<Record<string, string>> = {
	".css": "text/css",
	".html": "text/html; charset=utf-8",
	".js": "text/javascript",
	".json": "application/json",
	".png": "image/png",
	".svg": "image/svg+xml",
	".wasm": "application/wasm",
	".webp": "image/webp",
	".xml": "application/xml",
};

/** Serves what is built, on this machine only. */
export async function serveSite(port: number): Promise<{ readonly server: Server; readonly url: string }> {
	const server = createServer(({ url = "/" }, response) => {
		const file = resolve(join(built, url.replace(/[?#].*/, ""), url.endsWith("/") ? "index.html" : ""));
		const found = file.startsWith(built + sep) && extname(file) !== "" && existsSync(file);
		const sent = found ? file : join(built, "404.html");
		response.writeHead(found ? 200 : 404, { "Content-Type": types[extname(sent)] ?? "application/octet-stream" });
		response.end(readFileSync(sent));
	});
	await new Promise<void>((done, fail) => server.once("error", fail).listen(port, "127.0.0.1", done));
	const address = server.address();
	return { server, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : port}` };
}

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { build: { type: "boolean" }, port: { type: "string", default: "4020" } } });
	await buildSite();
	if (values.build) return console.log("The site is in site/dist.");
	const { url } = await serveSite(Number(values.port)).catch((error: Error) => {
		throw new Error(
			`The site can't be served (${error.message}): choose another port with \`npm run site -- --port N\`.`,
		);
	});
	console.log(`The site is on ${url}/ until you press Ctrl-C.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await main().catch((error: Error) => {
		console.error(error.message);
		process.exitCode = 1;
	});
}
