/** A service that names things otherwise, and nobody has said so: one error that shows the line, and the line mends it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createEmulator } from "../../emulator";
import type { Description } from "../../provider/api/dialect/description";
import { unreadHint } from "../../provider/api/dialect/hint";
import { isTelephonyError } from "../../provider/api/errors";
import { InitError } from "../../provider/lifecycle/resource";
import type { Values } from "../../provider/properties/table";
import { dialects } from "../helpers/dialects";
import { aNumber, aTrunk, checked, openProvider } from "../helpers/provider";

type Service = { url: string; apiKey: string };

/** What an `up` of one resource says; "" if all went well. */
async function up(service: Service, kind: "number" | "sipTrunk", told?: Description): Promise<string> {
	const provider = openProvider(service, told && { env: { TELEPHONY_SERVICE: JSON.stringify(told) } });
	const handler = provider[kind];
	const news = kind === "number" ? aNumber({ label: "Main" }) : aTrunk();
	return ended(async () => handler.create(await checked(handler, news)));
}

async function ended(work: () => Promise<unknown>): Promise<string> {
	try {
		await work();
		return "";
	} catch (error) {
		if (error instanceof InitError) return error.message;
		if (isTelephonyError(error)) return error.message;
		throw error;
	}
}

/** The line that a message shows. */
const lineIn = (message: string): Description => {
	const [, line = ""] = /state it in its description \(`telephony:service`\): `([^`]+)`/.exec(message) ?? [];
	expect(line, message).not.toBe("");
	return parse(`{ ${line} }`) as Description;
};

const merged = (one: Description, other: Description): Description => ({
	...one,
	...other,
	...(one.records && other.records ? { records: { number: { ...one.records.number, ...other.records.number } } } : {}),
});

/** By the service: how often an `up` must be told something until it works. */
const unlike: Readonly<Record<string, readonly ["number" | "sipTrunk", Description, number]>> = {
	"another name of the id": ["number", { records: { number: { id: "number_id" } } }, 1],
	"an id inside an object": ["number", { records: { number: { id: "meta.number_id" } } }, 1],
	"another name of the list": ["number", { lists: { items: "results" } }, 1],
	"an envelope": ["number", { envelopes: { number: { answer: "data" } } }, 1],
	"PUT for PATCH": ["number", { operations: { patchNumber: "PUT /numbers/{id}" } }, 1],
	"a list as text": ["number", { records: { number: { capabilities: { as: "csv" } } } }, 1],
	"a number as text": ["sipTrunk", { records: { trunk: { capacity: { as: "string" } } } }, 1],
	"several at once": [
		"number",
		{ lists: { items: "results" }, records: { number: { id: "number_id", capabilities: { as: "csv" } } } },
		3,
	],
};

describe.each(Object.entries(unlike))("%s", (_, [kind, service, times]) => {
	test("is said with its line, and with that line the same `up` works: nothing is bought twice", async () => {
		const emulator = await createEmulator({ kyc: "immediate", service });
		try {
			let told: Description | undefined;
			for (let time = 0; time < times; time++) {
				const said = await up(emulator, kind, told);
				expect(said).toMatch(/It shows |If the service does it in another way/);
				told = merged(told ?? {}, lineIn(said));
			}
			expect(told).toEqual(service);
			expect(await up(emulator, kind, told)).toBe("");
			const { numbers, trunks } = emulator.control.state();
			expect(kind === "number" ? numbers : trunks).toHaveLength(1);
			if (kind === "number") expect(emulator.control.ledger().map((each) => each.kind)).toEqual(["purchase"]);
		} finally {
			await emulator.close();
		}
	});
});

test("a purchase whose answer can't be read names what it shows of the number, and doesn't wait", async () => {
	const service = { records: { number: { id: "number_id", number: "msisdn" } } };
	const emulator = await createEmulator({ kyc: "immediate", service });
	try {
		const provider = openProvider(emulator);
		const said = await ended(async () => provider.number.create(await checked(provider.number, aNumber())));
		const [row] = emulator.control.state().numbers;
		expect(said).toContain(`It names msisdn ${row?.number}, number_id ${row?.id}.`);
		expect(said).toContain("[telephony:purchase-unknown]");
		expect(provider.clock.now()).toBeLessThan(openProvider(emulator).clock.now() + 5_000);
	} finally {
		await emulator.close();
	}
});

test("a release that the service does otherwise is said with the operation's name", async () => {
	const service = { operations: { releaseNumber: "POST /numbers/{id}/release" } };
	const emulator = await createEmulator({ kyc: "immediate", service });
	try {
		const first = openProvider(emulator);
		const { id, outs } = await first.number.create(await checked(first.number, aNumber()));
		const said = await ended(async () => openProvider(emulator).number.delete(id, outs as Values));
		expect(said).toContain("`operations: { releaseNumber: its method and path }`");
		const next = openProvider(emulator, { env: { TELEPHONY_SERVICE: JSON.stringify(service) } });
		expect(await ended(async () => next.number.delete(id, outs as Values))).toBe("");
		expect(emulator.control.state().numbers[0]?.status).toBe("released");
	} finally {
		await emulator.close();
	}
});

test.each(Object.entries(dialects).filter(([, { errors }]) => errors))(
	"errors in other words (%s) are said with the names that they have",
	async (_, service) => {
		const emulator = await createEmulator({ service });
		try {
			const said = await up({ ...emulator, apiKey: "wrong" }, "number");
			expect(said).toContain("errors: { code: code, message: detail.text, requestId: trace }");
		} finally {
			await emulator.close();
		}
	},
);

test("a number whose E.164 is under another name is bought, and one warning of the run says so", async () => {
	const emulator = await createEmulator({ kyc: "immediate", service: { records: { number: { number: "msisdn" } } } });
	try {
		const provider = openProvider(emulator);
		for (const name of ["one", "two"]) await provider.number.create(await checked(provider.number, aNumber({}, name)));
		expect(provider.warnings.filter((each) => each.includes("msisdn"))).toEqual([
			expect.stringContaining("`records: { number: { number: msisdn } }`"),
		]);
	} finally {
		await emulator.close();
	}
});

test("what is bought is named by its id and number only: what stands inside an object of such a name may be a secret", () => {
	const hint = unreadHint("buyNumber", ["id"], { phone: { pin: "4711" }, uid: { token: "hush" } });
	expect(hint).toContain("It shows phone, uid.");
	expect(hint).not.toMatch(/4711|hush|uid\.token/);
});

test("a new number of somebody else isn't taken for the one bought while the list has one that can't be read", async () => {
	const emulator = await createEmulator({ kyc: "immediate", service: { records: { number: { id: "number_id" } } } });
	const readable = { id: "theirs", number: "+31629999999", country: "NL", type: "mobile", status: "active" };
	const front = await frontOf(emulator.url, readable);
	try {
		const provider = openProvider({ url: front.url, apiKey: emulator.apiKey });
		const said = await ended(async () => provider.number.create(await checked(provider.number, aNumber())));
		expect(said).toContain("[telephony:purchase-unknown]");
	} finally {
		await front.close();
		await emulator.close();
	}
});

/** Passes all on; once something was bought, the list also shows another number. */
async function frontOf(target: string, other: object): Promise<{ url: string; close(): Promise<void> }> {
	let sold = false;
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const { method = "GET", headers, url = "" } = request;
		const sent = new Headers({ authorization: `${headers.authorization}`, "content-type": "application/json" });
		const body = method === "GET" ? {} : { body: Buffer.concat(chunks) };
		const answer = await fetch(target.replace(/\/v1$/, url), { method, headers: sent, ...body });
		const json = (await answer.json()) as { data?: object[] };
		if (sold && method === "GET") json.data?.push(other);
		sold ||= method === "POST";
		response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(json));
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		close: () => new Promise((done) => server.close(() => done())),
	};
}
