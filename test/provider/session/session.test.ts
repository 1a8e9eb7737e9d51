import { expect, test } from "vitest";
import { readConfig } from "../../../provider/session/config";
import { Session } from "../../../provider/session/session";
import { useEmulator } from "../../helpers/emulator";
import { eventually } from "../../helpers/eventually";
import { aNumber, create, openProvider } from "../../helpers/provider";

const emulator = useEmulator();

test("prefers the environment to the stack, unless it is empty", () => {
	const allowHttp = "other, emulator\nthird";
	const config = { apiKey: "of stack", baseUrl: "http://emulator:4010/v1", allowHttp, features: "-trunks" };
	const read = (env: Record<string, string> = {}) =>
		readConfig((key) => config[key.replace("telephony:", "") as keyof typeof config], env, "/");
	const { baseUrl } = config;
	expect(read()).toMatchObject({ apiKey: "of stack", baseUrl, allowHttp: ["other", "emulator", "third"] });
	expect(read({ TELEPHONY_API_KEY: "" }).apiKey).toBe("of stack");
	expect([...read().features, ...read({ TELEPHONY_FEATURES: "kyc" }).features]).toEqual(
		Object.entries({ trunks: false, kyc: true }),
	);
	const env = { TELEPHONY_API_KEY: "of env", TELEPHONY_ALLOW_HTTP: "emulator" };
	expect(read(env)).toMatchObject({ apiKey: "of env", baseUrl, allowHttp: ["emulator"] });
	for (const TELEPHONY_ALLOW_HTTP of ["other", "*"])
		expect(() => read({ TELEPHONY_ALLOW_HTTP })).toThrow("[telephony:config]");
});

test("logs each request for TELEPHONY_LOG=debug, without key and bodies", async () => {
	const run = openProvider(emulator, { env: { TELEPHONY_LOG: "debug" } });
	await create(run.number, aNumber({ label: "front desk" }));
	const lines = ["GET /numbers 200", "POST /numbers 201", "PATCH /numbers/num_\\w+ 200"];
	expect(run.log).toEqual(lines.map((line) => expect.stringMatching(new RegExp(`^${line} \\d+ ms req_\\w+$`))));
	const quiet = openProvider(emulator);
	await create(quiet.number, aNumber({}, "other"));
	expect(quiet.log).toEqual([]);
});

test("reports the rate limit that requests wait for", async () => {
	emulator.control.settings({ requestsPerSecond: 1, requestBurst: 1 });
	const env = { TELEPHONY_API_KEY: emulator.apiKey, TELEPHONY_BASE_URL: emulator.url };
	// The sessions of other tests share their clock for this address.
	const session = new Session({ env, wire: { states: new Map() } });
	session.configure(() => undefined);
	const { client } = await session.service();
	const reads = [1, 2, 3, 4].map(() => client.numbers.list().next());
	await eventually(() => expect(session.waitingFor()).toMatch(/\d requests? (is|are) waiting$/));
	emulator.control.settings({ requestsPerSecond: null });
	await Promise.all(reads);
	expect(session.waitingFor()).toBeUndefined();
});
