/** How the console's pages lie in a window: nothing scrolls sideways, no word is broken, each switch is explained. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, useConsole } from "../../helpers/console";
import { furnish } from "./furnished";

describeInBrowser("each page of the console, in Chromium,", () => {
	const fixture = useConsole();
	const { emulator, visit } = fixture;

	const look = async (widths: readonly number[], at: (page: Page, where: string) => Promise<void>) => {
		const paths = await furnish(fixture);
		await visit("", async (page) => {
			for (const path of paths) {
				await page.goto(new URL(`/_console${path}`, emulator.url).href);
				for (const width of widths) {
					await page.setViewportSize({ width, height: 800 });
					await at(page, `${path || "/"} at ${width} px`);
				}
			}
		});
	};

	test("has nothing that scrolls sideways, the page itself and each part of it", async () => {
		const found: string[] = [];
		await look([360, 980, 1920], async (page, where) => {
			for (const what of (await page.evaluate(sideways)) as string[]) found.push(`${where}: ${what}`);
		});
		expect(found).toEqual([]);
	});

	test("has no word that is broken in the middle", async () => {
		const found: string[] = [];
		await look([1280], async (page, where) => {
			for (const word of (await page.evaluate(brokenWords)) as string[]) found.push(`${where}: ${word}`);
		});
		expect(found).toEqual([]);
	});

	test("explains each switch in a sentence, also to a screen reader", async () => {
		await visit("/settings", async (page) => {
			expect(await page.evaluate(unexplained)).toEqual([]);
			await page.goto(new URL("/_console/faults", emulator.url).href);
			expect(await page.evaluate(unexplained)).toEqual([]);
			await page.goto(new URL("/_console/kyc", emulator.url).href);
			expect(await page.getByLabel("Policy").getAttribute("aria-describedby")).toBe("policy-hint");
		});
	});

	test("says each time with its zone", async () => {
		await look([1280], async (page, where) => {
			const times = await page.locator("time").allInnerTexts();
			expect(times.filter((text) => !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/.test(text), where)).toEqual([]);
			expect(times.length).toBeGreaterThan(0);
		});
	});
});

/** What is wider than its place: the page, and whatever in it has a scroll bar of its own. */
const sideways = `(() => {
	for (const box of document.querySelectorAll("details")) box.open = true;
	const page = document.scrollingElement;
	const wide = page.scrollWidth > innerWidth ? ["the page: " + page.scrollWidth + " px"] : [];
	for (const element of document.querySelectorAll("body *")) {
		const { overflowX } = getComputedStyle(element);
		const scrolls = (overflowX === "auto" || overflowX === "scroll") && !/^(INPUT|TEXTAREA|SELECT)$/.test(element.nodeName);
		if (scrolls && element.scrollWidth > element.clientWidth + 1) wide.push(element.nodeName + "." + element.className);
	}
	return wide;
})()`;

/** Words that lie on two lines. A line may end at a blank and after the marks at which browsers break; what is longer than any line has to break somewhere. */
const brokenWords = `(() => {
	const broken = [];
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		if (node.parentElement.closest("script, style, .unseen, option, textarea, pre")) continue;
		for (const { 0: word, index } of node.data.matchAll(/[^\\s\\u2013\\u2014?/,;:.|&=-]+[,;:.]?/g)) {
			if (word.length < 2 || word.length > 40) continue;
			const range = document.createRange();
			range.setStart(node, index);
			range.setEnd(node, index + word.length);
			const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
			if (lines.size > 1) broken.push(word);
		}
	}
	return broken;
})()`;

/** Inputs in a form that changes something and that have no hint. */
const unexplained = `[...document.querySelectorAll("main form[method=post] :is(input:not([type=hidden]), select)")]
	.filter((control) => !document.getElementById(control.getAttribute("aria-describedby"))?.textContent.trim().endsWith("."))
	.map(({ name }) => name)`;
