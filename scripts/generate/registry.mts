/** The pages of Pulumi's registry, made of the site's: docs/_index.md and docs/installation-configuration.md. */
import { programsOf } from "./examples.mts";

interface Manifest {
	readonly description: string;
	readonly homepage: string;
}

const page = (title: string, description: string, body: string): string =>
	`---\n# Made by npm run generate.\ntitle: ${JSON.stringify(title)}\nmeta_desc: ${JSON.stringify(description)}\nlayout: package\n---\n\n${body}\n`;

/** The registry's tabs. */
function chooser(): string {
	const programs = programsOf("Number");
	const choices = programs.map(({ language, code }) => {
		const choice = `choosable language ${language}`;
		return `{{% ${choice} %}}\n\n\`\`\`${language}\n${code}\n\`\`\`\n\n{{% /choosable %}}`;
	});
	const all = programs.map(({ language }) => language).join(",");
	return `{{< chooser language "${all}" >}}\n\n${choices.join("\n\n")}\n\n{{< /chooser >}}`;
}

/** @param textOf the text of a file of this repository */
export function registryPages({ description, homepage }: Manifest, textOf: (file: string) => string) {
	/** The registry has none of our other pages, so links lead to the site. */
	const linked = (text: string, folder: string) =>
		text.replace(/\]\((?![a-z]+:)([^)#]+)(#[^)]*)?\)/g, (_, path: string, anchor = "") => {
			const url = new URL(path, `${homepage}${folder}`);
			const target = /\.md$/.test(url.pathname) ? url.href.replace(/\.md$/, "/") : homepage;
			return `](${target}${anchor})`;
		});
	/** The table of a page that begins with this heading. */
	const table = (file: string, folder: string, head: string) => {
		const text = textOf(file);
		const start = text.indexOf(`| ${head} |`);
		if (start < 0) throw new Error(`${file} has no table "${head}", which the registry's page needs.`);
		return linked(text.slice(start).split("\n\n", 1).join(""), folder);
	};
	/** The commands that install the published packages. */
	const installation = table("docs/guides/languages.md", "guides/", "Language | Once published | Until then")
		.split("\n")
		.filter((row) => !row.includes("for tests"))
		.map((row, index) => (index === 1 ? "|---|---|" : `${row.split(" | ", 2).join(" | ")} |`))
		.join("\n");
	/** The settings of a first run. */
	const settings = table(
		"docs/reference/configuration.md",
		"reference/",
		"Setting | Environment | Stack configuration | Meaning",
	)
		.split("\n")
		.filter((row) => /^\| (?:Setting|API key|Address|Account|On delete|Limits) \||^\|--/.test(row))
		.join("\n");
	const [, intro = ""] = /^# .*\n\n([\s\S]*?)\n\n/.exec(textOf("docs/index.md")) ?? [];
	return {
		"docs/_index.md": page(
			"Telephony",
			description,
			[
				linked(intro, ""),
				"## Installation",
				installation,
				`The plugin includes Node.js. [Every language](${homepage}guides/languages/) shows where the engine finds the plugin.`,
				"## Example",
				chooser(),
				`[The site](${homepage}) has guides and the whole reference.`,
			].join("\n\n"),
		),
		"docs/installation-configuration.md": page(
			"Telephony: Installation & Configuration",
			"How to install the Telephony provider, and its settings.",
			[
				"## Installation",
				`The engine downloads the plugin, which includes its own copy of Node.js. [Every language](${homepage}guides/languages/) shows what each language needs, and where else the engine finds the plugin.`,
				"## Configuration",
				"Set these values in the environment or in the stack's configuration. If both set a value, the environment wins.",
				settings,
				`[Configuration](${homepage}reference/configuration/) has all settings.`,
			].join("\n\n"),
		),
	};
}
