import { describe, expect, test } from "vitest";
import { operations } from "../../../provider/api/contract";
import { digest, statusOf, useVirtualEmulator } from "../fixture";

const { emulator, call, buy, trunk, hook, document, profile, port } = useVirtualEmulator();

const root = () => emulator.url.replace(/\/v1$/, "/_console");
const page = async (path: string) => (await fetch(root() + path)).text();

/** A form as a browser without JavaScript sends it. */
const submit = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
	fetch(root() + path, { method: "POST", body: new URLSearchParams(fields), headers, redirect: "manual" });

describe("the console without JavaScript", () => {
	test("does what a form asks and leads back to the page it stood on", async () => {
		const { id } = await buy("DE");
		const referer = `${root()}/kyc?q=DE`;
		const answer = await submit(`/numbers/${id}/kyc`, { decision: "approve" }, { referer });
		expect(answer.status).toBe(303);
		expect(answer.headers.get("location")).toBe("/_console/kyc?q=DE&done=%2Fnumbers%2F%7Bid%7D%2Fkyc");
		expect(emulator.control.state().numbers).toMatchObject([{ id, status: "active" }]);
		expect(await page("/kyc?done=%2Fnumbers%2F%7Bid%7D%2Fkyc")).toContain("The KYC is decided.");
	});

	test("leads nobody elsewhere, whatever the referrer says", async () => {
		for (const referer of ["https://elsewhere.example/_console/kyc", `${root()}evil`, "javascript:alert(1)"]) {
			const answer = await submit("/clock", { advance: "1s" }, { referer });
			expect(answer.headers.get("location")).toBe("/_console?done=%2Fclock");
		}
	});

	test("shows a refusal of the control API, and changes nothing", async () => {
		const { id } = await trunk();
		const answer = await submit(`/trunks/${id}`, { capacity: "many", name: "office" });
		expect(answer.status).toBe(400);
		expect(await answer.text()).toMatch(/role="alert"[^>]*>The request is not valid: capacity:/);
		expect(emulator.control.state().trunks).toMatchObject([{ capacity: 30 }]);
		expect((await submit("/trunks/trk_0/delete", {})).status).toBe(404);
		expect((await submit("/clock", { advance: "soon" })).status).toBe(400);
		expect((await submit(`/trunks/${id}/json`, { json: "{" })).status).toBe(400);
	});

	test("changes what was touched and nothing else", async () => {
		const { id } = await trunk({ codecs: ["opus"], targets: [{ host: "sip.example.com" }] });
		const before = emulator.control.state().trunks[0];
		await submit(`/trunks/${id}`, { name: "office", capacity: "31", cps: "", label: "", username: digest.username });
		expect(emulator.control.state().trunks[0]).toMatchObject({ ...before, capacity: 31 });

		const number = await buy("US");
		const failover = { type: "forward", to: "+12025550143" };
		await call("PATCH", `/numbers/${number.id}`, {
			routing: { type: "trunk", trunk_id: id, ring_timeout_seconds: 20, failover },
		});
		const routed = emulator.control.state().numbers[0];
		await submit(`/numbers/${number.id}`, { route_type: "trunk", route_target: id, label: "desk", status: "active" });
		expect(emulator.control.state().numbers[0]).toMatchObject({ ...routed, label: "desk" });
		await submit(`/numbers/${number.id}`, { route_type: "trunk", route_target: "trk_1" });
		expect(emulator.control.state().numbers[0]?.routing).toEqual({ ...routed?.routing, trunk_id: "trk_1" });
	});

	test("changes anything else as JSON, of everything that has a page to change it", async () => {
		const paths = [
			...[`/numbers/${(await buy()).id}`, `/trunks/${(await trunk()).id}`, `/webhooks/${(await hook()).id}`],
			...[`/kyc/profiles/${(await profile()).id}`, `/port_orders/${(await port()).id}`],
		];
		for (const path of paths) {
			expect((await submit(`${path}/json`, { json: '{"reference": "from outside"}' })).status).toBe(303);
			expect((await call("GET", path)).body.reference).toBe("from outside");
			for (const json of ["null", "[]", '{"colour": "red"}']) {
				expect((await submit(`${path}/json`, { json })).status).toBe(400);
			}
		}
	});

	test("moves a port order on as the carriers would, with its documents, and shows what can be decided now", async () => {
		const { id: letter } = await document({ kind: "letter_of_authorization", filename: "loa.pdf" });
		const { id } = await port({ document_ids: [letter] });
		const at = `/port_orders/${id}`;
		const labels = async () => [...(await page(at)).matchAll(/name="decision" value="(\w+)"/g)].map(([, word]) => word);
		expect(await page(at)).toContain("loa.pdf");
		expect(await labels()).toEqual(["cancel"]);
		await call("POST", `${at}/submit`);
		expect(await labels()).toEqual(["advance", "complete", "cancel", "reject"]);
		await submit(at, { decision: "reject", code: "pin_invalid", message: "The PIN is another one." });
		expect(await page(at)).toContain("The PIN is another one.");
		await call("POST", `${at}/submit`);
		await submit(at, { decision: "complete" });
		expect(await labels()).toEqual([]);
		expect(await page("/ledger")).toContain("+31201234567");
		expect(emulator.control.state().portOrders).toMatchObject([{ status: "completed" }]);
	});

	test("shows a profile with its documents and numbers, never the number of its document, and deletes it", async () => {
		const { id: register } = await document({ kind: "company_register", filename: "register.pdf" });
		const { id, name } = await profile({ id_number: "HRB-4711", document_ids: [register] });
		const { id: german, number } = await buy("DE");
		await call("PATCH", `/numbers/${german}`, { kyc_profile_id: id });
		const shown = await page(`/kyc/${id}`);
		for (const part of [String(name), "register.pdf", String(number), "Unter den Linden 1"])
			expect(shown).toContain(part);
		expect(shown + (await page("/kyc"))).not.toContain("HRB-4711");
		expect(await page(`/numbers/${german}`)).toContain(`/_console/kyc/${id}`);
		const { headers } = await submit(`/kyc/profiles/${id}/delete`, {});
		expect(headers.get("location")).toContain("/_console/kyc?");
		expect(emulator.control.state().kycProfiles).toEqual([]);
	});

	test.each(["/nowhere", "/numbers/num_0", "/numbers/%zz"])("answers an unknown page with 404: %s", async (path) => {
		expect((await fetch(root() + path)).status).toBe(404);
	});
});

