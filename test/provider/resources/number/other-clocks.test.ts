/** Services whose `created_at` comes from another clock or zone: a number that the list before didn't show is new. */
import { describe, expect, test } from "vitest";
import { type Place, type Row, usePlainService } from "../../../helpers/plain-service";
import { aNumber, create, failureOf, openProvider } from "../../../helpers/provider";

const service = usePlainService();
const keyed = "idempotencyKey reference -statusFilter";
const open = (features = keyed) => openProvider(service, { config: { "telephony:features": features } });
/** At another machine, in another zone, or without one. */
const off = (hours: number, zone = "Z") => {
	service.fresh = () => ({
		status: "active",
		created_at: new Date(Date.now() + hours * 3_600_000).toISOString().replace("Z", zone),
	});
};
const clocks: [string, number, string?][] = [
	["minutes behind", -0.1],
	["hours behind", -2],
	["half a day behind, without a zone", -11, ""],
	["two days behind", -48],
	["minutes ahead", 0.1],
	["hours ahead", 5],
];
const withoutReference = ({ reference: _, ...row }: Row) => row;
const nameless = (row: Row, place: Place) => (place === "purchase" ? {} : row);

describe.each(clocks)("a clock that is %s", (_, hours, zone) => {
	test.each([
		["keys and references", keyed],
		["keys", "idempotencyKey -reference -statusFilter"],
		["neither", "-idempotencyKey -reference -statusFilter"],
	])("makes no replay of a purchase, with %s", async (_, features) => {
		if (features !== keyed) service.show = withoutReference;
		if (features.startsWith("-")) service.keys = "none";
		off(hours, zone);
		const run = open(features);
		for (const name of ["a", "b"]) {
			const { id } = await create(run.number, aNumber({ label: name }, name));
			expect(id).toBe(`${service.sold.at(-1)?.id}`);
		}
		expect({ sold: service.sold.length, warnings: run.warnings }).toEqual({ sold: 2, warnings: [] });
	});

	test("buys no other number while the service lags behind the purchase", async () => {
		off(hours, zone);
		let lagging = 4;
		const place = (where: Place) => where === "list" || (where === "single" && lagging-- > 0);
		service.show = (row, where) => (lagging > 0 && place(where) ? undefined : row);
		const { id } = await create(open().number, aNumber());
		expect({ id, sold: service.sold.length }).toEqual({ id: "701", sold: 1 });
	});

	test("tells which number was bought where the answer names none", async () => {
		off(hours, zone);
		service.show = nameless;
		const { id } = await create(open().number, aNumber({ label: "Desk" }));
		expect({ id, sold: service.sold.length }).toEqual({ id: "701", sold: 1 });
	});

	test("names what may have been bought where it can't be told", async () => {
		off(hours, zone);
		service.rows.push({ id: 1, country: "NL", type: "mobile", ...service.fresh(), label: "older" });
		service.keys = "none";
		service.show = (row, where) => {
			// Somebody else buys one at the same moment.
			if (where === "purchase") service.rows.push({ ...row, id: 999 });
			return nameless(row, where);
		};
		const error = await failureOf(create(open("-idempotencyKey reference -statusFilter").number, aNumber()));
		expect(error.message).toMatch(/701.*999.*\[telephony:purchase-unknown\]$/);
		expect(service.sold.length).toBe(1);
	});
});

test.each(["marked", "silent"] as const)(
	"a %s replay of a number that was released buys the next one",
	async (keys) => {
		service.keys = keys;
		off(-1);
		const first = await create(open().number, aNumber());
		service.rows.length = 0;
		const { id } = await create(openProvider(service, { config: { "telephony:features": keyed } }).number, aNumber());
		expect(first.id, "first id").toBe("701");
		expect(id).toBe("702");
		expect(service.sold.length, "service sold").toBe(2);
	},
);

test("a silent replay that a list which lags doesn't show is taken over, and nothing is bought", async () => {
	service.keys = "silent";
	off(-1);
	const first = await create(open().number, aNumber());
	service.show = (row, where) => (where === "list" ? undefined : row);
	const { id } = await create(open().number, aNumber());
	expect({ id, sold: service.sold.length }).toEqual({ id: first.id, sold: 1 });
});
