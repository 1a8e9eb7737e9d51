import { expect, test } from "vitest";
import { describeInBrowser, patient, press, row, said, useConsole } from "../../helpers/console";

describeInBrowser("each button of the console, in Chromium,", () => {
	const { emulator, call, buy, trunk, hook, visit } = useConsole();
	const state = () => emulator.control.state();

	test("approves, rejects with a reason, and lets KYC run out", async () => {
		const numbers = [await buy("DE"), await buy("FR"), await buy("ES")];
		const [first, second, third] = numbers.map(({ number }) => String(number));
		await visit("/kyc", async (page) => {
			await press(page, `Approve ${first}`);
			await row(page, String(first)).waitFor({ state: "detached" });
			await page.getByText(`Reject… ${second}`).click();
			await row(page, String(second)).getByLabel("Reason").fill("name_mismatch");
			await row(page, String(second)).getByLabel("in words").fill("The name is another one.");
			await press(page, `Reject ${second}`);
			await row(page, "name_mismatch: The name is another one.").waitFor();
			await press(page, `Expire ${third}`);
			await row(page, String(third)).waitFor({ state: "detached" });
			await said(page, "The KYC is decided.");
			await page.getByLabel("Policy").fill("2h");
			await press(page, "Set the policy");
			await said(page, "The policy is set");
		});
		expect(state().numbers).toMatchObject([
			{ status: "active", kyc: { status: "approved" } },
			{
				status: "pending",
				kyc: { status: "rejected", reasons: [{ code: "name_mismatch", message: "The name is another one." }] },
			},
			{ status: "failed", kyc: { status: "expired" } },
		]);
		expect(state().kyc.policy).toBe("2h");
	});

	test("turns the clock, and what falls due happens", async () => {
		emulator.control.kyc("2h");
		const { number } = await buy("DE");
		await visit("/numbers", async (page) => {
			await row(page, String(number)).getByText("pending").waitFor();
			await press(page, "+1h on the clock");
			await page.getByRole("region", { name: "Clock" }).getByText("2026-01-01 01:00").waitFor();
			expect(state().numbers).toMatchObject([{ status: "pending" }]);
			await page.getByLabel("Advance by").fill("90m");
			await press(page, "Advance");
			await row(page, String(number)).getByText("active").waitFor();
			await press(page, "Let it run by the real time");
			await page.getByText("running").waitFor();
			expect(emulator.control.clock().mode).toBe("real");
			await press(page, "Freeze the clock");
			await page.getByText("frozen").waitFor();
			expect(emulator.control.clock().mode).toBe("virtual");
		});
	});

	test("changes a number behind Pulumi's back, and releases it", async () => {
		const { id, number } = await buy("US");
		const { id: trunkId } = await trunk();
		await visit(`/numbers/${id}`, async (page) => {
			await page.getByLabel("Routing").selectOption("trunk");
			await page.getByRole("combobox", { name: "Trunk", exact: true }).selectOption({ label: "office" });
			expect(await page.getByLabel("leads to").isVisible()).toBe(false);
			await page.getByLabel("Label").fill("dashboard");
			await page.getByLabel("Release protection").check();
			await press(page, "Save the change");
			await said(page, "The number is changed.");
			expect(state().numbers).toMatchObject([
				{ routing: { type: "trunk", trunk_id: trunkId }, label: "dashboard", release_protection: true },
			]);
			await page.getByText("Any other change, as JSON").click();
			await page.getByLabel("PATCH").fill('{"metadata": {"team": "sales"}}');
			await press(page, "Send the JSON");
			await page.getByText("team=sales").waitFor();
			await press(page, `Release ${number}`);
			await page.getByRole("region", { name: "Ledger", exact: true }).getByText("release").waitFor();
		});
		expect(state().numbers).toMatchObject([{ status: "released", metadata: { team: "sales" } }]);
	});

	test("buys a number as a program does: by the API, with its ledger, events and KYC", async () => {
		await visit("/numbers", async (page) => {
			await page.getByText("Buy a number…").click();
			await page.getByLabel("Country").fill("de");
			await page.getByLabel("Type").selectOption("geographic");
			await page.getByLabel("Area").fill("30");
			await press(page, "Buy");
			await page.waitForURL("**/numbers/num_*");
			await page.getByText("action required").waitFor();
			emulator.control.faults.set({ operation: "buyNumber", kind: "status", status: 429, message: "Not now." });
			await page.goto(new URL("/_console/numbers", emulator.url).href);
			await page.getByText("Buy a number…").click();
			await page.getByLabel("Country").fill("US");
			await press(page, "Buy");
			await page.getByRole("alert").getByText("Not now.").waitFor();
		});
		expect(state().numbers).toMatchObject([{ country: "DE", area: "30", type: "geographic", status: "pending" }]);
		const id = state().numbers[0]?.id;
		expect(emulator.control.requests()).toMatchObject([
			{ method: "POST", path: "/v1/numbers", status: 201 },
			{ method: "POST", path: "/v1/numbers", status: 429 },
		]);
		expect(emulator.control.ledger()).toMatchObject([
			{ kind: "purchase", number_id: id, request_id: emulator.control.requests()[0]?.request_id },
		]);
	});

	test("makes a KYC profile, hands it in, and completes it after a rejection", async () => {
		const { id, number } = await buy("DE");
		await visit("/kyc", async (page) => {
			await page.getByLabel("Name").fill("Example GmbH");
			await page.getByLabel("Country").fill("de");
			await page.getByLabel("Street").fill("Unter den Linden 1");
			await page.getByLabel("City").fill("Berlin");
			await page.getByLabel("Postal code").fill("10117");
			await page.getByLabel("Number of the document").last().fill("HRB 1");
			await page.getByRole("checkbox", { name: "proof of address" }).last().check();
			await press(page, "Make the profile");
			await page.getByRole("alert").getByText("company_register is missing").waitFor();
			const [profile] = state().kycProfiles;
			expect(profile).toMatchObject({
				status: "draft",
				country: "DE",
				id_number: "HRB 1",
				document_ids: [expect.any(String)],
			});
			await call("PATCH", `/numbers/${id}`, { kyc_profile_id: profile?.id });
			await page.getByText("Hand in… Example GmbH").click();
			await row(page, "business").getByRole("checkbox", { name: "company register" }).check();
			await press(page, "Hand in Example GmbH");
			await row(page, "business").getByText("in review").waitFor();
			await page.getByText("Reject… Example GmbH").click();
			await row(page, "business").getByLabel("Reason").fill("blurred");
			await press(page, "Reject Example GmbH");
			await row(page, "business").getByText("blurred").waitFor();
			await page.getByText("Hand in… Example GmbH").click();
			await row(page, "business").getByRole("checkbox", { name: "company register" }).check();
			await press(page, "Hand in Example GmbH");
			await press(page, "Approve Example GmbH");
			await row(page, String(number)).waitFor({ state: "detached" });
		});
		expect(state().numbers).toMatchObject([{ status: "active" }]);
		expect(state().kycDocuments.map(({ kind }) => kind)).toEqual([
			"proof_of_address",
			"company_register",
			"company_register",
		]);
	});

	test("shows what was sent and answered, without what is secret", async () => {
		const { body } = await call("POST", "/trunks", {
			name: "office",
			auth: { mode: "digest", username: "desk", password: "correct horse battery" },
			capacity: 3,
			metadata: { team: "sales", api_token: "tok-in-metadata" },
		});
		await call("POST", "/trunks", { name: "typo", passwrod: "misspelt-secret", capacity: 0 });
		expect(body.auth).toBeDefined();
		await visit("/requests", async (page) => {
			await page.getByRole("table").getByRole("link").last().click();
			await page.getByRole("heading", { level: 1, name: "POST /v1/trunks" }).waitFor();
			const [sent, answered] = await page.locator("pre").allInnerTexts();
			expect(JSON.parse(sent ?? "")).toEqual({
				name: "office",
				auth: { mode: "digest", username: "desk", password: "(hidden)" },
				capacity: 3,
				metadata: { team: "sales", api_token: "(hidden)" },
			});
			expect(JSON.parse(answered ?? "")).toMatchObject({ id: body.id, name: "office", capacity: 3 });
			await page.goBack();
			await page.getByRole("table").getByRole("link").first().click();
			await page.getByText("validation_failed").first().waitFor();
			expect(await page.locator("pre").first().textContent()).toContain('"passwrod": "(hidden)"');
			expect(await page.content()).not.toMatch(/misspelt-secret|correct horse|tok-in-metadata/);
		});
	});

	test("changes a trunk and a webhook behind Pulumi's back, rotates and deletes", async () => {
		const { id } = await trunk();
		const { id: hookId, secret } = await hook();
		await visit(`/trunks/${id}`, async (page) => {
			await page.getByLabel("Capacity").fill("5");
			await page.getByLabel("New password").fill("set-in-the-dashboard");
			await page.getByLabel("Enabled").uncheck();
			await press(page, "Save the change");
			await said(page, "The trunk is changed.");
			expect(state().trunks).toMatchObject([
				{ capacity: 5, enabled: false, auth: { password: "set-in-the-dashboard" } },
			]);
			expect(await page.getByLabel("New password").inputValue()).toBe("");
			await press(page, "Delete office");
			await page.getByRole("heading", { level: 1, name: "Trunks" }).waitFor();
			expect(state().trunks).toEqual([]);
		});
		await visit(`/webhooks/${hookId}`, async (page) => {
			await page.getByLabel("Events").fill("message.received, call.completed");
			await page.getByLabel("Enabled").uncheck();
			await press(page, "Save the change");
			await said(page, "The webhook is changed.");
			await press(page, "Rotate the secret");
			await page.getByText("version 2").waitFor();
			expect(state().webhooks).toMatchObject([
				{ events: ["message.received", "call.completed"], enabled: false, status: "disabled", previous_secret: secret },
			]);
			await press(page, "Delete https://a.example/t");
			await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
		});
		expect(state().webhooks).toEqual([]);
	});

	test("sets faults, shows what they did, and removes them", async () => {
		await visit("/faults", async (page) => {
			await page.getByLabel("Operation").selectOption("listNumbers");
			await page.getByLabel("When").selectOption("nth");
			await page.getByLabel("n, or chance").fill("2");
			await page.getByLabel("HTTP status").fill("429");
			await page.getByLabel("Retry-After").fill("7");
			await press(page, "Set the fault");
			await row(page, "listNumbers").getByText("number 2").waitFor();
			expect(emulator.control.faults.list()).toMatchObject([
				{ operation: "listNumbers", kind: "status", phase: "before", nth: 2, status: 429, retryAfter: 7 },
			]);
			expect((await call("GET", "/numbers")).status).toBe(200);
			const refused = await call("GET", "/numbers");
			expect(refused.status).toBe(429);
			expect(refused.headers.get("retry-after")).toBe("7");
			await expect.poll(() => row(page, "listNumbers").getByRole("cell").allInnerTexts(), patient).toContain("1");
			await press(page, `Remove ${emulator.control.faults.list()[0]?.id}`);
			await page.getByText("Nothing is set to go wrong.").waitFor();

			const { id } = emulator.control.faults.set({ operation: "listTrunks", kind: "hold", every: true });
			const held = call("GET", "/trunks");
			await press(page, `Let go ${id}`);
			expect((await held).status).toBe(200);
			await press(page, "Remove all faults");
			await page.getByText("Nothing is set to go wrong.").waitFor();
		});
		expect(emulator.control.faults.list()).toEqual([]);
	});

	test("switches behaviour and features, and starts again", async () => {
		await buy("US");
		await visit("/settings", async (page) => {
			await page.getByLabel("Page size").fill("7");
			await page.getByLabel("Shuffle arrays").check();
			await page.getByLabel("CIDR").selectOption("strip32");
			await page.getByLabel("Page chaos").fill("short, empty");
			await press(page, "Save the behaviour");
			await said(page, "The behaviour is saved.");
			await page.getByLabel("Release", { exact: true }).uncheck();
			await press(page, "Save the offer");
			await said(page, "The offer is saved.");
			expect(emulator.control.settings()).toMatchObject({
				pageSize: 7,
				shuffleArrays: true,
				cidr: "strip32",
				pageChaos: ["short", "empty"],
				capacityMax: null,
				features: { release: false, trunks: true },
			});
			await press(page, "Reset the emulator");
			await said(page, "The emulator is as new.");
		});
		expect(state()).toMatchObject({ numbers: [], settings: { pageSize: null, shuffleArrays: false } });
	});

	test("shows at once what happens elsewhere, and keeps the focus and a form that is being filled in", async () => {
		const { id } = await buy("US");
		await visit(`/numbers/${id}`, async (page) => {
			const label = page.getByLabel("Label");
			await label.pressSequentially("half a wo");
			await call("PATCH", `/numbers/${id}`, { metadata: { team: "sales" } });
			await page.getByText("team=sales").waitFor();
			await page.keyboard.type("rd");
			expect(await label.inputValue()).toBe("half a word");
			await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Requests 2" }).waitFor();
		});
		await visit("/requests", async (page) => {
			const { body } = await call("POST", "/numbers", { country: "ZZ", type: "mobile" });
			const cells = row(page, String(body.request_id)).getByRole("cell");
			await cells.first().waitFor();
			expect(await cells.allInnerTexts()).toMatchObject([
				"400",
				expect.stringMatching(/POST\s+\/v1\/numbers/),
				expect.stringMatching(/^unsupported_market\n/),
				body.request_id,
				expect.any(String),
			]);
		});
	});
});
