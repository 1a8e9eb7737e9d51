import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { ClientOptions } from "../../../provider/api/client";
import { failureOf } from "../../helpers/provider";
import { answer, refusal, useScriptedServer } from "../../helpers/scripted-server";

const apiKey = 'sk-"live"/0123';
const server = useScriptedServer();
const clientOf = (options: Partial<ClientOptions> = {}) => server.client({ apiKey, ...options });
const buy = { country: "NL", type: "mobile" } as const;

describe("a request", () => {
	test("carries the key as a bearer, its body as JSON, and 100 as limit", async () => {
		const client = clientOf();
		for await (const _ of client.numbers.list({ status: "active" })) break;
		await client.numbers.buy(buy, { idempotencyKey: "k-1" });
		const [list, post] = server.received;
		expect(list?.path).toBe("/numbers?status=active&limit=100");
		expect(list?.headers.authorization).toBe(`Bearer ${apiKey}`);
		expect(post?.headers).toMatchObject({ "content-type": "application/json", "idempotency-key": "k-1" });
		expect(JSON.parse(post?.body ?? "")).toEqual(buy);
	});

	test("has its id as one segment of the path", async () => {
		await clientOf().numbers.get("a/b?c#d%2e");
		expect(server.received[0]?.path).toBe("/numbers/a%2Fb%3Fc%23d%252e");
	});

	test.each(["", " ", ".", ".."])("without a proper id (%j) is not sent", async (id) => {
		const client = clientOf();
		for (const work of [client.numbers.release(id), client.trunks.delete(id), client.webhooks.patch(id, {})]) {
			expect((await failureOf(work)).kind).toBe("Invalid");
		}
		expect(server.received).toEqual([]);
	});

	test("follows no redirect", async () => {
		server.script = (response) => answer(response, 302, "", { location: `${server.url}/elsewhere` });
		const error = await failureOf(clientOf().numbers.get("x"));
		expect(error).toMatchObject({ kind: "Config", status: 302, errorCode: "http_302" });
		expect(server.received).toHaveLength(1);
	});

	test.each(["headers", "body"] as const)("waits for %s no longer than told", async (phase) => {
		server.script = (response) => {
			if (phase === "body") response.writeHead(200).write("{");
		};
		const client = clientOf({ timeouts: { [phase]: 50 }, retry: { tries: 1 } });
		expect((await failureOf(client.numbers.get("x"))).kind).toBe("Unavailable");
	});
});

describe("an answer that drips", () => {
	const drip = (response: ServerResponse) => {
		response.writeHead(200, { "content-type": "application/json" });
		const timer = setInterval(() => response.write(" "), 5);
		response.on("close", () => clearInterval(timer));
	};

	test("is waited for no longer than told in all, and its place is free again", async () => {
		server.script = (response, { length }) => (length === 1 ? drip(response) : answer(response, 200));
		const client = clientOf({ timeouts: { total: 400 }, concurrency: 1, retry: { tries: 1 } });
		const error = await failureOf(client.trunks.get("x"));
		expect(error).toMatchObject({
			kind: "Unavailable",
			message: expect.stringContaining("no complete response within 0.4 s"),
		});
		expect(await client.trunks.get("y")).toEqual(expect.objectContaining({ id: "x" }));
	});

	test("is asked for again, but not what may have been carried out by then", async () => {
		server.script = (response, { length }) => (length === 2 ? answer(response, 200) : drip(response));
		const client = clientOf({ timeouts: { total: 400 } });
		await client.trunks.patch("x", { capacity: 2 });
		expect((await failureOf(client.numbers.buy(buy, { idempotencyKey: "k" }))).kind).toBe("OutcomeUnknown");
		expect(server.received).toHaveLength(3);
	});
});

