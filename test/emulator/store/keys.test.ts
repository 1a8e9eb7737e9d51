import { expect, test } from "vitest";
import { mobile } from "../fixture";
import { newFolder, open } from "../folders";

test("keeps a response for 24 hours of a clock that stops and runs", async () => {
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
	const reopened = await open({ data });
	expect((await buy(reopened.call)).id).toBe(first.id);
	await reopened.outside("POST", "/_emulator/clock", { advance: "2h" });
	expect((await buy(reopened.call)).id).not.toBe(first.id);
});
