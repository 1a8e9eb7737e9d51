/** A service that lags behind itself: nothing that this state has seen before is taken for drift, or for lost. */
import { beforeEach, describe, expect, test } from "vitest";
import { type SettingsPatch, VirtualClock } from "../../../emulator";
import type { Values } from "../../../provider/properties/table";
import { FakeClock } from "../../helpers/clock";
import { type Kind, useEmulator } from "../../helpers/emulator";
import { kinds } from "../../helpers/kinds";
import {
	allGone,
	aNumber,
	aTrunk,
	aWebhook,
	checked,
	create,
	declaration,
	initErrorOf,
	openProvider,
} from "../../helpers/provider";

const clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
const emulator = useEmulator({ clock, kyc: "1s" });

/** The provider's time is another one, but passes as the service's does. */
const open = (env: Readonly<Record<string, string>> = {}) => {
	const own = new FakeClock(Date.parse("2031-05-05T05:05:05Z"));
	let then = own.now();
	own.onSleep = (now) => {
		clock.advance(now - then);
		then = now;
	};
	return openProvider(emulator, { clock: own, env });
};

/** Each kind, as a program declares it; what waits is active a second later. */
const declared: Partial<Record<Kind, Values>> = {
	number: { country: "DE", routing: { type: "forward", to: "+49301234567" } },
};
const resources = kinds.map(({ secret, ...kind }) => ({
	...kind,
	news: (secret ?? kind).declare(declared[kind.name]),
}));
const { edit, remove, row, rows } = emulator;

const referenceOf = (id: string) => row(id)?.reference;

async function refreshed(name: Kind, id: string, outs: Values, inputs: Values, env = {}) {
	const { [name]: handler, clock: own, warnings } = open(env);
	const read = await handler.read(id, outs);
	const changes = read.id === undefined ? "gone" : (await handler.diff(id, read.props ?? {}, inputs)).changes;
	return { changes, waited: own.slept.filter((ms) => ms > 10).reduce((sum, ms) => sum + ms, 0), warnings, read };
}

const lags: [string, SettingsPatch][] = [
	["reads lag by 2 s", { readLagMs: 2_000 }],
	["lists lag by 5 s", { listLagMs: 5_000 }],
	["lists hide what is pending, and lag", { listHidesPending: true, listLagMs: 5_000 }],
];

describe.each(lags)("where %s", (_, patch) => {
	beforeEach(() => void emulator.control.settings(patch));

	test.each(resources)("a refresh of a $noun right after up is empty", async ({ name, news, text }) => {
		const { id, outs } = await create(open()[name], news);
		const inputs = await checked(open()[name], news);
		expect(await refreshed(name, id, outs, inputs)).toMatchObject({ changes: false, warnings: [] });
		const next = await checked(open()[name], { ...news, [text]: "b" });
		const updated = await open()[name].update(id, outs, next);
		expect(await refreshed(name, id, updated.outs, next)).toMatchObject({ changes: false, warnings: [] });
		expect((await refreshed(name, id, updated.outs, next)).read.props).toMatchObject({ lease: updated.outs.lease });
	});

	test.each(resources)("a $noun that was made a moment ago is deleted, not forgotten", async ({ name, news }) => {
		const { id, outs } = await create(open()[name], news);
		await open()[name].delete(id, outs);
		expect(rows(name)).toEqual([]);
	});

	test("an Activation waits for what was bought a moment ago, and a refresh right after it is empty", async () => {
		const [run, next] = [open(), open()];
		const ids = await Promise.all(
			["a", "b", "c", "d"].map(async (name) => {
				const inputs = aNumber({ country: "DE", waitForActive: false }, name);
				const { id, outs } = await create(run.number, inputs);
				await next.number.diff(id, outs, await checked(next.number, inputs));
				return id;
			}),
		);
		const fleet = await create(next.activation, declaration("Activation", "fleet", { numberIds: ids }));
		expect(fleet.outs.numbers).toMatchObject(ids.map((id) => ({ id, status: "active" })));
		const { activation } = open();
		expect((await activation.read(fleet.id, fleet.outs)).props).toEqual(fleet.outs);
		expect(next.warnings).toEqual([]);
	});

	test.each(["immediate", "1s", "8s"] as const)(
		"an Activation in the run that bought the numbers takes no older answer for a loss (%s)",
		async (kyc) => {
			emulator.control.kyc(kyc);
			const run = open();
			const ids = await Promise.all(
				["a", "b", "c", "d"].map(async (name) => {
					// Two are waited for, by single reads; a refresh reads the list.
					const inputs = aNumber({ country: name < "c" ? "DE" : "NL", waitForActive: false }, name);
					return (await create(run.number, inputs)).id;
				}),
			);
			const fleet = await create(run.activation, declaration("Activation", "fleet", { numberIds: ids }));
			expect(fleet.outs.numbers).toMatchObject(ids.map((id) => ({ id, status: "active" })));
			const later = open();
			expect((await later.activation.read(fleet.id, fleet.outs)).props).toEqual(fleet.outs);
			expect([...run.warnings, ...later.warnings]).toEqual([]);
		},
	);

	test.each(resources)("an edit of a $noun is found all the same, and a loss", async ({ name, news, buys }) => {
		const { id, outs } = await create(open()[name], news);
		const inputs = await checked(open()[name], news);
		clock.advance(60_000);
		edit(name, id, { reference: null });
		clock.advance(10_000);
		expect(await refreshed(name, id, outs, inputs)).toMatchObject({ changes: true });
		remove(name, id);
		clock.advance(10_000);
		// Nothing else shows that a trunk or webhook was on this account.
		const { changes, waited } = await refreshed(name, id, outs, inputs, buys ? {} : allGone.env);
		// No longer than others may take to arrive that tell that it's the right account.
		expect(changes).toBe("gone");
		expect(waited).toBeLessThan(1_000);
	});
});

