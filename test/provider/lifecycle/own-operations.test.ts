/** Properties with operations of their own: what a failure between the requests of one change leaves behind. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEmulator, type Emulator, type FaultRequest } from "../../../emulator";
import { openIn } from "../../../provider/properties/open";
import type { Values } from "../../../provider/properties/table";
import { separate } from "../../helpers/dialects";
import { aNumber, aPool, aTrunk, aWebhook, create, openProvider } from "../../helpers/provider";
import { differs, failedUp, handlerOf, refreshed, updated } from "../../helpers/runs";

const routing = { type: "forward", to: "+31201234567" };
const service = {
	...separate.read,
	operations: { deleteTrunk: "DELETE /trunks/{id}" },
	records: {
		...separate.read?.records,
		trunk: { codecs: { write: "PUT /trunks/{id}/codecs", read: "GET /trunks/{id}/codecs", at: "names" } },
	},
};
let emulator: Emulator;
beforeAll(async () => {
	emulator = await createEmulator({ service, kyc: "immediate" });
});
afterAll(() => emulator.close());
beforeEach(() => emulator.control.reset());

const open = (more: object = {}) =>
	openProvider(emulator, { config: { "telephony:service": JSON.stringify({ ...service, ...more }) } });
const numbers = () => emulator.control.state().numbers;
const purchases = () => emulator.control.ledger().filter(({ kind }) => kind === "purchase");
/** Refuses the nth request of an operation. */
const refuse = (
	operation: "patchNumber" | "getNumber" | "patchTrunk" | "patchWebhook",
	nth: number | number[],
	fault: object = { kind: "status", status: 403 },
) => emulator.control.faults.set({ operation, nth, ...fault } as FaultRequest);

describe("a number whose routing isn't written", () => {
	const declared = aNumber({ label: "desk", routing });

	test.each<[string, object]>([
		["refuses it", { kind: "status", status: 403 }],
		["fails", { kind: "status", status: 500, nth: [2, 3, 4, 5, 6] }],
		["loses the response", { kind: "reset", phase: "after", nth: [2, 3, 4, 5, 6] }],
	])("is kept, and written by the next run, if the service %s", async (_, fault) => {
		refuse("patchNumber", 2, fault);
		const { error, ...saved } = await failedUp(open(), declared);
		expect(error.message).toMatch(/\[telephony:[\w-]+\]$/);
		emulator.control.faults.clear();
		expect(openIn(saved.outs).isDirty).toBe(true);
		const afterRefresh = await refreshed(open(), saved, declared);
		expect(await differs(open(), afterRefresh, declared)).toBe(true);
		const done = await updated(open(), afterRefresh, declared);
		expect(numbers()).toMatchObject([{ label: "desk", routing }]);
		expect(purchases()).toHaveLength(1);
		expect(await differs(open(), await refreshed(open(), done, declared), declared)).toBe(false);
	});

	test("keeps its label of before until the whole change is done", async () => {
		const made = await create(open().number, declared);
		const news = aNumber({ label: "door", routing: { type: "sip_uri", uri: "sip:a@b.example" } });
		refuse("patchNumber", 3);
		const { error: _, ...saved } = await failedUp(open(), news, made);
		emulator.control.faults.clear();
		expect(openIn(saved.outs).isDirty).toBe(true);
		const done = await updated(open(), await refreshed(open(), saved, news), news);
		expect(numbers()).toMatchObject([{ label: "door", routing: { type: "sip_uri" } }]);
		expect(await differs(open(), done, news)).toBe(false);
	});
});

