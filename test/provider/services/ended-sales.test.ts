/** A carrier that is said to honor keys, and whose new numbers end at once. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { timeOf, useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("idempotencyKey reference", ({ sell }) => ({
	sell: (...sale) => ({ ...sell(...sale), created_at: timeOf(carrier.clock.now() - 3_600_000) }),
}));

test.each([
	["ends", () => ({ status: "released" })],
	["isn't shown", () => undefined],
])("stops after some purchases if each number %s", async (_, change) => {
	carrier.make.show = (row, place) => {
		const changes = place === "purchase" ? {} : change();
		return changes && { ...row, ...changes };
	};
	const error = await failureOf(create(carrier.open().number, aNumber()));
	expect([error.kind, error.messageCode]).toEqual(["OutcomeUnknown", "purchase-unknown"]);
	expect(carrier.purchases).toHaveLength(4);
});
