import type { Command } from "commander";
import { UsageError } from "./usage";

interface Options {
	readonly data?: string;
	readonly url: string;
	readonly controlToken?: string;
}

const parseData = (text: string): string => {
	try {
		const data: unknown = JSON.parse(text);
		if (typeof data === "object" && data !== null && !Array.isArray(data)) return text;
	} catch {
		// Refused below.
	}
	throw new UsageError("usage", `--data must be a JSON object, such as '{"to": "+14155550123"}'.`);
};

const run = async (event: string, { data, url, controlToken }: Options): Promise<void> => {
	const origin = url.replace(/\/+$/, "").replace(/\/v1$/, "");
	const token = controlToken ?? process.env.TELEPHONY_CONTROL_TOKEN;
	const answer = await fetch(`${origin}/_emulator/trigger`, {
		method: "POST",
		headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
		body: JSON.stringify({ event, ...(data === undefined ? {} : { data: JSON.parse(data) }) }),
	}).catch(() => {
		throw new UsageError("emulator", `no emulator answers at ${origin}: start one, or name its address with --url.`);
	});
	const { message, deliveries = [] } = (await answer.json()) as { message?: string; deliveries?: { url: string }[] };
	if (!answer.ok) throw new UsageError("emulator", message ?? `the emulator answered ${answer.status}.`);
	for (const delivery of deliveries) process.stdout.write(`${event} → ${delivery.url}\n`);
	if (deliveries.length === 0) {
		throw new UsageError("emulator", `no webhook subscribes to ${event}: create one, and send the event again.`);
	}
};

/** `telephony emulator trigger EVENT`. */
export const addTrigger = (emulator: Command): void => {
	emulator
		.command("trigger")
		.description("Send an event of a running emulator to its webhooks, as if it had happened.")
		.argument("<event>", "such as message.received")
		.option("--data <json>", "values that replace the ones of the example", parseData)
		.option("--url <url>", "the emulator's address", "http://127.0.0.1:4010")
		.option("--control-token <token>", "if the emulator was started with one (or TELEPHONY_CONTROL_TOKEN)")
		.action(run);
};
