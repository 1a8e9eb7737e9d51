/** Invalid bodies that are larger than a response should be. */
import { expect, test } from "vitest";
import { useVirtualEmulator } from "../fixture";

const { post, outside } = useVirtualEmulator();

test("refuses a large invalid body shortly, and keeps none in the journal", async () => {
	const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`field_${n}`, n]));
	const long = { ["f".repeat(900_000)]: 1 };
	for (const body of [many, long, { country: "US", type: "mobile", ...many }]) {
		const refused = await post("/numbers", body);
		expect(refused).toMatchObject({ status: 400, body: { error: "validation_failed" } });
		expect(JSON.stringify(refused.body).length).toBeLessThan(50_000);
	}
	const requests = await outside("GET", "/_emulator/requests");
	expect(JSON.stringify(requests.body).length).toBeLessThan(50_000);
	const few = await post("/numbers", { country: "US", type: "mobile", colour: "red", size: 1 });
	expect(few.body.message).toBe("The request is invalid: colour: unknown field; size: unknown field.");
});
