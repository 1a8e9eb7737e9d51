/** `telephony emulator trigger`, and the log of the emulator. */
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { eventNames } from "../../../provider/api/contract";
import { start } from "../../emulator/folders";
import { telephony } from "../../helpers/drift-cli";
import { useEmulator } from "../../helpers/emulator";
import { run } from "../../helpers/engine";
import { useReceiver } from "../../helpers/receiver";
import { repository } from "../../helpers/repository";
import { listen } from "../../helpers/servers";

const emulator = useEmulator();
const receiver = useReceiver();
/** The proxy refuses connections. */
const proxied = { ...process.env, NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:1" };
const command = (...args: string[]) => run("node", [telephony, "emulator", "trigger", ...args], repository, proxied);
const hook = (url: string) => emulator.call("POST", "/webhooks", { url, events: ["*"] });

test("sends an event with the user's values, as if it had happened", async () => {
	await hook(`${receiver.url}/hook?token=secret`);
	const data = '{"text": "From the command line"}';
	const { code, output } = await command("message.received", "--data", data, "--url", emulator.url);
	expect({ code, output }).toEqual({ code: 0, output: `message.received → ${receiver.url}/hook\n` });
	await emulator.control.settled();
	expect(receiver.posts[0]?.event).toMatchObject({
		type: "message.received",
		data: { text: "From the command line", status: "received", direction: "inbound" },
	});
	expect(receiver.posts[0]?.headers).toHaveProperty("webhook-signature");
	expect(emulator.control.state().messages).toEqual([]);
});

test("refuses a wrong event, address or value", async () => {
	expect(await command("message.received", "--url", emulator.url)).toMatchObject({ code: 1 });
	const unknown = await command("message.lost", "--url", emulator.url);
	expect(unknown.output).toContain("message.received");
	expect(unknown.code).toBe(1);
	expect((await command("message.received", "--url", "http://127.0.0.1:1")).output).toContain("start one");
	expect((await command("message.received", "--data", "[]")).output).toContain("JSON object");
});

test.each([
	["HTML", 200, "<html></html>"],
	["HTML and an error", 502, "<html></html>"],
	["JSON of another kind", 200, "[]"],
	["deliveries of another kind", 200, '{"deliveries": 1}'],
	["nothing", 204, undefined],
])("refuses a server that returns %s", async (_, status, body) => {
	const server = createServer((_request, response) => response.writeHead(status).end(body));
	onTestFinished(() => void server.close());
	const { code, output } = await command("message.received", "--url", `${await listen(server)}/?key=secret`);
	expect({ code, output }).toEqual({
		code: 1,
		output: expect.stringMatching(
			/^telephony: http:\/\/127\.0\.0\.1:\d+ isn't an emulator .*\[telephony:emulator\]\n$/,
		),
	});
});

test.each(eventNames)("has an example of %s", async (event) => {
	await hook(receiver.url);
	expect(emulator.control.trigger({ event }).deliveries).toMatchObject([{ event }]);
	await emulator.control.settled();
	expect(receiver.posts[0]?.event.data).toHaveProperty("id");
});

test("logs each request and delivery without secrets", async () => {
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