describe("once the end has come", () => {
	const endingClient = () => {
		const end = new AbortController();
		return { end: () => end.abort("the run was cancelled"), client: clientOf({ ending: end.signal }) };
	};
	const underWay = (count: number) => expect.poll(() => server.received.length).toBe(count);

	test.each(["headers", "body"] as const)("a read that waits for its %s is broken off", async (phase) => {
		server.script = (response) => {
			if (phase === "body") response.writeHead(200).write("{");
		};
		const { client, end } = endingClient();
		const reads = [failureOf(client.numbers.get("x")), failureOf(client.trunks.list().next())];
		await underWay(2);
		end();
		const errors = await Promise.all(reads);
		expect(errors.map(({ kind }) => kind)).toEqual(["Interrupted", "Interrupted"]);
		expect(errors[0]?.message).toMatch(/^GET \/numbers\/x was aborted: the run was cancelled\. Run `pulumi up` again/);
		expect(server.received).toHaveLength(2);
	});

	test("what writes is answered, so that nothing of it is lost, and nothing more is sent", async () => {
		const answers: (() => void)[] = [];
		server.script = (response) => void answers.push(() => answer(response, 200, { id: "x" }));
		const { client, end } = endingClient();
		const writes = [
			client.numbers.buy(buy, { idempotencyKey: "k-1" }),
			client.trunks.patch("x", { capacity: 7 }),
			client.numbers.release("x"),
		];
		await underWay(3);
		end();
		expect((await failureOf(client.numbers.get("x"))).message).toContain("was not sent: the run was cancelled");
		for (const give of answers) give();
		expect(await Promise.all(writes)).toMatchObject([{ data: { id: "x" } }, { id: "x" }, undefined]);
		expect(server.received).toHaveLength(3);
	});
});

