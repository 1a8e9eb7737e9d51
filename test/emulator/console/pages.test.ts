/** The console without a browser: its pages as HTML, and its forms as a browser without JavaScript sends them. */
import { describe, expect, test } from "vitest";
import { sectionPath } from "../../../emulator/console/facts";
import { type KindName, kinds, operations } from "../../../provider/api/contract";
import { eventually } from "../../helpers/eventually";
import { digest, sendRaw, useVirtualEmulator } from "../fixture";

const { emulator, call, post, patch, read, buy, trunk, hook, document, profile, port, state } = useVirtualEmulator();

const root = () => emulator.url.replace(/\/v1$/, "/_console");
const page = async (path: string) => (await fetch(root() + path)).text();
const submit = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
	fetch(root() + path, { method: "POST", body: new URLSearchParams(fields), headers, redirect: "manual" });

describe("a form", () => {
	test("redirects to its own page only", async () => {
		const { id } = await buy("DE");
		const approve = { decision: "approve" };
		const response = await submit(`/numbers/${id}/kyc`, approve, { referer: `${root()}/kyc?q=DE` });
		expect(response.status).toBe(303);
		expect(response.headers.get("location")).toBe("/_console/kyc?q=DE&done=%2Fnumbers%2F%7Bid%7D%2Fkyc");
		expect(state().numbers).toMatchObject([{ id, status: "active" }]);
		expect(await page("/kyc?done=%2Fnumbers%2F%7Bid%7D%2Fkyc")).toContain('role="status"');
		for (const referer of ["https://elsewhere.example/_console/kyc", `${root()}evil`, "javascript:alert(1)"]) {
			const { headers } = await submit("/clock", { advance: "1s" }, { referer });
			expect(headers.get("location")).toBe("/_console?done=%2Fclock");
		}
	});

	test("shows a refusal, and changes nothing", async () => {
		const { id } = await trunk();
		const response = await submit(`/trunks/${id}/edit`, { capacity: "many", name: "office" });
		expect(response.status).toBe(400);
		expect(await response.text()).toMatch(/role="alert"[^>]*>[^<]*capacity:/);
		expect(state().trunks).toMatchObject([{ capacity: 30 }]);
		expect((await submit("/trunks/trk_0/delete", {})).status).toBe(404);
		expect((await submit("/clock", { advance: "soon" })).status).toBe(400);
		for (const origin of ["https://elsewhere.example", "null"])
			expect(await sendRaw(`${root()}/reset`, { origin }, "POST")).toMatchObject({ status: 403 });
		for (const path of ["/nowhere", "/numbers/num_0", "/numbers/%zz"])
			expect((await fetch(root() + path)).status).toBe(404);
	});

	test("changes only what was edited", async () => {
		const { id } = await trunk({ codecs: ["opus"], targets: [{ host: "sip.example.com" }] });
		const [before] = state().trunks;
		await submit(`/trunks/${id}/edit`, {
			name: "office",
			capacity: "31",
			cps: "",
			label: "",
			auth: JSON.stringify(digest),
		});
		expect(state().trunks).toMatchObject([{ ...before, capacity: 31 }]);
		const number = `/numbers/${(await buy("US")).id}`;
		const routing = { type: "trunk", trunk_id: id, ring_timeout_seconds: 20 };
		await patch(number, { routing });
		const [routed] = state().numbers;
		await submit(`${number}/edit`, { routing: JSON.stringify(routing), label: "desk", status: "active" });
		expect(state().numbers).toMatchObject([{ ...routed, label: "desk" }]);
	});

	test("edits each kind of object, and shows no id number", async () => {
		const { id: register } = await document({ kind: "company_register", filename: "register.pdf" });
		const holder = await profile({ id_number: "HRB-4711", document_ids: [register] });
		const html = await page(`/kyc_profiles/${holder.id}`);
		for (const part of [holder.name, "register.pdf", "Unter den Linden 1"]) expect(html).toContain(part);
		expect(html + (await page("/kyc_profiles"))).not.toContain("HRB-4711");
		const paths = [
			...[`/numbers/${(await buy()).id}`, `/trunks/${(await trunk()).id}`, `/webhooks/${(await hook()).id}`],
			...[`/kyc/profiles/${holder.id}`, `/port_orders/${(await port()).id}`],
		];
		for (const path of paths) {
			expect((await submit(`${path}/edit`, { reference: "from outside" })).status).toBe(303);
			expect(await read(path)).toMatchObject({ reference: "from outside" });
			for (const wrong of [{ targets: "{" }, { colour: "red" }])
				expect((await submit(`${path}/edit`, wrong)).status).toBe(400);
		}
		const { headers } = await submit(`/kyc/profiles/${holder.id}/delete`, {});
		expect(headers.get("location")).toContain("/_console/kyc_profiles?");
		expect(state().kycProfiles).toEqual([]);
	});

	test("buys a number, and offers each operation of the control API", async () => {
		const bought = await submit("/buy", { country: "US", type: "mobile", area: "" });
		expect(bought.headers.get("location")).toContain("/_console/numbers/num_");
		const { id = "", number } = state().numbers[0] ?? {};
		await patch(`/numbers/${id}`, { routing: { type: "forward", to: "+12025550199" } });
		const { id: office } = await trunk();
		const { id: hookId, secret: previous_secret } = await hook({ events: ["message.received"] });
		const inbound = { to: String(number), from: "+12025550143" };
		await submit("/calls", inbound);
		await submit("/messages", { ...inbound, text: "Is anybody there?" });
		expect(state()).toMatchObject({ calls: [{ status: "ringing" }], messages: [{ text: "Is anybody there?" }] });
		const [{ id: delivery = "" } = {}] = state().deliveries;
		await submit(`/deliveries/${delivery}/resend`, {});
		expect(state().deliveries).toMatchObject([{ id: delivery }, { resend_of: delivery }]);
		expect(await page(`/deliveries/${delivery}`)).toContain("Is anybody there?");
		await submit(`/webhooks/${hookId}/edit`, { events: "message.received, call.completed", enabled: "false" });
		await submit(`/webhooks/${hookId}/rotate`, {});
		const events = ["message.received", "call.completed"];
		expect(state().webhooks).toMatchObject([{ events, enabled: false, previous_secret }]);
		await submit(`/trunks/${office}/edit`, { auth: JSON.stringify({ ...digest, password: "set-in-the-dashboard" }) });
		expect(state().trunks).toMatchObject([{ auth: { password: "set-in-the-dashboard" } }]);
		await submit("/faults", {
			operation: "listNumbers",
			kind: "status",
			when: "nth",
			count: "2",
			status: "429",
			retryAfter: "7",
		});
		await submit("/faults", { operation: "listTrunks", kind: "hold", when: "every" });
		const [rule, hold] = emulator.control.faults.list();
		expect(rule).toMatchObject({ operation: "listNumbers", kind: "status", nth: 2, status: 429, retryAfter: 7 });
		expect(await page("/faults")).toContain("listTrunks");
		const held = call("GET", "/trunks");
		await eventually(() => expect(emulator.control.faults.list()).toMatchObject([{}, { held: 1 }]));
		await submit(`/faults/${hold?.id}/release`, {});
		expect((await held).status).toBe(200);
		for (const path of [`/faults/${rule?.id}/delete`, "/faults/delete"]) await submit(path, {});
		expect(emulator.control.faults.list()).toEqual([]);
		await submit("/settings", {
			pageSize: "7",
			capacityMax: "",
			shuffleArrays: "true",
			cidr: "strip32",
			pageChaos: "short, empty",
		});
		await submit("/settings/features", { release: "false", trunks: "true" });
		expect(emulator.control.settings()).toMatchObject({
			...{ pageSize: 7, shuffleArrays: true, cidr: "strip32", pageChaos: ["short", "empty"], capacityMax: null },
			features: { release: false, trunks: true },
		});
		await submit("/kyc", { policy: "2h" });
		await submit(`/numbers/${(await buy("ES")).id}/kyc`, { decision: "reject", code: "blurred", message: "Sharper." });
		const kyc = { status: "rejected", reasons: [{ code: "blurred", message: "Sharper." }] };
		expect(state()).toMatchObject({ kyc: { policy: "2h" }, numbers: [{}, { kyc }] });
		const { id: order } = await port();
		await post(`/port_orders/${order}/submit`);
		const decisions = [...(await page(`/port_orders/${order}`)).matchAll(/name="decision" value="(\w+)"/g)];
		expect(decisions.map(([, word]) => word)).toEqual(["advance", "complete", "cancel", "reject"]);
		await submit(`/port_orders/${order}`, { decision: "reject", code: "pin_invalid", message: "Another PIN." });
		expect(await page(`/port_orders/${order}`)).toContain("Another PIN.");
		for (const path of [`/webhooks/${hookId}`, `/trunks/${office}`]) await submit(`${path}/delete`, {});
		expect(state()).toMatchObject({ trunks: [], webhooks: [] });
		await submit("/reset", {});
		expect(state()).toMatchObject({ numbers: [], settings: { pageSize: null } });
	});
});

