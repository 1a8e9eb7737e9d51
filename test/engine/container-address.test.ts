/** An emulator in another container: its name leads to it, over plain http, where the stack's configuration names it. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { drift } from "../helpers/drift-cli";
import { useEmulator } from "../helpers/emulator";
import { createProject, fails, flat, run, succeeds } from "../helpers/engine";
import { repository } from "../helpers/repository";
import { writeYaml, yamlProject } from "../helpers/yaml";

const emulator = useEmulator({ kyc: "immediate" });
const hosts = {
	NODE_OPTIONS: `-r ${join(repository, "test/fixtures/hosts.cjs")}`,
	HOSTS: "emulator=127.0.0.1",
};
const address = () => emulator.url.replace("127.0.0.1", "emulator");

test("the classes, a function and the command reach an emulator in another container, and nothing goes to a host that isn't named", async () => {
	const stack = await createProject({
		program: `new telephony.Number("desk", { country: "SE", type: "mobile" });
exports.owned = telephony.getNumbers({}).then(({ numbers }) => numbers.length);`,
		env: { ...hosts, TELEPHONY_API_KEY: emulator.apiKey },
	});
	const config = async (key: string, value: string) => await succeeds(stack.pulumi("config", "set", key, value));
	await config("telephony:baseUrl", address());
	await config("telephony:allowHttp", "emulator.internal");
	const refused = await fails(stack.up());
	expect(refused).toMatch(/http:\/\/emulator:\d+ is not https .*telephony:allowHttp or TELEPHONY_ALLOW_HTTP/);
	expect(emulator.control.requests()).toEqual([]);

	await config("telephony:allowHttp", "emulator");
	await succeeds(stack.up());
	expect(emulator.control.state().numbers).toHaveLength(1);
	await succeeds(drift(stack));
	await succeeds(run(join(repository, "bin/telephony"), ["orphans", "--stack", "dev"], stack.folder, stack.env));
	// The environment wins, here as everywhere.
	expect((await drift(stack, [], { TELEPHONY_ALLOW_HTTP: "other" })).code).toBe(1);
	await succeeds(stack.destroy());
});

test("the plugin reaches an emulator in another container", async () => {
	const stack = await yamlProject({ env: { ...hosts, TELEPHONY_API_KEY: emulator.apiKey } }, "");
	writeYaml(stack, "\n  desk:\n    type: telephony:Number\n    properties: { country: SE, type: mobile }");
	await succeeds(stack.pulumi("config", "set", "telephony:baseUrl", address()));
	const refused = await stack.preview();
	expect(flat(refused)).toMatch(/http:\/\/emulator:\d+ is not https .*telephony:allowHttp/);
	await succeeds(stack.pulumi("config", "set", "telephony:allowHttp", "emulator"));
	await succeeds(stack.up());
	expect(emulator.control.state().numbers).toHaveLength(1);
});
