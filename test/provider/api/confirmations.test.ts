/** 2xx responses to writes whose body doesn't show the result. */
import { describe, expect, test } from "vitest";
import type { Client } from "../../../provider/api/client";
import { failureOf } from "../../helpers/provider";
import { answer, refusal, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();

const empty = ["", "{}", "OK", "[]", '{"success":true}', '{"id":', '{"id":{}}'];
const html = "<html><body>Request rejected</body></html>";
const page = { "content-type": "text/html" };

type Write = (client: Client) => Promise<unknown>;
const removals: [string, Write][] = [
	["release", (client) => client.numbers.release("x")],
	["trunk deletion", (client) => client.trunks.delete("x")],
	["webhook deletion", (client) => client.webhooks.delete("x")],
	["profile deletion", (client) => client.kyc.profiles.delete("x")],
];
const actions: [string, Write][] = [
	["cancellation", (client) => client.portOrders.cancel("x")],
	["submission of an order", (client) => client.portOrders.submit("x")],
	["submission of a profile", (client) => client.kyc.profiles.submit("x")],
	["restoration", (client) => client.numbers.restore("x")],
	["end of a call", (client) => client.calls.hangUp("x")],
];
const changes: [string, Write][] = [
	["change of a number", (client) => client.numbers.patch("x", { label: "new" })],
	["change of a trunk", (client) => client.trunks.patch("x", { label: "new" })],
	["change of a webhook", (client) => client.webhooks.patch("x", { description: "new" })],
];

const shown = { id: "x", label: "new", description: "new", status: "active" };
/** Writes get this response; reads show the object, unless there is none. */
const respond = (body: string, object: object | null = shown, headers: Record<string, string> = {}) => {
	server.script = (response, received) => {
		if (received.at(-1)?.method !== "GET") return answer(response, 200, body, headers);
		return object === null ? answer(response, 404, refusal("not_found")) : answer(response, 200, object);
	};
};
const methods = () => server.received.map(({ method }) => (method === "GET" ? "read" : "write"));
const writes = () => methods().filter((each) => each === "write").length;

describe.each(removals)("a %s", (_, remove) => {
	test("is done by any 2xx response", async () => {
		for (const body of empty) {
			respond(body);
			await remove(server.client());
		}
		expect(methods()).toEqual(empty.map(() => "write"));
	});

	test("is done if a page comes back and the object is not found", async () => {
		const client = server.client();
		await client.trunks.get("x");
		respond(html, null, page);
		await remove(client);
		expect(writes()).toBe(1);
	});

	test("fails if a read still shows the object after a page or an error", async () => {
		for (const [body, headers] of [[html, page] as const, [JSON.stringify(refusal("forbidden"))] as const]) {
			respond(body, shown, headers);
			expect(await failureOf(remove(server.client()))).toMatchObject({ kind: "Unavailable" });
		}
		expect(writes()).toBe(2);
	});
});

test.each([...actions, ...changes])("reads the object back after any 2xx response: %s", async (_, write) => {
	for (const body of empty) {
		respond(body);
		expect(await write(server.client())).toMatchObject({ id: "x" });
	}
	expect(methods()).toEqual(empty.flatMap(() => ["write", "read"]));
});

test.each(changes)("believes a page only if a read shows the new value: %s", async (_, write) => {
	respond(html, shown, page);
	expect(await write(server.client())).toMatchObject({ id: "x" });
	respond(html, { id: "x", label: "old", description: "old" }, page);
	expect(await failureOf(write(server.client()))).toMatchObject({ kind: "Unavailable" });
	expect(writes()).toBe(2);
});

const buy: Write = (client) => client.numbers.buy({ country: "NL", type: "mobile" });
test.each<[string, Write, body?: string]>([...actions, ["purchase", buy, ""], ["purchase", buy, "OK"]])(
	"reports an unknown outcome and sends nothing more after an odd 2xx: %s",
	async (_, act, body = html) => {
		respond(body, shown, body === html ? page : {});
		expect(await failureOf(act(server.client()))).toMatchObject({ kind: "OutcomeUnknown" });
		expect(writes()).toBe(1);
	},
);
