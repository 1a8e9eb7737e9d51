/** A key that was changed in the stack's configuration: refresh and destroy have the old one, drift the new one. */
import { expect, test } from "vitest";
import { drift, reported } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, run, succeeds } from "../helpers/engine";

const emulator = useEmulator({ kyc: "immediate" });

test("a changed key reaches drift by itself, and refresh as the 401 says", async () => {
	const stack = await createProject({
		program: `new telephony.Number("desk", { country: "SE", type: "mobile" });`,
	});
	const config = async (...args: string[]) => await succeeds(stack.pulumi("config", "set", ...args));
	await config("telephony:baseUrl", emulator.url);
	await config("--secret", "telephony:apiKey", "old-key-of-mine");
	// As if the service had taken the old one then.
	stack.env.TELEPHONY_API_KEY = emulator.apiKey;
	await succeeds(stack.up());
	delete stack.env.TELEPHONY_API_KEY;

	const rejected = await drift(stack);
	expect(rejected.code, rejected.output).toBe(3);
	await config("--secret", "telephony:apiKey", emulator.apiKey);
	// Neither of them is the stack's until an `up`: no drift.
	await config("telephony:owner", "acme");
	await config("telephony:features", "inventory,-restore");

	const refresh = await stack.refresh();
	expect(refresh.code, refresh.output).not.toBe(0);
	const words = refresh.output.replaceAll(/\s+/g, " ");
	expect(words).toContain("`pulumi refresh` and `destroy` use the key of the last `up`");
	const way = "TELEPHONY_API_KEY=$(pulumi config get telephony:apiKey)";
	await succeeds(run("sh", ["-c", `${way} pulumi refresh --yes --skip-preview`], stack.folder, stack.env));

	const clean = await succeeds(reported(stack));
	expect(clean.stdout).toMatch(
		/^drift: 0 of 1 resource, stack dev\naccount http:\S+\/v1 · owner acme · \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/,
	);
	expect(clean.report).toMatchObject({ account: emulator.url, owner: "acme", at: expect.stringMatching(/Z$/) });
	expect(clean.markdown).toContain(`\naccount \`${emulator.url}\` · owner acme · ${clean.report.at}\n`);
	expect(clean.output + clean.markdown + JSON.stringify(clean.report)).not.toContain(emulator.apiKey);

	// What the environment says wins, as everywhere.
	expect((await drift(stack, [], { TELEPHONY_API_KEY: "wrong" })).code).toBe(3);
	const unknown = await drift(stack, [], { TELEPHONY_FEATURES: "telepathy" });
	expect(unknown.output).toContain('TELEPHONY_FEATURES) names "telepathy"');
	await config("telephony:features", "telepathy");
	expect((await drift(stack)).output).toContain('names "telepathy"');
	await config("telephony:features", "inventory,-restore");
	await succeeds(stack.up());
	await succeeds(stack.refresh());
});
