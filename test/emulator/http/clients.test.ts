/** Clients that strangers' generators make of the OpenAPI document: compiled, and run against the emulator. */
import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { useEmulator } from "../../helpers/emulator";
import { createFolder } from "../../helpers/folders";
import { pythonWith } from "../../helpers/python";
import { repository } from "../../helpers/repository";

const emulator = useEmulator({ kyc: "immediate" });

/** Every program buys, routes with a failover, calls, lists, misses a recording and releases, then prints this. */
const done = ["+12025550100", "queued", 1, "not_found", "released"];

const run = async (command: string, args: readonly string[], cwd: string) => {
	const path = `${join(repository, "node_modules/.bin")}${delimiter}${process.env.PATH}`;
	const env = { ...process.env, PATH: path, CI: "true", BASE_URL: emulator.url, API_KEY: emulator.apiKey };
	const { stdout } = await promisify(execFile)(command, [...args], { cwd, env, maxBuffer: 2 ** 26 }).catch((error) => {
		throw new Error(`${command} ${args.join(" ")}\n${error.stdout}\n${error.stderr}`);
	});
	return stdout;
};

/** A folder with the document. */
const project = async () => {
	const folder = createFolder();
	writeFileSync(join(folder, "openapi.json"), await (await fetch(`${emulator.url}/openapi.json`)).text());
	return folder;
};

