import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Client, ClientOptions } from "../../../provider/api/client";
import { type Operation, operations, secretFields } from "../../../provider/api/contract";
import { Secrets } from "../../../provider/api/redact";
import { failureOf } from "../../helpers/provider";
import { answer, refusal, useScriptedServer } from "../../helpers/scripted-server";

const secret = fc.oneof(
	fc.string({ unit: "grapheme", minLength: 8, maxLength: 40 }),
	fc.string({
		unit: fc.constantFrom('"', "\\", "/", "~", "*", "ü", "€", "😀", " ", "%", "+", "&", "a", "\n", "'", "é"),
		minLength: 8,
	}),
);

/** Written by other means than the code's own. */
const forms: Record<string, (text: string) => string> = {
	"as it is": (text) => text,
	"in JSON": (text) => JSON.stringify(text).slice(1, -1),
	"in JSON within JSON": (text) => JSON.stringify(JSON.stringify({ text })).slice(13, -4),
	"in JSON of ASCII only": (text) =>
		[...JSON.stringify(text).slice(1, -1)]
			.flatMap((sign) => sign.split(""))
			.map((unit) => (unit > "~" ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : unit))
			.join(""),
	"in JSON with slashes escaped": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
	"in a URL": (text) => encodeURIComponent(text),
	"in a URL, in lower case": (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
	"in a form": (text) => new URLSearchParams({ text }).toString().slice(5),
	"in a form that escapes asterisks": (text) =>
		new URLSearchParams({ text }).toString().slice(5).replaceAll("*", "%2A"),
	"in base64": (text) => Buffer.from(text).toString("base64"),
	"in base64 for URLs": (text) => Buffer.from(text).toString("base64url"),
};

describe("a secret is masked", () => {
	test.each(Object.keys(forms))("%s", (name) => {
		fc.assert(
			fc.property(secret, (password) => {
				const secrets = new Secrets();
				secrets.note({ auth: { password } });
				const text = forms[name]?.(password) ?? "";
				expect(secrets.mask(`before <${text}> after`)).toBe("before <[secret]> after");
			}),
		);
	});

	test("in base64 amid other bytes, but for what they have in common", () => {
		fc.assert(
			fc.property(secret, fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (password, before, after) => {
				const secrets = new Secrets();
				secrets.note({ password });
				const masked = secrets.mask(Buffer.from(before + password + after).toString("base64"));
				const left = masked.split("[secret]").map((part) => Buffer.from(part, "base64").length);
				expect(left.length).toBeGreaterThan(1);
				expect(left.reduce((a, b) => a + b)).toBeLessThanOrEqual(Buffer.byteLength(before + after) + 4);
			}),
		);
	});

	test("the longest first, where one is part of another", () => {
		const secrets = new Secrets();
		secrets.addKey("abcdefgh");
		secrets.note([{ password: "abcdefgh-longer" }, { password: "defgh-longer" }]);
		expect(secrets.mask("abcdefgh-longer abcdefgh")).toBe("[secret] [key]");
	});

	test("the beginning of a secret is masked where the text ends in it", () => {
		const secrets = new Secrets();
		secrets.note({ password: 'correct "horse" battery' });
		expect(secrets.mask('No: {"password":"correct \\"ho…"}')).toBe('No: {"password":"[secret]…"}');
		expect(secrets.mask("that is correct")).toBe("that is [secret]");
		expect(secrets.mask("that is corr")).toBe("that is corr");
	});

	test("a short secret is masked only where it stands alone", () => {
		const secrets = new Secrets();
		secrets.note({ carrier: { pin: "0042" } });
		expect(secrets.mask('the PIN "0042" of num_x0042y, pin=0042, MDA0Mg==')).toBe(
			'the PIN "[secret]" of num_x0042y, pin=[secret], [secret]',
		);
	});
});

test("what a resource's properties hold is known by the same names in camel case", () => {
	const secrets = new Secrets();
	secrets.note([{ auth: { password: "pass-word-one" } }, { idNumber: "L01X00T47" }]);
	expect(secrets.mask("pass-word-one L01X00T47")).toBe("[secret] [secret]");
});

test("every field of the contract that sounds like a secret is marked as one", () => {
	const names = new Set<string>();
	const walk = (schema: unknown, seen = new Set<unknown>()): void => {
		if (typeof schema !== "object" || schema === null || seen.has(schema)) return;
		seen.add(schema);
		const { shape, ...rest } = (schema as { def?: Record<string, unknown> }).def ?? {};
		for (const [name, field] of Object.entries((shape as object | undefined) ?? {})) {
			names.add(name);
			walk(field, seen);
		}
		for (const part of Object.values(rest)) for (const each of [part].flat()) walk(each, seen);
	};
	for (const { body, answer } of Object.values(operations) as Operation[]) {
		walk(body);
		walk(answer);
	}
	const sounding = [...names].filter((name) => /password|secret|pin$|token|key|id_number|^content$/.test(name));
	// What tells of a secret, and isn't one.
	const telling = /_(set|hint|version|updated_at|expires_at)$/;
	expect(sounding.filter((name) => !telling.test(name)).sort()).toEqual([...secretFields].sort());
	expect([...secretFields].sort()).toEqual(["content", "id_number", "password", "pin", "secret"]);
});

describe("what a service repeats", () => {
	const apiKey = 'sk-"live"/0123';
	const server = useScriptedServer();
	const clientOf = (options: Partial<ClientOptions> = {}) => server.client({ apiKey, ...options });
	const trunk = { name: "pbx", capacity: 1, auth: { mode: "digest", username: "pbx-1" } } as const;

	/** All that printing an error could show. */
	const inside = (error: Error): string => JSON.stringify([error.message, { ...error }]) + error.stack;

	test("a key that the service repeats stands in no error and no log", async () => {
		const lines: string[] = [];
		const client = clientOf({ log: (line) => lines.push(line), retry: { tries: 1 } });
		for (const status of [400, 401, 409, 500]) {
			server.script = (response) => {
				const echo = refusal(apiKey, { message: `Bearer ${apiKey}`, request_id: apiKey, details: [{ key: apiKey }] });
				answer(response, status, echo, { "x-request-id": apiKey });
			};
			const error = await failureOf(client.trunks.get("x"));
			expect(inside(error)).toContain("[key]");
			expect(inside(error)).not.toContain("0123");
		}
		expect(lines.join("\n")).not.toContain("0123");
	});

	test.each([
		[
			"a password",
			(client: Client, value: string) => client.trunks.create({ ...trunk, auth: { ...trunk.auth, password: value } }),
		],
		["a PIN", (client: Client, value: string) => client.portOrders.patch("x", { carrier: { name: "a", pin: value } })],
		[
			"the number of an identity card",
			(client: Client, value: string) => client.kyc.profiles.patch("x", { id_number: value }),
		],
		[
			"a document",
			(client: Client, value: string) =>
				client.kyc.documents.create({
					kind: "other",
					filename: "a",
					media_type: "image/png",
					content: value.repeat(500),
				}),
		],
	] as const)(
		"%s that the service repeats stands in no error and no log, not even of the next request",
		async (what, send) => {
			const value = "L01X00T471";
			const lines: string[] = [];
			const client = clientOf({ retry: { tries: 1 }, log: (line) => lines.push(line) });
			await client.numbers.list().next();
			server.script = (response, received) => {
				const sent = received
					.slice(1)
					.map(({ body }) => body)
					.join();
				const repeated = refusal("invalid", { message: `No: ${sent}`, details: { [sent]: [sent] } });
				answer(response, 400, repeated, { "x-request-id": value });
			};
			const errors = [await failureOf(send(client, value))];
			if (what !== "a document") errors.push(await failureOf(client.trunks.get("x")));
			for (const error of errors) expect(inside(error)).toContain("[secret]");
			expect(errors.map(inside).join() + lines[1]).not.toContain(value);
		},
	);

	test("a secret that the service has made stands in no error after", async () => {
		const client = clientOf();
		server.script = (response) => answer(response, 200, { id: "x", secret: "whsec_MfKQ9r8GKYqrTwjU" });
		await client.webhooks.rotateSecret("x");
		server.script = (response) => answer(response, 400, refusal("invalid", { message: "old: whsec_MfKQ9r8GKYqrTwjU" }));
		expect((await failureOf(client.webhooks.patch("x", {}))).message).toContain("old: [secret]");
	});
});
