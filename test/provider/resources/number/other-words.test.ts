/** Services whose words for a number's state nobody knows, or that show none: only `pending` waits. */
import { describe, expect, test } from "vitest";
import type { Values } from "../../../../provider/properties/table";
import { FakeClock } from "../../../helpers/clock";
import { observed } from "../../../helpers/observed";
import { type Row, usePlainService } from "../../../helpers/plain-service";
import { aNumber, aPool, checked, create, declaration, initErrorOf, openProvider } from "../../../helpers/provider";

const service = usePlainService();
const features = "idempotencyKey reference -statusFilter";
const open = (clock = new FakeClock()) => openProvider(service, { config: { "telephony:features": features }, clock });
const german = { country: "DE", type: "geographic" };
const gets = () => service.received.filter(({ method }) => method === "GET").length;

const declared = {
	number: () => aNumber(german),
	numberPool: () => aPool({ ...german, count: 2 }),
	activation: () => declaration("Activation", "fleet", { numberIds: service.rows.map(({ id }) => `${id}`) }),
};
type Name = keyof typeof declared;
const names = Object.keys(declared) as Name[];
const statesOf = ({ status, numbers }: Values) =>
	status === undefined ? (numbers as Values[]).map((each) => each.status) : [status];

/** For an activation, what it waits for is there before. */
const prepare = (name: Name) => {
	if (name === "activation") service.rows.push({ id: 1, ...service.fresh() }, { id: 2, ...service.fresh() });
};

/** The next run: a refresh, and the comparison. */
async function later(name: Name, made: { id: string; outs: Values }) {
	const { props = {}, ...seen } = await observed(open(), made, declared[name]());
	return { ...seen, props };
}
const calm = { awaited: undefined, differs: false, warnings: [], drifts: [] };

describe.each(["in_service", "Approved", "live", "provisioned", "active"])("a number that is %s", (word) => {
	test.each(names)("is waited for no longer, and nothing is to be said of it by a %s", async (name) => {
		service.fresh = () => ({ status: word, kyc_required: true });
		prepare(name);
		const run = open();
		const made = await create(run[name], declared[name]());
		expect(statesOf(made.outs), "states").toEqual(statesOf(made.outs).map(() => word));
		expect(run.warnings).toEqual([]);
		expect(Math.max(0, ...run.clock.slept)).toBeLessThan(1000);
		expect(await later(name, made)).toEqual({ ...calm, id: made.id, props: expect.anything() });
	});
});

test("the word is told in the run that sees it first", async () => {
	service.fresh = () => ({ state: "in_service" });
	const run = open();
	await create(run.number, aNumber(german));
	expect(run.statuses).toEqual(["status in_service"]);
});

test.each(names)(
	"a %s waits while the status is Pending, in any case, and until it is something else",
	async (name) => {
		service.fresh = () => ({ status: "PENDING", kyc_required: true });
		prepare(name);
		const clock = new FakeClock();
		clock.after(60, () => {
			for (const row of service.rows) row.status = "in_service";
		});
		const made = await create(open(clock)[name], declared[name]());
		expect(new Set(statesOf(made.outs))).toEqual(new Set(["in_service"]));
		expect(clock.slept.length).toBeGreaterThan(5);
		expect(await later(name, made)).toMatchObject(calm);
	},
);

test("what is left pending is gone on with, and is active under any other word", async () => {
	service.fresh = () => ({ status: "Pending" });
	const inputs = await checked(open().number, aNumber(german));
	const { id, properties } = await initErrorOf(open().number.create(inputs));
	expect(await later("number", { id, outs: properties })).toMatchObject({
		differs: false,
		awaited: { kind: "waiting" },
	});
	for (const row of service.rows) row.status = "in_service";
	const { outs } = await open().number.update(id, (await open().number.read(id, properties)).props ?? {}, inputs);
	expect({ status: outs.status, sold: service.sold.length }).toEqual({ status: "in_service", sold: 1 });
});

test.each([
	["released", /will not become active: its status is released/],
	["FAILED", /will not become active: its status is failed/],
])("a purchase that ends %s is refused as ever", async (status, message) => {
	service.fresh = () => ({ status });
	expect((await initErrorOf(create(open().number, aNumber(german)))).message).toMatch(message);
});

