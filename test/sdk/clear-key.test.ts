/** The warning about an API key in clear text, for several stacks in one process. */
import * as pulumi from "@pulumi/pulumi";
import * as state from "@pulumi/pulumi/runtime/state.js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as telephony from "../../sdk";

// An inline program of the Automation API runs in a store of its own.
const { withLocalStorage } = state as unknown as { withLocalStorage(work: () => Promise<void>): Promise<void> };

const warnings = vi.spyOn(pulumi.log, "warn");
const variables = ["PULUMI_CONFIG", "PULUMI_CONFIG_SECRET_KEYS"] as const;

beforeEach(() => void warnings.mockReset().mockResolvedValue());
afterEach(() => {
	vi.unstubAllEnvs();
	pulumi.runtime.setAllConfig({});
});

const mocks: pulumi.runtime.Mocks = {
	newResource: ({ inputs, name }) => ({ id: `id_${name}`, state: inputs }),
	call: () => ({}),
};

/** Declares two resources in a stack with this configuration, and returns the names of both. */
function declare(stack: string, config: Record<string, string>, secretKeys: string[] = []): void {
	pulumi.runtime.setMocks(mocks, "shop", stack);
	pulumi.runtime.setAllConfig(config, secretKeys);
	for (const name of ["a", "b"]) new telephony.Number(name, { country: "NL", type: "mobile" });
}
const inline = (...args: Parameters<typeof declare>) => withLocalStorage(async () => declare(...args));

const key = { "telephony:apiKey": "k" };
const isSecret = ["telephony:apiKey"];

test.each([
	["a key in clear text", key, [], 1],
	["a secret key", key, isSecret, 0],
	["a key under its old name", { "telephony:config:apiKey": "k" }, [], 1],
	["no key", { "shop:apiKey": "k" }, [], 0],
	["another secret", key, ["shop:apiKey"], 1],
])("counts warnings of a stack with %s under mocks and inline", async (_, config, secretKeys, count) => {
	declare("dev", config, [...secretKeys]);
	expect(warnings).toHaveBeenCalledTimes(count);
	await inline("inline", config, [...secretKeys]);
	expect(warnings).toHaveBeenCalledTimes(2 * count);
});

test("warns of each stack in clear text, once, whatever ran before", async () => {
	await inline("safe", key, isSecret);
	await Promise.all([inline("one", key), inline("two", key), inline("three", key, isSecret)]);
	await inline("one", key, isSecret);
	expect(warnings).toHaveBeenCalledTimes(2);
});

test.each([
	[isSecret, [], 1],
	[[], isSecret, 0],
])("ignores the process's own secret keys %j", async (ofProcess, ofRun, count) => {
	vi.stubEnv("PULUMI_CONFIG", JSON.stringify(key));
	vi.stubEnv("PULUMI_CONFIG_SECRET_KEYS", JSON.stringify(ofProcess));
	expect(variables.every((name) => process.env[name] !== undefined)).toBe(true);
	await inline("dev", key, [...ofRun]);
	expect(warnings).toHaveBeenCalledTimes(count);
});
