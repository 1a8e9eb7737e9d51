/** The emulator of a described service: what it offers, what its queries mean, and what its document says. */
import { expect, test } from "vitest";
import { mobile } from "../fixture";
import { newFolder, open } from "../folders";

const key = { "Idempotency-Key": "order-1" };

test("lacks what its description says, after a reset and a restart too", async () => {
	const data = newFolder();
	const lacking = { features: "-idempotencyKey -reference -restore -calls getById" };
	const checkOn = async (emulator: Awaited<ReturnType<typeof open>>) => {
		const { call } = emulator;
		const { body: first, headers } = await call("POST", "/numbers", mobile(), key);
		expect((await call("POST", "/numbers", mobile(), key)).body.id).not.toBe(first.id);
		expect(first).not.toHaveProperty("reference");
		expect((await call("GET", "/calls")).status).toBe(404);
		await call("DELETE", `/numbers/${first.id}`);
		expect((await call("POST", `/numbers/${first.id}/restore`)).body.error).toBe("operation_not_offered");
		expect((await call("GET", "/messages")).status).toBe(200);
		expect([...headers].filter(([, value]) => /idempotencyKey|restore/.test(value))).toEqual([]);
		const { body: document } = await call("GET", "/openapi.json");
		expect(Object.keys(document.paths as object).filter((path) => /calls|restore/.test(path))).toEqual([]);
	};
	const emulator = await open({ service: lacking, data });
	await checkOn(emulator);
	await emulator.outside("POST", "/_emulator/reset");
	await checkOn(emulator);
	await emulator.outside("PATCH", "/_emulator/settings", { features: { calls: true } });
	expect((await emulator.call("GET", "/calls")).status).toBe(200);
	await emulator.close();
	const reopened = await open({ service: lacking, data });
	expect((await reopened.call("GET", "/calls")).status).toBe(200);
	await reopened.close();
	const changed = await open({ service: { features: "-messages" }, data });
	expect([(await changed.call("GET", "/messages")).status, (await changed.call("GET", "/calls")).status]).toEqual([
		404, 200,
	]);
	expect((await changed.call("POST", "/numbers", mobile(), key)).body).toHaveProperty("reference");
});

test("offers no more than the two public operations with the profile seed", async () => {
	const emulator = await open({ service: { features: "getById trunks" }, profile: "seed" });
	expect((await emulator.call("GET", "/trunks")).status).toBe(404);
	expect((await emulator.call("GET", "/numbers")).status).toBe(200);
});

const named = { records: { number: { reference: "tag" } } };

test("takes a filter literally, also with a question mark in it", async () => {
	const emulator = await open({ service: named });
	for (const tag of ["what", "what?"]) {
		const { id } = (await emulator.call("POST", "/numbers", mobile())).body;
		await emulator.call("PATCH", `/numbers/${id}`, { tag });
	}
	expect((await emulator.call("GET", "/numbers?tag=what?")).body.data).toMatchObject([{ tag: "what?" }]);
});

test("refuses a parameter that is given more than once", async () => {
	const emulator = await open({ service: named });
	expect(await emulator.call("GET", "/numbers?tag=a&tag=b")).toMatchObject({
		status: 400,
		body: { details: [{ field: "reference", message: "given more than once" }] },
	});
});

test("documents the errors of operations of single properties", async () => {
	const voice = { read: "GET /numbers/{id}/voice", write: { request: "PUT /numbers/{id}/voice", whole: true } };
	const service = { records: { number: { routing: voice, "routing.type": { at: "mode" } } } };
	const emulator = await open({ service });
	const { body: document } = await emulator.call("GET", "/openapi.json");
	const paths = document.paths as Record<
		string,
		Record<string, { responses: Record<string, Record<string, unknown>> }>
	>;
	for (const [method, body] of [["GET"], ["PUT", { mode: "nowhere" }]] as const) {
		const { status, body: refusal } = await emulator.call(method, "/numbers/num_0/voice", body);
		const documented = paths["/numbers/{id}/voice"]?.[method.toLowerCase()]?.responses[status];
		expect(documented?.["x-error-codes"]).toContain(refusal.error);
	}
});
