/** What a service offers: stated, named in its header, shown by its answers, or promised by its description. */
import { describe, expect, test } from "vitest";
import type { Client } from "../../../provider/api/client";
import { type Feature, features, featuresHeader, replayedHeader } from "../../../provider/api/contract";
import { featuresIn } from "../../../provider/api/offer";
import { readConfig } from "../../../provider/session/config";
import { useEmulator } from "../../helpers/emulator";
import { useFaultProxy } from "../../helpers/fault-proxy";
import { kinds } from "../../helpers/kinds";
import { aNumber, checked, create, failureOf, initErrorOf, openProvider } from "../../helpers/provider";
import { differs, upAgain } from "../../helpers/runs";
import { answer, refusal, useScriptedServer } from "../../helpers/scripted-server";

describe("a stack states it", () => {
	test.each([
		["", {}],
		["getById", { getById: true }],
		[
			"-release, idempotencyKey\treference,-trunks",
			{ release: false, idempotencyKey: true, reference: true, trunks: false },
		],
		["trunks -trunks", { trunks: false }],
	])("as %j", (text, expected) => expect(Object.fromEntries(featuresIn(text, "features"))).toEqual(expected));

	test("by names that are known; any other is an error that lists those", () => {
		expect(() => featuresIn("getById, Trunks -sms", "telephony:features (or TELEPHONY_FEATURES)")).toThrow(
			expect.objectContaining({
				kind: "Config",
				message: expect.stringMatching(/names "Trunks", "sms",.*getById, patchNumber/),
			}),
		);
	});

	test("in its configuration, over which the environment wins", () => {
		const stack = (key: string) =>
			({ "telephony:apiKey": "k", "telephony:baseUrl": "https://a.example/v1", "telephony:features": "-trunks" })[key];
		expect([...readConfig(stack, {}, "/").features]).toEqual([["trunks", false]]);
		expect([...readConfig(stack, { TELEPHONY_FEATURES: "kyc" }, "/").features]).toEqual([["kyc", true]]);
	});
});

describe("a client", () => {
	const server = useScriptedServer();
	const open = (stated: [Feature, boolean][] = []) => server.client({ features: new Map(stated) });
	const buy = { country: "NL", type: "mobile" } as const;
	const seen = (client: Client, feature: Feature = "patchNumber") => ({
		offers: client.offers(feature),
		knows: client.knows(feature),
	});
	const posts = () => server.received.filter(({ method }) => method === "POST");

	test("assumes what the description promises, and knows nothing yet", () => {
		const client = open();
		expect(features.filter((feature) => !client.offers(feature) || client.knows(feature))).toEqual([]);
	});

	test.each([
		["a gateway's page", 404, "<html>"],
		["a gateway's JSON", 405, { message: "no route" }],
		["an object that is not there", 404, refusal("not_found")],
		["a code that nobody knows", 404, refusal("no_such_number")],
		["an outage", 503, refusal("unavailable")],
	])("learns nothing from %s", async (_, status, body) => {
		const client = open();
		await client.numbers.list().next();
		server.script = (response) => answer(response, status, body);
		await failureOf(client.numbers.patch("x", {}));
		expect(seen(client)).toEqual({ offers: true, knows: false });
	});

	test.each([
		[404, "operation_not_offered"],
		[405, "method_not_allowed"],
	])("learns from the service's own word, HTTP %d %s, until it works", async (status, code) => {
		const client = open();
		await client.numbers.list().next();
		server.script = (response) => answer(response, status, refusal(code));
		expect((await failureOf(client.numbers.patch("x", {}))).kind).toBe("NotOffered");
		expect(seen(client)).toEqual({ offers: false, knows: true });
		server.script = (response) => answer(response, 200);
		await client.numbers.patch("x", {});
		expect(seen(client)).toEqual({ offers: true, knows: true });
	});

	test("takes the header's word over what answers show, and the stack's over both", async () => {
		server.script = (response) => answer(response, 200, undefined, { [featuresHeader]: "getById, idempotencyKey" });
		const [client, told] = [
			open(),
			open([
				["trunks", true],
				["getById", false],
			]),
		];
		await client.trunks.get("x");
		expect(client.offers("trunks"), "trunks").toBe(false);
		expect(client.offers("getById"), "get by id").toBe(true);
		expect(client.offers("webhooks"), "webhooks").toBe(false);
		expect(told.offers("trunks"), "trunks").toBe(true);
		expect(told.offers("getById"), "get by id").toBe(false);
		expect(told.offers("webhooks"), "webhooks").toBe(false);
		expect(features.filter((feature) => !client.knows(feature))).toEqual([]);
	});

	test("knows of references once a record has the field, be it empty", async () => {
		const client = open();
		server.script = (response) => answer(response, 200, { data: [{ id: "a" }], next_cursor: null });
		await client.numbers.list().next();
		expect(client.knows("reference")).toBe(false);
		server.script = (response) => answer(response, 200, { data: [{ id: "a", reference: null }], next_cursor: null });
		await client.numbers.list().next();
		expect(seen(client, "reference")).toEqual({ offers: true, knows: true });
	});

	test("repeats a purchase only once it knows that keys count: stated, or seen to", async () => {
		server.script = (response) => response.destroy();
		const silent = open();
		expect((await failureOf(silent.numbers.buy(buy, { idempotencyKey: "k" }))).kind).toBe("OutcomeUnknown");
		expect(posts()).toHaveLength(1);
		await failureOf(open([["idempotencyKey", true]]).numbers.buy(buy, { idempotencyKey: "k" }));
		expect(posts()).toHaveLength(6);
		server.script = (response) => answer(response, 201, { id: "x" }, { [replayedHeader]: "true" });
		await silent.numbers.buy(buy, { idempotencyKey: "k" });
		expect(silent.knows("idempotencyKey")).toBe(true);
		server.script = (response) => response.destroy();
		await failureOf(silent.numbers.buy(buy, { idempotencyKey: "k" }));
		expect(posts()).toHaveLength(12);
		await failureOf(open([["idempotencyKey", false]]).numbers.buy(buy, { idempotencyKey: "k" }));
		expect(posts()).toHaveLength(13);
	});
});

