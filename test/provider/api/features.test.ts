/** Features of a service: declared, named in its header, shown by its responses, or promised by the contract. */
import { describe, expect, test } from "vitest";
import type { Client } from "../../../provider/api/client";
import { type Feature, features, featuresHeader, replayedHeader } from "../../../provider/api/contract";
import { featuresIn } from "../../../provider/api/offer";
import { useEmulator } from "../../helpers/emulator";
import { aNumber, create, failureOf, initErrorOf, openProvider } from "../../helpers/provider";
import { refusal, reply, useScriptedServer } from "../../helpers/scripted-server";

test.each([
	["", {}],
	["getById", { getById: true }],
	["-release, idempotencyKey\treference", { release: false, idempotencyKey: true, reference: true }],
	["trunks -trunks", { trunks: false }],
])("a stack states features as %j", (text, expected) => {
	expect(Object.fromEntries(featuresIn(text, "x"))).toEqual(expected);
	expect(() => featuresIn(`${text} -sms`, "x")).toThrow(expect.objectContaining({ kind: "Config" }));
});

const emulator = useEmulator({ kyc: "immediate" });

describe("a client", () => {
	const server = useScriptedServer();
	const open = (stated: [Feature, boolean][] = []) => server.client({ features: new Map(stated) });
	const buy = (client: Client) => client.numbers.buy({ country: "NL", type: "mobile" }, { idempotencyKey: "k" });
	const stateOf = (client: Client, feature: Feature = "patchNumber") => [client.offers(feature), client.knows(feature)];
	const posts = () => server.received.filter(({ method }) => method === "POST").length;

	test.each<[string, status: number, body: unknown, learned: boolean]>([
		["a gateway's page", 404, "<html>", false],
		["a gateway's JSON", 405, { message: "no route" }, false],
		["an object that isn't found", 404, refusal("not_found"), false],
		["an unknown code", 404, refusal("no_such_number"), false],
		["an outage", 503, refusal("unavailable"), false],
		["an operation that isn't offered", 404, refusal("operation_not_offered"), true],
		["a method that isn't allowed", 405, refusal("method_not_allowed"), true],
	])("learns from %s only what the service itself says", async (_, status, body, learned) => {
		const client = open();
		expect(features.filter((feature) => !client.offers(feature) || client.knows(feature))).toEqual([]);
		await client.numbers.list().next();
		server.script = (response) => reply(response, status, body);
		expect((await failureOf(client.numbers.patch("x", {}))).kind === "NotOffered").toBe(learned);
		expect(stateOf(client)).toEqual([!learned, learned]);
		expect(client.knows("reference")).toBe(false);
		server.script = (response) => reply(response, 200, { id: "x", reference: null });
		await client.numbers.patch("x", {});
		expect([...stateOf(client), client.knows("reference")]).toEqual([true, true, true]);
	});

	test("believes the header and responses, and the stack over both", async () => {
		server.script = (response) => reply(response, 200, undefined, { [featuresHeader]: "getById, idempotencyKey" });
		const stated = Object.entries({ trunks: true, getById: false }) as [Feature, boolean][];
		const [client, configured] = [open(), open(stated)];
		await client.trunks.get("x");
		const offered = (client: Client) =>
			(["trunks", "getById", "webhooks"] as const).map((feature) => client.offers(feature));
		expect(offered(client)).toEqual([true, true, false]);
		expect(offered(configured)).toEqual([true, false, false]);
		expect(features.filter((feature) => !client.knows(feature))).toEqual([]);
	});

	test("repeats a purchase once keys are stated, or a replay was seen", async () => {
		const client = open();
		const counted = async (client: Client) => {
			const before = posts();
			server.script = (response) => response.destroy();
			expect((await failureOf(buy(client))).kind).toBe("OutcomeUnknown");
			return posts() - before;
		};
		expect(await counted(client)).toBe(1);
		expect(await counted(open([["idempotencyKey", true]]))).toBe(5);
		server.script = (response) => reply(response, 201, { id: "x" }, { [replayedHeader]: "true" });
		await buy(client);
		expect(await counted(client)).toBe(5);
		expect(await counted(open([["idempotencyKey", false]]))).toBe(1);
	});
});

test("refuses a purchase for a missing feature, or saves it if found late", async () => {
	const open = (TELEPHONY_FEATURES: string) => openProvider(emulator, { env: { TELEPHONY_FEATURES } });
	const news = aNumber({ label: "a" });
	// A preview refuses it too, unless it was skipped.
	expect((await failureOf(open("-patchNumber").number.create(news))).messageCode).toBe("not-offered");
	expect(emulator.kinds()).toEqual([]);
	emulator.control.settings({ features: { patchNumber: false }, featuresHeader: false });
	const error = await initErrorOf(create(open("").number, news));
	expect(error.message).toContain("[telephony:not-offered]");
	expect(emulator.requests(1)).toEqual(["GET /numbers", "POST /numbers", `PATCH /numbers/${error.id}`]);
});
