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
