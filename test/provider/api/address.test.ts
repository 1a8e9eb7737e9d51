import { describe, expect, test } from "vitest";
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
