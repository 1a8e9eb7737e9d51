import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, patient, press, row, said, useConsole } from "../../helpers/console";

describeInBrowser("the console, in Chromium,", () => {
	const { emulator, call, post, patch, buy, trunk, hook, listen, receiver, settled, state, visit } = useConsole();
	const goTo = (page: Page, path: string) => page.goto(new URL(`/_console${path}`, emulator.url).href);

	test("decides on KYC", async () => {
		const numbers = [await buy("DE"), await buy("FR"), await buy("ES")];
		const [first = "", second = "", third = ""] = numbers.map(({ number }) => String(number));
		await visit("/kyc", async (page) => {
			await press(page, `Approve ${first}`);
			await row(page, first).waitFor({ state: "detached" });
			await page.getByText(`Reject… ${second}`).click();
			await row(page, second).getByLabel("Reason").fill("name_mismatch");
			await row(page, second).getByLabel("in words").fill("The name is another one.");
			await press(page, `Reject ${second}`);
			await row(page, "name_mismatch").waitFor();
			await press(page, `Expire ${third}`);
			await row(page, third).waitFor({ state: "detached" });
			await page.getByLabel("Policy").fill("2h");
			await press(page, "Set the policy");
			await expect.poll(() => state().kyc.policy, patient).toBe("2h");
		});
		const reasons = [{ code: "name_mismatch", message: "The name is another one." }];
		expect(state().numbers).toMatchObject([
			{ status: "active", kyc: { status: "approved" } },
			{ status: "pending", kyc: { status: "rejected", reasons } },
			{ status: "failed", kyc: { status: "expired" } },
		]);
	});

	test("turns the clock", async () => {
		emulator.control.kyc("2h");
		const { number } = await buy("DE");
		await visit("/numbers", async (page) => {
			await row(page, String(number)).getByText("pending").waitFor();
			await press(page, "+1h on the clock");
			await page.getByRole("region", { name: "Clock" }).getByText("2026-01-01 01:00").waitFor();
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

	test("edits and releases a number", async () => {
		const { id, number } = await buy("US");
		const { id: trunk_id } = await trunk();
		await visit(`/numbers/${id}`, async (page) => {
			await page.getByLabel("Routing").selectOption("trunk");
			await page.getByRole("combobox", { name: "Trunk", exact: true }).selectOption({ label: "office" });
			expect(await page.getByLabel("leads to").isVisible()).toBe(false);
			await page.getByLabel("Label").fill("dashboard");
			await page.getByLabel("Release protection").check();
			await press(page, "Save the change");
			await said(page, "The number is changed.");
			const edited = { routing: { type: "trunk", trunk_id }, label: "dashboard", release_protection: true };
			expect(state().numbers).toMatchObject([edited]);
			await page.getByText("Any other change, as JSON").click();
			await page.getByLabel("PATCH").fill('{"metadata": {"team": "sales"}}');
			await press(page, "Send the JSON");
			await page.getByText("team=sales").waitFor();
			await press(page, `Release ${number}`);
			await page.getByRole("region", { name: "Ledger", exact: true }).getByText("release").waitFor();
		});
		expect(state().numbers).toMatchObject([{ status: "released", metadata: { team: "sales" } }]);
	});

	test("buys a number through the API", async () => {
		await visit("/numbers", async (page) => {
			await page.getByText("Buy a number…").click();
			await page.getByLabel("Country").fill("de");
			await page.getByLabel("Type").selectOption("geographic");
			await page.getByLabel("Area").fill("30");
			await press(page, "Buy");
			await page.waitForURL("**/numbers/num_*");
			emulator.control.faults.set({ operation: "buyNumber", kind: "status", status: 429, message: "Not now." });
			await goTo(page, "/numbers");
			await page.getByText("Buy a number…").click();
			await page.getByLabel("Country").fill("US");
			await press(page, "Buy");
			await page.getByRole("alert").getByText("Not now.").waitFor();
		});
		expect(state().numbers).toMatchObject([{ country: "DE", area: "30", type: "geographic", status: "pending" }]);
		expect(emulator.control.requests()).toMatchObject([{ path: "/v1/numbers", status: 201 }, { status: 429 }]);
	});

	test("creates a KYC profile, and submits it until it is approved", async () => {
		const { id, number } = await buy("DE");
		const profile = () => state().kycProfiles[0];
		await visit("/kyc", async (page) => {
			const fields = {
				Name: "Example GmbH",
				Country: "de",
				Street: "Heidestr. 17",
				City: "Berlin",
				"Postal code": "10117",
			};
			for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
			await page.getByLabel("Number of the document").last().fill("HRB 1");
			await page.getByRole("checkbox", { name: "proof of address" }).last().check();
			await press(page, "Make the profile");
			await page.getByRole("alert").getByText("company_register").waitFor();
			expect(profile()).toMatchObject({ status: "draft", country: "DE", id_number: "HRB 1" });
			await patch(`/numbers/${id}`, { kyc_profile_id: profile()?.id });
			const submit = async () => {
				await page.getByText("Hand in… Example GmbH").click();
				await row(page, "business").getByRole("checkbox", { name: "company register" }).check();
				await press(page, "Hand in Example GmbH");
				await row(page, "business").getByText("in review").waitFor();
			};
			await submit();
			await page.getByText("Reject… Example GmbH").click();
			await row(page, "business").getByLabel("Reason").fill("blurred");
			await press(page, "Reject Example GmbH");
			await row(page, "business").getByText("blurred").waitFor();
			await submit();
			await press(page, "Approve Example GmbH");
			await row(page, String(number)).waitFor({ state: "detached" });
		});
		expect(state().numbers).toMatchObject([{ status: "active" }]);
		const kinds = state().kycDocuments.map(({ kind }) => kind);
		expect(kinds).toEqual(["proof_of_address", "company_register", "company_register"]);
	});

	test("edits, rotates and deletes a trunk and a webhook", async () => {
		const { id } = await trunk();
		const { id: hookId, secret: previous_secret } = await hook();
		await visit(`/trunks/${id}`, async (page) => {
			await page.getByLabel("Capacity").fill("0");
			await press(page, "Save the change");
			await page.getByRole("alert").getByText("capacity:").waitFor();
			expect(await page.getByLabel("Capacity").inputValue()).toBe("0");
			await page.getByLabel("Capacity").fill("5");
			await page.getByLabel("New password").fill("set-in-the-dashboard");
			await page.getByLabel("Enabled").uncheck();
			await press(page, "Save the change");
			await said(page, "The trunk is changed.");
			const auth = { password: "set-in-the-dashboard" };
			expect(state().trunks).toMatchObject([{ capacity: 5, enabled: false, auth }]);
			expect(await page.getByLabel("New password").inputValue()).toBe("");
			await press(page, "Delete office");
			await page.getByRole("heading", { level: 1, name: "Trunks" }).waitFor();
			await goTo(page, `/webhooks/${hookId}`);
			await page.getByLabel("Events").fill("message.received, call.completed");
			await page.getByLabel("Enabled").uncheck();
			await press(page, "Save the change");
			await said(page, "The webhook is changed.");
			await press(page, "Rotate the secret");
			await page.getByText("version 2").waitFor();
			const edited = { events: ["message.received", "call.completed"], enabled: false, previous_secret };
			expect(state().webhooks).toMatchObject([edited]);
			await press(page, "Delete https://a.example/t");
			await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
		});
		expect([state().trunks, state().webhooks]).toEqual([[], []]);
	});

	test("sets, shows, releases and removes faults", async () => {
		await visit("/faults", async (page) => {
			await page.getByLabel("Operation").selectOption("listNumbers");
			await page.getByLabel("When").selectOption("nth");
			await page.getByLabel("n, or chance").fill("2");
			await page.getByLabel("HTTP status").fill("429");
			await page.getByLabel("Retry-After").fill("7");
			await press(page, "Set the fault");
			await row(page, "listNumbers").getByText("number 2").waitFor();
			const rule = { operation: "listNumbers", kind: "status", phase: "before", nth: 2, status: 429, retryAfter: 7 };
			expect(emulator.control.faults.list()).toMatchObject([rule]);
			for (const status of [200, 429]) expect((await call("GET", "/numbers")).status).toBe(status);
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
	});

	test("changes settings and features, and resets", async () => {
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
				...{ pageSize: 7, shuffleArrays: true, cidr: "strip32", pageChaos: ["short", "empty"], capacityMax: null },
				features: { release: false, trunks: true },
			});
			await press(page, "Reset the emulator");
			await expect.poll(() => emulator.live(), patient).toEqual([]);
		});
		expect(emulator.control.settings()).toMatchObject({ pageSize: null, shuffleArrays: false });
	});

	test("receives an SMS, and resends its delivery", async () => {
		const { number } = await buy("US");
		const { id: hookId } = await listen(["message.received"]);
		await visit("/messages", async (page) => {
			await page.getByLabel("To a number of the account").fill(String(number));
			await page.getByLabel("From", { exact: true }).fill("+12025550143");
			await page.getByLabel("Text", { exact: true }).fill("Is anybody there?");
			await press(page, "Receive it");
			await row(page, "Is anybody there?").getByText("received").waitFor();
			await settled();
			await goTo(page, `/webhooks/${hookId}`);
			const table = page.getByRole("table", { name: "Deliveries" });
			await table.getByRole("button", { name: /^Resend message\.received/ }).click();
			await settled();
			await expect.poll(() => table.getByRole("row").count(), patient).toBe(3);
			await table.getByRole("link", { name: "message.received" }).first().click();
			await page.getByRole("heading", { level: 1, name: "message.received" }).waitFor();
			expect(await page.locator("pre").textContent()).toContain('"text": "Is anybody there?"');
		});
		const [first, second] = receiver.posts;
		expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
	});

	test("lets a call ring, and shows it until it ends", async () => {
		const { id, number } = await buy("US");
		await patch(`/numbers/${id}`, { routing: { type: "forward", to: "+12025550199" } });
		await visit("/calls", async (page) => {
			await page.getByLabel("To a number of the account").fill(String(number));
			await page.getByLabel("From", { exact: true }).fill("+12025550143");
			await press(page, "Let it ring");
			await row(page, "+12025550143").getByText("ringing").waitFor();
			await press(page, "+1h on the clock");
			await row(page, "+12025550143").getByText("completed").waitFor();
		});
	});

	test("shows changes at once, and keeps the focus and a half-filled form", async () => {
		const { id } = await buy("US");
		await visit(`/numbers/${id}`, async (page) => {
			const label = page.getByLabel("Label");
			await label.pressSequentially("half a wo");
			await patch(`/numbers/${id}`, { metadata: { team: "sales" } });
			await page.getByText("team=sales").waitFor();
			await page.keyboard.type("rd");
			expect(await label.inputValue()).toBe("half a word");
			await page.route("**/_console/clock", (route) => route.abort());
			await press(page, "+1h on the clock");
			await page.getByRole("alert").getByText("doesn’t answer").waitFor();
			await goTo(page, "/requests");
			const { request_id } = (await post("/numbers", { country: "ZZ", type: "mobile" })).body;
			await row(page, String(request_id)).getByText("unsupported_market").waitFor();
		});
	});

	test("works by keyboard alone, and names what has the focus", async () => {
		for (const country of ["DE", "FR", "ES"]) await buy(country);
		await visit("/kyc", async (page) => {
			const focused = () => page.evaluate("document.activeElement.innerText || document.activeElement.name");
			const sections = page.getByRole("navigation", { name: "Sections" });
			expect(await sections.getByRole("link", { name: /^KYC/ }).getAttribute("aria-current")).toBe("page");
			await page.keyboard.press("Tab");
			expect(await focused()).toBe("Skip to the content");
			await page.keyboard.press("Enter");
			await page.keyboard.press("/");
			expect(await focused()).toBe("q");
			await page.keyboard.type("action");
			await page.keyboard.press("Enter");
			await page.waitForURL("**/kyc?q=action");
			await page.locator("#live").waitFor();
			const approve = page.getByRole("button", { name: /^Approve/ });
			await approve.first().focus();
			for (const left of [2, 1, 0]) {
				await page.keyboard.press("Enter");
				await expect.poll(() => approve.count(), patient).toBe(left);
			}
			expect(await page.evaluate("document.activeElement.id")).toBe("main");
		});
		expect(state().numbers.map(({ status }) => status)).toEqual(["active", "active", "active"]);
	});
});
