/** Responses in codings and charsets that the client didn't request, and with long headers. */
import { brotliCompressSync, deflateSync, gzipSync, type InputType, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { failureOf } from "../../helpers/provider";
import { refusal, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const record = { id: "x", label: "Bürö – 日本" };

interface Sent {
	readonly status?: number;
	readonly bytes: Uint8Array | string;
	readonly headers?: Record<string, string | readonly string[]>;
}
const respond = ({ status = 200, bytes, headers }: Sent) => {
	server.script = (response) =>
		response.writeHead(status, { "content-type": "application/json", ...(headers as object) }).end(bytes);
};
const json = (body: object = record) => JSON.stringify(body);
const once = { retry: { tries: 1 } };
const read = () => server.client(once).numbers.get("x");
const buy = () => server.client(once).numbers.buy({ country: "NL", type: "mobile" });

const codings: Record<string, (text: InputType) => Uint8Array> = {
	gzip: gzipSync,
	"X-GZip": gzipSync,
	br: brotliCompressSync,
	"deflate ": deflateSync,
	zstd: zstdCompressSync,
};

describe.each(Object.entries(codings))("a response in the coding %s", (coding, encode) => {
	const headers = { "content-encoding": coding };

	test("is read, although the client requests identity", async () => {
		respond({ bytes: encode(json()), headers });
		expect(await read()).toEqual(record);
		respond({ status: 201, bytes: encode(json()), headers });
		expect((await buy()).data).toEqual(record);
		expect(server.received[0]?.headers["accept-encoding"]).toBe("identity");
	});

	test("is read if it is an error, a list or a document", async () => {
		respond({ status: 409, bytes: encode(json(refusal("no_inventory"))), headers });
		expect(await failureOf(buy())).toMatchObject({ kind: "Conflict", errorCode: "no_inventory" });
		respond({ bytes: encode(json({ data: [record], next_cursor: null })), headers });
		expect((await server.client().numbers.list().next()).value).toEqual(record);
		respond({ bytes: encode("<p>Invoice"), headers: { ...headers, "content-type": "text/html" } });
		const { bytes } = await server.client().billing.invoiceDocument("x");
		expect(Buffer.from(bytes).toString()).toBe("<p>Invoice");
	});
});

test.each(["compress", "dcb", "gzip, exi"])("names the coding %s, which it can't decode", async (coding) => {
	const headers = { "content-encoding": coding };
	respond({ bytes: Buffer.from([0x1f, 0x9d, 0x90, 0x7b]), headers });
	const errors = [await failureOf(read()), await failureOf(buy())];
	expect(errors.map(({ kind }) => kind)).toEqual(["Unavailable", "OutcomeUnknown"]);
	expect(errors.every(({ message }) => message.includes(`content coding ${coding}`))).toBe(true);
	respond({ status: 400, bytes: "???", headers });
	expect((await failureOf(read())).kind).toBe("Invalid");
});

test.each(["compress", "gzip"])("fails to read a document in %s that it can't decode", async (coding) => {
	const headers = { "content-encoding": coding, "content-type": "application/pdf" };
	respond({ bytes: gzipSync("%PDF-1.7").subarray(0, 20), headers });
	const error = await failureOf(server.client(once).billing.invoiceDocument("x"));
	expect(error).toMatchObject({ kind: "Unavailable", text: expect.stringContaining(`content coding ${coding}`) });
});

test("names the coding of a body that is broken or too large", async () => {
	const headers = { "content-encoding": "gzip" };
	respond({ bytes: gzipSync(json()).subarray(0, 20), headers });
	expect(await failureOf(read())).toMatchObject({ kind: "Unavailable", text: expect.stringContaining("gzip") });
	respond({ bytes: gzipSync(`"${"x".repeat(17 * 1024 * 1024)}"`), headers });
	expect((await failureOf(read())).kind).toBe("Unavailable");
});

test.each(["gzip", "br", "UTF-8", "none"])("reads a plain body that is marked as %s", async (coding) => {
	respond({ bytes: json(), headers: { "content-encoding": coding } });
	expect(await read()).toEqual(record);
});

test("confirms a removal without a body in any coding", async () => {
	respond({ status: 204, bytes: "", headers: { "content-encoding": "gzip" } });
	expect(await server.client().trunks.delete("x")).toEqual({ isConfirmed: true });
});

const office = { id: "x", label: "Büro" };
const bigEndian = (text: string) => Buffer.from(text, "utf16le").swap16();
test.each<[type: string, bytes: Buffer]>([
	["application/json; charset=ISO-8859-1", Buffer.from(json(office), "latin1")],
	['application/json;charset="windows-1252"', Buffer.from(json(office), "latin1")],
	["application/json; charset=utf-16le", Buffer.from(json(office), "utf16le")],
	["application/json; charset=utf-16", Buffer.from(`\uFEFF${json(office)}`, "utf16le")],
	["application/json; charset=UTF-16BE", bigEndian(json(office))],
	["application/json", bigEndian(`\uFEFF${json(office)}`)],
	["application/json", Buffer.from(`\uFEFF${json(office)}`)],
	// Servers name this charset by default, and send UTF-8.
	["application/json; charset=ISO-8859-1", Buffer.from(json(office))],
	["application/json; charset=x-unknown", Buffer.from(json(office))],
	["application/json; charset=utf8", Buffer.from(json(office))],
	["application/json", Buffer.from(json(office), "latin1")],
	["application/json; charset=ansi", Buffer.from(json(office), "latin1")],
])("reads text of the type %s", async (type, bytes) => {
	respond({ bytes, headers: { "content-type": type } });
	expect(await read()).toEqual(office);
	respond({
		status: 400,
		bytes: Buffer.from(`\uFEFF${json(refusal("bad_request"))}`),
		headers: { "content-type": type },
	});
	expect((await failureOf(read())).errorCode).toBe("bad_request");
});

const cookies = (kilobytes: number) =>
	Array.from({ length: kilobytes }, (_, index) => `cookie${index}=${"x".repeat(1_000)}; Path=/`);

test("reads responses with 20 and 200 kB of headers", async () => {
	for (const kilobytes of [20, 200]) {
		respond({ status: 201, bytes: json(), headers: { "set-cookie": cookies(kilobytes) } });
		expect((await buy()).data).toEqual(record);
	}
	respond({ bytes: json(), headers: { "content-security-policy": "x".repeat(40_000) } });
	expect(await read()).toEqual(record);
});

test("names the limit of headers that are too long", async () => {
	respond({ status: 201, bytes: json(), headers: { "set-cookie": cookies(300) } });
	const errors = [await failureOf(read()), await failureOf(buy())];
	expect(errors.map(({ kind }) => kind)).toEqual(["Unavailable", "OutcomeUnknown"]);
	for (const { message } of errors) expect(message).toContain("256 KiB");
});
