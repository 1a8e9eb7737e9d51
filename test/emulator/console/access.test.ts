import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, patient, press, row, said, useConsole } from "../../helpers/console";

describeInBrowser("the console in Chromium", () => {
	const { emulator, call, buy, trunk, visit } = useConsole();
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

	/** Everything there is to see, page by page. */
	const look = async (paths: readonly string[], at: (page: Page) => Promise<void>) => {
		await visit("", async (page) => {
			for (const path of paths) {
				await page.goto(new URL(`/_console${path}`, emulator.url).href);
				await at(page);
			}
		});
	};

	test("can be read in light and in dark: text stands out from what is behind it", async () => {
		await buy("DE");
		const { id } = await buy("US");
		emulator.control.patchNumber(id, { status: "suspended" });
		await call("POST", "/numbers", { country: "ZZ", type: "mobile" });
		await look(["", "/numbers", `/numbers/${id}`, "/kyc", "/requests"], async (page) => {
			for (const colorScheme of ["light", "dark"] as const) {
				await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
				const found = (await page.evaluate(contrasts)) as { text: string; ratio: number; dark: boolean }[];
				expect(found.length).toBeGreaterThan(20);
				expect(found.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
				expect(new Set(found.map(({ dark }) => dark))).toEqual(new Set([colorScheme === "dark"]));
			}
		});
	});

	test("fits any window, from a telephone's to a wall's", async () => {
		await buy("DE");
		await trunk({ name: "a trunk with a rather long name, as somebody will have" });
		await look(["", "/numbers", "/trunks", "/faults", "/settings"], async (page) => {
			for (const width of [360, 1024, 1920]) {
				await page.setViewportSize({ width, height: 800 });
				expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
			}
		});
	});
});

/** Of each text in the page: how much brighter one is than the other, as WCAG counts. */
const contrasts = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const rgba = (color) => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data];
	};
	const luminance = (rgb) => {
		const [r, g, b] = rgb.map((value) => value / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const over = (top, bottom) => [0, 1, 2].map((i) => top[i] * (top[3] / 255) + bottom[i] * (1 - top[3] / 255));
	const behind = (element) => {
		if (!element) return [255, 255, 255];
		const color = rgba(getComputedStyle(element).backgroundColor);
		return color[3] === 255 ? color.slice(0, 3) : over(color, behind(element.parentElement));
	};
	const dark = luminance(behind(document.body)) < 0.2;
	return [...document.querySelectorAll("body *")]
		.filter((element) => !element.closest(".unseen, .none, [aria-disabled]") && element.getClientRects().length > 0)
		.filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
		.map((element) => {
			const ground = behind(element);
			const ink = over(rgba(getComputedStyle(element).color), ground);
			const [high, low] = [luminance(ink), luminance(ground)].sort((a, b) => b - a);
			return { text: element.textContent.slice(0, 30), ratio: (high + 0.05) / (low + 0.05), dark };
		});
})()`;
