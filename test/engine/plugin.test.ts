/** Features of the plugin: providers of several accounts, functions, and timeouts, in YAML programs. */
import { expect, test, vi } from "vitest";
import { type TestEmulator, useEmulator } from "../helpers/emulator";
import { fails, flat, succeeds } from "../helpers/engine";
import { writeYaml, yamlProject } from "../helpers/yaml";

vi.setConfig({ testTimeout: 600_000 });
const eu = useEmulator({ kyc: "immediate", apiKey: "key-of-eu" });
const us = useEmulator({ kyc: "immediate", apiKey: "key-of-us" });

const ref = (path: string) => `$\{${path}}`;
const provider = (name: string, { url, apiKey }: { readonly url: string; readonly apiKey: string }, more = "") => `
  ${name}:
    type: pulumi:providers:telephony
    properties: { apiKey: { fn::secret: ${apiKey} }, baseUrl: "${url}", onDelete: release${more} }`;
const number = (name: string, by: string, country = "NL") => `
  ${name}:
    type: telephony:Number
    properties: { country: ${country}, type: mobile, label: ${name} }
    options: { provider: "${ref(by)}" }`;

test("gives each provider its account, and moves no number between them", async () => {
	const accounts = () => provider("eu", eu) + provider("us", us);
	const kinds = () => [eu, us].map((account: TestEmulator) => account.kinds());
	const bought = [["purchase"], ["purchase"]];
	// The environment is one account's.
	const stack = await yamlProject({ service: eu }, accounts() + number("berlin", "eu") + number("austin", "us", "US"));
	await succeeds(stack.up());
	expect(kinds()).toEqual(bought);
	for (const { control } of [eu, us]) expect(control.requests().filter(({ status }) => status === 401)).toEqual([]);
	const ids = await stack.ids();
	const state = await stack.state();
	for (const { apiKey } of [eu, us]) expect(state).not.toContain(apiKey);

	writeYaml(stack, accounts() + number("berlin", "us") + number("austin", "us", "US"));
	for (const running of [stack.preview(), stack.up()])
		expect(await fails(running)).toMatch(
			/the provider "us", which has another baseUrl and apiKey.*\[telephony:wrong-account\]/,
		);
	expect({ kinds: kinds(), ids: await stack.ids() }).toEqual({ kinds: bought, ids });

	// Another provider of the same account is the same account, and so is another key.
	const numbers = number("berlin", "new") + number("austin", "us", "US");
	writeYaml(stack, accounts() + provider("new", eu) + numbers);
	await succeeds(stack.up());
	writeYaml(stack, provider("us", us) + provider("new", eu) + numbers);
	await succeeds(stack.up("--refresh"));
	writeYaml(stack, provider("us", us) + provider("new", { url: eu.url, apiKey: "another-key" }) + numbers);
	expect(flat(await succeeds(stack.preview("--diff")))).not.toMatch(/replace/);
	// A provider whose properties are unknown before `up` is previewed.
	const late = provider("late", eu, `, owner: "${ref("berlin.id")}"`) + number("second", "late");
	writeYaml(stack, provider("us", us) + provider("new", eu) + numbers + late);
	await succeeds(stack.preview());
	expect(kinds()).toEqual(bought);
	await succeeds(stack.destroy());
	expect(kinds()).toEqual(Array(2).fill(["purchase", "release"]));
});

test("serves functions and customTimeouts", async () => {
	const main = (more: string) => `
  main:
    type: telephony:Number
    properties: { country: NL, type: mobile${more} }
`;
	const call = (text: string) =>
		`${main(", label: Main")}variables:\n  found:\n    fn::invoke: ${text}\noutputs:\n  found: ${ref("found")}\n`;
	const lookup = `{ function: telephony:getNumber, arguments: { id: "${ref("main.id")}" } }`;
	const stack = await yamlProject({ service: eu }, call(lookup));
	const before = eu.requests().length;
	await succeeds(stack.preview());
	expect(eu.writes(before)).toEqual([]);
	await succeeds(stack.up());
	const ids = await stack.ids();
	expect((await stack.outputs()).found).toMatchObject({ id: ids.main, label: "Main", kycRequired: false });
	eu.control.kyc("manual");
	const german = "\n  berlin:\n    type: telephony:Number\n    properties: { country: DE, type: mobile }\n";
	writeYaml(stack, `${main(", label: Main")}${german}    options: { customTimeouts: { create: 2s } }\n`);
	expect(await fails(stack.up(), "kyc-pending")).toMatch(/not active yet after 2 s/);
	// A wait isn't drift, and the next run waits again.
	await succeeds(stack.refresh("--expect-no-changes"));
	expect((await stack.preview()).output).toMatch(/berlin update/);
});