describe("a service that sends no header", () => {
	const emulator = useEmulator({ kyc: "immediate" });
	const proxy = useFaultProxy(emulator);
	const open = (stated?: string) => {
		proxy.hidden.add(featuresHeader);
		return openProvider(proxy, stated === undefined ? {} : { env: { TELEPHONY_FEATURES: stated } });
	};
	const requests = () =>
		emulator.control
			.requests()
			.map(({ method, path }) => `${method} ${path.replace(/\?.*/, "").replace(/num_\w+/, "{id}")}`);

	test.each([[undefined], ["idempotencyKey, reference"]])(
		"is bought from, read, changed and left alone: %j stated",
		async (stated) => {
			const run = open(stated);
			for (const { name, declare, edit } of kinds) {
				const made = await create(run[name], declare({ ...edit }));
				const { props = {} } = await open(stated)[name].read(made.id, made.outs);
				const done = await upAgain(open(stated), { id: made.id, outs: props }, declare());
				expect(done.changes, name).toBe(true);
				expect(await differs(open(stated), done, declare())).toBe(false);
				await open(stated)[name].delete(done.id, done.outs);
				expect(emulator.rows(name)).toEqual([]);
			}
		},
	);

	test("is asked nothing only to find out what it offers", async () => {
		await create(open("idempotencyKey").number, aNumber({ label: "a" }));
		expect(requests()).toEqual(["GET /v1/numbers", "POST /v1/numbers", "PATCH /v1/numbers/{id}"]);
	});

	test("a feature that the stack takes away is refused before anything is bought", async () => {
		const error = await failureOf(create(open("-patchNumber").number, aNumber({ label: "a" })));
		expect(error).toMatchObject({
			kind: "NotOffered",
			message: expect.stringContaining("feature patchNumber), so label can't be set"),
		});
		expect(emulator.control.ledger()).toEqual([]);
	});

	test("a feature that the service lacks and nobody has stated: the number is saved, and the error names the feature and how to say so", async () => {
		emulator.control.settings({ features: { patchNumber: false } });
		const error = await initErrorOf(create(open().number, aNumber({ label: "a" })));
		expect(error.message).toMatch(/feature patchNumber.*telephony:features.*\[telephony:not-offered\]$/);
		const run = open();
		await run.number.update(error.id, error.properties, await checked(run.number, aNumber()));
		expect(emulator.kinds()).toEqual(["purchase"]);
	});
});

describe("a gateway's page", () => {
	const emulator = useEmulator({ kyc: "immediate" });

	test.each(["before", "after"] as const)(
		"in the place of one answer leaves whose a number is as it was: %s",
		async (phase) => {
			emulator.control.settings({ featuresHeader: false });
			emulator.control.faults.set({ operation: "patchNumber", nth: 1, kind: "html", status: 404, phase });
			const { id, outs } = await create(openProvider(emulator).number, aNumber());
			expect(emulator.control.state().numbers[0]?.reference).toContain(String(outs.lease));
			await openProvider(emulator).number.delete(id, outs);
			expect(emulator.control.state().numbers[0]?.status).toBe("released");
		},
	);
});
