/** The site, built, served and used in a browser. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildSite, built, serveSite } from "../../scripts/site.mts";
import { findChromium, openBrowser } from "../helpers/browser.mts";
import { describeInBrowser, patient } from "../helpers/console";

const site: { close?: () => void; url: string; paths: string[] } = { url: "", paths: [] };

beforeAll(async () => {
	await buildSite();
	const { server, url } = await serveSite(0);
	const pages = readdirSync(built, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("index.html"));
	Object.assign(site, {
		url,
		close: () => server.close(),
		paths: pages.map((file) => `/${file.slice(0, -10)}`).sort(),
	});
});
afterAll(() => site.close?.());

const html = (path: string) => readFileSync(join(built, path, "index.html"), "utf8");
const all = (text: string, attribute: string) =>
	[...text.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, "g"))].map(([, value = ""]) =>
		value.replaceAll("&#x26;", "&"),
	);

describe("the pages", () => {
	it("have the start, guides, references and the changelog", () => {
		const some = ["/", "/quick-start/", "/guides/kyc/", "/reference/number/", "/troubleshooting/", "/changelog/"];
		expect(site.paths).toEqual(expect.arrayContaining(some));
		expect(site.paths.some((path) => path.includes("installation-configuration"))).toBe(false);
	});

	it("link only to pages and headings that exist", () => {
		const dead = site.paths.flatMap((path) =>
			all(html(path), "href")
				.filter((href) => isDead(new URL(href, `http://here${path}`)))
				.map((href) => `${path}: ${href}`),
		);
		expect(dead).toEqual([]);
	});

	it("have one title and a description each", () => {
		for (const path of site.paths) {
			expect(html(path).match(/<h1\b/g), path).toHaveLength(1);
			expect(/<meta name="description" content="([^"]*)"/.exec(html(path))?.[1], path).toMatch(/^\w.{10,}[.!?]$/);
		}
	});
});

/** True if an address of the site has no page or heading. */
function isDead({ origin, pathname, hash }: URL): boolean {
	if (origin !== "http://here") return false;
	const target = readable(join(built, decodeURIComponent(pathname), pathname.endsWith("/") ? "index.html" : ""));
	return target === undefined || (hash !== "" && !all(target, "id").includes(decodeURIComponent(hash.slice(1))));
}

const readable = (file: string): string | undefined => {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return undefined;
	}
};

