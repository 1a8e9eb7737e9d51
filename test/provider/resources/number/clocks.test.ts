/** Buys once at services whose `created_at` comes from another clock or zone. */
import { describe, expect, test } from "vitest";
import { type Place, type Row, usePlainService } from "../../../helpers/plain-service";
import { aNumber, create, failureOf, openProvider } from "../../../helpers/provider";

const service = usePlainService();
const keyed = "idempotencyKey reference -statusFilter";
const open = (features = keyed) => openProvider(service, { config: { "telephony:features": features } });
const setClock = (hours: number, zone = "Z") => {
	service.fresh = () => ({
		status: "active",
		created_at: new Date(Date.now() + hours * 3_600_000).toISOString().replace("Z", zone),
	});
};
const withoutReference = ({ reference: _, ...row }: Row) => row;
const nameless = (row: Row, place: Place) => (place === "purchase" ? {} : row);

describe.each<[string, number, string?]>([
	["minutes behind", -0.1],
	["half a day behind, without a zone", -11, ""],
	["two days behind", -48],
	["hours ahead", 5],
])("a clock that is %s", (_, hours, zone) => {
	test.each([
		["keys and references", keyed],
		["keys", "idempotencyKey -reference -statusFilter"],
		["neither", "-idempotencyKey -reference -statusFilter"],
	])("makes no replay of a purchase, with %s", async (_, features) => {
		if (features !== keyed) service.show = withoutReference;
		if (features.startsWith("-")) service.keys = "none";
		setClock(hours, zone);
		const run = open(features);
		for (const name of ["a", "b"]) {
			const { id } = await create(run.number, aNumber({ label: name }, name));
			expect(id).toBe(`${service.sold.at(-1)?.id}`);
		}
		expect({ sold: service.sold.length, warnings: run.warnings }).toEqual({ sold: 2, warnings: [] });
	});

	test("hides no purchase that the service shows late, or without its id", async () => {
		setClock(hours, zone);
		let lagging = 4;
		const isLate = (where: Place) => where === "list" || (where === "single" && lagging-- > 0);
		service.show = (row, where) => (lagging > 0 && isLate(where) ? undefined : row);
		expect((await create(open().number, aNumber())).id).toBe("701");
		service.show = nameless;
		expect((await create(open().number, aNumber({ label: "Desk" }, "other"))).id).toBe("702");
		expect(service.sold).toHaveLength(2);
	});

	test("names what may have been bought if two numbers are new", async () => {
		setClock(hours, zone);
		service.keys = "none";
		service.show = (row, where) => {
			// Somebody else buys one at the same moment.
			if (where === "purchase") service.rows.push({ ...row, id: 999 });
			return nameless(row, where);
		};
		const error = await failureOf(create(open("-idempotencyKey reference -statusFilter").number, aNumber()));
		expect(error.message).toMatch(/701.*999.*\[telephony:purchase-unknown\]$/);
		expect(service.sold).toHaveLength(1);
	});
});

test.each(["marked", "silent"] as const)("buys another number after a release, with %s replays", async (keys) => {
	service.keys = keys;
	setClock(-1);
	expect((await create(open().number, aNumber())).id).toBe("701");
	service.show = (row, where) => (where === "list" ? undefined : row);
	expect((await create(open().number, aNumber())).id, "not listed yet").toBe("701");
	service.rows.length = 0;
	expect((await create(open().number, aNumber())).id, "released").toBe("702");
	expect(service.sold).toHaveLength(2);
});