const everyPage = () => {
	const rows = Object.keys(kinds).map((name) => [sectionPath(name as KindName), state()[name as KindName]] as const);
	const items = rows.flatMap(([section, objects]) => objects.map(({ id }) => `/${section}/${id}`));
	const others = ["kyc", "usage", "requests", "ledger", "faults", "settings", ...rows.map(([section]) => section)];
	return ["", ...others.map((name) => `/${name}`), ...items];
};

/** Stores a text wherever one can come from outside. */
const fill = async (evil: string) => {
	const { control } = emulator;
	const address = { street: evil, city: evil, postal_code: "1", country: "DE" };
	const notes = [{ code: evil, message: evil }];
	const { id } = await buy("DE");
	const edited = await buy("US", "mobile", { "Idempotency-Key": evil.replaceAll(/\s/g, " ") });
	control.decide(id, "reject", notes);
	control.patchNumber(edited.id, {
		...{ label: evil, reference: evil, metadata: { [evil]: evil }, capabilities: ["sms", "voice", evil] },
		routing: { type: evil, to: evil, failover: { type: evil, uri: evil } },
	});
	const inbound = { to: String(edited.number), from: "+12025550143" };
	control.receiveMessage({ ...inbound, text: evil });
	control.receiveCall(inbound);
	const office = await trunk({ name: evil, label: evil, metadata: { key: evil } });
	control.patchTrunk(office.id, { status: evil });
	await hook({ url: `https://a.example/?${evil.replace(/[\s#]/g, "")}`, description: evil, events: ["*"] });
	const document_ids = [(await document({ filename: evil })).id];
	const holder = await profile({ name: evil, reference: evil, document_ids, address });
	control.decideProfile(holder.id, "reject", notes);
	const order = await port({ carrier: { name: evil }, subscriber: { name: evil, address: evil }, document_ids });
	control.patchPortOrder(order.id, { status: evil, exceptions: notes });
	control.decide(id, "approve");
	await control.settled();
	control.patchNumber(id, { status: evil, label: evil });
	control.faults.set({ operation: "listTrunks", status: 400, error: evil, message: evil, retryAfter: 1 });
	await call("GET", "/trunks");
	await call("GET", `/numbers?reference=${encodeURIComponent(evil)}&${evil.replaceAll(/\s/g, "+")}`);
};

