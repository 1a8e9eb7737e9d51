import { readFileSync } from "node:fs";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import { homepage, repository } from "./pages.mts";

const { SITE_URL, BASE_PATH } = process.env;

export default defineConfig({
	site: SITE_URL ?? homepage,
	base: BASE_PATH || "/",
	trailingSlash: "always",
	// The pictures are screenshots: half the bytes look the same, and a page stays light.
	image: { service: { entrypoint: "astro/assets/services/sharp", config: { webp: { quality: 50, effort: 6 } } } },
	integrations: [
		starlight({
			title: "pulumi-telephony",
			customCss: ["./src/styles/site.css"],
			// Program output and narrow windows wrap: a block that scrolls would be a landmark without a name of its own.
			expressiveCode: { defaultProps: { wrap: true } },
			// The choice of a language holds for every page.
			head: [{ tag: "script", content: readFileSync(new URL("./src/tabs.js", import.meta.url), "utf8") }],
			// A group for each way of a reader, with seven pages at most.
			sidebar: [
				{
					label: "Try it",
					items: [
						{ slug: "index", label: "Overview" },
						"quick-start",
						"guides/languages",
						"guides/cookbook",
						"guides/testing",
						"guarantees",
						"guides/comparison",
					],
				},
				{
					label: "In production",
					items: [
						"guides/ci",
						"guides/costs",
						"drift",
						"guides/recovery",
						"guides/policies",
						"guides/secrets-and-state",
						"guides/number-pools",
					],
				},
				{ label: "Existing numbers", items: ["guides/existing-numbers", "guides/moving-your-numbers"] },
				{
					label: "Regulated markets",
					items: ["guides/kyc", "reference/kyc-profile", "reference/activation", "reference/port-order"],
				},
				{ label: "Your service", items: ["guides/your-service", "reference/service-description", "limits"] },
				{
					label: "Emulator",
					items: ["emulator", "emulator/applications", "emulator/control-api", "emulator/assumptions"],
				},
				{
					label: "Resources and functions",
					items: [
						"reference/number",
						"reference/number-pool",
						"reference/sip-trunk",
						"reference/webhook",
						"reference/functions",
					],
				},
				{
					label: "Look up",
					items: ["reference/configuration", "reference/cli", "troubleshooting", "glossary"],
				},
				{
					label: "Project",
					items: ["reliability", "benchmarks", "changelog", "security", { label: "Repository", link: repository }],
				},
			],
		}),
	],
});
