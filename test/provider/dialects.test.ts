/** The lives of all resources at services that name things otherwise: results and requests in number are as without. */
import { expect, test } from "vitest";
import { createEmulator } from "../../emulator";
import type { Description } from "../../provider/api/dialect/description";
import type { Handler } from "../../provider/lifecycle/resource";
import type { Values } from "../../provider/properties/table";
import { FakeClock } from "../helpers/clock";
import { dialects } from "../helpers/dialects";
import {
	aNumber,
	aTrunk,
	aWebhook,
	checked,
	create,
	initErrorOf,
	openProvider,
	type Provider,
} from "../helpers/provider";

type Kind = "number" | "sipTrunk" | "webhook";

async function story(service: Description | undefined) {
	const start = "2026-01-01T00:00:00Z";
	const emulator = await createEmulator({ service, seed: 1, startAt: start });
	const config = service === undefined ? {} : { "telephony:service": JSON.stringify(service) };
	const clock = new FakeClock(Date.parse(start));
	const open = (): Provider => openProvider(emulator, { clock, config });
	const seen: [string, unknown][] = [];
	const requests = () => emulator.control.requests().length;
	const note = (what: string, value: unknown) => seen.push([what, structuredClone(value)], ["requests", requests()]);

	const isChanged = async (handler: Handler, id: string, outs: Values, news: Values) =>
		(await handler.diff(id, outs, await checked(handler, news, outs))).changes;
	/** Refreshed by a run of its own, and repaired by another. */
	const repaired = async (kind: Kind, id: string, outs: Values, news: Values): Promise<Values> => {
		const refresh = open();
		const { props = {}, inputs } = await refresh[kind].read(id, outs);
		note(`${kind} read`, { props, inputs });
		note(`${kind} drifted`, await isChanged(refresh[kind], id, props, news));
		const next = open();
		const wanted = await checked(next[kind], news, outs);
		const updated = await next[kind].update(id, props, wanted);
		note(`${kind} updated`, updated.outs);
		note(`${kind} drifts still`, await isChanged(next[kind], id, updated.outs, news));
		return updated.outs;
	};
	try {
		const first = open();
		const trunk = await create(first.sipTrunk, aTrunk({ name: "Office" }));
		const hook = await create(first.webhook, aWebhook({ description: "all" }));
		const metadata = service?.records?.number?.metadata === false ? {} : { metadata: { team: "sales" } };
		const desk = aNumber({ ...metadata, label: "Desk", routing: { type: "trunk", trunkId: trunk.id } });
		const number = await create(first.number, desk);
		note("made", [trunk, hook, number]);
		const second = open();
		note("no change", [
			await isChanged(second.number, number.id, number.outs, desk),
			await isChanged(second.sipTrunk, trunk.id, trunk.outs, aTrunk({ name: "Office" })),
			await isChanged(second.webhook, hook.id, hook.outs, aWebhook({ description: "all" })),
		]);

		emulator.control.patchNumber(number.id, { label: "by hand", routing: null });
		emulator.control.patchTrunk(trunk.id, { capacity: 3 });
		emulator.control.patchWebhook(hook.id, { enabled: false });
		let outs = await repaired("number", number.id, number.outs, desk);
		const trunkOuts = await repaired("sipTrunk", trunk.id, trunk.outs, aTrunk({ name: "Office" }));
		const hookOuts = await repaired("webhook", hook.id, hook.outs, aWebhook({ description: "all" }));
		outs = await repaired("number", number.id, outs, aNumber({ routing: { type: "sip_uri", uri: "sip:a@b.example" } }));
		outs = await repaired("number", number.id, outs, aNumber());
		const digest = aTrunk({ auth: { mode: "digest", username: "desk" } });
		const trunkNow = await repaired("sipTrunk", trunk.id, trunkOuts, digest);
		const hookNow = await repaired("webhook", hook.id, hookOuts, aWebhook({ events: ["*"], enabled: false }));
		const trunkBack = await repaired("sipTrunk", trunk.id, trunkNow, aTrunk());

		emulator.control.kyc("manual");
		const german = aNumber({ country: "DE", activationTimeoutSeconds: 30 }, "german");
		const held = await initErrorOf(create(open().number, german));
		note("held", [held.message, held.properties]);
		emulator.control.decide(held.id, "approve");
		const resumed = open();
		const going = await resumed.number.update(held.id, held.properties, await checked(resumed.number, german));
		note("resumed", going.outs);

		emulator.control.deleteNumber(held.id);
		const lookedFor = await open().number.read(held.id, going.outs);
		note("gone", lookedFor);
		const last = open();
		await last.number.delete(number.id, outs);
		await last.sipTrunk.delete(trunk.id, trunkBack);
		await last.webhook.delete(hook.id, hookNow);
		const { numbers, trunks, webhooks } = emulator.control.state();
		note("left", { numbers, trunks, webhooks, ledger: emulator.control.ledger() });
		return seen;
	} finally {
		await emulator.close();
	}
}

/** What each emulator makes up, and what some services have not. */
const own = new Set([
	"metadata",
	"account",
	"lease",
	"token",
	"reference",
	"baseUrl",
	"password",
	"secret",
	"secret_hint",
	"secretHint",
]);
const comparable = (seen: unknown): unknown => {
	const text = JSON.stringify(seen, (key, value) => (own.has(key) ? undefined : value));
	return JSON.parse(text.replaceAll(/127\.0\.0\.1:\d+/g, "HOST"));
};

const plain = story(undefined);

test.each(Object.entries(dialects))("%s", async (_, service) => {
	expect(comparable(await story(service))).toEqual(comparable(await plain));
});

test("the story is one: nothing to do at first, drift found and repaired, held by KYC and resumed, gone", async () => {
	const seen = (await plain).filter(([what]) => what !== "requests");
	const of = (what: string) => seen.filter(([name]) => name === what).map(([, value]) => value);
	expect(of("no change")).toEqual([[false, false, false]]);
	for (const kind of ["number", "sipTrunk", "webhook"]) {
		expect(of(`${kind} drifted`)).not.toContain(false);
		expect(of(`${kind} drifts still`)).not.toContain(true);
	}
	expect(of("resumed")).toEqual([expect.objectContaining({ status: "active" })]);
	expect(of("gone")).not.toEqual([expect.objectContaining({ id: expect.stringMatching(/./) })]);
	expect(of("left")).toEqual([
		expect.objectContaining({ trunks: [], webhooks: [], ledger: expect.arrayContaining([expect.anything()]) }),
	]);
});
