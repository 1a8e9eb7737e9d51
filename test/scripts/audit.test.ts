/** The nightly audit of the packages in the bundles, with a registry of this machine. */
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../helpers/engine";
import { repository } from "../helpers/repository";
import { listen } from "../helpers/servers";

const advisory = { id: 1, url: "https://advisories.example/1", title: "Reads too far", severity: "low" };

async function audit(advisories: object) {
	const audited: Record<string, string[]> = {};
	const server = createServer(async (request: IncomingMessage, response) => {
		response.setHeader("content-type", "application/json");
		// Versions of a vulnerable package: without them, npm takes the one in the lockfile.
		if (request.method === "GET") response.writeHead(404).end("{}");
		else {
			Object.assign(audited, JSON.parse(gunzipSync(await buffer(request)).toString()));
			response.end(JSON.stringify(advisories));
		}
	});
	const registry = await listen(server);
	onTestFinished(() => void server.close());
	const env = { ...process.env, npm_config_registry: registry };
	return { audited, ...(await run("node", [join(repository, "scripts/audit.mts")], repository, env)) };
}

test("audits the packages in the bundles, and no tools", async () => {
	const { audited, code, output } = await audit({});
	expect(code, output).toBe(0);
	expect(Object.keys(audited)).toEqual(expect.arrayContaining(["undici", "zod", "libphonenumber-js"]));
	expect(Object.keys(audited)).not.toContain("vitest");
});

test("fails if a bundled package is vulnerable, and names it", async () => {
	const { code, output } = await audit({ undici: [{ ...advisory, vulnerable_versions: "*" }] });
	expect(code).toBe(1);
	expect(output).toContain("undici");
});
