/** Forms of the console, filled in as a browser shows them. */
import { expect, test } from "vitest";
import { useVirtualEmulator } from "../fixture";

const { emulator, post, patch, buy, trunk, port, state } = useVirtualEmulator();

const unescaped = (text: string) =>
	text
		.replaceAll("&quot;", '"')
		.replaceAll("&#39;", "'")
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&amp;", "&");

const consoleUrl = () => emulator.url.replace(/\/v1$/, "/_console");

/** The fields that the edit form of a page shows. */
const shownAt = async (page: string, action: string): Promise<Record<string, string>> => {
	const html = await (await fetch(consoleUrl() + page)).text();
	const [, form = ""] = html.split(`action="/_console${action}/edit"`);
	const areas = [...(form.split("</form>")[0] ?? "").matchAll(/<textarea name="(\w+)"[^>]*>([^<]*)<\/textarea>/g)];
	return Object.fromEntries(areas.map(([, name = "", text = ""]) => [name, unescaped(text)]));
};

/** Changes one JSON field of a form by hand, and saves the form. */
const editJson = async (page: string, action: string, field: string, change: (fields: never) => unknown) => {
	const fields = await shownAt(page, action);
	const text = JSON.stringify(change(JSON.parse(fields[field] ?? "null") as never));
	const body = new URLSearchParams({ ...fields, [field]: text });
	const response = await fetch(`${consoleUrl() + action}/edit`, { method: "POST", body, redirect: "manual" });
	expect([response.status, response.status === 303 ? "" : await response.text()]).toEqual([303, ""]);
};

test("keeps other keys of metadata, long and hidden ones too", async () => {
	const { id } = await buy();
	const metadata = { note: "n".repeat(300), ticket_key: "OPS-17", owner: "Ada" };
	await patch(`/numbers/${id}`, { metadata });
	await editJson(`/numbers/${id}`, `/numbers/${id}`, "metadata", (fields: object) => ({ ...fields, owner: "Bea" }));
	expect(state().numbers).toMatchObject([{ metadata: { ...metadata, owner: "Bea" } }]);
});

test("a key of metadata can still be removed and replaced", async () => {
	const { id } = await buy();
	await patch(`/numbers/${id}`, { metadata: { note: "n".repeat(300), owner: "Ada" } });
	await editJson(`/numbers/${id}`, `/numbers/${id}`, "metadata", () => ({ note: "short" }));
	expect(state().numbers[0]?.metadata).toEqual({ note: "short" });
});

test("keeps a route's long URL and password in an edit of its ringing time", async () => {
	const { id } = await buy();
	const url = `https://a.example/${"p".repeat(300)}`;
	const failover = { type: "sip_uri", uri: "sip:desk:hunter2@sip.example.com" };
	await patch(`/numbers/${id}`, { routing: { type: "webhook", url, ring_timeout_seconds: 20, failover } });
	const later = (fields: object) => ({ ...fields, ring_timeout_seconds: 40 });
	await editJson(`/numbers/${id}`, `/numbers/${id}`, "routing", later);
	expect(state().numbers[0]?.routing).toEqual({ type: "webhook", url, ring_timeout_seconds: 40, failover });
});

test("a change of the carrier's name keeps the hidden account number and PIN", async () => {
	const { id } = await port();
	const [before] = state().portOrders;
	const renamed = (fields: object) => ({ ...fields, name: "New Telecom" });
	await editJson(`/port_orders/${id}`, `/port_orders/${id}`, "carrier", renamed);
	expect(state().portOrders[0]?.carrier).toEqual({ ...before?.carrier, name: "New Telecom" });
});

test("keeps a trunk's password and long lists in an edit of its username", async () => {
	const { id } = await trunk();
	const [before] = state().trunks;
	await editJson(`/trunks/${id}`, `/trunks/${id}`, "auth", (fields: object) => ({ ...fields, username: "office-2" }));
	expect(state().trunks[0]?.auth).toMatchObject({ ...before?.auth, username: "office-2" });
	const allowed_cidrs = Array.from({ length: 30 }, (_, n) => `203.0.113.${n}`);
	const { id: second } = (await post("/trunks", { name: "acl", capacity: 1, auth: { mode: "ip_acl", allowed_cidrs } }))
		.body;
	await editJson(
		`/trunks/${second}`,
		`/trunks/${second}`,
		"auth",
		({ mode, allowed_cidrs: fields }: { mode: string; allowed_cidrs: string[] }) => ({
			mode,
			allowed_cidrs: ["198.51.100.1", ...fields],
		}),
	);
	expect(state().trunks[1]?.auth).toEqual({ mode: "ip_acl", allowed_cidrs: ["198.51.100.1", ...allowed_cidrs] });
});
