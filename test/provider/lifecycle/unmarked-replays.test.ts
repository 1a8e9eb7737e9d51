/** A service that honors idempotency keys and mostly marks no replay: an old response must not pass for a new object. */
import { expect, test } from "vitest";
import { useAccount } from "../../helpers/account";
import { refusalOf, useFaultProxy } from "../../helpers/fault-proxy";
import { freeKinds } from "../../helpers/kinds";
import { aLetteredOrder, aWholeProfile, createDesk } from "../../helpers/papers";
import { checked, create, openProvider } from "../../helpers/provider";

const { clock, emulator, open } = useAccount({ kyc: "manual" });
const proxy = useFaultProxy(emulator);
const unmarked = (cwd?: string) => {
	proxy.hidden.add("idempotent-replayed");
	return openProvider(proxy, { clock, ...(cwd && { cwd }) });
};

test.each(freeKinds.flatMap((kind) => [10_000, 120_000].map((pause) => [kind.noun, pause, kind] as const)))(
	"a %s that was deleted is made again after %i ms",
	async (_, pause, { name, declare }) => {
		const first = await create(unmarked()[name], declare());
		await clock.sleep(pause);
		await unmarked()[name].delete(first.id, first.outs);
		expect(emulator.rows(name)).toEqual([]);
		await clock.sleep(pause);
		const second = await create(unmarked()[name], declare());
		expect(emulator.rows(name).map(({ id }) => id)).toEqual([second.id]);
	},
);

test.each(freeKinds)("a $noun that somebody deleted is made again within the day", async ({ name, declare }) => {
	const first = await create(unmarked()[name], declare());
	emulator.remove(name, first.id);
	await clock.sleep(120_000);
	const second = await create(unmarked()[name], declare());
	expect(second.id).not.toBe(first.id);
	expect(emulator.rows(name).map(({ id }) => id)).toEqual([second.id]);
});

test.each(freeKinds)("a $noun that was deleted often is made again", async ({ name, declare }) => {
	for (let n = 0; n < 6; n++) {
		const { id, outs } = await create(unmarked()[name], declare());
		await clock.sleep(120_000);
		await unmarked()[name].delete(id, outs);
	}
	const { id } = await create(unmarked()[name], declare());
	expect(emulator.rows(name).map((row) => row.id)).toEqual([id]);
});

test.each(freeKinds)("a $noun that another resource has adopted stays with it", async ({ name, declare }) => {
	const first = await create(unmarked()[name], declare({ onDelete: "retain" }));
	await unmarked()[name].delete(first.id, first.outs);
	await create(unmarked()[name], declare({ adopt: first.id }, "other"));
	const { reference } = emulator.row(first.id) ?? {};
	await clock.sleep(120_000);
	const second = await create(unmarked()[name], declare());
	expect(second.id).not.toBe(first.id);
	expect(emulator.row(first.id)?.reference).toBe(reference);
});

test.each(freeKinds)("a new $noun costs no further request", async ({ name, declare }) => {
	await create(unmarked()[name], declare({}, "first"));
	const before = emulator.requests().length;
	await create(unmarked()[name], declare({}, "second"));
	expect(emulator.requests(before).filter((request) => !request.startsWith("GET /account"))).toHaveLength(2);
});

test.each([
	["kycProfile", aWholeProfile()],
	["portOrder", aLetteredOrder()],
] as const)("a %s is made again within the day", async (name, news) => {
	const { folder } = createDesk();
	const first = await create(unmarked(folder)[name], news);
	await unmarked(folder)[name].delete(first.id, first.outs);
	await clock.sleep(2 * 3_600_000);
	const second = await create(unmarked(folder)[name], news);
	expect(second.id).not.toBe(first.id);
	expect(["in_review", "submitted"]).toContain(second.outs.status);
});

test.each(
	freeKinds.flatMap((kind) => [undefined, "2020-01-01T00:00:00Z"].map((time) => [kind.noun, time, kind] as const)),
)("makes a %s once at the time %s, and without a reference at first", async (_, time, { name, declare }) => {
	const run = unmarked();
	proxy.rewrite = (text, method) =>
		text === ""
			? text
			: JSON.stringify(
					JSON.parse(text, (key, value) => {
						if (key === "created_at") return time;
						return key === "reference" && method === "POST" ? null : value;
					}),
				);
	proxy.plan = (_request, method) =>
		method === "POST" ? { kind: "altered", alter: (body) => ({ ...(body as object), reference: null }) } : undefined;
	const { id } = await create(run[name], declare());
	expect(emulator.rows(name).map((row) => row.id)).toEqual([id]);
	expect(emulator.row(id)?.reference).toMatch(/~shop\/dev$/);
});

test.each(
	freeKinds.flatMap((kind) => [undefined, "2020-01-01T00:00:00Z"].map((time) => [kind.noun, time, kind] as const)),
)("makes a %s once at the time %s, and without single reads", async (_, time, { name, declare }) => {
	const run = unmarked();
	const start = clock.now();
	let requests = 0;
	proxy.rewrite = (text) =>
		text === "" ? text : JSON.stringify(JSON.parse(text, (key, value) => (key === "created_at" ? time : value)));
	proxy.plan = (_request, method, path) => {
		requests += method === "POST" ? 1 : 0;
		if (requests > 5) return { kind: "refused", status: 500 };
		return method === "GET" && /\/[a-z]+_\w+$/.test(path) ? refusalOf("not_found", "No such path.", 404) : undefined;
	};
	await run[name].create(await checked(run[name], declare()));
	expect(emulator.rows(name)).toHaveLength(1);
	expect(clock.now() - start).toBeLessThan(2_000);
});

test.each(freeKinds)("a $noun that lost its reference is made once by a marked replay", async ({ name, declare }) => {
	const { id } = await create(open()[name], declare());
	emulator.edit(name, id, { reference: null });
	await clock.sleep(120_000);
	expect((await create(open()[name], declare())).id).toBe(id);
	expect(emulator.rows(name)).toHaveLength(1);
});
