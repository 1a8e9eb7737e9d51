import { readFileSync } from "node:fs";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import { homepage, pages, repository } from "./pages.mts";

const { SITE_URL, BASE_PATH } = process.env;

const start = ["own-program", "templates", "languages"];
const guides = [
	"cookbook",
	"testing",
	"existing-numbers",
	"costs",
	"/drift",
	"kyc",
	"ci",
	"secrets-and-state",
	"recovery",
	"number-pools",
	"webhook-signatures",
	"large-fleets",
	"moving-your-numbers",
	"functions",
	"client",
	"your-service",
	"policies",
	"comparison",
];
const reference = [
	"number",
	"sip-trunk",
	"webhook",
	"kyc-profile",
	"activation",
	"number-pool",
	"port-order",
	"functions",
	"configuration",
	"cli",
	"drift",
	"/limits",
	"/troubleshooting",
];

/** The pages of a folder: these first, then all others except those that are elsewhere. A slash in front names a page outside the folder. */
const inFolder = (folder, first, elsewhere = []) => {
	const slugOf = (page) => (page.startsWith("/") ? page.slice(1) : `${folder}/${page}`);
	const slugs = first.map(slugOf);
	const listed = [...slugs, ...elsewhere.map(slugOf)];
	const others = [...pages.values()].filter((page) => page.startsWith(`${folder}/`) && !listed.includes(page));
	return [...slugs, ...others];
};

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
			// The choice of a language holds for every page.
			head: [{ tag: "script", content: readFileSync(new URL("./src/tabs.js", import.meta.url), "utf8") }],
			sidebar: [
				{
					label: "Get started",
					items: [{ slug: "index", label: "Overview" }, "quick-start", ...start.map((page) => `guides/${page}`)],
				},
				{ label: "Concepts", items: ["guarantees", "glossary"] },
				{ label: "Guides", items: inFolder("guides", guides, [...start, "upgrade"]) },
				{
					label: "Emulator",
					items: ["emulator", ...inFolder("emulator", ["applications", "control-api", "settings", "assumptions"])],
				},
				{ label: "Reference", items: ["reference", ...inFolder("reference", reference)] },
				{
					label: "Project",
					items: [
						"benchmarks",
						"benchmarks-tables",
						"reliability",
						"guides/upgrade",
						"changelog",
						"security",
						{ label: "Repository", link: repository },
					],
				},
			],
		}),
	],
});
