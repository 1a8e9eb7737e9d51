/** A carrier that repeats a refusal under its idempotency key, without a mark. */
import { expect, test } from "vitest";
import { aNumber, create, failureOf } from "../../helpers/provider";
import { useCarrier } from "../../helpers/scripted-carrier";

const carrier = useCarrier("idempotencyKey");

test("another generation buys a number once the carrier has some", async () => {
	const refused = new Set<unknown>();
	let isEmpty = true;
	carrier.make.intercept = ({ method, headers }, respond) => {
		if (method !== "POST") return respond();
		const key = headers["idempotency-key"];
		if (isEmpty) refused.add(key);
		return refused.has(key) ? [409, { error: "no_inventory", message: "None is free.", request_id: "r" }] : respond();
	};
	expect((await failureOf(create(carrier.open().number, aNumber()))).message).toContain("change `generation`");
	isEmpty = false;
	expect((await failureOf(create(carrier.open().number, aNumber()))).messageCode).toBe("no-inventory");
	expect((await create(carrier.open().number, aNumber({ generation: 1 }))).id).toBe("n1");
});
