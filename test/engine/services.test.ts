/** Other services: with their own names, and an emulator in another container. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import { dialects } from "../helpers/dialects";
import { drift } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, expectQuiet, fails, plugin, run, stepsIn, succeeds } from "../helpers/engine";
import { repository } from "../helpers/repository";
import { writeYaml, yamlProject } from "../helpers/yaml";

vi.setConfig({ testTimeout: 600_000 });
const service = dialects.everything;
const described = useEmulator({ kyc: "manual", service });
const emulator = useEmulator({ kyc: "immediate" });

test("speaks to a service by its description in the project", async () => {
	const stack = await createProject({
		program: `
			const pbx = new telephony.SipTrunk("pbx", { auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.7"] }, capacity: 10 });
			new telephony.Number("main", { country: "NL", type: "mobile", label: "Main", routing: { type: "trunk", trunkId: pbx.id } });
			new telephony.Webhook("events", { url: "https://hooks.example.com/x", events: ["message.received"] });
			new telephony.Number("berlin", { country: "DE", type: "mobile", activationTimeoutSeconds: 1 });`,
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
	stack.env.TELEPHONY_SERVICE = JSON.stringify({ records: { trunk: { capacity: false } } });
	expect(await fails(stack.preview())).toContain("capacity: the service doesn't have this property");
	expect(described.writes()).toEqual([]);
	delete stack.env.TELEPHONY_SERVICE;
	await fails(stack.up("--continue-on-error"), "kyc-pending");
	const ids = await stack.ids();
	described.control.decide(ids.berlin ?? "", "approve");
	await succeeds(stack.up());
	await expectQuiet(stack);
	const { main = "", pbx = "", events = "" } = ids;
	expect(described.row(main)).toMatchObject({ label: "Main", routing: { type: "trunk", trunk_id: pbx } });

	described.control.patchNumber(main, { label: "by hand", routing: null });
	described.control.patchTrunk(pbx, { capacity: 3 });
	described.control.patchWebhook(events, { enabled: false });
	expect((await stack.drift()).code).toBe(7);
	const repair = await succeeds(stack.up("--refresh"));
	expect(stepsIn(repair)).toMatchObject({ main: "update", pbx: "update", events: "update" });
	expect(described.row(main)).toMatchObject({ label: "Main", routing: { type: "trunk", trunk_id: pbx } });
	expect(described.rows("sipTrunk")).toMatchObject([{ capacity: 10 }]);
	await succeeds(stack.destroy());
	expect(described.kinds()).toEqual(["purchase", "purchase", "release", "release"]);
	expect([...described.rows("sipTrunk"), ...described.rows("webhook")]).toEqual([]);
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
	for (const each of [stack, native]) await succeeds(each.up());
	expect(await stack.outputs()).toEqual({ kycRequired: false, status: "active" });
	expect(emulator.live()).toHaveLength(2);
	await succeeds(drift(stack));
	const orphans = await run(
		join(repository, "bin/telephony"),
		["orphans", "--stack", "dev"],
		native.folder,
		native.env,
	);
	expect(orphans.stdout).toMatch(/^orphans: 1 of 2 objects/);
	expect((await drift(stack, [], { TELEPHONY_ALLOW_HTTP: "other" })).code).toBe(1);
});
