import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { ClientOptions } from "../../../provider/api/client";
import { failureOf } from "../../helpers/provider";
import { refusal, reply, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const open = (options: Partial<ClientOptions> = {}) => server.client(options);
const once = { retry: { tries: 1 } };
const buy = { country: "NL", type: "mobile" } as const;
const respond = (...rest: readonly [status: number, body?: unknown, headers?: Record<string, string>]) => {
	server.script = (response) => reply(response, rest[0], rest[1] as object, rest[2]);
};

describe("a request", () => {
	test("carries the key as a bearer, its body as JSON, and 100 as limit", async () => {
		const client = open();
		for await (const _ of client.numbers.list({ status: "active" })) break;
		await client.numbers.buy(buy, { idempotencyKey: "k-1" });
		const [list, post] = server.received;
		expect(list?.path).toBe("/numbers?status=active&limit=100");
		expect(list?.headers.authorization).toBe("Bearer key");
		expect(post?.headers).toMatchObject({ "content-type": "application/json", "idempotency-key": "k-1" });
		expect(JSON.parse(post?.body ?? "")).toEqual(buy);
	});

	test("has its id as one segment of the path, and isn't sent without one", async () => {
		await open().numbers.release("a/b?c#d%2e");
		for (const id of ["", " ", ".", ".."])
			for (const work of [open().numbers.release(id), open().trunks.delete(id), open().webhooks.patch(id, {})])
				expect((await failureOf(work)).kind).toBe("Invalid");
		expect(server.received.map(({ path }) => path)).toEqual(["/numbers/a%2Fb%3Fc%23d%252e"]);
	});

	test("follows no redirect", async () => {
		respond(302, "", { location: `${server.url}/elsewhere` });
		expect(await failureOf(open().numbers.get("x"))).toMatchObject({ kind: "Config", errorCode: "http_302" });
		expect(server.received).toHaveLength(1);
	});
});

/** Sends no headers, or no more than the beginning of a body. */
const hang = (phase: string) => (response: ServerResponse) =>
	phase === "body" ? response.writeHead(200).write("{") : undefined;

describe("a limit", () => {
	test.each(["headers", "body"])("ends a request that waits for %s", async (phase) => {
		server.script = hang(phase);
		const client = open({ timeouts: { [phase]: 50 }, ...once });
		expect((await failureOf(client.numbers.get("x"))).kind).toBe("Unavailable");
	});

	const drip = (response: ServerResponse) => {
		response.writeHead(200, { "content-type": "application/json" });
		const timer = setInterval(() => response.write(" "), 5);
		response.on("close", () => clearInterval(timer));
	};

	test("ends a response that drips, and repeats all but a purchase", async () => {
		server.script = (response, { length }) => (length === 2 ? reply(response, 200) : drip(response));
		const client = open({ timeouts: { total: 400 }, concurrency: 1 });
		await client.trunks.patch("x", { capacity: 2 });
		expect((await failureOf(client.numbers.buy(buy, { idempotencyKey: "k" }))).kind).toBe("OutcomeUnknown");
		expect(server.received).toHaveLength(3);
	});

	test("ends a response after 16 MiB", async () => {
		respond(200, `"${"x".repeat(17 * 1024 * 1024)}"`);
		expect((await failureOf(open(once).numbers.get("x"))).kind).toBe("Unavailable");
	});
});

describe("the end of a run", () => {
	const endingClient = () => {
		const end = new AbortController();
		return { end: () => end.abort("the run was cancelled"), client: open({ ending: end.signal }) };
	};
	const underWay = (count: number) => expect.poll(() => server.received.length).toBe(count);

	test.each(["headers", "body"])("breaks off a read that waits for its %s", async (phase) => {
		server.script = hang(phase);
		const { client, end } = endingClient();
		const reads = [failureOf(client.numbers.get("x")), failureOf(client.trunks.list().next())];
		await underWay(2);
		end();
		const errors = await Promise.all(reads);
		expect(errors.map(({ kind }) => kind)).toEqual(["Interrupted", "Interrupted"]);
		expect(errors[0]?.message).toContain("the run was cancelled");
		expect(server.received).toHaveLength(2);
	});

	test("waits for the responses of writes, and sends nothing more", async () => {
		const responses: (() => void)[] = [];
		server.script = (response) => void responses.push(() => reply(response, 200, { id: "x" }));
		const { client, end } = endingClient();
		const bought = client.numbers.buy(buy, { idempotencyKey: "k-1" });
		const writes = [bought, client.trunks.patch("x", { capacity: 7 }), client.numbers.release("x")];
		await underWay(3);
		end();
		expect((await failureOf(client.numbers.get("x"))).kind).toBe("Interrupted");
		for (const send of responses) send();
		expect(await Promise.all(writes)).toMatchObject([{ data: { id: "x" } }, { id: "x" }, { isConfirmed: false }]);
		expect(server.received).toHaveLength(3);
	});
});

describe("a response", () => {
	test("is read with unknown fields and values, and a byte order mark", async () => {
		const price = { monthly: { amount: "2.00", currency: "USD" }, setup: { amount: "1.00", currency: "Usd " } };
		const record = { id: "x", status: "teleporting", since: 3000, label: "l".repeat(300), price };
		respond(200, `\uFEFF${JSON.stringify(record)}`);
		const read = await open().numbers.get("x");
		expect(read).toEqual({ ...record, price: { ...price, setup: { amount: "1.00", currency: "USD" } } });
	});

	test("that doesn't fit the contract is reported by its place, not its value", async () => {
		respond(200, { id: "x", status: ["correct horse battery"], secret: "s3cr3t" });
		const error = await failureOf(open().numbers.get("x"));
		expect(error).toMatchObject({ kind: "ContractMismatch", requestId: "req_7" });
		expect(error.message).toContain("at status");
		expect(JSON.stringify([error.message, { ...error }]) + error.stack).not.toMatch(/correct horse battery|s3cr3t/);
	});

	test.each([
		[403, "<html>", "Forbidden", "http_403"],
		[400, `\uFEFF${JSON.stringify(refusal("no_inventory"))}`, "Invalid", "no_inventory"],
		[410, refusal("gone"), "NotFound"],
		[404, "<html>", "Unavailable"],
		[404, refusal("operation_not_offered"), "NotOffered"],
		[405, refusal("method_not_allowed"), "NotOffered"],
		[501, refusal("not_implemented"), "NotOffered"],
		[404, refusal("no_such_trunk"), "ContractMismatch"],
		[401, refusal("unauthorized"), "Unauthorized"],
		[402, refusal("insufficient_balance"), "Forbidden"],
		[409, refusal("trunk_in_use"), "Conflict"],
		[400, refusal("validation_failed"), "Invalid"],
	])("of HTTP %d with %j is %s", async (status, body, kind, errorCode?: string) => {
		server.script = (response, received) =>
			received.at(-1)?.path === "/trunks/x" ? reply(response, status, body) : reply(response, 200);
		const error = await failureOf(open().trunks.get("x"));
		expect(error).toMatchObject({ kind, status, requestId: expect.stringMatching(/^req_[17]$/) });
		if (errorCode !== undefined) expect(error.errorCode).toBe(errorCode);
		// Pulumi and gRPC read these.
		for (const name of ["id", "code"]) expect(error).not.toHaveProperty(name);
	});
});

test("reports a wrong address if the list of numbers is missing there", async () => {
	respond(404, refusal("not_found"));
	expect((await failureOf(open().numbers.list().next())).kind).toBe("Config");
	respond(404, "<html>");
	expect((await failureOf(open().numbers.list().next())).message).toContain("check telephony:baseUrl");
});
