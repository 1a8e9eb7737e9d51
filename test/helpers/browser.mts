import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome"];

/** The Chromium of this machine: CHROME_PATH, or what the PATH has; undefined without one. */
export const findChromium = (): string | undefined => {
	const { CHROME_PATH, PATH = "" } = process.env;
	if (CHROME_PATH) return CHROME_PATH;
	return PATH.split(delimiter)
		.flatMap((folder) => names.map((name) => join(folder, name)))
		.find((file) => existsSync(file));
};

/** A real browser without a window, which talks to nobody but the pages it is sent to. */
export const openBrowser = (executablePath: string): Promise<Browser> =>
	chromium.launch({
		executablePath,
		args: [
			"--headless=new",
			"--no-sandbox",
			"--disable-gpu",
			"--disable-quic",
			"--no-first-run",
			"--disable-background-networking",
			"--disable-component-update",
			"--disable-sync",
		],
	});
