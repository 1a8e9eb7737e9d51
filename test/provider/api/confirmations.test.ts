/** 2xx responses to writes whose body doesn't show the result. */
import { expect, test } from "vitest";
import type { Client } from "../../../provider/api/client";
import { failureOf } from "../../helpers/provider";
import { answer, refusal, useScriptedServer } from "../../helpers/scripted-server";

const server = useScriptedServer();
const html = "<html><body>Request rejected</body></html>";
const refused = JSON.stringify(refusal("forbidden"));
const unreadable = ["", "{}", "OK", "[]", '{"success":true}', '{"id":', '{"id":{}}', refused, html];

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

const changed = { id: "x", label: "new", description: "new", status: "active" };
/** Writes get this response; reads show the object. */
const respond = (body: string) => {
	const headers = body === html ? { "content-type": "text/html" } : {};
	server.script = (response, received) => {
		if (received.at(-1)?.method !== "GET") return answer(response, 200, body, headers);
		return answer(response, 200, changed);
	};
};
const writes = () => server.received.filter(({ method }) => method !== "GET").length;

test.each(removals)("takes any 2xx response to a %s for done", async (_, remove) => {
	for (const body of unreadable) {
		respond(body);
		await remove(server.client());
	}
	expect([server.received.length, writes()]).toEqual([unreadable.length, unreadable.length]);
});

test.each([...actions, ...changes])("reads the object back after any 2xx response to a %s", async (_, write) => {
	for (const body of unreadable) {
		respond(body);
		expect(await write(server.client())).toMatchObject({ id: "x" });
	}
	expect([server.received.length, writes()]).toEqual([2 * unreadable.length, unreadable.length]);
});

const buy: Write = (client) => client.numbers.buy({ country: "NL", type: "mobile" });
test.each([html, "", "OK"])("doesn't know the outcome of a purchase after the response %j", async (body) => {
	respond(body);
	expect([(await failureOf(buy(server.client()))).kind, writes()]).toEqual(["OutcomeUnknown", 1]);
});