test("what the service doesn't show at once is not gone, though the service's clock is hours ahead", async () => {
	const { id, outs } = await create(openProvider(emulator, { clock: new FakeClock(clock.now()) }).number, aNumber());
	const run = openProvider(emulator, { clock: new FakeClock(clock.now()) });
	clock.advance(7_200_000);
	emulator.control.faults.set({ operation: "getNumber", kind: "status", error: "not_found", nth: [1, 2] });
	expect((await run.number.read(id, outs)).id).toBe(id);
	expect(run.warnings).toEqual([]);
});

test("what is gone in its first minute is believed after ten seconds", async () => {
	const { id, outs } = await create(open().webhook, aWebhook());
	remove("webhook", id);
	const inputs = await checked(open().webhook, aWebhook());
	const { changes, waited } = await refreshed("webhook", id, outs, inputs, allGone.env);
	expect(changes).toBe("gone");
	expect(waited).toBeGreaterThan(7_000);
	expect(waited).toBeLessThanOrEqual(10_000);
});

test("an account put back to an older state is drift, after ten seconds", async () => {
	const { id, outs } = await create(open().webhook, aWebhook());
	const inputs = await checked(open().webhook, aWebhook());
	edit("webhook", id, { description: "as of old", reference: null });
	const { changes, waited } = await refreshed("webhook", id, { ...outs, updatedAt: "2026-06-01T00:00:00Z" }, inputs);
	expect(changes).toBe(true);
	expect(waited).toBeLessThanOrEqual(10_000);
});

test.each(resources)(
	"a $noun that a killed run made a moment ago is taken over, not made twice",
	async ({ name, news }) => {
		emulator.control.settings({ readLagMs: 2_000 });
		await create(open()[name], news);
		await create(open()[name], news);
		expect(rows(name)).toHaveLength(1);
	},
);

describe("what a refresh of 200 numbers costs doesn't hang on clocks", () => {
	const ahead = () => ({ updatedAt: new Date(clock.now() + 3_600_000).toISOString() });

	test.each<[string, SettingsPatch, () => Values, boolean, number]>([
		["whose service is an hour behind", {}, ahead, false, 0],
		["that are gone within a minute of their purchase", {}, () => ({}), true, 200],
		["that the list shows a minute late", { listLagMs: 60_000, readLagMs: 2_000 }, () => ({}), false, 2 * 200],
	])("%s", async (_, settings, change, areGone, singles) => {
		emulator.control.settings(settings);
		const first = open();
		const names = Array.from({ length: 200 }, (_, n) => `n${n}`);
		const made = await Promise.all(names.map((name) => create(first.number, aNumber({}, name))));
		if (areGone) for (const { id } of made) remove("number", id);
		const run = open();
		const before = emulator.requests().length;
		const read = await Promise.all(made.map(({ id, outs }) => run.number.read(id, { ...outs, ...change() })));
		const leases = made.map(({ id, outs }) => [id, outs.lease]);
		expect(read.map(({ id, props }) => [id, props?.lease])).toEqual(
			areGone ? leases.map(() => [undefined, undefined]) : leases,
		);
		if (!areGone) expect(run.warnings).toEqual([]);
		expect(emulator.requests().length - before).toBeLessThanOrEqual(2 * 2 + 10 + singles);
	});
});

