/** What axe finds on the console's pages, in both themes: nothing. */
import axe from "axe-core";
import { expect, test } from "vitest";
import { describeInBrowser, useConsole } from "../../helpers/console";
import { furnish } from "./furnished";

const run = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
	violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + ": " + failureSummary)))`;

/** Of what is behind the page's text, from 0 to 255. */
const brightness = `(() => {
	const canvas = document.createElement("canvas").getContext("2d");
	canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
	canvas.fillRect(0, 0, 1, 1);
	return canvas.getImageData(0, 0, 1, 1).data[1];
})()`;

describeInBrowser("axe, in Chromium,", () => {
	const fixture = useConsole();

	test.each(["light", "dark"] as const)("finds nothing on any page: %s", async (colorScheme) => {
		const paths = await furnish(fixture);
		const found: string[] = [];
		const story: Parameters<typeof fixture.visit>[1] = async (page) => {
			expect(await page.evaluate(brightness)).toBeCloseTo(colorScheme === "dark" ? 0 : 255, -2);
			for (const width of [1280, 390]) {
				await page.setViewportSize({ width, height: 800 });
				for (const path of paths) {
					await page.goto(new URL(`/_console${path}`, fixture.emulator.url).href);
					await page.evaluate(axe.source);
					for (const what of (await page.evaluate(run)) as string[]) found.push(`${path} at ${width} px: ${what}`);
				}
			}
		};
		// The console's own pages let no script in but theirs.
		await fixture.visit("", story, { colorScheme, bypassCSP: true, reducedMotion: "reduce" });
		expect(found).toEqual([]);
	});
});
