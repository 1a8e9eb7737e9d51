import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { useEvents } from "../emulator/fixture";
import { findChromium, openBrowser } from "./browser.mts";
import { patienceMs } from "./patience.mts";

const chromium = findChromium();
const wanted = chromium !== undefined || process.env.CI !== undefined;
const why = wanted ? "" : " (skipped: there is no Chromium here; install one, or name it in CHROME_PATH)";

/** Groups tests in a browser. They are skipped if there is none, except in CI. */
export const describeInBrowser = (name: string, tests: () => void) => describe.skipIf(!wanted)(`${name}${why}`, tests);

/** Longest wait on a busy machine, ms. */
export const patient = { timeout: patienceMs };

/** Opens a page of the console, runs the steps, and closes it. */
export type Visit = (
	path: string,
	story: (page: Page) => Promise<void>,
	options?: BrowserContextOptions,
) => Promise<void>;

/** Opens an emulator with a virtual clock, and a browser. */
export const useConsole = () => {
	const virtual = useEvents();
	const opened: { browser?: Browser } = {};
	beforeAll(async () => {
		if (chromium === undefined) throw new Error("There is no Chromium: install one, or name it in CHROME_PATH.");
		opened.browser = await openBrowser(chromium);
	});
	afterAll(() => opened.browser?.close());

	const visit: Visit = async (path, story, options = {}) => {
		const context = await opened.browser?.newContext(options);
		const page = await context?.newPage();
		if (page === undefined) throw new Error("there is no browser");
		page.setDefaultTimeout(patient.timeout);
		const problems: string[] = [];
		page.on("pageerror", (error) => problems.push(error.message));
		page.on("console", (message) => {
			// The browser itself logs refused and failed requests.
			const isBrowsers = /status of 4\d\d|ERR_FAILED/.test(message.text());
			if (message.type() === "error" && !isBrowsers) problems.push(message.text());
		});
		await page.goto(`${virtual.emulator.url.replace(/\/v1$/, "/_console")}${path}`);
		if (options.javaScriptEnabled !== false) await page.locator("#live").waitFor();
		await story(page);
		await context?.close();
		expect(problems).toEqual([]);
	};
	return Object.assign(virtual, { visit });
};

export const press = (scope: Page | Locator, name: string) => scope.getByRole("button", { name, exact: true }).click();
export const waitForStatus = (page: Page, text: string) => page.getByRole("status").getByText(text).waitFor();
export const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
