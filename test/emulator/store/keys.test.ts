import { expect, test } from "vitest";
import { mobile } from "../fixture";
import { newFolder, open } from "../folders";

test("a response is kept for 24 hours, although the clock was turned back after it", async () => {
	const data = newFolder();
	const { call, outside, close } = await open({ data });
	const turn = (patch: object) => outside("POST", "/_emulator/clock", patch);
	const buy = async (send: typeof call) =>
		(await send("POST", "/numbers", mobile(), { "Idempotency-Key": "order-1" })).body;
	await turn({ mode: "virtual", advance: "10d" });
	const first = await buy(call);
	await turn({ mode: "real" });
	expect((await buy(call)).id).toBe(first.id);
	await turn({ mode: "virtual", advance: "23h" });
	expect((await buy(call)).id).toBe(first.id);
	await close();
	const again = await open({ data });
	expect((await buy(again.call)).id).toBe(first.id);
	await again.outside("POST", "/_emulator/clock", { advance: "2h" });
	expect((await buy(again.call)).id).not.toBe(first.id);
});
