import { expect, test } from "vitest";
import { describeInBrowser, patient, press, row, said, useConsole } from "../../helpers/console";

describeInBrowser("the console in Chromium", () => {
	const { emulator, buy, trunk, visit } = useConsole();
	const state = () => emulator.control.state();

	test("tells a screen reader what is where", async () => {
		const { number } = await buy("DE");
		await visit("", async (page) => {
			expect(await page.locator("body").ariaSnapshot()).toMatch(/link "Skip to the content"/);
			await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
			await page.getByRole("region", { name: "Clock" }).waitFor();
			const sections = page.getByRole("navigation", { name: "Sections" });
			expect((await sections.getByRole("link").allInnerTexts()).map((text) => text.split("\n")[0])).toEqual([
				"Overview",
				"Numbers",
				"KYC",
				"Trunks",
				"Webhooks",
				"Deliveries",
				"Calls",
				"Messages",
				"Port orders",
				"Usage",
				"Invoices",
				"Requests",
				"Ledger",
				"Faults",
				"Behaviour",
			]);
			await sections.getByRole("link", { name: "Numbers 1" }).click();
			expect(await page.title()).toBe("Numbers – telephony emulator");
			expect(await sections.getByRole("link", { name: /^Numbers/ }).getAttribute("aria-current")).toBe("page");
			const table = page.getByRole("table", { name: "Numbers" });
			expect(await table.getByRole("columnheader").allInnerTexts()).toEqual([
				"Number",
				"Kind",
				"State",
				"Routing",
				"Label",
				"Changed",
			]);
			await page.getByRole("searchbox", { name: "Search numbers, labels, ids" }).waitFor();
			await table.getByRole("link", { name: String(number) }).click();
			await page.getByRole("heading", { level: 1, name: String(number) }).waitFor();
			await page.getByRole("button", { name: `Approve ${number}` }).waitFor();
		});
	});

	test("goes by keyboard alone: skip, search, decide one after the other", async () => {
		const numbers = await Promise.all(["DE", "FR", "ES"].map((country) => buy(country)));
		await visit("/kyc", async (page) => {
			const focused = () => page.evaluate("document.activeElement.innerText || document.activeElement.name");
			await page.keyboard.press("Tab");
			expect(await focused()).toBe("Skip to the content");
			await page.keyboard.press("Enter");
			await page.keyboard.press("/");
			expect(await focused()).toBe("q");
			await page.keyboard.type("action");
			await page.keyboard.press("Enter");
			await page.waitForURL("**/kyc?q=action");
			await page.locator("#live").waitFor();
			await page
				.getByRole("button", { name: /^Approve/ })
				.first()
				.focus();
			for (const left of [2, 1, 0]) {
				await page.keyboard.press("Enter");
				await expect.poll(() => page.getByRole("button", { name: /^Approve/ }).count(), patient).toBe(left);
			}
			expect(await page.evaluate("document.activeElement.id")).toBe("main");
		});
		expect(state().numbers.map(({ status }) => status)).toEqual(numbers.map(() => "active"));
	});

	test("says what was refused and that the emulator has gone, without losing what was typed", async () => {
		const { id } = await trunk();
		await visit(`/trunks/${id}`, async (page) => {
			await page.getByLabel("Capacity").fill("0");
			await press(page, "Save the change");
			await page.getByRole("alert").getByText("capacity:").waitFor();
			expect(await page.getByLabel("Capacity").inputValue()).toBe("0");
			expect(state().trunks).toMatchObject([{ capacity: 30 }]);
			await page.route("**/_console/clock", (route) => route.abort());
			await press(page, "+1h on the clock");
			await page.getByRole("alert").getByText("doesn’t answer").waitFor();
		});
	});

	test("works without JavaScript", async () => {
		const { number } = await buy("DE");
		await visit(
			"/kyc",
			async (page) => {
				await page.getByRole("button", { name: `Approve ${number}` }).click();
				await said(page, "The KYC is decided.");
				await page.getByText("Nothing waits for KYC.").waitFor();
				await page.getByRole("link", { name: /^Numbers/ }).click();
				await page.getByRole("searchbox").fill("mobile");
				await page.getByRole("button", { name: "Search" }).click();
				await row(page, String(number)).getByText("active").waitFor();
			},
			{ javaScriptEnabled: false },
		);
	});
});
