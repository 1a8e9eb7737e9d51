/** Functions on the real engine: of the dynamic front, and of the plugin in YAML. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, flat, seenAt, succeeds } from "../helpers/engine";
import { repository } from "../helpers/repository";

const emulator = useEmulator({ kyc: "immediate" });
const byHand = async () => {
	const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
	emulator.control.patchNumber(body.id, { label: "By hand" });
	return body.id;
};
const { writes } = seenAt(emulator);

test("a program of the dynamic front calls them with its configuration, before and beside its resources", async () => {
	const id = await byHand();
	const stack = await createProject({
		service: emulator,
		program: `module.exports = async () => {
			const [{ numbers }, { kycRequired }] = await Promise.all([
				telephony.getNumbers({ label: "By hand" }),
				telephony.getKycRequirements({ country: "NL", type: "mobile" }),
			]);
			const main = new telephony.Number("main", { country: numbers[0].country, type: "mobile" });
			return { found: numbers[0].id, kycRequired, main: telephony.getNumberOutput({ id: main.id }).status };
		};`,
	});
	// The key comes from the configuration, as it does for resources.
	for (const [key, value] of Object.entries({ apiKey: emulator.apiKey, baseUrl: emulator.url }))
		await succeeds(stack.pulumi("config", "set", `telephony:${key}`, value, ...(key === "apiKey" ? ["--secret"] : [])));
	stack.env.TELEPHONY_API_KEY = undefined;
	stack.env.TELEPHONY_BASE_URL = undefined;
	const before = writes();
	await succeeds(stack.preview());
	expect(writes()).toBe(before);
	await succeeds(stack.up());
	expect(await stack.outputs()).toEqual({ found: id, kycRequired: false, main: "active" });
});

const yaml = (call: string) => `name: telephony-test
runtime: yaml
plugins:
  providers:
    - { name: telephony, path: ${JSON.stringify(join(repository, "bin"))} }
resources:
  main:
    type: telephony:Number
    properties: { country: NL, type: mobile, label: Main }
variables:
  found:
    fn::invoke: ${call}
outputs:
  found: \${found}
`;

test("a YAML program calls them by the plugin: with what is known, with an output, and wrongly", async () => {
	const id = await byHand();
	const stack = await createProject({ service: emulator });
	const write = (call: string) => writeFileSync(join(stack.folder, "Pulumi.yaml"), yaml(call));
	write('{ function: telephony:getNumber, arguments: { id: "$' + '{main.id}" } }');
	const before = writes();
	await succeeds(stack.preview());
	expect(writes()).toBe(before);
	await succeeds(stack.up());
	const { main } = await stack.ids();
	expect((await stack.outputs()).found).toMatchObject({
		id: main,
		label: "Main",
		status: "active",
		kycRequired: false,
	});

	write('{ function: telephony:getNumbers, arguments: { label: "By hand" }, return: numbers }');
	await succeeds(stack.up());
	expect((await stack.outputs()).found).toMatchObject([{ id, label: "By hand" }]);

	write("{ function: telephony:getKycRequirements, arguments: { country: nl, type: mobil } }");
	const refused = await fails(stack.preview());
	expect(refused).toMatch(/must be a two-letter ISO 3166 code/);
	expect(refused).toMatch(/must be one of geographic, mobile/);

	write("{ function: telephony:getTrunk, arguments: { id: trk_none } }");
	expect(flat(await stack.preview())).toMatch(/\[telephony:not-found\]/);
});
