/** `node scripts/screenshots.mts`: makes the pictures of the console in docs/images/. */
import { join, resolve } from "node:path";
import { createEmulator, VirtualClock } from "../dist/emulator/index.js";
import { findChromium, openBrowser } from "../test/helpers/browser.mts";

const folder = resolve(import.meta.dirname, "../docs/images");
const chromium = findChromium();
if (chromium === undefined) throw new Error("There is no Chromium: install one, or name it in CHROME_PATH.");

const clock = new VirtualClock(Date.parse("2026-03-02T08:00:00Z"));
const emulator = await createEmulator({ clock, seed: 7 });

const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
	const response = await fetch(emulator.url + path, {
		method,
		headers: { Authorization: `Bearer ${emulator.apiKey}`, "Content-Type": "application/json", ...headers },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	clock.advance(1_700);
	return (response.status === 204 ? {} : await response.json()) as { readonly id: string };
};

/** A company in six countries, on an ordinary morning. */
const office = await call("POST", "/trunks", {
	name: "office-ams",
	auth: { mode: "ip_acl", allowed_cidrs: ["198.51.100.0/24", "203.0.113.8/32"] },
	capacity: 30,
	cps: 5,
	label: "PBX Amsterdam",
});
const centre = await call("POST", "/trunks", {
	name: "contact-centre",
	auth: { mode: "digest", username: "cc-berlin" },
	capacity: 120,
	codecs: ["opus", "PCMA"],
});
await call("POST", "/webhooks", {
	url: "https://hooks.example.com/telephony/sms",
	events: ["message.received", "message.status"],
	description: "Support inbox",
});
await call("POST", "/webhooks", { url: "https://hooks.example.com/telephony/numbers", events: ["*"] });
const plan = [
	["NL", "geographic", "20", "Front desk", { type: "trunk", trunk_id: office.id }],
	["NL", "mobile", undefined, "On call", { type: "forward", to: "+31612345678" }],
	[
		"US",
		"toll_free",
		undefined,
		"Support",
		{ type: "trunk", trunk_id: centre.id, failover: { type: "forward", to: "+12025550143" } },
	],
	["GB", "national", undefined, "Sales UK", { type: "trunk", trunk_id: centre.id }],
	["SE", "geographic", "8", "Stockholm", { type: "sip_uri", uri: "sip:reception@pbx.example.se" }],
	["DE", "geographic", "30", "Berlin", { type: "trunk", trunk_id: centre.id }],
	["DE", "geographic", "89", "Munich", { type: "trunk", trunk_id: centre.id }],
	["FR", "mobile", undefined, "Field service", { type: "forward", to: "+33612345678" }],
	["ES", "geographic", "91", "Madrid", { type: "trunk", trunk_id: office.id }],
	["IT", "toll_free", undefined, "Numero verde", { type: "agent", agent_id: "agent_night" }],
	["CA", "geographic", "416", "Toronto", { type: "webhook", url: "https://hooks.example.com/calls" }],
	["US", "mobile", undefined, "Marketing", null],
] as const;
const ids: string[] = [];
for (const [country, type, area, label, routing] of plan) {
	const key = { "Idempotency-Key": `tel-${country.toLowerCase()}-${ids.length + 1}` };
	const { id } = await call("POST", "/numbers", { country, type, ...(area ? { area } : {}) }, key);
	await call("PATCH", `/numbers/${id}`, { label, routing, release_protection: label === "Support" });
	ids.push(id);
}
const { control } = emulator;
control.decide(ids[5] ?? "", "approve");
control.decide(ids[8] ?? "", "reject", [
	{ code: "name_mismatch", message: "The name differs from the trade register." },
]);
control.patchNumber(ids[3] ?? "", { status: "suspended" });
await call("DELETE", `/numbers/${ids[2]}`);
await call("DELETE", `/numbers/${ids[11]}`);
await call("POST", "/numbers", { country: "ZZ", type: "mobile" });
await call("GET", "/numbers?limit=100");
control.faults.set({ operation: "buyNumber", kind: "status", status: 429, retryAfter: 2, nth: 3 });
control.faults.set({ operation: "*", kind: "reset", phase: "after", probability: 0.05, seed: 1 });

const browser = await openBrowser(chromium);
const page = await browser.newPage({ colorScheme: "light", viewport: { width: 1360, height: 820 } });
for (const [name, path] of [
	["console", ""],
	["numbers", "/numbers"],
]) {
	await page.goto(`${emulator.url.replace(/\/v1$/, "/_console")}${path}`);
	await page.locator("#live").waitFor();
	await page.screenshot({ path: join(folder, `${name}-light.png`) });
}
await browser.close();
await emulator.close();
