import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, patient, press, row, useConsole, waitForStatus } from "../../helpers/console";

describeInBrowser("the console, in Chromium,", () => {
	const { emulator, post, patch, buy, trunk, state, visit } = useConsole();
	const goTo = (page: Page, path: string) => page.goto(new URL(`/_console${path}`, emulator.url).href);

	test("edits and releases a number", async () => {
		const { id, number } = await buy("US");
		const { id: trunk_id } = await trunk();
		await visit(`/numbers/${id}`, async (page) => {
			await page.getByLabel("Routing").fill(JSON.stringify({ type: "trunk", trunk_id }));
			await page.getByLabel("Label").fill("dashboard");
			await page.getByLabel("Release protection").check();
			await page.getByLabel("SMS webhook URL").fill("not a url");
			await press(page, "Save changes");
			await page.getByRole("alert").getByText("sms_webhook_url").waitFor();
			expect(await page.getByLabel("Label").inputValue()).toBe("dashboard");
			await page.getByLabel("SMS webhook URL").fill("");
			await press(page, "Save changes");
			await waitForStatus(page, "Changes saved.");
			const edited = { routing: { type: "trunk", trunk_id }, label: "dashboard", release_protection: true };
			expect(state().numbers).toMatchObject([edited]);
			await page.getByLabel("Metadata").fill('{"team": "sales"}');
			await press(page, "Save changes");
			await page.getByText("team=sales").waitFor();
			await press(page, `Release ${number}`);
			await page.getByRole("region", { name: "Ledger", exact: true }).getByText("release").waitFor();
		});
		expect(state().numbers).toMatchObject([{ status: "released", metadata: { team: "sales" } }]);
	});

	test("shows changes at once, and keeps the focus and a half-filled form", async () => {
		const { id } = await buy("US");
		await visit(`/numbers/${id}`, async (page) => {
			const label = page.getByLabel("Label");
			await page.getByLabel("SMS webhook URL").fill("https://half");
			await label.pressSequentially("half a wo");
			await patch(`/numbers/${id}`, { metadata: { team: "sales" } });
			await page.getByText("team=sales").waitFor();
			await page.keyboard.type("rd");
			expect(await label.inputValue()).toBe("half a word");
			expect(await page.getByLabel("SMS webhook URL").inputValue()).toBe("https://half");
			await page.route("**/_console/clock", (route) => route.abort());
			await press(page, "+1h on the clock");
			await page.getByRole("alert").getByText("doesn’t respond").waitFor();
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
			expect(await sections.getByRole("link", { name: /^KYC \d/ }).getAttribute("aria-current")).toBe("page");
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
			for (const remaining of [2, 1, 0]) {
				await page.keyboard.press("Enter");
				await expect.poll(() => approve.count(), patient).toBe(remaining);
			}
			expect(await page.evaluate("document.activeElement.id")).toBe("main");
		});
		expect(state().numbers.map(({ status }) => status)).toEqual(["active", "active", "active"]);
	});
});
