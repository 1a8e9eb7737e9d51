/** A monitoring agent in the provider's process, which fails at each request and tells all about it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "./folders";

const text = `
	require("node:diagnostics_channel").subscribe("undici:request:create", ({ request }) => {
		throw Object.assign(new Error("The agent failed at " + JSON.stringify(request)), { request });
	});
`;

/** The file that Node.js preloads. What it throws, nobody catches. */
export function agentThatFails(): string {
	const file = join(createFolder(), "agent.cjs");
	writeFileSync(file, text);
	return file;
}
