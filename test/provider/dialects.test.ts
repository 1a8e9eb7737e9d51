/** Services with names of their own: the same lives and requests, and a preview that refuses what they lack. */
import { describe, expect, test } from "vitest";
import { createEmulator } from "../../emulator";
import type { Description } from "../../provider/api/description/description";
import type { Values } from "../../provider/properties/table";
import { FakeClock } from "../helpers/clock";
import { dialects, separate } from "../helpers/dialects";
import { aNumber, aPool, aTrunk, aWebhook, openProvider, type Provider } from "../helpers/provider";
import { differs, failedUp, nameIn, refreshed, updated } from "../helpers/runs";

/** The lives of all kinds, with the number of requests so far after each step. */
async function story(service: Description | undefined) {
	const start = "2026-01-01T00:00:00Z";
	const emulator = await createEmulator({ service, seed: 1, startAt: start });
	const { control } = emulator;
	const config = service === undefined ? {} : { "telephony:service": JSON.stringify(service) };
	const clock = new FakeClock(Date.parse(start));
	const open = (): Provider => openProvider(emulator, { clock, config });
	const notes: [string, unknown, number][] = [];
	/** Without the reads of trunks that are sent whole. */
	const countRequests = () =>
		control.requests().filter(({ method, path }) => method !== "PUT" || !path.includes("/sip-trunks/")).length;
	const note = (what: string, value: unknown) => notes.push([what, structuredClone(value), countRequests()]);
	const created = async (run: Provider, news: Values) => {
		const { [nameIn(news)]: handler } = run;
		const made = await handler.create((await handler.check({}, news)).inputs);
		note("no change", await differs(run, made, news));
		return made;
	};
	/** Refreshed by a run of its own, and repaired by another. */
	const repaired = async (resource: { id: string; outs: Values }, news: Values) => {
		const read = await refreshed(open(), resource, news);
		note("drifted", read);
		const done = await updated(open(), read, news);
		note("repaired", [done.outs, await differs(open(), done, news)]);
		return done;
	};
	try {
		const first = open();
		let trunk = await created(first, aTrunk({ name: "Office" }));
		let hook = await created(first, aWebhook({ description: "all" }));
		const metadata = service?.records?.number?.metadata === false ? {} : { metadata: { team: "sales" } };
		const desk = aNumber({ ...metadata, label: "Desk", routing: { type: "trunk", trunkId: trunk.id } });
		let number = await created(first, desk);
		note("made", [trunk, hook, number]);
		control.patchNumber(number.id, { label: "by hand", routing: null });
		control.patchTrunk(trunk.id, { capacity: 3 });
		control.patchWebhook(hook.id, { enabled: false });
		number = await repaired(number, desk);
		trunk = await repaired(trunk, aTrunk({ name: "Office" }));
		hook = await repaired(hook, aWebhook({ description: "all" }));
		number = await repaired(number, aNumber({ routing: { type: "sip_uri", uri: "sip:a@b.example" } }));
		number = await repaired(number, aNumber());
		trunk = await repaired(trunk, aTrunk({ auth: { mode: "digest", username: "desk" } }));
		hook = await repaired(hook, aWebhook({ events: ["*"], enabled: false }));
		trunk = await repaired(trunk, aTrunk());

		control.kyc("manual");
		const german = aNumber({ country: "DE", activationTimeoutSeconds: 30 }, "german");
		const { error, ...held } = await failedUp(open(), german);
		note("held", [error.message, held.outs]);
		control.decide(held.id, "approve");
		const resumed = await updated(open(), held, german);
		note("resumed", resumed.outs.status);
		control.deleteNumber(held.id);
		note("gone", await open().number.read(held.id, resumed.outs));
		const last = open();
		await last.number.delete(number.id, number.outs);
		await last.sipTrunk.delete(trunk.id, trunk.outs);
		await last.webhook.delete(hook.id, hook.outs);
		const { numbers, trunks, webhooks } = control.state();
		note("left", { numbers, trunks, webhooks, ledger: control.ledger() });
		return notes;
	} finally {
		await emulator.close();
	}
}

describe("the lives of all kinds", () => {
	/** Fields that each emulator makes up, or that some services lack. */
	const omitted = new Set(["metadata", "account", "lease", "token", "reference", "baseUrl", "password"]);
	const comparable = (seen: unknown): unknown => {
		const isOwn = (key: string) => omitted.has(key) || /^secret(_h|H)?(int)?$/.test(key);
		const text = JSON.stringify(seen, (key, value) => (isOwn(key) ? undefined : value));
		// The emulator draws an id for each request, so that another read changes all later ids.
		const names = new Map<string, string>();
		const nameOf = (id: string) => {
			const name = names.get(id) ?? `id-${names.size}`;
			names.set(id, name);
			return name;
		};
		return JSON.parse(text.replaceAll(/127\.0\.0\.1:\d+/g, "HOST").replaceAll(/\b[a-z]+_[a-z0-9]{12}\b/g, nameOf));
	};
	const plain = story(undefined);

	test.each(Object.entries(dialects))("cost the same requests at a service with other %s", async (_, service) => {
		expect(comparable(await story(service))).toEqual(comparable(await plain));
	});

	test.each(Object.entries(separate))("are the same at a service with properties apart: %s", async (_, service) => {
		const values = (seen: Awaited<typeof plain>) => seen.map(([what, value]) => [what, value]);
		expect(comparable(values(await story(service)))).toEqual(comparable(values(await plain)));
	});

	test("find drift, repair it, wait for KYC, and end", async () => {
		const of = (what: string) => plain.then((seen) => seen.flatMap(([name, value]) => (name === what ? [value] : [])));
		expect(await of("no change")).toEqual([false, false, false]);
		expect(await of("drifted")).toEqual(Array(8).fill(expect.objectContaining({ changes: true })));
		expect(await of("repaired")).toEqual(Array(8).fill([expect.anything(), false]));
		expect([await of("resumed"), await of("gone")]).toEqual([["active"], [{}]]);
		expect(await of("left")).toMatchObject([{ trunks: [], webhooks: [] }]);
	});
});

describe("a preview", () => {
	const service = {
		records: {
			number: { metadata: false, "routing.ring_timeout_seconds": false },
			trunk: { codecs: false },
			webhook: { description: false },
		},
	};
	const check = async (news: Values, description: object) => {
		const config = { "telephony:service": JSON.stringify(description) };
		const run = openProvider({ url: "http://127.0.0.1:1/v1", apiKey: "key" }, { config });
		return (await run[nameIn(news)].check({}, news)).failures.map(({ reason }) => reason);
	};
	const routing = { type: "sip_uri", uri: "sip:a@example.com" };

	test.each<[Values, string | undefined]>([
		[aNumber({ metadata: { a: "1" } }), "`number: metadata: false`"],
		[aNumber({ routing: { ...routing, ringTimeoutSeconds: 9 } }), "`number: routing.ring_timeout_seconds: false`"],
		[aNumber({ routing, label: "a" }), undefined],
		[aPool({ metadata: { a: "1" } }), "metadata: "],
		[aTrunk({ codecs: ["PCMA"] }), "codecs: "],
		[aTrunk(), undefined],
		[aWebhook({ description: "a" }), "description: "],
	])("refuses what the service lacks: %#", async (news, reason) => {
		expect(await check(news, service)).toEqual(reason === undefined ? [] : [expect.stringContaining(reason)]);
	});

	test("refuses an unusable description as the stack's mistake", async () => {
		expect(await check(aNumber(), { lists: { item: "a" } })).toEqual([expect.stringContaining("lists.item: ")]);
	});
});
