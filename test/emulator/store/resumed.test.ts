import { expect, test } from "vitest";
import type { TestEmulator } from "../../helpers/emulator";
import { say, useReceiver } from "../../helpers/receiver";
import { newFolder, open } from "../folders";

const receiver = useReceiver();

const advance = ({ control }: TestEmulator, by: string) => {
	control.clock({ advance: by });
	return control.settled();
};

/** One call has ended and its recording is processed, another rings, an SMS is queued, a delivery has failed once. */
const begin = async (emulator: TestEmulator) => {
	receiver.answer = say(500);
	const { call } = emulator;
	await call("POST", "/webhooks", { url: receiver.url, events: ["number.activated", "call.completed"] });
	const { number: from } = (await call("POST", "/numbers", { country: "US", type: "mobile" })).body;
	const place = () => call("POST", "/calls", { from, to: "+14155550123", record: true });
	await place();
	await advance(emulator, "33s");
	await place();
	await advance(emulator, "1s");
	await call("POST", "/messages", { from, to: "+14155550123", text: "Hi" });
	const { calls, messages, recordings, deliveries } = emulator.control.state();
	expect([calls, messages, recordings].map((rows) => rows.map(({ status }) => status))).toEqual([
		["completed", "ringing"],
		["queued"],
		["processing"],
	]);
	expect(deliveries.map(({ status }) => status)).toEqual(["pending", "pending"]);
};

const checkEnd = async (emulator: TestEmulator) => {
	receiver.answer = say(200);
	await advance(emulator, "1h");
	const { calls, messages, recordings, deliveries } = emulator.control.state();
	for (const rows of [calls, recordings])
		expect(rows).toMatchObject([{ status: "completed" }, { status: "completed" }]);
	expect(calls[1]?.ended_at).toBe(new Date(Date.parse(calls[1]?.created_at ?? "") + 34_000).toISOString());
	expect(messages).toMatchObject([{ status: "delivered" }]);
	expect(deliveries.map(({ status }) => status)).toEqual(["delivered", "delivered", "delivered"]);
};

test("what is under way goes on from a snapshot", async () => {
	const emulator = await open({ clock: "virtual" });
	await begin(emulator);
	const snapshot = emulator.control.snapshot();
	emulator.control.reset();
	emulator.control.restore(snapshot);
	await checkEnd(emulator);
});

test("what is under way goes on after a restart", async () => {
	const data = newFolder();
	const emulator = await open({ data, clock: "virtual" });
	await begin(emulator);
	await emulator.close();
	await checkEnd(await open({ data, clock: "virtual" }));
});

test("a folder keeps its own time, whatever time it was first started at, and goes on to a later one", async () => {
	const data = newFolder();
	const options = { data, startAt: "2027-01-01T00:00:00Z" };
	const emulator = await open(options);
	emulator.control.kyc("10d");
	await emulator.call("POST", "/numbers", { country: "DE", type: "mobile" });
	await advance(emulator, "5d");
	await emulator.close();
	const again = await open(options);
	expect(again.control.clock().now).toBe("2027-01-06T00:00:00.000Z");
	await again.close();
	const early = { data, startAt: "2027-01-02T00:00:00Z" };
	for (let count = 0; count < 2; count++)
		await expect(open(early)).rejects.toThrow(/it is 2027-01-06T00:00:00.000Z already: start with a later time/);
	const late = await open({ data, startAt: "2027-02-01T00:00:00Z" });
	expect(late.control.clock()).toEqual({ mode: "virtual", now: "2027-02-01T00:00:00.000Z" });
	expect(late.control.state().numbers).toMatchObject([{ activated_at: "2027-01-11T00:00:00.000Z" }]);
});
