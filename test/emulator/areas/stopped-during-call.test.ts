/** An emulator with the real clock that is stopped during a call. */
import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../../helpers/eventually";
import { day, iso, mobile, second, usd } from "../fixture";
import { newFolder, open } from "../folders";

const began = Date.parse("2026-03-02T00:00:00Z");

test("bills a call of 30 seconds for a minute, after a stop of a week", async () => {
	vi.useFakeTimers({ toFake: ["Date"], now: began });
	onTestFinished(() => void vi.useRealTimers());
	const data = newFolder();
	const first = await open({ data });
	const { number: from } = (await first.call("POST", "/numbers", mobile())).body;
	const { id } = (await first.call("POST", "/calls", { from, to: "+14155550123", record: true })).body;
	await first.outside("POST", "/_emulator/clock", { mode: "virtual", advance: "4s" });
	const talking = (await first.call("GET", `/calls/${id}`)).body;
	expect(talking).toMatchObject({ status: "in_progress", answered_at: iso(began + 4 * second) });
	vi.setSystemTime(began + 5 * second);
	await first.outside("POST", "/_emulator/clock", { mode: "real" });
	await first.close();

	vi.setSystemTime(began + 7 * day);
	const restarted = await open({ data });
	await eventually(async () => expect((await restarted.call("GET", `/calls/${id}`)).body.status).toBe("completed"));
	const { body: call } = await restarted.call("GET", `/calls/${id}`);
	expect(call).toMatchObject({ duration_seconds: 30, ended_at: iso(began + 34 * second), price: usd("0.01") });
	vi.setSystemTime(began + 7 * day + 10 * second);
	const { body: usage } = await restarted.call("GET", "/usage");
	expect(usage.data).toMatchObject([{}, { category: "calls", quantity: 1 }, { category: "recordings", quantity: 1 }]);
	const [recording] = (await restarted.call("GET", `/calls/${id}/recordings`)).body.data;
	const headers = { Authorization: `Bearer ${restarted.apiKey}` };
	const media = () => fetch(`${restarted.url}/recordings/${recording?.id}/media`, { headers });
	await eventually(async () => expect((await media()).status).toBe(200));
	expect((await (await media()).arrayBuffer()).byteLength).toBe(44 + 30 * 8000);
});
