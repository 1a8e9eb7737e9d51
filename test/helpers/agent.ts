/** A monitoring agent in the provider's process, which fails at each request and tells all about it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const text = `
	require("node:diagnostics_channel").subscribe("undici:request:create", ({ request }) => {
		throw Object.assign(new Error("The agent failed at " + JSON.stringify(request)), { request });
	});
`;

/** The file that Node.js preloads. What it throws, nobody catches. */
export function agentThatFails(): string {
	const folder = mkdtempSync(join(tmpdir(), "telephony-agent-"));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	const file = join(folder, "agent.cjs");
	writeFileSync(file, text);
	return file;
}
