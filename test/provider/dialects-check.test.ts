/** A service description at preview: what it refuses, before anything is sent. */
import { expect, test } from "vitest";
import { createEmulator } from "../../emulator";
import type { Values } from "../../provider/properties/table";
import { aNumber, aPool, aTrunk, aWebhook, openProvider } from "../helpers/provider";

const service = {
	records: {
		number: { metadata: false, "routing.ring_timeout_seconds": false },
		trunk: { codecs: false },
		webhook: { description: false },
	},
};

test("what the service has not may not be declared: said at preview, and nothing is sent", async () => {
	const emulator = await createEmulator({ service });
	const provider = openProvider(emulator, { config: { "telephony:service": JSON.stringify(service) } });
	const said = async (handler: "number" | "sipTrunk" | "webhook" | "numberPool", news: Values) =>
		(await provider[handler].check({}, news)).failures.map(({ reason }) => reason);
	expect(await said("number", aNumber({ metadata: { a: "1" } }))).toEqual([
		"metadata: the service doesn't have this property: its service description says `number: metadata: false`. Remove it",
	]);
	const routing = { type: "sip_uri", uri: "sip:a@example.com" };
	expect(await said("number", aNumber({ routing: { ...routing, ringTimeoutSeconds: 9 } }))).toEqual([
		expect.stringContaining("`number: routing.ring_timeout_seconds: false`"),
	]);
	expect(await said("number", aNumber({ routing }))).toEqual([]);
	expect(await said("numberPool", aPool({ metadata: { a: "1" } }))).toEqual([expect.stringContaining("metadata: ")]);
	expect(await said("sipTrunk", aTrunk({ codecs: ["PCMA"] }))).toEqual([expect.stringContaining("codecs: ")]);
	expect(await said("webhook", aWebhook({ description: "a" }))).toEqual([expect.stringContaining("description: ")]);
	expect(await said("number", aNumber({ label: "a" }))).toEqual([]);
	expect(await said("sipTrunk", aTrunk())).toEqual([]);
	expect(emulator.control.requests()).toEqual([]);
	await emulator.close();
});

test("a description that can't be used is the stack's mistake, not the resource's", async () => {
	const provider = openProvider(
		{ url: "http://127.0.0.1:1/v1", apiKey: "key" },
		{ config: { "telephony:service": JSON.stringify({ lists: { item: "a" } }) } },
	);
	const { failures } = await provider.number.check({}, aNumber());
	expect(failures).toEqual([
		{ property: "", reason: expect.stringContaining("telephony:service can't be used: lists.item: ") },
	]);
});
