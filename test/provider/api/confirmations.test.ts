/** 2xx responses to writes whose body doesn't show the result. */
import { expect, test } from "vitest";
import type { Client } from "../../../provider/api/client";
import { failureOf } from "../../helpers/provider";
import { answer, refusal, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const empty = ["", "{}", "OK", "[]", '{"success":true}', '{"id":', '{"id":{}}'];
const html = "<html><body>Request rejected</body></html>";

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
const respond = (body: string, object: object | null = shown) => {
	const headers = body === html ? { "content-type": "text/html" } : {};
	server.script = (response, received) => {
		if (received.at(-1)?.method !== "GET") return answer(response, 200, body, headers);
		return object === null ? answer(response, 404, refusal("not_found")) : answer(response, 200, object);
	};
};
const kindOf = async (write: Write) => (await failureOf(write(server.client()))).kind;
const writes = () => server.received.filter(({ method }) => method !== "GET").length;

test.each(removals)("takes any 2xx response to a %s for done", async (_, remove) => {
	for (const body of empty) {
		respond(body);
		await remove(server.client());
	}
	expect([server.received.length, writes()]).toEqual([empty.length, empty.length]);
	// A page or an error in its place counts if a read finds nothing.
	for (const body of [html, JSON.stringify(refusal("forbidden"))]) {
		respond(body);
		expect(await kindOf(remove)).toBe("Unavailable");
		const client = server.client();
		await client.trunks.get("x");
		respond(body, null);
		await remove(client);
	}
	expect(writes()).toBe(empty.length + 4);
});

test.each([...actions, ...changes])("reads the object back after any 2xx response to a %s", async (_, write) => {
	for (const body of empty) {
		respond(body);
		expect(await write(server.client())).toMatchObject({ id: "x" });
	}
	expect([server.received.length, writes()]).toEqual([2 * empty.length, empty.length]);
});

test.each(changes)("believes a page as the response to a %s only if a read shows it", async (_, write) => {
	respond(html);
	expect(await write(server.client())).toMatchObject({ id: "x" });
	respond(html, { id: "x", label: "old", description: "old" });
	expect(await kindOf(write)).toBe("Unavailable");
	expect(writes()).toBe(2);
});

const buy: Write = (client) => client.numbers.buy({ country: "NL", type: "mobile" });
test.each<[string, Write, body?: string]>([...actions, ["purchase", buy, ""], ["purchase", buy, "OK"]])(
	"doesn't know the outcome of a %s after a response without result",
	async (_, act, body = html) => {
		respond(body);
		expect([await kindOf(act), writes()]).toEqual(["OutcomeUnknown", 1]);
	},
);
