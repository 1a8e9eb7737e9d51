/** A service whose lists take no parameters but the cursor: the description shows none. */
import { expect, test } from "vitest";
import type { Client } from "../../../provider/api/client";
import { failureOf } from "../../helpers/provider";
import { answer, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const open = () => server.client();
const paths = () => server.received.map(({ path }) => path);

/** Refuses all parameters but these. */
const takes = (...names: string[]) => {
	server.script = (response, received) => {
		const { pathname, searchParams } = new URL(received.at(-1)?.path ?? "", "http://service");
		const odd = [...searchParams.keys()].find((name) => !names.includes(name));
		const message = `There is no parameter ${odd}.`;
		if (odd !== undefined) return answer(response, 400, { error: "bad_request", message, request_id: "req_1" });
		if (pathname !== "/numbers") return answer(response, 404, { error: "not_found", message: "No.", request_id: "r" });
		const cursor = searchParams.get("cursor");
		return answer(response, 200, { data: [{ id: cursor ?? "a" }], next_cursor: cursor === null ? "b" : null });
	};
};
const listed = async (client: Client, options = {}) => {
	const found: string[] = [];
	for await (const { id } of client.numbers.list(options)) found.push(id);
	return found;
};

test("is asked without `limit` from then on, by every client", async () => {
	takes("cursor");
	expect(await listed(open())).toEqual(["a", "b"]);
	expect(await listed(open())).toEqual(["a", "b"]);
	expect(paths()).toEqual(["/numbers?limit=100", "/numbers", "/numbers?cursor=b", "/numbers", "/numbers?cursor=b"]);
});

test("shows what else it refuses, each time", async () => {
	takes("cursor");
	for (let time = 0; time < 2; time++)
		expect((await failureOf(listed(open(), { status: "released" }))).message).toContain("no parameter status");
	expect(await listed(open())).toEqual(["a", "b"]);
});

test("is asked only once where it takes `limit`, and refuses something else", async () => {
	takes("cursor", "limit");
	await listed(open());
	await failureOf(listed(open(), { status: "released" }));
	expect(paths()).toEqual(["/numbers?limit=100", "/numbers?cursor=b&limit=100", "/numbers?status=released&limit=100"]);
});

test("shows that the address is right, so that a missing number is gone", async () => {
	takes("cursor");
	expect((await failureOf(open().numbers.getById("c"))).kind).toBe("NotFound");
});

test("is read by several at once", async () => {
	takes("cursor");
	const client = open();
	expect(await Promise.all([listed(client), listed(client)])).toEqual([
		["a", "b"],
		["a", "b"],
	]);
});