const everyPage = () => {
	const { numbers, trunks, webhooks, deliveries, kycProfiles, portOrders } = emulator.control.state();
	const items = [
		...kycProfiles.map(({ id }) => `/kyc/${id}`),
		...portOrders.map(({ id }) => `/port_orders/${id}`),
		...numbers.map(({ id }) => `/numbers/${id}`),
		...trunks.map(({ id }) => `/trunks/${id}`),
		...webhooks.map(({ id }) => `/webhooks/${id}`),
		...deliveries.map(({ id }) => `/deliveries/${id}`),
	];
	return [
		"",
		"/numbers",
		"/kyc",
		"/trunks",
		"/webhooks",
		"/deliveries",
		"/port_orders",
		"/calls",
		"/messages",
		"/requests",
		"/ledger",
		"/faults",
		"/settings",
		...items,
	];
};

/** Everything that comes from outside, as hostile as it may be. */
const fill = async (evil: string) => {
	const { id } = await buy("DE");
	const edited = await buy("US", "mobile", { "Idempotency-Key": evil.replaceAll(/\s/g, " ") });
	emulator.control.decide(id, "reject", [{ code: evil, message: evil }]);
	emulator.control.patchNumber(edited.id, {
		...{ label: evil, reference: evil, metadata: { [evil]: evil }, capabilities: ["sms", "voice", evil] },
		routing: { type: evil, to: evil, failover: { type: evil, uri: evil } },
	});
	emulator.control.receiveMessage({ to: String(edited.number), from: "Example", text: evil });
	emulator.control.receiveCall({ to: String(edited.number), from: "+12025550143" });
	const made = await trunk({ name: evil, label: evil, metadata: { key: evil } });
	emulator.control.patchTrunk(made.id, { status: evil });
	await hook({ url: `https://a.example/?${evil.replace(/[\s#]/g, "")}`, description: evil, events: ["*"] });
	const { id: file } = await document({ filename: evil });
	const named = await profile({
		...{ name: evil, reference: evil, document_ids: [file] },
		address: { street: evil, city: evil, postal_code: "1", country: "DE" },
	});
	emulator.control.decideProfile(String(named.id), "reject", [{ code: evil, message: evil }]);
	const order = await port({
		...{ carrier: { name: evil }, subscriber: { name: evil, address: evil }, reference: evil, document_ids: [file] },
	});
	emulator.control.patchPortOrder(String(order.id), { status: evil, exceptions: [{ code: evil, message: evil }] });
	emulator.control.decide(id, "approve");
	await emulator.control.settled();
	emulator.control.patchNumber(id, { status: evil, label: evil });
	emulator.control.faults.set({ operation: "listTrunks", status: 400, error: evil, message: evil, retryAfter: 1 });
	emulator.control.faults.set({ operation: "buyNumber", probability: 1e-9, seed: evil, message: evil });
	await call("GET", "/trunks");
	await call("GET", `/numbers?reference=${encodeURIComponent(evil)}&${evil.replaceAll(/\s/g, "+")}`);
};

