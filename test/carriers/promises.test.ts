/** The promises of docs/guarantees.md at each service, in process and in virtual time. The service's log is the oracle. */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Args } from "../sim/kinds/index.mts";
import type { Declared, Program } from "../sim/program.mts";
import type { Place } from "./place.mts";
import { places } from "./places.mts";
import { type Ended, PlacedStack, type StoryRun } from "./stack.mts";

vi.setConfig({ testTimeout: 600_000 });

const hour = 3_600_000;
const number = (name: string, args: Args, trunk?: string): Declared => ({
	kind: "number",
	name,
	args,
	links: { trunk },
});
const pool = (name: string, args: Args): Declared => ({ kind: "number", type: "NumberPool", name, args });
const trunk = (capacity = 4): Declared => ({
	kind: "sipTrunk",
	name: "office",
	args: { name: "office", auth: { mode: "ip_acl", allowedCidrs: ["198.51.100.0/24"] }, capacity },
});
const webhook = (url = "https://hooks.example.com/a"): Declared => ({
	kind: "webhook",
	name: "hook",
	args: { url, events: ["*"] },
});

describe.each(Object.entries(places))("%s", (_, open) => {
	let place: Place;
	let stack: PlacedStack;
	const start = async () => {
		place = await open();
		stack = await PlacedStack.open(place);
	};
	afterEach(async () => {
		await stack.close();
		await place.close();
	});

	const succeeds = async <E extends Ended>(running: Promise<E>): Promise<E> => {
		const ended = await running;
		expect(ended.errors.map(String)).toEqual([]);
		return ended;
	};
	const up = (program: Program, options: StoryRun = { isApproved: true }) => succeeds(stack.up(program, options));
	const changesOf = (what: string) => place.log().flatMap((entry) => (entry.what === what ? [entry.id] : []));
	const bought = () => changesOf("purchase");
	const released = () => changesOf("release");
	const expectQuiet = async (program: Program) => {
		const { changed, errors } = await stack.drift();
		expect({ changed: [...changed], errors: errors.map(String), steps: await stack.preview(program) }).toEqual({
			changed: [],
			errors: [],
			steps: [],
		});
	};
	const everything = (label = "front desk", capacity = 4): Program => [
		trunk(capacity),
		webhook(),
		number("open", { ...place.open, label }, "office"),
		number("regulated", { ...place.regulated, label: "held" }),
	];

	test("buys, configures, and plans nothing afterwards", async () => {
		await start();
		const program = everything();
		await up(program);
		expect(bought()).toHaveLength(2);
		const routes = place.numbers().map(({ label, trunkId, isPending }) => ({ label, trunkId, isPending }));
		expect(routes).toContainEqual({ label: "front desk", trunkId: stack.idOf("office"), isPending: false });
		expect(routes).toContainEqual({ label: "held", trunkId: undefined, isPending: false });
		await expectQuiet(program);
		await succeeds(stack.destroy({}));
		expect(released().sort()).toEqual(bought().sort());
		expect([place.numbers(), place.ids("trunk"), place.ids("webhook")]).toEqual([[], [], []]);
	});

	test("reports an edit as drift, and repairs it", async () => {
		await start();
		const program = everything();
		await up(program);
		place.clock.advance(hour);
		place.label(stack.idOf("open"), "edited");
		place.capacity(stack.idOf("office"), 9);
		const { changed } = await succeeds(stack.drift());
		expect(new Map(changed)).toEqual(
			new Map([
				["open", ["label"]],
				["office", ["capacity"]],
			]),
		);
		await succeeds(stack.refresh({}));
		expect([...(await stack.preview(program))].sort()).toEqual(["update office", "update open"]);
		await up(program);
		expect(place.numbers().map(({ label }) => label)).toContain("front desk");
		await expectQuiet(program);
		expect(bought()).toHaveLength(2);
	});

	test("updates the label, the routing and the capacity in place", async () => {
		await start();
		await up(everything());
		const ids = ["open", "regulated", "office"].map((name) => stack.idOf(name));
		const changed: Program = [
			trunk(7),
			webhook(),
			number("open", place.open),
			number("regulated", { ...place.regulated, label: "moved" }, "office"),
		];
		await up(changed);
		expect(["open", "regulated", "office"].map((name) => stack.idOf(name))).toEqual(ids);
		expect(place.numbers().find(({ id }) => id === ids[0])).toMatchObject({ label: undefined, trunkId: undefined });
		expect(place.numbers().find(({ id }) => id === ids[1])).toMatchObject({ label: "moved", trunkId: ids[2] });
		await expectQuiet(changed);
	});

	test.each(["up", "refresh", "destroy", "an empty account accepted"])(
		"touches nothing with another account's key: %s",
		async (kind) => {
			await start();
			await fillStrangers(place);
			const program = everything();
			await up(program);
			place.clock.advance(hour);
			const before = [place.log().length, [...stack.state.resources].map(([name, { id }]) => [name, id])];
			const later = [...program, number("later", { ...place.open, label: "later" })];
			const astray = { isAstray: true };
			const runs: Record<string, () => Promise<Ended>> = {
				up: () => stack.up(later, astray),
				refresh: () => stack.refresh(astray),
				destroy: () => stack.destroy(astray),
				"an empty account accepted": () =>
					stack.up(everything("changed", 5), { ...astray, env: { TELEPHONY_ACCEPT_EMPTY_ACCOUNT: "yes" } }),
			};
			const ended = await runs[kind]?.();
			expect(ended?.errors.length).toBeGreaterThan(0);
			expect([place.log().length, [...stack.state.resources].map(([name, { id }]) => [name, id])]).toEqual(before);
		},
	);

	test("buys nothing for a new stack on another account than a pinned number's", async () => {
		await start();
		await fillStrangers(place);
		const program = everything();
		await up(program);
		// Of this market, the stranger has no number.
		const phone = String(stack.state.resources.get("regulated")?.outputs.phoneNumber);
		const [before, earlier] = [place.log().length, bought().length];
		const second = await PlacedStack.open(place);
		second.config["telephony:account"] = phone;
		const [later, astray] = [[number("later", { ...place.open, label: "later" })], { isAstray: true }];
		expect((await second.up(later, astray)).printed).toContain("[telephony:wrong-account]");
		expect(place.log()).toHaveLength(before);
		await succeeds(second.up(later, { isApproved: true }));
		expect(bought()).toHaveLength(earlier + 1);
		await second.close();
	});

	test("keeps a number whose resource is renamed with an alias", async () => {
		await start();
		const before = [number("old", { ...place.open, label: "desk" })];
		await up(before);
		const id = stack.idOf("old");
		await stack.rename("old", "new");
		const program = [number("new", { ...place.open, label: "desk" })];
		await up(program);
		expect([stack.idOf("new"), bought(), released()]).toEqual([id, [id], []]);
		await expectQuiet(program);
	});

	test("recognizes a renamed resource's number once it is renamed back", async () => {
		await start();
		const declared = (name: string) => [number(name, { ...place.open, label: "desk", onDelete: "retain" })];
		await up(declared("old"));
		const id = stack.idOf("old");
		// Without an alias, the engine sees another resource. Its label tells it from the retained number.
		await up([number("new", { ...place.open, label: "another", onDelete: "retain" })]);
		expect([bought().length, released()]).toEqual([2, []]);
		const back = await stack.up(declared("old"), {});
		if (place.hasReferences) expect([back.errors.map(String), stack.idOf("old")]).toEqual([[], id]);
		else {
			expect(back.errors.map((error) => error.has("purchase-unknown"))).toEqual([true]);
			expect(back.errors[0]?.idsAmong(bought())).toContain(id);
		}
		expect([bought().length, released()]).toEqual([2, []]);
	});

	test("retains a number, which another name adopts", async () => {
		await start();
		await up([number("kept", { ...place.open, label: "desk", onDelete: "retain" })]);
		const id = stack.idOf("kept");
		await up([]);
		expect([stack.idOf("kept"), released(), place.numbers().map((number) => number.id)]).toEqual(["", [], [id]]);
		place.clock.advance(48 * hour);
		const program = [number("other", { ...place.open, label: "desk", adopt: id, onDelete: "release" })];
		await up(program);
		expect([stack.idOf("other"), bought()]).toEqual([id, [id]]);
		await expectQuiet(program);
		await up([]);
		expect(released()).toEqual([id]);
	});

	test("buys the numbers of a pool once, and shrinks it", async () => {
		await start();
		const members = (count: number) => [pool("support", { ...place.open, count, label: "support-{index}" })];
		await up(members(3));
		expect(
			place
				.numbers()
				.map(({ label }) => label)
				.sort(),
		).toEqual(["support-0", "support-1", "support-2"]);
		await expectQuiet(members(3));
		await up(members(2));
		expect([bought().length, released().length]).toEqual([3, 1]);
		await expectQuiet(members(2));
	});

	test.each([2, 3, 4])("buys no number of a pool twice after a kill at write %i", async (write) => {
		await start();
		const members = (more: object = {}) => [
			pool("support", { ...place.open, count: 3, label: "support-{index}", ...more }),
		];
		const killed = await stack.up(members(), { kill: { write, phase: "after" } });
		expect(killed.isKilled).toBe(true);
		const made = bought();
		const next = await stack.up(members(), {});
		if (next.errors.length > 0) {
			expect(next.errors.map((error) => error.has("purchase-unknown", "duplicate"))).toEqual([true]);
			const named = next.errors.flatMap((error) => error.idsAmong(made));
			expect(named.length).toBeGreaterThan(0);
			// The key of an adopted number may be another member's. It expires after an hour.
			if (place.hasSilentKeys) place.clock.advance(2 * hour);
			await up(members({ adopt: made }));
		}
		expect(bought()).toHaveLength(3);
		expect(place.numbers()).toHaveLength(3);
	});

	test("changes a webhook, or refuses to at preview", async () => {
		await start();
		await up([webhook()]);
		const id = stack.idOf("hook");
		const changed = [webhook("https://hooks.example.com/b")];
		if (place.hasWebhookUpdates) {
			await up(changed);
			expect([stack.idOf("hook"), place.ids("webhook")]).toEqual([id, [id]]);
			return expectQuiet(changed);
		}
		const steps = await stack.preview(changed);
		expect(steps.join()).toMatch(/refuse hook|replace/);
		expect(place.ids("webhook")).toEqual([id]);
	});
});

/** Buys numbers on another account, with the ids that the stack's objects get. */
async function fillStrangers({ stranger, open, clock }: Place): Promise<void> {
	for (let count = 0; count < 4; count++)
		await fetch(`${stranger.url}/numbers`, {
			method: "POST",
			headers: { authorization: `Bearer ${stranger.apiKey}`, "content-type": "application/json" },
			body: JSON.stringify({ country: open.country, type: open.type }),
		});
	clock.advance(hour);
}
