/** How the console's pages lie in a window: nothing scrolls sideways, no word is broken, each switch is explained. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, useConsole } from "../../helpers/console";

describeInBrowser("each page of the console, in Chromium,", () => {
	const { emulator, call, buy, trunk, listen, settled, visit } = useConsole();

	/** An account with something on each page, the longest names and references among it. */
	const furnish = async (): Promise<string[]> => {
		const { id: trunkId } = await trunk({ name: "a trunk with a rather long name, as somebody will have" });
		const { id: hookId } = await listen(["*"]);
		const { id, number } = await buy("US");
		const { id: german } = await buy("DE");
		await call("PATCH", `/numbers/${id}`, {
			label: "the support line of the whole company, at night and at weekends".slice(0, 64),
			routing: { type: "trunk", trunk_id: trunkId, failover: { type: "forward", to: "+12025550143" } },
			reference: `v1.${"0123456789abcdef".repeat(3)}.${"0123456789abcdef".repeat(3)}`,
		});
		const address = { street: "Unter den Linden 1", city: "Berlin", postal_code: "10117", country: "DE" };
		const { body: profile } = await call("POST", "/kyc/profiles", {
			holder: "business",
			name: "Example Gesellschaft mit beschränkter Haftung",
			country: "DE",
			address,
		});
		await call("PATCH", `/numbers/${german}`, { kyc_profile_id: profile.id });
		emulator.control.decide(String(german), "reject", [
			{ code: "document_unreadable", message: "Send a sharper copy." },
		]);
		emulator.control.receiveCall({ to: String(number), from: "+12025550143" });
		emulator.control.receiveMessage({ to: String(number), from: "+12025550143", text: "Is anybody there?" });
		await settled();
		const { body } = await call("POST", "/numbers", { country: "ZZ", type: "mobile" });
		emulator.control.faults.set({ operation: "buyNumber", kind: "status", status: 429, retryAfter: 2, nth: 3 });
		const delivery = emulator.control.state().deliveries[0]?.id;
		return [
			...["", "/numbers", `/numbers/${id}`, `/numbers/${german}`, "/kyc", "/trunks", `/trunks/${trunkId}`],
			...["/webhooks", `/webhooks/${hookId}`, "/deliveries", `/deliveries/${delivery}`, "/calls", "/messages"],
			...["/requests", `/requests/${body.request_id}`, "/ledger", "/faults", "/settings"],
		];
	};

	const look = async (widths: readonly number[], at: (page: Page, where: string) => Promise<void>) => {
		const paths = await furnish();
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
		await look([390, 980, 1280], async (page, where) => {
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
