/** Two accounts in one program, by providers that the program makes; and what a provider's own properties may be. */
import { expect, test, vi } from "vitest";
import { type TestEmulator, useEmulator } from "../helpers/emulator";
import { flat, succeeds } from "../helpers/engine";
import { writeYaml, yamlProject } from "../helpers/yaml";

// Each runs the CLI many times, which takes minutes on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const eu = useEmulator({ kyc: "immediate", apiKey: "key-of-eu" });
const us = useEmulator({ kyc: "immediate", apiKey: "key-of-us" });
const kinds = ({ control }: TestEmulator) => control.ledger().map(({ kind }) => kind);
const refused = ({ control }: TestEmulator) => control.requests().filter(({ status }) => status === 401);

const provider = (name: string, { url, apiKey }: TestEmulator, more = "") => `
  ${name}:
    type: pulumi:providers:telephony
    properties: { apiKey: { fn::secret: ${apiKey} }, baseUrl: "${url}", onDelete: release${more} }`;
const number = (name: string, by: string, country: string) => `
  ${name}:
    type: telephony:Number
    properties: { country: ${country}, type: mobile, label: ${name} }
    options: { provider: "$${"{"}${by}}" }`;
const providers = () => provider("eu", eu) + provider("us", us);

test("each provider has its own account; a number that is given to another account's is neither bought nor released", async () => {
	const both = () => providers() + number("berlin", "eu", "NL") + number("austin", "us", "US");
	// The environment is one account's.
	const stack = await yamlProject({ service: eu }, both());
	await succeeds(stack.up());
	expect(kinds(eu)).toEqual(["purchase"]);
	expect(kinds(us)).toEqual(["purchase"]);
	expect(refused(eu)).toEqual([]);
	expect(refused(us)).toEqual([]);
	const ids = await stack.ids();

	writeYaml(stack, providers() + number("berlin", "us", "NL") + number("austin", "us", "US"));
	for (const run of [await stack.preview(), await stack.up()]) {
		expect(run.code).not.toBe(0);
		expect(flat(run)).toMatch(/the provider "us", which has another .* and .*\[telephony:wrong-account\]/);
	}
	expect(kinds(eu)).toEqual(["purchase"]);
	expect(kinds(us)).toEqual(["purchase"]);
	expect(await stack.ids()).toEqual(ids);

	// Another provider of the same account is none.
	writeYaml(stack, providers() + provider("new", eu) + number("berlin", "new", "NL") + number("austin", "us", "US"));
	await succeeds(stack.up());
	writeYaml(
		stack,
		provider("us", us) + provider("new", eu) + number("berlin", "new", "NL") + number("austin", "us", "US"),
	);
	await succeeds(stack.up("--refresh"));
	expect({ euKinds: kinds(eu), usKinds: kinds(us) }).toEqual({ euKinds: ["purchase"], usKinds: ["purchase"] });
	await succeeds(stack.destroy());
	expect(kinds(eu)).toEqual(["purchase", "release"]);
	expect(kinds(us)).toEqual(["purchase", "release"]);
});

test("what isn't known before up is no reason to refuse, and neither is another key", async () => {
	const late = (apiKey: string) => `${provider("eu", eu)}${number("first", "eu", "NL")}
  late:
    type: pulumi:providers:telephony
    properties: { apiKey: { fn::secret: ${apiKey} }, baseUrl: "${eu.url}", owner: "$${"{first.id}"}" }${number("second", "late", "US")}`;
	const stack = await yamlProject({}, late(eu.apiKey));
	const preview = await stack.preview();
	await succeeds(preview);
	expect(eu.control.requests().filter(({ method }) => method !== "GET")).toEqual([]);
	await succeeds(stack.up());
	expect(kinds(eu)).toEqual(["purchase", "purchase"]);
	writeYaml(stack, late("key-that-is-wrong"));
	const rotated = await stack.preview("--diff");
	await succeeds(rotated);
	expect(flat(rotated)).not.toMatch(/replace/);
	writeYaml(stack, `${provider("eu", eu, ', apikey: "x"')}${number("first", "eu", "NL")}`);
	const typo = await stack.preview();
	expect(typo.code, typo.output).not.toBe(0);
	expect(flat(typo)).toMatch(/apikey.*(apiKey|does not exist)/);
});