const compilerOptions = {
	...{ strict: true, target: "es2023", lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"] },
	...{ module: "commonjs", moduleResolution: "bundler", types: ["node"], skipLibCheck: true, outDir: "out" },
};

/** By generator: its arguments, and a program in the words of its client. */
const typescript: Readonly<Record<string, readonly [args: string, imports: string, body: string]>> = {
	"openapi-ts": [
		"-i openapi.json -o client -c @hey-api/client-fetch",
		`import { client } from "./client/client.gen";
import * as api from "./client/sdk.gen";
import type { ForwardFailoverRequest, TrunkRouteRequest } from "./client/types.gen";`,
		`client.setConfig({ baseUrl: process.env.BASE_URL, auth: process.env.API_KEY, throwOnError: true });
	const { data: number } = await api.buyNumber({ body: { country: "US", type: "mobile" }, headers: { "Idempotency-Key": "once" } });
	const { data: trunk } = await api.createTrunk({ body: { name: "office", capacity: 2, auth } });
	if (!number?.id || !number.number || !trunk) throw new Error("nothing was bought");
	const routing: TrunkRouteRequest & { type: "trunk" } = { type: "trunk", trunk_id: trunk.id, failover };
	const { data: routed } = await api.patchNumber({ path: { id: number.id }, body: { routing } });
	const { data: call } = await api.placeCall({ body: leg(number.number) });
	const { data: page } = await api.listNumbers({ query: { limit: 10 } });
	const sound = await api.getRecordingMedia({ path: { id: "rec_none" }, throwOnError: false });
	const { data: released } = await api.releaseNumber({ path: { id: number.id } });
	return [routed?.routing?.failover?.to, call?.status, page?.data.length, sound.error?.error, released?.status];`,
	],
	"swagger-typescript-api": [
		"generate -p openapi.json -o client -n api.ts",
		`import { Api, type ForwardFailoverRequest, type RouteRequest } from "./client/api";`,
		`const headers = { Authorization: "Bearer " + process.env.API_KEY };
	const api = new Api({ baseUrl: process.env.BASE_URL, baseApiParams: { headers } });
	const { data: number } = await api.numbers.buyNumber({ country: "US", type: "mobile" });
	const { data: trunk } = await api.trunks.createTrunk({ name: "office", capacity: 2, auth });
	if (!number.id || !number.number) throw new Error("nothing was bought");
	const routing: RouteRequest = { type: "trunk", trunk_id: trunk.id, failover };
	const { data: routed } = await api.numbers.patchNumber(number.id, { routing });
	const { data: call } = await api.calls.placeCall(leg(number.number));
	const { data: page } = await api.numbers.listNumbers({ limit: 10 });
	const sound = await api.recordings.getRecordingMedia("rec_none").catch((refused: Response) => refused.status === 404 && "not_found");
	const { data: released } = await api.numbers.releaseNumber(number.id);
	return [routed.routing?.failover?.to, call.status, page.data.length, sound, released.status];`,
	],
};

test.each(Object.entries(typescript))("%s makes a client that works", async (generator, [args, imports, body]) => {
	const folder = await project();
	await run(generator, args.split(" "), folder);
	const program = `${imports}
async function main() {
	const failover: ForwardFailoverRequest & { type: "forward" } = { type: "forward", to: "+12025550100" };
	const auth = { mode: "ip_acl" as const, allowed_cidrs: ["198.51.100.7"] };
	const leg = (from: string) => ({ from, to: "+12025550101", record: true });
	${body}
}
main().then((seen) => console.log(JSON.stringify(seen)));
`;
	writeFileSync(join(folder, "program.ts"), program);
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
	await run("tsc", ["-p", "."], folder);
	expect(JSON.parse(await run("node", ["out/program.js"], folder))).toEqual(done);
});

const pythonProgram = `
import json, os
from generated import AuthenticatedClient, models
from generated.api.calls import place_call
from generated.api.numbers import buy_number, list_numbers, patch_number, release_number
from generated.api.recordings import get_recording_media
from generated.api.trunks import create_trunk

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"])
body = models.BuyNumber(country="US", type_=models.BuyNumberType.MOBILE)
number = buy_number.sync(client=client, body=body, idempotency_key="once")
assert isinstance(number, models.Purchase) and isinstance(number.id, str) and isinstance(number.number, str)
auth = models.IpAclAuthRequest(mode="ip_acl", allowed_cidrs=["198.51.100.7"])
trunk = create_trunk.sync(client=client, body=models.CreateTrunk(name="office", capacity=2, auth=auth))
assert isinstance(trunk, models.Trunk)
failover = models.ForwardFailoverRequest(type_="forward", to="+12025550100")
routing = models.TrunkRouteRequest(type_="trunk", trunk_id=trunk.id, failover=failover)
routed = patch_number.sync(number.id, client=client, body=models.PatchNumber(routing=routing))
assert isinstance(routed, models.PhoneNumber)
call = place_call.sync(client=client, body=models.PlaceCall(from_=number.number, to="+12025550101", record=True))
assert isinstance(call, models.Call)
page = list_numbers.sync(client=client, limit=10)
assert isinstance(page, models.ListNumbersAnswer)
sound = get_recording_media.sync("rec_none", client=client)
assert isinstance(sound, models.Error)
released = release_number.sync(number.id, client=client)
assert isinstance(released, models.PhoneNumber)
print(json.dumps([routed.to_dict()["routing"]["failover"]["to"], call.status, len(page.data), sound.error, released.status]))
`;

// Installs its packages the first time.
const timeout = 600_000;
test("openapi-python-client makes a client that works", { timeout }, async ({ skip }) => {
	const python = await pythonWith(["openapi-python-client==0.29.1", "mypy==2.4.1"], (why) => skip(why));
	const folder = await project();
	const config = {
		content_type_overrides: { "audio/wav": "application/octet-stream" },
		package_name_override: "generated",
		post_hooks: [],
	};
	writeFileSync(join(folder, "config.json"), JSON.stringify(config));
	const args = ["--path", "openapi.json", "--config", "config.json", "--meta", "none", "--fail-on-warning"];
	await run(python, ["-m", "openapi_python_client", "generate", ...args, "--output-path", "generated"], folder);
	writeFileSync(join(folder, "program.py"), pythonProgram);
	await run(python, ["-m", "mypy", "--strict", "program.py"], folder);
	expect(JSON.parse(await run(python, ["program.py"], folder))).toEqual(done);
});
