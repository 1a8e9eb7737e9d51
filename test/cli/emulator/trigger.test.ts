import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { eventNames } from "../../../provider/api/contract";
import { start } from "../../emulator/folders";
import { telephony } from "../../helpers/drift-cli";
import { useEmulator } from "../../helpers/emulator";
import { useReceiver } from "../../helpers/receiver";

const emulator = useEmulator();
const receiver = useReceiver();
const command = (...args: string[]) =>
	new Promise<{ code: number; said: string }>((resolve) =>
		execFile(process.execPath, [telephony, "emulator", "trigger", ...args], (error, stdout, stderr) =>
			resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
		),
	);
const hook = (url: string) => emulator.call("POST", "/webhooks", { url, events: ["*"] });

test("telephony emulator trigger sends an event as if it had happened, with values of one's own", async () => {
	await hook(`${receiver.url}/hook?token=secret`);
	const { code, said } = await command(
		"message.received",
		"--data",
		'{"text": "From the command line"}',
		"--url",
		emulator.url,
	);
	expect({ code, said }).toEqual({ code: 0, said: `message.received → ${receiver.url}/hook\n` });
	await emulator.control.settled();
	expect(receiver.posts[0]?.event).toMatchObject({
		type: "message.received",
		data: { text: "From the command line", status: "received", direction: "inbound" },
	});
	expect(receiver.posts[0]?.headers).toHaveProperty("webhook-signature");
	expect(emulator.control.state().messages).toEqual([]);
});

test("telephony emulator trigger says what is wrong", async () => {
	expect(await command("message.received", "--url", emulator.url)).toMatchObject({ code: 1 });
	const unknown = await command("message.lost", "--url", emulator.url);
	expect(unknown.said).toContain("message.received");
	expect(unknown.code).toBe(1);
	expect((await command("message.received", "--url", "http://127.0.0.1:1")).said).toContain("start one");
	expect((await command("message.received", "--data", "[]")).said).toContain("JSON object");
});

test.each([
	["HTML", 200, "<html></html>"],
	["HTML and an error", 502, "<html></html>"],
	["JSON of another kind", 200, "[]"],
	["deliveries of another kind", 200, '{"deliveries": 1}'],
	["nothing", 204, undefined],
])("telephony emulator trigger refuses a server that answers with %s", async (_, status, body) => {
	const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, "127.0.0.1");
	onTestFinished(() => void server.close());
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	const { code, said } = await command("message.received", "--url", `http://127.0.0.1:${port}/?key=secret`);
	expect({ code, said }).toEqual({
		code: 1,
		said: expect.stringMatching(/^telephony: http:\/\/127\.0\.0\.1:\d+ isn't an emulator .*\[telephony:emulator\]\n$/),
	});
});

test.each(eventNames)("there is an example of %s", async (event) => {
	await hook(receiver.url);
	expect(emulator.control.trigger({ event }).deliveries).toMatchObject([{ event }]);
	await emulator.control.settled();
	expect(receiver.posts[0]?.event.data).toHaveProperty("id");
});

test("--log prints a line for each request and each delivery, without a secret", async () => {
	const { child, url } = await start(["--memory", "--log"]);
	const lines = createInterface(child.stderr as NodeJS.ReadableStream);
	const headers = { Authorization: "Bearer emulator-key", "Content-Type": "application/json" };
	const body = JSON.stringify({ url: `${receiver.url}/?token=x`, events: ["*"] });
	const [[first]] = (await Promise.all([
		once(lines, "line"),
		fetch(`${url}/webhooks`, { method: "POST", headers, body }),
	])) as [[string], Response];
	expect(first).toMatch(/^POST \/v1\/webhooks 201 req_\w+$/);
	const second = once(lines, "line");
	await fetch(`${url.replace("/v1", "")}/_emulator/trigger`, {
		method: "POST",
		headers,
		body: JSON.stringify({ event: "call.completed" }),
	});
	const [delivered] = (await second) as [string];
	expect(delivered).not.toContain("token");
	expect(delivered).toMatch(/^→ call\.completed http:\S+ 204 dlv_\w+$/);
});