const violations = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
	violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + ": " + failureSummary)))`;

/** Bytes that a server sends for a file. */
const sent = (url: string, body: Buffer) => (/\.(webp|png)$/.test(url) ? body : gzipSync(body)).length;

/** Prose with tabs, a reference with wide tables, a long page. */
const kinds = ["/", "/reference/number/", "/troubleshooting/"] as const;

/** Lines of code that are wider than their block, in every tab. Output may wrap. */
const wrapped = `[...document.querySelectorAll("pre")].flatMap((pre) => {
	const panel = pre.closest(".panel");
	if (panel) panel.style.display = "block";
	const code = pre.querySelector("code");
	const lines = [...pre.querySelectorAll(".ec-line")];
	const isWide = (line) => line.getBoundingClientRect().height > 1.5 * parseFloat(getComputedStyle(code).lineHeight);
	if (pre.scrollWidth > pre.clientWidth) return ["a block scrolls: " + lines[0].textContent];
	return pre.dataset.language === "text" ? [] : lines.filter(isWide).map((line) => line.textContent);
})`;

describeInBrowser("the site, in Chromium,", () => {
	const opened: { browser?: Browser } = {};
	beforeAll(async () => {
		opened.browser = await openBrowser(findChromium() ?? "");
	});
	afterAll(() => opened.browser?.close());

	/** Opens a page and runs the steps. Fails for an error, or a request to another host. */
	const visit = async (path: string, story: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) => {
		const context = await opened.browser?.newContext({ reducedMotion: "reduce", ...options });
		const page = await context?.newPage();
		if (page === undefined) throw new Error("there is no browser");
		page.setDefaultTimeout(patient.timeout);
		const problems: string[] = [];
		page.on("pageerror", (error) => problems.push(error.message));
		page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
		page.on("request", (request) => {
			if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(site.url)) problems.push(request.url());
		});
		await page.goto(site.url + path, { waitUntil: "networkidle" });
		await story(page);
		await context?.close();
		expect(problems).toEqual([]);
	};

	it.each([
		["telephony:claimed", "/troubleshooting/"],
		["releaseProtection", "/guarantees/"],
	])("finds %s without a server", async (words, path) => {
		await visit("/", async (page) => {
			await page.getByRole("button", { name: "Search" }).click();
			await page.locator(".pagefind-ui__search-input").fill(words);
			await page.locator(`.pagefind-ui__result-link[href*="${path}"]`).first().waitFor();
		});
	});

	it("changes the language by keyboard, and keeps it on the next page", async () => {
		await visit("/reference/number/", async (page) => {
			const typescript = page.getByRole("radio", { name: "TypeScript" });
			await typescript.focus();
			expect(await page.getByText("import pulumi_telephony").isVisible()).toBe(false);
			for (const key of ["ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
			expect(await page.getByRole("radio", { name: "Python" }).isChecked()).toBe(true);
			await page.getByText("import pulumi_telephony").waitFor();
			expect(await page.locator(".panel", { hasText: "const desk" }).first().isVisible()).toBe(false);
			await page.goto(`${site.url}/reference/webhook/`);
			await page.getByText("import pulumi_telephony").waitFor();
		});
	});

	it("shows all text and tabs without JavaScript", async () => {
		await visit(
			"/reference/number/",
			async (page) => {
				await page.getByText(/Destination of inbound calls\. Without it, calls aren.t delivered\./).waitFor();
				for (const [language, line] of Object.entries({ Go: "telephony.NewNumber", YAML: "telephony:Number" })) {
					await page.getByText(language, { exact: true }).first().click();
					await page.locator(".panel:visible", { hasText: line }).waitFor();
				}
				expect(await page.locator(".panel:visible").count()).toBe(1);
				await page.getByRole("link", { name: "SipTrunk" }).first().waitFor();
			},
			{ javaScriptEnabled: false },
		);
	});

	it.each(["light", "dark"] as const)("satisfies axe, also on a phone: %s", async (colorScheme) => {
		const problems: string[] = [];
		for (const width of [1280, 360]) {
			await visit(
				kinds[0],
				async (page) => {
					expect(await page.locator("html").getAttribute("data-theme")).toBe(colorScheme);
					for (const path of kinds) {
						await page.goto(site.url + path);
						await page.evaluate(axe.source);
						for (const what of (await page.evaluate(violations)) as string[])
							problems.push(`${path} at ${width} px: ${what}`);
					}
				},
				{ colorScheme, viewport: { width, height: 800 } },
			);
		}
		expect(problems).toEqual([]);
	});

	/** Visits each page in a window of this width, and returns what `find` reports, after the page's path. */
	async function problemsAt(width: number, find: (page: Page) => Promise<readonly string[]>): Promise<string[]> {
		const problems: string[] = [];
		await visit(
			"/",
			async (page) => {
				for (const path of site.paths) {
					await page.goto(site.url + path, { waitUntil: "domcontentloaded" });
					problems.push(...(await find(page)).map((problem) => `${path}: ${problem}`));
				}
			},
			{ viewport: { width, height: 800 } },
		);
		return problems;
	}

	it("shows each line of code in one line on a laptop", async () => {
		expect(await problemsAt(1360, async (page) => (await page.evaluate(wrapped)) as string[])).toEqual([]);
	});

	it("fits a phone with each page", async () => {
		const findWide = async (page: Page) => {
			const wide = Number(await page.evaluate("document.documentElement.scrollWidth"));
			return wide > 360 ? [`${wide} px wide`] : [];
		};
		expect(await problemsAt(360, findWide)).toEqual([]);
	});

	it("loads less than 300 kB for the longest pages and those with pictures", async () => {
		const bySize = [...site.paths].sort((a, b) => html(b).length - html(a).length);
		const problems: string[] = [];
		for (const path of new Set([...bySize.slice(0, 3), "/", "/emulator/", "/benchmarks/"])) {
			const sizes: Promise<number>[] = [];
			const context = await opened.browser?.newContext();
			const page = await context?.newPage();
			page?.on("response", (response) => sizes.push(response.body().then((body) => sent(response.url(), body))));
			await page?.goto(site.url + path, { waitUntil: "networkidle" });
			const weight = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
			console.log(`${path}: ${weight} bytes`);
			if (weight > 300_000) problems.push(`${path} loads ${weight} bytes`);
			// The page, a style and a script.
			expect(sizes.length).toBeGreaterThan(3);
			await context?.close();
		}
		expect(problems).toEqual([]);
	});
});