test.each([
	["alone", false, "run again in a minute"],
	["beside one that proves the account", true, "was bought less than a minute ago"],
])(
	"a delete doesn't forget a number that no read shows yet, %s: it fails until the service shows it",
	async (_, isProven, says) => {
		if (isProven) await create(open().number, aNumber({ waitForActive: false }, "before"));
		clock.advance(120_000);
		const { id, outs } = await create(open().number, aNumber({ waitForActive: false }));
		emulator.control.settings({ readLagMs: 60_000 });
		await expect(open().number.delete(id, outs)).rejects.toThrow(says);
		clock.advance(120_000);
		await open().number.delete(id, outs);
		expect(row(id)?.status).toBe("released");
	},
);

describe("a trunk that is replaced while lists lag", () => {
	const news = aTrunk({ auth: { mode: "digest", username: "office" } });
	const trunk = async () => {
		const { id, outs } = await create(open().sipTrunk, news);
		clock.advance(10_000);
		await open().sipTrunk.update(id, outs, await checked(open().sipTrunk, { ...news, name: "edited" }));
		return id;
	};

	test("is taken over, though it was written since its key was used: none is made beside it", async () => {
		const id = await trunk();
		emulator.control.settings({ listLagMs: 60_000 });
		expect((await create(open().sipTrunk, news)).id).toBe(id);
		expect(emulator.control.state().trunks).toHaveLength(1);
	});

	test("is claimed anew where single reads lag too, so that the state has the lease that the service has", async () => {
		await trunk();
		emulator.control.settings({ listLagMs: 60_000, readLagMs: 5_000 });
		const { outs } = await create(open().sipTrunk, news);
		expect(emulator.control.state().trunks[0]?.reference).toContain(`.${outs.lease}`);
	});
});

test("a webhook that is replaced twice while reads lag has the secret that the service has", async () => {
	await create(open().webhook, aWebhook());
	clock.advance(10_000);
	await create(open().webhook, aWebhook());
	emulator.control.settings({ listLagMs: 60_000, readLagMs: 5_000 });
	const { outs } = await create(open().webhook, aWebhook());
	expect(outs.secret).toBe(emulator.control.state().webhooks[0]?.secret);
});

describe("a number that is younger than a minute, and that no read shows", () => {
	test("is not taken out of the state: a refresh fails until the service shows it, or somebody says that it is gone", async () => {
		const { id, outs } = await create(open().number, aNumber());
		emulator.control.settings({ readLagMs: 60_000, listLagMs: 60_000 });
		await expect(open().number.read(id, outs)).rejects.toThrow("run again in a minute");
		expect(await open({ TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" }).number.read(id, outs)).toEqual({});
		clock.advance(120_000);
		expect((await open().number.read(id, outs)).id).toBe(id);
	});
});

test("what is to be cleared is cleared, though a read that lags shows it as absent", async () => {
	const { id, outs } = await create(open().number, aNumber());
	clock.advance(120_000);
	const labelled = await checked(open().number, aNumber({ label: "x" }));
	const { outs: olds } = await open().number.update(id, outs, labelled);
	emulator.control.faults.set({ operation: "patchNumber", kind: "status", status: 403 });
	const plain = await checked(open().number, aNumber());
	const { properties } = await initErrorOf(open().number.update(id, olds, plain));
	emulator.control.settings({ readLagMs: 60_000, listLagMs: 60_000 });
	await open().number.update(id, properties, plain);
	expect(row(id)?.label).toBeNull();
});

describe.each(resources)("a $noun whose reference others have changed, as a refresh has seen", ({ name, news }) => {
	test.each(["another attempt's", "cleared"])(
		"is claimed anew, though the update's reads lag behind that: %s",
		async (how) => {
			const { id, outs } = await create(open()[name], news);
			const inputs = await checked(open()[name], news);
			clock.advance(120_000);
			edit(name, id, { reference: how === "cleared" ? null : referenceOf(id)?.replace(String(outs.lease), "another") });
			const { props = {} } = await open()[name].read(id, outs);
			emulator.control.settings({ readLagMs: 60_000, listLagMs: 60_000 });
			const { outs: updated } = await open()[name].update(id, props, inputs);
			expect(referenceOf(id)).toContain(`.${updated.lease}`);
		},
	);
});
