/** A carrier without keys that shows the area of a number in a form of its own. */
import { describe, expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { replaced } from "../../helpers/runs";
import { losing, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("-idempotencyKey reference", ({ sell }) => ({
	sell: (serial, body) => ({ ...sell(serial, body), number: `+3120234501${serial}` }),
}));
const { open } = carrier;
const news = aNumber({ type: "geographic", area: "20" });

describe.each(["Amsterdam", "3120", "+31 20", "NL-20", "20 (Amsterdam)"])("the area as %j", (area) => {
	const show = () => {
		carrier.make.show = (row) => ({ ...row, area });
	};

	test("hides no number whose purchase got no response", async () => {
		show();
		losing(carrier, "POST");
		await failureOf(create(open().number, news));
		expect((await failureOf(create(open().number, news))).message).toContain('`adopt: "n1"`');
		expect(carrier.purchases).toEqual(["n1"]);
	});

	test("doesn't keep a number from its declaration", async () => {
		show();
		const first = await create(open().number, news);
		await carrier.clock.sleep(3_600_000);
		expect((await replaced(open(), first, news)).id).toBe("n1");
	});

	test.each(["+31102345019", "010 234 50 19"])("is another area's if the number is: %s", async (number) => {
		show();
		carrier.rows.push({ id: "n9", number, country: "NL", type: "geographic", reference: null });
		carrier.make.show = (row) => ({ ...row, area: row.id === "n9" ? "Rotterdam" : area });
		expect((await create(open().number, news)).id).toBe("n1");
		const error = await failureOf(create(open().number, aNumber({ type: "geographic", area: "20", adopt: "n9" }, "x")));
		expect(error.messageCode).toBe("adopt-refused");
	});
});
