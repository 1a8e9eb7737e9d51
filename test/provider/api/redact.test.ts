import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Client, ClientOptions } from "../../../provider/api/client";
import { type Operation, operations, secretFields } from "../../../provider/api/contract";
import { Secrets } from "../../../provider/api/redact";
import { failureOf } from "../../helpers/provider";
import { answer, refusal, useScriptedServer } from "../../helpers/scripted-server";

const signs = ['"', "\\", "/", "~", "*", "ü", "€", "😀", " ", "%", "+", "&", "a", "\n", "'", "é"];
const secret = fc.oneof(
	fc.string({ unit: "grapheme", minLength: 8, maxLength: 40 }),
	fc.string({ unit: fc.constantFrom(...signs), minLength: 8 }),
);
const secretsOf = (...values: object[]) => {
	const secrets = new Secrets();
	for (const value of values) secrets.note(value);
	return secrets;
};

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const inForm = (text: string) => new URLSearchParams({ text }).toString().slice(5);
const inAscii = (unit: string) => (unit > "~" ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : unit);
/** Encoded by other means than the provider's own. */
const forms: Record<string, (text: string) => string> = {
	"as it is": (text) => text,
	"in JSON": inJson,
	"in JSON within JSON": (text) => JSON.stringify(JSON.stringify({ text })).slice(13, -4),
	"in JSON of ASCII only": (text) => inJson(text).split("").map(inAscii).join(""),
	"in JSON with slashes escaped": (text) => inJson(text).replaceAll("/", "\\/"),
	"in a URL": encodeURIComponent,
	"in a URL, in lower case": (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
	"in a form": inForm,
	"in a form that escapes asterisks": (text) => inForm(text).replaceAll("*", "%2A"),
	"in base64": (text) => Buffer.from(text).toString("base64"),
	"in base64 for URLs": (text) => Buffer.from(text).toString("base64url"),
};

test.each(Object.entries(forms))("masks a secret %s", (_, encode) => {
	fc.assert(
		fc.property(secret, (password) => {
			const masked = secretsOf({ auth: { password } }).mask(`before <${encode(password)}> after`);
			expect(masked).toBe("before <[secret]> after");
		}),
	);
});

test("masks a secret in base64 among other bytes, but for the characters they share", () => {
	const other = fc.string({ maxLength: 5 });
	fc.assert(
		fc.property(secret, other, other, (password, before, after) => {
			const masked = secretsOf({ password }).mask(Buffer.from(before + password + after).toString("base64"));
			const left = masked.split("[secret]").map((part) => Buffer.from(part, "base64").length);
			expect(left.length).toBeGreaterThan(1);
			expect(left.reduce((a, b) => a + b)).toBeLessThanOrEqual(Buffer.byteLength(before + after) + 4);
		}),
	);
});

test("masks the longest secret first where one is part of another", () => {
	const secrets = secretsOf([{ password: "abcdefgh-longer" }, { password: "defgh-longer" }]);
	secrets.addKey("abcdefgh");
	expect(secrets.mask("abcdefgh-longer abcdefgh")).toBe("[secret] [key]");
});

test.each([
	['No: {"password":"correct \\"ho…"}', 'No: {"password":"[secret]…"}'],
	["that is correct", "that is [secret]"],
	["that is corr", "that is corr"],
])("masks the beginning of a secret where %j ends in it", (text, masked) => {
	expect(secretsOf({ password: 'correct "horse" battery' }).mask(text)).toBe(masked);
});

test("masks a short secret only where it stands alone", () => {
	const masked = secretsOf({ carrier: { pin: "0042" } }).mask('the PIN "0042" of num_x0042y, pin=0042, MDA0Mg==');
	expect(masked).toBe('the PIN "[secret]" of num_x0042y, pin=[secret], [secret]');
});

test("finds secrets in a resource's properties, named in camel case", () => {
	const secrets = secretsOf([{ auth: { password: "pass-word-one" } }, { idNumber: "L01X00T47" }]);
	expect(secrets.mask("pass-word-one L01X00T47")).toBe("[secret] [secret]");
});

test("lists every field of the contract that sounds like a secret", () => {
	const names = new Set<string>();
	const seen = new Set<unknown>();
	const walk = (schema: unknown): void => {
		if (typeof schema !== "object" || schema === null || seen.has(schema)) return;
		seen.add(schema);
		const { shape = {}, ...rest } = (schema as { def?: Record<string, unknown> }).def ?? {};
		for (const name of Object.keys(shape as object)) names.add(name);
		for (const part of [...Object.values(shape as object), ...Object.values(rest)])
			for (const each of [part].flat()) walk(each);
	};
	for (const { body, answer } of Object.values(operations) as Operation[])
		for (const each of [body, answer]) walk(each);
	// Fields about a secret don't hold one.
	const isSecret = (name: string) =>
		/password|secret|pin$|token|key|id_number|^content$/.test(name) &&
		!/_(set|hint|version|updated_at|expires_at)$/.test(name);
	expect([...names].filter(isSecret).sort()).toEqual([...secretFields].sort());
	expect([...secretFields].sort()).toEqual(["content", "id_number", "password", "pin", "secret"]);
});

describe("a service that repeats a secret", () => {
	const apiKey = 'sk-"live"/0123';
	const server = useScriptedServer();
	const open = (options: Partial<ClientOptions> = {}) => {
		const lines: string[] = [];
		const client = server.client({ apiKey, retry: { tries: 1 }, log: (line) => lines.push(line), ...options });
		return { client, lines };
	};
	/** All that printing an error could show. */
	const inside = (error: Error): string => JSON.stringify([error.message, { ...error }]) + error.stack;

	test("brings no API key into an error or a log line", async () => {
		const { client, lines } = open();
		for (const status of [400, 401, 409, 500]) {
			const echo = { message: `Bearer ${apiKey}`, request_id: apiKey, details: [{ key: apiKey }] };
			server.script = (response) => answer(response, status, refusal(apiKey, echo), { "x-request-id": apiKey });
			const text = inside(await failureOf(client.trunks.get("x")));
			expect(text).toContain("[key]");
			expect(text + lines.join()).not.toContain("0123");
		}
	});

	const auth = { mode: "digest", username: "pbx-1" } as const;
	const paper = { kind: "other", filename: "a", media_type: "image/png" } as const;
	type Send = (client: Client, value: string) => Promise<unknown>;
	test.each<[string, Send]>([
		["password", ({ trunks }, password) => trunks.create({ name: "pbx", capacity: 1, auth: { ...auth, password } })],
		["PIN", ({ portOrders }, pin) => portOrders.patch("x", { carrier: { name: "a", pin } })],
		["identity number", ({ kyc }, id_number) => kyc.profiles.patch("x", { id_number })],
		["document", ({ kyc }, value) => kyc.documents.create({ ...paper, content: value.repeat(500) })],
	])("brings no %s into an error or a log line, nor after the next request", async (what, send) => {
		const value = "L01X00T471";
		const { client, lines } = open();
		await client.numbers.list().next();
		server.script = (response, received) => {
			const sent = received.map(({ body }) => body).join();
			const echo = refusal("invalid", { message: `No: ${sent}`, details: { [sent]: [sent] } });
			answer(response, 400, echo, { "x-request-id": value });
		};
		const errors = [await failureOf(send(client, value))];
		// Documents are too long to be remembered.
		if (what !== "document") errors.push(await failureOf(client.trunks.get("x")));
		for (const error of errors) expect(inside(error)).toContain("[secret]");
		expect(errors.map(inside).join() + lines[1]).not.toContain(value);
	});

	test("brings no secret that the service made into an error", async () => {
		const { client } = open();
		server.script = (response) => answer(response, 200, { id: "x", secret: "whsec_MfKQ9r8GKYqrTwjU" });
		await client.webhooks.rotateSecret("x");
		server.script = (response) => answer(response, 400, refusal("invalid", { message: "old: whsec_MfKQ9r8GKYqrTwjU" }));
		expect((await failureOf(client.webhooks.patch("x", {}))).message).toContain("old: [secret]");
	});
});
