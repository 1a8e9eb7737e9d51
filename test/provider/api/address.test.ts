import { expect, test } from "vitest";
import { Client, type ClientOptions } from "../../../provider/api/client";

const versioned = "https://api.example.com/v1";
const open = (options: Partial<ClientOptions>) => () => new Client({ baseUrl: versioned, apiKey: "key", ...options });
const refused = expect.objectContaining({ kind: "Config", messageCode: "config" });

test.each<[baseUrl: string, allowHttp?: string[]]>([
	[versioned, ["emulator"]],
	["https://api.example.com/v2/"],
	["https://example.com/telephony/api/v1"],
	["https://api.example.com/v2.1"],
	["https://api.example.com/v1beta1"],
	["http://localhost:4010/v1"],
	["http://127.0.0.9/v1/"],
	["http://[::1]:1/v1"],
	["http://emulator:4010/v1", ["emulator"]],
	["http://EMULATOR/v1", ["other", "emulator"]],
	["http://my_emulator.internal/v1", ["My_Emulator.internal"]],
	["http://münchen.internal/v1", ["MÜNCHEN.internal"]],
	["http://xn--mnchen-3ya.internal/v1", ["münchen.internal"]],
	["https://münchen_1.example/v1"],
])("accepts the address %s with allowHttp %j", (baseUrl, allowHttp = []) => {
	expect(open({ baseUrl, allowHttp })).not.toThrow();
});

test.each([
	...["", "api.example.com", "ftp://127.0.0.1", "localhost:4010/v1", "127.0.0.1:4010/v1"],
	...["http://api.example.com/v1", "http://127.evil.example/v1", "https://a.example/v1?x=1"],
	...["https://api.example.com", "https://api.example.com/", "https://api.example.com/v1/numbers"],
	...["https://api.example.com/api", "https://v1.example.com/dev1"],
	...["a.emulator", "emulator.a", "emulator.", "xemulator", "emulatorx", "mulator"].map((host) => `http://${host}/v1`),
])("refuses the address %j", (baseUrl) => expect(open({ baseUrl, allowHttp: ["emulator"] })).toThrow(refused));

test("says what an address without a version needs", () =>
	expect(open({ baseUrl: "https://api.example.com" })).toThrow(/set telephony:baseUrl .*, such as https:\/\/api/));

test.each(["*", "*.internal", ".internal", "http://emulator", "emulator:4010", "ü*", "ü/emulator.internal"])(
	"matches no host with %j",
	(pattern) => {
		expect(open({ baseUrl: "http://emulator.internal/v1", allowHttp: [pattern] })).toThrow(refused);
		expect(open({ baseUrl: "http://emulator:4010/v1", allowHttp: [pattern] })).toThrow(refused);
	},
);

test("repeats neither credentials in the address nor a key that it refuses", () => {
	const options = ["two words", "ü", "line\nbreak", ""].map((apiKey) => ({ apiKey }));
	for (const given of [...options, { baseUrl: "https://anna:hunter2@api.example.com/v1" }]) {
		expect(open(given)).toThrow(refused);
		expect(open(given)).not.toThrow(/anna|hunter2|two words|ü|line/);
	}
});
