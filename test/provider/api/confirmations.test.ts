/** 2xx responses to writes whose body doesn't show the result. */
import { describe, expect, test } from "vitest";
import type { Client } from "../../../provider/api/client";
import { failureOf } from "../../helpers/provider";
import { answer, refusal, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();

const empty = ["", "{}", "OK", "[]", '{"success":true}', '{"id":', '{"id":{}}'];
const html = "<html><body>Request rejected</body></html>";
const page = { "content-type": "text/html" };

const removals: Record<string, (client: Client) => Promise<unknown>> = {
	"a release": (client) => client.numbers.release("x"),
	"a deletion of a trunk": (client) => client.trunks.delete("x"),
	"a deletion of a webhook": (client) => client.webhooks.delete("x"),
	"a deletion of a profile": (client) => client.kyc.profiles.delete("x"),
};
const actions: Record<string, (client: Client) => Promise<{ readonly id: string }>> = {
	"a cancellation": (client) => client.portOrders.cancel("x"),
	"a submission of an order": (client) => client.portOrders.submit("x"),
	"a submission of a profile": (client) => client.kyc.profiles.submit("x"),
	"a restoration": (client) => client.numbers.restore("x"),
	"the end of a call": (client) => client.calls.hangUp("x"),
};
const changes: Record<string, (client: Client) => Promise<{ readonly id: string }>> = {
	"a change of a number": (client) => client.numbers.patch("x", { label: "new" }),
	"a change of a trunk": (client) => client.trunks.patch("x", { label: "new" }),
	"a change of a webhook": (client) => client.webhooks.patch("x", { description: "new" }),
};

const shown = { id: "x", label: "new", description: "new", status: "active" };
/** Writes get this response; reads show the object, unless there is none. */
const respond = (body: string, object: object | null = shown, headers: Record<string, string> = {}) => {
	server.script = (response, received) => {
		if (received.at(-1)?.method !== "GET") return answer(response, 200, body, headers);
		return object === null ? answer(response, 404, refusal("not_found")) : answer(response, 200, object);
	};
};
const writes = () => server.received.filter(({ method }) => method !== "GET").length;

describe.each(Object.entries(removals))("%s", (_, remove) => {
	test.each(empty)("is done by a 2xx response with the body %j", async (body) => {
		respond(body);
		await remove(server.client());
		expect(server.received).toHaveLength(1);
	});

	test("is done if a page comes back and the object is gone", async () => {
		respond("", shown);
		const client = server.client();
		await client.trunks.get("x");
		respond(html, null, page);
		await remove(client);
		expect(writes()).toBe(1);
	});

	test.each([
		[html, page],
		[JSON.stringify(refusal("forbidden")), {}],
	])("fails if the object is still there after %j", async (body, headers) => {
		respond(body, shown, headers);
		expect(await failureOf(remove(server.client()))).toMatchObject({ kind: "Unavailable" });
		expect(writes()).toBe(1);
	});
});

describe.each(Object.entries({ ...actions, ...changes }))("%s", (_, write) => {
	test.each(empty)("is done by a 2xx response with the body %j, and read back", async (body) => {
		respond(body);
		expect(await write(server.client())).toMatchObject({ id: "x" });
		expect(server.received.map(({ method }) => method === "GET")).toEqual([false, true]);
	});
});

test.each(Object.entries(changes))(
	"%s is done if a page comes back and a read shows the new value",
	async (_, write) => {
		respond(html, shown, page);
		expect(await write(server.client())).toMatchObject({ id: "x" });
		respond(html, { id: "x", label: "old", description: "old" }, page);
		expect(await failureOf(write(server.client()))).toMatchObject({ kind: "Unavailable" });
		expect(writes()).toBe(2);
	},
);

test.each(Object.entries(actions))("%s that gets a page has an unknown outcome", async (_, act) => {
	respond(html, shown, page);
	expect(await failureOf(act(server.client()))).toMatchObject({ kind: "OutcomeUnknown" });
	expect(writes()).toBe(1);
});

test.each(["", "OK", "[]"])("a purchase with the body %j has an unknown outcome", async (body) => {
	respond(body);
	const { kind } = await failureOf(server.client().numbers.buy({ country: "NL", type: "mobile" }));
	expect(["OutcomeUnknown", "ContractMismatch"]).toContain(kind);
	expect(writes()).toBe(1);
});
