/** Every page of the console, furnished: accessible, readable and without anything cut off, in both themes. */
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, useConsole } from "../../helpers/console";
import { company, move } from "../fixture";

type Console = ReturnType<typeof useConsole>;

/** Puts something on each page, with the longest names, and returns the paths. */
const furnish = async ({ emulator, call, post, patch, buy, trunk, listen, settled, state, profile }: Console) => {
	const { id: trunkId } = await trunk({ name: "a trunk with a rather long name, as somebody will have" });
	const { id: hookId } = await listen(["*"]);
	const [{ id, number }, german] = [await buy("US"), await buy("DE")];
	const reference = `v1.${"0123456789abcdef".repeat(3)}.${"0123456789abcdef".repeat(3)}`;
	const failover = { type: "forward", to: "+12025550143" };
	const routing = { type: "trunk", trunk_id: trunkId, failover };
	const label = "the support line of the whole company, at night and at weekends".slice(0, 64);
	await patch(`/numbers/${id}`, { label, routing, reference });
	const holder = { ...company, name: "Example Gesellschaft mit beschränkter Haftung" };
	const { id: holderId } = await profile(holder);
	await patch(`/numbers/${german.id}`, { kyc_profile_id: holderId });
	emulator.control.decide(german.id, "reject", [{ code: "document_unreadable", message: "Send a sharper copy." }]);
	const inbound = { to: String(number), from: "+12025550143" };
	emulator.control.receiveCall(inbound);
	emulator.control.receiveMessage({ ...inbound, text: "Is anybody there?" });
	const { body: refused } = await post("/numbers", { country: "ZZ", type: "mobile" });
	emulator.control.faults.set({ operation: "buyNumber", kind: "status", status: 429, retryAfter: 2, nth: 3 });
	const carrier = { ...move.carrier, name: "A carrier whose name is longer than most", pin: "0000" };
	const { body: order } = await post("/port_orders", {
		...move,
		carrier,
		subscriber: { ...move.subscriber, ...holder },
	});
	await call("POST", `/port_orders/${order.id}/submit`);
	emulator.control.clock({ advance: "32d" });
	await settled();
	const items = {
		...{
			numbers: id,
			kyc_profiles: holderId,
			trunks: trunkId,
			webhooks: hookId,
			deliveries: state().deliveries[0]?.id,
		},
		...{ invoices: state().invoices[0]?.id, port_orders: order.id, requests: refused.request_id },
	};
	const lists = [
		...Object.keys(items),
		"kyc",
		"kyc_documents",
		"calls",
		"recordings",
		"messages",
		"usage",
		"usage?group_by=number",
		"ledger",
		"faults",
	];
	const pages = Object.entries(items).map(([list, item]) => `${list}/${item}`);
	return ["", "settings", `numbers/${german.id}`, ...lists, ...pages];
};

/** Elements that are wider than their place: the page, and those with a scroll bar. */
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

const violations = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
	violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + ": " + failureSummary)))`;

/** Inputs without a hint in a form that changes something. */
const unexplained = `[...document.querySelectorAll("main form[method=post] :is(input:not([type=hidden]), select)")]
	.filter((control) => !document.getElementById(control.getAttribute("aria-describedby"))?.textContent.trim().endsWith("."))
	.map(({ name }) => name)`;

const timesWithoutZone = `[...document.querySelectorAll("time")].map((time) => time.innerText)
	.filter((text) => !/^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC$/.test(text))`;

/** Of the page's background, from 0 to 255. */
const brightness = `(() => {
	const canvas = document.createElement("canvas").getContext("2d");
	canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
	canvas.fillRect(0, 0, 1, 1);
	return canvas.getImageData(0, 0, 1, 1).data[1];
})()`;

describeInBrowser("each page of the console, in Chromium,", () => {
	const fixture = useConsole();

	test.each(["light", "dark"] as const)("is accessible and fits: %s", async (colorScheme) => {
		const paths = await furnish(fixture);
		const problems: string[] = [];
		const inspect = async (page: Page, path: string, width: number) => {
			await page.setViewportSize({ width, height: 800 });
			const scripts = [violations, sideways, timesWithoutZone];
			if (/^(settings|faults)$/.test(path)) scripts.push(unexplained);
			for (const script of scripts)
				for (const problem of (await page.evaluate(script)) as string[])
					problems.push(`/${path} at ${width} px: ${problem}`);
		};
		const story = async (page: Page) => {
			expect(await page.evaluate(brightness)).toBeCloseTo(colorScheme === "dark" ? 0 : 255, -2);
			for (const path of paths) {
				await page.goto(new URL(`/_console/${path}`, fixture.emulator.url).href);
				await page.evaluate(axe.source);
				for (const width of [360, 1280, 1920]) await inspect(page, path, width);
			}
		};
		// The console's own pages load no other scripts.
		await fixture.visit("", story, { colorScheme, bypassCSP: true, reducedMotion: "reduce" });
		expect(problems).toEqual([]);
	});
});