describe("a record without any state", () => {
	test.each(names)("is a number that its purchase has provisioned, for a %s", async (name) => {
		prepare(name);
		const run = open();
		const made = await create(run[name], declared[name]());
		expect([run.warnings, Math.max(0, ...run.clock.slept) < 1000]).toEqual([[], true]);
		const before = gets();
		expect(await later(name, made)).toMatchObject(calm);
		// Nothing more is looked for where nothing depends on it.
		expect(gets() - before).toBeLessThan(4);
	});

	test.each(names)("is told to need KYC, and is not waited for, by a %s", async (name) => {
		service.fresh = () => ({ kyc_required: true });
		prepare(name);
		const run = open();
		const made = await create(run[name], declared[name]());
		expect(run.warnings).toEqual([expect.stringContaining("[telephony:kyc-not-shown]")]);
		expect(Math.max(0, ...run.clock.slept)).toBeLessThan(1000);
		expect(await later(name, made)).toMatchObject(calm);
	});

	test("keeps what the purchase alone has said of KYC", async () => {
		service.show = (row, place) => (place === "purchase" ? { id: row.id, kyc_required: true } : row);
		const run = open();
		const made = await create(run.number, aNumber(german));
		expect(made.outs.kycRequired).toBe(true);
		expect(run.warnings.length, "warnings").toBe(1);
		const { props, warnings } = await later("number", made);
		expect({ props, warnings }).toEqual({ props: expect.objectContaining({ kycRequired: true }), warnings: [] });
		// A change says it no second time.
		const next = open();
		const inputs = await checked(next.number, aNumber({ ...german, label: "Desk" }));
		const { outs } = await next.number.update(made.id, props, inputs);
		expect({ kycRequired: outs.kycRequired, warnings: next.warnings }).toEqual({ kycRequired: true, warnings: [] });
	});

	test("is told while it is waited for, where reads don't show what the purchase did", async () => {
		service.fresh = () => ({ status: "pending", kyc_required: true });
		service.show = ({ status, kyc_required, ...row }, place) =>
			place === "purchase" ? { ...row, status, kyc_required } : row;
		const run = open();
		const made = await create(run.number, aNumber(german));
		expect(made.outs.status).toBe("unknown");
		expect(made.outs.kycRequired).toBe(true);
		expect(run.warnings).toEqual([expect.stringContaining("[telephony:kyc-not-shown]")]);
		expect(await later("number", made)).toMatchObject(calm);
	});

	test.each([
		["rejected", /KYC rejected/],
		["in_review", /not active yet .*KYC in review/],
	])("waits for KYC where that is shown: %s", async (status, message) => {
		service.fresh = () => ({ kyc_required: true, kyc: { status, reasons: [] } });
		expect((await initErrorOf(create(open().number, aNumber(german)))).message).toMatch(message);
	});
});

describe("an answer that shows less than a single read", () => {
	const slim = ({ id, reference }: Row) => ({ id, reference });

	test.each(names)("says nothing of the state: a %s reads it alone, and waits", async (name) => {
		service.fresh = () => ({ status: "pending", kyc_required: true });
		service.show = (row, place) => (place === "single" ? row : { ...slim(row), kyc_required: true });
		prepare(name);
		const clock = new FakeClock();
		clock.after(60, () => {
			for (const row of service.rows) row.status = "in_service";
		});
		const run = open(clock);
		const made = await create(run[name], declared[name]());
		expect([new Set(statesOf(made.outs)), run.warnings]).toEqual([new Set(["in_service"]), []]);
		expect(clock.slept.length).toBeGreaterThan(5);
		const next = await later(name, made);
		expect(next).toMatchObject(calm);
		expect(statesOf(next.props)).toEqual(statesOf(made.outs));
	});

	test("is waited out where the service lags behind its purchase", async () => {
		let lagging = 3;
		service.fresh = () => ({ status: "in_service" });
		service.show = (row, place) =>
			place === "purchase" || place === "patch" ? slim(row) : place === "single" && lagging-- > 0 ? undefined : row;
		const { outs } = await create(open().number, aNumber(german));
		expect({ status: outs.status, sold: service.sold.length }).toEqual({ status: "in_service", sold: 1 });
	});
});
