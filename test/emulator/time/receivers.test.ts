/** Receivers written with the public packages, which refuse a timestamp that is five minutes off, years from now. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { stepsOf } from "../../docs/pages";
import { pythonWith } from "../../helpers/python";
import { repository } from "../../helpers/repository";
import { useEvents } from "../fixture";

const { call, listen, buy, set, settled, advance, deliveries, receiver } = useEvents();
const years = 5 * 365 * 86_400_000;

const lineOf = async (lines: Interface) => String((await once(lines, "line"))[0]);

const headersOf = (post: (typeof receiver.posts)[number] | undefined) => post?.headers as Record<string, string>;

test("a receiver in Node takes what an emulator signs whose clock is years ahead", async () => {
	const { secret } = await listen(["number.activated"]);
	await advance(years);
	const { created_at } = await buy();
	await settled();
	const [post] = receiver.posts;
	expect(new Webhook(String(secret)).verify(String(post?.body), headersOf(post))).toEqual(post?.event);
	// What happened keeps the emulator's time.
	expect(post?.event.timestamp).toBe(created_at);
});

test("a receiver in Node refuses it where the emulator is asked to sign with its own time", async () => {
	const { secret } = await listen(["number.activated"]);
	await advance(years);
	set({ webhookTimestamp: "clock" });
	await buy();
	await settled();
	const [post] = receiver.posts;
	expect(() => new Webhook(String(secret)).verify(String(post?.body), headersOf(post))).toThrow(/timestamp/);
});

/** The guide's program, in a folder that has our packages. */
const writeGuidesReceiver = (): string => {
	const program = stepsOf("docs/guides/webhook-signatures.md").find((step) => step.kind === "file");
	if (program === undefined) throw new Error("the guide has no receiver");
	const folder = mkdtempSync(join(tmpdir(), "telephony-receiver-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	const file = join(folder, program.name);
	writeFileSync(file, program.text);
	return file;
};

test("the guide's receiver accepts signed events only, and both secrets after a rotation", async () => {
	const { id, secret } = await listen(["number.activated"], { url: "http://127.0.0.1:9/" });
	const env = { ...process.env, WEBHOOK_SECRET: String(secret), PORT: "0" };
	const child = spawn(process.execPath, [writeGuidesReceiver()], { env, stdio: ["ignore", "pipe", "inherit"] });
	onTestFinished(() => void child.kill());
	const lines = createInterface(child.stdout);
	const url = `http://127.0.0.1:${await lineOf(lines)}/`;
	await call("PATCH", `/webhooks/${id}`, { url });
	for (const isRotated of [false, true]) {
		if (isRotated) await call("POST", `/webhooks/${id}/rotate_secret`);
		const received = lineOf(lines);
		await buy();
		await settled();
		expect(deliveries().at(-1)?.attempts[0]?.status).toBe(204);
		expect(await received).toBe("number.activated");
	}
	const sentAt = new Date();
	const headers = {
		"webhook-id": "evt_1",
		"webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
		"webhook-signature": new Webhook(`whsec_${btoa("of somebody else")}`).sign("evt_1", sentAt, "{}"),
	};
	expect((await fetch(url, { method: "POST", body: "{}", headers })).status).toBe(401);
	expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401);
});

test("a receiver in Python takes it too, and again after the secret has been rotated", async (context) => {
	const python = await pythonWith(["standardwebhooks==1.1.0"], (why) => context.skip(why));
	const { id, secret } = await listen(["number.activated"], { url: "http://127.0.0.1:9/" });
	const child = spawn(python, [join(repository, "test/fixtures/receiver.py")], { stdio: ["pipe", "pipe", "inherit"] });
	onTestFinished(() => void child.kill());
	child.stdin.write(`${secret}\n`);
	const lines = createInterface(child.stdout);
	await call("PATCH", `/webhooks/${id}`, { url: `http://127.0.0.1:${await lineOf(lines)}/` });
	await advance(years);
	for (const rotated of [false, true]) {
		if (rotated) await call("POST", `/webhooks/${id}/rotate_secret`);
		const heard = lineOf(lines);
		await buy();
		await settled();
		expect(JSON.parse(await heard)).toEqual({ status: 200, answer: "number.activated" });
	}
	set({ webhookTimestamp: "clock" });
	const heard = lineOf(lines);
	await buy();
	await settled();
	expect(JSON.parse(await heard)).toMatchObject({ status: 401, answer: expect.stringContaining("timestamp") });
	expect(deliveries().map(({ attempts }) => attempts[0]?.status)).toEqual([200, 200, 401]);
});