describe("what comes from outside", () => {
	const evil = `"><script>alert(1)</script>' onfocus='x`;

	test("is shown on every page, and is no markup and no attribute there", async () => {
		await fill(evil);
		const shown = new Set<string>();
		for (const path of [...everyPage(), `/messages?q=${encodeURIComponent(evil)}`]) {
			const text = await page(path);
			expect(text, path).not.toMatch(/<script>|"><script|' onfocus/);
			expect(text, path).not.toMatch(/(href|src|action)="(?!\/_console|#)/);
			if (text.includes("&lt;script&gt;")) shown.add(path.split("/")[1] ?? "");
		}
		const sections = ["numbers", "kyc", "trunks", "webhooks", "messages", "requests", "ledger", "faults", "deliveries"];
		expect([...shown]).toEqual(expect.arrayContaining(sections));
	});

	test("is no line of its own in what a page is told as it happens", async () => {
		await fill("a\r\revent: page\r\rdata: b\n\nc");
		for (const at of ["/_console/messages", "http://[", "%zz"]) {
			const reader = (await fetch(`${root()}/live?at=${encodeURIComponent(at)}`)).body?.getReader();
			const text = Buffer.from((await reader?.read())?.value ?? []).toString();
			await reader?.cancel();
			expect(text.trimEnd().split(/\r\n|\r|\n/)).toEqual([
				"event: page",
				...Array(text.trimEnd().split("\n").length - 1).fill(expect.stringMatching(/^data: /)),
			]);
		}
	});
});

describe("what the console keeps to itself", () => {
	test("is every secret: API key, passwords, webhook secrets, old ones too", async () => {
		const password = "a-password-of-a-trunk";
		await trunk({ auth: { ...digest, password } });
		const generated = (await trunk()) as unknown as { auth: { password: string } };
		const { id, secret } = await hook();
		const { body: rotated } = await call("POST", `/webhooks/${id}/rotate_secret`, {});
		const secrets = [emulator.apiKey, password, generated.auth.password, secret, rotated.secret].map(String);
		for (const path of everyPage()) {
			const text = await page(path);
			expect(secrets.filter((each) => text.includes(each))).toEqual([]);
		}
	});

	const sent = (path: string, headers: Record<string, string>, method?: string) =>
		statusOf(root() + path, headers, method);

	test.each(["", "/numbers", "/live", "/console.js"])(
		"is %j, for a foreign host and for pages of other origins",
		async (path) => {
			const { host } = new URL(root());
			expect(await sent(path, { host })).toBe(200);
			expect(await sent(path, { host: "emulator.example" })).toBe(403);
			expect(await sent(path, { host, origin: "https://elsewhere.example" })).toBe(403);
		},
	);

	test("is every button, for a form on a page of another origin", async () => {
		const { host } = new URL(root());
		for (const origin of ["https://elsewhere.example", "http://127.0.0.1:1", "null"]) {
			expect(await sent("/reset", { host, origin, "content-type": "application/x-www-form-urlencoded" }, "POST")).toBe(
				403,
			);
		}
	});

	test("is everything, from scripts and frames of elsewhere", async () => {
		const { headers } = await fetch(root());
		const policy = headers.get("content-security-policy") ?? "";
		expect(policy).toMatch(/^default-src 'none';/);
		expect(policy).toContain("frame-ancestors 'none'");
		expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
		for (const path of everyPage())
			expect(await page(path)).not.toMatch(/\sstyle=|\son\w+=|https?:\/\/(?!127\.0\.0\.1|[\w.]*example)/);
	});
});

describe("the console at any size", () => {
	test("shows 1,000 numbers by the page, and finds one among them", async () => {
		for (let count = 0; count < 1_000; count += 50) {
			await Promise.all(Array.from({ length: 50 }, (_, index) => buy(index % 2 ? "US" : "DE")));
		}
		const wanted = emulator.control.state().numbers[123];
		const list = await page("/numbers?page=20");
		expect(list).toContain("951–1000 of 1000");
		expect(list.match(/<tr id="num_/g)).toHaveLength(50);
		expect(list.length).toBeLessThan(100_000);
		const found = await page(`/numbers?q=${encodeURIComponent(`${wanted?.number} ${wanted?.country}`)}`);
		expect(found.match(/<tr id="[^"]*/g)).toEqual([`<tr id="${wanted?.id}`]);
		expect(await page("/numbers?page=999")).toContain("951–1000 of 1000");
	});

	test("offers a fault for each operation of the contract", async () => {
		const text = await page("/faults");
		for (const name of Object.keys(operations)) expect(text).toContain(`<option value="${name}">`);
	});
});
