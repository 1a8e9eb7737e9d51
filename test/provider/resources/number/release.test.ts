/** What is given up: when a delete waits, what it says when the service refuses it, and what it never loses. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { useEmulator } from "../../../helpers/emulator";
import { aNumber, checked, create, failureOf, initErrorOf, openProvider } from "../../../helpers/provider";

const emulator = useEmulator({ kyc: "immediate" });
const open = (options = {}) => openProvider(emulator, options);
type Made = Awaited<ReturnType<typeof create>>;
const number = (id: string) => emulator.row(id);

describe("a release that the service refuses", () => {
	const refusal = async (id: string, outs: Values) => {
		const error = await failureOf(open().number.delete(id, outs));
		expect(error.message).toContain('onDelete: "retain"');
		expect(number(id)?.status).not.toBe("released");
		return error.message;
	};

	test("as it is protected there, says how to lift that", async () => {
		const { id, outs } = await create(open().number, aNumber());
		emulator.control.patchNumber(id, { release_protection: true });
		expect(await refusal(id, outs)).toMatch(/was not released: .*release_protected.*`releaseProtection: false`/);
		const inputs = await checked(open().number, aNumber({ releaseProtection: false }));
		const lifted = await open().number.update(id, outs, inputs);
		await open().number.delete(id, lifted.outs);
		expect(number(id)?.status).toBe("released");
	});

	test.each([
		["port_in_progress", (id: string) => void emulator.control.patchNumber(id, { status: "porting_out" })],
		["number_in_use", () => void emulator.control.faults.set({ operation: "releaseNumber", error: "number_in_use" })],
	])("says why: %s", async (code, refuse) => {
		const { id, outs } = await create(open().number, aNumber());
		refuse(id);
		expect(await refusal(id, outs)).toContain(code);
	});

	test("as it offers none says so, and what is retained is let go of all the same", async () => {
		const { id, outs } = await create(open().number, aNumber());
		emulator.control.settings({ features: { release: false } });
		expect(await refusal(id, outs)).toMatch(/does not offer the feature release/);
		const retained = await open().number.update(
			id,
			outs,
			await checked(open().number, aNumber({ onDelete: "retain" })),
		);
		await open().number.delete(id, retained.outs);
		expect(number(id)).toMatchObject({ status: "active", reference: null });
	});
});

test("a purchase over a TLS connection that can't be trusted was not made, and is not tried again", async () => {
	const away = openProvider({ url: emulator.url.replace("http:", "https:"), apiKey: emulator.apiKey });
	const { client } = await away.session.service();
	const error = await failureOf(client.numbers.buy({ country: "NL", type: "mobile" }));
	expect(error).toMatchObject({ kind: "Config", message: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
	expect(away.clock.slept).toEqual([]);
});

describe("a number that somebody released behind Pulumi's back, and restored", () => {
	const kinds = () => emulator.kinds();
	const news = aNumber({ label: "desk" });
	const toIt = async (id: string, method: "DELETE" | "POST", path = "") => {
		const { status } = await emulator.call(method, `/numbers/${id}${path}`);
		expect(status).toBeLessThan(300);
	};

	test("before anybody looked is as if nothing had been", async () => {
		const { id, outs } = await create(open().number, news);
		await toIt(id, "DELETE");
		await toIt(id, "POST", "/restore");
		const run = open();
		const read = await run.number.read(id, outs);
		expect({ id: read.id, warnings: run.warnings }).toEqual({ id, warnings: [] });
		expect((await run.number.diff(id, read.props ?? {}, await checked(run.number, news))).changes).toBe(false);
	});

	test("after a refresh took it out of the state is taken over by the next up: nothing is bought", async () => {
		const { id, outs } = await create(open().number, news);
		await toIt(id, "DELETE");
		const refresh = open();
		expect((await refresh.number.read(id, outs)).id).toBeUndefined();
		expect(refresh.warnings.join()).toContain("restore it at the service before its quarantine ends");
		await toIt(id, "POST", "/restore");
		const up = open();
		const again = await create(up.number, news);
		expect(again.id).toBe(id);
		expect(again.outs.number).toEqual(outs.number);
		expect(kinds()).toEqual(["purchase", "release", "restore"]);
		expect(up.warnings.join()).toMatch(/Took over \+31\d+ \(num_\w+\).*nothing was bought/);
		expect(number(id)).toMatchObject({ label: "desk", reference: expect.stringContaining(String(again.outs.lease)) });
	});
});

test.each([
	["released", (id: string) => emulator.control.deleteNumber(id)],
	["failed", (id: string) => emulator.control.decide(id, "expire")],
])("of a number that the service shows as %s nothing is left to release", async (status, end) => {
	emulator.control.settings({ softDelete: true });
	emulator.control.kyc("manual");
	const { id, outs } = await create(open().number, aNumber({ country: "DE", waitForActive: false }));
	end(id);
	expect(number(id)?.status).toBe(status);
	await open().number.delete(id, outs);
	expect(emulator.control.requests().filter(({ method }) => method === "DELETE")).toEqual([]);
});

test("a protected number is not released, though somebody has lifted the protection at the service", async () => {
	const { id, outs } = await create(open().number, aNumber({ releaseProtection: true }));
	emulator.control.patchNumber(id, { release_protection: false });
	expect((await failureOf(open().number.delete(id, outs))).message).toContain("releaseProtection: false");
	expect(number(id)?.status).toBe("active");
});

test("a number that is routed somewhere is routed nowhere and released, where the service wants that", async () => {
	emulator.control.settings({ refuseReleaseWhileRouted: true });
	const { id, outs } = await create(open().number, aNumber({ routing: { type: "agent", agentId: "a" } }));
	await open().number.delete(id, outs);
	expect(number(id)?.status).toBe("released");
});

test("a release whose answer got lost is one", async () => {
	const { id, outs } = await create(open().number, aNumber());
	emulator.control.faults.set({ operation: "releaseNumber", kind: "reset", phase: "after" });
	await open().number.delete(id, outs);
	expect(number(id)?.status).toBe("released");
});

describe("a number that was renamed without aliases, so that another one was bought,", () => {
	const renamed = async (oldArgs: Values = {}, newArgs: Values = {}) => {
		const old = await create(open().number, aNumber(oldArgs, "old"));
		const run = open();
		const made = await run.number.create(await checked(run.number, aNumber(newArgs, "new")));
		return { old, run, made };
	};
	const isLive = (id: string) => number(id)?.status === "active";

	/** A later run, which declares these as they are. */
	const next = async (made: Readonly<Record<string, Made>>, options = {}, args: Values = {}) => {
		const run = open(options);
		for (const [name, { id, outs }] of Object.entries(made)) {
			const inputs = await checked(run.number, aNumber(args, name), aNumber({}, name));
			const { changes } = await run.number.diff(id, outs, inputs);
			if (changes) Object.assign(outs, (await run.number.update(id, outs, inputs)).outs);
		}
		return run;
	};

	test("is not released by the run that bought its successor, nor by any later one", async () => {
		const { old, run, made } = await renamed();
		const later = () => next({ new: made });
		const edited = () => next({ new: made }, {}, { label: "edited" });
		for (const each of [run, await later(), await edited(), await later(), open()]) {
			const error = await failureOf(each.number.delete(old.id, old.outs));
			expect(error).toMatchObject({ kind: "Conflict", messageCode: "rename" });
			for (const part of [old.id, made.id, 'aliases: [{ name: "old" }]', `adopt: "${old.id}"`]) {
				expect(error.message).toContain(part);
			}
			expect({ old: isLive(old.id), made: isLive(made.id) }).toEqual({ old: true, made: true });
		}
		expect((await failureOf((await later()).number.delete(old.id, old.outs))).message).toContain("`new`");
	});

	test.each(["id", "E.164"])("is released once the configuration names it by its %s", async (by) => {
		const { old, made } = await renamed();
		const config = { "telephony:release": by === "id" ? old.id : String(old.outs.number) };
		await (await next({ new: made }, { config })).number.delete(old.id, old.outs);
		expect({ old: isLive(old.id), made: isLive(made.id) }).toEqual({ old: false, made: true });
	});

	test("stays where its own declaration is back, and what was bought in its place goes", async () => {
		const { old, made } = await renamed();
		await (await next({ old })).number.delete(made.id, made.outs);
		expect({ old: isLive(old.id), made: isLive(made.id) }).toEqual({ old: true, made: false });
		// From here on it is like any other.
		await open().number.delete(old.id, old.outs);
		expect(isLive(old.id)).toBe(false);
	});

	test("stays where a resource of its own adopts it", async () => {
		const { old, made } = await renamed();
		const run = await next({ new: made });
		expect((await create(run.number, aNumber({ adopt: old.id }, "kept"))).id).toBe(old.id);
		await run.number.delete(old.id, old.outs);
		expect({ old: isLive(old.id), made: isLive(made.id) }).toEqual({ old: true, made: true });
	});

	test("is refused also by a destroy of it alone, and released by one of its successor and then of it", async () => {
		const { old, made } = await renamed();
		expect((await failureOf(open().number.delete(old.id, old.outs))).messageCode).toBe("rename");
		await open().number.delete(made.id, made.outs);
		await open().number.delete(old.id, old.outs);
		expect({ old: isLive(old.id), made: isLive(made.id) }).toEqual({ old: false, made: false });
	});

	test("is not released by a run that finds its successor bought by one that was killed", async () => {
		const { old, made } = await renamed();
		const run = open();
		expect((await create(run.number, aNumber({}, "new"))).id).toBe(made.id);
		expect((await failureOf(run.number.delete(old.id, old.outs))).message).toContain(made.id);
	});

	test("is not released by a run that goes on with its successor, which waits", async () => {
		emulator.control.kyc("manual");
		const german = { country: "DE", waitForActive: false };
		const waiting = await renamed(german, german);
		const resumed = open();
		const inputs = await checked(resumed.number, aNumber(german, "new"));
		await resumed.number.update(waiting.made.id, waiting.made.outs, inputs);
		expect((await failureOf(resumed.number.delete(waiting.old.id, waiting.old.outs))).message).toContain("`new`");
	});

	test("is not released by a run that goes on with its successor, which was not configured yet", async () => {
		const old = await create(open().number, aNumber({}, "old"));
		const wrong = await checked(open().number, aNumber({ routing: { type: "trunk", trunkId: "none" } }, "new"));
		const failed = await initErrorOf(open().number.create(wrong));
		const mended = open();
		await mended.number.update(failed.id, failed.properties, await checked(mended.number, aNumber({}, "new")));
		expect((await failureOf(mended.number.delete(old.id, old.outs))).message).toContain(failed.id);
	});

	test("is forgotten at once if it is to be retained", async () => {
		const { old, run } = await renamed({ onDelete: "retain" });
		await run.number.delete(old.id, old.outs);
		expect(number(old.id)).toMatchObject({ status: "active", reference: null });
	});

	test.each([
		["country", {}, { country: "GB" }],
		["type", {}, { type: "national" }],
		["area", { type: "geographic", area: "20" }, { type: "geographic", area: "10" }],
	])("is released if what was bought has another %s", async (_, oldArgs, newArgs) => {
		const { old, run, made } = await renamed(oldArgs, newArgs);
		await run.number.delete(old.id, old.outs);
		expect({ old: isLive(old.id), made: isLive(made.id) }).toEqual({ old: false, made: true });
	});

	test("is not, where an area is not shown, which may be any", async () => {
		const { old, run } = await renamed({}, { area: "6" });
		expect((await failureOf(run.number.delete(old.id, old.outs))).messageCode).toBe("rename");
		expect(isLive(old.id)).toBe(true);
	});

	test("is not one that another generation replaces in the same run, nor one that is removed beside it", async () => {
		const first = open();
		const made = [];
		for (const name of ["one", "two", "removed"]) made.push(await create(first.number, aNumber({}, name)));
		const [one, two, removed] = made as [Made, Made, Made];
		const run = open();
		for (const [name, old] of [
			["one", one],
			["two", two],
		] as const) {
			const inputs = await checked(run.number, aNumber({ generation: 1 }, name));
			expect((await run.number.diff(old.id, old.outs, inputs)).replaces).toEqual(["generation"]);
			await run.number.create(inputs);
		}
		for (const { id, outs } of [one, two, removed]) {
			await run.number.delete(id, outs);
			expect(isLive(id)).toBe(false);
		}
	});

	test("is released though a number like it was adopted, or only configured, under another name", async () => {
		const { body } = await emulator.call("POST", "/numbers", { country: "NL", type: "mobile" });
		const first = open();
		const old = await create(first.number, aNumber({}, "old"));
		const kept = await create(first.number, aNumber({}, "kept"));
		const run = open();
		await create(run.number, aNumber({ adopt: body.id }, "new"));
		await run.number.update(kept.id, kept.outs, await checked(run.number, aNumber({ label: "desk" }, "kept")));
		await run.number.delete(old.id, old.outs);
		expect(isLive(old.id)).toBe(false);
	});
});
