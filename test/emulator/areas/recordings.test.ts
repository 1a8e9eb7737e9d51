import { describe, expect, test } from "vitest";
import { all, refusal, useEvents } from "../fixture";

const events = useEvents();
const { began, emulator, call, buy, set, listen, advance, receiver, types } = events;

const second = 1000;
const at = (ms: number) => new Date(began() + ms).toISOString();

const record = async (more: object = {}) => {
	const { number } = await buy("US", "geographic");
	return (await call("POST", "/calls", { from: number, to: "+14155550123", record: true, ...more })).body;
};
const recordingsOf = ({ id }: { id: string }) => all(events.client.calls.recordings(id));

/** By the words of the format, without the code that writes it. */
const parseWav = (bytes: Uint8Array) => {
	const file = Buffer.from(bytes);
	expect(file.toString("latin1", 0, 4)).toBe("RIFF");
	expect(file.readUInt32LE(4)).toEqual(file.length - 8);
	expect(file.toString("latin1", 8, 12)).toBe("WAVE");
	const chunks = new Map<string, Buffer>();
	for (let place = 12; place < file.length; ) {
		const size = file.readUInt32LE(place + 4);
		chunks.set(file.toString("latin1", place, place + 4), file.subarray(place + 8, place + 8 + size));
		place += 8 + size + (size % 2);
	}
	const [format, data] = [chunks.get("fmt ") ?? Buffer.alloc(16), chunks.get("data") ?? Buffer.alloc(0)];
	const bytesPerSecond = format.readUInt32LE(8);
	return {
		pcm: format.readUInt16LE(0) === 1,
		channels: format.readUInt16LE(2),
		rate: format.readUInt32LE(4),
		bits: format.readUInt16LE(14),
		seconds: data.length / bytesPerSecond,
		samples: data,
	};
};

describe("a recording", () => {
	test("is there once the call has ended, as a WAV that plays as long as the call", async () => {
		set({ callSeconds: 12 });
		await listen(["recording.completed"]);
		const made = await record();
		await advance(15 * second);
		expect(await recordingsOf(made)).toEqual([]);
		await advance(second);
		const [row] = await recordingsOf(made);
		expect(row).toMatchObject({ call_id: made.id, status: "processing", duration_seconds: 12, url: null });
		const { id = "" } = row ?? {};
		expect(await call("GET", `/recordings/${id}/media`)).toMatchObject(refusal(409, "recording_not_ready"));
		await advance(2 * second);
		const [completed] = await recordingsOf(made);
		const price = { amount: "0.0025", currency: "USD" };
		const shown = { status: "completed", format: "wav", channels: 1, price };
		expect(completed).toMatchObject({ ...shown, url: `/recordings/${id}/media`, url_expires_at: at(86_418_000) });
		expect(types()).toEqual(["recording.completed"]);
		expect(receiver.posts[0]?.event.data).toEqual(completed);
		const media = await events.client.calls.recordingMedia(id);
		expect(media.type).toBe("audio/wav");
		const { samples, ...wav } = parseWav(media.bytes);
		expect(wav).toEqual({ pcm: true, channels: 1, rate: 8000, bits: 8, seconds: 12 });
		expect(Math.max(...samples) - Math.min(...samples)).toBeGreaterThan(50);
		// Silence is the middle of what 8 bits can say.
		expect(new Set(samples.subarray(4000, 8000))).toEqual(new Set([128]));
	});

	test("can be fetched for a day, with the key only", async () => {
		const made = await record();
		await advance(60 * second);
		const [{ id } = { id: "" }] = await recordingsOf(made);
		const media = `${emulator.url}/recordings/${id}/media`;
		expect((await fetch(media)).status).toBe(401);
		const answer = await fetch(media, { headers: { authorization: `Bearer ${emulator.apiKey}` } });
		expect(answer.status).toBe(200);
		expect(answer.headers.get("content-type")).toBe("audio/wav");
		await advance(86_400_000);
		expect(await call("GET", `/recordings/${id}/media`)).toMatchObject(refusal(410, "gone"));
	});

	test("is made only of calls that are answered, where it is asked for", async () => {
		const unasked = await record({ record: false });
		const canceled = await record();
		await call("POST", `/calls/${canceled.id}/hangup`);
		await advance(60 * second);
		expect(await recordingsOf(unasked)).toEqual([]);
		expect(await recordingsOf(canceled)).toEqual([]);
	});
});
