import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import { repository } from "./pages.mts";

const { SITE_URL, BASE_PATH } = process.env;

export default defineConfig({
	site: SITE_URL ?? "https://pulumi-telephony.example",
	base: BASE_PATH || "/",
	trailingSlash: "always",
	integrations: [
		starlight({
			title: "pulumi-telephony",
			customCss: ["./src/styles/site.css"],
			credits: false,
			pagination: true,
			tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
			sidebar: [
				{ label: "Start", items: [{ slug: "index", label: "What it is" }] },
				{ label: "Guides", items: [{ autogenerate: { directory: "guides" } }] },
				"troubleshooting",
				"drift",
				"guarantees",
				"limits",
				"emulator",
				"benchmarks",
				"reliability",
				"changelog",
				"security",
				{ label: "Repository", link: repository },
			],
		}),
	],
});
