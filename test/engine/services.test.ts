/** Other services: with their own names, and an emulator in another container. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import { dialects } from "../helpers/dialects";
import { drift } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, plugin, succeeds } from "../helpers/engine";
import { repository } from "../helpers/repository";
import { writeYaml, yamlProject } from "../helpers/yaml";

vi.setConfig({ testTimeout: 600_000 });
const service = dialects.everything;
const described = useEmulator({ kyc: "immediate", service });
const emulator = useEmulator({ kyc: "immediate", allowedHosts: ["emulator", "emulator.internal"] });

test("takes a description from the project's file or the environment", async () => {
	const stack = await createProject({
		program: `new telephony.Number("main", { country: "NL", type: "mobile", label: "Main" });`,
		...{ service: described, front: plugin },
	});
	// As a person writes the description into the project, for all of its stacks.
	const file = join(stack.folder, "Pulumi.yaml");
	const describe = (value: unknown) =>
		writeFileSync(
			file,
			stringify({ ...parse(readFileSync(file, "utf8")), config: { "telephony:service": { value } } }),
		);
	describe({ ...service, records: { ...service?.records, number: { lable: "x" } } });
	expect(await fails(stack.preview())).toContain("records.number.lable: there is no such field. Did you mean label?");
	describe(service);
	stack.env.TELEPHONY_SERVICE = JSON.stringify({ records: { number: { label: false } } });
	expect(await fails(stack.preview())).toContain("label: the service doesn't have this property");
	expect(described.writes()).toEqual([]);
	delete stack.env.TELEPHONY_SERVICE;
	await succeeds(stack.up());
	await expectQuiet(stack);
	expect(described.row((await stack.ids()).main)).toMatchObject({ label: "Main", status: "active" });
});

test("reaches a named host over http, and no other", async () => {
	const hosts = { NODE_OPTIONS: `-r ${join(repository, "test/fixtures/hosts.cjs")}`, HOSTS: "emulator=127.0.0.1" };
	const env = { ...hosts, TELEPHONY_API_KEY: emulator.apiKey };
	const stack = await createProject({
		program: `
			module.exports = async () => {
				const { kycRequired } = await telephony.getKycRequirements({ country: "SE", type: "mobile" });
				const desk = new telephony.Number("desk", { country: "SE", type: "mobile" });
				return { kycRequired, status: telephony.getNumberOutput({ id: desk.id }).status };
			};`,
		env,
	});
	const native = await yamlProject({ env, name: "native" }, "");
	writeYaml(native, "\n  desk:\n    type: telephony:Number\n    properties: { country: SE, type: mobile }", "native");
	const config = async (key: string, value: string) => {
		for (const { pulumi } of [stack, native]) await succeeds(pulumi("config", "set", `telephony:${key}`, value));
	};
	await config("baseUrl", emulator.url.replace("127.0.0.1", "emulator"));
	await config("allowHttp", "emulator.internal");
	for (const refused of [await fails(stack.up()), await fails(native.preview())])
		expect(refused).toMatch(/http:\/\/emulator:\d+ is not https .*telephony:allowHttp or TELEPHONY_ALLOW_HTTP/);
	expect(emulator.requests()).toEqual([]);
	await config("allowHttp", "emulator");
	for (const project of [stack, native]) await succeeds(project.up());
	expect(await stack.outputs()).toEqual({ kycRequired: false, status: "active" });
	expect(emulator.live()).toHaveLength(2);
	await succeeds(drift(stack));
	expect((await drift(stack, [], { TELEPHONY_ALLOW_HTTP: "other" })).code).toBe(1);
});
