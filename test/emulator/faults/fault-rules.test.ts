import { describe, expect, test } from "vitest";
import { refusal, useVirtualEmulator } from "../fixture";

const { emulator, outside } = useVirtualEmulator();

describe("a rule of a fault", () => {
	test.each([
		[{}, "operation"],
		[{ operation: "buyFax" }, "operation"],
		[{ operation: "buyNumber", kind: "flood" }, "kind"],
		[{ operation: "buyNumber", colour: "red" }, "colour"],
		[{ operation: "buyNumber", nth: 0 }, "nth"],
		[{ operation: "buyNumber", nth: 1, every: true }, "nth"],
		[{ operation: "buyNumber", probability: 1.5 }, "probability"],
		[{ operation: "buyNumber", seed: 1 }, "seed"],
		[{ operation: "buyNumber", phase: "after", kind: "truncated" }, "phase"],
		[{ operation: "buyNumber", phase: "mid", kind: "status" }, "phase"],
		[{ operation: "buyNumber", kind: "delay" }, "ms"],
		[{ operation: "buyNumber", status: 204 }, "status"],
		[{ operation: "buyNumber", retryAfter: "1\r\nX: 1" }, "retryAfter"],
		[{ operation: "buyNumber", kind: "duplicate" }, "operation"],
		[{ operation: "deleteTrunk", phase: "mid" }, "operation"],
	])("is not taken if nobody could tell what it means: %j", async (rule, field) => {
		const answer = await outside("POST", "/_emulator/faults", rule);
		expect(answer).toMatchObject({ status: 400, body: { error: "validation_failed", details: [{ field }] } });
		expect(emulator.control.faults.list()).toEqual([]);
	});

	test("without its rule is not found", async () => {
		expect(await outside("DELETE", "/_emulator/faults/flt_0")).toMatchObject(refusal(404, "not_found"));
		expect(await outside("POST", "/_emulator/faults/flt_0/release")).toMatchObject(refusal(404, "not_found"));
	});
});
