import { expect, test } from "vitest";
import { readConfig } from "../../../provider/session/config";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, create, openProvider } from "../../helpers/provider";

const emulator = useEmulator();

test("the environment wins over the stack, and an empty variable is none", () => {
	const stack = (key: string) =>
		({ "telephony:apiKey": "of stack", "telephony:baseUrl": "https://stack.example/v1" })[key];
	expect(readConfig(stack, { TELEPHONY_API_KEY: "of env" }, "/")).toMatchObject({
		apiKey: "of env",
		baseUrl: "https://stack.example/v1",
	});
	expect(readConfig(stack, { TELEPHONY_API_KEY: "" }, "/").apiKey).toBe("of stack");
});

test("the hosts that may be asked over plain http are a list, and the environment's wins", () => {
	const stack = (key: string) =>
		({
			"telephony:apiKey": "k",
			"telephony:baseUrl": "http://emulator:4010/v1",
			"telephony:allowHttp": "other, emulator\nthird",
		})[key];
	expect(readConfig(stack, {}, "/")).toMatchObject({
		baseUrl: "http://emulator:4010/v1",
		allowHttp: ["other", "emulator", "third"],
	});
	expect(readConfig(stack, { TELEPHONY_ALLOW_HTTP: "emulator" }, "/").allowHttp).toEqual(["emulator"]);
	expect(() => readConfig(stack, { TELEPHONY_ALLOW_HTTP: "other" }, "/")).toThrow(
		/http:\/\/emulator:4010 is not https/,
	);
	expect(() => readConfig(stack, { TELEPHONY_ALLOW_HTTP: "*" }, "/")).toThrow(/TELEPHONY_ALLOW_HTTP\) has "\*"/);
});

test("TELEPHONY_LOG=debug shows each request, without key and bodies", async () => {
	const run = openProvider(emulator, { env: { TELEPHONY_LOG: "debug" } });
	await create(run.number, aNumber({ label: "front desk" }));
	expect(run.log).toEqual([
		expect.stringMatching(/^GET \/numbers 200 \d+ ms req_\w+$/),
		expect.stringMatching(/^POST \/numbers 201 \d+ ms req_\w+$/),
		expect.stringMatching(/^PATCH \/numbers\/num_\w+ 200 \d+ ms req_\w+$/),
	]);
	const quiet = openProvider(emulator);
	await create(quiet.number, aNumber({}, "other"));
	expect(quiet.log).toEqual([]);
});
