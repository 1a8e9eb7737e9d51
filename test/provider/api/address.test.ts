import fc from "fast-check";
import { expect, test } from "vitest";
import { checkedBaseUrl } from "../../../provider/api/address";
import { Client, type ClientOptions } from "../../../provider/api/client";

const versioned = "https://api.example.com/v1";
const open = (options: Partial<ClientOptions>) => () => new Client({ baseUrl: versioned, apiKey: "key", ...options });
const refused = expect.objectContaining({ kind: "Config", messageCode: "config" });

test.each<[baseUrl: string, allowHttp?: string[]]>([
	[versioned],
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
	[versioned, ["emulator"]],
])("accepts the address %s with allowHttp %j", (baseUrl, allowHttp = []) => {
	expect(open({ baseUrl, allowHttp })).not.toThrow();
});

test.each([
	...["", "api.example.com", "ftp://127.0.0.1", "localhost:4010/v1", "127.0.0.1:4010/v1"],
	...["http://api.example.com/v1", "http://127.evil.example/v1", "https://a.example/v1?x=1"],
	...["https://api.example.com", "https://api.example.com/", "https://api.example.com/v1/numbers"],
	...["https://api.example.com/api", "https://v1.example.com/dev1"],
])("refuses the address %j", (baseUrl) => expect(open({ baseUrl })).toThrow(refused));

test("allows plain http for exactly the hosts that allowHttp names", () => {
	const label = fc.stringMatching(/^[a-z]([a-z0-9_-]{0,3}[a-z0-9])?$/);
	const name = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join("."));
	const near = fc.constantFrom<(host: string) => string>(
		...[(host: string) => host, (host: string) => host.slice(1), (host: string) => `a.${host}`],
		...["a", ".", ".a"].map((end) => (host: string) => host + end),
	);
	fc.assert(
		fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), near, (allowHttp, change) => {
			const host = change(allowHttp[0] as string);
			fc.pre(host !== "" && host !== "localhost" && URL.canParse(`http://${host}/v1`));
			const check = () => checkedBaseUrl(`http://${host}:4010/v1`, allowHttp);
			if (allowHttp.includes(host)) expect(check()).toBe(`http://${host}:4010/v1`);
			else expect(check).toThrow(refused);
		}),
	);
});

test.each([
	...["*", "*.internal", ".internal", "emulator:4010", "http://emulator", "a/b", "10.0.0.5", "[fd00::1]"],
	...["0x7f.1", "2130706433", "emulator.", "münchen", ""],
])("refuses %j in allowHttp, beside an address over https too", (name) => {
	expect(open({ allowHttp: ["emulator", name] })).toThrow(refused);
	expect(open({ allowHttp: ["emulator", name] })).toThrow(JSON.stringify(name));
});

test("repeats neither credentials in the address nor a key that it refuses", () => {
	const withUser = open({ baseUrl: "https://anna:hunter2@api.example.com/v1" });
	expect(withUser).toThrow(refused);
	expect(withUser).not.toThrow(/anna|hunter2/);
	for (const apiKey of ["", "two words", "ü", "line\nbreak"]) {
		expect(open({ apiKey })).toThrow(refused);
		if (apiKey !== "") expect(open({ apiKey })).not.toThrow(apiKey);
	}
});