describe("an answer", () => {
	test("may have fields and words that nobody knows: they are kept", async () => {
		server.script = (response) => answer(response, 200, { id: "x", status: "teleporting", since: { year: 3000 } });
		expect(await clientOf().numbers.get("x")).toEqual({ id: "x", status: "teleporting", since: { year: 3000 } });
	});

	test("is measured by nobody: one label set elsewhere must not make the whole list unreadable", async () => {
		const record = { id: "i".repeat(200), label: "l".repeat(300), reference: "r".repeat(300), status: "active" };
		server.script = (response) => answer(response, 200, { data: [record], next_cursor: null });
		for await (const number of clientOf().numbers.list()) expect(number).toEqual(record);
		expect(server.received).toHaveLength(1);
	});

	test("to a purchase may lack even the id", async () => {
		server.script = (response) => answer(response, 201, { kyc_required: true });
		const { data, replayed } = await clientOf().numbers.buy(buy);
		expect({ data, replayed }).toEqual({ data: { kyc_required: true }, replayed: false });
	});

	test.each(["usd", "Usd ", "USD"])("writes a currency as %j, and it is read as USD", async (currency) => {
		const amount = { amount: "1.00", currency };
		server.script = (response) => answer(response, 200, { id: "x", price: { setup: amount, monthly: amount } });
		expect((await server.client().numbers.get("x")).price?.monthly).toEqual({ amount: "1.00", currency: "USD" });
	});

	test("may begin with a byte order mark", async () => {
		server.script = (response) => answer(response, 200, '\uFEFF{"id":"x","number":"+31201234567"}');
		const client = server.client();
		expect(await client.numbers.get("x")).toMatchObject({ id: "x" });
		expect((await client.numbers.buy({ country: "NL", type: "mobile" })).data).toMatchObject({ id: "x" });
		server.script = (response) => answer(response, 400, `\uFEFF${JSON.stringify(refusal("no_inventory"))}`);
		expect(await failureOf(client.numbers.get("x"))).toMatchObject({ errorCode: "no_inventory" });
	});

	test("that does not fit the contract says where, and not what", async () => {
		server.script = (response) =>
			answer(response, 200, { id: "x", capabilities: "correct horse battery", secret: "s3cr3t" });
		const error = await failureOf(clientOf().numbers.get("x"));
		expect(error.kind).toBe("ContractMismatch");
		expect(error.message).toMatch(/at capabilities.*request_id req_7/);
		expect(inside(error)).not.toMatch(/correct horse battery|s3cr3t/);
	});

	test("that is no JSON has the status for a code", async () => {
		server.script = (response) => answer(response, 403, "<html>Forbidden by proxy</html>");
		const error = await failureOf(clientOf().numbers.get("x"));
		expect(error).toMatchObject({ kind: "Forbidden", errorCode: "http_403", requestId: "req_7" });
	});

	test.each([
		[404, refusal("not_found"), "NotFound"],
		[410, refusal("gone"), "NotFound"],
		[404, "<html>", "Unavailable"],
		[405, "<html>", "Unavailable"],
		[501, { message: "no route" }, "Unavailable"],
		[410, "", "Unavailable"],
		[404, refusal("operation_not_offered"), "NotOffered"],
		[405, refusal("method_not_allowed"), "NotOffered"],
		[501, refusal("not_implemented"), "NotOffered"],
		[404, refusal("no_such_trunk"), "ContractMismatch"],
		[401, refusal("unauthorized"), "Unauthorized"],
		[402, refusal("insufficient_balance"), "Forbidden"],
		[409, refusal("trunk_in_use"), "Conflict"],
		[400, refusal("validation_failed"), "Invalid"],
		[418, refusal("teapot"), "Invalid"],
	])("HTTP %d with %j is %s, with code and request id", async (status, body, kind) => {
		server.script = (response, received) =>
			received.at(-1)?.path === "/trunks/x" ? answer(response, status, body) : answer(response, 200);
		const error = await failureOf(clientOf().trunks.get("x"));
		expect(error.kind).toBe(kind);
		expect(error.message).toContain(`HTTP ${status}, request_id req_`);
		expect(error).not.toHaveProperty("id");
		expect(error).not.toHaveProperty("code");
	});

	test.each([404, 405, 501])("HTTP %d to all that is asked means that the address is wrong", async (status) => {
		server.script = (response) => answer(response, status, "<html>");
		for (const work of ["numbers", "trunks"] as const) {
			const error = await failureOf(clientOf()[work].list().next());
			expect(error).toMatchObject({ kind: "Config", message: expect.stringContaining("Check telephony:baseUrl") });
		}
		expect((await failureOf(clientOf().numbers.patch("x", {}))).kind).toBe("Config");
		expect(server.received).toHaveLength(5);
	});

	test("a page of a gateway passes, where the address has proven right", async () => {
		const client = clientOf();
		await client.numbers.list().next();
		server.script = (response, { length }) =>
			length % 2 === 0 ? answer(response, 404, "<html>") : answer(response, 200);
		await client.numbers.list().next();
		await client.numbers.patch("x", { label: "a" });
		await client.numbers.release("x");
		await client.trunks.get("x");
		expect(server.received).toHaveLength(9);
	});

	test.each(["not_found", "gone"])(
		"%s is believed once the address has proven right, and costs one request more till then",
		async (code) => {
			const client = clientOf();
			server.script = (response) => answer(response, 404, refusal(code));
			expect((await failureOf(client.numbers.get("x"))).kind).toBe("Config");
			server.script = (response, received) =>
				received.at(-1)?.path === "/numbers?limit=100" ? answer(response, 200) : answer(response, 404, refusal(code));
			expect((await failureOf(client.numbers.get("x"))).kind).toBe("NotFound");
			expect((await failureOf(client.numbers.get("x"))).kind).toBe("NotFound");
			expect(server.received).toHaveLength(5);
		},
	);

	test("longer than 16 MiB is not read to its end", async () => {
		server.script = (response) => answer(response, 200, `"${"x".repeat(17 * 1024 * 1024)}"`);
		const client = clientOf({ retry: { tries: 1 } });
		expect((await failureOf(client.numbers.get("x"))).message).toContain("larger than");
	});
});

/** All that printing an error could show. */
const inside = (error: Error): string => JSON.stringify([error.message, { ...error }]) + error.stack;

test("the log has one line for each request: method, path, status, time and request id", async () => {
	const lines: string[] = [];
	const client = clientOf({ log: (line) => lines.push(line) });
	await client.numbers.get("num_1");
	server.script = (response, { length }) => (length === 2 ? response.destroy() : answer(response, 200));
	await client.trunks.patch("t", { name: "secret name" });
	expect(lines).toEqual([
		"GET /numbers/num_1 200 0 ms req_7",
		"PATCH /trunks/t UND_ERR_SOCKET 0 ms",
		"PATCH /trunks/t 200 0 ms req_7",
	]);
});
