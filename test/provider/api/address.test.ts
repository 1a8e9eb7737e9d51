import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkedBaseUrl } from "../../../provider/api/address";
import { Client, type ClientOptions } from "../../../provider/api/client";

const clientOf = (options: Partial<ClientOptions>) =>
	new Client({ baseUrl: "https://api.example.com/v1", apiKey: "key", ...options });

describe("an address", () => {
	test.each([
		"https://api.example.com/v1",
		"https://api.example.com/v2/",
		"https://example.com/telephony/api/v1",
		"https://api.example.com/v2.1",
		"https://api.example.com/v1beta1",
		"http://localhost:4010/v1",
		"http://127.0.0.9/v1/",
		"http://[::1]:1/v1",
	])("%s may be used", (baseUrl) => expect(() => clientOf({ baseUrl })).not.toThrow());

	test.each([
		"",
		"api.example.com",
		"http://api.example.com/v1",
		"ftp://127.0.0.1",
		"https://a.example/v1?x=1",
		"http://127.evil.example/v1",
		"localhost:4010/v1",
		"127.0.0.1:4010/v1",
		"https://api.example.com",
		"https://api.example.com/",
		"https://api.example.com/v1/numbers",
		"https://api.example.com/api",
		"https://v1.example.com/dev1",
	])("%j may not, and one sentence says why and how to set one", (baseUrl) => {
		expect(() => clientOf({ baseUrl })).toThrow(
			/^The service's address (?!null)[^\n]+[^.]: set telephony:baseUrl \(or TELEPHONY_BASE_URL\) to .+ such as https:\/\/api\.example\.com\/v1\. \[telephony:config\]$/,
		);
	});

	test.each([
		["http://emulator:4010/v1", ["emulator"]],
		["http://EMULATOR/v1", ["other", "emulator"]],
		["http://my_emulator.internal/v1", ["My_Emulator.internal"]],
		["https://api.example.com/v1", ["emulator"]],
	])("%s may be used where allowHttp is %j", (baseUrl, allowHttp) =>
		expect(() => clientOf({ baseUrl, allowHttp })).not.toThrow(),
	);

	test("over plain http passes for exactly the hosts that allowHttp names", () => {
		const label = fc.stringMatching(/^[a-z]([a-z0-9_-]{0,3}[a-z0-9])?$/);
		const name = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join("."));
		const near = fc.constantFrom(
			(host: string) => host,
			(host: string) => `a.${host}`,
			(host: string) => `${host}.a`,
			(host: string) => `${host}.`,
			(host: string) => `x${host}`,
			(host: string) => `${host}x`,
			(host: string) => host.slice(1),
		);
		fc.assert(
			fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), near, (allowHttp, change) => {
				const host = change(allowHttp[0] as string);
				fc.pre(host !== "" && host !== "localhost" && URL.canParse(`http://${host}/v1`));
				const ask = () => checkedBaseUrl(`http://${host}:4010/v1`, allowHttp);
				if (allowHttp.includes(host)) expect(ask()).toBe(`http://${host}:4010/v1`);
				else expect(ask).toThrow(/is not https.*telephony:allowHttp or TELEPHONY_ALLOW_HTTP/);
			}),
		);
	});

	test.each(["*", "*.internal", ".internal", "emulator:4010", "http://emulator", "a/b", "10.0.0.5", "[fd00::1]"])(
		"%j names no host for allowHttp, not even beside an address over https",
		(name) => {
			const baseUrl = "https://api.example.com/v1";
			expect(() => clientOf({ baseUrl, allowHttp: ["emulator", name] })).toThrow(
				`telephony:allowHttp (or TELEPHONY_ALLOW_HTTP) has ${JSON.stringify(name)}, which isn't a host name`,
			);
		},
	);

	test.each(["0x7f.1", "2130706433", "emulator.", "münchen", ""])(
		"%j is none either: a URL would not keep it",
		(name) => expect(() => checkedBaseUrl("https://api.example.com/v1", [name])).toThrow(/isn't a host name/),
	);

	test("with credentials is refused without repeating them", () => {
		let message = "";
		try {
			clientOf({ baseUrl: "https://anna:hunter2@api.example.com/v1" });
		} catch (error) {
			message = String(error);
		}
		expect(message).toContain("contains credentials");
		expect(message).not.toMatch(/anna|hunter2/);
	});

	test.each(["", "two words", "ü", "line\nbreak"])("a key like %j is refused without repeating it", (key) => {
		expect(() => clientOf({ apiKey: key })).toThrow(/^The API key is empty or contains spaces/);
	});
});
