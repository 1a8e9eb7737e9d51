/** Receivers written with the public packages, which refuse a timestamp that is five minutes off, years from now. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { stepsOf } from "../../docs/pages";
import { createFolder } from "../../helpers/folders";
import { pythonWith } from "../../helpers/python";
import { repository } from "../../helpers/repository";
import { day, useEvents } from "../fixture";

const { patch, post, listen, buy, set, settled, advance, deliveries } = useEvents();
const years = 5 * 365 * day;
const status = () => deliveries().at(-1)?.attempts[0]?.status;

/** Starts a receiver that prints a line for its port, and one for each delivery. */
const startReceiver = async (command: string, args: readonly string[]) => {
	const { id, secret } = await listen(["number.activated"], { url: "http://127.0.0.1:9/" });
	const env = { ...process.env, WEBHOOK_SECRET: String(secret), PORT: "0" };
	const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
	onTestFinished(() => void child.kill());
	child.stdin.write(`${secret}\n`);
	const output = createInterface(child.stdout);
	const line = async () => String((await once(output, "line"))[0]);
	const url = `http://127.0.0.1:${await line()}/`;
	await patch(`/webhooks/${id}`, { url });
	const deliver = async () => {
		const printed = line();
		await buy();
		await settled();
		return printed;
	};
	return { url, deliver, rotate: () => post(`/webhooks/${id}/rotate_secret`) };
};

test("the guide's receiver accepts signed events, after a rotation too", async () => {
	const program = stepsOf("docs/reference/webhook.md").find((step) => step.kind === "file");
	if (program === undefined) throw new Error("the guide has no receiver");
	const folder = createFolder();
	symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
	const file = join(folder, program.name);
	writeFileSync(file, program.text);
	const { url, deliver, rotate } = await startReceiver(process.execPath, [file]);
	for (const isRotated of [false, true]) {
		if (isRotated) await rotate();
		expect(await deliver()).toBe("number.activated");
		expect(status()).toBe(204);
	}
	const sentAt = new Date();
	const headers = {
		"webhook-id": "evt_1",
		"webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
		"webhook-signature": new Webhook(`whsec_${btoa("of somebody else")}`).sign("evt_1", sentAt, "{}"),
	};
	for (const sent of [headers, {}])
		expect((await fetch(url, { method: "POST", body: "{}", headers: sent })).status).toBe(401);
});

test("a receiver in Python accepts it, after a rotation too", async (context) => {
	const python = await pythonWith(["standardwebhooks==1.1.0"], (why) => context.skip(why));
	const { deliver, rotate } = await startReceiver(python, [join(repository, "test/fixtures/receiver.py")]);
	await advance(years);
	for (const isRotated of [false, true]) {
		if (isRotated) await rotate();
		expect(JSON.parse(await deliver())).toEqual({ status: 200, answer: "number.activated" });
	}
	set({ webhookTimestamp: "clock" });
	expect(JSON.parse(await deliver())).toMatchObject({ status: 401 });
	expect(status()).toBe(401);
});
