/** Shapes of real carriers: words that aren't texts, CIDRs in two fields, records in lists, and fields inside lists. */
import { expect, test } from "vitest";
import type { Description } from "../../../../provider/api/description/description";
import { reply, useScriptedServer } from "../../../helpers/scripted-server";

const server = useScriptedServer();
const bodies = () => server.received.flatMap(({ body }) => (body === "" ? [] : [JSON.parse(body)]));

const clientOf = (service: Description, body: object) => {
	server.script = (response) => reply(response, 200, body);
	return server.client({ service });
};

test.each<[Description, ours: unknown, theirs: object]>([
	[
		{ records: { webhook: { enabled: { at: "paused", values: { true: false, false: true } } } } },
		true,
		{ paused: false },
	],
	[
		{ records: { webhook: { enabled: { at: "paused", values: { true: false, false: true } } } } },
		false,
		{ paused: true },
	],
	[{ records: { webhook: { enabled: { at: "state", values: { true: 1, false: 0 } } } } }, false, { state: 0 }],
	[{ records: { webhook: { enabled: { at: "state", values: { true: "on", false: "off" } } } } }, true, { state: "on" }],
])("sends and reads a boolean under other values: %#", async (service, enabled, theirs) => {
	const client = clientOf(service, { id: "w1", ...theirs });
	const webhook = await client.webhooks.patch("w1", { enabled: enabled as boolean });
	expect([webhook.enabled, bodies().at(-1)]).toEqual([enabled, theirs]);
});

test.each([
	["203.0.113.0/24", { net: "203.0.113.0", mask: 24 }, "203.0.113.0/24"],
	["203.0.113.9", { net: "203.0.113.9", mask: 32 }, "203.0.113.9/32"],
	["2001:db8::1", { net: "2001:db8::1", mask: 128 }, "2001:db8::1/128"],
])("splits the CIDR %s into two fields", async (cidr, item, read) => {
	const service = { records: { trunk: { "auth.allowed_cidrs": { at: "sources", each: "net/mask" } } } };
	const record = { id: "t1", auth: { mode: "ip_acl" }, sources: [{ ...item, mask: String(item.mask), note: "x" }] };
	const trunk = await clientOf(service, record).trunks.patch("t1", { auth: { mode: "ip_acl", allowed_cidrs: [cidr] } });
	expect(trunk.auth?.allowed_cidrs).toEqual([read]);
	expect(bodies().at(-1)).toMatchObject({ sources: [item] });
});

test("finds the record of a purchase in a list", async () => {
	const service = { operations: { buyNumber: { response: "order.lines.0" } }, records: { number: { id: "line" } } };
	const client = clientOf(service, { order: { lines: [{ line: 7, number: "+31201234567" }] } });
	const { data } = await client.numbers.buy({ country: "NL", type: "mobile" });
	expect(data).toMatchObject({ id: "7", number: "+31201234567" });
});

test("leaves out a field of each item of a list", async () => {
	const service: Description = {
		operations: { patchTrunk: { request: "PUT /trunks/{id}", whole: true, omit: ["id", "sources.since"] } },
	};
	const client = clientOf(service, {
		id: "t1",
		name: "a",
		sources: [
			{ net: "x", since: 1 },
			{ net: "y", since: 2 },
		],
	});
	await client.trunks.patch("t1", { name: "b" });
	expect(bodies().at(-1)).toEqual({ name: "b", sources: [{ net: "x" }, { net: "y" }] });
});

test("sends a JSON body with each POST, also if the operation has none", async () => {
	const client = clientOf({ operations: { releaseNumber: "POST /numbers/{id}/cease" } }, { id: "n1" });
	await client.numbers.release("n1");
	expect(server.received.at(-1)).toMatchObject({ method: "POST", body: "{}" });
	await clientOf({}, { id: "n1" }).numbers.release("n1");
	expect(server.received.at(-1)).toMatchObject({ method: "DELETE", body: "" });
});

test("names omit if the service refuses a request with the whole record", async () => {
	const service: Description = { operations: { patchTrunk: { request: "PUT /trunks/{id}", whole: true } } };
	const client = clientOf(service, { id: "t1", name: "a", made: 1 });
	server.script = (response, received) =>
		received.at(-1)?.method === "GET"
			? reply(response, 200, { id: "t1", name: "a", made: 1 })
			: reply(response, 400, { error: "unknown_field", message: "unknown field made", request_id: "r" });
	await expect(client.trunks.patch("t1", { name: "b" })).rejects.toThrow("patchTrunk: { omit: […] }");
});

test.each([400, 403])("takes a described code with HTTP %i for a rejected key", async (status) => {
	const client = clientOf({ errors: { codes: { unauthorized: "A-0003" } } }, {});
	server.script = (response) => reply(response, status, { error: "A-0003", message: "no", request_id: "r" });
	await expect(client.trunks.get("t1")).rejects.toMatchObject({ messageCode: "rejected-key" });
});