describe("a refresh of objects that a list shows without such properties", () => {
	test("finds no drift among many, and finds what was edited", async () => {
		const run = open();
		const all = ["a", "b", "c", "d", "e"].map((name) => aNumber({ label: name, routing }, name));
		const made = await Promise.all(all.map((news) => create(run.number, news)));
		const refresh = async () => {
			const next = open();
			const read = await Promise.all(made.map((resource, index) => refreshed(next, resource, all[index] as Values)));
			return read.map(({ changes }) => changes);
		};
		expect(await refresh()).toEqual([false, false, false, false, false]);
		emulator.control.patchNumber(String(made[1]?.id), { routing: null });
		expect(await refresh()).toEqual([false, true, false, false, false]);
	});

	test("finds no drift after a wait that read lists", async () => {
		emulator.control.kyc("manual");
		const run = open();
		const all = ["a", "b", "c", "d"].map((name) => aNumber({ country: "DE", routing, label: name }, name));
		run.clock.after(30, () => {
			for (const { id } of numbers()) emulator.control.decide(id, "approve");
		});
		const made = await Promise.all(all.map((news) => create(run.number, news)));
		for (const { outs } of made) expect(outs).toMatchObject({ routing });
		expect(await differs(open(), made[0] as (typeof made)[0], all[0] as Values)).toBe(false);
	});

	test("finds no drift of a pool, and none of what only a list shows", async () => {
		const news = aPool({ label: "line", routing });
		const made = await create(open().numberPool, news);
		expect((await refreshed(open(), made, news)).changes).toBe(false);
	});
});

test("sets the one property that a service can change", async () => {
	const only = { operations: { patchNumber: false, ...service.operations } };
	const made = await create(open(only).number, aNumber({ routing }));
	expect(numbers()).toMatchObject([{ routing, reference: null }]);
	expect((await refreshed(open(only), made, aNumber({ routing }))).changes).toBe(false);
	const unsettable = aNumber({ routing, metadata: { a: "1" } }, "other");
	const { failures } = await open(only).number.check({}, unsettable);
	expect(failures).toMatchObject([{ reason: expect.stringMatching(/^metadata: /) }]);
	await expect(open(only).number.create(unsettable)).rejects.toMatchObject({ kind: "NotOffered" });
	expect(purchases()).toHaveLength(1);
});

test("changes a property of an object without another change", async () => {
	const fixed = { operations: { patchWebhook: false, ...service.operations } };
	const made = await create(open(fixed).webhook, aWebhook());
	const news = aWebhook({ enabled: false });
	const done = await updated(open(fixed), made, news);
	expect(emulator.control.state().webhooks).toMatchObject([{ enabled: false }]);
	expect(await differs(open(fixed), await refreshed(open(fixed), done, news), news)).toBe(false);
	const { failures } = await open(fixed).webhook.check(done.outs, aWebhook({ enabled: false, description: "x" }));
	expect(failures).toMatchObject([{ reason: expect.stringMatching(/^description: /) }]);
});

test.each([
	["a trunk's", aTrunk({ codecs: ["PCMA"] }), "patchTrunk"],
	["a webhook's", aWebhook({ enabled: false }), "patchWebhook"],
] as const)("creates once if %s property isn't written at first", async (_, news, operation) => {
	refuse(operation, [1, 2]);
	const { error: __, ...saved } = await failedUp(open(), news);
	emulator.control.faults.clear();
	const done = await updated(open(), saved, news);
	const { trunks, webhooks } = emulator.control.state();
	expect([...trunks, ...webhooks]).toHaveLength(1);
	expect(await differs(open(), await refreshed(open(), done, news), news)).toBe(false);
});

test("clears the routing for a release, and writes it back", async () => {
	const news = aNumber({ routing });
	const made = await create(open().number, news);
	const inUse = { kind: "status", status: 409, error: "number_in_use" } as const;
	emulator.control.faults.set({ operation: "releaseNumber", nth: [1, 2], ...inUse });
	await expect(handlerOf(open(), news).delete(made.id, made.outs)).rejects.toMatchObject({
		errorCode: "number_in_use",
	});
	expect(numbers()).toMatchObject([{ routing }]);
	const sent = emulator.control.requests().map(({ method, path }) => `${method} ${path.split("/").at(-1)}`);
	expect(sent.filter((request) => request === "PUT voice").length).toBe(3);
});
