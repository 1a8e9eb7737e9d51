/** `telephony emulator trigger EVENT`. */
import type { Command } from "commander";
import { z } from "zod";
import { findJson } from "../../provider/api/json";
import { addressIn } from "../engine/config";
import { printable } from "../report/model";
import { UsageError } from "../report/usage";

/** Empty if the response isn't the emulator's. */
const Reply = z
	.object({ message: z.string().optional(), deliveries: z.array(z.object({ url: z.string() })).optional() })
	.catch({});

interface Options {
	readonly data?: string;
	readonly url: string;
	readonly controlToken?: string;
}

const parseData = (text: string): string => {
	const data = findJson(text);
	if (typeof data === "object" && data !== null && !Array.isArray(data)) return text;
	throw new UsageError("usage", `--data must be a JSON object, such as '{"to": "+14155550123"}'.`);
};

const run = async (event: string, { data, url, controlToken }: Options): Promise<void> => {
	const origin = url.replace(/\/+$/, "").replace(/\/v1$/, "");
	const token = controlToken ?? process.env.TELEPHONY_CONTROL_TOKEN;
	const address = addressIn(origin)?.replace(/\/$/, "") ?? "--url";
	const body = JSON.stringify({ event, ...(data === undefined ? {} : { data: findJson(data) }) });
	const { statusCode, text } = await post(`${origin}/_emulator/trigger`, body, token).catch(() => {
		throw new UsageError("emulator", `no emulator answers at ${address}: start one, or name its address with --url.`);
	});
	const isOk = statusCode < 300;
	const { message, deliveries } = Reply.parse(findJson(text));
	if (!isOk && message !== undefined) throw new UsageError("emulator", printable(message));
	if (!isOk || deliveries === undefined)
		throw new UsageError(
			"emulator",
			`${address} isn't an emulator (status ${statusCode}): name its address with --url.`,
		);
	for (const delivery of deliveries) process.stdout.write(`${event} → ${printable(addressIn(delivery.url) ?? "")}\n`);
	if (deliveries.length === 0)
		throw new UsageError("emulator", `no webhook subscribes to ${event}: create one, and send the event again.`);
};

async function post(url: string, body: string, token: string | undefined) {
	// Node's own fetch may use a proxy, which can't reach this machine.
	const { Agent } = require("undici") as typeof import("undici");
	const { origin, pathname: path } = new URL(url);
	const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
	const response = await new Agent().request({ origin, path, method: "POST", headers, body });
	return { statusCode: response.statusCode, text: await response.body.text() };
}

export const addTrigger = (emulator: Command): void => {
	emulator
		.command("trigger")
		.description("Send an event of a running emulator to its webhooks, as if it had happened.")
		.argument("<event>", "name of the event, such as message.received")
		.option("--data <json>", "values that replace values of the example", parseData)
		.option("--url <url>", "the emulator's address", "http://127.0.0.1:4010")
		.option("--control-token <token>", "the emulator's control token, if it has one (or TELEPHONY_CONTROL_TOKEN)")
		.action(run);
};
