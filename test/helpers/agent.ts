/** A monitoring agent in the provider's process, which throws each request. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "./folders";

const text = `
	require("node:diagnostics_channel").subscribe("undici:request:create", ({ request }) => {
		throw Object.assign(new Error("The agent failed at " + JSON.stringify(request)), { request });
	});
`;

/** Returns a file for Node.js to preload, whose errors nobody catches. */
export function agentThatFails(): string {
	const file = join(createFolder(), "agent.cjs");
	writeFileSync(file, text);
	return file;
}
