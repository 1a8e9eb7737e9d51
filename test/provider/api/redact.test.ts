import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import type { Client } from "../../../provider/api/client";
import { type Operation, operations, secretFields } from "../../../provider/api/contract";
import { Secrets } from "../../../provider/api/redact";
import { failureOf } from "../../helpers/provider";
import { refusal, reply, useScriptedServer } from "../../helpers/scripted-server";

const signs = ['"', "\\", "/", "~", "*", "ü", "€", "😀", " ", "%", "+", "&", "a", "\n", "'", "é"];
const secret = fc.oneof(
	fc.string({ unit: "grapheme", minLength: 8, maxLength: 40 }),
	fc.string({ unit: fc.constantFrom(...signs), minLength: 8 }),
);
const mask = (value: object, text: string) => {
	const secrets = new Secrets();
	secrets.addKey("abcdefgh");
	secrets.note(value);
	return secrets.mask(text);
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
			const masked = mask({ auth: { password } }, `before <${encode(password)}> after`);
			expect(masked).toBe("before <[secret]> after");
		}),
	);
});

test("masks a secret in base64 among other bytes", () => {
	const text = fc.string({ maxLength: 5 });
	fc.assert(
		fc.property(secret, text, text, (password, before, after) => {
			const masked = mask({ password }, Buffer.from(before + password + after).toString("base64"));
			const lengths = masked.split("[secret]").map((part) => Buffer.from(part, "base64").length);
			expect(lengths.length).toBeGreaterThan(1);
			expect(lengths.reduce((a, b) => a + b)).toBeLessThanOrEqual(Buffer.byteLength(before + after) + 4);
		}),
	);
});

const cut = { password: 'correct "horse" battery' };
test.each<[why: string, secrets: object, text: string, masked: string]>([
	["the longest first", [{ password: "abcdefgh-longer" }], "abcdefgh-longer abcdefgh", "[secret] [key]"],
	["that is cut off", cut, 'No: {"password":"correct \\"ho…"}', 'No: {"password":"[secret]…"}'],
	["unless too little is left", cut, "that is corr", "that is corr"],
	[
		"that is short where it stands alone",
		{ pin: "0042" },
		'PIN "0042", x0042y, MDA0Mg==',
		'PIN "[secret]", x0042y, [secret]',
	],
	["in camel case", [{ idNumber: "L01X00T47" }], "L01X00T47", "[secret]"],
])("masks a secret %s", (_, secrets, text, masked) => {
	expect(mask(secrets, text)).toBe(masked);
});

test("knows every field that is marked as a secret, or sounds like one", () => {
	const names = new Set<string>();
	const marked = new Set<string>();
	const visited = new Set<unknown>();
	const walk = (schema: unknown): void => {
		if (typeof schema !== "object" || schema === null || visited.has(schema)) return;
		visited.add(schema);
		const { shape = {}, ...rest } = (schema as { def?: Record<string, unknown> }).def ?? {};
		for (const [name, field] of Object.entries(shape as Record<string, z.ZodType>)) {
			names.add(name);
			if (field.meta()?.["x-secret"] === true) marked.add(name);
		}
		for (const part of [...Object.values(shape as object), ...Object.values(rest).flat()]) walk(part);
	};
	for (const { body, response } of Object.values(operations) as Operation[])
		for (const part of [body, response]) walk(part);
	const isSecret = (name: string) => /password|secret|pin$|token|key|id_number|^content$/.test(name);
	// Fields about a secret don't hold one.
	const isAbout = (name: string) => /_(set|hint|version|updated_at|expires_at)$/.test(name);
	expect([...names].filter((name) => isSecret(name) && !isAbout(name)).sort()).toEqual([...secretFields].sort());
	expect([...marked].sort()).toEqual([...secretFields].sort());
});

describe("a service that repeats a secret", () => {
	const apiKey = 'sk-"live"/0123';
	const value = "L01X00T471";
	const server = useScriptedServer();
	const open = () => {
		const lines: string[] = [];
		const client = server.client({ apiKey, retry: { tries: 1 }, log: (line) => lines.push(line) });
		/** All that the errors and the log could show. */
		const printed = (...errors: readonly Error[]) =>
			[...errors.map((error) => JSON.stringify([error.message, { ...error }]) + error.stack), ...lines].join();
		return { client, printed };
	};

	test("brings no API key into an error or the log", async () => {
		const { client, printed } = open();
		for (const status of [400, 401, 409, 500]) {
			const echo = { message: `Bearer ${apiKey}`, request_id: apiKey, details: [{ key: apiKey }] };
			server.script = (response) => reply(response, status, refusal(apiKey, echo), { "x-request-id": apiKey });
			const text = printed(await failureOf(client.trunks.get("x")));
			expect([text.includes("[key]"), text.includes("0123")]).toEqual([true, false]);
		}
	});

	const auth = { mode: "digest", username: "pbx-1", password: value } as const;
	const document = { kind: "other", filename: "a", media_type: "image/png", content: value.repeat(500) } as const;
	test.each<[string, send: (client: Client) => Promise<unknown>]>([
		["password", ({ trunks }) => trunks.create({ name: "pbx", capacity: 1, auth })],
		["PIN", ({ portOrders }) => portOrders.patch("x", { carrier: { name: "a", pin: value } })],
		["identity number", ({ kyc }) => kyc.profiles.patch("x", { id_number: value })],
		["document", ({ kyc }) => kyc.documents.create(document)],
	])("brings no %s into an error or the log, nor with the next request", async (what, send) => {
		const { client, printed } = open();
		await client.numbers.list().next();
		server.script = (response, received) => {
			const sent = received.map(({ body }) => body).join();
			reply(response, 400, refusal("invalid", { message: `No: ${sent}`, details: { [sent]: [sent] } }));
		};
		const errors = [await failureOf(send(client))];
		// Documents are too long to be remembered.
		if (what !== "document") errors.push(await failureOf(client.trunks.get("x")));
		const text = printed(...errors);
		expect([text.includes("[secret]"), text.includes(value)]).toEqual([true, false]);
	});

	test("brings no secret that the service made into an error", async () => {
		const { client, printed } = open();
		server.script = (response) => reply(response, 200, { id: "x", secret: value });
		await client.webhooks.rotateSecret("x");
		server.script = (response) => reply(response, 400, refusal("invalid", { message: `old: ${value}` }));
		expect(printed(await failureOf(client.webhooks.patch("x", {})))).not.toContain(value);
	});
});
