/** A carrier without keys and references that gives a number another id once its contract begins. */
import { expect, test } from "vitest";
import { allGone, aNumber, create, failureOf, type Provider } from "../../helpers/provider";
import { refreshed } from "../../helpers/runs";
import { timeOf, useCarrier } from "../../helpers/scripted-carrier";

type Made = Awaited<ReturnType<typeof create>>;

const hour = 3_600_000;
const unreadable = { error: "internal_error", message: "No.", request_id: "r" };
const carrier = useCarrier("-idempotencyKey -reference", () => ({
	sell: (serial) => ({
		...{ id: `order-${serial}`, number: `+3161234501${serial}`, status: "active", label: null, routing: null },
		created_at: timeOf(carrier.clock.now()),
	}),
	change: (row, { reference: _, ...body }) => void Object.assign(row, body),
}));
const { open } = carrier;
const openKept = () => open({ config: { "telephony:features": "-idempotencyKey reference" } });
const news = { a: aNumber({ label: "a" }, "a"), b: aNumber({}, "b") };

test("is no release, and the next run buys no number in its place", async () => {
	const a = await create(open().number, news.a);
	const b = await create(open().number, news.b);
	await carrier.clock.sleep(48 * hour);
	carrier.rows[1] = { ...carrier.rows[1], id: "contract-77" };
	const run = open();
	const [, error] = await Promise.all([refreshed(run, a, news.a), failureOf(refreshed(run, b, news.b))]);
	expect(error.message).toContain('`adopt: "contract-77"`');
	expect(run.warnings).toEqual([]);
	expect((await create(open().number, aNumber({ adopt: "contract-77" }, "b"))).id).toBe("contract-77");
	expect(carrier.purchases).toHaveLength(2);
});

test("a released number is still removed from the state", async () => {
	const a = await create(open().number, news.a);
	const b = await create(open().number, news.b);
	await carrier.clock.sleep(48 * hour);
	carrier.rows.pop();
	const run = open();
	const [, gone] = await Promise.all([refreshed(run, a, news.a), refreshed(run, b, news.b)]);
	expect(gone.id).toBe("");
});

test("the old id leaves the state once `adopt` names the new one", async () => {
	const a = await create(open().number, news.a);
	const b = await create(open().number, news.b);
	await carrier.clock.sleep(48 * hour);
	carrier.rows[1] = { ...carrier.rows[1], id: "contract-77" };
	const run = open();
	await refreshed(run, a, news.a);
	await create(run.number, aNumber({ adopt: "contract-77" }, "b"));
	await run.number.delete(b.id, b.outs);
	expect(carrier.rows.map(({ id }) => id)).toEqual(["order-1", "contract-77"]);
});

test("the next run adopts the number that `adopt` names by its E.164", async () => {
	const a = await create(open().number, news.a);
	carrier.rows.push({ ...carrier.make.sell(2, {}), country: "NL", type: "mobile" });
	const adopting = aNumber({ adopt: "+31612345012" }, "b");
	const b = await create(open().number, adopting);
	await carrier.clock.sleep(48 * hour);
	carrier.rows[1] = { ...carrier.rows[1], id: "contract-77" };
	const run = open();
	const [, renewed] = await Promise.all([refreshed(run, a, news.a), refreshed(run, b, adopting)]);
	expect(renewed.id).toBe("");
	expect((await create(open().number, adopting)).id).toBe("contract-77");
});

test("a destroy releases a number of this state that has a new id", async () => {
	carrier.make.change = (row, body) => void Object.assign(row, body);
	const a = await create(openKept().number, news.a);
	const b = await create(openKept().number, news.b);
	await carrier.clock.sleep(48 * hour);
	carrier.rows[1] = { ...carrier.rows[1], id: "contract-77" };
	const run = openKept();
	await run.number.delete(b.id, b.outs).catch(() => undefined);
	await run.number.delete(a.id, a.outs);
	await run.number.delete(b.id, b.outs);
	expect(carrier.rows).toEqual([]);
});

test("a destroy fails while the number with the new id can't be read", async () => {
	carrier.make.change = (row, body) => void Object.assign(row, body);
	await create(openKept().number, news.a);
	const b = await create(openKept().number, news.b);
	await carrier.clock.sleep(48 * hour);
	carrier.rows[1] = { ...carrier.rows[1], id: "contract-77" };
	carrier.make.intercept = ({ path }, respond) => (path.endsWith("/contract-77") ? [500, unreadable] : respond());
	expect((await failureOf(openKept().number.delete(b.id, b.outs))).message).toContain("internal_error");
});

test.each([
	["a refresh", "-reference", (run: Provider, made: Made) => refreshed(run, made, news.b)],
	["a destroy", "reference", (run: Provider, made: Made) => run.number.delete(made.id, made.outs)],
])("%s fails while the page with the new id can't be read", async (_, features, work) => {
	carrier.make.change = (row, body) => void Object.assign(row, body);
	const config = { "telephony:features": `-idempotencyKey ${features}` };
	await create(open({ config }).number, news.a);
	const b = await create(open({ config }).number, news.b);
	await carrier.clock.sleep(48 * hour);
	carrier.rows[1] = { ...carrier.rows[1], id: "contract-77" };
	const first = { data: [{ ...carrier.rows[0] }], next_cursor: "2" };
	carrier.make.intercept = ({ path }, respond) => {
		if (path === "/numbers") return [200, first];
		return path.startsWith("/numbers?") ? [503, unreadable] : respond();
	};
	const run = open({ config, ...allGone });
	expect((await failureOf(work(run, b))).message).toContain("internal_error");
});