describe("a page", () => {
	const evil = `"><script>alert(1)</script>' onfocus='x`;

	test("escapes all text from requests", async () => {
		await fill(evil);
		const linked = new Set<string>();
		for (const path of [...everyPage(), `/messages?q=${encodeURIComponent(evil)}`]) {
			const text = await page(path);
			expect(text, path).not.toMatch(/<script>|"><script|' onfocus/);
			expect(text, path).not.toMatch(/(href|src|action)="(?!\/_console|#)/);
			if (text.includes("&lt;script&gt;")) linked.add(path.split("/")[1] ?? "");
		}
		const sections = [
			"numbers",
			"kyc_profiles",
			"trunks",
			"webhooks",
			"messages",
			"requests",
			"ledger",
			"faults",
			"deliveries",
		];
		expect([...linked]).toEqual(expect.arrayContaining(sections));
	});

	test("arrives as one event, even with several lines", async () => {
		await fill("a\r\revent: page\r\rdata: b\n\nc");
		for (const at of ["/_console/messages", "http://[", "%zz"]) {
			const reader = (await fetch(`${root()}/live?at=${encodeURIComponent(at)}`)).body?.getReader();
			const text = Buffer.from((await reader?.read())?.value ?? [])
				.toString()
				.trimEnd();
			await reader?.cancel();
			const [first, ...lines] = text.split(/\r\n|\r|\n/);
			expect(first).toBe("event: page");
			expect(lines.filter((line) => !line.startsWith("data: "))).toEqual([]);
		}
	});

	test("shows no secret: keys, passwords, webhook secrets", async () => {
		const password = "a-password-of-a-trunk";
		await trunk({ auth: { ...digest, password } });
		await trunk();
		const { id, secret } = await hook();
		await post(`/webhooks/${id}/rotate_secret`, {});
		const passwords = state().trunks.flatMap(({ auth }) => ("password" in auth ? [auth.password] : []));
		const secrets = [emulator.apiKey, password, ...passwords, secret, state().webhooks[0]?.secret].map(String);
		for (const path of everyPage()) {
			const text = await page(path);
			expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
			expect(text).not.toMatch(/\sstyle=|\son\w+=|https?:\/\/(?!127\.0\.0\.1|[\w.]*example)/);
		}
		const policy = (await fetch(root())).headers.get("content-security-policy") ?? "";
		expect(policy).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
		expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
	});

	test("holds 50 of 1,000 numbers, and finds one of them", async () => {
		for (let count = 0; count < 1_000; count += 50)
			await Promise.all(Array.from({ length: 50 }, (_, index) => buy(index % 2 ? "US" : "DE")));
		const wanted = state().numbers[123];
		const last = await page("/numbers?page=20");
		expect(last).toContain("951–1000 of 1000");
		expect(last.match(/<tr id="num_/g)).toHaveLength(50);
		const results = await page(`/numbers?q=${encodeURIComponent(`${wanted?.number} ${wanted?.country}`)}`);
		expect(results.match(/<tr id="[^"]*/g)).toEqual([`<tr id="${wanted?.id}`]);
		expect(await page("/numbers?page=999")).toContain("951–1000 of 1000");
		const options = [...(await page("/faults")).matchAll(/<option value="(\w+)"/g)].map(([, name]) => name);
		expect(options).toEqual(expect.arrayContaining(Object.keys(operations)));
	});
});
